//! Changing values in place.
//!
//! A place is named by a location: the position in each container on the way to it, members and
//! elements alike. Positions do not change when the arena is rebuilt, so many places found in one
//! go can be changed one after the other; where elements or members go or come, from the last to
//! the first.
//!
//! What is checked is checked before anything is changed: an edit happens or it does not. The cost
//! is that of what changes, amortised: what is given up is garbage until it outweighs the rest.

use std::fmt;

use crate::arena::{Arena, LIMIT};
use crate::arithmetic::Operation;
use crate::cell::{Cell, SHORT, tag};
use crate::escape::is_clean;
use crate::graft::{Graft, num_cell};
use crate::layout::Seq;
use crate::lex::MAX_DEPTH;
use crate::node::{Node, Seen};
use crate::packed::Element;
use crate::registry::Registry;
use crate::shape::Shape;
use crate::tree::{Num, Tree};
use crate::value::Value;

/// Why nothing was changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EditError {
    /// There is nothing at the location.
    NotFound,
    /// It is of a type that cannot be changed like this.
    WrongType,
    /// Containers would be nested deeper than [`MAX_DEPTH`].
    Depth,
    /// The document would be larger than a document can be (a gigabyte).
    TooLarge,
    /// The result is an integer of more than 64 bits.
    Overflow,
    /// The result is not a number, or not a finite one.
    NotFinite,
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            EditError::NotFound => "no value at this location",
            EditError::WrongType => "wrong type of value",
            EditError::Depth => "recursion limit exceeded",
            EditError::TooLarge => "document too large",
            EditError::Overflow => "numeric overflow",
            EditError::NotFinite => "result is not a number",
        })
    }
}

impl std::error::Error for EditError {}

/// Where a value is kept.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Spot {
    /// In the cell there.
    Cell(usize),
    /// In a packed array: the cell of the array, and the index.
    Packed(usize, usize),
}

/// Garbage of less than this is not worth a rebuild.
const LITTLE: usize = 256;

impl Value {
    /// Rebuilds the arena if there is more garbage in it than anything else.
    pub(crate) fn settle(&mut self, registry: &mut Registry) {
        let garbage = self.arena.garbage();
        if garbage > LITTLE && garbage * 2 > self.arena.len() {
            self.rebuild(registry);
        }
    }

    /// Leaves all garbage and all room behind. O(n).
    pub fn rebuild(&mut self, registry: &mut Registry) {
        *self = self.root().to_value(registry);
    }

    /// Bytes of the arena that are used no more, counted anew. For tests and for those who doubt.
    #[must_use]
    pub fn recount_garbage(&self) -> usize {
        self.arena.len() - 4 - self.arena.live(self.arena.cell(0))
    }

    /// Bytes of the arena that are used no more. O(1).
    #[must_use]
    pub fn garbage(&self) -> usize {
        self.arena.garbage()
    }

    pub(crate) fn spot(&self, location: &[usize]) -> Result<Spot, EditError> {
        let mut spot = Spot::Cell(0);
        for &position in location {
            let Spot::Cell(at) = spot else { return Err(EditError::NotFound) };
            spot = self.inside(at, position).ok_or(EditError::NotFound)?;
        }
        Ok(spot)
    }

    fn inside(&self, at: usize, position: usize) -> Option<Spot> {
        let cell = self.arena.cell(at);
        if let Some(seq) = self.arena.seq(cell) {
            return (position < seq.len).then(|| match seq.element {
                Element::Cell => Spot::Cell(seq.at(position)),
                _ => Spot::Packed(at, position),
            });
        }
        let object = self.arena.object(cell)?;
        self.entry_at(&object, position).map(|entry| Spot::Cell(object.value(entry)))
    }

    pub(crate) fn node_at(&self, spot: Spot) -> Option<Node<'_>> {
        match spot {
            Spot::Cell(at) => Some(Node::new(self, at)),
            Spot::Packed(at, index) => Node::new(self, at).at(index),
        }
    }

    /// The cell of a value, which leaves its packed array if it is in one.
    pub(crate) fn cell_at(&mut self, spot: Spot) -> usize {
        match spot {
            Spot::Cell(at) => at,
            Spot::Packed(at, index) => {
                self.unpack(at);
                self.arena.seq(self.arena.cell(at)).map_or(at, |seq| seq.at(index))
            }
        }
    }

    /// Bytes that it may take to let a value leave its packed array.
    pub(crate) fn unpacked(&self, spot: Spot) -> usize {
        let Spot::Packed(at, _) = spot else { return 0 };
        self.arena.seq(self.arena.cell(at)).map_or(0, |seq| seq.len * 12)
    }

    /// Bytes that it may take to lay an object down in another form.
    fn relaid(&self, object: &crate::layout::Object) -> usize {
        let names = match object.form {
            crate::layout::Form::Shaped(place) => self.shape(place).map_or(0, Shape::memory),
            _ => 0,
        };
        object.len * 32 + names
    }

    /// Turns a packed array into one of cells.
    pub(crate) fn unpack(&mut self, at: usize) {
        let cell = self.arena.cell(at);
        let Some(seq) = self.arena.seq(cell).filter(|seq| seq.element != Element::Cell) else {
            return;
        };
        let nums: Vec<Num> = (0..seq.len).map(|index| self.packed_num(&seq, index)).collect();
        self.arena.give_up_block(cell);
        let cells: Vec<u32> = nums.iter().map(|&num| num_cell(num, &mut self.arena).0).collect();
        let len = crate::arena::word(cells.len());
        let block = self.arena.push_words([len, len].into_iter().chain(cells));
        self.arena.set_cell(at, Cell::block(tag::ROOMY, block));
    }

    pub(crate) fn packed_num(&self, seq: &Seq, index: usize) -> Num {
        seq.element.read(self.arena.bytes(seq.at(index), seq.element.width()))
    }

    /// Whether a value may be put under `levels` containers, and this many bytes more be used.
    pub(crate) fn admit(
        &self,
        node: Node<'_>,
        levels: usize,
        more: usize,
    ) -> Result<(), EditError> {
        let cell = node.cell().unwrap_or(Cell::NULL);
        if levels + node.home.depth_of(cell) > MAX_DEPTH {
            return Err(EditError::Depth);
        }
        let size = if cell.has_block() { node.home.arena.len() } else { 0 };
        self.admit_bytes(size + more)
    }

    pub(crate) fn admit_bytes(&self, more: usize) -> Result<(), EditError> {
        /// For heads, names that are no longer shared, and padding.
        const SLACK: usize = 64 << 10;
        let fits = self.arena.len().saturating_add(more).saturating_add(SLACK) < LIMIT;
        if fits { Ok(()) } else { Err(EditError::TooLarge) }
    }

    /// Copies values into the arena; to be put somewhere.
    pub(crate) fn take_in(&mut self, nodes: &[Node<'_>], registry: &mut Registry) -> Vec<u32> {
        let shares = |node: &Node<'_>| {
            let tag = node.cell().unwrap_or(Cell::NULL).tag();
            tag == tag::PAGED || tag >= tag::ARRAY
        };
        let in_session = nodes.iter().any(shares);
        if in_session {
            registry.begin(&self.shared);
        }
        let cells = nodes
            .iter()
            .map(|node| match node.what {
                Seen::Num(num) => num_cell(num, &mut self.arena).0,
                Seen::Single(single) => num_cell(Num::F64(f64::from(single)), &mut self.arena).0,
                Seen::Cell(_, at) => {
                    let mut graft = Graft::new(node.home, registry, &self.shared);
                    let cell = graft.copy(at as usize, &mut self.arena);
                    graft.end();
                    cell.0
                }
            })
            .collect();
        if in_session {
            registry.finish(&mut self.shared);
        }
        cells
    }

    /// Puts another value in the place of one. At the root, everything is replaced.
    ///
    /// # Errors
    /// [`EditError::NotFound`], [`EditError::Depth`], [`EditError::TooLarge`].
    pub fn replace(
        &mut self,
        location: &[usize],
        with: Node<'_>,
        registry: &mut Registry,
    ) -> Result<(), EditError> {
        if location.is_empty() {
            *self = with.to_value(registry);
            return Ok(());
        }
        let spot = self.spot(location)?;
        self.admit(with, location.len(), self.unpacked(spot))?;
        if let (Spot::Packed(at, index), Some(num)) = (spot, with.as_num())
            && self.repack(at, index, num)
        {
            return Ok(());
        }
        let at = self.cell_at(spot);
        self.replace_cell(at, with, registry);
        self.settle(registry);
        Ok(())
    }

    pub(crate) fn replace_cell(&mut self, at: usize, with: Node<'_>, registry: &mut Registry) {
        if let Some(num) = with.as_num() {
            return self.set_num(at, num);
        }
        if let Seen::Cell(cell, _) = with.what
            && cell.tag() == tag::STRING
            && let Some((text, clean)) = with.text()
        {
            return self.set_text(at, text, clean);
        }
        self.arena.give_up_value(self.arena.cell(at));
        let cells = self.take_in(&[with], registry);
        self.arena.set_word(at, cells[0]);
    }

    /// Changes a number within a packed array; whether its kind has the number.
    pub(crate) fn repack(&mut self, at: usize, index: usize, num: Num) -> bool {
        let Some(seq) = self.arena.seq(self.arena.cell(at)) else { return false };
        let Some(bytes) = seq.element.exactly(num) else { return false };
        let width = seq.element.width();
        self.arena.bytes_mut(seq.at(index), width).copy_from_slice(&bytes[..width]);
        true
    }

    /// Puts a number into a cell, in the block that is there if both need one.
    pub(crate) fn set_num(&mut self, at: usize, num: Num) {
        let old = self.arena.cell(at);
        let (tag, long) = match num {
            Num::I64(value) => (tag::I64, value as u64),
            Num::U64(value) => (tag::U64, value),
            Num::F64(value) => (tag::F64, value.to_bits()),
        };
        let is_inline = match num {
            Num::I64(value) => Cell::int(value).is_some(),
            Num::U64(value) => i64::try_from(value).is_ok(),
            Num::F64(value) => Cell::from_f64(value).is_some(),
        };
        if !is_inline && matches!(old.tag(), tag::I64 | tag::U64 | tag::F64) {
            self.arena.bytes_mut(old.offset(), 8).copy_from_slice(&long.to_le_bytes());
            self.arena.set_cell(at, Cell::block(tag, old.offset()));
            return;
        }
        self.arena.give_up_value(old);
        let cell = num_cell(num, &mut self.arena);
        self.arena.set_cell(at, cell);
    }

    /// Puts a string into a cell, in the block that is there if it is as large.
    pub(crate) fn set_text(&mut self, at: usize, text: &[u8], clean: bool) {
        let old = self.arena.cell(at);
        if text.len() > SHORT && old.tag() == tag::STRING {
            let (_, len, _) = self.arena.text_at(old.offset());
            if Arena::text_block(len) == Arena::text_block(text.len()) {
                self.arena.rewrite_text(old.offset(), text, clean);
                return;
            }
        }
        self.arena.give_up_value(old);
        let cell = match text.len() {
            0..=SHORT => Cell::short(text, clean),
            _ => Cell::block(tag::STRING, self.arena.push_text(text, clean)),
        };
        self.arena.set_cell(at, cell);
    }

    /// Changes a number; what it is then.
    ///
    /// # Errors
    /// [`EditError::NotFound`], [`EditError::WrongType`], and those of [`Operation::apply`].
    pub fn calculate(
        &mut self,
        location: &[usize],
        operation: Operation,
        operand: Num,
        registry: &mut Registry,
    ) -> Result<Num, EditError> {
        let spot = self.spot(location)?;
        let old = self.node_at(spot).and_then(Node::as_num).ok_or(EditError::WrongType)?;
        let new = operation.apply(old, operand)?;
        self.admit_bytes(self.unpacked(spot))?;
        if let Spot::Packed(at, index) = spot
            && self.repack(at, index, new)
        {
            return Ok(new);
        }
        let at = self.cell_at(spot);
        self.set_num(at, new);
        self.settle(registry);
        Ok(new)
    }

    /// Appends to a string; how many bytes it then has.
    ///
    /// # Errors
    /// [`EditError::NotFound`], [`EditError::WrongType`], [`EditError::TooLarge`].
    pub fn append_text(
        &mut self,
        location: &[usize],
        more: &str,
        registry: &mut Registry,
    ) -> Result<usize, EditError> {
        let Spot::Cell(at) = self.spot(location)? else { return Err(EditError::WrongType) };
        let (text, clean) = Node::new(self, at).text().ok_or(EditError::WrongType)?;
        let (len, more, clean) =
            (text.len() + more.len(), more.as_bytes(), clean && is_clean(more.as_bytes()));
        self.admit_bytes(len)?;
        let cell = self.arena.cell(at);
        if cell.tag() != tag::STRING || !self.arena.extend_text(cell.offset(), more, clean) {
            let whole = [text_of(self, at), more].concat();
            self.set_text(at, &whole, clean);
        }
        self.settle(registry);
        Ok(len)
    }

    /// Turns `true` into `false` and the other way round; what it is then.
    ///
    /// # Errors
    /// [`EditError::NotFound`], [`EditError::WrongType`].
    pub fn toggle(&mut self, location: &[usize]) -> Result<bool, EditError> {
        let Spot::Cell(at) = self.spot(location)? else { return Err(EditError::WrongType) };
        let new = !Node::new(self, at).as_bool().ok_or(EditError::WrongType)?;
        self.arena.set_cell(at, if new { Cell::TRUE } else { Cell::FALSE });
        Ok(new)
    }

    /// Empties a container, or makes a number zero; whether that changed anything. Other values
    /// are left alone.
    ///
    /// # Errors
    /// [`EditError::NotFound`], [`EditError::TooLarge`] of a number in an array.
    pub fn clear(
        &mut self,
        location: &[usize],
        registry: &mut Registry,
    ) -> Result<bool, EditError> {
        let spot = self.spot(location)?;
        let Some(node) = self.node_at(spot) else { return Ok(false) };
        let empty = match node.kind() {
            crate::Kind::Array if node.len() > 0 => Cell::EMPTY_ARRAY,
            crate::Kind::Object if node.len() > 0 => Cell::EMPTY_OBJECT,
            crate::Kind::Integer | crate::Kind::Number if node.as_num() != Some(Num::I64(0)) => {
                Cell::int(0).unwrap_or(Cell::NULL)
            }
            _ => return Ok(false),
        };
        if let Spot::Packed(at, index) = spot
            && self.repack(at, index, Num::I64(0))
        {
            return Ok(true);
        }
        self.admit_bytes(self.unpacked(spot))?;
        let at = self.cell_at(spot);
        self.arena.give_up_value(self.arena.cell(at));
        self.arena.set_cell(at, empty);
        self.settle(registry);
        Ok(true)
    }

    /// Takes a member or an element away; the others keep their order.
    ///
    /// # Errors
    /// [`EditError::NotFound`], also for the root, which cannot go; [`EditError::TooLarge`], as
    /// the others may have to move.
    pub fn delete(&mut self, location: &[usize], registry: &mut Registry) -> Result<(), EditError> {
        let (&position, parent) = location.split_last().ok_or(EditError::NotFound)?;
        let Spot::Cell(at) = self.spot(parent)? else { return Err(EditError::NotFound) };
        let cell = self.arena.cell(at);
        if let Some(seq) = self.arena.seq(cell) {
            if position >= seq.len {
                return Err(EditError::NotFound);
            }
            self.remove_elements(at, position, 1);
        } else {
            let object = self.arena.object(cell).ok_or(EditError::NotFound)?;
            let entry = self.entry_at(&object, position).ok_or(EditError::NotFound)?;
            self.admit_bytes(self.relaid(&object))?;
            self.remove_member(at, entry, registry);
        }
        self.settle(registry);
        Ok(())
    }
}

fn text_of(value: &Value, at: usize) -> &[u8] {
    value.text(at).0
}
