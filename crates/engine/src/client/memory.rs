//! What a connection takes that is no client of a RESP socket, told piece by piece: its buffers,
//! sessions, requests that come, answers that wait to be taken.
//!
//! ```text
//!   ClientMemory ─► the connection's sum ─► maxmemory-clients: the largest are closed
//!                └► ClientMemoryTotals::buffers ─► maxmemory, INFO, MEMORY STATS
//! ```
//!
//! Each piece is counted for as long as something holds its [`ClientMemory`], on whichever thread
//! that is, and given back when it is dropped. (RESP connections, of which there may be many more
//! and whose turns are short, add up all of theirs once a turn.)

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::client::Origin;

/// Bytes that are kept for a connection, counted until this is dropped. By default, for none.
#[derive(Debug, Default)]
pub struct ClientMemory {
    all: Arc<AtomicUsize>,
    connection: Option<Arc<AtomicUsize>>,
    bytes: usize,
}

impl ClientMemory {
    /// Nothing yet, of the connection that comes from there.
    #[must_use]
    pub fn new(all: &Arc<AtomicUsize>, origin: &Origin) -> Self {
        ClientMemory { all: Arc::clone(all), connection: origin.memory.clone(), bytes: 0 }
    }

    /// So many bytes more of the same connection.
    #[must_use]
    pub fn beside(&self, bytes: usize) -> Self {
        let (all, connection) = (Arc::clone(&self.all), self.connection.clone());
        let mut beside = ClientMemory { all, connection, bytes: 0 };
        beside.set(bytes);
        beside
    }

    /// Says how many bytes there are now; whether they have become more.
    pub fn set(&mut self, bytes: usize) -> bool {
        let before = std::mem::replace(&mut self.bytes, bytes);
        if bytes == before {
            return false;
        }
        for sum in std::iter::once(&self.all).chain(&self.connection) {
            // One addition, modulo the word: no reader sees the sum without what stays.
            sum.fetch_add(bytes.wrapping_sub(before), Ordering::Relaxed);
        }
        bytes > before
    }

    /// Counts some more.
    pub fn add(&mut self, bytes: usize) {
        self.set(self.bytes.saturating_add(bytes));
    }
}

impl Drop for ClientMemory {
    fn drop(&mut self) {
        self.set(0);
    }
}

/// Bytes that are counted as long as they are there.
pub struct CountedBytes<B> {
    bytes: B,
    _memory: ClientMemory,
}

impl<B: AsRef<[u8]>> CountedBytes<B> {
    /// These bytes, for the connection that `of` counts for.
    #[must_use]
    pub fn new(bytes: B, of: &ClientMemory) -> Self {
        let memory = of.beside(bytes.as_ref().len());
        CountedBytes { bytes, _memory: memory }
    }
}

impl<B: AsRef<[u8]>> AsRef<[u8]> for CountedBytes<B> {
    fn as_ref(&self) -> &[u8] {
        self.bytes.as_ref()
    }
}
