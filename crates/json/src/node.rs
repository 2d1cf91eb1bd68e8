//! A place in a value, to be looked at.

use std::fmt;

use crate::cell::{Cell, tag};
use crate::packed::Element;
use crate::tree::{Kind, Num, Text, Tree};
use crate::value::Value;

/// A reference to a value or to a part of one; cheap to copy.
#[derive(Clone, Copy)]
pub struct Node<'a> {
    pub(crate) home: &'a Value,
    pub(crate) what: Seen,
}

#[derive(Clone, Copy)]
pub(crate) enum Seen {
    /// A cell, and where it is.
    Cell(Cell, u32),
    /// An element of a packed array, which is no cell.
    Num(Num),
    /// One of singles, which are shown with as many digits as tell them apart.
    Single(f32),
}

/// An element of a packed array.
fn seen(element: Element, bytes: &[u8]) -> Seen {
    match (element, bytes.try_into()) {
        (Element::Single, Ok(bytes)) => Seen::Single(f32::from_le_bytes(bytes)),
        _ => Seen::Num(element.read(bytes)),
    }
}

impl<'a> Node<'a> {
    #[inline]
    pub(crate) fn new(home: &'a Value, at: usize) -> Node<'a> {
        Node { home, what: Seen::Cell(home.arena.cell(at), crate::arena::word(at)) }
    }

    #[inline]
    pub(crate) fn cell(self) -> Option<Cell> {
        match self.what {
            Seen::Cell(cell, _) => Some(cell),
            Seen::Num(_) | Seen::Single(_) => None,
        }
    }

    /// The text of a string as bytes, which are valid UTF-8, and whether JSON writes it as it is.
    #[inline]
    pub(crate) fn text(self) -> Option<(&'a [u8], bool)> {
        let Seen::Cell(cell, at) = self.what else { return None };
        matches!(cell.tag(), tag::SHORT | tag::STRING | tag::PAGED)
            .then(|| self.home.text(at as usize))
    }

    /// The bytes of a string, of strings. Cheaper than [`Tree::as_str`].
    #[inline]
    #[must_use]
    pub fn as_bytes(self) -> Option<&'a [u8]> {
        self.text().map(|(text, _)| text)
    }

    /// What is at a location: a position in each container on the way. O(depth).
    #[inline]
    #[must_use]
    pub fn descend(self, location: &[usize]) -> Option<Node<'a>> {
        location.iter().try_fold(self, |node, &position| node.at(position))
    }

    /// Whether two values are equal: numbers by value and type, objects whatever the order of
    /// their members. O(n).
    #[must_use]
    pub fn equals(self, other: Node<'_>) -> bool {
        if self.kind() != other.kind() || self.len() != other.len() {
            return false;
        }
        match self.kind() {
            Kind::Null => true,
            Kind::Bool => self.as_bool() == other.as_bool(),
            Kind::Integer | Kind::Number => self.as_num() == other.as_num(),
            Kind::String => self.as_bytes() == other.as_bytes(),
            Kind::Array => (0..self.len()).all(|index| match (self.at(index), other.at(index)) {
                (Some(mine), Some(theirs)) => mine.equals(theirs),
                _ => false,
            }),
            Kind::Object => (0..self.len()).all(|index| {
                let theirs = self.name_at(index).and_then(|name| other.member(name));
                matches!((self.at(index), theirs), (Some(a), Some((_, b))) if a.equals(b))
            }),
        }
    }
}

impl<'a> Tree<'a> for Node<'a> {
    #[inline]
    fn kind(self) -> Kind {
        let cell = match self.what {
            Seen::Cell(cell, _) => cell,
            Seen::Num(Num::F64(_)) | Seen::Single(_) => return Kind::Number,
            Seen::Num(_) => return Kind::Integer,
        };
        match cell.tag() {
            tag::LITERAL => match cell {
                Cell::FALSE | Cell::TRUE => Kind::Bool,
                Cell::EMPTY_ARRAY => Kind::Array,
                Cell::EMPTY_OBJECT => Kind::Object,
                _ => Kind::Null,
            },
            tag::INT | tag::I64 | tag::U64 => Kind::Integer,
            tag::DECIMAL | tag::F64 => Kind::Number,
            tag::SHORT | tag::STRING | tag::PAGED => Kind::String,
            tag::ARRAY | tag::ROOMY | tag::PACKED | tag::ROOMY_PACKED => Kind::Array,
            _ => Kind::Object,
        }
    }

    #[inline]
    fn as_bool(self) -> Option<bool> {
        match self.cell()? {
            Cell::TRUE => Some(true),
            Cell::FALSE => Some(false),
            _ => None,
        }
    }

    #[inline]
    fn as_num(self) -> Option<Num> {
        match self.what {
            Seen::Cell(cell, _) => self.home.num(cell),
            Seen::Num(num) => Some(num),
            Seen::Single(single) => Some(Num::F64(f64::from(single))),
        }
    }

    #[inline]
    fn as_str(self) -> Option<Text<'a>> {
        let (text, _) = self.text()?;
        Some(Text::from(std::str::from_utf8(text).unwrap_or_default()))
    }

    #[inline]
    fn len(self) -> usize {
        let Some(cell) = self.cell() else { return 0 };
        match self.home.arena.seq(cell) {
            Some(seq) => seq.len,
            None => self.home.arena.object(cell).map_or(0, |object| object.len),
        }
    }

    #[inline]
    fn member(self, name: &str) -> Option<(usize, Self)> {
        let object = self.home.arena.object(self.cell()?)?;
        let entry = self.home.find(&object, name.as_bytes())?;
        let value = Node::new(self.home, object.value(entry));
        Some((self.home.position_of(&object, entry), value))
    }

    #[inline]
    fn get(self, name: &str) -> Option<Self> {
        let object = self.home.arena.object(self.cell()?)?;
        let entry = self.home.find(&object, name.as_bytes())?;
        Some(Node::new(self.home, object.value(entry)))
    }

    #[inline]
    fn at(self, index: usize) -> Option<Self> {
        let cell = self.cell()?;
        if let Some(seq) = self.home.arena.seq(cell) {
            if index >= seq.len {
                return None;
            }
            if seq.element == crate::packed::Element::Cell {
                return Some(Node::new(self.home, seq.at(index)));
            }
            let bytes = self.home.arena.bytes(seq.at(index), seq.element.width());
            return Some(Node { home: self.home, what: seen(seq.element, bytes) });
        }
        let object = self.home.arena.object(cell)?;
        let entry = self.home.entry_at(&object, index)?;
        Some(Node::new(self.home, object.value(entry)))
    }

    #[inline]
    fn name_at(self, index: usize) -> Option<&'a str> {
        let object = self.home.arena.object(self.cell()?)?;
        let entry = self.home.entry_at(&object, index)?;
        Some(match object.form {
            crate::layout::Form::Shaped(place) => self.home.shape(place)?.name(entry),
            _ => std::str::from_utf8(self.home.name(&object, entry)).unwrap_or_default(),
        })
    }
}

/// As JSON.
impl fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::new();
        self.write(&mut text);
        f.write_str(&String::from_utf8_lossy(&text))
    }
}
