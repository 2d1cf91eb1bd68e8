//! The change stream, read within this program: see `store/src/change_stream/mod.rs`.

use base::CmdError;
use store::ChangeReader;

use crate::engine::Engine;

impl Engine {
    /// A reader of all changes of keys from now on, whichever door they come through; the caller
    /// reads them in its own time, on any thread. Changes that wait to be read take no more than
    /// `backlog_limit` bytes, and count as used memory; what is beyond is told as a gap, and so is
    /// what a transaction changes beyond the largest limit of all readers. The caller holds no
    /// shard. O(shards).
    ///
    /// # Errors
    /// The dataset is being read, which is no change; or an overdue script holds a shard.
    pub fn changes(&self, backlog_limit: usize) -> Result<ChangeReader, CmdError> {
        self.durability.loaded()?;
        self.store.read_changes(backlog_limit).map_err(|_busy| self.busy())
    }
}
