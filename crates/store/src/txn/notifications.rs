//! The notifications of a transaction: see `store/notifications.rs` for when they are delivered.

use std::cell::Cell;

use base::{Class, Event, Key};

use super::held::HeldShards;
use crate::containment::contain;
use crate::{BROADCAST, CHANGES, Notification, NotificationSink, READERS, Shard, Store};

/// Clients that are sent invalidations.
const STALE: u32 = READERS | BROADCAST;

/// The notifications of a transaction and whose request caused them.
#[derive(Debug, Default)]
pub struct TxnNotifications {
    /// Which notifications are wanted, as of when the locks were taken.
    pub(crate) interest: u32,
    /// The client whose request runs; 0 is none.
    pub(crate) asker: u64,
    pending: std::cell::RefCell<Vec<Notification>>,
    /// There is something to tell when the transaction ends.
    due: Cell<bool>,
    own: Vec<u8>,
}

impl TxnNotifications {
    /// Learns what is wanted now.
    #[inline]
    pub(crate) fn look_around(&mut self, store: &Store) {
        self.interest = store.interest();
    }

    #[inline]
    pub(crate) fn wants(&self, class: Class) -> bool {
        self.interest & class.bit() != 0
    }

    /// Adds an event, if it is wanted.
    #[inline]
    pub(crate) fn event(&self, class: Class, name: &'static str, db: usize, key: &[u8]) {
        if self.wants(class) {
            self.add(Notification::Event(Event { class, name, db, key: key.into() }));
        }
    }

    #[cold]
    pub(crate) fn add(&self, notification: Notification) {
        self.pending.borrow_mut().push(notification);
        self.due.set(true);
    }

    /// Forgets events of what is taken back. Keys that expired meanwhile have expired all the same,
    /// but for those that are put back and will expire again; and the readers of a key are told
    /// anyway: their reads are not recorded any more.
    pub(crate) fn forget_events(&mut self, mut is_put_back: impl FnMut(usize, &[u8]) -> bool) {
        self.pending.get_mut().retain(|notification| match notification {
            Notification::Event(event) => {
                event.class == Class::Expired && !is_put_back(event.db, &event.key)
            }
            Notification::Stale { .. } | Notification::Flushed => true,
        });
    }

    /// No client asks for what comes next.
    pub(crate) fn clear_asker(&mut self) {
        self.asker = 0;
    }

    /// Tells that copies of the value of a key of this shard are stale.
    pub(crate) fn stale(&self, shard: &mut Shard, (hash, key): (u64, &[u8]), asked: bool) {
        if !self.concerns_copies() {
            return;
        }
        let readers = shard.readers.take(hash, key).unwrap_or_default();
        if !readers.is_empty() || self.interest & BROADCAST != 0 {
            self.add(Notification::Stale { key: key.into(), readers, asked, changed: true });
        }
    }

    /// Forgets the readers of a key of this shard that `pick` draws, and tells them.
    pub(crate) fn forget_any(&self, shard: &mut Shard, pick: u64) {
        if let Some((key, readers)) = shard.readers.take_any(pick) {
            self.add(Notification::Stale { key, readers, asked: false, changed: false });
        }
    }

    /// Whether anything is told of every key that changes: to clients that are sent invalidations,
    /// or to consumers of the change stream.
    #[inline]
    pub(crate) fn concern_keys(&self) -> bool {
        self.interest & (STALE | CHANGES) != 0
    }

    /// Whether the change stream has a consumer.
    #[inline]
    pub(crate) fn concern_change_consumers(&self) -> bool {
        self.interest & CHANGES != 0
    }

    /// Notes that there is something to tell when the transaction ends.
    pub(crate) fn note_due(&self) {
        self.due.set(true);
    }

    /// Whether there may be something to tell, as the transaction ends.
    #[inline]
    pub(crate) fn is_due(&self) -> bool {
        self.due.get()
    }

    /// All of it is being told.
    pub(crate) fn clear_due(&self) {
        self.due.set(false);
    }

    /// Whether any client is sent invalidations.
    #[inline]
    pub(crate) fn concerns_copies(&self) -> bool {
        self.interest & STALE != 0
    }

    /// Hands all notifications over. The shards they are about are still locked.
    #[inline]
    pub(crate) fn deliver(&mut self, store: &Store) {
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
                store.tracked.remove_key(key.len(), readers.len());
            }
        }
        if let Some(notification_sink) = store.listeners.sink() {
            let (asker, own) = (self.asker, &mut self.own);
            let before = own.len();
            let deliver = || notification_sink.deliver(notifications, asker, own);
            if !contain("the delivery of notifications", deliver) {
                self.own.truncate(before);
                self.deliver_flushed(notification_sink);
            }
        }
    }

    /// Which copies are stale was not delivered, or not all of it: it may be any.
    fn deliver_flushed(&mut self, notification_sink: &dyn NotificationSink) {
        let (asker, own) = (self.asker, &mut self.own);
        let before = own.len();
        let deliver = || notification_sink.deliver(vec![Notification::Flushed], asker, own);
        if !contain("the delivery of notifications", deliver) {
            self.own.truncate(before);
        }
    }

    /// The client whose request runs next: notifications to that client come back through
    /// [`take_own`](Self::take_own).
    #[inline]
    pub fn serve(&mut self, client: u64) {
        self.asker = client;
    }

    /// Whether there are notifications for the client whose request ran.
    #[inline]
    #[must_use]
    pub fn has_own(&self) -> bool {
        !self.own.is_empty()
    }

    /// The notifications for the client whose request ran, encoded.
    pub fn take_own(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.own)
    }

    /// Tells that a key is new.
    #[inline]
    pub(crate) fn new_key(&self, db: usize, key: Key<'_>) {
        self.event(Class::New, "new", db, key.bytes);
    }

    /// Tells that copies of the value of a key of a held shard are stale.
    #[inline]
    pub(crate) fn stale_held(&self, held: &mut HeldShards, hash: u64, key: &[u8], asked: bool) {
        if self.concerns_copies() {
            self.stale(held.shard_mut(hash), (hash, key), asked);
        }
    }
}
