//! Nodes, relationships and their marks as statements.

use super::writer::Writer;
use super::{About, Error};
use crate::storage::{Ends, Entity, LabelId, NodeId, SEGMENT, TypeId};

/// A statement takes the marks of so many numbers of nodes.
const MARKS: u64 = 4 * SEGMENT as u64;

/// The statement before all: relationships find marked nodes by an index.
pub(super) fn begin(writer: &mut Writer<'_>, mark: &str) {
    if writer.view.node_count() > 0 {
        writer.text = format!("CREATE INDEX FOR (n:{mark}) ON (n.{mark});");
        writer.end(About::Statement);
    }
}

/// Puts what has the same together, in the order of the first of each.
pub(super) fn grouped<K: PartialEq>(
    ids: &[u32],
    key: impl Fn(u32) -> Option<K>,
) -> Vec<(K, Vec<u32>)> {
    let mut groups: Vec<(K, Vec<u32>)> = Vec::new();
    for &id in ids {
        let Some(key) = key(id) else { continue };
        match groups.iter_mut().find(|(other, _)| *other == key) {
            Some((_, group)) => group.push(id),
            None => groups.push((key, vec![id])),
        }
    }
    groups
}

/// A statement for all nodes that have the same labels.
pub(super) fn nodes(writer: &mut Writer<'_>, mark: &str, ids: &[u32]) -> Result<(), Error> {
    let labels = |id| Some(writer.view.labels_of(id).collect::<Vec<LabelId>>());
    for (labels, ids) in grouped(ids, labels) {
        writer.text.push_str("UNWIND [");
        for (at, &id) in ids.iter().enumerate() {
            let comma = if at > 0 { ", " } else { "" };
            writer.text.push_str(&format!("{comma}{{{mark}: {id}"));
            writer.properties(Entity::Node(id), false)?;
            writer.text.push('}');
            writer.work(1)?;
        }
        writer.text.push_str("] AS row CREATE (n:");
        writer.text.push_str(mark);
        let view = writer.view;
        for label in labels {
            writer.text.push(':');
            writer.name(view.label_name(label).unwrap_or_default());
        }
        writer.text.push_str(") SET n = row;");
        writer.end(About::Statement);
    }
    Ok(())
}

/// A statement for all relationships of the same type.
pub(super) fn relationships(writer: &mut Writer<'_>, mark: &str, ids: &[u32]) -> Result<(), Error> {
    let view = writer.view;
    let kind = |id| view.ends(id).map(|ends: Ends| ends.kind);
    for (kind, ids) in grouped(ids, kind) {
        let some = ids.iter().any(|&id| view.properties(Entity::Edge(id)).next().is_some());
        writer.text.push_str("UNWIND [");
        for (at, &id) in ids.iter().enumerate() {
            let Some(Ends { source, target, .. }) = view.ends(id) else { continue };
            row(writer, (source, target), at)?;
            if some {
                writer.text.push_str(", {");
                writer.properties(Entity::Edge(id), true)?;
                writer.text.push('}');
            }
            writer.text.push(']');
            writer.work(1)?;
        }
        create(writer, mark, kind, some);
    }
    Ok(())
}

fn row(
    writer: &mut Writer<'_>,
    (source, target): (NodeId, NodeId),
    at: usize,
) -> Result<(), Error> {
    let comma = if at > 0 { ", " } else { "" };
    writer.text.push_str(&format!("{comma}[{source}, {target}"));
    writer.work(1)
}

fn create(writer: &mut Writer<'_>, mark: &str, kind: TypeId, properties: bool) {
    writer.text.push_str(&format!(
        "] AS row MATCH (a:{mark} {{{mark}: row[0]}}), (b:{mark} {{{mark}: row[1]}}) \
         CREATE (a)-[r:"
    ));
    let view = writer.view;
    writer.name(view.type_name(kind).unwrap_or_default());
    writer.text.push_str(if properties { "]->(b) SET r = row[2];" } else { "]->(b);" });
    writer.end(About::Statement);
}

/// The statements that take the marks away, and at last their index.
pub(super) fn unmark(writer: &mut Writer<'_>, mark: &str, from: u64) -> Result<Option<u64>, Error> {
    let end = (writer.view.node_segments() * SEGMENT) as u64;
    if writer.view.node_count() == 0 {
        return Ok(None);
    }
    let mut next = from;
    while next < end {
        if writer.is_full() {
            return Ok(Some(next));
        }
        let to = next + MARKS;
        writer.text = format!(
            "MATCH (n:{mark}) WHERE n.{mark} >= {next} AND n.{mark} < {to} \
             REMOVE n:{mark}, n.{mark};"
        );
        writer.end(About::Statement);
        // About as much as to make them.
        let marked = usize::try_from(MARKS.min(end - next)).unwrap_or(usize::MAX);
        writer.entities += marked.min(writer.view.node_count());
        writer.work(1)?;
        next = to;
    }
    writer.text = format!("DROP INDEX FOR (n:{mark}) ON (n.{mark});");
    writer.end(About::Statement);
    Ok(None)
}
