//! Reading, within this program, what changes in the dataset: see `store/src/feed/mod.rs`.

use base::CmdError;
use store::Subscription;

use crate::engine::Engine;

impl Engine {
    /// Subscribes to all changes of keys from now on, whichever door they come through; the caller
    /// reads them in its own time, on any thread. Changes that wait to be read take no more than
    /// `room` bytes, each shard its share of it, and count as used memory; what finds no room is
    /// told as a gap. The caller holds no shard. O(shards).
    ///
    /// # Errors
    /// The dataset is being read, which is no change; or an overdue script holds a shard.
    pub fn changes(&self, room: usize) -> Result<Subscription, CmdError> {
        self.durability.loaded()?;
        self.store.subscribe(room / self.store.shards()).map_err(|_busy| self.busy())
    }
}
