//! The state of a worker's event loop: connections, waits, deadlines and the tick.
//!
//! All state of connections is here; other threads reach it only through the inbox. The loop must
//! never wait for anything but the poller. The order of turns, and which thread owns the loop, is
//! in `run_loop.rs`.

use std::collections::{BTreeSet, VecDeque};
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use base::Millis;
use engine::{Engine, Session, Worker};
use journal::wall_clock;
use mio::event::Event;
use mio::{Events, Interest, Poll, Token};

use crate::accept::{Acceptor, Rules, WorkerPool};
use crate::connection::{Connection, Turn};
use crate::held::HeldReplies;
use crate::inbox::{self, Address, Inbox, InboxMessage, must_back_off, wake_others};
use crate::listen::Listening;
use crate::logging::LevelSwitch;
use crate::progress::{self, DeferredQueue, others_first};
use crate::run_loop::{DetachedConnection, Job};
use crate::serve::Alive;
use crate::slab::{ConnectionKey, Slab};
use crate::stream::Stream;
use crate::thread_state::ThreadState;

/// The token of the waker.
pub const WAKER: Token = Token(usize::MAX);
/// Events taken from the kernel at a time.
pub(crate) const EVENTS: usize = 1024;
/// The pause between ticks when there is something to look after.
const TICK: Millis = 100;
/// How soon a loop that waits for another's inbox to be emptied looks again.
const BACKOFF_PAUSE: Millis = 1;
/// The pause between ticks otherwise.
const IDLE_TICK: Millis = 1000;
/// Fewer turns than this between two ticks are a quiet time.
const QUIET: u32 = 20;
/// How long a stopping worker waits for clients to take their last replies.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// One worker thread's loop.
pub struct EventLoop {
    engine: Arc<Engine>,
    seed: u64,
    poll: Poll,
    pub(crate) inbox: Arc<Inbox>,
    pub(crate) pool: Arc<WorkerPool>,
    /// Its number among them.
    pub(crate) number: usize,
    pub(crate) connections: Slab<Box<Connection>>,
    /// Connections that get another turn before the loop waits again.
    pub(crate) again: VecDeque<ConnectionKey>,
    /// Poller events that have not been handled yet.
    pub(crate) seen: VecDeque<(Token, Seen)>,
    /// The connection whose turn it is, or was.
    pub(crate) in_turn: Option<ConnectionKey>,
    /// Connections that other threads own.
    pub(crate) detached: Vec<DetachedConnection>,
    /// What was kept for connections that have returned.
    pub(crate) late: VecDeque<(ConnectionKey, Job)>,
    /// No thread could be started; when that is tried again.
    pub(crate) retry_at: Option<Instant>,
    /// Of the thread that has this loop.
    pub(crate) alive: Alive,
    /// Until when blocked requests wait, soonest first.
    deadlines: BTreeSet<(Millis, ConnectionKey)>,
    /// When connections that have not authenticated were accepted.
    unknown: BTreeSet<(Millis, ConnectionKey)>,
    /// Connections whose replies wait for the disk.
    pub(crate) held: HeldReplies<ConnectionKey>,
    /// Connections whose request waits for the end of a pause, in the order they came.
    paused: VecDeque<ConnectionKey>,
    /// Connections whose request waits for other workers to serve what came before it.
    pub(crate) deferred: DeferredQueue,
    /// Connections whose replies are over the soft limit.
    over_soft: Vec<ConnectionKey>,
    /// Letters to be handled, in the order they came.
    pub(crate) messages: VecDeque<InboxMessage>,
    /// Where messages are taken to from the inbox, kept for its memory.
    fresh: Vec<InboxMessage>,
    /// Connections with pushed messages to send.
    pub(crate) pushed: VecDeque<ConnectionKey>,
    next_tick: Millis,
    /// Big values freed in the background so far, of which this thread has gathered its part.
    gathered: usize,
    /// What was gathered has not been given back to the system yet.
    owes_memory: bool,
    /// Turns of the loop with something to do since the last tick.
    pub(crate) turns: u32,
    acceptor: Option<Acceptor>,
    levels: Option<LevelSwitch>,
}

/// What the poller has seen of a connection.
#[derive(Clone, Copy)]
pub(crate) struct Seen {
    pub writable: bool,
    pub readable: bool,
    /// The peer has said its last.
    pub closed: bool,
    /// Nobody listens any more.
    pub broken: bool,
}

impl Seen {
    pub fn of(event: &Event) -> Self {
        // Of a peer that has only said its last the other direction is still open.
        let broken = event.is_error() || (event.is_read_closed() && event.is_write_closed());
        Seen {
            writable: event.is_writable(),
            readable: event.is_readable() || broken,
            closed: event.is_read_closed(),
            broken,
        }
    }
}

impl Seen {
    /// Adds what has been seen since.
    pub fn add(&mut self, more: Seen) {
        self.writable |= more.writable;
        self.readable |= more.readable;
        self.closed |= more.closed;
        self.broken |= more.broken;
    }
}

/// What a loop is made of, besides what it makes itself.
pub struct Parts {
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
    /// For worker 0: the listeners.
    pub listening: Option<Arc<Listening>>,
    /// For worker 0: the log's level, to follow the configuration.
    pub levels: Option<LevelSwitch>,
    /// For each thread that comes to have it.
    pub alive: Alive,
}

impl EventLoop {
    /// A loop with a context at the engine.
    #[must_use]
    pub fn new(engine: &Arc<Engine>, parts: Parts) -> Self {
        let Parts { poll, inbox, pool, number, seed, listening, levels, alive } = parts;
        EventLoop {
            engine: Arc::clone(engine),
            seed,
            poll,
            inbox,
            deferred: DeferredQueue::new(Arc::clone(&pool), number),
            pool,
            number,
            connections: Slab::new(),
            again: VecDeque::new(),
            seen: VecDeque::new(),
            in_turn: None,
            detached: Vec::new(),
            late: VecDeque::new(),
            retry_at: None,
            alive,
            deadlines: BTreeSet::new(),
            unknown: BTreeSet::new(),
            held: HeldReplies::new(),
            paused: VecDeque::new(),
            over_soft: Vec::new(),
            messages: VecDeque::new(),
            fresh: Vec::new(),
            pushed: VecDeque::new(),
            next_tick: 0,
            gathered: 0,
            owes_memory: false,
            turns: 0,
            acceptor: listening.map(Acceptor::new),
            levels,
        }
    }

    /// Makes this thread the worker.
    pub(crate) fn attach_thread(&self) {
        self.inbox.attach_thread();
        progress::attach_thread(&self.pool, self.number);
    }

    /// The state of a thread that owns this loop; it calls `hand_over` while a script takes long.
    pub(crate) fn new_state(&mut self, hand_over: fn(bool)) -> ThreadState {
        let worker = Worker::new(&self.engine, self.seed);
        // The next is to draw other numbers.
        self.seed = self.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29) ^ 0x5bd1;
        ThreadState::new(worker.mind(must_back_off).give_way(others_first).hand_over(hand_over))
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.engine.run.stopping.load(Ordering::Acquire)
    }

    /// Waits for events. At rest there is nothing left that has come before.
    pub(crate) fn wait(&mut self, events: &mut Events, mut timeout: Duration) -> io::Result<()> {
        self.pool.end_round(self.number, !timeout.is_zero());
        // Those it has waited for did not wake it as long as it was at work.
        if !timeout.is_zero() && self.deferred.is_due(wall_clock()) {
            timeout = Duration::ZERO;
        }
        match inbox::wait(&mut self.poll, events, timeout) {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => Err(error),
            _ => Ok(()),
        }
    }

    pub(crate) fn begin(&mut self, thread: &mut ThreadState) {
        thread.now = wall_clock();
        self.pool.progress[self.number].begin(thread.now);
        thread.worker.begin(thread.now);
        // Eviction posts invalidations to clients that cache the keys; the turn that follows may be
        // long.
        wake_others();
        if let Some(levels) = &mut self.levels {
            levels.follow(thread.worker.context.config.logging.loglevel);
        }
    }

    /// How long the loop may wait: not at all if something is left to do.
    pub(crate) fn timeout(&self, thread: &ThreadState) -> Duration {
        let backlogged = must_back_off();
        if !self.again.is_empty() && !backlogged {
            return Duration::ZERO;
        }
        if self.inbox.has_messages() || !self.messages.is_empty() || self.is_release_due(thread) {
            return Duration::ZERO;
        }
        let mut until = self.next_tick;
        if backlogged {
            until = until.min(wall_clock() + BACKOFF_PAUSE);
        }
        if let Some(&(deadline, _)) = self.deadlines.first() {
            until = until.min(deadline);
        }
        if !self.paused.is_empty() {
            until = until.min(self.engine.waits.pauses.until());
        }
        if let Some(limit) = self.deferred.until() {
            until = until.min(limit);
        }
        if let Some(retry) = self.acceptor.as_ref().and_then(Acceptor::resting_until) {
            until = until.min(retry);
        }
        Duration::from_millis(until.saturating_sub(wall_clock()).min(IDLE_TICK))
    }

    /// Does what a connection's turn led to.
    #[inline]
    pub(crate) fn after(&mut self, thread: &mut ThreadState, key: ConnectionKey, turn: Turn) {
        thread.evict_if_grown();
        wake_others();
        let Some(connection) = self.connections.get_mut(key) else { return };
        if turn == Turn::Close {
            return self.close(thread, key);
        }
        let until = connection.session.blocked.as_ref().and_then(|blocked| blocked.until);
        if until != connection.deadline {
            if let Some(old) = connection.deadline.take() {
                self.deadlines.remove(&(old, key));
            }
            if let Some(until) = until {
                self.deadlines.insert((until, key));
            }
            connection.deadline = until;
        }
        self.held.note(key, &mut connection.replies);
        // A request that waits for an index is woken when it is ready, independent of pauses.
        let is_paused = connection.session.is_paused() && !connection.session.awaits_index();
        if !connection.paused && is_paused {
            connection.paused = true;
            if connection.session.lets_others_first() {
                self.deferred.keep(key, thread.now);
            } else {
                self.paused.push_back(key);
            }
        }
        if turn == Turn::Again && !connection.queued {
            connection.queued = true;
            self.again.push_back(key);
        }
        if !connection.watched && connection.is_over_soft() {
            connection.watched = true;
            self.over_soft.push(key);
            self.next_tick = self.next_tick.min(thread.now + TICK);
        }
    }

    /// Asks the flusher to make `latest` durable, if a connection waits for it.
    pub(crate) fn ask_the_disk(&mut self, latest: u64) {
        let log = self.engine.store.log();
        self.held.rest(latest, &self.inbox.waits_for_disk, || log.flush_soon());
    }

    /// Whether the disk has caught up with any reply that is held back.
    fn is_release_due(&self, thread: &ThreadState) -> bool {
        let held = |key| self.connections.get(key);
        self.held.is_due(|key| held(key).is_some_and(|connection| connection.must_wait(thread)))
    }

    pub(crate) fn accept(&mut self, thread: &mut ThreadState) {
        if let Some(acceptor) = &mut self.acceptor {
            let context = &thread.worker.context;
            let without_password = thread.worker.engine.users.is_open();
            let rules = Rules { config: &context.config, without_password };
            acceptor.accept_all(&self.pool, rules, &context.counters, thread.now);
            wake_others();
        }
    }

    /// Takes the messages from the inbox, and accepts connections that had to wait.
    pub(crate) fn collect_messages(&mut self, thread: &mut ThreadState) {
        if self.acceptor.as_ref().and_then(Acceptor::resting_until).is_some_and(|t| t <= thread.now)
        {
            self.accept(thread);
        }
        if self.inbox.has_messages() {
            self.inbox.take(&mut self.fresh);
            // New connections first: a message may lead to a long command, and the thread that
            // deals connections out looks for those that wait in the inbox alone.
            let new_connections =
                self.fresh.extract_if(.., |l| matches!(l, InboxMessage::Connection(..)));
            let new_connections: Vec<_> = new_connections.collect();
            new_connections.into_iter().rev().for_each(|message| self.messages.push_front(message));
            self.messages.extend(self.fresh.drain(..));
        }
    }

    /// The next blocked request whose time is up, taken from the list.
    pub(crate) fn next_due(&mut self, now: Millis) -> Option<(Millis, ConnectionKey)> {
        let due = self.deadlines.first().is_some_and(|&(deadline, _)| deadline <= now);
        if due { self.deadlines.pop_first() } else { None }
    }

    /// The next connection whose request waited for the end of a pause, if it is over.
    pub(crate) fn next_paused(&mut self, now: Millis) -> Option<ConnectionKey> {
        if self.paused.is_empty() || self.engine.waits.pauses.until() > now {
            return None;
        }
        self.paused.pop_front()
    }

    /// Takes an accepted connection in.
    pub(crate) fn join(
        &mut self,
        thread: &mut ThreadState,
        mut stream: Stream,
        origin: engine::Origin,
    ) {
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
        let address = Arc::new(Address { inbox: Arc::clone(&self.inbox), key });
        let engine = &thread.worker.engine;
        let client = engine.clients.add(origin, thread.now, address);
        let authenticated = !engine.users.asks_password();
        let session = Session::new(client, authenticated);
        let mut connection = Box::new(Connection::new(stream, session, engine));
        if connection.is_unknown(engine) {
            self.unknown.insert((connection.session.client.since, key));
        }
        connection.account(thread);
        self.connections.insert(connection);
    }

    fn close(&mut self, thread: &mut ThreadState, key: ConnectionKey) {
        let Some(connection) = self.connections.remove(key) else { return };
        if let Some(deadline) = connection.deadline {
            self.deadlines.remove(&(deadline, key));
        }
        if !self.unknown.is_empty() {
            self.unknown.remove(&(connection.session.client.since, key));
        }
        self.pool.connected.fetch_sub(1, Ordering::Relaxed);
        connection.part(thread);
        // Disconnecting may have posted messages: another client in a queue may have become the
        // first.
        wake_others();
    }

    /// Looks after what the clock brings, if it is time.
    pub(crate) fn tick_if_due(&mut self, thread: &mut ThreadState) {
        // A tick too far away means that the clock has been set back.
        if thread.now >= self.next_tick || self.next_tick > thread.now + IDLE_TICK {
            self.tick(thread);
        }
    }

    /// What the clock brings: idle clients, soft limits, memory that others have freed.
    fn tick(&mut self, thread: &mut ThreadState) {
        let now = thread.now;
        let config = Arc::clone(&thread.worker.context.config);
        let mut over = std::mem::take(&mut self.over_soft);
        over.retain(|&key| {
            if self.connections.is_lent(key) {
                return true;
            }
            let Some(connection) = self.connections.get_mut(key) else { return false };
            if connection.overflowed(thread) {
                self.close(thread, key);
                return false;
            }
            connection.watched = connection.is_over_soft();
            connection.watched
        });
        over.append(&mut self.over_soft);
        self.over_soft = over;
        if let Some(silence) = config.network.timeout {
            let idle: Vec<ConnectionKey> = self
                .connections
                .iter_mut()
                .filter(|(_, connection)| connection.is_idle(now, silence.as_secs()))
                .map(|(key, _)| key)
                .collect();
            for key in idle {
                tracing::debug!("Closing idle client");
                self.close(thread, key);
            }
        }
        self.close_unknown(thread);
        self.return_memory();
        let pause = if self.over_soft.is_empty() { IDLE_TICK } else { TICK };
        self.next_tick = now + pause;
    }

    /// Closes connections that have not authenticated in time.
    fn close_unknown(&mut self, thread: &mut ThreadState) {
        let time = thread
            .worker
            .context
            .config
            .clients
            .callers
            .unauthenticated_timeout
            .map(|time| time.as_millis());
        let is_late = |came: Millis| {
            time.is_some_and(|time| u128::from(thread.now.saturating_sub(came)) >= time)
        };
        let late: Vec<(Millis, ConnectionKey)> =
            self.unknown.iter().take_while(|(came, _)| is_late(*came)).copied().collect();
        for (came, key) in late {
            self.unknown.remove(&(came, key));
            let engine = &thread.worker.engine;
            if self.connections.get(key).is_some_and(|late| late.is_unknown(engine)) {
                tracing::debug!("closing a client that has not authenticated in time");
                self.close(thread, key);
            }
        }
    }

    /// After something big was freed in the background: takes back this thread's part of it at
    /// once, and gives it to the system in the first second with little work, as that takes long.
    fn return_memory(&mut self) {
        let cleanups = self.engine.memory.cleanups.load(Ordering::Acquire);
        if cleanups != self.gathered {
            self.gathered = cleanups;
            self.owes_memory = true;
            allocator::gather();
        }
        if self.owes_memory && self.turns < QUIET {
            self.owes_memory = false;
            allocator::give_back();
        }
        self.turns = 0;
    }

    /// Stops accepting connections.
    pub(crate) fn stop_accepting(&mut self) {
        if let Some(acceptor) = self.acceptor.take() {
            acceptor.close();
        }
    }

    /// Sends what is still to be sent, and closes everything.
    pub(crate) fn say_goodbye(
        &mut self,
        thread: &mut ThreadState,
        events: &mut Events,
    ) -> io::Result<()> {
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
            self.inbox.waits_for_disk.set(true);
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
