//! A session: the state of one client between its requests.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use base::Protocol;
use hashbrown::HashSet;

use super::blocked::Blocked;
use super::replies::Replies;
use super::transaction::{Multi, Watched};
use super::transfer::Replica;
use super::{Client, ClientId};
use crate::access::Login;
use crate::notify::tracking::SessionTracking;

/// One client's state.
pub struct Session {
    /// Its public side.
    pub client: Arc<Client>,
    /// Its database.
    pub db: usize,
    /// Its protocol.
    pub protocol: Protocol,
    /// Which user it is.
    pub user: SessionUser,
    /// Whether replies are sent.
    pub(crate) replies: Replies,
    /// The transaction it is in, and what that depends on.
    pub transaction: Transaction,
    /// What it listens to.
    pub listens: Listens,
    /// What it wants to be told of stale copies.
    pub tracking: SessionTracking,
    /// The request it is blocked in.
    pub blocked: Option<Arc<Blocked>>,
    /// The request that is put off, and what for.
    pub wait: Postponed,
    /// How its door serves it.
    pub terms: Terms,
    /// Close the connection once the replies so far are sent.
    pub closing: bool,
    /// The replies so far may be sent once this epoch of the journal is durable.
    pub awaited_epoch: u64,
    /// What it said of itself as a replica: `REPLCONF`.
    pub(crate) replica: Replica,
    pub(crate) decoder: wire::Decoder,
}

/// Which user it is.
#[derive(Default)]
pub struct SessionUser {
    /// May use commands that need authentication.
    pub authenticated: bool,
    /// Which user it is.
    pub(crate) login: Login,
}

/// The transaction it is in, and what that depends on.
#[derive(Default)]
pub struct Transaction {
    /// The transaction being queued.
    pub multi: Option<Multi>,
    /// The keys it watches.
    pub watched: Watched,
}

/// What it listens to.
#[derive(Default)]
pub struct Listens {
    /// Channels it listens to.
    pub channels: HashSet<Arc<[u8]>>,
    /// Patterns it listens to.
    pub patterns: HashSet<Arc<[u8]>>,
    /// Shard channels it listens to.
    pub shard_channels: HashSet<Arc<[u8]>>,
    /// It monitors.
    pub(crate) monitors: bool,
}

/// The request that is put off, and what for.
#[derive(Default)]
#[allow(clippy::struct_excessive_bools)] // facts that are independent of each other
pub struct Postponed {
    /// The request that waits, for the end of a pause or for one of what follows.
    pub(crate) words: Option<Vec<Vec<u8>>>,
    /// The request that is being worked at did not run, and is kept for later.
    pub(crate) postponed: bool,
    /// The one that waits, does so for an index that is being built, whatever pause there is.
    pub(crate) awaits_index: bool,
    /// The one that waits, does so for requests on other threads.
    pub(crate) gives_way: bool,
    /// The one that waits, is to go on in another thread.
    pub(crate) goes_aside: bool,
    /// The monitoring clients have been told of the script that waits.
    pub(crate) told: bool,
}

/// How its door serves it.
#[derive(Default)]
pub struct Terms {
    /// The thread that runs its requests may be wanted for something else: a script that takes long
    /// is postponed, and [`Session::goes_aside`]. So is one that could not be moved once it has
    /// written.
    pub leaves_long: bool,
    /// Set from outside to end its scripts, those that have written nothing or can be undone.
    pub cancelled: Option<Arc<AtomicBool>>,
    /// Nothing that came before its requests, on whichever thread, has yet to be served. A door
    /// with several threads says `false` whenever it has read some.
    pub in_order: bool,
    /// Others ask through the same connection: it is not closed for what one of them did.
    pub shares: bool,
}

impl Session {
    /// Behind a request: if the session ends with it, it has left for all others before its client
    /// reads the answer. A client that redirects
    /// notices to it is told that they go nowhere.
    pub(crate) fn leave_if_closing(&self) {
        if self.closing {
            self.client.state.gone.store(true, Ordering::Release);
        }
    }

    /// A fresh session. `authenticated` when no password is asked for.
    #[must_use]
    pub fn new(client: Arc<Client>, authenticated: bool) -> Self {
        Session {
            client,
            db: 0,
            protocol: Protocol::Resp2,
            user: SessionUser { authenticated, login: Login::default() },
            replies: Replies::default(),
            transaction: Transaction::default(),
            listens: Listens::default(),
            tracking: SessionTracking::default(),
            blocked: None,
            wait: Postponed::default(),
            terms: Terms::default(),
            closing: false,
            awaited_epoch: 0,
            replica: Replica::default(),
            decoder: wire::Decoder::default(),
        }
    }

    /// Whether it listens to anything.
    #[inline]
    #[must_use]
    pub fn is_subscriber(&self) -> bool {
        !(self.listens.channels.is_empty()
            && self.listens.patterns.is_empty()
            && self.listens.shard_channels.is_empty())
    }

    /// Bytes of what it keeps between its requests, beside the buffers of its connection.
    #[inline]
    #[must_use]
    pub fn memory(&self) -> usize {
        self.client.kept() + self.decoder.memory()
    }

    /// Whether its request waits for what is no key: the end of a pause, an index, other threads.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        self.wait.words.is_some()
    }

    /// Whether its request waits for an index that is being built: it is told when that is ready.
    #[must_use]
    pub fn awaits_index(&self) -> bool {
        self.wait.awaits_index && self.is_paused()
    }

    /// Whether its request waits for other threads to serve what came before it.
    #[must_use]
    pub fn lets_others_first(&self) -> bool {
        self.wait.gives_way && self.is_paused()
    }

    /// Whether its request waits to be run in another thread, by a worker's `feed` of nothing,
    /// where it may take its time: `leaves_long` is to be `false` then.
    #[must_use]
    pub fn goes_aside(&self) -> bool {
        self.wait.goes_aside && self.is_paused()
    }

    /// Whether its scripts are to end.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.terms.cancelled.as_ref().is_some_and(|cancelled| cancelled.load(Ordering::Acquire))
    }

    /// The client whose reads of keys are tracked.
    #[inline]
    pub(crate) fn reader(&self) -> Option<ClientId> {
        self.tracking.tracks_reads().then_some(self.client.id)
    }

    /// Changes the database.
    pub fn select(&mut self, db: usize) {
        self.db = db;
        self.client.db.store(db, Ordering::Relaxed);
    }

    /// Changes the protocol.
    pub fn speak(&mut self, protocol: Protocol) {
        self.protocol = protocol;
        let number = if protocol == Protocol::Resp3 { 3 } else { 2 };
        self.client.resp.store(number, Ordering::Relaxed);
    }
}
