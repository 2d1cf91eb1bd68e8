//! `WATCH`: the clients that must be told that a key changed.

use std::sync::Arc;
use sync::atomic::{AtomicBool, Ordering};

use hashbrown::HashMap;

/// A session's flag: set when any key it watches has changed.
#[derive(Debug, Default)]
pub struct Watch {
    changed: AtomicBool,
}

impl Watch {
    /// Whether a watched key has changed.
    #[must_use]
    pub fn changed(&self) -> bool {
        // The shards' locks order this against the change itself.
        self.changed.load(Ordering::Relaxed)
    }

    /// Says that a watched key has changed.
    pub fn change(&self) {
        self.changed.store(true, Ordering::Relaxed);
    }
}

/// A key and its database.
type Place = (usize, Box<[u8]>);

/// The watched keys of one shard.
#[derive(Default)]
pub(crate) struct Watching {
    keys: HashMap<Place, Vec<Arc<Watch>>>,
}

impl Watching {
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    pub fn add(&mut self, db: usize, key: &[u8], watch: &Arc<Watch>) {
        self.keys.entry((db, key.into())).or_default().push(Arc::clone(watch));
    }

    pub fn remove(&mut self, db: usize, key: &[u8], watch: &Arc<Watch>) {
        let place = (db, Box::from(key));
        if let Some(watches) = self.keys.get_mut(&place) {
            watches.retain(|w| !Arc::ptr_eq(w, watch));
            if watches.is_empty() {
                self.keys.remove(&place);
            }
        }
    }

    /// Tells every client that watches `key`.
    pub fn touch(&self, db: usize, key: &[u8]) {
        if self.keys.is_empty() {
            return;
        }
        for watch in self.keys.get(&(db, Box::from(key))).into_iter().flatten() {
            watch.change();
        }
    }

    /// Tells every client that watches a key of `db` that `changed` says has changed.
    pub fn touch_db(&self, db: usize, changed: impl Fn(&[u8]) -> bool) {
        for ((at, key), watches) in &self.keys {
            if *at == db && changed(key) {
                watches.iter().for_each(|w| w.change());
            }
        }
    }
}
