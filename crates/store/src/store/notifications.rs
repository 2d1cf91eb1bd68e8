//! Notifications of a transaction: keyspace events, and invalidations of cached copies.
//!
//! ```text
//!   command ─► TxnNotifications ── before the locks are released ──► NotificationSink ─► mailboxes
//! ```
//!
//! A transaction gathers its notifications while it runs and hands them over at its end, while it
//! still holds its shards: so a key's notifications are delivered in the order of its changes,
//! whichever threads made them. (Before a command of `EXEC` that may change subscriptions runs,
//! what came before it is delivered.) The sink only queues: it must not wait, nor lock a shard.
//!
//! Which notifications are wanted is one word of bits
//! ([`Store::interest`](crate::Store::interest)), read when the locks have been taken. A client
//! begins to listen to a key under the key's lock and after its bit was set; so a later holder of
//! that lock sees the bit.

use std::sync::OnceLock;
use sync::atomic::{AtomicU32, Ordering};

use base::Event;

use crate::{Ids, Txn};

/// Of [`Store::interest`](crate::Store::interest): events are published in a channel per key. (The
/// bits below are those of the classes of events, see [`Class::bit`](base::Class::bit).)
pub const BY_KEY: u32 = 1 << 24;
/// Of [`Store::interest`](crate::Store::interest): events are published in a channel per event.
pub const BY_EVENT: u32 = 1 << 25;
/// Of [`Store::interest`](crate::Store::interest): readers of keys are remembered.
pub const READERS: u32 = 1 << 26;
/// Of [`Store::interest`](crate::Store::interest): a client tracks every change.
pub const BROADCAST: u32 = 1 << 27;

/// Of [`Store::interest`](crate::Store::interest): the change stream has a
/// consumer.
pub const CHANGES: u32 = 1 << 28;

/// A notification.
#[derive(Debug)]
pub enum Notification {
    /// Something happened to a key.
    Event(Event),
    /// Copies of a key's value are stale, in whatever database.
    Stale {
        /// The key.
        key: Box<[u8]>,
        /// The clients that have read it since the last such notification.
        readers: Ids,
        /// A client changed it: the one that asked. Otherwise the server did, by expiry or to
        /// bound its table of readers.
        asked: bool,
        /// The key has changed: a notification also for clients that track every change. Otherwise
        /// only its readers have been forgotten.
        changed: bool,
    },
    /// Copies of all keys are stale.
    Flushed,
}

/// Where notifications go.
pub trait NotificationSink: Send + Sync {
    /// Hands notifications on. Those to the client with number `asker`, whose request is running,
    /// may go to `own`, encoded: it gets them behind the reply. Called with shards locked: must not
    /// wait for anything but short locks of its own.
    fn deliver(&self, notifications: Vec<Notification>, asker: u64, own: &mut Vec<u8>);

    /// Serves the clients that wait for the keys of [`take_ready`](crate::Changes::take_ready).
    /// Called under the locks of all that was found to be needed.
    fn serve(&self, txn: &mut Txn);
}

/// Bits that every transaction reads and that are hardly ever written: apart from what is written
/// often.
#[derive(Default)]
#[repr(align(128))]
struct Interest(AtomicU32);

/// What is to be told, and to whom.
#[derive(Default)]
pub(crate) struct Listeners {
    interest: Interest,
    sink: OnceLock<Box<dyn NotificationSink>>,
}

impl Listeners {
    /// Which notifications are wanted.
    #[inline]
    pub fn interest(&self) -> u32 {
        self.interest.0.load(Ordering::Relaxed)
    }

    /// Sets those of the bits `which` that are in `wanted`, and clears the others of them.
    pub fn set_interest(&self, which: u32, wanted: u32) {
        // Each part of the engine changes its own bits under a lock of its own.
        self.interest.0.fetch_or(which & wanted, Ordering::SeqCst);
        self.interest.0.fetch_and(!which | wanted, Ordering::SeqCst);
    }

    /// Where notifications go.
    #[inline]
    pub fn sink(&self) -> Option<&dyn NotificationSink> {
        self.sink.get().map(AsRef::as_ref)
    }

    /// Sets that. Only the first call has an effect.
    pub fn set_sink(&self, sink: Box<dyn NotificationSink>) {
        // Setting it twice is a mistake of the caller's that changes nothing.
        let _ = self.sink.set(sink);
    }
}
