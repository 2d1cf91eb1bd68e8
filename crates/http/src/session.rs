//! The session of each connection, and how its requests run on the engine.
//!
//! ```text
//!   handler ─► aside::call ─► a worker, for as long as the command runs ─► reply
//!                                │ paused:               release it, wait for the end of the pause
//!                                └ `appendfsync always`: release it, wait for the disk
//! ```
//!
//! A command goes the way it goes for a client of the other protocol, so users, `MONITOR`,
//! `CLIENT LIST`, `CLIENT PAUSE`, `maxmemory`, the slow log and all counters apply here as there.
//! Commands that wait for keys are never called, and a worker is never kept across a wait. Requests
//! that take longer than a moment run on other threads, with workers of their own: `aside.rs`;
//! statements on graphs run on the engine's own threads for queries.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use base::Protocol;
use engine::exchange::{self, DoorSession, Exchange, NoAnswer};
use engine::unauthenticated::Charge;
use engine::{
    ClientMemory, CloseSignal, Counters, Credential, Engine, LongRequest, Message, MessageQueue,
    Origin, Session, SideThreads, Stage, Worker,
};
use journal::wall_clock;
use parking_lot::Mutex;
use tokio::sync::Notify;
use wire::{ReplyParser, Value};

use crate::departure::Delivery;

/// A buffer for requests that has grown beyond this is not kept.
const KEPT: usize = 64 << 10;

/// The workers of the port.
pub struct Workers {
    /// The engine they are at.
    pub engine: Arc<Engine>,
    workers: Box<[Mutex<Worker>]>,
    next: AtomicUsize,
    /// Notified when something has become durable.
    pub durable: Arc<Notify>,
    /// Threads for what takes longer than a moment.
    pub(crate) side: SideThreads,
}

impl Workers {
    /// As many workers as threads will use one at the same time.
    pub fn new(engine: &Arc<Engine>, count: usize, seed: u64, durable: Arc<Notify>) -> Self {
        let worker = |number: u64| Mutex::new(Worker::new(engine, seed.wrapping_add(number)));
        Workers {
            engine: Arc::clone(engine),
            workers: (0..count.max(1) as u64).map(worker).collect(),
            next: AtomicUsize::new(0),
            durable,
            side: SideThreads::new(engine, ["http-long", "http-heavy"], !seed),
        }
    }

    /// Locks a worker and does `work` with it.
    pub fn with<R>(&self, work: impl FnOnce(&mut Worker) -> R) -> R {
        let free = self.workers.iter().find_map(Mutex::try_lock);
        let mut worker = free.unwrap_or_else(|| {
            let at = self.next.fetch_add(1, Ordering::Relaxed) % self.workers.len();
            self.workers[at].lock()
        });
        worker.begin(wall_clock());
        work(&mut worker)
    }

    /// Counts something among the figures of the server.
    pub fn count(&self, count: impl FnOnce(&Counters)) {
        self.with(|worker| count(&worker.context.counters));
    }
}

/// Bytes of a connection that the engine has not been told of yet.
pub struct Meter {
    /// Received.
    pub received: AtomicU64,
    /// Sent.
    pub sent: AtomicU64,
    /// Times something was received.
    pub reads: AtomicU64,
    /// Times something was sent.
    pub writes: AtomicU64,
    /// How the peer takes what it is sent.
    pub delivery: Delivery,
    /// A request is being answered (its body is counted where it is read), or the last one was
    /// authenticated.
    known: AtomicBool,
    /// Counts the connection and the head of a request whose caller is not known yet.
    unknown: Mutex<Charge>,
    /// Bytes the connection itself is charged while its caller is not known.
    connection: usize,
}

impl Meter {
    /// Nothing has come yet on a connection that was charged so many bytes.
    pub fn new(unknown: Charge, connection: usize) -> Self {
        Meter {
            received: AtomicU64::new(0),
            sent: AtomicU64::new(0),
            reads: AtomicU64::new(0),
            writes: AtomicU64::new(0),
            delivery: Delivery::default(),
            known: AtomicBool::new(false),
            unknown: Mutex::new(unknown),
            connection,
        }
    }

    /// Whether there is room for so many bytes that have come.
    pub fn has_room(&self, bytes: usize) -> bool {
        self.known.load(Ordering::Relaxed) || self.unknown.lock().add(bytes)
    }

    /// A head is complete.
    pub fn begin_answer(&self) {
        self.known.store(true, Ordering::Relaxed);
        let mut unknown = self.unknown.lock();
        // Nothing of one that was authenticated before.
        if unknown.bytes() > 0 {
            let _ = unknown.set(self.connection);
        }
    }

    /// The caller of the request that is being answered has authenticated.
    pub fn admit(&self) {
        let _ = self.unknown.lock().set(0);
    }

    /// Whether it takes some of what callers who are not known may take.
    pub fn is_charged(&self) -> bool {
        self.unknown.lock().bytes() > 0
    }

    /// Its request was answered; `known` if it was authenticated.
    pub fn end_answer(&self, known: bool) {
        self.known.store(known, Ordering::Relaxed);
        let _ = self.unknown.lock().set(if known { 0 } else { self.connection });
    }

    fn settle(&self, counters: &Counters) {
        counters.net_input.add(self.received.swap(0, Ordering::Relaxed));
        counters.net_output.add(self.sent.swap(0, Ordering::Relaxed));
        counters.reads.add(self.reads.swap(0, Ordering::Relaxed));
        counters.writes.add(self.writes.swap(0, Ordering::Relaxed));
    }
}

/// Why there is no reply.
#[derive(Debug)]
pub enum NoReply {
    /// The session was ended.
    Ended,
    /// Something broke, or the system has no thread.
    Broken,
    /// Too many long requests wait already.
    TooManyWaiting,
    /// A word is longer than one may be.
    TooLong,
    /// The command ran, but the disk could not confirm what it did.
    NotDurable(String),
    /// The configuration has this command called by no name.
    Disabled(&'static str),
}

/// Why a request is admitted.
pub enum Admitted {
    /// It is not: there were no credentials yet.
    Not,
    /// No credentials are needed.
    AsAnybody,
    /// By these credentials.
    By(Credential),
}

/// The words of a request behind its command's name.
pub type Words = Vec<Vec<u8>>;

/// Bytes of all words of some requests.
pub fn bytes_of(requests: &[Words]) -> usize {
    requests.iter().flatten().map(Vec::len).sum()
}

/// A connection as the engine knows it.
pub struct ClientSession {
    workers: Arc<Workers>,
    /// Its session.
    pub session: Session,
    /// What came for it.
    messages: Arc<MessageQueue>,
    /// The credentials of the current request.
    pub admitted: Admitted,
    /// What it takes.
    memory: ClientMemory,
    meter: Arc<Meter>,
    request: Vec<u8>,
}

impl ClientSession {
    /// A new connection: a client of the engine until it is dropped.
    pub fn new(
        workers: &Arc<Workers>,
        origin: Origin,
        meter: &Arc<Meter>,
        close_signal: &Arc<CloseSignal>,
    ) -> Self {
        let engine = &workers.engine;
        let messages = Arc::new(MessageQueue::new(Arc::clone(close_signal)));
        let client = engine.clients.add(origin, wall_clock(), Arc::clone(&messages) as _);
        client.labels.lock().lib_name = "http".to_owned();
        let mut session = Session::new(client, !engine.users.asks_password());
        session.speak(Protocol::Resp3);
        session.terms.shares = true;
        let memory = ClientMemory::new(&engine.memory.buffers, &session.client.origin);
        ClientSession {
            workers: Arc::clone(workers),
            session,
            messages,
            admitted: Admitted::Not,
            memory,
            meter: Arc::clone(meter),
            request: Vec::new(),
        }
    }

    /// Its request was let in: it takes nothing any more of what callers who are not known may.
    pub fn let_in(&self) {
        self.meter.admit();
    }

    /// Whether its last request was let in.
    pub fn is_admitted(&self) -> bool {
        !matches!(self.admitted, Admitted::Not)
    }

    /// Whether what let the present request in still would: an answer that is made piece by piece
    /// can take long.
    fn still_may(&self) -> bool {
        let users = &self.workers.engine.users;
        match &self.admitted {
            // The engine itself checks what an unauthenticated client may do.
            Admitted::Not => true,
            Admitted::AsAnybody => !users.asks_password(),
            Admitted::By(credential) => credential.holds(users),
        }
    }

    /// Has a password that was wrong refused by the command, which takes a moment: so it is in `ACL
    /// LOG` and counted as everywhere.
    pub async fn refuse_password(&mut self, user: &[u8], password: &[u8]) {
        let Ok(called) = self.called("auth") else { return };
        let mut input = Vec::new();
        wire::encode(&mut input, [&called[..], user, password]);
        // What is answered is known.
        let _ = exchange::on_port(self, Exchange::of_bytes(input)).await;
    }

    /// Where some requests run: on a side thread, if something is answered.
    ///
    /// # Errors
    /// [`NoReply`].
    pub(crate) fn permit(
        &mut self,
        called: &[u8],
        requests: &[Words],
        stage: Stage,
    ) -> Result<Option<LongRequest>, NoReply> {
        let ClientSession { workers, session, .. } = self;
        // Each of many may be light, and all of them heavy.
        let bytes = if requests.len() > 1 { bytes_of(requests) } else { 0 };
        let long = workers.side.permit_bytes(bytes, stage).map_err(Self::refusal)?;
        if long.is_some() {
            return Ok(long);
        }
        workers.with(|worker| {
            for words in requests {
                let argv: Vec<&[u8]> =
                    std::iter::once(called).chain(words.iter().map(Vec::as_slice)).collect();
                let long = workers.side.permit(worker, session, &argv, stage);
                let long = long.map_err(Self::refusal)?;
                if long.is_some() {
                    return Ok(long);
                }
            }
            Ok(None)
        })
    }

    /// What a command is called that is given by its own name, if its user still may.
    ///
    /// # Errors
    /// [`NoReply`].
    pub(crate) fn called(&self, name: &'static str) -> Result<Vec<u8>, NoReply> {
        if !self.still_may() {
            return Err(NoReply::Ended);
        }
        let entry = self.workers.engine.table.find_own(&[name.as_bytes()]);
        let called = entry.map_or(name.as_bytes(), |entry| entry.called());
        if called.is_empty() { Err(NoReply::Disabled(name)) } else { Ok(called.to_vec()) }
    }

    /// Whether what let the present request in still would, and its user may still run this: an
    /// answer that is made while it is sent can take long. A refusal is logged.
    ///
    /// # Errors
    /// [`NoReply::Ended`].
    pub(crate) fn may_go_on(&mut self, name: &'static str, key: &[u8]) -> Result<(), NoReply> {
        if !self.still_may() {
            return Err(NoReply::Ended);
        }
        let argv = [name.as_bytes(), key];
        let may = self.with_worker(|worker, session| worker.may(session, &argv));
        may.map_err(|_| NoReply::Ended)
    }

    /// Closes the clients that take most, if all together take more than they may: an answer has
    /// been counted.
    pub(crate) fn evict_clients(&self) {
        let engine = &self.workers.engine;
        engine.evict_clients(&engine.config(), wall_clock());
    }

    /// The buffer for requests that was kept.
    pub(crate) fn take_kept(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.request)
    }

    /// Keeps a buffer for requests that come, unless it has become large.
    pub(crate) fn keep_for_next(&mut self, input: Vec<u8>) {
        if input.capacity() <= KEPT {
            self.request = input;
        }
    }

    /// The workers.
    pub(crate) fn workers(&self) -> &Arc<Workers> {
        &self.workers
    }
}

impl DoorSession for ClientSession {
    type Refusal = NoReply;

    fn refusal(why: NoAnswer) -> NoReply {
        match why {
            NoAnswer::Ended => NoReply::Ended,
            NoAnswer::Broken => NoReply::Broken,
            NoAnswer::Crowded => NoReply::TooManyWaiting,
            NoAnswer::NotDurable(why) => NoReply::NotDurable(why),
        }
    }

    fn engine(&self) -> Arc<Engine> {
        Arc::clone(&self.workers.engine)
    }

    fn session(&mut self) -> &mut Session {
        &mut self.session
    }

    fn with_worker<R>(&mut self, work: impl FnOnce(&mut Worker, &mut Session) -> R) -> R {
        let ClientSession { workers, session, memory, meter, .. } = self;
        workers.with(|worker| {
            meter.settle(&worker.context.counters);
            let done = work(worker, session);
            if memory.set(session.memory()) {
                worker.engine.evict_clients(&worker.context.config, worker.context.now);
            }
            done
        })
    }

    async fn message(&mut self, time: Option<Duration>) -> Result<Option<Message>, NoReply> {
        // Nothing that is called here waits for a key: it waits for the end of a pause, or for a
        // statement, which ends when its client leaves.
        match time {
            Some(time) => Ok(tokio::time::timeout(time, self.messages.next()).await.ok()),
            None => Ok(Some(self.messages.next().await)),
        }
    }

    fn durable(&self) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(Arc::clone(&self.workers.durable).notified_owned())
    }

    async fn at_most(&self, time: Duration, what: Pin<Box<dyn Future<Output = ()> + Send>>) {
        let _ = tokio::time::timeout(time, what).await;
    }

    async fn give_way(&self) {
        tokio::task::yield_now().await;
    }
}

/// So many replies.
///
/// # Errors
/// There are fewer.
pub(crate) fn read(bytes: &[u8], count: usize) -> Result<Vec<Value>, NoReply> {
    let mut parser = ReplyParser::new();
    parser.feed(bytes);
    // The engine writes whole replies in a protocol that is its own.
    let reply = |_| parser.next_value().ok().flatten().ok_or(NoReply::Broken);
    (0..count).map(reply).collect()
}

/// Keys of all databases together.
pub fn keys(workers: &Workers) -> usize {
    workers.with(engine::Worker::key_count)
}

impl Drop for ClientSession {
    fn drop(&mut self) {
        let ClientSession { workers, session, meter, .. } = self;
        workers.with(|worker| {
            meter.settle(&worker.context.counters);
            worker.disconnect(session);
        });
    }
}
