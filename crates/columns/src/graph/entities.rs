//! The nodes and relationships that rows name.

use graph::value::Value;

use super::Malformed;
use super::read::Read;

/// A node.
#[derive(Debug, PartialEq)]
pub struct NodeEntry {
    /// Its id.
    pub id: u64,
    /// Places of its labels.
    pub labels: Vec<u32>,
    /// Places of keys, with values.
    pub properties: Vec<(u32, Value)>,
}

/// A relationship.
#[derive(Debug, PartialEq)]
pub struct RelationshipEntry {
    /// Its id.
    pub id: u64,
    /// The place of its type, and the ids of the nodes that it comes from and goes to; nothing of
    /// one that the statement has deleted.
    pub ends: Option<(u32, u64, u64)>,
    /// Places of keys, with values.
    pub properties: Vec<(u32, Value)>,
}

/// All of them.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Entities {
    nodes: Vec<NodeEntry>,
    relationships: Vec<RelationshipEntry>,
    pub labels: Vec<String>,
    pub types: Vec<String>,
    pub keys: Vec<String>,
}

impl Entities {
    pub fn read(read: &mut Read<'_>) -> Result<Self, Malformed> {
        let (nodes, relationships) = (read.u32()?, read.u32()?);
        // No room before it is known that there are so many.
        let mut all = Entities::default();
        for _ in 0..nodes {
            all.nodes.push(node(read)?);
        }
        for _ in 0..relationships {
            all.relationships.push(relationship(read)?);
        }
        (all.labels, all.types, all.keys) = (names(read)?, names(read)?, names(read)?);
        read.is_over()?;
        Ok(all)
    }

    pub fn node(&self, place: u64) -> Option<&NodeEntry> {
        self.nodes.get(usize::try_from(place).ok()?)
    }

    pub fn relationship(&self, place: u64) -> Option<&RelationshipEntry> {
        self.relationships.get(usize::try_from(place).ok()?)
    }
}

/// A name by its place.
pub(super) fn name(names: &[String], place: u32) -> &str {
    names.get(place as usize).map_or("", String::as_str)
}

fn node(read: &mut Read<'_>) -> Result<NodeEntry, Malformed> {
    let id = read.u64()?;
    let labels = read.count(4)?;
    let labels = (0..labels).map(|_| read.u32()).collect::<Result<_, _>>()?;
    Ok(NodeEntry { id, labels, properties: properties(read)? })
}

fn relationship(read: &mut Read<'_>) -> Result<RelationshipEntry, Malformed> {
    let (id, kind, source, target) = (read.u64()?, read.u32()?, read.u64()?, read.u64()?);
    let ends = (kind != u32::MAX).then_some((kind, source, target));
    Ok(RelationshipEntry { id, ends, properties: properties(read)? })
}

fn properties(read: &mut Read<'_>) -> Result<Vec<(u32, Value)>, Malformed> {
    let many = read.count(5)?;
    (0..many).map(|_| Ok((read.u32()?, read.value(0)?))).collect()
}

fn names(read: &mut Read<'_>) -> Result<Vec<String>, Malformed> {
    let many = read.count(4)?;
    (0..many).map(|_| read.text().map(str::to_owned)).collect()
}
