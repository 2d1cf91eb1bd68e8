//! Watchers: parts of this program that want to hear what happens to some keys.
//!
//! They hear the same events that are published to subscribers (`notify-keyspace-events`), whatever
//! that directive says, and without the detour through channels' names. While there is a watcher
//! the store tells all events but those of reads that miss; which of them are published too is
//! remembered here.
//!
//! ```text
//!   notifications of a txn ─► notifier ─┬─► channels: the classes that the directive names
//!                                     └─► watchers: of the database, whose keys or prefixes fit
//! ```
//!
//! A watcher is told under the locks of the shards: it may only queue the notification.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use base::{Class, Event};
use hashbrown::{HashMap, HashSet};
use parking_lot::RwLock;

/// A watcher.
pub trait Watcher: Send + Sync {
    /// Something has happened. Called with shards locked: must not wait, nor call the engine.
    fn hear(&self, event: &Event);
}

/// What is watched.
#[derive(Clone, Debug, Default)]
pub struct WatchedKeys {
    /// In this database.
    pub db: usize,
    /// These keys.
    pub keys: HashSet<Box<[u8]>>,
    /// And those that begin with one of these.
    pub prefixes: Vec<Box<[u8]>>,
}

impl WatchedKeys {
    /// The same without what is said twice: then one reason at most applies to a key.
    pub(crate) fn plain(mut self) -> Self {
        self.prefixes.sort_unstable();
        // A prefix sorts right before what begins with it, and `dedup` compares with what stays.
        self.prefixes.dedup_by(|longer, shorter| longer.starts_with(shorter));
        let prefixes = &self.prefixes;
        self.keys.retain(|key| !prefixes.iter().any(|prefix| key.starts_with(prefix)));
        self
    }
}

/// The watchers of a name, by number and database.
type WatchersOfName = Vec<(u64, usize, Arc<dyn Watcher>)>;
type ByName = HashMap<Box<[u8]>, WatchersOfName>;

/// All watches, and where each is found by.
#[derive(Default)]
pub(crate) struct Register {
    pub(crate) watches: HashMap<u64, WatchedKeys>,
    keys: ByName,
    /// By length, so that an event asks once for each length there is.
    prefixes: BTreeMap<usize, ByName>,
}

impl Register {
    pub(crate) fn add(&mut self, number: u64, watch: WatchedKeys, watcher: &Arc<dyn Watcher>) {
        let entry = || (number, watch.db, Arc::clone(watcher));
        for key in &watch.keys {
            self.keys.entry(key.clone()).or_default().push(entry());
        }
        for prefix in &watch.prefixes {
            let same_length = self.prefixes.entry(prefix.len()).or_default();
            same_length.entry(prefix.clone()).or_default().push(entry());
        }
        self.watches.insert(number, watch);
    }

    pub(crate) fn remove(&mut self, number: u64) {
        let Some(watch) = self.watches.remove(&number) else { return };
        for key in &watch.keys {
            leave(&mut self.keys, key, number);
        }
        for prefix in &watch.prefixes {
            let length = prefix.len();
            if let Some(same_length) = self.prefixes.get_mut(&length) {
                leave(same_length, prefix, number);
                if same_length.is_empty() {
                    self.prefixes.remove(&length);
                }
            }
        }
    }

    fn tell(&self, event: &Event) {
        let by_prefix = self.prefixes.iter().filter_map(|(&length, names)| {
            event.key.get(..length).and_then(|prefix| names.get(prefix))
        });
        for watchers in self.keys.get(&*event.key).into_iter().chain(by_prefix) {
            for (_, _, watcher) in watchers.iter().filter(|(_, db, _)| *db == event.db) {
                watcher.hear(event);
            }
        }
    }
}

fn leave(names: &mut ByName, name: &[u8], number: u64) {
    if let Some(watchers) = names.get_mut(name) {
        watchers.retain(|(other, _, _)| *other != number);
        if watchers.is_empty() {
            names.remove(name);
        }
    }
}

/// All watchers.
#[derive(Default)]
pub(crate) struct Watchers {
    pub(crate) all: RwLock<Register>,
    pub(crate) next: AtomicU64,
    /// The events that the directive wants published.
    pub(crate) published: AtomicU32,
}

/// The classes watchers hear of: a key that comes into being has another event of its own, and a
/// read that misses has changed nothing.
pub(crate) fn watched() -> u32 {
    let heard = Class::ALL.iter().filter(|class| !matches!(class, Class::New | Class::Missed));
    heard.fold(0, |bits, class| bits | class.bit())
}

impl Watchers {
    /// Whether an event is to be published in channels.
    pub fn publishes(&self, event: &Event) -> bool {
        self.published.load(Ordering::Relaxed) & event.class.bit() != 0
    }

    /// Tells its watchers.
    pub fn tell(&self, event: &Event) {
        if watched() & event.class.bit() != 0 {
            self.all.read().tell(event);
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.read().watches.len()
    }
}
