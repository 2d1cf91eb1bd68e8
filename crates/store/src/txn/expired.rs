//! Keys that were met after their deadline. Reads do not change anything, so these are noted, and
//! deleted when the request is done.

use std::cell::RefCell;

use base::Key;

use crate::Touched;

/// A key that was met after its deadline.
pub(crate) struct ExpiredKey {
    pub touched: Touched,
    /// The journal knows that it was missing from then on.
    pub journalled: bool,
}

/// See the [module](self).
#[derive(Default)]
pub(crate) struct ExpiredKeys(RefCell<Vec<ExpiredKey>>);

impl ExpiredKeys {
    #[inline]
    pub fn is_empty(&mut self) -> bool {
        self.0.get_mut().is_empty()
    }

    /// Notes a key; whether it is the first time.
    pub fn note(&self, db: usize, key: Key<'_>) -> bool {
        let mut expired = self.0.borrow_mut();
        let is_this = |met: &&mut ExpiredKey| {
            met.touched.db == db && met.touched.hash == key.hash && *met.touched.key == *key.bytes
        };
        if let Some(met) = expired.iter_mut().find(is_this) {
            // It may have been made anew since, and be expired once more.
            met.journalled = false;
            return false;
        }
        let touched = Touched { db, hash: key.hash, key: key.bytes.into() };
        expired.push(ExpiredKey { touched, journalled: false });
        true
    }

    /// Whether a key was noted.
    pub fn has(&mut self, db: usize, key: &[u8]) -> bool {
        self.0.get_mut().iter().any(|met| met.touched.db == db && *met.touched.key == *key)
    }

    /// What was met in two databases goes with them when they change places, and is deleted where
    /// it then is.
    pub fn swap(&mut self, a: usize, b: usize) {
        for ExpiredKey { touched, .. } in self.0.get_mut() {
            match touched.db {
                db if db == a => touched.db = b,
                db if db == b => touched.db = a,
                _ => {}
            }
        }
    }

    /// Takes all of them.
    pub fn take(&mut self) -> Vec<ExpiredKey> {
        std::mem::take(self.0.get_mut())
    }

    /// Puts back what was taken; nothing was noted meanwhile.
    pub fn put_back(&mut self, expired: Vec<ExpiredKey>) {
        *self.0.get_mut() = expired;
    }

    pub fn clear(&mut self) {
        self.0.get_mut().clear();
    }
}
