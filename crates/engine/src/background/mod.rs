//! Requests that wait for something outside: another server, files; and queries, which read for
//! long. A background thread runs the request, its client waits for the reply, and the worker
//! serves its other clients.
//!
//! ```text
//!   request ─► a place, or refused ─► queue of its kind ─► a thread ─► answered, the place is free
//!                                         └─► taken out: its client has gone
//! ```
//!
//! There are so many places for all kinds and all doors together, as many for queries, and what a
//! request holds counts as its client's memory as long as it has its place: a disk that hangs keeps
//! a bounded number of requests, and clients that take too much are closed as others are. Where
//! there is no place a request is refused and not held back: to hold it back would be to keep it,
//! in another queue.
//!
//! A client has gone when its connection breaks or this side closes it. One that has only said its
//! last may still listen, and nothing tells whether it does: it keeps its place as long as there
//! are many, and goes when others need it.
//!
//! A background request must hold no shard while it waits. Once it has begun it goes on when its
//! client has gone: what it has begun elsewhere must be brought to an end. A query has begun
//! nothing elsewhere, and ends then (`execution/query/mod.rs`).
//!
//! What is part of a transaction runs in any case, and so does `SHUTDOWN`; no reply is kept for a
//! client that has gone. A job may be queued under locks; its thread begins when they are released.

pub(crate) mod edit_queues;
pub(crate) mod thread_pool;

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use base::{CmdError, Edit, Handler, Protocol, Reply, Versions, error};
use parking_lot::Mutex;
use store::Txn;
use wire::RespWriter;

use self::edit_queues::EditQueues;
use self::thread_pool::{Job, PoolWorker, ThreadPool};
use crate::client::blocked::{Blocked, BlockedRequests, QueryEnd, Withdraw};
use crate::client::held::Held;
use crate::client::session::Session;
use crate::metrics::stats::Counters;

/// So many background requests run at the same time; others wait.
const THREADS: usize = 16;
/// Of those that wait for files, which for the most part wait for each other.
const FILE_THREADS: usize = 4;
/// A thread for queries that has had nothing to do for so long ends.
const QUERY_IDLE: Duration = Duration::from_secs(5);
/// Clients' requests that run or wait at the same time, of all kinds and at all doors; and as many
/// queries.
pub(crate) const PLACES: usize = 1024;
/// Where so many are taken, a request that has not begun goes if its client sends nothing more.
const CROWD: usize = PLACES / 2;

/// A place among the requests that other threads work at; free again when this is dropped.
pub(crate) struct Place {
    held: Held,
    taken: Arc<AtomicUsize>,
}

impl Place {
    /// A place for a request of a session.
    ///
    /// # Errors
    /// There is none.
    pub fn take(requests: &BackgroundRequests, session: &Session) -> Result<Self, CmdError> {
        requests.make_room();
        Place::among(&requests.taken, session).ok_or(error::CROWDED)
    }

    /// A place for a query of a session. They have places of their own: none of the kinds is in
    /// another's way.
    ///
    /// # Errors
    /// There is none.
    pub fn take_for_query(
        requests: &BackgroundRequests,
        session: &Session,
    ) -> Result<Self, CmdError> {
        let place = Place::among(&requests.taken_by_queries, session);
        place.ok_or(error::QUERIES_CROWDED)
    }

    fn among(taken: &Arc<AtomicUsize>, session: &Session) -> Option<Self> {
        let (relaxed, more) = (Ordering::Relaxed, |taken| (taken < PLACES).then_some(taken + 1));
        // In one step: one that is refused never counts, not even for a moment.
        taken.fetch_update(relaxed, relaxed, more).ok()?;
        let held = Held::new(&session.client, 0);
        Some(Place { held, taken: Arc::clone(taken) })
    }

    /// Says what the request holds.
    pub fn holds(&mut self, bytes: usize) {
        self.held.holds(bytes);
    }

    /// The same of what may be let go before the request has run.
    pub fn holds_beside(&self, bytes: usize) -> Held {
        self.held.beside(bytes)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.taken.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A client that waits for a background request. Whatever becomes of the request, the client gets
/// one reply: also where it panics after it has claimed the wait.
pub(crate) struct Waiting {
    /// Who waits, as long as it is not answered.
    blocked: Option<Arc<Blocked>>,
    place: Option<Place>,
    /// The wait is claimed for the request: no other thread ends it.
    claimed: bool,
}

impl Waiting {
    fn of(blocked: Arc<Blocked>, place: Option<Place>) -> Self {
        Waiting { blocked: Some(blocked), place, claimed: false }
    }

    /// Makes `session` wait for a request that has this place.
    pub fn begin(requests: &BlockedRequests, place: Place, session: &mut Session) -> Self {
        Waiting::of(Blocked::elsewhere(requests, session), Some(place))
    }

    /// Makes `session` wait for the query that a request has begun: the number of its command, and
    /// its words.
    pub fn for_query(
        requests: &BlockedRequests,
        place: Place,
        session: &mut Session,
        request: (usize, Vec<Vec<u8>>),
    ) -> Self {
        Waiting::of(Blocked::for_query(requests, session, request), Some(place))
    }

    /// The same for the edit that a request has begun.
    pub fn for_edit(
        requests: &BlockedRequests,
        place: Place,
        session: &mut Session,
        request: (usize, Vec<Vec<u8>>),
    ) -> Self {
        Waiting::of(Blocked::for_edit(requests, session, request), Some(place))
    }

    /// Who waits, as long as it is not answered.
    pub fn blocked(&self) -> Option<&Arc<Blocked>> {
        self.blocked.as_ref()
    }

    /// Claims the wait for the request: from then on no other thread ends it. `false` if another
    /// has ended it.
    pub fn claim(&mut self) -> bool {
        self.claimed |= self.blocked.as_ref().is_some_and(|blocked| blocked.waiter.claim());
        self.claimed
    }

    /// Lets go of what it has claimed: others may end the wait again.
    pub fn release_claim(&mut self) {
        if let Some(blocked) = &self.blocked
            && std::mem::take(&mut self.claimed)
        {
            // No time ends it, and it waits for no key.
            let _ = blocked.waiter.release_claim();
        }
    }

    /// The same for what is never refused and never one of many.
    pub fn without_place(requests: &BlockedRequests, session: &mut Session) -> Self {
        Waiting::of(Blocked::elsewhere(requests, session), None)
    }

    /// Has the request run on a thread of a pool, when its turn comes. It is taken out of the queue
    /// if its client goes before. Call without holding any shard.
    pub fn run_on<W: PoolWorker>(
        self,
        pool: &Arc<ThreadPool<W>>,
        shared: &Arc<W::Shared>,
        work: impl FnOnce(Self, &mut W) + Send + 'static,
    ) {
        self.wait_for_thread(pool, work);
        pool.begin_thread(shared);
    }

    /// The same where shards are held. The caller begins the thread that it may need when it holds
    /// none: [`ThreadPool::begin_thread`].
    pub fn wait_for_thread<W: PoolWorker>(
        self,
        pool: &Arc<ThreadPool<W>>,
        work: impl FnOnce(Self, &mut W) + Send + 'static,
    ) {
        let Some(blocked) = self.blocked.clone() else { return };
        let own = Arc::clone(&blocked);
        let job = move |worker: &mut W| {
            if own.begins() {
                work(self, worker);
            }
        };
        blocked.begin_by(|| {
            let number = pool.enqueue(Box::new(job));
            let pool = Arc::clone(pool);
            Withdraw::Request(Box::new(move || pool.withdraw(number)))
        });
    }

    /// The same for what has to run in any case: nothing takes it out of the queue.
    pub fn run_anyway_on<W: PoolWorker>(
        self,
        pool: &Arc<ThreadPool<W>>,
        shared: &Arc<W::Shared>,
        work: impl FnOnce(Self, &mut W) + Send + 'static,
    ) {
        pool.send(shared, Box::new(move |worker| work(self, worker)));
    }

    /// What is let go when its client goes, though the request runs.
    pub fn lets_go(&self, let_go: impl FnOnce() + Send + 'static) {
        if let Some(blocked) = &self.blocked {
            blocked.withdraw_by(Withdraw::Reply(Box::new(let_go)));
        }
    }

    /// Whether the client still waits. One that has only said its last does: it may listen.
    pub fn is_wanted(&self) -> bool {
        self.claimed || self.blocked.as_ref().is_some_and(|blocked| blocked.is_wanted())
    }

    /// The protocol that its client speaks.
    pub fn protocol(&self) -> Protocol {
        self.blocked.as_ref().map_or(Protocol::Resp2, |blocked| blocked.protocol)
    }

    /// Says what is held for it.
    pub fn holds(&mut self, bytes: usize) {
        if let Some(place) = &mut self.place {
            place.holds(bytes);
        }
    }

    /// Does something while what is held for it does not count.
    pub fn uncounted<R>(&mut self, work: impl FnOnce() -> R) -> R {
        let bytes = self.place.as_ref().map_or(0, |place| place.held.bytes());
        self.holds(0);
        let done = work();
        self.holds(bytes);
        done
    }

    /// Answers it with what a query has come to. The reply counts before its place is free.
    pub fn end_query(mut self, ended: QueryEnd) {
        if let Some(blocked) = self.blocked.take() {
            blocked.end_query(ended, self.claimed);
        }
    }

    /// Of which the reply tells of nothing that a crash could take back: that something was saved,
    /// or that the disk refuses.
    pub fn at_once(self) -> Self {
        if let Some(blocked) = &self.blocked {
            blocked.end_at_once();
        }
        self
    }

    /// Answers it.
    pub fn answer(mut self, write: impl FnOnce(&mut RespWriter<'_>)) {
        if let Some(blocked) = self.blocked.take() {
            blocked.answer(write);
        }
    }

    /// Answers it with bytes from which what it does not want has been left out already; `gone`:
    /// the session ends behind them.
    pub fn answer_whole(mut self, reply: Vec<u8>, gone: bool) {
        if let Some(blocked) = self.blocked.take() {
            blocked.answer_whole(reply, gone);
        }
    }

    /// Lets the door answer it instead, which asks for it by this number and keeps the place.
    pub fn hand_over(mut self) -> (u64, Option<Place>) {
        let ticket = self.blocked.take().map_or(0, |blocked| blocked.waiter.ticket);
        (ticket, self.place.take())
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        // The request panicked: the panic has been reported by the panic hook.
        let Some(blocked) = self.blocked.take() else { return };
        if !self.claimed {
            return blocked.answer(|writer| writer.error_bytes(error::INTERNAL.bytes()));
        }
        let mut reply = Vec::new();
        RespWriter::new(&mut reply, blocked.protocol).error_bytes(error::INTERNAL.bytes());
        blocked.end_with(reply, true);
    }
}

/// What a background thread needs to run commands.
pub(crate) struct BackgroundWorker {
    pub txn: Txn,
    pub counters: Arc<Counters>,
}

/// A thread for queries: it frees the versions that have ended.
pub(crate) struct QueryWorker {
    pub versions: Arc<Versions>,
    /// What it installs edits with, once there was one.
    pub writer: Option<BackgroundWorker>,
}

/// An edit that waits for its turn, and its client.
pub(crate) struct PendingEdit {
    pub waiting: Waiting,
    /// Bytes that its reply may have.
    pub most: usize,
    /// What it begins with, if no other was before it.
    pub edit: Option<Edit>,
    pub run: Handler<Txn>,
    pub entry: usize,
    pub db: usize,
}

/// The threads, and what their requests hold.
pub(crate) struct BackgroundRequests {
    /// For those that wait for other servers. None of the kinds is in another's way.
    pub remote: Arc<ThreadPool<BackgroundWorker>>,
    /// For those that wait for files.
    pub file_threads: Arc<ThreadPool<BackgroundWorker>>,
    /// For `SAVE`, of which there is one at a time.
    pub saves: Arc<ThreadPool<BackgroundWorker>>,
    /// For `BACKUP`, which waits for other saves.
    pub backups: Arc<ThreadPool<BackgroundWorker>>,
    /// For `SHUTDOWN`, which waits for nothing but the save that is being made.
    pub shutdowns: Arc<ThreadPool<BackgroundWorker>>,
    /// For queries, as many as `query-threads` says: none of them waits for anything.
    pub queries: Arc<ThreadPool<QueryWorker>>,
    /// For parts of ordered indexes: some for each database, and none holds anything of a client.
    indexes: Arc<ThreadPool<BackgroundWorker>>,
    /// Places that are taken.
    pub(crate) taken: Arc<AtomicUsize>,
    /// Those of queries.
    taken_by_queries: Arc<AtomicUsize>,
    /// Edits that wait for others of the same key.
    pub edits: EditQueues<PendingEdit>,
    /// Those that wait and whose clients send nothing more, the oldest first: they may have gone.
    pub(crate) ended: Mutex<VecDeque<Weak<Blocked>>>,
    /// What they hold while they wait for files.
    pub files: FileLocks,
    /// Bytes of values on their way to other servers.
    pub migrating: AtomicUsize,
}

/// Held while files are waited for, by background threads alone: a thread that serves clients never
/// waits for one of them.
#[derive(Default)]
pub(crate) struct FileLocks {
    /// The file of the settings is read and written.
    pub rewriting: Mutex<()>,
    /// Settings are changed that reach out of the process.
    pub reaching_out: Mutex<()>,
}

impl BackgroundRequests {
    /// None yet. So many queries run at a time.
    pub fn new(queries: usize) -> Self {
        let pool = |name, most| ThreadPool::new((name, most), Duration::ZERO);
        BackgroundRequests {
            remote: pool("background", THREADS),
            file_threads: pool("files", FILE_THREADS),
            saves: pool("save", 1),
            backups: pool("backup", 1),
            shutdowns: pool("shutdown", 1),
            queries: ThreadPool::new(("query", queries), QUERY_IDLE),
            indexes: pool("indexes", THREADS),
            taken: Arc::default(),
            taken_by_queries: Arc::default(),
            edits: EditQueues::default(),
            ended: Mutex::default(),
            files: FileLocks::default(),
            migrating: AtomicUsize::new(0),
        }
    }
}

impl BackgroundRequests {
    /// Runs a part of the building of an ordered index, in another thread, soon. Without any thread
    /// it is dropped.
    pub fn send_for_index<S>(&self, shared: &Arc<S>, job: Job<BackgroundWorker>)
    where
        BackgroundWorker: PoolWorker<Shared = S>,
    {
        self.indexes.send(shared, job);
    }

    fn is_crowded(&self) -> bool {
        self.taken.load(Ordering::Relaxed) >= CROWD
    }

    /// Where many places are taken: the oldest request whose client sends nothing more goes.
    fn make_room(&self) {
        while self.is_crowded() {
            let Some(oldest) = self.ended.lock().pop_front() else { return };
            // Of others that is dropped, or has begun and has a thread.
            if oldest.upgrade().is_some_and(|blocked| blocked.give_way()) {
                return;
            }
        }
    }

    /// The client of a session that waits for another thread sends nothing more: it may listen, or
    /// have gone. Whether its connection is to be closed, as others need its place.
    pub(crate) fn client_has_ended(&self, session: &Session) -> bool {
        let Some(blocked) = session.blocked.as_ref().filter(|it| it.can_give_way()) else {
            return false;
        };
        if self.is_crowded() {
            return true;
        }
        let mut ended = self.ended.lock();
        if ended.len() >= PLACES {
            ended.retain(|other| other.strong_count() > 0);
        }
        if !ended.iter().any(|other| std::ptr::eq(other.as_ptr(), Arc::as_ptr(blocked))) {
            ended.push_back(Arc::downgrade(blocked));
        }
        false
    }
}
