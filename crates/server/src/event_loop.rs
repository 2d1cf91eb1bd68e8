//! A worker's loop: wait, hand every connection its turn, look after what the clock brings.
//!
//! ```text
//!   poll ─► begin(now) ─► events ─► second turns ─► inbox ─► deadlines ─► tick
//!     ▲                                                                    │
//!     └────────────────────────────────────────────────────────────────────┘
//! ```
//!
//! Everything a connection needs lies in this thread; others reach it only through the inbox. The
//! loop must never wait for anything but the poller.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use base::Millis;
use engine::{Engine, Session, Worker};
use journal::wall_clock;
use mio::event::Event;
use mio::{Events, Interest, Poll, Token};

use crate::accept::{Crew, Doors, Rules};
use crate::connection::{Connection, Desk, Turn};
use crate::inbox::{Address, Inbox, Letter, is_crowding, wake_others};
use crate::listen::Listening;
use crate::logging::LevelSwitch;
use crate::slab::{Place, Slab};
use crate::stream::Stream;

/// The token of the waker.
pub const WAKER: Token = Token(usize::MAX);
/// Events taken from the kernel at a time.
const EVENTS: usize = 1024;
/// The pause between ticks when there is something to look after.
const TICK: Millis = 100;
/// How soon a loop that waits for another's inbox to be emptied looks again.
const CROWD_PAUSE: Millis = 1;
/// The pause between ticks otherwise.
const IDLE_TICK: Millis = 1000;
/// Fewer turns than this between two ticks are a quiet time.
const QUIET: u32 = 20;
/// How long a stopping worker waits for clients to take their last replies.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// One worker thread's loop.
pub struct EventLoop {
    poll: Poll,
    inbox: Arc<Inbox>,
    crew: Arc<Crew>,
    desk: Desk,
    connections: Slab<Box<Connection>>,
    /// Connections that get another turn before the loop waits again.
    again: Vec<Place>,
    /// Until when blocked requests wait, soonest first.
    deadlines: BTreeSet<(Millis, Place)>,
    /// Connections whose replies wait for the disk.
    held: Vec<Place>,
    /// Connections whose request waits for the end of a pause, in the order they came.
    paused: Vec<Place>,
    /// The epoch of the journal that was last asked to be made durable.
    asked: u64,
    /// Connections whose replies are over the soft limit.
    over_soft: Vec<Place>,
    /// Letters being handled, kept for its memory.
    letters: Vec<Letter>,
    /// Connections with pushed messages to send, kept for its memory.
    pushed: Vec<Place>,
    next_tick: Millis,
    /// Big values freed in the background so far, of which this thread has gathered its part.
    gathered: usize,
    /// What was gathered has not been given back to the system yet.
    owes_memory: bool,
    /// Turns of the loop with something to do since the last tick.
    turns: u32,
    doors: Option<Doors>,
    levels: Option<LevelSwitch>,
}

/// What a loop is made of, besides what it makes itself.
pub struct Parts {
    /// Its poller.
    pub poll: Poll,
    /// Its inbox, whose waker belongs to the poller.
    pub inbox: Arc<Inbox>,
    /// All workers.
    pub crew: Arc<Crew>,
    /// Unpredictable bits.
    pub seed: u64,
    /// For worker 0: the listeners.
    pub listening: Option<Arc<Listening>>,
    /// For worker 0: the log's level, to follow the configuration.
    pub levels: Option<LevelSwitch>,
}

impl EventLoop {
    /// A loop with a seat at the engine.
    #[must_use]
    pub fn new(engine: &Arc<Engine>, parts: Parts) -> Self {
        let Parts { poll, inbox, crew, seed, listening, levels } = parts;
        EventLoop {
            poll,
            inbox,
            crew,
            desk: Desk::new(Worker::new(engine, seed).mind(is_crowding)),
            connections: Slab::new(),
            again: Vec::new(),
            deadlines: BTreeSet::new(),
            held: Vec::new(),
            paused: Vec::new(),
            asked: 0,
            over_soft: Vec::new(),
            letters: Vec::new(),
            pushed: Vec::new(),
            next_tick: 0,
            gathered: 0,
            owes_memory: false,
            turns: 0,
            doors: listening.map(Doors::new),
            levels,
        }
    }

    /// Runs until the engine is told to stop.
    ///
    /// # Errors
    /// The poller fails, which it does not unless this program is wrong.
    pub fn run(mut self) -> io::Result<()> {
        self.inbox.take_seat();
        let mut events = Events::with_capacity(EVENTS);
        while !self.is_stopping() {
            let timeout = self.timeout();
            self.wait(&mut events, timeout)?;
            self.begin();
            self.turns += u32::from(!events.is_empty());
            for event in &events {
                self.event(event);
            }
            self.second_turns();
            self.read_letters();
            self.end_waits();
            self.end_pause();
            self.release();
            // A tick too far away means that somebody has set the clock back.
            if self.desk.now >= self.next_tick || self.next_tick > self.desk.now + IDLE_TICK {
                self.tick();
            }
        }
        self.crew.wake_all();
        self.say_goodbye(&mut events)
    }

    fn is_stopping(&self) -> bool {
        self.desk.worker.engine.stopping.load(Ordering::Acquire)
    }

    fn wait(&mut self, events: &mut Events, timeout: Duration) -> io::Result<()> {
        match self.poll.poll(events, Some(timeout)) {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => Err(error),
            _ => Ok(()),
        }
    }

    fn begin(&mut self) {
        self.desk.now = wall_clock();
        self.desk.worker.begin(self.desk.now);
        if let Some(levels) = &mut self.levels {
            levels.follow(self.desk.worker.seat.config.loglevel);
        }
    }

    /// How long the loop may wait: not at all if something is left to do.
    fn timeout(&self) -> Duration {
        let crowding = is_crowding();
        if !self.again.is_empty() && !crowding {
            return Duration::ZERO;
        }
        if self.inbox.has_letters() || self.is_release_due() {
            return Duration::ZERO;
        }
        let mut until = self.next_tick;
        if crowding {
            until = until.min(wall_clock() + CROWD_PAUSE);
        }
        if let Some(&(deadline, _)) = self.deadlines.first() {
            until = until.min(deadline);
        }
        if !self.paused.is_empty() {
            until = until.min(self.desk.worker.engine.pauses.until());
        }
        if let Some(retry) = self.doors.as_ref().and_then(Doors::resting_until) {
            until = until.min(retry);
        }
        Duration::from_millis(until.saturating_sub(wall_clock()).min(IDLE_TICK))
    }

    fn event(&mut self, event: &Event) {
        let Some(place) = Place::of(event.token()) else {
            if event.token() != WAKER {
                self.accept();
            }
            return;
        };
        let Some(connection) = self.connections.get_mut(place) else { return };
        let mut turn = Turn::Wait;
        if event.is_writable() {
            turn = connection.writable(&mut self.desk);
        }
        if turn != Turn::Close && (event.is_readable() || event.is_error()) {
            turn = connection.readable(&mut self.desk, event.is_read_closed());
        }
        self.after(place, turn);
    }

    /// Does what a connection's turn led to.
    #[inline]
    fn after(&mut self, place: Place, turn: Turn) {
        if std::mem::take(&mut self.desk.grown) {
            let Desk { worker, now, .. } = &self.desk;
            worker.engine.evict_clients(&worker.seat.config, *now);
        }
        wake_others();
        let Some(connection) = self.connections.get_mut(place) else { return };
        if turn == Turn::Close {
            return self.close(place);
        }
        let until = connection.session.blocked.as_ref().and_then(|blocked| blocked.until);
        if until != connection.deadline {
            if let Some(old) = connection.deadline.take() {
                self.deadlines.remove(&(old, place));
            }
            if let Some(until) = until {
                self.deadlines.insert((until, place));
            }
            connection.deadline = until;
        }
        if !connection.held && connection.must_wait(&self.desk) {
            connection.held = true;
            self.held.push(place);
        }
        if !connection.paused && connection.session.is_paused() {
            connection.paused = true;
            self.paused.push(place);
        }
        if turn == Turn::Again && !connection.queued {
            connection.queued = true;
            self.again.push(place);
        }
        if !connection.watched && connection.is_over_soft() {
            connection.watched = true;
            self.over_soft.push(place);
            self.next_tick = self.next_tick.min(self.desk.now + TICK);
        }
    }

    fn second_turns(&mut self) {
        for place in std::mem::take(&mut self.again) {
            let Some(connection) = self.connections.get_mut(place) else { continue };
            connection.queued = false;
            let turn = connection.turn(&mut self.desk);
            self.after(place, turn);
        }
    }

    /// Sends the replies that the disk has caught up with, and asks it to go on for the others.
    fn release(&mut self) {
        if self.held.is_empty() {
            return;
        }
        let mut latest = 0;
        for place in std::mem::take(&mut self.held) {
            let Some(connection) = self.connections.get_mut(place) else { continue };
            if connection.must_wait(&self.desk) {
                latest = latest.max(connection.session.awaits);
                self.held.push(place);
                continue;
            }
            connection.held = false;
            let turn = connection.writable(&mut self.desk);
            self.after(place, turn);
        }
        if latest > self.asked {
            self.asked = latest;
            self.desk.worker.engine.store.log().flush_soon();
        }
        // Raised before the last look at what is durable (see `is_release_due`), so that whoever
        // makes it durable after that look sees it.
        self.inbox.waits_for_disk.store(!self.held.is_empty(), Ordering::SeqCst);
    }

    /// Whether the disk has caught up with any reply that is held back.
    fn is_release_due(&self) -> bool {
        self.held.iter().any(|&place| {
            self.connections.get(place).is_none_or(|connection| !connection.must_wait(&self.desk))
        })
    }

    fn accept(&mut self) {
        if let Some(doors) = &mut self.doors {
            let seat = &self.desk.worker.seat;
            let without_password = self.desk.worker.engine.users.is_open();
            let rules = Rules { config: &seat.config, without_password };
            doors.accept_all(&self.crew, rules, &seat.counters, self.desk.now);
            wake_others();
        }
    }

    fn read_letters(&mut self) {
        if self.doors.as_ref().and_then(Doors::resting_until).is_some_and(|t| t <= self.desk.now) {
            self.accept();
        }
        if !self.inbox.has_letters() {
            return;
        }
        let mut letters = std::mem::take(&mut self.letters);
        self.inbox.take(&mut letters);
        for letter in letters.drain(..) {
            match letter {
                Letter::Connection(stream, origin) => self.join(stream, origin),
                Letter::Message(place, message) => {
                    let Some(connection) = self.connections.get_mut(place) else { continue };
                    let idle = !connection.has_output();
                    let turn = connection.deliver(&mut self.desk, message);
                    if idle && connection.has_output() {
                        self.pushed.push(place);
                    }
                    self.after(place, turn);
                }
            }
        }
        self.letters = letters;
        // All messages of this batch to one client go out in one write.
        let mut pushed = std::mem::take(&mut self.pushed);
        for place in pushed.drain(..) {
            let Some(connection) = self.connections.get_mut(place) else { continue };
            let turn = connection.writable(&mut self.desk);
            self.after(place, turn);
        }
        self.pushed = pushed;
    }

    /// Takes an accepted connection in.
    fn join(&mut self, mut stream: Stream, origin: engine::Origin) {
        let Some(place) = self.connections.next_place() else {
            self.crew.connected.fetch_sub(1, Ordering::Relaxed);
            return;
        };
        let interests = Interest::READABLE | Interest::WRITABLE;
        if let Err(error) = self.poll.registry().register(&mut stream, place.token(), interests) {
            tracing::warn!(%error, "a connection could not be watched and was closed");
            self.crew.connected.fetch_sub(1, Ordering::Relaxed);
            return;
        }
        let address = Arc::new(Address { inbox: Arc::clone(&self.inbox), place });
        let engine = &self.desk.worker.engine;
        let client = engine.clients.add(origin, self.desk.now, address);
        let authenticated = !engine.users.asks_password();
        let session = Session::new(client, authenticated);
        let mut connection = Box::new(Connection::new(stream, session));
        connection.account(&mut self.desk);
        self.connections.insert(connection);
    }

    fn close(&mut self, place: Place) {
        let Some(connection) = self.connections.remove(place) else { return };
        if let Some(deadline) = connection.deadline {
            self.deadlines.remove(&(deadline, place));
        }
        self.crew.connected.fetch_sub(1, Ordering::Relaxed);
        connection.part(&mut self.desk);
        // Parting may have woken somebody: a watcher's or a waiter's queue has moved on.
        wake_others();
    }

    /// Ends the waits of blocked requests whose time is up.
    fn end_waits(&mut self) {
        while let Some(&(deadline, place)) = self.deadlines.first() {
            if deadline > self.desk.now {
                return;
            }
            self.deadlines.pop_first();
            let Some(connection) = self.connections.get_mut(place) else { continue };
            connection.deadline = None;
            let turn = connection.give_up(&mut self.desk);
            if connection.session.blocked.as_ref().is_some_and(|b| b.until == Some(deadline)) {
                // Somebody else has just ended the wait; the reply is in the inbox.
                connection.deadline = Some(deadline);
            }
            self.after(place, turn);
        }
    }

    /// Lets requests run that waited for the end of a pause, once it is reached. (Who ends a pause
    /// before its time tells everybody who waits.)
    fn end_pause(&mut self) {
        let over = self.desk.worker.engine.pauses.until() <= self.desk.now;
        if self.paused.is_empty() || !over {
            return;
        }
        for place in std::mem::take(&mut self.paused) {
            let Some(connection) = self.connections.get_mut(place) else { continue };
            connection.paused = false;
            let turn = connection.end_pause(&mut self.desk);
            self.after(place, turn);
        }
    }

    /// What the clock brings: idle clients, soft limits, memory that others have freed.
    fn tick(&mut self) {
        let now = self.desk.now;
        let config = Arc::clone(&self.desk.worker.seat.config);
        let mut over = std::mem::take(&mut self.over_soft);
        over.retain(|&place| {
            let Some(connection) = self.connections.get_mut(place) else { return false };
            if connection.overflowed(&self.desk) {
                self.close(place);
                return false;
            }
            connection.watched = connection.is_over_soft();
            connection.watched
        });
        over.append(&mut self.over_soft);
        self.over_soft = over;
        if let Some(silence) = config.timeout {
            let idle: Vec<Place> = self
                .connections
                .iter_mut()
                .filter(|(_, connection)| connection.is_idle(now, silence.as_secs()))
                .map(|(place, _)| place)
                .collect();
            for place in idle {
                tracing::debug!("Closing idle client");
                self.close(place);
            }
        }
        self.return_memory();
        let pause = if self.over_soft.is_empty() { IDLE_TICK } else { TICK };
        self.next_tick = now + pause;
    }

    /// After something big was freed in the background: takes back this thread's part of it at
    /// once, and gives it to the system in the first second with little work, as that takes long.
    fn return_memory(&mut self) {
        let cleanups = self.desk.worker.engine.cleanups.load(Ordering::Acquire);
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

    /// Accepts nobody any more, sends what is still to be sent, and closes everything.
    fn say_goodbye(&mut self, events: &mut Events) -> io::Result<()> {
        if let Some(doors) = self.doors.take() {
            doors.close();
        }
        let deadline = Instant::now() + LAST_WORDS;
        self.begin();
        self.read_letters();
        // Replies held back are sent once the disk has what they tell.
        self.desk.worker.engine.store.log().flush_soon();
        loop {
            let mut left = false;
            for place in self.connections.places() {
                let Some(connection) = self.connections.get_mut(place) else { continue };
                match connection.flush(&mut self.desk) {
                    Turn::Close => self.close(place),
                    _ => left |= connection.has_output(),
                }
            }
            let time = deadline.saturating_duration_since(Instant::now());
            if !left || time.is_zero() {
                break;
            }
            self.inbox.waits_for_disk.store(true, Ordering::SeqCst);
            if self.is_release_due() {
                continue;
            }
            self.wait(events, time)?;
        }
        for place in self.connections.places() {
            self.close(place);
        }
        Ok(())
    }
}
