//! Watching keys from within this program: see `notify/watch.rs`.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::engine::Engine;
use crate::engine::worker::Worker;
use crate::notify::events::{event_bits, wanted_events};
use crate::notify::watch::{WatchedKeys, Watcher, watched};

/// A watch that lasts until it is dropped.
pub struct Watching {
    engine: Arc<Engine>,
    number: u64,
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.engine.notify.watchers.all.write().remove(self.number);
        self.engine.follow_events();
    }
}

impl Engine {
    /// Tells the store which events are wanted.
    pub(crate) fn follow_events(&self) {
        // One at a time, so that the last to look is the last to say.
        let all = self.notify.watchers.all.write();
        let published = wanted_events(&self.config());
        self.notify.watchers.published.store(published, Ordering::SeqCst);
        let heard = if all.watches.is_empty() { 0 } else { watched() };
        self.store.set_interest(event_bits(), published | heard);
    }

    /// How many watch keys from within this program.
    #[must_use]
    pub fn watchers(&self) -> usize {
        self.notify.watchers.len()
    }
}

impl Worker {
    /// Has `watcher` told of what happens from now on: nothing that happens after this returns is
    /// missed. O(shards).
    #[must_use]
    pub fn watch(&mut self, watch: WatchedKeys, watcher: Arc<dyn Watcher>) -> Watching {
        let engine = Arc::clone(&self.engine);
        let number = engine.notify.watchers.next.fetch_add(1, Ordering::Relaxed);
        engine.notify.watchers.all.write().add(number, watch.plain(), &watcher);
        engine.follow_events();
        // A thread that holds a shard now may not have seen that there is a listener; one that
        // takes it after this has. Should one not be had, a script has it, whose end comes after as
        // well.
        self.txn.held.let_others_pass();
        Watching { engine, number }
    }
}
