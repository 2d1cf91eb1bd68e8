//! Is a value what a table of the kit says? Nodes and edges by their labels, type and properties.

use kvist_graph::storage::{EdgeId, Entity, NodeId, View};
use kvist_graph::value::{Path, Value, stored, text};

use super::notation::{Edge, Expected, Node, Properties};

/// Compares values of a graph with what is expected of them.
pub struct Comparison<'g> {
    pub view: &'g View,
    /// Lists are the same in whatever order.
    pub unordered_lists: bool,
}

/// The number of a node or an edge as the storage has it.
fn number(id: u64) -> u32 {
    u32::try_from(id).expect("ids have 32 bits")
}

impl Comparison<'_> {
    /// Whether the rows are these, in this order or in any, each as often.
    pub fn rows(&self, expected: &[Vec<Expected>], actual: &[Vec<Value>], ordered: bool) -> bool {
        let row = |expected: &Vec<Expected>, actual: &Vec<Value>| {
            expected.len() == actual.len()
                && expected
                    .iter()
                    .zip(actual)
                    .all(|(expected, actual)| self.value(expected, actual))
        };
        same(expected, actual, ordered, row)
    }

    fn value(&self, expected: &Expected, actual: &Value) -> bool {
        match (expected, actual) {
            (Expected::Null, Value::Null) => true,
            (Expected::Boolean(expected), Value::Boolean(actual)) => expected == actual,
            (Expected::Integer(expected), Value::Integer(actual)) => expected == actual,
            (Expected::Float(expected), Value::Float(actual)) => {
                expected == actual || (expected.is_nan() && actual.is_nan())
            }
            (Expected::String(expected), Value::String(actual)) => **expected == **actual,
            (Expected::String(expected), Value::Date(_))
            | (Expected::String(expected), Value::LocalTime(_))
            | (Expected::String(expected), Value::Time(_))
            | (Expected::String(expected), Value::LocalDateTime(_))
            | (Expected::String(expected), Value::DateTime(_))
            | (Expected::String(expected), Value::Duration(_)) => {
                text::scalar(actual).is_some_and(|actual| *expected == actual)
            }
            (Expected::List(expected), Value::List(actual, _)) => {
                same(expected, actual, !self.unordered_lists, |e, a| self.value(e, a))
            }
            (Expected::Map(expected), Value::Map(actual)) => {
                let mut entries = actual.iter();
                expected.len() == actual.len()
                    && entries.all(|(key, actual)| {
                        expected.get(&**key).is_some_and(|expected| self.value(expected, actual))
                    })
            }
            (Expected::Node(expected), Value::Node(id)) => self.node(expected, number(*id)),
            (Expected::Edge(expected), Value::Relationship(id)) => self.edge(expected, number(*id)),
            (Expected::Path(..), Value::Path(path)) => self.path(expected, path),
            _ => false,
        }
    }

    fn node(&self, expected: &Node, id: NodeId) -> bool {
        let labels = self.view.labels_of(id).filter_map(|label| self.view.label_name(label));
        let labels: std::collections::BTreeSet<String> = labels.map(str::to_owned).collect();
        labels == expected.labels && self.properties(&expected.properties, Entity::Node(id))
    }

    fn edge(&self, expected: &Edge, id: EdgeId) -> bool {
        let kind = self.view.ends(id).and_then(|ends| self.view.type_name(ends.kind));
        kind == Some(&*expected.kind) && self.properties(&expected.properties, Entity::Edge(id))
    }

    fn properties(&self, expected: &Properties, entity: Entity) -> bool {
        let mut count = 0;
        let all = self.view.properties(entity).all(|(key, actual)| {
            count += 1;
            let name = self.view.key_name(key).expect("a key has a name");
            let actual = stored::from_property(actual);
            expected.get(name).is_some_and(|expected| self.value(expected, &actual))
        });
        all && count == expected.len()
    }

    fn path(&self, expected: &Expected, path: &Path) -> bool {
        let Expected::Path(first, hops) = expected else { return false };
        let nodes = path.nodes();
        if hops.len() != path.relationships().len() || !self.node(first, number(nodes[0])) {
            return false;
        }
        hops.iter().enumerate().all(|(place, hop)| {
            let id = number(path.relationships()[place]);
            let (from, to) = (number(nodes[place]), number(nodes[place + 1]));
            let (from, to) = if hop.forth { (from, to) } else { (to, from) };
            let ends = self.view.ends(id);
            ends.is_some_and(|ends| ends.source == from && ends.target == to)
                && self.edge(&hop.edge, id)
                && self.node(&hop.node, number(nodes[place + 1]))
        })
    }
}

/// Whether two lists are the same, in order or with each element as often in both.
fn same<E, A>(expected: &[E], actual: &[A], ordered: bool, one: impl Fn(&E, &A) -> bool) -> bool {
    if expected.len() != actual.len() {
        return false;
    }
    if ordered {
        return expected.iter().zip(actual).all(|(expected, actual)| one(expected, actual));
    }
    let mut left: Vec<&A> = actual.iter().collect();
    expected.iter().all(|expected| {
        let found = left.iter().position(|actual| one(expected, actual));
        found.map(|place| left.swap_remove(place)).is_some()
    })
}
