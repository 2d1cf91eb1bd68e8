//! The table of a large hash or set, which notes what it was for an incremental copy.

use std::ops::Deref;

use base::Copier;
use table::size_class;

use crate::hasher::{self, Index, hash_in, new_index};
use crate::pre_image::{Noted, Trace};

/// See the [module](self). Dereferences to the table, to be read.
pub(crate) struct Traced {
    index: Index,
    pre_image: Trace<Noted>,
}

impl Deref for Traced {
    type Target = Index;

    #[inline]
    fn deref(&self) -> &Index {
        &self.index
    }
}

impl Default for Traced {
    fn default() -> Self {
        Traced { index: new_index(), pre_image: Trace::default() }
    }
}

impl Traced {
    /// Puts a name and what belongs to it; whether the name is new. O(1).
    #[inline]
    pub fn put(&mut self, name: &[u8], value: &[u8]) -> bool {
        let hash = hash_in(&self.index, name);
        if self.pre_image.is_on() {
            self.note(hash, name);
        }
        self.index.put_bytes(hash, name, value).inserted
    }

    /// Takes a name out; whether it was there. O(1).
    #[inline]
    pub fn remove(&mut self, name: &[u8]) -> bool {
        let hash = hash_in(&self.index, name);
        if self.pre_image.is_on() {
            self.note(hash, name);
        }
        self.index.remove(hash, name).is_some()
    }

    #[cold]
    fn note(&mut self, hash: u64, name: &[u8]) {
        let was = self.index.find(hash, name);
        let was = was.map(|entry| entry.bytes().unwrap_or_default());
        self.pre_image.note(1, |noted| noted.note(name, was));
    }

    /// Heap bytes, without notes. O(1).
    pub fn heap(&self) -> usize {
        size_class(size_of::<Traced>()) + self.index.memory()
    }

    /// See `Hash::follow`.
    pub fn follow(&mut self, copier: &Copier) {
        self.pre_image.begin(copier, self.index.memory(), Noted::default());
    }

    /// See `Hash::noted`.
    pub fn noted(&mut self, copier: &Copier) -> Option<Noted> {
        self.pre_image.of(copier).map(std::mem::take)
    }

    /// See `Hash::unfollow`.
    pub fn unfollow(&mut self) {
        self.pre_image.end();
    }
}

impl Clone for Traced {
    fn clone(&self) -> Self {
        Traced { index: hasher::copy(&self.index), pre_image: Trace::default() }
    }
}
