//! A value with everything in it: an arena, and what it shares with others.
//!
//! Made by parsing, by reading its binary form or by copying a part of another; looked at through
//! [`Node`]; changed by the functions of `edit.rs`. This file must not change anything.

use std::sync::Arc;

use table::size_class;

use crate::arena::Arena;
use crate::cell::{Cell, tag};
use crate::layout::{Form, GROUP, Object, slot_width};
use crate::node::Node;
use crate::shape::Shape;
use crate::shared::{Page, Shared, What};
use crate::tree::Num;

/// A JSON value that owns all that is in it, but for what documents share.
#[derive(Clone, Debug)]
pub struct Value {
    pub(crate) arena: Arena,
    pub(crate) shared: Vec<Arc<Shared>>,
}

impl Value {
    /// The value itself, to be looked at.
    #[inline]
    #[must_use]
    pub fn root(&self) -> Node<'_> {
        Node::new(self, 0)
    }

    /// Heap bytes allocated, without what is shared, which the registry has. O(1).
    #[inline]
    #[must_use]
    pub fn memory(&self) -> usize {
        size_class(self.arena.capacity())
            + size_class(self.shared.capacity() * size_of::<Arc<Shared>>())
    }

    /// How many levels of containers there are; 0 for a scalar. O(n).
    #[must_use]
    pub fn depth(&self) -> usize {
        self.depth_of(self.arena.cell(0))
    }

    pub(crate) fn depth_of(&self, cell: Cell) -> usize {
        if cell == Cell::EMPTY_ARRAY || cell == Cell::EMPTY_OBJECT {
            return 1;
        }
        if cell.tag() < tag::ARRAY {
            return 0;
        }
        let mut deepest = 0;
        let mut children = self.arena.children(cell);
        while let Some(at) = children.next() {
            deepest = deepest.max(self.depth_of(self.arena.cell(at)));
        }
        deepest + 1
    }

    #[inline]
    pub(crate) fn shape(&self, place: usize) -> Option<&Shape> {
        match &self.shared.get(place)?.what {
            What::Shape(shape) => Some(shape),
            What::Page(_) => None,
        }
    }

    #[inline]
    pub(crate) fn page(&self, place: usize) -> Option<&Page> {
        match &self.shared.get(place)?.what {
            What::Page(page) => Some(page),
            What::Shape(_) => None,
        }
    }

    /// The text of the string in the cell at `at`, and whether it is written as it is.
    #[inline]
    pub(crate) fn text(&self, at: usize) -> (&[u8], bool) {
        let cell = self.arena.cell(at);
        match cell.tag() {
            tag::STRING => self.arena.text(cell.offset()),
            tag::SHORT => {
                let (len, clean) = cell.as_short();
                (self.arena.bytes(at + 1, len), clean)
            }
            tag::PAGED => {
                let (place, number) = cell.as_paged();
                self.page(place).map_or((b"", true), |page| page.get(number))
            }
            _ => (b"", true),
        }
    }

    /// The number of a cell.
    #[inline]
    pub(crate) fn num(&self, cell: Cell) -> Option<Num> {
        match cell.tag() {
            tag::I64 => Some(Num::I64(self.arena.long(cell.offset()) as i64)),
            tag::U64 => Some(Num::U64(self.arena.long(cell.offset()))),
            tag::F64 => Some(Num::F64(f64::from_bits(self.arena.long(cell.offset())))),
            _ => cell.as_num(),
        }
    }

    /// The entry of an object that has a name. O(1) expected.
    #[inline]
    pub(crate) fn find(&self, object: &Object, name: &[u8]) -> Option<usize> {
        match object.form {
            Form::Shaped(place) => self.shape(place)?.find(name),
            Form::Pairs => (0..object.len).find(|&entry| self.is_text(object.name(entry), name)),
            Form::Table { cap, index, .. } => self.find_in_table(object, cap, index, name),
        }
    }

    /// Whether the string in the cell at `at` is this one. Most that are not differ in length.
    #[inline]
    fn is_text(&self, at: usize, text: &[u8]) -> bool {
        let cell = self.arena.cell(at);
        match cell.tag() {
            tag::SHORT => {
                let len = cell.as_short().0;
                len == text.len() && self.arena.bytes(at + 1, len) == text
            }
            tag::STRING => {
                let (start, len, _) = self.arena.text_at(cell.offset());
                len == text.len() && self.arena.bytes(start, len) == text
            }
            _ => self.text(at).0 == text,
        }
    }

    fn find_in_table(
        &self,
        object: &Object,
        cap: usize,
        index: usize,
        name: &[u8],
    ) -> Option<usize> {
        let mut probe = Probe::new(&self.arena, index, cap, crate::hash::hash(name));
        loop {
            match probe.slot(&self.arena) {
                0 => return None,
                1 => {}
                entry => {
                    let entry = entry - 2;
                    if self.text(object.name(entry)).0 == name {
                        return Some(entry);
                    }
                }
            }
            probe.next();
        }
    }

    /// The name of an entry.
    #[inline]
    pub(crate) fn name(&self, object: &Object, entry: usize) -> &[u8] {
        match object.form {
            Form::Shaped(place) => {
                self.shape(place).map_or(b"", |shape| shape.name(entry).as_bytes())
            }
            Form::Pairs | Form::Table { .. } => self.text(object.name(entry)).0,
        }
    }

    /// Whether an entry is there still.
    #[inline]
    pub(crate) fn is_hole(&self, object: &Object, entry: usize) -> bool {
        object.used != object.len && self.arena.cell(object.value(entry)) == Cell::HOLE
    }

    /// The entry at a position, counted without holes.
    #[inline]
    pub(crate) fn entry_at(&self, object: &Object, position: usize) -> Option<usize> {
        if position >= object.len {
            return None;
        }
        if object.used == object.len {
            return Some(position);
        }
        let Form::Table { ranks, .. } = object.form else { return None };
        let (mut low, mut high) = (0, object.used.div_ceil(GROUP));
        while high - low > 1 {
            let middle = low.midpoint(high);
            if self.arena.word(ranks + middle * 4) as usize <= position {
                low = middle;
            } else {
                high = middle;
            }
        }
        let left = position - self.arena.word(ranks + low * 4) as usize;
        (low * GROUP..object.used).filter(|&entry| !self.is_hole(object, entry)).nth(left)
    }

    /// The position of an entry, counted without holes.
    #[inline]
    pub(crate) fn position_of(&self, object: &Object, entry: usize) -> usize {
        if object.used == object.len {
            return entry;
        }
        let Form::Table { ranks, .. } = object.form else { return entry };
        let group = entry / GROUP;
        let before = (group * GROUP..entry).filter(|&before| !self.is_hole(object, before)).count();
        self.arena.word(ranks + group * 4) as usize + before
    }
}

/// A walk through the slots of an index.
pub(crate) struct Probe {
    data: usize,
    mask: usize,
    width: usize,
    slot: usize,
}

impl Probe {
    #[inline]
    pub fn new(arena: &Arena, index: usize, cap: usize, hash: u64) -> Probe {
        let mask = arena.word(index) as usize - 1;
        Probe { data: index + 8, mask, width: slot_width(cap), slot: hash as usize & mask }
    }

    /// What is in the slot.
    #[inline]
    pub fn slot(&self, arena: &Arena) -> usize {
        let mut word = [0; 4];
        let at = self.data + self.slot * self.width;
        word[..self.width].copy_from_slice(arena.bytes(at, self.width));
        u32::from_le_bytes(word) as usize
    }

    /// Changes what is in the slot.
    #[inline]
    pub fn set_slot(&self, arena: &mut Arena, what: usize) {
        let word = crate::arena::word(what).to_le_bytes();
        let at = self.data + self.slot * self.width;
        arena.bytes_mut(at, self.width).copy_from_slice(&word[..self.width]);
    }

    #[inline]
    pub fn next(&mut self) {
        self.slot = (self.slot + 1) & self.mask;
    }
}
