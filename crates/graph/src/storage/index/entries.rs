//! The entries of an index, and how edits of the graph keep them true.
//!
//! An entry is the keys of the properties and the number of the node or edge. There is one for
//! each that has the label or type and the first of the properties; others that it lacks stand as
//! null. So an index on several properties finds by the first alone, too.

use blocks::Ledger;
use btree::{Part, Strings, Text};

use super::super::view::View;
use super::super::{Entity, KeyId, PropertyRef};
use super::{Of, On, key};

/// The entries of an index.
#[derive(Clone)]
pub(crate) struct Entries {
    pub part: Part<Strings>,
    /// How many segments have been entered; what is edited is entered in any case.
    pub built: usize,
    /// All have been.
    pub is_whole: bool,
}

/// Of which indexes an edit changes entries.
#[derive(Clone, Copy)]
pub(in super::super) enum Concern {
    /// Of all that the node or edge is in.
    All,
    /// Of those on a property.
    Key(KeyId),
    /// Of those of a label.
    Of(Of),
}

impl Concern {
    fn is(self, on: &On) -> bool {
        match self {
            Concern::All => true,
            Concern::Key(key) => on.keys.contains(&key),
            Concern::Of(of) => on.of == of,
        }
    }
}

/// The number behind the keys of an entry.
pub(super) fn id_of(entry: Text<'_>) -> u32 {
    let mut id = [0; 4];
    match entry.rest.last_chunk() {
        Some(last) => id = *last,
        // A part of it is what all of its node begin with.
        None => {
            let bytes = entry.prefix.iter().chain(entry.rest).rev();
            id.iter_mut().rev().zip(bytes).for_each(|(to, byte)| *to = *byte);
        }
    }
    u32::from_be_bytes(id)
}

impl View {
    /// Whether a node has the label, or an edge the type.
    pub(super) fn is_of(&self, entity: Entity, of: Of) -> bool {
        match (entity, of) {
            (Entity::Node(id), Of::Label(label)) => self.has_label(id, label),
            (Entity::Edge(id), Of::Type(kind)) => {
                self.ends(id).is_some_and(|ends| ends.kind == kind)
            }
            _ => false,
        }
    }

    /// Appends the keys of some properties of a node or an edge. Whether each has equals.
    pub(super) fn put_keys(&self, entity: Entity, keys: &[KeyId], out: &mut Vec<u8>) -> bool {
        let mut have_equals = true;
        for &key in keys {
            let at = out.len();
            key::put(self.property(entity, key), out);
            have_equals &= key::has_equals(out[at]);
        }
        have_equals
    }

    /// Appends the entry of a node or an edge that has the label or type. Whether it has one.
    pub(super) fn put_entry(&self, entity: Entity, on: &On, out: &mut Vec<u8>) -> bool {
        let first = on.keys.first().map(|&key| self.property(entity, key));
        if first.is_none_or(|value| matches!(value, PropertyRef::Null)) {
            return false;
        }
        self.put_keys(entity, &on.keys, out);
        out.extend(entity.id().to_be_bytes());
        true
    }

    /// Enters what a node or an edge is now.
    pub(in super::super) fn enter(&mut self, ledger: &mut Ledger, entity: Entity, which: Concern) {
        self.edit_entries(entity, which, |part, entry| {
            part.insert(ledger, entry);
        });
    }

    /// Removes the entries of what a node or an edge is now, before that is changed.
    pub(in super::super) fn withdraw(
        &mut self,
        ledger: &mut Ledger,
        entity: Entity,
        which: Concern,
    ) {
        self.edit_entries(entity, which, |part, entry| {
            part.remove(ledger, entry);
        });
    }

    fn edit_entries(
        &mut self,
        entity: Entity,
        which: Concern,
        mut edit: impl FnMut(&mut Part<Strings>, Text<'_>),
    ) {
        let mut entry = Vec::new();
        for number in 0..self.entries.len() {
            let on = &self.schema.get().indexes[number];
            entry.clear();
            let is_in = which.is(on) && self.is_of(entity, on.of);
            if is_in && self.put_entry(entity, on, &mut entry) {
                edit(&mut self.entries[number].part, Text::from(&entry[..]));
            }
        }
    }
}
