//! Changing objects: members come at the end and go from anywhere; the others keep their order.
//!
//! An object that gains or loses a member takes another shape, if there is one of these names or
//! the names were met before. Otherwise it gets names of its own.

use crate::arena::{LIMIT, word};
use crate::cell::{Cell, SHORT, tag};
use crate::edit::{EditError, Spot};
use crate::escape::is_clean;
use crate::hash::{extend, hash};
use crate::layout::{Form, GROUP, Object, ranks_block};
use crate::members::{PAIRS, add_to_index, push_pairs, push_shaped, push_table};
use crate::node::Node;
use crate::registry::Registry;
use crate::shape::{SHAPE_NAMES, Shape};
use crate::tree::{Kind, Tree};
use crate::value::{Probe, Value};

impl Value {
    /// Adds a member at the end of an object, or replaces the value of the one that has the name;
    /// whether it was added.
    ///
    /// # Errors
    /// [`EditError::NotFound`], [`EditError::WrongType`], [`EditError::Depth`],
    /// [`EditError::TooLarge`].
    pub fn set_member(
        &mut self,
        location: &[usize],
        name: &str,
        value: Node<'_>,
        registry: &mut Registry,
    ) -> Result<bool, EditError> {
        let Spot::Cell(at) = self.spot(location)? else { return Err(EditError::WrongType) };
        let node = Node::new(self, at);
        if node.kind() != Kind::Object {
            return Err(EditError::WrongType);
        }
        self.admit(value, location.len() + 1, node.len() * 32 + name.len())?;
        let object = self.arena.object(self.arena.cell(at));
        let entry = object.and_then(|object| self.find(&object, name.as_bytes()));
        if let (Some(object), Some(entry)) = (object, entry) {
            self.replace_cell(object.value(entry), value, registry);
        } else {
            let cells = self.take_in(&[value], registry);
            self.add_member(at, name, Cell(cells[0]), registry);
        }
        self.settle(registry);
        Ok(entry.is_none())
    }

    fn add_member(&mut self, at: usize, name: &str, value: Cell, registry: &mut Registry) {
        let cell = self.arena.cell(at);
        let Some(object) = self.arena.object(cell) else {
            let name = self.own_name(name.as_bytes());
            let pairs = push_pairs(&mut self.arena, &[name.0], &[value.0]);
            return self.arena.set_cell(at, pairs);
        };
        match object.form {
            Form::Shaped(_) if self.add_to_shape(at, &object, name, value, registry) => {}
            Form::Table { cap, index, .. }
                if object.used < cap && self.has_free_slots(index, object.len) =>
            {
                self.add_to_table(&object, cap, index, name.as_bytes(), value);
            }
            _ => {
                let (mut names, mut values) = self.entries(&object);
                names.push(self.own_name(name.as_bytes()).0);
                values.push(value.0);
                self.lay_down(at, Some(object), &names, &values);
            }
        }
    }

    /// A name in the arena, not shared.
    fn own_name(&mut self, name: &[u8]) -> Cell {
        let clean = is_clean(name);
        if name.len() <= SHORT {
            return Cell::short(name, clean);
        }
        Cell::block(tag::STRING, self.arena.push_text(name, clean))
    }

    /// Names and values of an object; those of a shape are copied into the arena.
    fn entries(&mut self, object: &Object) -> (Vec<u32>, Vec<u32>) {
        let (mut names, mut values) = (Vec::new(), Vec::new());
        for entry in 0..object.used {
            if self.is_hole(object, entry) {
                continue;
            }
            names.push(match object.form {
                Form::Shaped(_) => {
                    let name = self.name(object, entry).to_vec();
                    self.own_name(&name).0
                }
                _ => self.arena.word(object.name(entry)),
            });
            values.push(self.arena.word(object.value(entry)));
        }
        (names, values)
    }

    /// Puts an object with names of its own in the place of one, whose names and values it has.
    fn lay_down(&mut self, at: usize, old: Option<Object>, names: &[u32], values: &[u32]) {
        let cell = if names.is_empty() {
            Cell::EMPTY_OBJECT
        } else if names.len() <= PAIRS {
            push_pairs(&mut self.arena, names, values)
        } else {
            let hashes: Vec<u64> = names.iter().map(|&name| self.hash_of(Cell(name))).collect();
            let cap = names.len() + names.len() / 2;
            push_table(&mut self.arena, names, values, hashes.into_iter(), cap)
        };
        if let Some(old) = old {
            self.arena.give_up_table(old);
            self.arena.give_up(old.head, old.block());
        }
        self.arena.set_cell(at, cell);
    }

    /// The hash of a name, wherever its cell is.
    fn hash_of(&self, name: Cell) -> u64 {
        match name.tag() {
            tag::SHORT => {
                let bytes = name.0.to_le_bytes();
                hash(&bytes[1..=name.as_short().0])
            }
            tag::PAGED => {
                let (place, number) = name.as_paged();
                hash(self.page(place).map_or(b"", |page| page.get(number).0))
            }
            _ => hash(self.arena.text(name.offset()).0),
        }
    }

    /// Adds a member to an object of a shape, if there is a shape to take; whether there is.
    fn add_to_shape(
        &mut self,
        at: usize,
        object: &Object,
        name: &str,
        value: Cell,
        registry: &mut Registry,
    ) -> bool {
        let names: Vec<String> = self.names(object).chain([name.to_owned()]).collect();
        let mut values = self.values(object);
        values.push(value.0);
        self.take_shape(at, object, &names, &values, registry)
    }

    fn names(&self, object: &Object) -> impl Iterator<Item = String> {
        let text = |entry| String::from_utf8_lossy(self.name(object, entry)).into_owned();
        (0..object.len).map(text)
    }

    fn values(&self, object: &Object) -> Vec<u32> {
        (0..object.len).map(|entry| self.arena.word(object.value(entry))).collect()
    }

    /// Puts an object of these names in the place of one, if there is a shape of them; whether
    /// there is.
    fn take_shape(
        &mut self,
        at: usize,
        old: &Object,
        names: &[String],
        values: &[u32],
        registry: &mut Registry,
    ) -> bool {
        if names.len() > SHAPE_NAMES {
            return false;
        }
        let list = names.iter().fold(0, |list, name| extend(list, hash(name.as_bytes())));
        let text = |n: usize| names[n].as_bytes();
        registry.begin(&self.shared);
        let id = match registry.find_shape(list, names.len(), text) {
            Some(id) => Some(id),
            None if registry.met(list) => {
                let names = names.iter().map(String::as_str);
                Some(registry.add_shape(Shape::new(list, names)))
            }
            None => None,
        };
        let place = id.map(|id| registry.place_of(id));
        registry.finish(&mut self.shared);
        let Some(place) = place.filter(|&place| place < 1 << 24) else { return false };
        self.arena.give_up(old.head, old.block());
        let cell = push_shaped(&mut self.arena, place as usize, values);
        self.arena.set_cell(at, cell);
        true
    }

    /// Whether an index has slots to spare, those that were deleted counted as taken.
    fn has_free_slots(&self, index: usize, len: usize) -> bool {
        let (slots, taken) = (self.arena.word(index), self.arena.word(index + 4));
        debug_assert!(taken as usize >= len);
        u64::from(taken + 1) * 8 <= u64::from(slots) * 7
    }

    fn add_to_table(
        &mut self,
        object: &Object,
        cap: usize,
        index: usize,
        name: &[u8],
        value: Cell,
    ) {
        add_to_index(&mut self.arena, index, cap, hash(name), object.used);
        let taken = self.arena.word(index + 4);
        self.arena.set_word(index + 4, taken + 1);
        let name = self.own_name(name);
        self.arena.set_cell(object.name(object.used), name);
        self.arena.set_cell(object.value(object.used), value);
        if let Form::Table { ranks, .. } = object.form
            && ranks != 0
            && object.used.is_multiple_of(GROUP)
        {
            self.arena.set_word(ranks + object.used / GROUP * 4, word(object.len));
        }
        self.arena.set_word(object.head, word(object.len + 1));
        self.arena.set_word(object.head + 4, word(object.used + 1));
    }

    /// Takes an entry out of an object.
    pub(crate) fn remove_member(&mut self, at: usize, entry: usize, registry: &mut Registry) {
        let cell = self.arena.cell(at);
        let Some(object) = self.arena.object(cell) else { return };
        if object.len == 1 {
            self.arena.give_up_value(cell);
            return self.arena.set_cell(at, Cell::EMPTY_OBJECT);
        }
        match object.form {
            Form::Table { cap, index, .. } => {
                self.remove_from_table(at, &object, cap, index, entry);
            }
            Form::Pairs => {
                self.arena.give_up_value(self.arena.cell(object.value(entry)));
                self.arena.give_up_value(self.arena.cell(object.name(entry)));
                let behind = (object.len - entry - 1) * 8;
                self.arena.copy_within(object.name(entry + 1), behind, object.name(entry));
                self.arena.set_word(object.head, word(object.len - 1));
                self.arena.give_up(object.head + object.block() - 8, 8);
            }
            Form::Shaped(_) => self.remove_from_shape(at, &object, entry, registry),
        }
    }

    fn remove_from_shape(
        &mut self,
        at: usize,
        object: &Object,
        entry: usize,
        registry: &mut Registry,
    ) {
        self.arena.give_up_value(self.arena.cell(object.value(entry)));
        let mut names: Vec<String> = self.names(object).collect();
        let mut values = self.values(object);
        names.remove(entry);
        values.remove(entry);
        if !self.take_shape(at, object, &names, &values, registry) {
            let names: Vec<u32> =
                names.iter().map(|name| self.own_name(name.as_bytes()).0).collect();
            self.lay_down(at, Some(*object), &names, &values);
        }
    }

    fn remove_from_table(
        &mut self,
        at: usize,
        object: &Object,
        cap: usize,
        index: usize,
        entry: usize,
    ) {
        let name = self.arena.cell(object.name(entry));
        let mut probe = Probe::new(&self.arena, index, cap, self.hash_of(name));
        loop {
            match probe.slot(&self.arena) {
                0 => return, // never: every entry is in the index
                slot if slot == entry + 2 => break,
                _ => probe.next(),
            }
        }
        probe.set_slot(&mut self.arena, 1);
        self.arena.give_up_value(self.arena.cell(object.value(entry)));
        self.arena.give_up_value(name);
        self.arena.set_cell(object.name(entry), Cell::HOLE);
        self.arena.set_cell(object.value(entry), Cell::HOLE);
        self.arena.set_word(object.head, word(object.len - 1));
        if entry + 1 == object.used {
            self.arena.set_word(object.head + 4, word(entry));
        } else {
            self.lower_ranks(object, cap, entry);
        }
        let Some(left) = self.arena.object(self.arena.cell(at)) else { return };
        if left.len * 2 < left.used {
            let (names, values) = self.entries(&left);
            self.lay_down(at, Some(left), &names, &values);
        }
    }

    /// Counts a new hole.
    fn lower_ranks(&mut self, object: &Object, cap: usize, entry: usize) {
        let Form::Table { ranks, .. } = object.form else { return };
        let groups = cap.div_ceil(GROUP);
        let ranks = if ranks != 0 {
            ranks
        } else {
            let ranks = self.arena.alloc(ranks_block(cap));
            for group in 0..groups {
                self.arena.set_word(ranks + group * 4, word((group * GROUP).min(object.used)));
            }
            self.arena.set_word(object.head + 16, word(ranks));
            ranks
        };
        let first = entry / GROUP + 1;
        let later = self.arena.bytes_mut(ranks + first * 4, (groups - first) * 4);
        for rank in later.as_chunks_mut::<4>().0 {
            *rank = (u32::from_le_bytes(*rank) - 1).to_le_bytes();
        }
    }

    /// Applies a merge patch (RFC 7396) to what is at a location: members of the patch replace
    /// those of the same name, `null` deletes them, and objects are merged in turn.
    ///
    /// # Errors
    /// [`EditError::NotFound`], [`EditError::Depth`], [`EditError::TooLarge`]; then nothing is
    /// changed.
    pub fn merge(
        &mut self,
        location: &[usize],
        patch: Node<'_>,
        registry: &mut Registry,
    ) -> Result<(), EditError> {
        let spot = self.spot(location)?;
        let members = self.node_at(spot).map_or(0, Tree::len);
        self.admit(patch, location.len(), members * 64 + self.unpacked(spot))?;
        let mut location = location.to_vec();
        if self.arena.len() + patch.home.arena.len() < LIMIT / 4 {
            return self.merge_at(&mut location, patch, registry);
        }
        // Room might be found missing on the way.
        let mut merged = self.clone();
        merged.merge_at(&mut location, patch, registry)?;
        *self = merged;
        Ok(())
    }

    fn merge_at(
        &mut self,
        location: &mut Vec<usize>,
        patch: Node<'_>,
        registry: &mut Registry,
    ) -> Result<(), EditError> {
        if patch.kind() != Kind::Object {
            return self.replace(location, patch, registry);
        }
        let spot = self.spot(location)?;
        if self.node_at(spot).map(Tree::kind) != Some(Kind::Object) {
            let at = self.cell_at(spot);
            self.arena.give_up_value(self.arena.cell(at));
            self.arena.set_cell(at, Cell::EMPTY_OBJECT);
        }
        for position in 0..patch.len() {
            let (Some(name), Some(value)) = (patch.name_at(position), patch.at(position)) else {
                continue;
            };
            let spot = self.spot(location)?;
            let target = self.node_at(spot);
            let found = target.and_then(|target| target.member(name)).map(|(found, _)| found);
            match (value.kind(), found) {
                (Kind::Null, None) => {}
                (Kind::Null, Some(found)) => {
                    location.push(found);
                    self.delete(location, registry)?;
                    location.pop();
                }
                (Kind::Object, found) => {
                    let found = match found {
                        Some(found) => found,
                        None => {
                            let last = target.map_or(0, Tree::len);
                            let at = self.cell_at(spot);
                            self.add_member(at, name, Cell::EMPTY_OBJECT, registry);
                            last
                        }
                    };
                    location.push(found);
                    self.merge_at(location, value, registry)?;
                    location.pop();
                }
                _ => {
                    self.set_member(location, name, value, registry)?;
                }
            }
        }
        Ok(())
    }
}
