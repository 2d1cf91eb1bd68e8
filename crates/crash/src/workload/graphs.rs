//! Statements that change a graph: single nodes and edges, and many at once.

use super::{Draw, Steps};
use crate::graph::Statement;
use crate::value::Bytes;

impl Draw<'_> {
    pub(super) fn graph(&mut self) -> Steps {
        let key = self.key('p')?;
        // By its index short statements look nodes up, and are done where they are asked.
        let statement = match self.is_missing(&key) {
            true => Statement::Index,
            false => self.statement(&key),
        };
        self.one("GRAPH.QUERY", &key, vec![statement.text().into_bytes()])
    }

    fn statement(&mut self, key: &Bytes) -> Statement {
        let most = if Self::is_big(key) { 2000 } else { 30 };
        let many = i64::try_from(self.rng.below(most / 3)).unwrap_or(0);
        let id = self.node(most);
        match self.rng.below(12) {
            0..=2 => Statement::Merge(id, id, self.text()),
            3 => Statement::Merge(id, id + many, self.text()),
            4 | 5 => Statement::Set(id, self.text()),
            6..=8 => {
                let (to, number) = (self.node(most), self.node(5));
                Statement::Link(id, to, number)
            }
            9 => Statement::Unlink(id),
            10 => Statement::Delete(id, id),
            _ => Statement::Delete(id, id + many),
        }
    }

    fn node(&mut self, most: usize) -> i64 {
        i64::try_from(self.rng.below(most)).unwrap_or(0)
    }

    /// A text without quotes; long now and then.
    fn text(&mut self) -> Bytes {
        let times = if self.rng.chance(5) { 500 } else { 1 };
        format!("text {} ", self.rng.below(1000)).repeat(times).into_bytes()
    }
}
