//! What others want to hear of a transaction: keyspace events, and keys whose cached copies are
//! stale.
//!
//! ```text
//!   command ─► Bulletin ── before the locks are released ──► Audience ─► mailboxes
//! ```
//!
//! A transaction gathers its news while it runs and hands them over at its end, while it still
//! holds its shards: so news of a key are heard in the order in which things happened to it,
//! whichever threads did them. (Commands of `EXEC` that may change who listens are told what came
//! before them first.) The audience only hands on: it may not wait, nor lock a shard.
//!
//! Whether anybody wants news is one word of bits ([`Store::interest`]), read when the locks have
//! been taken. Whoever begins to listen to a key does so under the key's lock and after setting its
//! bit; so a later holder of that lock sees the bit.

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
/// Of [`Store::interest`]: somebody wants to hear of every change.
pub const BROADCAST: u32 = 1 << 27;

/// Somebody whom changes of keys concern.
const STALE: u32 = READERS | BROADCAST;

/// One piece of news.
#[derive(Debug)]
pub enum News {
    /// Something happened to a key.
    Event(Event),
    /// Copies of a key's value are stale, in whatever database.
    Stale {
        /// The key.
        key: Box<[u8]>,
        /// Those who have read it since the last such news.
        readers: Ids,
        /// A client changed it: the one that asked. Otherwise the server did, by expiry or to
        /// bound its table of readers.
        asked: bool,
        /// The key has changed: news for those who want to hear of every change, too. Otherwise
        /// only its readers have been forgotten.
        changed: bool,
    },
    /// Copies of all keys are stale.
    Flushed,
}

/// Where news go.
pub trait Audience: Send + Sync {
    /// Hands news on. Those to the client with number `asker`, whose request is running, may go to
    /// `own`, encoded: it gets them behind the reply. Called with shards locked: must not wait for
    /// anything but short locks of its own.
    fn tell(&self, news: Vec<News>, asker: u64, own: &mut Vec<u8>);

    /// Serves those who wait for the keys of [`Txn::take_ready`]. Called under the locks of all
    /// that was found to be needed.
    fn serve(&self, txn: &mut Txn);
}

/// The news of a transaction and whom they are about.
#[derive(Debug, Default)]
pub(crate) struct Bulletin {
    /// What anybody wants to hear, as of when the locks were taken.
    pub interest: u32,
    /// The client whose request runs; 0 is none.
    pub asker: u64,
    news: std::cell::RefCell<Vec<News>>,
    own: Vec<u8>,
}

impl Bulletin {
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
            self.add(News::Event(Event { class, name, db, key: key.into() }));
        }
    }

    #[cold]
    pub fn add(&self, news: News) {
        self.news.borrow_mut().push(news);
    }

    /// Forgets events of what is taken back. Keys that expired meanwhile have expired all the same,
    /// and who has read a key is told anyway: nobody remembers the reading any more.
    pub fn forget_events(&mut self) {
        self.news.get_mut().retain(|news| match news {
            News::Event(event) => event.class == Class::Expired,
            News::Stale { .. } | News::Flushed => true,
        });
    }

    /// No client asks for what comes next.
    pub fn serve_nobody(&mut self) {
        self.asker = 0;
    }

    /// Tells that a key of this shard has expired, and whom that concerns.
    #[inline]
    pub fn expired(&self, shard: &mut Shard, db: usize, key: (u64, &[u8])) {
        if self.interest != 0 {
            self.event(Class::Expired, "expired", db, key.1);
            self.stale(shard, key, false);
        }
    }

    /// Tells that a key of this shard was dropped to make room, and whom that concerns.
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
            self.add(News::Stale { key: key.into(), readers, asked, changed: true });
        }
    }

    /// Forgets the readers of a key of this shard that `pick` draws, and tells them.
    fn forget_any(&self, shard: &mut Shard, pick: u64) {
        if let Some((key, readers)) = shard.readers.take_any(pick) {
            self.add(News::Stale { key, readers, asked: false, changed: false });
        }
    }

    /// Whether copies of values concern anybody.
    #[inline]
    pub fn concerns_copies(&self) -> bool {
        self.interest & STALE != 0
    }

    /// Hands all news over. The shards they are about are still locked.
    #[inline]
    pub fn deliver(&mut self, store: &Store) {
        if !self.news.get_mut().is_empty() {
            self.deliver_all(store);
        }
    }

    #[cold]
    fn deliver_all(&mut self, store: &Store) {
        let news = std::mem::take(self.news.get_mut());
        for piece in &news {
            if let News::Stale { key, readers, .. } = piece
                && !readers.is_empty()
            {
                store.read_keys.fetch_sub(1, Ordering::Relaxed);
                store.read_key_bytes.fetch_sub(key.len(), Ordering::Relaxed);
                store.readers.fetch_sub(readers.len(), Ordering::Relaxed);
            }
        }
        if let Some(audience) = store.audience.get() {
            audience.tell(news, self.asker, &mut self.own);
        }
    }
}

impl Txn {
    /// Hands over in its middle what there is to tell: to those who listen now.
    pub fn tell_news(&mut self) {
        let Txn { bulletin, store, .. } = self;
        bulletin.deliver(store);
    }

    /// Learns in its middle what anybody wants to hear.
    pub fn look_around(&mut self) {
        self.bulletin.look_around(&self.store);
    }
}

impl Store {
    /// What anybody wants to hear: bits of [`Class`]es and those of this module.
    #[must_use]
    pub fn interest(&self) -> u32 {
        self.interest.0.load(Ordering::Relaxed)
    }

    /// Sets those of the bits `which` that are in `wanted`, and clears the others of them.
    pub fn set_interest(&self, which: u32, wanted: u32) {
        // Whoever changes its own bits does so under a lock of its own.
        self.interest.0.fetch_or(which & wanted, Ordering::SeqCst);
        self.interest.0.fetch_and(!which | wanted, Ordering::SeqCst);
    }

    /// Says where news go. Only the first to say so is heard.
    pub fn set_audience(&self, audience: Box<dyn Audience>) {
        // Setting it twice is a mistake of the caller's that changes nothing.
        let _ = self.audience.set(audience);
    }
}

impl Txn {
    /// Whose request runs next: news to that client come back through [`Txn::take_own`].
    #[inline]
    pub fn serve(&mut self, client: u64) {
        self.bulletin.asker = client;
    }

    /// Whether there are news for the client whose request ran.
    #[inline]
    #[must_use]
    pub fn has_own(&self) -> bool {
        !self.bulletin.own.is_empty()
    }

    /// The news for the client whose request ran, encoded.
    pub fn take_own(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bulletin.own)
    }

    /// Tells that a key is new, if it is.
    #[inline]
    pub(crate) fn tell_if_new(&mut self, key: Key<'_>) {
        if self.bulletin.wants(Class::New)
            && self.table(key.hash).keys.find(key.hash, key.bytes).is_none()
        {
            self.tell_new(self.db, key);
        }
    }

    /// Tells that a key is new.
    #[inline]
    pub(crate) fn tell_new(&self, db: usize, key: Key<'_>) {
        self.bulletin.event(Class::New, "new", db, key.bytes);
    }

    /// Tells that a key has expired, and whom that concerns; `heard` if the event was told when the
    /// key was met.
    #[cold]
    pub(crate) fn tell_expired(&mut self, db: usize, hash: u64, key: &[u8], heard: bool) {
        if !heard {
            self.bulletin.event(Class::Expired, "expired", db, key);
        }
        self.tell_stale(hash, key, false);
    }

    /// Tells that copies of a key's value are stale.
    #[inline]
    pub(crate) fn tell_stale(&mut self, hash: u64, key: &[u8], asked: bool) {
        if self.bulletin.concerns_copies() {
            let place = self.place(hash);
            self.bulletin.stale(&mut self.held[place].shard, (hash, key), asked);
        }
    }

    /// Forgets all readers, who learn that all keys are stale.
    pub(crate) fn tell_flushed(&mut self) {
        if !self.bulletin.concerns_copies() {
            return;
        }
        for number in 0..self.store().shards() {
            let readers = self.each_shard(number, |shard| std::mem::take(&mut shard.readers));
            self.store().read_keys.fetch_sub(readers.len(), Ordering::Relaxed);
            self.store().readers.fetch_sub(readers.ids(), Ordering::Relaxed);
            self.store().read_key_bytes.fetch_sub(readers.bytes(), Ordering::Relaxed);
            if readers.len() > 0 {
                self.discard(Garbage::Readers(Box::new(readers)));
            }
        }
        self.bulletin.add(News::Flushed);
    }

    /// Remembers that a client has read a key whose shard is held: it will be told when the key
    /// changes. If the table of readers is full some key is forgotten, and its readers are told.
    pub fn remember_reader(&mut self, key: Key<'_>, client: u64) {
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
                self.bulletin.forget_any(&mut self.held[place].shard, pick);
            }
        }
    }

    /// Forgets the readers of some keys of a shard, and tells them, while there are too many. Call
    /// without holding any shard.
    pub fn trim_readers(&mut self, number: usize) {
        let store = Arc::clone(self.store());
        let mut bulletin = std::mem::take(&mut self.bulletin);
        bulletin.serve_nobody();
        let mut rng = Rng::new(self.rng.next_u64());
        // One whose holder is overdue is passed over.
        let _ = self.glance(number, |shard| {
            for _ in 0..TRIM {
                if !store.has_too_many_readers() {
                    break;
                }
                bulletin.forget_any(shard, rng.next_u64());
                bulletin.deliver(&store);
            }
        });
        self.bulletin = bulletin;
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
        self.glance(number, |shard| {
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
