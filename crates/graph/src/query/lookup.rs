//! The commonest statement: properties of the nodes of a label of which one property is equal to a
//! value that an index knows, `MATCH (p:Person {id: $id}) RETURN p.name`. It is answered without
//! operators: to plan and to build these takes several times as long as what they find.
//!
//! What is not quite so, is much, or fails, is left to the operators.

use std::sync::Arc;

use super::{FEW_NODES, SHORT_ANSWER};
use crate::cypher::ast::ComparisonOperator;
use crate::execute::{Batch, Column};
use crate::plan::{Clause, Condition, Expression, Pattern, PatternNode, Query, Slot};
use crate::storage::{Entity, NodeId, Of, Property, PropertyRef, View};
use crate::value::equality::equal;
use crate::value::stored::{from_property, to_property};
use crate::value::{Map, Value};

/// A statement that looks up nodes.
#[derive(Clone, Debug)]
pub(super) struct Lookup {
    label: Arc<str>,
    key: Arc<str>,
    value: Wanted,
    columns: Box<[Shown]>,
}

/// What the property is to be equal to.
#[derive(Clone, Debug)]
enum Wanted {
    Constant(Value),
    Parameter(Arc<str>),
}

/// A column.
#[derive(Clone, Debug)]
enum Shown {
    Node,
    Property(Arc<str>),
}

impl Lookup {
    /// The look-up that a query is, if it is one.
    pub fn of(query: &Query) -> Option<Lookup> {
        let [part] = &query.parts[..] else { return None };
        let (pattern, computed) = match &part.clauses[..] {
            [Clause::Match(pattern), Clause::Keep(_)] => (pattern, &[][..]),
            [Clause::Match(pattern), Clause::Project(computed), Clause::Keep(_)] => {
                (pattern, &computed[..])
            }
            _ => return None,
        };
        let (node, condition) = of_one_node(pattern)?;
        let [label] = &node.labels[..] else { return None };
        let (key, value) = equal_to(condition, node.slot)?;
        let shown = |slot: &Slot| shown(*slot, node.slot, computed);
        let columns = query.columns.iter().map(shown).collect::<Option<_>>()?;
        Some(Lookup { label: Arc::clone(label), key, value, columns })
    }

    /// The rows: one batch, or none. `None`: it is left to the operators.
    pub fn rows(&self, view: &View, parameters: &Map) -> Option<Vec<Batch>> {
        let value = match &self.value {
            Wanted::Constant(value) => value,
            Wanted::Parameter(name) => parameters.get(name)?,
        };
        let nodes = self.nodes(view, value)?;
        if nodes.is_empty() {
            return Some(Vec::new());
        }
        let (mut batch, mut left) = (Batch::new(nodes.len()), SHORT_ANSWER);
        for (slot, shown) in self.columns.iter().enumerate() {
            let column = match shown {
                Shown::Node => Column::nodes(nodes.clone()),
                Shown::Property(name) => properties(view, &nodes, name, &mut left)?,
            };
            batch.set(slot, column);
        }
        Some(vec![batch])
    }

    /// The nodes, which are few.
    fn nodes(&self, view: &View, value: &Value) -> Option<Vec<NodeId>> {
        let (label, key) = (view.label(&self.label)?, view.key(&self.key)?);
        let stored = to_property(value).ok()?;
        let index = view.index_on(Of::Label(label), &[key])?;
        let mut found = index.find(&[stored.as_ref()], None)?;
        if found.len() > FEW_NODES {
            return None;
        }
        let mut nodes = Vec::with_capacity(found.len());
        found.take(FEW_NODES, &mut nodes);
        // The index finds all that are equal, and perhaps more.
        nodes.retain(|&node| {
            let there = view.property(Entity::Node(node), key);
            view.has_label(node, label) && is_equal(&stored, value, there)
        });
        Some(nodes)
    }
}

fn of_one_node(pattern: &Pattern) -> Option<(&PatternNode, &Condition)> {
    let ([node], [condition]) = (&pattern.nodes[..], &pattern.filters[..]) else { return None };
    let is_alone = pattern.edges.is_empty() && pattern.bound.is_empty() && pattern.paths.is_empty();
    is_alone.then_some((node, condition))
}

/// The property of a node that is to be equal to a value which is known, and the value.
fn equal_to(condition: &Condition, node: Slot) -> Option<(Arc<str>, Wanted)> {
    let Expression::Comparison(first, rest) = &condition.test else { return None };
    let [(ComparisonOperator::Equal, second)] = &rest[..] else { return None };
    let (key, value) = match (property_of(first, node), property_of(second, node)) {
        (Some(key), None) => (key, second),
        (None, Some(key)) => (key, &**first),
        _ => return None,
    };
    let value = match value {
        Expression::Constant(value) => Wanted::Constant(value.clone()),
        Expression::Parameter(name) => Wanted::Parameter(Arc::clone(name)),
        _ => return None,
    };
    Some((Arc::clone(key), value))
}

/// The property of a node that an expression is.
fn property_of(value: &Expression, node: Slot) -> Option<&Arc<str>> {
    match value {
        Expression::Property(entity, key) => {
            matches!(**entity, Expression::Slot(slot) if slot == node).then_some(key)
        }
        _ => None,
    }
}

fn shown(slot: Slot, node: Slot, computed: &[(Slot, Expression)]) -> Option<Shown> {
    if slot == node {
        return Some(Shown::Node);
    }
    let (_, value) = computed.iter().find(|(to, _)| *to == slot)?;
    property_of(value, node).map(|key| Shown::Property(Arc::clone(key)))
}

/// Whether a value that is looked for is equal to one that is stored.
fn is_equal(stored: &Property, value: &Value, there: PropertyRef<'_>) -> bool {
    match (stored, there) {
        (Property::Integer(one), PropertyRef::Integer(other)) => *one == other,
        (Property::Text(one), PropertyRef::Text(other)) => **one == *other,
        _ => equal(value, &from_property(there)) == Some(true),
    }
}

/// The values of a property, if they are short.
fn properties(view: &View, nodes: &[NodeId], name: &str, left: &mut u32) -> Option<Column> {
    let Some(key) = view.key(name) else { return Some(Column::Constant(Value::Null)) };
    let value = |&node: &NodeId| {
        let stored = view.property(Entity::Node(node), key);
        *left = left.checked_sub(stored.units())?;
        Some(from_property(stored))
    };
    let values = nodes.iter().map(value).collect::<Option<Vec<Value>>>()?;
    Some(Column::Values(Arc::new(values)))
}
