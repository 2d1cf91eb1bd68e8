//! A copy of the dataset on its way to a client: what `SYNC` and `PSYNC` begin and the door ends.
//!
//! ```text
//!   REPLCONF rdb-only 1 ─► SYNC ─► Message::Transfer ─► the door: a thread that makes the copy,
//!                                                        and one that sends it, then closes
//! ```
//!
//! The engine knows what is sent, the door how: the file may be large and the reader slow, so
//! neither may go through the buffers of a connection.

use std::any::Any;
use std::fs::File;
use std::sync::Arc;

/// What a client has said of itself with `REPLCONF`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Replica {
    /// It wants one copy and nothing behind it.
    pub rdb_only: bool,
    /// It knows a copy whose length is not told beforehand, but its end by a mark.
    pub takes_marks: bool,
    /// Of all data it wants nothing.
    pub no_data: bool,
}

/// A file for Redis, without a name.
#[derive(Debug)]
pub struct Rdb {
    /// The file; to be read at offsets, as others read it too.
    pub file: File,
    /// Its length.
    pub bytes: u64,
    /// Keys in it.
    pub keys: u64,
}

/// One copy for one client.
pub struct Transfer {
    /// The wait of the client's session that it ends.
    pub ticket: u64,
    /// What is sent before everything else.
    pub greeting: Vec<u8>,
    /// The end is marked; otherwise the length is told.
    pub marked: bool,
    /// Makes what is sent.
    pub(crate) make: Box<dyn Fn() -> Result<Arc<Rdb>, String> + Send + Sync>,
    /// Among the requests that other threads work at, until it is sent.
    pub(crate) _place: Option<Box<dyn Any + Send + Sync>>,
}

impl Transfer {
    /// Makes the copy, of a moment within this call. Waits for the disk: not for a worker's thread.
    ///
    /// # Errors
    /// What the client is told.
    pub fn prepare(&self) -> Result<Arc<Rdb>, String> {
        (self.make)()
    }
}

impl std::fmt::Debug for Transfer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Transfer").field("ticket", &self.ticket).finish_non_exhaustive()
    }
}
