//! Values that stand in a path: `'a'`, `1.5`, `[1, 2]`, `{"x": 1}`.
//!
//! A literal is a [`Tree`] like any document, so that one comparison serves both. Members keep the
//! order in which they were written; a sorted index beside them finds one in O(log n), so that
//! comparing a large literal object with a large object stays linear.

use crate::tree::{Kind, Num, Text, Tree};

/// A value written in a path.
#[derive(Clone, Debug)]
pub enum Literal {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Num(Num),
    /// A string.
    Str(Box<str>),
    /// An array.
    Array(Vec<Literal>),
    /// An object.
    Object(Members),
}

/// The members of a literal object, in written order.
#[derive(Clone, Debug)]
pub struct Members {
    members: Vec<(Box<str>, Literal)>,
    /// Positions in `members`, by name.
    by_name: Vec<u32>,
}

impl Members {
    /// Of members that were written one after another; the last of one name counts.
    pub(super) fn new(written: Vec<(Box<str>, Literal)>) -> Members {
        let positions = |count: usize| 0..u32::try_from(count).unwrap_or(u32::MAX);
        let mut order: Vec<u32> = positions(written.len()).collect();
        let name = |at: u32| written.get(at as usize).map(|(name, _)| &**name);
        order.sort_by(|a, b| name(*a).cmp(&name(*b)).then(b.cmp(a)));
        order.dedup_by(|later, kept| name(*later) == name(*kept));
        let mut keep = vec![false; written.len()];
        for at in order {
            keep[at as usize] = true;
        }
        let mut kept = keep.into_iter();
        let members: Vec<_> =
            written.into_iter().filter(|_| kept.next().unwrap_or_default()).collect();
        let mut by_name: Vec<u32> = positions(members.len()).collect();
        by_name.sort_by_key(|&at| members.get(at as usize).map(|(name, _)| name));
        Members { members, by_name }
    }

    fn find(&self, name: &str) -> Option<(usize, &Literal)> {
        let of = |at: &u32| self.members.get(*at as usize);
        let place = self
            .by_name
            .binary_search_by(|at| of(at).map(|(name, _)| &**name).cmp(&Some(name)))
            .ok()?;
        let at = *self.by_name.get(place)?;
        Some((at as usize, &of(&at)?.1))
    }
}

impl Literal {
    /// Bytes on the heap, roughly.
    pub(super) fn memory(&self) -> usize {
        let inside = match self {
            Literal::Str(text) => text.len(),
            Literal::Array(items) => items.iter().map(Literal::memory).sum(),
            Literal::Object(members) => {
                members.members.iter().map(|(name, value)| name.len() + 24 + value.memory()).sum()
            }
            _ => 0,
        };
        inside + size_of::<Literal>()
    }
}

impl<'a> Tree<'a> for &'a Literal {
    fn kind(self) -> Kind {
        match self {
            Literal::Null => Kind::Null,
            Literal::Bool(_) => Kind::Bool,
            Literal::Num(Num::F64(_)) => Kind::Number,
            Literal::Num(_) => Kind::Integer,
            Literal::Str(_) => Kind::String,
            Literal::Array(_) => Kind::Array,
            Literal::Object(_) => Kind::Object,
        }
    }

    fn as_bool(self) -> Option<bool> {
        match self {
            Literal::Bool(value) => Some(*value),
            _ => None,
        }
    }

    fn as_num(self) -> Option<Num> {
        match self {
            Literal::Num(value) => Some(*value),
            _ => None,
        }
    }

    fn as_str(self) -> Option<Text<'a>> {
        match self {
            Literal::Str(text) => Some(Text::borrowed(text)),
            _ => None,
        }
    }

    fn len(self) -> usize {
        match self {
            Literal::Array(items) => items.len(),
            Literal::Object(members) => members.members.len(),
            _ => 0,
        }
    }

    fn member(self, name: &str) -> Option<(usize, Self)> {
        match self {
            Literal::Object(members) => members.find(name),
            _ => None,
        }
    }

    fn at(self, index: usize) -> Option<Self> {
        match self {
            Literal::Array(items) => items.get(index),
            Literal::Object(members) => members.members.get(index).map(|(_, value)| value),
            _ => None,
        }
    }

    fn name_at(self, index: usize) -> Option<&'a str> {
        match self {
            Literal::Object(members) => members.members.get(index).map(|(name, _)| &**name),
            _ => None,
        }
    }
}
