//! Runs a worker's event loop, and hands it over to another thread when a script takes long.
//!
//! ```text
//!   poll ─► begin(now) ─► events ─► second turns ─► inbox ─► deadlines ─► tick
//!     ▲                                                                    │
//!     └────────────────────────────────────────────────────────────────────┘
//!
//!   a script takes long:   old thread ──── the loop ────► a replacement, the worker from now on
//!                              │                               │
//!                              └── the script's connection ────┘ when its turn is over: a message
//! ```
//!
//! There is one owner of the loop at any time: the function that has it in its hand, and while a
//! connection has its turn, this thread
//! ([`CURRENT_LOOP`]). A script that takes long has the loop taken from there ([`hand_over`]) and
//! given to another thread, with all that is still to be done, which lies in its queues; only the
//! connection whose turn it is stays, and comes back when that is over. So there is never a loop
//! inside a turn, and what a script holds is its thread's alone. What comes for a connection
//! that is away waits for it ([`DetachedConnection`]).
//!
//! After a call of [`turn`] the loop may be gone: then there is nothing left to do for this thread
//! ([`LoopEnded`]).

use std::cell::Cell;
use std::io;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{SendError, sync_channel};
use std::thread::Builder;
use std::time::{Duration, Instant};

use base::Millis;
use config::Overflow;
use engine::Message;
use mio::Events;

use crate::connection::{Connection, Turn};
use crate::event_loop::{EVENTS, EventLoop, Seen, WAKER};
use crate::inbox::{self, InboxMessage};
use crate::limits;
use crate::slab::ConnectionKey;
use crate::thread_state::ThreadState;

/// An event loop and its owner.
type Loop = Box<EventLoop>;

thread_local! {
    /// The loop of this thread while one of its connections has its turn, unless it has been handed
    /// over.
    static CURRENT_LOOP: Cell<Option<Loop>> = const { Cell::new(None) };
}

/// How soon a thread that could not be started is tried again.
const RETRY: Duration = Duration::from_secs(1);

/// Why a connection has a turn.
pub(crate) enum Job {
    /// The poller has seen something.
    Event(Seen),
    /// A message for it has arrived.
    Message(Message),
    /// There was more to do when its last turn was over.
    Again,
    /// The disk may have what its replies tell.
    Release,
    /// Messages to it have come: they are sent at once.
    Flush,
    /// The wait of its request is over, which was to end at this time.
    GiveUp(Millis),
    /// Other workers have served what came before its request.
    GoFirst,
    /// The pause that its request waits for is over.
    EndPause,
}

/// A connection that another thread owns, and what has arrived for it meanwhile.
pub(crate) struct DetachedConnection {
    key: ConnectionKey,
    jobs: Vec<Job>,
    /// Bytes of messages among them.
    bytes: usize,
}

/// A connection that another thread returns, and what is to happen to it.
pub struct ReturnedConnection {
    key: ConnectionKey,
    connection: Box<Connection>,
    turn: Turn,
}

/// Why a thread no longer owns a loop.
enum LoopEnded {
    /// Another thread owns it, and gets this back.
    HandedOver(Box<ReturnedConnection>),
    /// The poller fails, which it does not unless this program is wrong.
    Failed(io::Error),
}

/// Makes this thread the worker whose loop this is, until its engine is told to stop or the loop
/// is handed over.
pub fn run(mut event_loop: Loop) {
    let (alive, pool) = (event_loop.alive.clone(), event_loop.pool.clone());
    let number = event_loop.number;
    let mut thread =
        pool.replacements.take_state().unwrap_or_else(|| event_loop.new_state(hand_over));
    event_loop.attach_thread();
    match serve(event_loop, &mut thread) {
        Ok(()) => {}
        Err(LoopEnded::Failed(error)) => alive.fail(&error),
        Err(LoopEnded::HandedOver(back)) => {
            thread.evict_if_grown();
            pool.replacements.put_state(thread);
            pool.replacements.running.fetch_sub(1, Ordering::Relaxed);
            pool.inboxes[number].post(InboxMessage::Returned(back));
        }
    }
}

/// Gives the loop of this thread to another, if it has one: the turn of one of its connections
/// takes long; too long, if it is `overdue`. Called every so often then.
fn hand_over(overdue: bool) {
    let Some(event_loop) = CURRENT_LOOP.take() else { return };
    if let Err(event_loop) = replace_thread(event_loop, overdue) {
        CURRENT_LOOP.set(Some(event_loop));
    }
}

/// Starts a thread that goes on with the loop; the loop, if that is not to be now.
fn replace_thread(mut event_loop: Loop, overdue: bool) -> Result<(), Loop> {
    let pool = event_loop.pool.clone();
    let few = pool.replacements.running.load(Ordering::Relaxed) < pool.inboxes.len();
    let resting = event_loop.retry_at.is_some_and(|at| Instant::now() < at);
    if resting || !(few || overdue) {
        return Err(event_loop);
    }
    let (give, take) = sync_channel::<Loop>(1);
    let name = format!("worker-{}", event_loop.number);
    let begun = Builder::new().name(name).spawn(move || {
        // An error would mean that the other side has kept it.
        if let Ok(event_loop) = take.recv() {
            run(event_loop);
        }
    });
    if let Err(error) = begun {
        tracing::error!(%error, "no thread to serve clients while a script runs");
        event_loop.retry_at = Some(Instant::now() + RETRY);
        return Err(event_loop);
    }
    let key = event_loop.in_turn;
    event_loop.detached.extend(key.map(|key| DetachedConnection {
        key,
        jobs: Vec::new(),
        bytes: 0,
    }));
    // Counted before the other thread can see it come back.
    pool.replacements.running.fetch_add(1, Ordering::Relaxed);
    inbox::detach_thread();
    give.send(event_loop).map_err(|SendError(event_loop)| event_loop)
}

fn serve(mut me: Loop, thread: &mut ThreadState) -> Result<(), LoopEnded> {
    let mut events = Events::with_capacity(EVENTS);
    me.begin(thread);
    // What is left of a round that another thread has begun.
    me = round(me, thread)?;
    while !me.is_stopping() {
        me.tick_if_due(thread);
        let timeout = me.timeout(thread);
        me.wait(&mut events, timeout).map_err(LoopEnded::Failed)?;
        me.begin(thread);
        me.turns += u32::from(!events.is_empty());
        me.seen.extend(events.iter().map(|event| (event.token(), Seen::of(event))));
        me = round(me, thread)?;
    }
    me.pool.wake_all();
    me.stop_accepting();
    me.begin(thread);
    me = read_inbox(me, thread)?;
    me.say_goodbye(thread, &mut events).map_err(LoopEnded::Failed)
}

/// Does all that there is to do now.
fn round(mut me: Loop, thread: &mut ThreadState) -> Result<Loop, LoopEnded> {
    me = catch_up(me, thread)?;
    me = events(me, thread)?;
    me = second_turns(me, thread)?;
    me = read_inbox(me, thread)?;
    me = end_waits(me, thread)?;
    me = end_pause(me, thread)?;
    me = go_on(me, thread)?;
    me = release(me, thread)?;
    me.pool.progress[me.number].end();
    Ok(me)
}

/// Gives a connection its turn, and does what that led to. A detached one has it later.
#[inline]
fn turn(
    mut me: Loop,
    thread: &mut ThreadState,
    key: ConnectionKey,
    job: Job,
) -> Result<Loop, LoopEnded> {
    let Some(mut connection) = me.connections.lend(key) else {
        me.keep(thread, key, job);
        return Ok(me);
    };
    me.in_turn = Some(key);
    CURRENT_LOOP.set(Some(me));
    let turn = job.perform(&mut connection, thread);
    let Some(mut me) = CURRENT_LOOP.take() else {
        return Err(LoopEnded::HandedOver(Box::new(ReturnedConnection { key, connection, turn })));
    };
    me.connections.give_back(key, connection);
    me.after(thread, key, turn);
    Ok(me)
}

impl Job {
    #[inline]
    fn perform(self, connection: &mut Connection, thread: &mut ThreadState) -> Turn {
        match self {
            Job::Event(seen) => happened(connection, thread, seen),
            Job::Message(message) => connection.deliver(thread, message),
            Job::Again => {
                connection.queued = false;
                connection.turn(thread)
            }
            Job::Release => {
                let must_wait = connection.must_wait(thread);
                match connection.replies.look_again(must_wait) {
                    true => Turn::Wait,
                    false => connection.writable(thread),
                }
            }
            Job::Flush => connection.writable(thread),
            Job::GiveUp(deadline) => {
                connection.deadline = None;
                let turn = connection.give_up(thread);
                let blocked = connection.session.blocked.as_ref();
                if blocked.is_some_and(|blocked| blocked.until == Some(deadline)) {
                    // Another thread has just ended the wait; the reply is in the inbox.
                    connection.deadline = Some(deadline);
                }
                turn
            }
            Job::GoFirst => {
                connection.paused = false;
                connection.go_first(thread)
            }
            Job::EndPause => {
                connection.paused = false;
                connection.end_pause(thread)
            }
        }
    }
}

/// An event has been seen for a connection.
fn happened(connection: &mut Connection, thread: &mut ThreadState, seen: Seen) -> Turn {
    let mut turn = Turn::Wait;
    if seen.writable {
        turn = connection.writable(thread);
    }
    if turn != Turn::Close && seen.readable {
        turn = connection.readable(thread, seen);
    }
    turn
}

impl EventLoop {
    /// Keeps an event or a message for a detached connection; drops it if the connection is closed.
    #[cold]
    fn keep(&mut self, thread: &ThreadState, key: ConnectionKey, job: Job) {
        let Some(detached) = self.detached.iter_mut().find(|detached| detached.key == key) else {
            return;
        };
        if let Job::Message(Message::Push(bytes)) = &job {
            detached.bytes += bytes.len();
            let waiting = limits::PendingOutput {
                kept: detached.bytes,
                pushed: detached.bytes,
                subscriber: true,
            };
            if matches!(limits::output(waiting, None, thread), Overflow::Close) {
                // More than may wait to be sent to it: it is closed when it comes back.
                detached.jobs.clear();
                detached.jobs.push(Job::Message(Message::Kill));
                return;
            }
        }
        // However often its client sends something, it is read once.
        let known = detached.jobs.iter_mut().find_map(|known| match known {
            Job::Event(seen) => Some(seen),
            _ => None,
        });
        match (job, known) {
            (Job::Event(more), Some(seen)) => seen.add(more),
            (job, _) => detached.jobs.push(job),
        }
    }

    /// Takes a connection back; what has come for it meanwhile is the next that is done.
    fn take_back(&mut self, thread: &mut ThreadState, back: ReturnedConnection) {
        let ReturnedConnection { key, connection, turn } = back;
        if let Some(at) = self.detached.iter().position(|detached| detached.key == key) {
            let jobs = self.detached.swap_remove(at).jobs.into_iter().chain([Job::Flush]);
            self.late.extend(jobs.map(|job| (key, job)));
        }
        self.connections.give_back(key, connection);
        self.after(thread, key, turn);
    }

    /// Takes back returned connections, as far as they can still be sent something.
    pub(crate) fn take_back_all(&mut self, thread: &mut ThreadState) {
        self.collect_messages(thread);
        for message in std::mem::take(&mut self.messages) {
            if let InboxMessage::Returned(back) = message {
                self.take_back(thread, *back);
            }
        }
    }
}

/// Handles what was kept for connections that were detached and have returned.
fn catch_up(mut me: Loop, thread: &mut ThreadState) -> Result<Loop, LoopEnded> {
    while let Some((key, job)) = me.late.pop_front() {
        me = turn(me, thread, key, job)?;
    }
    Ok(me)
}

fn events(mut me: Loop, thread: &mut ThreadState) -> Result<Loop, LoopEnded> {
    while !me.seen.is_empty() {
        // What others have pushed was sent before what they led the client to send now.
        if me.inbox.has_messages() {
            me = read_inbox(me, thread)?;
        }
        let Some((token, seen)) = me.seen.pop_front() else { break };
        match ConnectionKey::of(token) {
            Some(key) => me = turn(me, thread, key, Job::Event(seen))?,
            None if token == WAKER => {}
            None => me.accept(thread),
        }
    }
    Ok(me)
}

fn second_turns(mut me: Loop, thread: &mut ThreadState) -> Result<Loop, LoopEnded> {
    // Those that get yet another turn stand behind these.
    for _ in 0..me.again.len() {
        let Some(key) = me.again.pop_front() else { break };
        me = turn(me, thread, key, Job::Again)?;
    }
    Ok(me)
}

/// Sends the replies that the disk has caught up with, and asks it to go on for the others.
fn release(mut me: Loop, thread: &mut ThreadState) -> Result<Loop, LoopEnded> {
    let count = me.held.len();
    if count == 0 {
        return Ok(me);
    }
    let mut latest = 0;
    for _ in 0..count {
        let Some(key) = me.held.take() else { break };
        me = turn(me, thread, key, Job::Release)?;
        let held = me.connections.get(key).filter(|held| held.replies.is_listed());
        latest = latest.max(held.map_or(0, |connection| connection.session.awaits));
    }
    me.ask_the_disk(latest);
    Ok(me)
}

fn read_inbox(mut me: Loop, thread: &mut ThreadState) -> Result<Loop, LoopEnded> {
    me.collect_messages(thread);
    while let Some(message) = me.messages.pop_front() {
        match message {
            InboxMessage::Connection(stream, origin) => me.join(thread, stream, origin),
            InboxMessage::Message(key, message) => me = deliver(me, thread, key, message)?,
            InboxMessage::Returned(back) => {
                me.take_back(thread, *back);
                me = catch_up(me, thread)?;
            }
        }
    }
    // All messages of this batch to one client go out in one write.
    while let Some(key) = me.pushed.pop_front() {
        me = turn(me, thread, key, Job::Flush)?;
    }
    Ok(me)
}

fn deliver(
    mut me: Loop,
    thread: &mut ThreadState,
    key: ConnectionKey,
    message: Message,
) -> Result<Loop, LoopEnded> {
    let has_output = |me: &Loop| me.connections.get(key).is_some_and(|it| it.has_output());
    let had = has_output(&me);
    me = turn(me, thread, key, Job::Message(message))?;
    if !had && has_output(&me) {
        me.pushed.push_back(key);
    }
    Ok(me)
}

/// Ends the waits of blocked requests whose time is up.
fn end_waits(mut me: Loop, thread: &mut ThreadState) -> Result<Loop, LoopEnded> {
    while let Some((deadline, key)) = me.next_due(thread.now) {
        me = turn(me, thread, key, Job::GiveUp(deadline))?;
    }
    Ok(me)
}

/// Lets requests run that waited for other workers to serve what came before them.
fn go_on(mut me: Loop, thread: &mut ThreadState) -> Result<Loop, LoopEnded> {
    while let Some(key) = me.deferred.next(thread.now) {
        me = turn(me, thread, key, Job::GoFirst)?;
    }
    Ok(me)
}

/// Lets requests run that waited for the end of a pause, once it is reached. (Ending a pause early
/// wakes all clients that wait for it.)
fn end_pause(mut me: Loop, thread: &mut ThreadState) -> Result<Loop, LoopEnded> {
    while let Some(key) = me.next_paused(thread.now) {
        me = turn(me, thread, key, Job::EndPause)?;
    }
    Ok(me)
}
