//! Changes as data: what a journal holds, and what another graph applies to become the same.

use base::codec::{Malformed, Source, put_bytes, put_number};

use super::graph::Graph;
use super::index::{Constraint, ConstraintKind, On};
use super::segment::Ends;
use super::{EdgeId, Entity, KeyId, LabelId, NodeId, Property, Refused};

/// One change. Numbers of what is new are those that the graph gives next.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// A label was used for the first time.
    NewLabel(Box<str>),
    /// A type of edges was used for the first time.
    NewType(Box<str>),
    /// A name of a property was used for the first time.
    NewKey(Box<str>),
    /// A node was made.
    CreateNode {
        /// Its number.
        id: NodeId,
        /// Its labels.
        labels: Box<[LabelId]>,
    },
    /// A node was removed, which had no edges.
    DeleteNode(NodeId),
    /// A node got a label.
    AddLabel(NodeId, LabelId),
    /// A node lost a label.
    RemoveLabel(NodeId, LabelId),
    /// An edge was made.
    CreateEdge {
        /// Its number.
        id: EdgeId,
        /// What it connects.
        ends: Ends,
    },
    /// An edge was removed.
    DeleteEdge(EdgeId),
    /// A property was set, or taken away by null.
    Set(Entity, KeyId, Property),
    /// An index was made.
    CreateIndex(On),
    /// An index was removed.
    DropIndex(On),
    /// A constraint was made.
    CreateConstraint(Constraint),
    /// A constraint was removed.
    DropConstraint(Constraint),
}

impl Graph {
    /// Makes a change of another graph here, too. It is not noted among the changes of this one.
    /// An index is to be built then ([`build_indexes`](Self::build_indexes)), but for one that a
    /// constraint needs: that is whole from the constraint on.
    ///
    /// # Errors
    /// The graphs were not the same before.
    pub fn apply(&mut self, change: &Change) -> Result<(), Refused> {
        let same = |is_same: bool| if is_same { Ok(()) } else { Err(Refused::Differs) };
        let mut left = None;
        self.edit(|view, ledger| match change {
            Change::NewLabel(name) => {
                same(view.label(name).is_none() && view.add_label_name(ledger, name).is_some())
            }
            Change::NewType(name) => {
                same(view.edge_type(name).is_none() && view.add_type_name(ledger, name).is_some())
            }
            Change::NewKey(name) => {
                same(view.key(name).is_none() && view.add_key_name(ledger, name).is_some())
            }
            Change::CreateNode { id, labels } => {
                same(view.nodes.next() == Some(*id))?;
                view.create_node(ledger, labels).map(drop)
            }
            Change::DeleteNode(id) => view.delete_node(ledger, *id),
            Change::AddLabel(id, label) => view.set_label(ledger, (*id, *label), true).map(drop),
            Change::RemoveLabel(id, label) => {
                view.set_label(ledger, (*id, *label), false).map(drop)
            }
            Change::CreateEdge { id, ends } => {
                same(view.edges.next() == Some(*id))?;
                view.create_edge(ledger, *ends).map(drop)
            }
            Change::DeleteEdge(id) => view.delete_edge(ledger, *id).map(drop),
            Change::Set(entity, key, value) => {
                view.set_property(ledger, (*entity, *key), value.as_ref()).map(drop)
            }
            Change::CreateIndex(on) => Ok(view.create_index(ledger, on)?),
            Change::DropConstraint(constraint) => Ok(view.drop_constraint(ledger, constraint)?),
            Change::CreateConstraint(constraint) => {
                if constraint.kind == ConstraintKind::Unique {
                    view.build_indexes(ledger, usize::MAX);
                }
                Ok(view.add_constraint(ledger, constraint)?)
            }
            Change::DropIndex(on) => {
                left = Some(view.drop_index(ledger, on)?);
                Ok(())
            }
        })?;
        left.into_iter().for_each(|left| self.keep_dropped(left));
        Ok(())
    }
}

impl Change {
    /// Bytes of heap that it takes.
    #[must_use]
    pub fn memory(&self) -> usize {
        match self {
            Change::NewLabel(name) | Change::NewType(name) | Change::NewKey(name) => {
                table::size_class(name.len())
            }
            Change::CreateNode { labels, .. } => table::size_class(size_of_val(&**labels)),
            Change::Set(_, _, value) => value.memory(),
            Change::CreateIndex(on) | Change::DropIndex(on) => on.memory(),
            Change::CreateConstraint(it) | Change::DropConstraint(it) => it.on.memory(),
            _ => 0,
        }
    }

    /// Appends it, as [`take`](Self::take) reads it.
    pub fn put(&self, out: &mut Vec<u8>) {
        let mut head = |kind: u8, numbers: &[u32]| {
            out.push(kind);
            numbers.iter().for_each(|&number| put_number(out, number.into()));
        };
        match self {
            Change::NewLabel(_) => head(0, &[]),
            Change::NewType(_) => head(1, &[]),
            Change::NewKey(_) => head(2, &[]),
            // There are fewer labels than a number holds.
            Change::CreateNode { id, labels } => head(3, &[*id, labels.len() as u32]),
            Change::DeleteNode(id) => head(4, &[*id]),
            Change::AddLabel(id, label) => head(5, &[*id, (*label).into()]),
            Change::RemoveLabel(id, label) => head(6, &[*id, (*label).into()]),
            Change::CreateEdge { id, ends } => {
                head(7, &[*id, ends.kind.into(), ends.source, ends.target]);
            }
            Change::DeleteEdge(id) => head(8, &[*id]),
            Change::Set(Entity::Node(id), key, _) => head(9, &[*id, (*key).into()]),
            Change::Set(Entity::Edge(id), key, _) => head(10, &[*id, (*key).into()]),
            Change::CreateIndex(_) => head(11, &[]),
            Change::DropIndex(_) => head(12, &[]),
            Change::CreateConstraint(_) => head(13, &[]),
            Change::DropConstraint(_) => head(14, &[]),
        }
        match self {
            Change::NewLabel(name) | Change::NewType(name) | Change::NewKey(name) => {
                put_bytes(out, name.as_bytes());
            }
            Change::CreateNode { labels, .. } => {
                labels.iter().for_each(|&label| put_number(out, label.into()));
            }
            Change::Set(_, _, value) => value.as_ref().put(out),
            Change::CreateIndex(on) | Change::DropIndex(on) => on.put(out),
            Change::CreateConstraint(it) | Change::DropConstraint(it) => it.put(out),
            _ => {}
        }
    }

    /// Reads what [`put`](Self::put) has appended.
    ///
    /// # Errors
    /// It is something else.
    pub fn take(source: &mut Source<'_>) -> Result<Self, Malformed> {
        Ok(match source.byte()? {
            0 => Change::NewLabel(name(source)?),
            1 => Change::NewType(name(source)?),
            2 => Change::NewKey(name(source)?),
            3 => {
                let (id, count) = (id(source)?, source.length()?);
                // As many as are there, whatever the count says.
                let labels = (0..count).map(|_| small(source)).collect::<Result<Vec<_>, _>>()?;
                Change::CreateNode { id, labels: labels.into() }
            }
            4 => Change::DeleteNode(id(source)?),
            5 => Change::AddLabel(id(source)?, small(source)?),
            6 => Change::RemoveLabel(id(source)?, small(source)?),
            7 => {
                let (id, kind) = (id(source)?, small(source)?);
                let ends = Ends { kind, source: self::id(source)?, target: self::id(source)? };
                Change::CreateEdge { id, ends }
            }
            8 => Change::DeleteEdge(id(source)?),
            9 => Change::Set(Entity::Node(id(source)?), small(source)?, Property::take(source)?),
            10 => Change::Set(Entity::Edge(id(source)?), small(source)?, Property::take(source)?),
            11 => Change::CreateIndex(On::take(source)?),
            12 => Change::DropIndex(On::take(source)?),
            13 => Change::CreateConstraint(Constraint::take(source)?),
            14 => Change::DropConstraint(Constraint::take(source)?),
            _ => return Err(Malformed("an unknown kind of change")),
        })
    }
}

fn name(source: &mut Source<'_>) -> Result<Box<str>, Malformed> {
    let name = std::str::from_utf8(source.bytes()?);
    Ok(name.map_err(|_| Malformed("a name is no UTF-8"))?.into())
}

fn id(source: &mut Source<'_>) -> Result<u32, Malformed> {
    u32::try_from(source.number()?).map_err(|_| Malformed("a number is too large"))
}

fn small<T: TryFrom<u64>>(source: &mut Source<'_>) -> Result<T, Malformed> {
    T::try_from(source.number()?).map_err(|_| Malformed("a number is too large"))
}
