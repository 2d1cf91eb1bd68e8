//! Copies values from one arena into another: parts of documents out of them and into others,
//! and whole ones to leave garbage behind.
//!
//! Blocks are laid down children first, as the parser does it. What is shared stays shared.

use std::sync::Arc;

use crate::arena::{Arena, word};
use crate::cell::{Cell, PAGES, tag};
use crate::layout::Form;
use crate::members::{PAIRS, push_pairs, push_shaped, push_table};
use crate::node::{Node, Seen};
use crate::packed::Element;
use crate::registry::Registry;
use crate::shared::Shared;
use crate::tree::Num;
use crate::value::Value;

/// A copy in progress.
pub(crate) struct Graft<'a> {
    from: &'a Value,
    registry: &'a mut Registry,
    /// The list of the target.
    shared: &'a [Arc<Shared>],
    /// By places in the list of the source, those in the list of the target.
    places: Vec<u32>,
    cells: Vec<u32>,
}

const UNKNOWN: u32 = u32::MAX;

impl<'a> Graft<'a> {
    /// To be made between [`Registry::begin`], with the list of the target, and
    /// [`Registry::finish`].
    pub fn new(
        from: &'a Value,
        registry: &'a mut Registry,
        shared: &'a [Arc<Shared>],
    ) -> Graft<'a> {
        let cells = std::mem::take(&mut registry.scratch.cells);
        Graft { from, registry, shared, places: vec![UNKNOWN; from.shared.len()], cells }
    }

    /// Ends the copy.
    pub fn end(self) {
        self.registry.scratch.cells = self.cells;
    }

    fn place(&mut self, place: usize) -> u32 {
        if self.places[place] == UNKNOWN {
            self.places[place] = self.registry.adopt(&self.from.shared[place], self.shared);
        }
        self.places[place]
    }

    /// Copies what is in the cell at `at`.
    pub fn copy(&mut self, at: usize, to: &mut Arena) -> Cell {
        let cell = self.from.arena.cell(at);
        match cell.tag() {
            tag::STRING => self.copy_text(at, to),
            tag::PAGED => {
                let (place, number) = cell.as_paged();
                match self.place(place) {
                    place if place < PAGES => Cell::paged(place, number),
                    _ => self.copy_text(at, to),
                }
            }
            tag::F64 | tag::I64 | tag::U64 => {
                Cell::block(cell.tag(), to.push_long(self.from.arena.long(cell.offset())))
            }
            tag::ARRAY | tag::ROOMY | tag::PACKED | tag::ROOMY_PACKED => self.copy_array(cell, to),
            tag::SHAPED | tag::PAIRS | tag::TABLE => self.copy_object(cell, to),
            _ => cell,
        }
    }

    fn copy_text(&mut self, at: usize, to: &mut Arena) -> Cell {
        let (text, clean) = self.from.text(at);
        Cell::block(tag::STRING, to.push_text(text, clean))
    }

    fn copy_array(&mut self, cell: Cell, to: &mut Arena) -> Cell {
        let Some(seq) = self.from.arena.seq(cell) else { return cell };
        // An array that has grown will grow again.
        let cap = seq.cap.min(seq.len + seq.len / 2);
        let base = self.cells.len();
        if seq.element == Element::Cell {
            for index in 0..seq.len {
                let cell = self.copy(seq.at(index), to);
                self.cells.push(cell.0);
            }
        }
        let head = seq.data - seq.head;
        let at = to.alloc(head + cap * seq.element.width());
        to.bytes_mut(at, head).copy_from_slice(self.from.arena.bytes(seq.head, head));
        if matches!(cell.tag(), tag::ROOMY | tag::ROOMY_PACKED) {
            to.set_word(at + 4, word(cap));
        }
        if seq.element == Element::Cell {
            for (index, &cell) in self.cells[base..].iter().enumerate() {
                to.set_word(at + head + index * 4, cell);
            }
            self.cells.truncate(base);
        } else {
            let len = seq.len * seq.element.width();
            to.bytes_mut(at + head, len).copy_from_slice(self.from.arena.bytes(seq.data, len));
        }
        Cell::block(cell.tag(), at)
    }

    fn copy_object(&mut self, cell: Cell, to: &mut Arena) -> Cell {
        let Some(object) = self.from.arena.object(cell) else { return cell };
        let base = self.cells.len();
        let entries = (0..object.used).filter(|&entry| !self.from.is_hole(&object, entry));
        if let Form::Shaped(place) = object.form {
            for entry in entries {
                let cell = self.copy(object.value(entry), to);
                self.cells.push(cell.0);
            }
            let place = self.place(place);
            let copy = push_shaped(to, place as usize, &self.cells[base..]);
            self.cells.truncate(base);
            return copy;
        }
        let entries: Vec<usize> = entries.collect();
        for at in entries.iter().map(|&entry| object.value(entry)) {
            let cell = self.copy(at, to);
            self.cells.push(cell.0);
        }
        for at in entries.iter().map(|&entry| object.name(entry)) {
            let cell = self.copy(at, to);
            self.cells.push(cell.0);
        }
        let (values, names) = self.cells[base..].split_at(entries.len());
        let copy = match object.form {
            Form::Table { cap, .. } if entries.len() > PAIRS => {
                let from = self.from;
                let hashes =
                    entries.iter().map(|&entry| crate::hash::hash(from.text(object.name(entry)).0));
                let cap = cap.min(entries.len() + entries.len() / 2);
                push_table(to, names, values, hashes, cap)
            }
            _ => push_pairs(to, names, values),
        };
        self.cells.truncate(base);
        copy
    }
}

impl Node<'_> {
    /// A copy of this value and all that is in it. O(n).
    #[must_use]
    pub fn to_value(self, registry: &mut Registry) -> Value {
        let mut arena = Arena::reuse(std::mem::take(&mut registry.scratch.arena));
        registry.begin(&[]);
        let root = match self.what {
            Seen::Num(num) => num_cell(num, &mut arena),
            Seen::Single(single) => num_cell(Num::F64(f64::from(single)), &mut arena),
            Seen::Cell(_, at) => {
                let mut graft = Graft::new(self.home, registry, &[]);
                let root = graft.copy(at as usize, &mut arena);
                graft.end();
                root
            }
        };
        arena.set_cell(0, root);
        let exact = arena.exact();
        registry.scratch.arena = arena.into_bytes();
        let mut shared = Vec::new();
        registry.finish(&mut shared);
        Value { arena: exact, shared }
    }
}

/// A number as a cell, in a block if it must be.
pub(crate) fn num_cell(num: crate::Num, arena: &mut Arena) -> Cell {
    use crate::Num;
    let (inline, tag, long) = match num {
        Num::I64(value) => (Cell::int(value), tag::I64, value as u64),
        Num::U64(value) => match i64::try_from(value) {
            Ok(signed) => return num_cell(Num::I64(signed), arena),
            Err(_) => (None, tag::U64, value),
        },
        Num::F64(value) => (Cell::from_f64(value), tag::F64, value.to_bits()),
    };
    inline.unwrap_or_else(|| Cell::block(tag, arena.push_long(long)))
}
