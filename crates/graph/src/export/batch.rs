//! Which nodes or relationships are written next: some that lie side by side by number.

use super::writer::Writer;
use super::{Error, Stage};
use crate::storage::{Entity, SEGMENT};

/// So many are written at once at most, each kind as one statement.
const MOST: usize = 256;
/// And so many units of values, about: see [`PropertyRef::units`](crate::storage::PropertyRef).
const UNITS: u64 = 1 << 14;

/// Nodes or relationships to write.
pub(super) struct Batch {
    /// Their numbers, of which there are some.
    pub ids: Vec<u32>,
    /// From which number on those behind them are.
    pub next: u64,
}

impl Batch {
    /// The next ones from a number on; `None`: there are no more.
    ///
    /// # Errors
    /// It is to end.
    pub fn next(writer: &mut Writer<'_>, stage: Stage, from: u64) -> Result<Option<Batch>, Error> {
        let view = writer.view;
        let (entity, segments): (fn(u32) -> Entity, usize) = match stage {
            Stage::Nodes => (Entity::Node, view.node_segments()),
            _ => (Entity::Edge, view.edge_segments()),
        };
        let most = MOST.min(writer.left());
        let (mut near, mut ids, mut units) = (Vec::new(), Vec::new(), 0_u64);
        let first = usize::try_from(from).unwrap_or(usize::MAX) / SEGMENT;
        for segment in first..segments {
            near.clear();
            match stage {
                Stage::Nodes => view.append_nodes(segment, &[], &mut near),
                _ => view.append_edges(segment, &mut near),
            }
            writer.work(SEGMENT as u32 / 64)?;
            for &id in near.iter().filter(|&&id| u64::from(id) >= from) {
                let values = view.properties(entity(id));
                units += values.map(|(_, value)| u64::from(value.units())).sum::<u64>();
                ids.push(id);
                if ids.len() >= most || units >= UNITS {
                    return Ok(Some(Batch { ids, next: u64::from(id) + 1 }));
                }
            }
        }
        let next = (segments * SEGMENT) as u64;
        Ok((!ids.is_empty()).then_some(Batch { ids, next }))
    }
}
