//! The marks by which relationships of tables find their nodes: a label, and a property that holds
//! what the table of nodes has for an id. They are taken away when all tables have been read.

use super::field::Id;
use crate::procedure::Builtin;
use crate::query::{Error, Prepared, Settings, write_part};
use crate::storage::{Entity, Graph, KeyId, LabelId, Of, View};
use crate::value::Map;

/// The label of marked nodes, and the name of the property.
pub const MARK: &str = "_import";

/// So many marks are taken away at once.
const AT_ONCE: u64 = 16 << 10;

/// So many nodes that an index finds by an id are looked at before it is asked for more.
const FOUND: usize = 64;

/// What is left of the marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unmarked {
    /// So many nodes have one still.
    pub left: u64,
}

/// Makes the index by which marked nodes are found, if it is not there.
///
/// # Errors
/// It is to end.
pub(super) fn begin(graph: &mut Graph, settings: &Settings<'_>) -> Result<(), Error> {
    if is_indexed(graph) {
        return Ok(());
    }
    run(graph, &format!("CREATE INDEX FOR (n:{MARK}) ON (n.{MARK})"), settings)
}

/// Whether nodes are found by marks: some have been made, and not all have been taken away.
pub(super) fn is_indexed(graph: &Graph) -> bool {
    let (Some(label), Some(key)) = (graph.label(MARK), graph.key(MARK)) else { return false };
    let mut all = graph.indexes().map(|index| index.on());
    all.any(|on| on.of == Of::Label(label) && on.keys.first() == Some(&key))
}

/// The marked nodes of a graph, by their ids.
pub(super) struct Marked<'g> {
    view: &'g View,
    label: LabelId,
    key: KeyId,
}

impl<'g> Marked<'g> {
    /// Those of a graph; `None` before [`begin`].
    pub fn of(view: &'g View) -> Option<Marked<'g>> {
        Some(Marked { view, label: view.label(MARK)?, key: view.key(MARK)? })
    }

    /// How many nodes have an id: two are as wrong as more.
    pub fn count(&self, id: &Id) -> usize {
        let mut all = self.view.whole_indexes(Of::Label(self.label));
        let index = all.find(|index| index.on().keys.first() == Some(&self.key));
        let found = index.and_then(|index| index.find(&[id.property()], None));
        let Some(mut found) = found else { return 0 };
        let (mut nodes, mut count) = (Vec::new(), 0);
        while count < 2 && !found.is_empty() {
            nodes.clear();
            found.take(FOUND, &mut nodes);
            // The index finds all that are equal, and perhaps more.
            let there = nodes.iter().filter(|&&node| {
                let there = self.view.property(Entity::Node(node), self.key);
                self.view.has_label(node, self.label) && there == id.property()
            });
            count += there.count();
        }
        count
    }
}

/// Takes some of the marks away, and with the last one their index.
///
/// # Errors
/// It is to end.
pub fn unmark(graph: &mut Graph, settings: &Settings<'_>) -> Result<Unmarked, Error> {
    let text = format!("MATCH (n:{MARK}) WITH n LIMIT {AT_ONCE} REMOVE n:{MARK}, n.{MARK}");
    run(graph, &text, settings)?;
    let label = graph.label(MARK);
    let left = label.map_or(0, |label| graph.label_count(label) as u64);
    if left == 0 && is_indexed(graph) {
        run(graph, &format!("DROP INDEX FOR (n:{MARK}) ON (n.{MARK})"), settings)?;
    }
    Ok(Unmarked { left })
}

fn run(graph: &mut Graph, text: &str, settings: &Settings<'_>) -> Result<(), Error> {
    let prepared = Prepared::compile(text, &Builtin)?;
    let parameters = Map::default();
    let settings = Settings { parameters: &parameters, ..*settings };
    write_part(graph, &prepared, &settings).map(drop)
}
