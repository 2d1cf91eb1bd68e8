//! The names in scope, each with its slot.

use std::collections::HashMap;
use std::sync::Arc;

use crate::plan::Slot;

/// A name with its slot.
pub type Named = (Arc<str>, Slot);

/// The names in scope, in the order in which they were bound. Of several that are the same the last
/// is meant.
#[derive(Clone, Debug, Default)]
pub struct Names {
    list: Vec<Named>,
    slots: HashMap<Arc<str>, Vec<Slot>>,
}

impl Names {
    /// These names and no others.
    pub fn of(list: impl IntoIterator<Item = Named>) -> Names {
        let mut names = Names::default();
        names.extend(list);
        names
    }

    /// The slot of a name.
    pub fn find(&self, name: &str) -> Option<Slot> {
        self.slots.get(name)?.last().copied()
    }

    /// Binds a name.
    pub fn push(&mut self, name: Arc<str>, slot: Slot) {
        self.slots.entry(Arc::clone(&name)).or_default().push(slot);
        self.list.push((name, slot));
    }

    /// Binds names.
    pub fn extend(&mut self, names: impl IntoIterator<Item = Named>) {
        names.into_iter().for_each(|(name, slot)| self.push(name, slot));
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Forgets all names behind so many, and tells them.
    pub fn split_off(&mut self, len: usize) -> Vec<Named> {
        let gone = self.list.split_off(len);
        for (name, _) in gone.iter().rev() {
            if let Some(slots) = self.slots.get_mut(name) {
                slots.pop();
                if slots.is_empty() {
                    self.slots.remove(name);
                }
            }
        }
        gone
    }

    /// The names behind so many.
    pub fn since(&self, len: usize) -> &[Named] {
        &self.list[len..]
    }

    /// All names, in the order of their letters, each with the slot that is meant.
    pub fn sorted(&self) -> Vec<Named> {
        let meant = |(name, slots): (&Arc<str>, &Vec<Slot>)| {
            slots.last().map(|&slot| (Arc::clone(name), slot))
        };
        let mut all: Vec<Named> = self.slots.iter().filter_map(meant).collect();
        all.sort();
        all
    }
}
