//! Property graphs as the model knows them, and the few statements that the workload makes of them.
//!
//! A statement is written as openCypher and read again from that text, by the model: what is in
//! it are whole numbers and one text in quotes, so that nothing more has to be understood.

use std::collections::BTreeMap;

use crate::value::Bytes;

/// A graph whose nodes have a number and a text, and whose edges have a number.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph {
    /// The texts of the nodes, by their numbers.
    pub nodes: BTreeMap<i64, Bytes>,
    /// How many edges there are from one node to another with the same number.
    pub edges: BTreeMap<(i64, i64, i64), usize>,
}

/// What changes a graph.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// The numbers of nodes are looked up by an index from now on.
    Index,
    /// Nodes of these numbers, first and last, with this text; those that are there get the text.
    Merge(i64, i64, Bytes),
    /// The node of this number, where it is there, gets this text.
    Set(i64, Bytes),
    /// An edge from one node to another, where both are there, with this number.
    Link(i64, i64, i64),
    /// The edges of a node to others go.
    Unlink(i64),
    /// Nodes of these numbers, first and last, go, with their edges.
    Delete(i64, i64),
}

/// What every node of the graph is, one row for each: its number, its text, where its edges lead
/// to and their numbers.
pub const ALL: &str = "MATCH (n) RETURN n.id, n.v, [(n)-[r]->(m) | [m.id, r.w]]";

impl Statement {
    /// It as openCypher.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Index => "CREATE INDEX FOR (n:N) ON (n.id)".to_owned(),
            // So short a one is done where it is asked, if it is looked up.
            Self::Merge(id, last, text) if id == last => {
                format!("MERGE (n:N {{id: {id}}}) SET n.v = '{}'", text.escape_ascii())
            }
            Self::Merge(first, last, text) => format!(
                "UNWIND range({first}, {last}) AS i MERGE (n:N {{id: i}}) SET n.v = '{}'",
                text.escape_ascii()
            ),
            Self::Set(id, text) => {
                format!("MATCH (n:N {{id: {id}}}) SET n.v = '{}'", text.escape_ascii())
            }
            Self::Link(from, to, number) => format!(
                "MATCH (a:N {{id: {from}}}), (b:N {{id: {to}}}) \
                 CREATE (a)-[:E {{w: {number}}}]->(b)"
            ),
            Self::Unlink(id) => format!("MATCH (:N {{id: {id}}})-[r]->() DELETE r"),
            Self::Delete(first, last) => {
                format!("MATCH (n:N) WHERE n.id >= {first} AND n.id <= {last} DETACH DELETE n")
            }
        }
    }

    /// The statement that has this text.
    #[must_use]
    pub fn read(text: &[u8]) -> Option<Statement> {
        let text = std::str::from_utf8(text).ok()?;
        let (numbers, word) = match text.split_once('\'') {
            Some((head, rest)) => (numbers(head), rest.trim_end_matches('\'').into()),
            None => (numbers(text), Bytes::new()),
        };
        Some(match *numbers {
            [] => Self::Index,
            [id] if text.contains("MERGE") => Self::Merge(id, id, word),
            [first, last] if text.contains("MERGE") => Self::Merge(first, last, word),
            [id] if text.contains("SET") => Self::Set(id, word),
            [from, to, number] => Self::Link(from, to, number),
            [id] => Self::Unlink(id),
            [first, last] => Self::Delete(first, last),
            _ => return None,
        })
    }
}

/// The whole numbers in a text, in order.
#[must_use]
pub fn numbers(text: &str) -> Vec<i64> {
    let other = |c: char| !c.is_ascii_digit();
    text.split(other).filter_map(|digits| digits.parse().ok()).collect()
}

impl Graph {
    /// Makes a change.
    pub fn apply(&mut self, statement: &Statement) {
        match statement {
            Statement::Index => {}
            Statement::Merge(first, last, text) => {
                self.nodes.extend((*first..=*last).map(|id| (id, text.clone())));
            }
            Statement::Set(id, text) => {
                if let Some(old) = self.nodes.get_mut(id) {
                    old.clone_from(text);
                }
            }
            Statement::Link(from, to, number) => {
                if self.nodes.contains_key(from) && self.nodes.contains_key(to) {
                    *self.edges.entry((*from, *to, *number)).or_default() += 1;
                }
            }
            Statement::Unlink(id) => self.edges.retain(|(from, ..), _| from != id),
            Statement::Delete(first, last) => {
                let gone = |id: &i64| (*first..=*last).contains(id);
                self.nodes.retain(|id, _| !gone(id));
                self.edges.retain(|(from, to, _), _| !gone(from) && !gone(to));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_read_as_they_are_written() {
        for statement in [
            Statement::Index,
            Statement::Merge(4, 4, b"text 5".to_vec()),
            Statement::Merge(3, 9, b"text 17".to_vec()),
            Statement::Set(4, b"x".to_vec()),
            Statement::Link(1, 2, 33),
            Statement::Unlink(5),
            Statement::Delete(6, 70),
        ] {
            assert_eq!(Statement::read(statement.text().as_bytes()), Some(statement));
        }
    }

    #[test]
    fn what_is_deleted_takes_its_edges_with_it() {
        let mut graph = Graph::default();
        graph.apply(&Statement::Merge(1, 3, b"a".to_vec()));
        for (from, to) in [(1, 2), (2, 3), (1, 3), (1, 3), (1, 9)] {
            graph.apply(&Statement::Link(from, to, 0));
        }
        assert_eq!(graph.edges.values().sum::<usize>(), 4);
        graph.apply(&Statement::Delete(2, 2));
        assert_eq!(graph.edges, BTreeMap::from([((1, 3, 0), 2)]));
        graph.apply(&Statement::Set(2, b"b".to_vec()));
        assert_eq!(graph.nodes.len(), 2);
    }
}
