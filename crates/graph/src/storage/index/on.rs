//! What an index or a constraint is on, and the list of both.

use base::codec::{Malformed, Source, put_number};
use blocks::Block;

use super::super::{Entity, KeyId, LabelId, Refused, TypeId, vec_bytes};

/// Most properties of an index or a constraint.
pub const MOST_KEYS: usize = 16;

/// Whose properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// Those of nodes with a label.
    Label(LabelId),
    /// Those of edges of a type.
    Type(TypeId),
}

impl Of {
    /// The node or the edge with a number.
    #[must_use]
    pub fn entity(self, id: u32) -> Entity {
        match self {
            Of::Label(_) => Entity::Node(id),
            Of::Type(_) => Entity::Edge(id),
        }
    }
}

/// What an index or a constraint is on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct On {
    /// Whose properties.
    pub of: Of,
    /// Which properties.
    pub keys: Box<[KeyId]>,
}

impl On {
    /// On these properties.
    #[must_use]
    pub fn new(of: Of, keys: &[KeyId]) -> On {
        On { of, keys: keys.into() }
    }

    /// Whether both are on the same properties, in whatever order.
    #[must_use]
    pub fn is_same_set(&self, other: &On) -> bool {
        self.of == other.of
            && self.keys.len() == other.keys.len()
            && self.keys.iter().all(|key| other.keys.contains(key))
    }

    /// Whether there can be such a one: with some properties, none of them twice.
    pub(super) fn is_fit(&self) -> bool {
        let differ = |(at, key)| !self.keys[..at].contains(key);
        (1..=MOST_KEYS).contains(&self.keys.len()) && self.keys.iter().enumerate().all(differ)
    }

    /// Bytes of heap that it takes.
    #[must_use]
    pub fn memory(&self) -> usize {
        table::size_class(size_of_val(&*self.keys))
    }

    /// Appends it, as [`take`](Self::take) reads it.
    pub fn put(&self, out: &mut Vec<u8>) {
        let (kind, number) = match self.of {
            Of::Label(label) => (0, label),
            Of::Type(kind) => (1, kind),
        };
        out.push(kind);
        put_number(out, number.into());
        put_number(out, self.keys.len() as u64);
        self.keys.iter().for_each(|&key| put_number(out, key.into()));
    }

    /// Reads what [`put`](Self::put) has appended.
    ///
    /// # Errors
    /// It is something else.
    pub fn take(source: &mut Source<'_>) -> Result<On, Malformed> {
        let of = match source.byte()? {
            0 => Of::Label(number(source)?),
            1 => Of::Type(number(source)?),
            _ => return Err(Malformed("an index on nothing")),
        };
        let count = source.length()?;
        let keys = (0..count).map(|_| number(source)).collect::<Result<Vec<_>, _>>()?;
        Ok(On { of, keys: keys.into() })
    }
}

fn number(source: &mut Source<'_>) -> Result<u16, Malformed> {
    u16::try_from(source.number()?).map_err(|_| Malformed("a number is too large"))
}

/// Why an index or a constraint was not made or removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rejected {
    /// There is no such index or constraint, or no such label, type or property.
    Missing,
    /// There is such a one already.
    Exists,
    /// There can be none: it is on no property, on one twice, or on too many.
    Unfit,
    /// A constraint needs the index.
    Needed,
    /// There is no whole index on the properties of a constraint of uniqueness.
    NoIndex,
}

/// Where the changes of another graph are applied, this one differs.
impl From<Rejected> for Refused {
    fn from(rejected: Rejected) -> Refused {
        match rejected {
            Rejected::Missing => Refused::Missing,
            _ => Refused::Differs,
        }
    }
}

/// What a constraint asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstraintKind {
    /// No two have the same values. One that lacks a value, or has a list among them, counts not.
    Unique,
    /// All have the properties.
    Mandatory,
}

/// A constraint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraint {
    /// What it asks.
    pub kind: ConstraintKind,
    /// Of what.
    pub on: On,
}

impl Constraint {
    /// Whether both ask the same.
    #[must_use]
    pub fn is_same(&self, other: &Constraint) -> bool {
        self.kind == other.kind && self.on.is_same_set(&other.on)
    }

    /// Appends it, as [`take`](Self::take) reads it.
    pub fn put(&self, out: &mut Vec<u8>) {
        out.push(u8::from(self.kind == ConstraintKind::Mandatory));
        self.on.put(out);
    }

    /// Reads what [`put`](Self::put) has appended.
    ///
    /// # Errors
    /// It is something else.
    pub fn take(source: &mut Source<'_>) -> Result<Constraint, Malformed> {
        let kind = match source.byte()? {
            0 => ConstraintKind::Unique,
            1 => ConstraintKind::Mandatory,
            _ => return Err(Malformed("an unknown kind of constraint")),
        };
        Ok(Constraint { kind, on: On::take(source)? })
    }
}

/// The indexes and constraints of a graph, in order of creation.
#[derive(Clone, Default)]
pub(crate) struct Schema {
    pub indexes: Vec<On>,
    pub constraints: Vec<Constraint>,
}

impl Block for Schema {
    fn memory(&self) -> usize {
        let heap = self.indexes.iter().chain(self.constraints.iter().map(|all| &all.on));
        vec_bytes(&self.indexes)
            + vec_bytes(&self.constraints)
            + heap.map(On::memory).sum::<usize>()
    }
}
