//! Builds values from the inside out: cells of what is in a container are gathered, and become a
//! block when it ends.
//!
//! What reads a form of JSON (text, our binary form, CBOR) knows its syntax; this file knows which
//! representation each value gets. It must never fail for what is well-formed, except for size:
//! that is told at the end, so that readers need not ask.

use crate::arena::{Arena, LIMIT, word};
use crate::cell::{Cell, SHORT, tag};
use crate::escape::is_clean;
use crate::hash::{extend, hash};
use crate::lex::Fail;
use crate::members::{PAIRS, push_pairs, push_shaped, push_table};
use crate::packed::Element;
use crate::registry::Registry;
use crate::shape::{SHAPE_NAMES, Shape};
use crate::tree::Num;
use crate::value::Value;

/// See the [module](self).
pub(crate) struct Builder<'r> {
    pub registry: &'r mut Registry,
    arena: Arena,
    cells: Vec<u32>,
    names: Vec<Name>,
    name_text: Vec<u8>,
    /// The slot of the shape of the object that ended last, if it has one.
    pub last_shape: Option<u32>,
    is_full: bool,
}

/// A name of an object that has not ended.
#[derive(Clone, Copy, Debug)]
struct Name {
    hash: u64,
    start: usize,
    end: usize,
}

/// Where a container began.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    cells: usize,
    names: usize,
    arena: usize,
}

impl<'r> Builder<'r> {
    pub fn new(registry: &'r mut Registry) -> Builder<'r> {
        registry.begin(&[]);
        let arena = Arena::reuse(std::mem::take(&mut registry.scratch.arena));
        let cells = std::mem::take(&mut registry.scratch.cells);
        let name_text = std::mem::take(&mut registry.scratch.names);
        Builder {
            registry,
            arena,
            cells,
            names: Vec::new(),
            name_text,
            last_shape: None,
            is_full: false,
        }
    }

    /// The value that `root` is.
    pub fn finish(mut self, root: Cell) -> Result<Value, Fail> {
        self.arena.set_cell(0, root);
        let value = (!self.is_full).then(|| self.arena.exact());
        self.registry.scratch.arena = self.arena.into_bytes();
        self.registry.scratch.cells = self.cells;
        self.registry.scratch.names = self.name_text;
        let mut shared = Vec::new();
        self.registry.finish(&mut shared);
        value.map(|arena| Value { arena, shared }).ok_or(Fail::TooLarge)
    }

    /// Ends what came to nothing.
    pub fn abandon(self) {
        self.registry.scratch.arena = self.arena.into_bytes();
        self.registry.scratch.cells = self.cells;
        self.registry.scratch.names = self.name_text;
        self.registry.abandon();
    }

    /// Whether there is room for this many bytes more.
    #[inline]
    fn has_room(&mut self, bytes: usize) -> bool {
        self.is_full |= self.arena.len() + bytes > LIMIT - 16;
        !self.is_full
    }

    /// Begins a container.
    #[inline]
    pub fn mark(&self) -> Mark {
        Mark { cells: self.cells.len(), names: self.names.len(), arena: self.arena.len() }
    }

    /// Adds an element, or the value of a member.
    #[inline]
    pub fn push(&mut self, cell: Cell) {
        self.cells.push(cell.0);
    }

    pub fn num(&mut self, num: Num) -> Cell {
        match num {
            Num::I64(value) => match Cell::int(value) {
                Some(cell) => cell,
                None => self.long(tag::I64, value as u64),
            },
            Num::U64(value) => match i64::try_from(value) {
                Ok(signed) => self.num(Num::I64(signed)),
                Err(_) => self.long(tag::U64, value),
            },
            Num::F64(value) => match Cell::from_f64(value) {
                Some(cell) => cell,
                None => self.long(tag::F64, value.to_bits()),
            },
        }
    }

    /// A number in a block of its own.
    #[inline]
    pub fn long(&mut self, tag: u32, word: u64) -> Cell {
        if !self.has_room(8) {
            return Cell::NULL;
        }
        Cell::block(tag, self.arena.push_long(word))
    }

    /// A string. `clean` tells whether it is written as it is.
    #[inline]
    pub fn string(&mut self, text: &[u8], clean: bool) -> Cell {
        if text.len() <= SHORT {
            return Cell::short(text, clean);
        }
        if let Some(cell) = self.registry.intern(text, clean) {
            return cell;
        }
        if !self.has_room(text.len() + 8) {
            return Cell::NULL;
        }
        Cell::block(tag::STRING, self.arena.push_text(text, clean))
    }

    /// Ends the array that began at `mark`.
    pub fn array(&mut self, mark: Mark) -> Cell {
        let cells = &self.cells[mark.cells..];
        let Some(&first) = cells.first() else { return Cell::EMPTY_ARRAY };
        if matches!(Cell(first).tag(), tag::INT | tag::DECIMAL | tag::F64 | tag::I64 | tag::U64)
            && let Some(element) = kind_for(&self.arena, cells)
        {
            return self.pack(mark, element);
        }
        let len = cells.len();
        if !self.has_room(len * 4 + 4) {
            self.cells.truncate(mark.cells);
            return Cell::NULL;
        }
        let words = std::iter::once(word(len)).chain(self.cells[mark.cells..].iter().copied());
        let at = self.arena.push_words(words);
        self.cells.truncate(mark.cells);
        Cell::block(tag::ARRAY, at)
    }

    /// Ends an array of numbers. All that was laid down since `mark` are these numbers.
    fn pack(&mut self, mark: Mark, element: Element) -> Cell {
        let numbers: Vec<[u8; 8]> = self.cells[mark.cells..]
            .iter()
            .filter_map(|&cell| element.exactly(num_of(&self.arena, Cell(cell))?))
            .collect();
        self.arena.truncate(mark.arena);
        self.cells.truncate(mark.cells);
        self.packed(element, &numbers)
    }

    /// An array of numbers of one kind, of which as many bytes count as the kind has.
    pub fn packed(&mut self, element: Element, numbers: &[[u8; 8]]) -> Cell {
        let width = element.width();
        if numbers.is_empty() {
            return Cell::EMPTY_ARRAY;
        }
        if !self.has_room(numbers.len() * width + 16) {
            return Cell::NULL;
        }
        push_packed(&mut self.arena, element, numbers)
    }

    /// Adds a name to the object that began last.
    #[inline]
    pub fn name(&mut self, text: &[u8]) {
        self.hashed_name(text, hash(text));
    }

    #[inline]
    pub fn hashed_name(&mut self, text: &[u8], hash: u64) {
        let start = self.name_text.len();
        self.name_text.extend_from_slice(text);
        self.names.push(Name { hash, start, end: self.name_text.len() });
    }

    /// How many members the object of a cell has.
    pub fn members(&self, cell: Cell) -> usize {
        self.arena.object(cell).map_or(0, |object| object.len)
    }

    /// Ends an object of the shape with this slot, which has as many names as there are values
    /// since `mark`.
    #[inline]
    pub fn shaped(&mut self, mark: Mark, id: u32) -> Cell {
        let len = self.cells.len() - mark.cells;
        let place = self.registry.place_of(id);
        if !self.has_room(len * 4 + 4) || place >= 1 << 24 {
            self.is_full = true;
            self.cells.truncate(mark.cells);
            return Cell::NULL;
        }
        let cell = push_shaped(&mut self.arena, place as usize, &self.cells[mark.cells..]);
        self.cells.truncate(mark.cells);
        cell
    }

    /// Ends the object that began at `mark`.
    pub fn object(&mut self, mark: Mark) -> Cell {
        if self.cells.len() == mark.cells {
            return Cell::EMPTY_OBJECT;
        }
        self.last_shape = None;
        let mut cell = self.shaped_or_none(mark, false);
        if cell.is_none() {
            self.drop_duplicates(mark);
            cell = self.shaped_or_none(mark, true);
        }
        let cell = cell.unwrap_or_else(|| self.object_with_names(mark));
        let start = self.names.get(mark.names).map_or(0, |name| name.start);
        self.name_text.truncate(start);
        self.names.truncate(mark.names);
        self.cells.truncate(mark.cells);
        cell
    }

    fn shaped_or_none(&mut self, mark: Mark, may_add: bool) -> Option<Cell> {
        let names = &self.names[mark.names..];
        let len = names.len();
        if len > SHAPE_NAMES {
            return None;
        }
        let list = names.iter().fold(0, |list, name| extend(list, name.hash));
        let text = |n: usize| &self.name_text[names[n].start..names[n].end];
        let id = match self.registry.find_shape(list, len, text) {
            Some(id) => id,
            None if may_add && self.registry.met(list) => {
                let names = (0..len).map(|n| str::from_utf8(text(n)).unwrap_or_default());
                self.registry.add_shape(Shape::new(list, names))
            }
            None => return None,
        };
        self.registry.expect(self.names[mark.names].hash, id);
        self.last_shape = Some(id);
        Some(self.shaped(mark, id))
    }

    fn object_with_names(&mut self, mark: Mark) -> Cell {
        let len = self.names.len() - mark.names;
        let name_text = std::mem::take(&mut self.name_text);
        let names: Vec<u32> = (mark.names..self.names.len())
            .map(|n| {
                let text = &name_text[self.names[n].start..self.names[n].end];
                self.string(text, is_clean(text)).0
            })
            .collect();
        self.name_text = name_text;
        if !self.has_room(len * 20 + 64) {
            return Cell::NULL;
        }
        let values = &self.cells[mark.cells..];
        if len <= PAIRS {
            push_pairs(&mut self.arena, &names, values)
        } else {
            let hashes = self.names[mark.names..].iter().map(|name| name.hash);
            push_table(&mut self.arena, &names, values, hashes, len)
        }
    }

    /// Of members with the same name leaves the first, with the value of the last.
    fn drop_duplicates(&mut self, mark: Mark) {
        if !self.has_duplicates(mark) {
            return;
        }
        let mut kept = hashbrown::HashTable::<usize>::new();
        let mut count = 0;
        for n in 0..self.names.len() - mark.names {
            let name = self.names[mark.names + n];
            let text = |name: Name| &self.name_text[name.start..name.end];
            let same = |&m: &usize| text(self.names[mark.names + m]) == text(name);
            if let Some(&first) = kept.find(name.hash, same) {
                let last = self.cells[mark.cells + n];
                let old = std::mem::replace(&mut self.cells[mark.cells + first], last);
                self.arena.give_up_value(Cell(old));
            } else {
                self.names[mark.names + count] = name;
                self.cells[mark.cells + count] = self.cells[mark.cells + n];
                let names = &self.names;
                kept.insert_unique(name.hash, count, |&m| names[mark.names + m].hash);
                count += 1;
            }
        }
        self.names.truncate(mark.names + count);
        self.cells.truncate(mark.cells + count);
    }

    fn has_duplicates(&self, mark: Mark) -> bool {
        let names = &self.names[mark.names..];
        let mut hashes: Vec<u64> = names.iter().map(|name| name.hash).collect();
        hashes.sort_unstable();
        hashes.windows(2).any(|pair| pair[0] == pair[1])
    }
}

/// Lays down an array of numbers of one kind.
pub(crate) fn push_packed(arena: &mut Arena, element: Element, numbers: &[[u8; 8]]) -> Cell {
    let (len, width, code) = (numbers.len(), element.width(), u32::from(element.code()));
    let (tag, at, data) = if len < 1 << 24 {
        let at = arena.alloc(4 + len * width);
        arena.set_word(at, word(len) << 8 | code);
        (tag::PACKED, at, at + 4)
    } else {
        let at = arena.alloc(12 + len * width);
        arena.set_word(at, word(len));
        arena.set_word(at + 4, word(len));
        arena.set_word(at + 8, code);
        (tag::ROOMY_PACKED, at, at + 12)
    };
    let bytes = arena.bytes_mut(data, len * width);
    for (place, number) in bytes.chunks_exact_mut(width).zip(numbers) {
        place.copy_from_slice(&number[..width]);
    }
    Cell::block(tag, at)
}

fn num_of(arena: &Arena, cell: Cell) -> Option<Num> {
    match cell.tag() {
        tag::I64 => Some(Num::I64(arena.long(cell.offset()) as i64)),
        tag::U64 => Some(Num::U64(arena.long(cell.offset()))),
        tag::F64 => Some(Num::F64(f64::from_bits(arena.long(cell.offset())))),
        _ => cell.as_num(),
    }
}

/// The kind in which an array takes less than as cells; `None` if there is none.
fn kind_for(arena: &Arena, cells: &[u32]) -> Option<Element> {
    let (mut min, mut max, mut is_single) = (0_i64, 0_u64, true);
    let (mut integers, mut boxes) = (0, 0);
    for &cell in cells {
        match num_of(arena, Cell(cell))? {
            Num::I64(value) => {
                min = min.min(value);
                max = max.max(u64::try_from(value).unwrap_or(0));
                integers += 1;
            }
            Num::U64(value) => {
                max = max.max(value);
                integers += 1;
            }
            Num::F64(value) => is_single &= f64::from(value as f32).to_bits() == value.to_bits(),
        }
        boxes += usize::from(Cell(cell).has_block());
    }
    let element = if integers == cells.len() {
        Element::of_range(min, max)?
    } else if integers != 0 {
        return None;
    } else if is_single {
        Element::F32
    } else {
        Element::F64
    };
    let packed = (cells.len() * element.width() + 3) & !3;
    (packed < cells.len() * 4 + boxes * 8).then_some(element)
}
