//! Whether a `MERGE` may look for all of its rows at once.

use std::sync::Arc;

use super::{Assignment, Create, Expression, Pattern, Slot};

/// What is looked for is one node with the properties that are given, by values that no row of the
/// clause changes. Then rows whose values are equal have the same node, whichever comes first, and
/// need not be worked on one after the other.
#[derive(Clone, Debug)]
pub struct ByKey {
    /// Where a node stands that is found.
    pub found: Slot,
    /// Where it goes.
    pub made: Slot,
}

impl ByKey {
    /// Of what is looked for, what is made, and what else is done.
    pub(super) fn new<'e>(
        pattern: &Pattern,
        create: &'e Create,
        mut assigned: impl Iterator<Item = &'e Assignment>,
    ) -> Option<ByKey> {
        let ([found], [made]) = (&pattern.nodes[..], &create.nodes[..]) else { return None };
        let entries = match &made.properties {
            None => &[][..],
            Some(Expression::Map(entries)) => entries,
            Some(_) => return None,
        };
        let mut keys: Vec<&Arc<str>> = entries.iter().map(|(key, _)| key).collect();
        keys.sort();
        let names_each_once = keys.windows(2).all(|pair| pair[0] != pair[1]);
        let looks_for_what_it_makes = pattern.edges.is_empty()
            && pattern.paths.is_empty()
            && !pattern.bound.contains(&found.slot)
            && pattern.filters.len() == entries.len()
            && found.labels.iter().all(|label| made.labels.contains(label))
            && made.labels.iter().all(|label| found.labels.contains(label));
        let is_apart = names_each_once
            && looks_for_what_it_makes
            && entries.iter().all(|(_, value)| reads(value, &mut keys))
            && assigned.all(|assignment| leaves(assignment, &keys, &found.labels));
        is_apart.then_some(ByKey { found: found.slot, made: made.slot })
    }
}

/// Whether a value depends on nothing of the graph but on properties, which are added to `keys`.
fn reads<'e>(value: &'e Expression, keys: &mut Vec<&'e Arc<str>>) -> bool {
    match value {
        Expression::Constant(_) | Expression::Parameter(_) | Expression::Slot(_) => true,
        Expression::Property(value, key) => {
            keys.push(key);
            reads(value, keys)
        }
        Expression::Negate(value) | Expression::Plus(value) => reads(value, keys),
        Expression::List(values) => values.iter().all(|value| reads(value, keys)),
        Expression::Function(function, values) => {
            function.is_pure && values.iter().all(|value| reads(value, keys))
        }
        Expression::Arithmetic(first, rest) => {
            reads(first, keys) && rest.iter().all(|(_, value)| reads(value, keys))
        }
        _ => false,
    }
}

/// Whether an assignment leaves these properties and labels alone, and asks nothing of the graph
/// but properties.
fn leaves(assignment: &Assignment, keys: &[&Arc<str>], labels: &[Arc<str>]) -> bool {
    match assignment {
        Assignment::Property(entity, key, value) => {
            !keys.contains(&key) && entity.is_simple() && value.is_simple()
        }
        Assignment::Add(entity, Expression::Map(entries)) => {
            entity.is_simple()
                && entries.iter().all(|(key, value)| !keys.contains(&key) && value.is_simple())
        }
        Assignment::Labels(entity, changed, _) => {
            entity.is_simple() && changed.iter().all(|label| !labels.contains(label))
        }
        Assignment::Add(..) | Assignment::Replace(..) => false,
    }
}
