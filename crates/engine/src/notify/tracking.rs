//! Client-side caching: which clients to tell that copies of values are stale.
//!
//! ```text
//!   default:    GET k ─► the shard remembers the reader of k ─► SET k ─► told once, forgotten
//!   broadcast:  prefixes ─► every change of a key that begins with one is told
//! ```
//!
//! A read and the note of its reader are made under one hold of the key's lock, and so are a change
//! and its invalidation. So for any read and any change of a key one comes first: either the read
//! saw the change, or the change saw the reader.
//!
//! The readers of keys lie in the shards (`store`); this file knows the clients. What a client
//! asked for lies in its session, and what others must know of it in its public side.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::{Mutex, RwLock};
use store::{BROADCAST, READERS, Store};

use crate::client::session::Session;
use crate::client::{Client, ClientId};

/// How a client wants to be told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mode {
    /// It wants to be told.
    pub on: bool,
    /// `BCAST`: of every change, rather than of keys that it has read.
    pub broadcast: bool,
    /// `OPTIN`: only keys read right after `CLIENT CACHING YES`.
    pub opt_in: bool,
    /// `OPTOUT`: not keys read right after `CLIENT CACHING NO`.
    pub opt_out: bool,
    /// `NOLOOP`: not of its own changes.
    pub no_loop: bool,
    /// `REDIRECT`: another client is told instead; 0 is none.
    pub redirect: ClientId,
}

/// What a session has asked for.
#[derive(Debug, Default)]
pub struct SessionTracking {
    /// How it wants to be told.
    pub mode: Mode,
    /// `CLIENT CACHING` came right before.
    pub caching: bool,
    /// The prefixes of keys it wants to hear of.
    pub prefixes: BTreeSet<Box<[u8]>>,
}

impl SessionTracking {
    /// Whether the session's reads are remembered.
    #[inline]
    pub(crate) fn tracks_reads(&self) -> bool {
        let Mode { on, broadcast, opt_in, opt_out, .. } = self.mode;
        on && !broadcast && (!opt_in || self.caching) && (!opt_out || !self.caching)
    }
}

type Listeners = BTreeMap<ClientId, Arc<Client>>;

/// The clients that want to be told.
#[derive(Default)]
pub struct Tracking {
    pub(crate) counts: Mutex<Counts>,
    /// In the order of bytes: so a client hears of its prefixes.
    prefixes: RwLock<BTreeMap<Box<[u8]>, Listeners>>,
    /// A client has gone that keys may have as a reader.
    pub(crate) left: AtomicBool,
}

/// How many clients there are.
#[derive(Default)]
pub(crate) struct Counts {
    pub(crate) all: usize,
    /// Those of them whose reads are remembered, which is the default mode.
    pub(crate) in_default_mode: usize,
}

/// What a prefix takes: its place in the session, and the one in the register.
fn bytes_of(prefix: &[u8]) -> usize {
    /// Both places, about: that in the register has a list of clients.
    const PLACES: usize = 300;
    PLACES + 2 * prefix.len()
}

impl Tracking {
    /// Turns it on for a session, or changes what it wants. More prefixes are added to those it
    /// has; without any all keys are meant.
    pub(crate) fn enable(
        &self,
        store: &Store,
        session: &mut Session,
        mode: Mode,
        prefixes: &[&[u8]],
    ) {
        let client = Arc::clone(&session.client);
        if !session.tracking.mode.on {
            let mut counts = self.counts.lock();
            counts.all += 1;
            if !mode.broadcast {
                counts.in_default_mode += 1;
                store.set_interest(READERS, READERS);
            }
        }
        session.tracking.mode = Mode { on: true, ..mode };
        if mode.broadcast {
            let all: &[&[u8]] = &[b""];
            let mut register = self.prefixes.write();
            for prefix in if prefixes.is_empty() { all } else { prefixes } {
                register.entry((*prefix).into()).or_default().insert(client.id, client.clone());
                if session.tracking.prefixes.insert((*prefix).into()) {
                    client.bytes.interests.fetch_add(bytes_of(prefix), Ordering::Relaxed);
                }
            }
            store.set_interest(BROADCAST, BROADCAST);
        }
        client.tracking.broken_redirect.store(false, Ordering::Relaxed);
        client.tracking.redirect.store(mode.redirect, Ordering::Relaxed);
        client.tracking.no_loop.store(mode.no_loop, Ordering::Relaxed);
        client.tracking.broadcast.store(mode.broadcast, Ordering::Relaxed);
        client.tracking.on.store(true, Ordering::Relaxed);
    }

    /// Turns it off for a session.
    pub(crate) fn disable(&self, store: &Store, session: &mut Session) {
        let asked = std::mem::take(&mut session.tracking);
        if !asked.mode.on {
            return;
        }
        let client = &session.client;
        for flag in [
            &client.tracking.on,
            &client.tracking.broadcast,
            &client.tracking.no_loop,
            &client.tracking.broken_redirect,
        ] {
            flag.store(false, Ordering::Relaxed);
        }
        if asked.mode.broadcast {
            let mut register = self.prefixes.write();
            for prefix in &asked.prefixes {
                client.bytes.interests.fetch_sub(bytes_of(prefix), Ordering::Relaxed);
                if let Some(listeners) = register.get_mut(prefix) {
                    listeners.remove(&client.id);
                    if listeners.is_empty() {
                        register.remove(prefix);
                    }
                }
            }
            if register.is_empty() {
                store.set_interest(BROADCAST, 0);
            }
        }
        let mut counts = self.counts.lock();
        counts.all -= 1;
        if !asked.mode.broadcast {
            counts.in_default_mode -= 1;
            self.left.store(true, Ordering::Release);
        }
    }

    /// How many clients want to be told.
    #[must_use]
    pub fn clients(&self) -> usize {
        self.counts.lock().all
    }

    /// How many different prefixes they want to hear of.
    #[must_use]
    pub fn prefixes(&self) -> usize {
        self.prefixes.read().len()
    }

    /// Shows every prefix that one of these keys begins with: the keys, ascending, each with what
    /// stands beside it first, and the listeners.
    pub(crate) fn each_prefix<T: Copy>(
        &self,
        keys: &BTreeMap<&[u8], T>,
        mut show: impl FnMut(&[(&[u8], T)], &Listeners),
    ) {
        for (prefix, listeners) in self.prefixes.read().iter() {
            let start: &[u8] = prefix;
            let from = keys.range(start..);
            let begin: Vec<(&[u8], T)> = from
                .take_while(|(key, _)| key.starts_with(prefix))
                .map(|(key, beside)| (*key, *beside))
                .collect();
            if !begin.is_empty() {
                show(&begin, listeners);
            }
        }
    }
}
