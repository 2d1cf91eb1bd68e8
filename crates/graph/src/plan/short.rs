//! Queries that take no longer than a moment: they look up a few nodes by an index or by ids, and
//! follow their relationships. It costs more to send one of them to another thread than to answer
//! it. How many relationships there are is known only when they are followed: what runs is told
//! when it has looked at too many, and begins anew on another thread.

use super::access::{Facts, constant};
use super::{
    Assignment, Clause, Create, Expression, Grouping, Pattern, PatternEdge, PatternNode, Query,
    Slot, Test, looked_up,
};
use crate::cypher::ast::PathKind;
use crate::query::FEW_NODES;

/// Most nodes of a pattern that is looked up in a moment: to plan one takes longer than by its
/// length.
const PATTERN: usize = 32;

/// Whether a query takes no longer than a moment.
#[must_use]
pub fn is_short(query: &Query, facts: Facts<'_>) -> bool {
    let [part] = &query.parts[..] else { return false };
    let Some((Clause::Match(pattern), rest)) = part.clauses.split_first() else { return false };
    rest.iter().all(is_light_clause) && is_lookup(pattern, facts)
}

/// Whether a query that changes the graph takes no longer than a moment: it makes a few nodes and
/// relationships, or changes a few that are looked up. What it sets is no larger than what it is
/// made of, and a list that it goes through stands in its text.
#[must_use]
pub fn is_short_change(query: &Query, facts: Facts<'_>) -> bool {
    let [part] = &query.parts[..] else { return false };
    let lists = part.clauses.iter().filter(|clause| matches!(clause, Clause::Unwind(..))).count();
    lists <= 1 && part.clauses.iter().all(|clause| is_short_step(clause, facts))
}

fn is_short_step(clause: &Clause, facts: Facts<'_>) -> bool {
    match clause {
        Clause::Match(pattern) => is_lookup(pattern, facts),
        Clause::Unwind(list, _) => {
            matches!(list, Expression::Constant(_) | Expression::Parameter(_) | Expression::List(_))
                && is_light(list)
        }
        Clause::Create(create) => is_light_create(create),
        Clause::Assign(items) => items.iter().all(is_light_assignment),
        Clause::Merge(merge) => {
            merge.by_key.is_some()
                && is_lookup(&merge.pattern, facts)
                && is_light_create(&merge.create)
                && merge.on_create.iter().chain(&merge.on_match).all(is_light_assignment)
        }
        other => is_light_clause(other),
    }
}

fn is_light_create(create: &Create) -> bool {
    let nodes = create.nodes.iter().filter_map(|node| node.properties.as_ref());
    let edges = create.edges.iter().filter_map(|edge| edge.properties.as_ref());
    create.paths.is_empty() && nodes.chain(edges).all(is_light)
}

fn is_light_assignment(item: &Assignment) -> bool {
    match item {
        Assignment::Property(entity, _, value)
        | Assignment::Replace(entity, value)
        | Assignment::Add(entity, value) => is_light(entity) && is_light(value),
        Assignment::Labels(entity, ..) => is_light(entity),
    }
}

fn is_lookup(pattern: &Pattern, facts: Facts<'_>) -> bool {
    let is_plain = pattern.bound.is_empty() && pattern.paths.is_empty();
    let tests = pattern.filters.iter().all(|condition| is_light(&condition.test));
    is_plain
        && tests
        && pattern.nodes.len() <= PATTERN
        && pattern.edges.iter().all(is_followed)
        && is_reached(pattern, facts)
}

/// Whether all nodes are reached from some that are found at once: what nothing leads to, is looked
/// for among all.
fn is_reached(pattern: &Pattern, facts: Facts<'_>) -> bool {
    let mut reached = Vec::new();
    for node in &pattern.nodes {
        if !reached.contains(&node.slot) && is_found(pattern, node, facts) {
            reached.push(node.slot);
            follow_all(pattern, &mut reached);
        }
    }
    pattern.nodes.iter().all(|node| reached.contains(&node.slot))
}

/// Adds the nodes that relationships lead to from those that are reached.
fn follow_all(pattern: &Pattern, reached: &mut Vec<Slot>) {
    loop {
        let before = reached.len();
        for edge in &pattern.edges {
            match (reached.contains(&edge.from), reached.contains(&edge.to)) {
                (true, false) => reached.push(edge.to),
                (false, true) => reached.push(edge.from),
                _ => {}
            }
        }
        if reached.len() == before {
            return;
        }
    }
}

/// Whether a few nodes are found at once.
#[allow(clippy::cast_precision_loss)] // it is small
fn is_found(pattern: &Pattern, node: &PatternNode, facts: Facts<'_>) -> bool {
    let Some((access, rows)) = looked_up(pattern, node, facts) else { return false };
    let mut is_known = true;
    access.for_each_value(&mut |value| is_known = is_known && constant(value, facts).is_some());
    is_known && rows <= FEW_NODES as f64
}

/// Whether a relationship is followed by looking at those of a node.
fn is_followed(edge: &PatternEdge) -> bool {
    let tests = edge.properties.iter().map(|(_, value)| value);
    edge.kind == PathKind::All && edge.each.is_none() && tests.into_iter().all(is_light)
}

fn is_light_clause(clause: &Clause) -> bool {
    match clause {
        Clause::Project(columns) => columns.iter().all(|(_, value)| is_light(value)),
        Clause::Sort(by) => by.iter().all(|(value, _)| is_light(value)),
        Clause::Filter(value) | Clause::Skip(value) | Clause::Limit(value) => is_light(value),
        Clause::Aggregate(Grouping { keys, aggregates }) => {
            let arguments = aggregates.iter().flat_map(|one| one.argument.iter());
            keys.iter().map(|(_, value)| value).chain(arguments).all(is_light)
        }
        Clause::Distinct(_) | Clause::Keep(_) => true,
        _ => false,
    }
}

/// Whether an expression makes nothing that is larger than what it is made of.
fn is_light(value: &Expression) -> bool {
    let all = |values: &[Expression]| values.iter().all(is_light);
    match value {
        Expression::Constant(_) | Expression::Parameter(_) | Expression::Slot(_) => true,
        Expression::List(values)
        | Expression::Logical(_, values)
        | Expression::OfGraph(_, values) => all(values),
        Expression::Map(entries) => entries.iter().all(|(_, value)| is_light(value)),
        Expression::Not(value)
        | Expression::Negate(value)
        | Expression::Plus(value)
        | Expression::IsNull(value, _)
        | Expression::Property(value, _)
        | Expression::Labels(value, _) => is_light(value),
        Expression::Comparison(first, rest) => {
            is_light(first) && rest.iter().all(|(_, value)| is_light(value))
        }
        Expression::Arithmetic(first, rest) => {
            is_light(first) && rest.iter().all(|(_, value)| is_light(value))
        }
        Expression::Test(test, one, other) => {
            *test != Test::Matches && is_light(one) && is_light(other)
        }
        Expression::Index(one, other) => is_light(one) && is_light(other),
        _ => false,
    }
}
