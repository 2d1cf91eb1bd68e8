//! How a document is looked at: the one interface between its storage and those who read it.
//!
//! Path evaluation and writing of replies need to know what a value is and what is in it, never
//! how it is stored. This file must not mention cells, offsets or shapes.

use std::fmt;
use std::ops::Deref;

/// What a value is. Whole numbers and numbers with a fraction are told apart, as `2` and `2.0`
/// have different types to clients.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Kind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool,
    /// A whole number of 64 bits, signed or not.
    Integer,
    /// Any other number, in double precision.
    Number,
    /// Text.
    String,
    /// A sequence.
    Array,
    /// Members in the order in which they were inserted.
    Object,
}

/// A number.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Num {
    /// A whole number.
    I64(i64),
    /// A whole number above `i64::MAX`.
    U64(u64),
    /// A finite number in double precision.
    F64(f64),
}

impl Num {
    /// The number in double precision, rounded if it must be.
    #[inline]
    #[must_use]
    pub fn as_f64(self) -> f64 {
        match self {
            Num::I64(value) => value as f64,
            Num::U64(value) => value as f64,
            Num::F64(value) => value,
        }
    }
}

/// A value to be looked at; cheap to copy.
pub trait Tree<'a>: Copy + 'a {
    /// What it is. O(1).
    fn kind(self) -> Kind;
    /// The truth value, of `true` and `false`.
    fn as_bool(self) -> Option<bool>;
    /// The number, of numbers.
    fn as_num(self) -> Option<Num>;
    /// The text, of strings.
    fn as_str(self) -> Option<Text<'a>>;
    /// How many members or elements there are; 0 for scalars. O(1).
    fn len(self) -> usize;
    /// Whether there are no members or elements. O(1).
    fn is_empty(self) -> bool {
        self.len() == 0
    }
    /// The position and value of a member, of objects. O(1) expected.
    fn member(self, name: &str) -> Option<(usize, Self)>;
    /// The value of a member, of objects. O(1) expected.
    #[inline]
    fn get(self, name: &str) -> Option<Self> {
        Some(self.member(name)?.1)
    }
    /// The element of an array, or the value of the member of an object, at a position. O(1), or
    /// O(log n) in an object of more than a hundred members that has lost some.
    fn at(self, index: usize) -> Option<Self>;
    /// The name of the member at a position, of objects. As [`at`](Tree::at).
    fn name_at(self, index: usize) -> Option<&'a str>;
}

/// A text that is borrowed, or so short that it is carried along.
#[derive(Clone, Copy)]
pub struct Text<'a>(Carried<'a>);

#[derive(Clone, Copy)]
enum Carried<'a> {
    Borrowed(&'a str),
    Inline([u8; 7], u8),
}

impl<'a> Text<'a> {
    /// A text that is borrowed.
    #[must_use]
    pub fn borrowed(text: &'a str) -> Text<'a> {
        Text(Carried::Borrowed(text))
    }

    /// A copy of a text of up to 7 bytes; `None` if it is longer.
    #[must_use]
    pub fn inline(text: &str) -> Option<Text<'a>> {
        let mut bytes = [0; 7];
        bytes.get_mut(..text.len())?.copy_from_slice(text.as_bytes());
        Some(Text(Carried::Inline(bytes, u8::try_from(text.len()).ok()?)))
    }
}

impl<'a> From<&'a str> for Text<'a> {
    fn from(text: &'a str) -> Self {
        Text(Carried::Borrowed(text))
    }
}

impl Deref for Text<'_> {
    type Target = str;

    #[inline]
    fn deref(&self) -> &str {
        match &self.0 {
            Carried::Borrowed(text) => text,
            Carried::Inline(bytes, len) => {
                std::str::from_utf8(&bytes[..usize::from(*len)]).unwrap_or_default()
            }
        }
    }
}

impl PartialEq for Text<'_> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Text<'_> {}

impl PartialEq<str> for Text<'_> {
    fn eq(&self, other: &str) -> bool {
        **self == *other
    }
}

impl PartialEq<&str> for Text<'_> {
    fn eq(&self, other: &&str) -> bool {
        **self == **other
    }
}

impl fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}
