//! The register of connected clients: what others may know and ask of a session.

pub(crate) mod blocked;
pub(crate) mod demands;
pub(crate) mod held;
pub(crate) mod memory;
pub(crate) mod memory_totals;
pub(crate) mod pauses;
pub(crate) mod query_reads;
pub(crate) mod replies;
pub(crate) mod reply_limit;
pub(crate) mod session;
pub(crate) mod transaction;
pub(crate) mod transfer;
pub(crate) mod unauthenticated;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, AtomicUsize, Ordering};

use base::Millis;
use parking_lot::{Mutex, RwLock};

use self::blocked::BlockedRequests;
use self::held::PostedReply;
use self::pauses::Pauses;
use self::query_reads::QueryReads;
use self::transfer::Transfer;
use crate::access::Account;
pub(crate) use crate::metrics::words_memory;

/// A connection's number; never used twice.
pub type ClientId = u64;

/// Something for a client that comes from outside its own requests.
#[derive(Debug)]
pub enum Message {
    /// The reply that ends a blocked request with this ticket.
    Unblocked {
        /// The blocked request's number; a stale one is ignored.
        ticket: u64,
        /// It counts until it is dropped: when it has been written for the client.
        reply: PostedReply,
    },
    /// An out-of-band message, encoded for the client's protocol.
    Push(Arc<[u8]>),
    /// The request that was postponed may be checked anew: a pause was ended.
    Resume,
    /// Send a copy of the dataset, then close the connection.
    Transfer(Arc<Transfer>),
    /// Close the connection.
    Kill,
    /// Close the connection if its client has not authenticated yet: others need its room.
    MakeRoom,
}

/// How to reach the thread that owns a connection.
pub trait Mailbox: Send + Sync {
    /// Hands over a message without waiting; messages to one client keep their order.
    fn post(&self, client: ClientId, message: Message);
}

/// Where a connection came from.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// Peer address as `ip:port`, or `path:0` for a unix socket.
    pub addr: String,
    /// Own address.
    pub laddr: String,
    /// File descriptor, for `CLIENT LIST` only.
    pub fd: i64,
    /// Over a unix socket.
    pub unix: bool,
    /// Bytes of what is kept for the connection, where it counts them itself
    /// ([`ClientMemory`](crate::ClientMemory)); all sessions of one connection have the same.
    pub memory: Option<Arc<AtomicUsize>>,
}

/// What a client said about itself.
#[derive(Clone, Debug, Default)]
pub struct Labels {
    /// `CLIENT SETNAME`.
    pub name: String,
    /// `CLIENT SETINFO LIB-NAME`.
    pub lib_name: String,
    /// `CLIENT SETINFO LIB-VER`.
    pub lib_ver: String,
}

/// The public side of a session. Written by its owner with plain stores, read by any thread.
pub struct Client {
    /// Its number.
    pub id: ClientId,
    /// Where it came from.
    pub origin: Origin,
    /// When it connected.
    pub since: Millis,
    /// How to reach its owner.
    pub mailbox: Arc<dyn Mailbox>,
    /// What it said about itself.
    pub labels: Mutex<Labels>,
    /// Which user it is; the default one until it says otherwise.
    pub user: Mutex<Option<Arc<Account>>>,
    /// When it last sent a request.
    pub last: AtomicU64,
    /// Its database.
    pub db: AtomicUsize,
    /// Its protocol: 2 or 3.
    pub resp: AtomicUsize,
    /// Number of the last command in the table, plus one; 0 is none.
    pub command: AtomicUsize,
    /// What it is doing, and what it has asked for.
    pub state: ClientState,
    /// How many it is subscribed to.
    pub subscribed: Subscribed,
    /// Bytes that are kept for it.
    pub bytes: KeptBytes,
    /// What its buffers hold and take.
    pub buffers: Buffers,
    /// Whether it is told of stale copies, and how.
    pub tracking: ClientTracking,
}

/// What it is doing, and what it has asked for.
pub struct ClientState {
    /// Queued commands of its transaction; -1 outside one.
    pub multi: AtomicI64,
    /// It was told to go because all clients together took too much.
    pub evicted: AtomicBool,
    /// A copy of the dataset is sent to it: it is no ordinary client.
    pub replica: AtomicBool,
    /// The ticket it is blocked with; 0 is none.
    pub blocked: AtomicU64,
    /// Watches keys.
    pub watching: AtomicBool,
    /// Asked not to be evicted.
    pub no_evict: AtomicBool,
    /// Asked not to touch keys' access times.
    pub no_touch: AtomicBool,
    /// Monitors.
    pub monitors: AtomicBool,
    /// Wants no replies: `CLIENT REPLY OFF`.
    pub silent: AtomicBool,
    /// Its request waits for the end of a pause.
    pub paused: AtomicBool,
    /// It is to be closed, or has been: nothing more is worked out for it that can be left.
    pub gone: AtomicBool,
}

/// How many it is subscribed to.
#[derive(Default)]
pub struct Subscribed {
    /// Subscribed channels.
    pub channels: AtomicUsize,
    /// Subscribed patterns.
    pub patterns: AtomicUsize,
    /// Subscribed shard channels.
    pub shard_channels: AtomicUsize,
}

/// Bytes that are kept for it.
#[derive(Default)]
pub struct KeptBytes {
    /// Bytes of the commands queued in its transaction.
    pub queued: AtomicUsize,
    /// Bytes of the keys it watches.
    pub watched: AtomicUsize,
    /// Bytes of what it listens to: channels, patterns, prefixes of keys.
    pub interests: AtomicUsize,
    /// Bytes of the words of a request that is blocked or postponed.
    pub waiting: AtomicUsize,
    /// Bytes of its places at the keys that a blocked request waits for.
    pub places: AtomicUsize,
    /// Bytes that other threads hold for a request of it (`background`),
    /// where its connection does not count them itself.
    pub elsewhere: AtomicUsize,
    /// What all clients take, of which that is a part.
    pub(crate) of_all: Arc<AtomicUsize>,
    /// All it takes, as its owner last told.
    pub told: AtomicUsize,
}

/// What its buffers hold and take.
#[derive(Default)]
pub struct Buffers {
    /// Bytes of requests not executed yet.
    pub input: AtomicUsize,
    /// Memory of the buffer they are in.
    pub input_room: AtomicUsize,
    /// Bytes of replies not sent yet.
    pub output: AtomicUsize,
    /// Memory of the buffer that the first of them are in.
    pub output_room: AtomicUsize,
    /// The most that has ever been.
    pub output_peak: AtomicUsize,
    /// How many more buffers they fill.
    pub output_pieces: AtomicUsize,
    /// Bytes in those.
    pub output_behind: AtomicUsize,
    /// Memory that those take.
    pub output_behind_room: AtomicUsize,
}

/// Whether it is told of stale copies, and how.
#[derive(Default)]
pub struct ClientTracking {
    /// Wants to be told when copies of values are stale.
    pub on: AtomicBool,
    /// Of every change, rather than of keys that it has read.
    pub broadcast: AtomicBool,
    /// Not of its own changes.
    pub no_loop: AtomicBool,
    /// The client that is told instead; 0 is none.
    pub redirect: AtomicU64,
    /// That client was gone when it was to be told.
    pub broken_redirect: AtomicBool,
    /// What its query reads, while it waits for one.
    pub(crate) query: QueryReads,
}

impl Default for ClientState {
    fn default() -> Self {
        ClientState {
            multi: AtomicI64::new(-1),
            evicted: AtomicBool::new(false),
            replica: AtomicBool::new(false),
            blocked: AtomicU64::new(0),
            watching: AtomicBool::new(false),
            no_evict: AtomicBool::new(false),
            no_touch: AtomicBool::new(false),
            monitors: AtomicBool::new(false),
            silent: AtomicBool::new(false),
            paused: AtomicBool::new(false),
            gone: AtomicBool::new(false),
        }
    }
}

impl Client {
    /// Asks the owner to close the connection.
    pub fn kill(&self) {
        self.state.gone.store(true, Ordering::Release);
        self.mailbox.post(self.id, Message::Kill);
    }

    /// So many bytes of requests have come and are not executed yet.
    #[inline]
    pub fn tell_input(&self, bytes: usize) {
        self.buffers.input.store(bytes, Ordering::Relaxed);
    }

    /// All that its connection takes, as far as its owner has told.
    #[must_use]
    pub fn told_by_owner(&self) -> usize {
        let beside = self.origin.memory.as_ref().map_or(0, |memory| memory.load(Ordering::Relaxed));
        self.bytes.told.load(Ordering::Relaxed) + beside
    }

    /// The same, and what other threads hold for it.
    #[must_use]
    pub fn told(&self) -> usize {
        self.told_by_owner() + self.bytes.elsewhere.load(Ordering::Relaxed)
    }

    /// Bytes of what it keeps between its requests, beside the buffers of its connection.
    #[inline]
    #[must_use]
    pub fn kept(&self) -> usize {
        let kept = [
            &self.bytes.queued,
            &self.bytes.watched,
            &self.bytes.interests,
            &self.bytes.waiting,
            &self.bytes.places,
        ];
        kept.iter().map(|bytes| bytes.load(Ordering::Relaxed)).sum()
    }

    /// Changes what it calls itself, which counts as what it keeps.
    pub(crate) fn label(&self, change: impl FnOnce(&mut Labels)) {
        let mut labels = self.labels.lock();
        let bytes = |of: &Labels| of.name.len() + of.lib_name.len() + of.lib_ver.len();
        let before = bytes(&labels);
        change(&mut labels);
        self.bytes.interests.fetch_add(bytes(&labels), Ordering::Relaxed);
        self.bytes.interests.fetch_sub(before, Ordering::Relaxed);
    }

    /// Whether it can only use the commands of subscribers (in RESP2).
    #[must_use]
    pub fn is_subscriber(&self) -> bool {
        [&self.subscribed.channels, &self.subscribed.patterns, &self.subscribed.shard_channels]
            .iter()
            .any(|count| count.load(Ordering::Relaxed) > 0)
    }
}

/// The requests that wait.
#[derive(Default)]
pub struct Waits {
    /// Blocked requests.
    pub blocked: BlockedRequests,
    /// Until when requests wait.
    pub pauses: Pauses,
    /// How many ordered indexes are being built, for which requests may wait.
    pub(crate) building: AtomicUsize,
}

/// Every connected client, by number.
#[derive(Default)]
pub struct Clients {
    next: AtomicU64,
    by_id: RwLock<BTreeMap<ClientId, Arc<Client>>>,
    /// Bytes that all of them take.
    buffers: Arc<AtomicUsize>,
}

impl Clients {
    /// None yet, which take so many bytes together.
    pub(crate) fn new(buffers: &Arc<AtomicUsize>) -> Self {
        Clients { buffers: Arc::clone(buffers), ..Clients::default() }
    }

    /// Registers a connection.
    pub fn add(&self, origin: Origin, now: Millis, mailbox: Arc<dyn Mailbox>) -> Arc<Client> {
        let id = self.next.fetch_add(1, Ordering::Relaxed) + 1;
        let client = Arc::new(Client {
            id,
            origin,
            since: now,
            mailbox,
            labels: Mutex::default(),
            user: Mutex::default(),
            last: AtomicU64::new(now),
            db: AtomicUsize::new(0),
            resp: AtomicUsize::new(2),
            command: AtomicUsize::new(0),
            subscribed: Subscribed::default(),
            bytes: KeptBytes { of_all: Arc::clone(&self.buffers), ..KeptBytes::default() },
            buffers: Buffers::default(),
            state: ClientState::default(),
            tracking: ClientTracking::default(),
        });
        self.by_id.write().insert(id, Arc::clone(&client));
        client
    }

    /// Forgets a connection.
    pub fn remove(&self, id: ClientId) {
        self.by_id.write().remove(&id);
    }

    /// The client with this number.
    #[must_use]
    pub fn get(&self, id: ClientId) -> Option<Arc<Client>> {
        self.by_id.read().get(&id).map(Arc::clone)
    }

    /// All clients, oldest first.
    #[must_use]
    pub fn all(&self) -> Vec<Arc<Client>> {
        self.by_id.read().values().map(Arc::clone).collect()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.by_id.read().len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
