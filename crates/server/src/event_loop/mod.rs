//! A worker's event loop.
//!
//! ```text
//!   run            the order of turns, and which thread owns the loop
//!   job            why a connection has a turn     detached   those that another thread has
//!   messages       what comes from other threads   waiting    requests and replies that wait
//!   housekeeping   what the clock brings           first      what worker 0 does besides
//! ```
//!
//! All state of connections is here; other threads reach it only through the inbox. The loop must
//! never wait for anything but the poller.

mod detached;
mod housekeeping;
mod job;
mod messages;
mod run;
mod waiting;
mod worker_zero;

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use base::Millis;
use engine::{Engine, Session, Worker};
use journal::wall_clock;
use mio::{Events, Interest, Poll, Token};

use self::detached::DetachedConnections;
use self::housekeeping::{Housekeeping, IDLE_TICK};
use self::messages::Messages;
pub use self::run::run;
use self::waiting::WaitingConnections;
use self::worker_zero::WorkerZero;
use crate::accepting::Listening;
use crate::connection::{Connection, Readiness, ReturnedConnection, Stream, ThreadState, Turn};
use crate::logging::LevelSwitch;
use crate::slab::{ConnectionKey, Slab};
use crate::workers::{
    self, Address, Alive, Inbox, InboxMessage, WorkerPool, must_back_off, others_first, wake_others,
};

/// The token of the waker.
pub const WAKER: Token = Token(usize::MAX);
/// Events taken from the kernel at a time.
const EVENTS: usize = 1024;
/// How soon a loop that waits for another's inbox to be emptied looks again.
const BACKOFF_PAUSE: Millis = 1;
/// How long a stopping worker waits for clients to take their last replies.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// One worker thread's loop.
pub struct EventLoop {
    engine: Arc<Engine>,
    /// For the random numbers of the next thread that owns it.
    seed: u64,
    poll: Poll,
    pool: Arc<WorkerPool>,
    /// Its number among them.
    number: usize,
    /// Of the thread that has this loop.
    alive: Alive,
    connections: Slab<Box<Connection>>,
    /// Connections that get another turn before the loop waits again.
    again: VecDeque<ConnectionKey>,
    /// Poller events that have not been handled yet.
    seen: VecDeque<(Token, Readiness)>,
    messages: Messages,
    detached: DetachedConnections,
    waiting: WaitingConnections,
    housekeeping: Housekeeping,
    /// Of worker 0.
    first: Option<WorkerZero>,
}

/// What a loop is made of, besides what it makes itself.
pub struct EventLoopOptions {
    /// Its poller.
    pub poll: Poll,
    /// Its inbox, whose waker belongs to the poller.
    pub inbox: Arc<Inbox>,
    /// All workers.
    pub pool: Arc<WorkerPool>,
    /// Its number among them.
    pub number: usize,
    /// Unpredictable bits.
    pub seed: u64,
    /// For worker 0: the listeners, and the log's level, to follow the configuration.
    pub first: Option<(Arc<Listening>, LevelSwitch)>,
    /// For each thread that comes to have it.
    pub alive: Alive,
}

impl EventLoop {
    /// A loop with a context at the engine.
    #[must_use]
    pub fn new(engine: &Arc<Engine>, options: EventLoopOptions) -> Self {
        let EventLoopOptions { poll, inbox, pool, number, seed, first, alive } = options;
        EventLoop {
            engine: Arc::clone(engine),
            seed,
            poll,
            waiting: WaitingConnections::new(&pool, number),
            pool,
            number,
            alive,
            connections: Slab::new(),
            again: VecDeque::new(),
            seen: VecDeque::new(),
            messages: Messages::new(inbox),
            detached: DetachedConnections::default(),
            housekeeping: Housekeeping::default(),
            first: first.map(|(listening, levels)| WorkerZero::new(listening, levels)),
        }
    }

    /// Makes this thread the worker.
    fn attach_thread(&self) {
        self.messages.inbox.attach_thread();
        workers::attach_thread(&self.pool, self.number);
    }

    /// The state of a thread that owns this loop; it calls `hand_over` while a script takes long.
    fn new_state(&mut self, hand_over: fn(bool)) -> ThreadState {
        let worker = Worker::new(&self.engine, self.seed);
        // The next is to draw other numbers.
        self.seed = self.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29) ^ 0x5bd1;
        ThreadState::new(worker.mind(must_back_off).give_way(others_first).hand_over(hand_over))
    }

    fn is_stopping(&self) -> bool {
        self.engine.run.stopping.load(Ordering::Acquire)
    }

    /// WaitingConnections for events. At rest there is nothing left that has come before.
    fn wait(&mut self, events: &mut Events, mut timeout: Duration) -> io::Result<()> {
        self.pool.end_round(self.number, !timeout.is_zero());
        // Those it has waited for did not wake it as long as it was at work.
        if !timeout.is_zero() && self.waiting.deferred.is_due(wall_clock()) {
            timeout = Duration::ZERO;
        }
        match workers::wait(&mut self.poll, events, timeout) {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => Err(error),
            _ => Ok(()),
        }
    }

    fn begin(&mut self, thread: &mut ThreadState) {
        thread.now = wall_clock();
        self.pool.progress[self.number].begin(thread.now);
        thread.worker.begin(thread.now);
        // Eviction posts invalidations to clients that cache the keys; the turn that follows may be
        // long.
        wake_others();
        if let Some(first) = &mut self.first {
            first.levels.follow(thread.worker.context.config.logging.loglevel);
        }
    }

    /// How long the loop may wait: not at all if something is left to do.
    fn timeout(&self, thread: &ThreadState) -> Duration {
        let backlogged = must_back_off();
        if !self.again.is_empty() && !backlogged {
            return Duration::ZERO;
        }
        if self.messages.is_any_there() || self.is_release_due(thread) {
            return Duration::ZERO;
        }
        let backoff = backlogged.then(|| wall_clock() + BACKOFF_PAUSE);
        let retry = self.first.as_ref().and_then(WorkerZero::resting_until);
        let wait = self.waiting.until(&self.engine);
        let sooner = [backoff, wait, retry].into_iter().flatten();
        let until = sooner.fold(self.housekeeping.next_tick, Millis::min);
        Duration::from_millis(until.saturating_sub(wall_clock()).min(IDLE_TICK))
    }

    /// Does what a connection's turn led to.
    #[inline]
    fn after(&mut self, thread: &mut ThreadState, key: ConnectionKey, turn: Turn) {
        thread.evict_if_grown();
        wake_others();
        let Some(connection) = self.connections.get_mut(key) else { return };
        if turn == Turn::Close {
            return self.close(thread, key);
        }
        self.waiting.note(key, connection, thread.now);
        if turn == Turn::Again && !connection.listed.queued {
            connection.listed.queued = true;
            self.again.push_back(key);
        }
        if !connection.listed.watched && connection.is_over_soft() {
            connection.listed.watched = true;
            self.housekeeping.watch(key, thread.now);
        }
    }

    /// Asks the flusher to make `latest` durable, if a connection waits for it.
    fn ask_the_disk(&mut self, latest: u64) {
        let log = self.engine.store.log();
        self.waiting.held.rest(latest, &self.messages.inbox.waits_for_disk, || log.flush_soon());
    }

    /// Whether the disk has caught up with any reply that is held back.
    fn is_release_due(&self, thread: &ThreadState) -> bool {
        let held = |key| self.connections.get(key);
        self.waiting
            .held
            .is_due(|key| held(key).is_some_and(|connection| connection.must_hold(thread)))
    }

    fn accept(&mut self, thread: &mut ThreadState) {
        if let Some(first) = &mut self.first {
            first.accept(&self.pool, thread);
            wake_others();
        }
    }

    /// Takes the messages from the inbox, and accepts connections that had to wait.
    fn collect_messages(&mut self, thread: &mut ThreadState) {
        let retry = self.first.as_ref().and_then(WorkerZero::resting_until);
        if retry.is_some_and(|time| time <= thread.now) {
            self.accept(thread);
        }
        self.messages.collect();
    }

    /// Takes a connection back; what has come for it meanwhile is the next that is done.
    fn take_back(&mut self, thread: &mut ThreadState, back: ReturnedConnection) {
        let ReturnedConnection { key, connection, turn } = back;
        self.detached.reattach(key);
        self.connections.give_back(key, connection);
        self.after(thread, key, turn);
    }

    /// Takes back returned connections, as far as they can still be sent something.
    fn take_back_all(&mut self, thread: &mut ThreadState) {
        self.collect_messages(thread);
        for message in self.messages.take_all() {
            if let InboxMessage::Returned(back) = message {
                self.take_back(thread, *back);
            }
        }
    }

    /// Takes an accepted connection in.
    fn join(&mut self, thread: &mut ThreadState, mut stream: Stream, origin: engine::Origin) {
        let Some(key) = self.connections.next_key() else {
            self.pool.connected.fetch_sub(1, Ordering::Relaxed);
            return;
        };
        let interests = Interest::READABLE | Interest::WRITABLE;
        if let Err(error) = self.poll.registry().register(&mut stream, key.token(), interests) {
            tracing::warn!(%error, "a connection could not be watched and was closed");
            self.pool.connected.fetch_sub(1, Ordering::Relaxed);
            return;
        }
        if let Err(error) = self.pool.watch(self.number, stream.socket()) {
            tracing::warn!(%error, "what is published may overtake a connection's subscriptions");
        }
        let address = Arc::new(Address { inbox: Arc::clone(&self.messages.inbox), key });
        let engine = &thread.worker.engine;
        let client = engine.clients.add(origin, thread.now, address);
        let authenticated = !engine.users.asks_password();
        let session = Session::new(client, authenticated);
        let mut connection = Box::new(Connection::new(stream, session, engine));
        if connection.is_unknown(engine) {
            self.housekeeping.expect_to_authenticate(key, connection.session.client.since);
        }
        connection.account(thread);
        self.connections.insert(connection);
    }

    fn close(&mut self, thread: &mut ThreadState, key: ConnectionKey) {
        let Some(connection) = self.connections.remove(key) else { return };
        self.waiting.forget(key, connection.listed.deadline);
        self.housekeeping.forget(key, connection.session.client.since);
        self.pool.connected.fetch_sub(1, Ordering::Relaxed);
        connection.part(thread);
        // Disconnecting may have posted messages: another client in a queue may have become the
        // first.
        wake_others();
    }

    /// Stops accepting connections.
    fn stop_accepting(&mut self) {
        if let Some(first) = &mut self.first {
            first.stop_accepting();
        }
    }

    /// Sends what is still to be sent, and closes everything.
    fn say_goodbye(&mut self, thread: &mut ThreadState, events: &mut Events) -> io::Result<()> {
        let deadline = Instant::now() + LAST_WORDS;
        // Replies held back are sent once the disk has what they tell.
        self.engine.store.log().flush_soon();
        loop {
            let mut left = !self.detached.is_empty();
            for key in self.connections.keys() {
                let Some(connection) = self.connections.get_mut(key) else { continue };
                match connection.flush(thread) {
                    Turn::Close => self.close(thread, key),
                    _ => left |= connection.has_output(),
                }
            }
            let time = deadline.saturating_duration_since(Instant::now());
            if !left || time.is_zero() {
                break;
            }
            self.messages.inbox.waits_for_disk.set(true);
            if self.is_release_due(thread) {
                continue;
            }
            self.wait(events, time)?;
            self.take_back_all(thread);
        }
        for key in self.connections.keys() {
            self.close(thread, key);
        }
        Ok(())
    }
}
