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
//! that is away waits for it (`detached.rs`).
//!
//! After a call of [`turn`] the loop may be gone: then there is nothing left to do for this thread
//! ([`LoopEnded`]).

use std::cell::Cell;
use std::io;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{SendError, sync_channel};
use std::thread::Builder;

use engine::Message;
use mio::Events;

use super::job::Job;
use super::{EVENTS, EventLoop, WAKER};
use crate::connection::{Readiness, ReturnedConnection, ThreadState};
use crate::slab::ConnectionKey;
use crate::workers::{self, InboxMessage};

/// An event loop and its owner.
type Loop = Box<EventLoop>;

thread_local! {
    /// The loop of this thread while one of its connections has its turn, unless it has been handed
    /// over.
    static CURRENT_LOOP: Cell<Option<Loop>> = const { Cell::new(None) };
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
    if event_loop.detached.is_resting() || !(few || overdue) {
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
        event_loop.detached.rest();
        return Err(event_loop);
    }
    event_loop.detached.detach();
    // Counted before the other thread can see it come back.
    pool.replacements.running.fetch_add(1, Ordering::Relaxed);
    workers::detach_thread();
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
        me.housekeeping.turns += u32::from(!events.is_empty());
        me.seen.extend(events.iter().map(|event| (event.token(), Readiness::of(event))));
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
        me.detached.keep(thread, key, job);
        return Ok(me);
    };
    me.detached.in_turn = Some(key);
    CURRENT_LOOP.set(Some(me));
    let turn = job.perform(&mut connection, thread);
    let Some(mut me) = CURRENT_LOOP.take() else {
        return Err(LoopEnded::HandedOver(Box::new(ReturnedConnection { key, connection, turn })));
    };
    me.connections.give_back(key, connection);
    me.after(thread, key, turn);
    Ok(me)
}

/// Handles what was kept for connections that were detached and have returned.
fn catch_up(mut me: Loop, thread: &mut ThreadState) -> Result<Loop, LoopEnded> {
    while let Some((key, job)) = me.detached.next_late() {
        me = turn(me, thread, key, job)?;
    }
    Ok(me)
}

fn events(mut me: Loop, thread: &mut ThreadState) -> Result<Loop, LoopEnded> {
    while !me.seen.is_empty() {
        // What others have pushed was sent before what they led the client to send now.
        if me.messages.inbox.has_messages() {
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
    let count = me.waiting.held.len();
    if count == 0 {
        return Ok(me);
    }
    let mut latest = 0;
    for _ in 0..count {
        let Some(key) = me.waiting.held.take() else { break };
        me = turn(me, thread, key, Job::Release)?;
        let held = me.connections.get(key).filter(|held| held.is_held());
        latest = latest.max(held.map_or(0, |connection| connection.session.awaited_epoch));
    }
    me.ask_the_disk(latest);
    Ok(me)
}

fn read_inbox(mut me: Loop, thread: &mut ThreadState) -> Result<Loop, LoopEnded> {
    me.collect_messages(thread);
    while let Some(message) = me.messages.next() {
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
    while let Some(key) = me.messages.pushed.pop_front() {
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
        me.messages.pushed.push_back(key);
    }
    Ok(me)
}

/// Ends the waits of blocked requests whose time is up.
fn end_waits(mut me: Loop, thread: &mut ThreadState) -> Result<Loop, LoopEnded> {
    while let Some((deadline, key)) = me.waiting.next_due(thread.now) {
        me = turn(me, thread, key, Job::GiveUp(deadline))?;
    }
    Ok(me)
}

/// Lets requests run that waited for other workers to serve what came before them.
fn go_on(mut me: Loop, thread: &mut ThreadState) -> Result<Loop, LoopEnded> {
    while let Some(key) = me.waiting.deferred.next(thread.now) {
        me = turn(me, thread, key, Job::GoFirst)?;
    }
    Ok(me)
}

/// Lets requests run that waited for the end of a pause, once it is reached. (Ending a pause early
/// wakes all clients that wait for it.)
fn end_pause(mut me: Loop, thread: &mut ThreadState) -> Result<Loop, LoopEnded> {
    while let Some(key) = me.waiting.next_paused(&me.engine, thread.now) {
        me = turn(me, thread, key, Job::EndPause)?;
    }
    Ok(me)
}
