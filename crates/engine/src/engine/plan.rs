//! From a request's words to the shards it must hold.

use base::{Locks, Spec};
use store::{Scope, Store};

/// Reusable memory for planning.
#[derive(Default)]
pub struct Plan {
    positions: Vec<usize>,
    shards: Vec<usize>,
    every: bool,
}

impl Plan {
    /// Starts an empty plan.
    pub fn clear(&mut self) {
        self.shards.clear();
        self.every = false;
    }

    /// Adds the shards of a request. A request whose keys cannot be found in its arguments gets
    /// none: it will fail while its arguments are parsed, before it touches a key.
    pub fn add(&mut self, store: &Store, spec: &Spec, argv: &[&[u8]]) {
        match (spec.behaviour.cost.locks)(argv) {
            Locks::Nothing => {}
            Locks::Every => self.every = true,
            Locks::Each => {}
            Locks::Keys => {
                self.positions.clear();
                if spec.key_positions(argv, &mut self.positions).is_ok() {
                    let hasher = store.hasher();
                    let shard = |&p: &usize| store.shard_of(hasher.hash(argv[p]));
                    self.shards.extend(self.positions.iter().map(shard));
                }
            }
        }
    }

    /// Adds the shards of keys.
    pub fn add_keys(&mut self, store: &Store, keys: &[&[u8]]) {
        let hasher = store.hasher();
        self.shards.extend(keys.iter().map(|key| store.shard_of(hasher.hash(key))));
    }

    /// Makes the plan hold every shard: inside a transaction a walk cannot lock on its own.
    pub fn add_every(&mut self) {
        self.every = true;
    }

    /// Adds one shard.
    pub fn add_shard(&mut self, shard: usize) {
        self.shards.push(shard);
    }

    /// What to lock.
    pub fn scope(&mut self) -> Scope<'_> {
        if self.every {
            return Scope::All;
        }
        self.shards.sort_unstable();
        self.shards.dedup();
        match self.shards.as_slice() {
            [] => Scope::None,
            [one] => Scope::One(*one),
            many => Scope::Many(many),
        }
    }
}
