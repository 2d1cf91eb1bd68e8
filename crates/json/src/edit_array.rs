//! Changing arrays: elements come and go, room grows geometrically and goes when most is unused.

use crate::arena::word;
use crate::cell::{Cell, tag};
use crate::edit::{EditError, Spot};
use crate::layout::Seq;
use crate::node::Node;
use crate::packed::Element;
use crate::registry::Registry;
use crate::tree::{Kind, Tree};
use crate::value::Value;

/// What new elements are.
enum New {
    Cells(Vec<u32>),
    Numbers(Vec<[u8; 8]>),
}

impl Value {
    fn array_at(&self, location: &[usize]) -> Result<(usize, usize), EditError> {
        let Spot::Cell(at) = self.spot(location)? else { return Err(EditError::WrongType) };
        let node = Node::new(self, at);
        if node.kind() != Kind::Array {
            return Err(EditError::WrongType);
        }
        Ok((at, node.len()))
    }

    /// Inserts elements in front of the one at `index`, or at the end; how many there are then.
    /// O(elements behind) amortised.
    ///
    /// # Errors
    /// [`EditError::NotFound`], also if `index` is beyond the end, [`EditError::WrongType`],
    /// [`EditError::Depth`], [`EditError::TooLarge`].
    pub fn insert_elements(
        &mut self,
        location: &[usize],
        index: usize,
        elements: &[Node<'_>],
        registry: &mut Registry,
    ) -> Result<usize, EditError> {
        let (at, len) = self.array_at(location)?;
        if index > len {
            return Err(EditError::NotFound);
        }
        if elements.is_empty() {
            return Ok(len);
        }
        let bytes = elements.iter().map(|node| node.home.arena.len()).sum::<usize>() + len * 12;
        for &element in elements {
            self.admit(element, location.len() + 1, bytes)?;
        }
        let new = match self.as_packed(at, elements) {
            Some(numbers) => New::Numbers(numbers),
            None => {
                self.unpack(at);
                New::Cells(self.take_in(elements, registry))
            }
        };
        self.open(at, index, elements.len());
        if let Some(seq) = self.arena.seq(self.arena.cell(at)) {
            self.fill(&seq, index, &new);
        }
        self.settle(registry);
        Ok(len + elements.len())
    }

    /// Appends elements; how many there are then. O(new elements) amortised.
    ///
    /// # Errors
    /// Those of [`insert_elements`](Value::insert_elements).
    pub fn append_elements(
        &mut self,
        location: &[usize],
        elements: &[Node<'_>],
        registry: &mut Registry,
    ) -> Result<usize, EditError> {
        let (_, len) = self.array_at(location)?;
        self.insert_elements(location, len, elements, registry)
    }

    /// Leaves the elements of an array from `start` up to, but without, `end`; how many these are.
    ///
    /// # Errors
    /// [`EditError::NotFound`], [`EditError::WrongType`].
    pub fn trim_array(
        &mut self,
        location: &[usize],
        start: usize,
        end: usize,
        registry: &mut Registry,
    ) -> Result<usize, EditError> {
        let (at, len) = self.array_at(location)?;
        let end = end.min(len);
        let start = start.min(end);
        self.remove_elements(at, end, len - end);
        self.remove_elements(at, 0, start);
        self.settle(registry);
        Ok(end - start)
    }

    /// Takes the element at `index` out of an array; `None` if there is none.
    ///
    /// # Errors
    /// [`EditError::NotFound`], [`EditError::WrongType`].
    pub fn pop_element(
        &mut self,
        location: &[usize],
        index: usize,
        registry: &mut Registry,
    ) -> Result<Option<Value>, EditError> {
        let (at, _) = self.array_at(location)?;
        let Some(element) = Node::new(self, at).at(index) else { return Ok(None) };
        let element = element.to_value(registry);
        self.remove_elements(at, index, 1);
        self.settle(registry);
        Ok(Some(element))
    }

    /// The elements as numbers of the kind that a packed array has.
    fn as_packed(&self, at: usize, elements: &[Node<'_>]) -> Option<Vec<[u8; 8]>> {
        let seq = self.arena.seq(self.arena.cell(at))?;
        if seq.element == Element::Cell {
            return None;
        }
        elements.iter().map(|element| seq.element.exactly(element.as_num()?)).collect()
    }

    fn fill(&mut self, seq: &Seq, index: usize, new: &New) {
        match new {
            New::Cells(cells) => {
                for (n, &cell) in cells.iter().enumerate() {
                    self.arena.set_word(seq.at(index + n), cell);
                }
            }
            New::Numbers(numbers) => {
                let width = seq.element.width();
                for (n, number) in numbers.iter().enumerate() {
                    self.arena
                        .bytes_mut(seq.at(index + n), width)
                        .copy_from_slice(&number[..width]);
                }
            }
        }
    }

    /// Makes room for `count` elements in front of the one at `index`.
    fn open(&mut self, at: usize, index: usize, count: usize) {
        let Some(old) = self.arena.seq(self.arena.cell(at)) else {
            let words = [word(count), word(count)].into_iter();
            let block = self.arena.push_words(words.chain(std::iter::repeat_n(0, count)));
            return self.arena.set_cell(at, Cell::block(tag::ROOMY, block));
        };
        if old.len + count > old.cap {
            self.grow(at, &old, old.len + count);
        }
        let Some(seq) = self.arena.seq(self.arena.cell(at)) else { return };
        let behind = (seq.len - index) * seq.element.width();
        self.arena.copy_within(seq.at(index), behind, seq.at(index + count));
        self.arena.set_word(seq.head, word(seq.len + count));
    }

    /// Makes room for `needed` elements and half as many more.
    fn grow(&mut self, at: usize, old: &Seq, needed: usize) {
        let cap = needed + needed / 2;
        let width = old.element.width();
        let is_packed = old.element != Element::Cell;
        let head = if is_packed { 12 } else { 8 };
        let has_room = old.data - old.head == head;
        let missing = head + cap * width - old.block();
        if has_room && self.arena.lengthen(old.head, old.block(), missing) {
            return self.arena.set_word(old.head + 4, word(cap));
        }
        let block = self.arena.alloc(head + cap * width);
        self.arena.set_word(block, word(old.len));
        self.arena.set_word(block + 4, word(cap));
        let tag = if is_packed { tag::ROOMY_PACKED } else { tag::ROOMY };
        if is_packed {
            self.arena.set_word(block + 8, u32::from(old.element.code()));
        }
        self.arena.copy_within(old.data, old.len * width, block + head);
        self.arena.give_up(old.head, old.block());
        self.arena.set_cell(at, Cell::block(tag, block));
    }

    /// Takes elements away. There must be as many.
    pub(crate) fn remove_elements(&mut self, at: usize, index: usize, count: usize) {
        let cell = self.arena.cell(at);
        let Some(seq) = self.arena.seq(cell).filter(|_| count > 0) else { return };
        if count == seq.len {
            self.arena.give_up_value(cell);
            return self.arena.set_cell(at, Cell::EMPTY_ARRAY);
        }
        if seq.element == Element::Cell {
            for n in index..index + count {
                self.arena.give_up_value(self.arena.cell(seq.at(n)));
            }
        }
        let width = seq.element.width();
        let behind = (seq.len - index - count) * width;
        self.arena.copy_within(seq.at(index + count), behind, seq.at(index));
        let len = seq.len - count;
        if cell.tag() == tag::PACKED {
            let head = word(len) << 8 | u32::from(seq.element.code());
            self.arena.set_word(seq.head, head);
        } else {
            self.arena.set_word(seq.head, word(len));
        }
        let has_room = matches!(cell.tag(), tag::ROOMY | tag::ROOMY_PACKED);
        if has_room && len < seq.cap / 4 {
            self.arena.set_word(seq.head + 4, word(len * 2));
        }
        if let Some(now) = self.arena.seq(cell) {
            let (old, new) = (seq.block(), now.block());
            self.arena.give_up(seq.head + new, old - new);
        }
    }

    /// Turns arrays that hold nothing but floats into packed ones of a kind, which rounds them.
    ///
    /// # Errors
    /// [`EditError::NotFinite`] if a number is out of the kind's range; then nothing is changed.
    pub fn pack_floats(&mut self, floats: crate::Floats) -> Result<(), EditError> {
        let mut found = Vec::new();
        self.float_arrays(0, floats.element(), &mut found)?;
        for (at, numbers) in found {
            self.arena.give_up_value(self.arena.cell(at));
            let cell = crate::build::push_packed(&mut self.arena, floats.element(), &numbers);
            self.arena.set_cell(at, cell);
        }
        Ok(())
    }

    fn float_arrays(
        &self,
        at: usize,
        element: Element,
        found: &mut Vec<(usize, Vec<[u8; 8]>)>,
    ) -> Result<(), EditError> {
        let node = Node::new(self, at);
        let is_float = |index: usize| node.at(index).is_some_and(|e| e.kind() == Kind::Number);
        if node.kind() == Kind::Array && node.len() > 0 && (0..node.len()).all(is_float) {
            let numbers: Option<Vec<[u8; 8]>> =
                (0..node.len()).map(|index| element.rounded(node.at(index)?.as_num()?)).collect();
            found.push((at, numbers.ok_or(EditError::NotFinite)?));
            return Ok(());
        }
        let mut children = self.arena.children(self.arena.cell(at));
        while let Some(at) = children.next() {
            self.float_arrays(at, element, found)?;
        }
        Ok(())
    }
}
