//! What the blocks of containers look like.
//!
//! ```text
//!   ARRAY          | length | cell | cell | …
//!   ROOMY          | length | capacity | cell | … room
//!   PACKED         | length, 24 bits; kind, 8 bits | number | …      1 to 8 bytes each
//!   ROOMY_PACKED   | length | capacity | kind | number | … room
//!   SHAPED         | length, 8 bits; shape's place in the list, 24 bits | value | …
//!   PAIRS          | length | name | value | …
//!   TABLE          | length | used | capacity | index | ranks | name | value | … room
//!     index        | slots | taken | 0: free, 1: was deleted, n + 2: entry n; 1, 2 or 4 bytes
//!     ranks        | how many of the entries before 0, 64, 128, … are left |
//! ```
//!
//! A member deleted from a table leaves a hole, so that the others keep their order and nothing
//! moves; ranks, there only while there are holes, turn positions into entries and back. Entries
//! are moved together when half of them are holes.
//!
//! This file only says where things are; it must not change them.

use crate::arena::{Arena, padded};
use crate::cell::{Cell, tag};
use crate::packed::Element;

/// Where an array is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seq {
    /// Where the block begins.
    pub head: usize,
    /// How the elements are kept.
    pub element: Element,
    pub len: usize,
    pub cap: usize,
    /// Where the elements begin.
    pub data: usize,
}

impl Seq {
    /// Where an element is.
    #[inline]
    pub fn at(&self, index: usize) -> usize {
        self.data + index * self.element.width()
    }

    /// Bytes of the block.
    pub fn block(&self) -> usize {
        padded(self.at(self.cap) - self.head)
    }
}

/// Where an object is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Object {
    /// Where the block begins.
    pub head: usize,
    pub form: Form,
    /// Members that are there.
    pub len: usize,
    /// Entries in use, with holes.
    pub used: usize,
    /// Where the entries begin.
    pub data: usize,
}

/// How an object is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    /// Values only; the names are in the document's list at this place.
    Shaped(usize),
    /// Names and values.
    Pairs,
    /// Names and values, with an index and, if it is not 0, ranks.
    Table { cap: usize, index: usize, ranks: usize },
}

/// Words in front of the entries of a table.
pub(crate) const TABLE_HEAD: usize = 5;
/// How many entries share a rank.
pub(crate) const GROUP: usize = 64;

impl Object {
    /// Where the value of an entry is.
    #[inline]
    pub fn value(&self, entry: usize) -> usize {
        match self.form {
            Form::Shaped(_) => self.data + entry * 4,
            Form::Pairs | Form::Table { .. } => self.data + entry * 8 + 4,
        }
    }

    /// Where the name of an entry is, unless a shape has it.
    #[inline]
    pub fn name(&self, entry: usize) -> usize {
        self.data + entry * 8
    }

    /// Bytes of the block, without index and ranks.
    pub fn block(&self) -> usize {
        match self.form {
            Form::Shaped(_) => 4 + self.len * 4,
            Form::Pairs => 4 + self.len * 8,
            Form::Table { cap, .. } => TABLE_HEAD * 4 + cap * 8,
        }
    }
}

/// Bytes of the ranks of a table.
pub(crate) fn ranks_block(cap: usize) -> usize {
    cap.div_ceil(GROUP) * 4
}

impl Arena {
    #[inline]
    pub fn cell(&self, at: usize) -> Cell {
        Cell(self.word(at))
    }

    #[inline]
    pub fn set_cell(&mut self, at: usize, cell: Cell) {
        self.set_word(at, cell.0);
    }

    /// The array that `cell` points to; `None` if it is something else, or empty.
    #[inline]
    pub fn seq(&self, cell: Cell) -> Option<Seq> {
        let head = cell.offset();
        let seq = match cell.tag() {
            tag::ARRAY => {
                let len = self.word(head) as usize;
                Seq { head, element: Element::Cell, len, cap: len, data: head + 4 }
            }
            tag::ROOMY => {
                let (len, cap) = (self.word(head) as usize, self.word(head + 4) as usize);
                Seq { head, element: Element::Cell, len, cap, data: head + 8 }
            }
            tag::PACKED => {
                let word = self.word(head);
                let (len, element) = ((word >> 8) as usize, Element::from_code(word & 255));
                Seq { head, element, len, cap: len, data: head + 4 }
            }
            tag::ROOMY_PACKED => {
                let (len, cap) = (self.word(head) as usize, self.word(head + 4) as usize);
                let element = Element::from_code(self.word(head + 8));
                Seq { head, element, len, cap, data: head + 12 }
            }
            _ => return None,
        };
        Some(seq)
    }

    /// The object that `cell` points to; `None` if it is something else, or empty.
    #[inline]
    pub fn object(&self, cell: Cell) -> Option<Object> {
        let head = cell.offset();
        let object = match cell.tag() {
            tag::SHAPED => {
                let word = self.word(head);
                let (len, form) = ((word & 255) as usize, Form::Shaped((word >> 8) as usize));
                Object { head, form, len, used: len, data: head + 4 }
            }
            tag::PAIRS => {
                let len = self.word(head) as usize;
                Object { head, form: Form::Pairs, len, used: len, data: head + 4 }
            }
            tag::TABLE => {
                let [len, used, cap, index, ranks] =
                    [0, 4, 8, 12, 16].map(|word| self.word(head + word) as usize);
                let form = Form::Table { cap, index, ranks };
                Object { head, form, len, used, data: head + TABLE_HEAD * 4 }
            }
            _ => return None,
        };
        Some(object)
    }

    /// The values in a container, in order. Not for packed arrays, whose elements are no cells.
    #[inline]
    pub fn children(&self, cell: Cell) -> Children {
        if let Some(seq) = self.seq(cell) {
            let len = if seq.element == Element::Cell { seq.len } else { 0 };
            return Children { at: seq.data, left: len, stride: 4 };
        }
        if let Some(object) = self.object(cell) {
            let stride = if matches!(object.form, Form::Shaped(_)) { 4 } else { 8 };
            return Children { at: object.value(0), left: object.used, stride };
        }
        Children { at: 0, left: 0, stride: 0 }
    }

    /// Gives up everything that only `cell` leads to. O(what that is).
    pub fn give_up_value(&mut self, cell: Cell) {
        let mut children = self.children(cell);
        while let Some(at) = children.next() {
            self.give_up_value(self.cell(at));
        }
        if let Some(object) = self.object(cell) {
            if object.form == Form::Pairs || matches!(object.form, Form::Table { .. }) {
                for entry in 0..object.used {
                    self.give_up_value(self.cell(object.name(entry)));
                }
            }
            self.give_up_table(object);
        }
        self.give_up_block(cell);
    }

    /// Gives up index and ranks of an object.
    pub fn give_up_table(&mut self, object: Object) {
        if let Form::Table { cap, index, ranks } = object.form {
            if ranks != 0 {
                self.give_up(ranks, ranks_block(cap));
            }
            self.give_up(index, self.index_block(index, cap));
        }
    }

    /// Gives up the block of `cell` alone.
    pub fn give_up_block(&mut self, cell: Cell) {
        let len = self.block_of(cell);
        if len > 0 {
            self.give_up(cell.offset(), len);
        }
    }

    /// Bytes of the block of `cell`; 0 if it has none.
    fn block_of(&self, cell: Cell) -> usize {
        match cell.tag() {
            tag::STRING => Arena::text_block(self.text_at(cell.offset()).1),
            tag::F64 | tag::I64 | tag::U64 => 8,
            _ => {
                let seq = self.seq(cell).map(|seq| seq.block());
                seq.or_else(|| self.object(cell).map(|object| object.block())).unwrap_or(0)
            }
        }
    }

    /// Bytes of all blocks that `cell` leads to. O(what that is).
    pub fn live(&self, cell: Cell) -> usize {
        let mut bytes = self.block_of(cell);
        let mut children = self.children(cell);
        while let Some(at) = children.next() {
            bytes += self.live(self.cell(at));
        }
        let Some(object) = self.object(cell) else { return bytes };
        if object.form == Form::Pairs || matches!(object.form, Form::Table { .. }) {
            let names = (0..object.used).map(|entry| self.cell(object.name(entry)));
            bytes += names.map(|name| self.block_of(name)).sum::<usize>();
        }
        if let Form::Table { cap, index, ranks } = object.form {
            bytes += self.index_block(index, cap);
            bytes += if ranks == 0 { 0 } else { ranks_block(cap) };
        }
        bytes
    }

    /// Bytes of the index at `index` of a table with room for `cap` entries.
    pub fn index_block(&self, index: usize, cap: usize) -> usize {
        padded(8 + self.word(index) as usize * slot_width(cap))
    }
}

/// Bytes of a slot of the index of a table with room for `cap` entries.
#[inline]
pub(crate) fn slot_width(cap: usize) -> usize {
    match cap {
        0..254 => 1,
        254..65_534 => 2,
        _ => 4,
    }
}

/// Where the values in a container are; see [`Arena::children`].
#[derive(Clone, Copy)]
pub(crate) struct Children {
    at: usize,
    left: usize,
    stride: usize,
}

impl Children {
    /// Where the next is. Not an iterator, which would need a copy to look at the arena beside it.
    #[inline]
    pub fn next(&mut self) -> Option<usize> {
        self.left = self.left.checked_sub(1)?;
        let at = self.at;
        self.at += self.stride;
        Some(at)
    }
}
