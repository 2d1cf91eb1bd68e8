//! Bytes that are held for a client outside its connection: by a request that another thread works
//! at, and by a reply on its way to the thread that owns the client.
//!
//! ```text
//!   another thread: the reply is made ─► posted ─► taken, and written where the connection counts
//!                   └─────── counted here ───────┘
//! ```
//!
//! They are a part of what all clients take, from which `maxmemory-clients` and `maxmemory` are
//! counted, so that however many replies are on their way they have a bound.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::Client;

/// What is held for a client: it counts as its memory until this is dropped.
pub(crate) struct Held {
    client: Arc<Client>,
    bytes: usize,
}

impl Held {
    /// So many bytes.
    pub fn new(client: &Arc<Client>, bytes: usize) -> Self {
        let mut held = Held { client: Arc::clone(client), bytes: 0 };
        held.holds(bytes);
        held
    }

    /// The same of what may be let go before this is.
    pub fn beside(&self, bytes: usize) -> Self {
        Held::new(&self.client, bytes)
    }

    /// How many bytes that is.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Says how many bytes there are now.
    pub fn holds(&mut self, bytes: usize) {
        let more = bytes.wrapping_sub(std::mem::replace(&mut self.bytes, bytes));
        let client = &self.client;
        let own = client.origin.memory.as_deref().unwrap_or(&client.bytes.elsewhere);
        for sum in [&*client.bytes.of_all, own] {
            // One addition, modulo the word: no reader sees the sum without what stays.
            sum.fetch_add(more, Ordering::Relaxed);
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.holds(0);
    }
}

/// A reply on its way to the thread that owns its client, encoded for the client's protocol.
pub struct PostedReply {
    bytes: Vec<u8>,
    /// Counts it; nothing does where there is no client.
    _held: Option<Held>,
}

impl PostedReply {
    /// A client's reply.
    pub(crate) fn new(client: &Arc<Client>, bytes: Vec<u8>) -> Self {
        let held = Held::new(client, bytes.capacity());
        PostedReply { bytes, _held: Some(held) }
    }
}

/// One that counts nowhere.
impl From<Vec<u8>> for PostedReply {
    fn from(bytes: Vec<u8>) -> Self {
        PostedReply { bytes, _held: None }
    }
}

impl Deref for PostedReply {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl fmt::Debug for PostedReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PostedReply").field(&String::from_utf8_lossy(&self.bytes)).finish()
    }
}
