//! Awaited keys whose queues are to be looked at under locks of their own: they went by their
//! deadline or with their whole database, or were fed by a thread whose locks do not suffice to
//! serve the clients that wait.

use sync::Mutex;
use sync::atomic::{AtomicBool, Ordering};

use crate::Touched;

/// Awaited keys that went, or were fed, and have to be looked at.
#[derive(Default)]
pub struct KeysToServe {
    keys: Mutex<Vec<Touched>>,
    any: AtomicBool,
    /// Those of them whose shard an overdue request held.
    put_off: Mutex<Vec<Touched>>,
}

impl KeysToServe {
    /// Notes one.
    pub fn note(&self, key: Touched) {
        self.keys.lock().push(key);
        self.any.store(true, Ordering::Release);
    }

    /// Notes one that could not be looked at, as an overdue request holds a shard. It is looked at
    /// after [`retry_put_off`](Self::retry_put_off): requests meanwhile need not try in vain.
    pub fn put_off(&self, key: Touched) {
        let mut put_off = self.put_off.lock();
        let is_it = |known: &Touched| known.db == key.db && known.key == key.key;
        if !put_off.iter().any(is_it) {
            put_off.push(key);
        }
    }

    /// Notes all that were put off anew. Called every so often, by one thread.
    pub fn retry_put_off(&self) {
        let put_off = std::mem::take(&mut *self.put_off.lock());
        put_off.into_iter().for_each(|key| self.note(key));
    }

    /// Whether some have been noted since they were last taken.
    #[inline]
    #[must_use]
    pub fn is_any(&self) -> bool {
        self.any.load(Ordering::Acquire)
    }

    /// Those noted since this was last asked.
    #[must_use]
    pub fn take(&self) -> Vec<Touched> {
        if !self.is_any() {
            return Vec::new();
        }
        let mut keys = self.keys.lock();
        self.any.store(false, Ordering::Release);
        std::mem::take(&mut keys)
    }
}
