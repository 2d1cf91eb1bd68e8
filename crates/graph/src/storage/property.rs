//! A value as it is stored.
//!
//! What is not a number, a text or a truth value (lists, points, times, vectors) is stored as the
//! bytes in which the language's values encode themselves: the storage compares and copies them,
//! and no more. So nothing here nests.

use std::mem::discriminant;

use base::codec::{Malformed, Source, put_bytes};

/// A value of a property.
#[derive(Clone, Debug, Default)]
pub enum Property {
    /// There is none.
    #[default]
    Null,
    /// True or false.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// A number.
    Float(f64),
    /// A text.
    Text(Box<str>),
    /// Anything else, as bytes that say what it is.
    Encoded(Box<[u8]>),
}

/// A value of a property, where it lies.
#[derive(Clone, Copy, Debug)]
pub enum PropertyRef<'a> {
    /// There is none.
    Null,
    /// True or false.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// A number.
    Float(f64),
    /// A text.
    Text(&'a str),
    /// Anything else, as bytes that say what it is.
    Encoded(&'a [u8]),
}

impl Property {
    /// It, to read.
    #[must_use]
    pub fn as_ref(&self) -> PropertyRef<'_> {
        match self {
            Property::Null => PropertyRef::Null,
            Property::Bool(flag) => PropertyRef::Bool(*flag),
            Property::Integer(number) => PropertyRef::Integer(*number),
            Property::Float(number) => PropertyRef::Float(*number),
            Property::Text(text) => PropertyRef::Text(text),
            Property::Encoded(bytes) => PropertyRef::Encoded(bytes),
        }
    }

    /// Bytes of heap that it takes.
    #[must_use]
    pub fn memory(&self) -> usize {
        match self {
            Property::Text(text) => table::size_class(text.len()),
            Property::Encoded(bytes) => table::size_class(bytes.len()),
            _ => 0,
        }
    }
}

/// How much there is to go through in a text: 16 bytes are one, and its head.
#[must_use]
pub fn text_units(text: &str) -> u32 {
    u32::try_from(text.len() / 16).map_or(u32::MAX, |units| units + 1)
}

impl<'a> PropertyRef<'a> {
    /// A copy of it.
    #[must_use]
    pub fn to_property(self) -> Property {
        match self {
            PropertyRef::Null => Property::Null,
            PropertyRef::Bool(flag) => Property::Bool(flag),
            PropertyRef::Integer(number) => Property::Integer(number),
            PropertyRef::Float(number) => Property::Float(number),
            PropertyRef::Text(text) => Property::Text(text.into()),
            PropertyRef::Encoded(bytes) => Property::Encoded(bytes.into()),
        }
    }

    /// How much there is to go through when it is read: 16 bytes of text are one, and each byte of
    /// what is encoded may be a value. O(1).
    #[must_use]
    pub fn units(&self) -> u32 {
        match self {
            PropertyRef::Text(text) => text_units(text),
            PropertyRef::Encoded(bytes) => u32::try_from(bytes.len()).unwrap_or(u32::MAX),
            _ => 1,
        }
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self, PropertyRef::Null)
    }

    /// Reads what [`put`](Self::put) has appended, where it lies.
    ///
    /// # Errors
    /// It is something else.
    pub(super) fn take(source: &mut Source<'a>) -> Result<Self, Malformed> {
        Ok(match source.byte()? {
            0 => PropertyRef::Null,
            flag @ 1..=2 => PropertyRef::Bool(flag == 2),
            3 => PropertyRef::Integer(source.fixed_u64()?.cast_signed()),
            4 => PropertyRef::Float(f64::from_bits(source.fixed_u64()?)),
            5 => {
                let text = std::str::from_utf8(source.bytes()?);
                PropertyRef::Text(text.map_err(|_| Malformed("a text is no UTF-8"))?)
            }
            6 => PropertyRef::Encoded(source.bytes()?),
            _ => return Err(Malformed("an unknown kind of property")),
        })
    }

    /// Appends it, as [`take`](Property::take) reads it.
    pub fn put(self, out: &mut Vec<u8>) {
        match self {
            PropertyRef::Null => out.push(0),
            PropertyRef::Bool(flag) => out.push(1 + u8::from(flag)),
            PropertyRef::Integer(number) => {
                out.push(3);
                out.extend(number.to_le_bytes());
            }
            PropertyRef::Float(number) => {
                out.push(4);
                out.extend(number.to_bits().to_le_bytes());
            }
            PropertyRef::Text(text) => {
                out.push(5);
                put_bytes(out, text.as_bytes());
            }
            PropertyRef::Encoded(bytes) => {
                out.push(6);
                put_bytes(out, bytes);
            }
        }
    }
}

/// The same to the bit: floats too, of which `-0.0` and `0.0` are two, and a NaN is itself.
impl PartialEq for PropertyRef<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (PropertyRef::Bool(one), PropertyRef::Bool(other)) => one == other,
            (PropertyRef::Integer(one), PropertyRef::Integer(other)) => one == other,
            (PropertyRef::Float(one), PropertyRef::Float(other)) => {
                one.to_bits() == other.to_bits()
            }
            (PropertyRef::Text(one), PropertyRef::Text(other)) => one == other,
            (PropertyRef::Encoded(one), PropertyRef::Encoded(other)) => one == other,
            _ => discriminant(self) == discriminant(other),
        }
    }
}

impl PartialEq for Property {
    fn eq(&self, other: &Self) -> bool {
        self.as_ref() == other.as_ref()
    }
}

impl Property {
    /// Reads what [`put`](PropertyRef::put) has appended.
    ///
    /// # Errors
    /// It is something else.
    pub fn take(source: &mut Source<'_>) -> Result<Self, Malformed> {
        PropertyRef::take(source).map(PropertyRef::to_property)
    }
}
