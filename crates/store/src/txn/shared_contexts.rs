//! What the values share that one transaction makes: names of members, compiled paths. And how many
//! bytes of it the store knows of.

use types::Contexts;

use crate::Store;

/// See the [module](self).
pub(crate) struct SharedContexts {
    pub contexts: Box<Contexts>,
    reported: usize,
}

impl SharedContexts {
    pub fn new(seed: u64) -> Self {
        SharedContexts { contexts: Box::new(Contexts::new(seed)), reported: 0 }
    }

    /// Tells the store how many bytes they take.
    pub fn report(&mut self, store: &Store) {
        let bytes = self.contexts.memory();
        self.tell(store, bytes);
    }

    /// Tells the store that they are gone.
    pub fn end(&mut self, store: &Store) {
        self.tell(store, 0);
    }

    fn tell(&mut self, store: &Store, bytes: usize) {
        let before = std::mem::replace(&mut self.reported, bytes);
        if bytes != before {
            store.memory.share(bytes as i64 - before as i64);
        }
    }
}
