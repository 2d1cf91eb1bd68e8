//! Keys that were met after their deadline. Reads do not change anything, so these are noted, and
//! deleted when the request is done.

use std::cell::RefCell;

use base::Key;

use super::noted_keys::{NotedKeys, OfKey};
use crate::Touched;

/// A key that was met after its deadline.
struct ExpiredKey {
    touched: Touched,
    /// The journal knows that it was missing from then on, or is about to be told.
    journalled: bool,
}

impl OfKey for ExpiredKey {
    fn hash(&self) -> u64 {
        self.touched.hash
    }

    fn is_of(&self, db: usize, key: &[u8]) -> bool {
        self.touched.db == db && *self.touched.key == *key
    }
}

/// See the [module](self).
#[derive(Default)]
pub(crate) struct ExpiredKeys(RefCell<Met>);

#[derive(Default)]
struct Met {
    keys: NotedKeys<ExpiredKey>,
    /// The places of those that the journal has yet to be told of.
    unjournalled: Vec<usize>,
}

impl ExpiredKeys {
    #[inline]
    pub fn is_empty(&mut self) -> bool {
        self.0.get_mut().keys.is_empty()
    }

    /// Notes a key; whether it is the first time.
    pub fn note(&self, db: usize, key: Key<'_>) -> bool {
        let Met { keys, unjournalled } = &mut *self.0.borrow_mut();
        let Some(place) = keys.find(db, key.hash, key.bytes) else {
            let touched = Touched { db, hash: key.hash, key: key.bytes.into() };
            unjournalled.push(keys.add(ExpiredKey { touched, journalled: false }));
            return true;
        };
        // It may have been made anew since, and be expired once more.
        let met = keys.at(place).filter(|met| met.journalled);
        if let Some(met) = met {
            met.journalled = false;
            unjournalled.push(place);
        }
        false
    }

    /// Whether a key was noted.
    pub fn has(&mut self, db: usize, hash: u64, key: &[u8]) -> bool {
        self.0.get_mut().keys.find(db, hash, key).is_some()
    }

    /// What was met in two databases goes with them when they change places, and is deleted where
    /// it then is.
    pub fn swap(&mut self, a: usize, b: usize) {
        for ExpiredKey { touched, .. } in self.0.get_mut().keys.iter_mut() {
            match touched.db {
                db if db == a => touched.db = b,
                db if db == b => touched.db = a,
                _ => {}
            }
        }
    }

    /// Whether the journal has yet to be told of some.
    #[inline]
    pub fn has_unjournalled(&mut self) -> bool {
        !self.0.get_mut().unjournalled.is_empty()
    }

    /// Tells of each that the journal has yet to be told of.
    pub fn journal(&mut self, mut tell: impl FnMut(&Touched)) {
        let Met { keys, unjournalled } = self.0.get_mut();
        for place in unjournalled.drain(..) {
            if let Some(met) = keys.at(place) {
                met.journalled = true;
                tell(&met.touched);
            }
        }
    }

    /// Takes all of them.
    pub fn take(&mut self) -> impl Iterator<Item = Touched> + use<> {
        let met = std::mem::take(self.0.get_mut());
        let Met { mut keys, .. } = met;
        keys.take().into_iter().map(|met| met.touched)
    }

    pub fn clear(&mut self) {
        drop(self.take());
    }
}
