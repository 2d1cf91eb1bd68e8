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
//! Which notifications are wanted is one word of bits ([`Store::interest`]), read when the locks
//! have been taken. A client begins to listen to a key under the key's lock and after its bit was
//! set; so a later holder of that lock sees the bit.

use std::sync::Arc;
use sync::atomic::Ordering;

use base::{Class, Event, Key, Rng};

use crate::readers::{Ids, PER_KEY};
use crate::{Garbage, Shard, Store, Txn};

/// Keys whose readers are forgotten at a time where there are too many.
const TRIM: usize = 64;

/// Of [`Store::interest`]: events are published in a channel per key. (The bits below are those of
/// the classes of events, see [`Class::bit`].)
pub const BY_KEY: u32 = 1 << 24;
/// Of [`Store::interest`]: events are published in a channel per event.
pub const BY_EVENT: u32 = 1 << 25;
/// Of [`Store::interest`]: readers of keys are remembered.
pub const READERS: u32 = 1 << 26;
/// Of [`Store::interest`]: a client tracks every change.
pub const BROADCAST: u32 = 1 << 27;

/// Clients that are sent invalidations.
const STALE: u32 = READERS | BROADCAST;

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

    /// Serves the clients that wait for the keys of [`Txn::take_ready`]. Called under the locks of
    /// all that was found to be needed.
    fn serve(&self, txn: &mut Txn);
}

/// The notifications of a transaction and whose request caused them.
#[derive(Debug, Default)]
pub(crate) struct TxnNotifications {
    /// Which notifications are wanted, as of when the locks were taken.
    pub interest: u32,
    /// The client whose request runs; 0 is none.
    pub asker: u64,
    pending: std::cell::RefCell<Vec<Notification>>,
    own: Vec<u8>,
}

impl TxnNotifications {
    /// Learns what is wanted now.
    #[inline]
    pub fn look_around(&mut self, store: &Store) {
        self.interest = store.interest.0.load(Ordering::Relaxed);
    }

    #[inline]
    pub fn wants(&self, class: Class) -> bool {
        self.interest & class.bit() != 0
    }

    /// Adds an event, if it is wanted.
    #[inline]
    pub fn event(&self, class: Class, name: &'static str, db: usize, key: &[u8]) {
        if self.wants(class) {
            self.add(Notification::Event(Event { class, name, db, key: key.into() }));
        }
    }

    #[cold]
    pub fn add(&self, notification: Notification) {
        self.pending.borrow_mut().push(notification);
    }

    /// Forgets events of what is taken back. Keys that expired meanwhile have expired all the same,
    /// and the readers of a key are told anyway: their reads are not recorded any more.
    pub fn forget_events(&mut self) {
        self.pending.get_mut().retain(|notification| match notification {
            Notification::Event(event) => event.class == Class::Expired,
            Notification::Stale { .. } | Notification::Flushed => true,
        });
    }

    /// No client asks for what comes next.
    pub fn clear_asker(&mut self) {
        self.asker = 0;
    }

    /// Notifies that a key of this shard has expired, and invalidates its copies.
    #[inline]
    pub fn expired(&self, shard: &mut Shard, db: usize, key: (u64, &[u8])) {
        if self.interest != 0 {
            self.event(Class::Expired, "expired", db, key.1);
            self.stale(shard, key, false);
        }
    }

    /// Notifies that a key of this shard was dropped to make room, and invalidates its copies.
    pub fn evicted(&self, shard: &mut Shard, db: usize, key: (u64, &[u8])) {
        if self.interest != 0 {
            self.event(Class::Evicted, "evicted", db, key.1);
            self.stale(shard, key, false);
        }
    }

    /// Tells that copies of the value of a key of this shard are stale.
    fn stale(&self, shard: &mut Shard, (hash, key): (u64, &[u8]), asked: bool) {
        if !self.concerns_copies() {
            return;
        }
        let readers = shard.readers.take(hash, key).unwrap_or_default();
        if !readers.is_empty() || self.interest & BROADCAST != 0 {
            self.add(Notification::Stale { key: key.into(), readers, asked, changed: true });
        }
    }

    /// Forgets the readers of a key of this shard that `pick` draws, and tells them.
    fn forget_any(&self, shard: &mut Shard, pick: u64) {
        if let Some((key, readers)) = shard.readers.take_any(pick) {
            self.add(Notification::Stale { key, readers, asked: false, changed: false });
        }
    }

    /// Whether any client is sent invalidations.
    #[inline]
    pub fn concerns_copies(&self) -> bool {
        self.interest & STALE != 0
    }

    /// Hands all notifications over. The shards they are about are still locked.
    #[inline]
    pub fn deliver(&mut self, store: &Store) {
        if !self.pending.get_mut().is_empty() {
            self.deliver_all(store);
        }
    }

    #[cold]
    fn deliver_all(&mut self, store: &Store) {
        let notifications = std::mem::take(self.pending.get_mut());
        for notification in &notifications {
            if let Notification::Stale { key, readers, .. } = notification
                && !readers.is_empty()
            {
                store.read_keys.fetch_sub(1, Ordering::Relaxed);
                store.read_key_bytes.fetch_sub(key.len(), Ordering::Relaxed);
                store.readers.fetch_sub(readers.len(), Ordering::Relaxed);
            }
        }
        if let Some(notification_sink) = store.notification_sink.get() {
            notification_sink.deliver(notifications, self.asker, &mut self.own);
        }
    }
}

impl Txn {
    /// Delivers in its middle what there is, to the clients that listen now.
    pub fn deliver_notifications(&mut self) {
        let Txn { notifications, store, .. } = self;
        notifications.deliver(store);
    }

    /// Learns in its middle which notifications are wanted.
    pub fn look_around(&mut self) {
        self.notifications.look_around(&self.store);
    }
}

impl Store {
    /// Which notifications are wanted: bits of [`Class`]es and those of this module.
    #[must_use]
    pub fn interest(&self) -> u32 {
        self.interest.0.load(Ordering::Relaxed)
    }

    /// Sets those of the bits `which` that are in `wanted`, and clears the others of them.
    pub fn set_interest(&self, which: u32, wanted: u32) {
        // Each part of the engine changes its own bits under a lock of its own.
        self.interest.0.fetch_or(which & wanted, Ordering::SeqCst);
        self.interest.0.fetch_and(!which | wanted, Ordering::SeqCst);
    }

    /// Sets where notifications go. Only the first call has an effect.
    pub fn set_notification_sink(&self, notification_sink: Box<dyn NotificationSink>) {
        // Setting it twice is a mistake of the caller's that changes nothing.
        let _ = self.notification_sink.set(notification_sink);
    }
}

impl Txn {
    /// The client whose request runs next: notifications to that client come back through
    /// [`Txn::take_own`].
    #[inline]
    pub fn serve(&mut self, client: u64) {
        self.notifications.asker = client;
    }

    /// Whether there are notifications for the client whose request ran.
    #[inline]
    #[must_use]
    pub fn has_own(&self) -> bool {
        !self.notifications.own.is_empty()
    }

    /// The notifications for the client whose request ran, encoded.
    pub fn take_own(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.notifications.own)
    }

    /// Tells that a key is new, if it is.
    #[inline]
    pub(crate) fn tell_if_new(&mut self, key: Key<'_>) {
        if self.notifications.wants(Class::New)
            && self.table(key.hash).keys.find(key.hash, key.bytes).is_none()
        {
            self.tell_new(self.db, key);
        }
    }

    /// Tells that a key is new.
    #[inline]
    pub(crate) fn tell_new(&self, db: usize, key: Key<'_>) {
        self.notifications.event(Class::New, "new", db, key.bytes);
    }

    /// Notifies that a key has expired, and invalidates its copies; `heard` if the event was told
    /// when the key was met.
    #[cold]
    pub(crate) fn tell_expired(&mut self, db: usize, hash: u64, key: &[u8], heard: bool) {
        if !heard {
            self.notifications.event(Class::Expired, "expired", db, key);
        }
        self.tell_stale(hash, key, false);
    }

    /// Tells that copies of a key's value are stale.
    #[inline]
    pub(crate) fn tell_stale(&mut self, hash: u64, key: &[u8], asked: bool) {
        if self.notifications.concerns_copies() {
            let place = self.place(hash);
            self.notifications.stale(&mut self.held[place].shard, (hash, key), asked);
        }
    }

    /// Forgets all readers; they are told that all keys are stale.
    pub(crate) fn tell_flushed(&mut self) {
        if !self.notifications.concerns_copies() {
            return;
        }
        for number in 0..self.store().shards() {
            let readers = self.with_shard(number, |shard| std::mem::take(&mut shard.readers));
            self.store().read_keys.fetch_sub(readers.len(), Ordering::Relaxed);
            self.store().readers.fetch_sub(readers.ids(), Ordering::Relaxed);
            self.store().read_key_bytes.fetch_sub(readers.bytes(), Ordering::Relaxed);
            if readers.len() > 0 {
                self.discard(Garbage::Readers(Box::new(readers)));
            }
        }
        self.notifications.add(Notification::Flushed);
    }

    /// Remembers that a client has read a key whose shard is held: it will be told when the key
    /// changes. If the table of readers is full some key is forgotten, and its readers are told.
    pub fn note_reader(&mut self, key: Key<'_>, client: u64) {
        let readers = &mut self.shard_mut(key.hash).readers;
        let before = readers.len();
        let new = readers.add(key.hash, key.bytes, client);
        let grown = readers.len() - before;
        if new {
            self.store().readers.fetch_add(1, Ordering::Relaxed);
        }
        if grown > 0 {
            self.store().read_keys.fetch_add(grown, Ordering::Relaxed);
            self.store().read_key_bytes.fetch_add(key.bytes.len(), Ordering::Relaxed);
            if self.store().has_too_many_readers() {
                let pick = self.rng.next_u64();
                let place = self.place(key.hash);
                self.notifications.forget_any(&mut self.held[place].shard, pick);
            }
        }
    }

    /// Forgets the readers of some keys of a shard, and tells them, while there are too many. Call
    /// without holding any shard.
    pub fn trim_readers(&mut self, number: usize) {
        let store = Arc::clone(self.store());
        let mut notifications = std::mem::take(&mut self.notifications);
        notifications.clear_asker();
        let mut rng = Rng::new(self.rng.next_u64());
        // One whose holder is overdue is passed over.
        let _ = self.try_with_shard(number, |shard| {
            for _ in 0..TRIM {
                if !store.has_too_many_readers() {
                    break;
                }
                notifications.forget_any(shard, rng.next_u64());
                notifications.deliver(&store);
            }
        });
        self.notifications = notifications;
    }

    /// Forgets, in a few keys of a shard, readers that are gone; `from` is where the last call
    /// ended, 0 at first. Where to go on, 0 at the end; none if the shard is not to be had. Call
    /// without holding any shard.
    pub fn forget_gone_readers(
        &mut self,
        number: usize,
        from: usize,
        is_there: &dyn Fn(u64) -> bool,
    ) -> Option<usize> {
        let store = Arc::clone(self.store());
        self.try_with_shard(number, |shard| {
            let (keys, readers) = (shard.readers.len(), shard.readers.ids());
            let bytes = shard.readers.bytes();
            let next = shard.readers.sweep(from, is_there);
            store.read_keys.fetch_sub(keys - shard.readers.len(), Ordering::Relaxed);
            store.readers.fetch_sub(readers - shard.readers.ids(), Ordering::Relaxed);
            store.read_key_bytes.fetch_sub(bytes - shard.readers.bytes(), Ordering::Relaxed);
            next
        })
    }
}

impl Store {
    /// The number of keys whose readers are remembered.
    #[must_use]
    pub fn read_keys(&self) -> usize {
        self.read_keys.load(Ordering::Relaxed)
    }

    /// The number of readers remembered, over all keys.
    #[must_use]
    pub fn readers(&self) -> usize {
        self.readers.load(Ordering::Relaxed)
    }

    /// Bytes that remembering them takes.
    #[must_use]
    pub fn readers_memory(&self) -> usize {
        let bytes = self.read_key_bytes.load(Ordering::Relaxed);
        bytes + self.read_keys() * PER_KEY + self.readers() * size_of::<u64>()
    }

    /// Sets how many keys' readers are remembered at most.
    pub fn set_read_keys_limit(&self, keys: usize) {
        self.read_keys_limit.store(keys, Ordering::Relaxed);
    }

    /// Whether the readers of more keys are remembered than may be.
    #[must_use]
    pub fn has_too_many_readers(&self) -> bool {
        self.read_keys() > self.read_keys_limit.load(Ordering::Relaxed)
    }
}
