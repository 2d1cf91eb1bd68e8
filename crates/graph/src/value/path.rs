//! A path: the ids of its nodes, and of the relationships between them.

use super::Value;

/// Nodes and the relationships between them: one node more than relationships.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Path {
    nodes: Box<[u64]>,
    relationships: Box<[u64]>,
}

impl Path {
    /// A path of these; `None` unless there is one node more than relationships.
    pub fn new(nodes: Vec<u64>, relationships: Vec<u64>) -> Option<Path> {
        let fits = nodes.len() == relationships.len() + 1;
        fits.then(|| Path { nodes: nodes.into(), relationships: relationships.into() })
    }

    /// Its nodes, from the first to the last.
    pub fn nodes(&self) -> &[u64] {
        &self.nodes
    }

    /// Its relationships, from the first to the last.
    pub fn relationships(&self) -> &[u64] {
        &self.relationships
    }

    /// Nodes and relationships in turn.
    pub fn steps(&self) -> impl Iterator<Item = Value> {
        let then = self.relationships.iter().zip(&self.nodes[1..]);
        let then = then.flat_map(|(&by, &to)| [Value::Relationship(by), Value::Node(to)]);
        self.nodes.first().map(|&id| Value::Node(id)).into_iter().chain(then)
    }

    /// The bytes beside those of the path itself.
    pub fn memory(&self) -> usize {
        size_of_val(&*self.nodes) + size_of_val(&*self.relationships)
    }
}
