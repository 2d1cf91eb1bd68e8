//! The turns of a worker's connections, and what becomes of the others when one takes too long.
//!
//! ```text
//!   poll ─► begin(now) ─► events ─► second turns ─► inbox ─► deadlines ─► tick
//!     ▲                                                                    │
//!     └────────────────────────────────────────────────────────────────────┘
//!
//!   a script takes long:   old thread ──── the loop ────► a stand-in: it is the worker from now on
//!                              │                               │
//!                              └── the script's connection ────┘ when its turn is over: a letter
//! ```
//!
//! There is one owner of the loop at any time: the function that has it in its hand, and while a
//! connection has its turn, this thread ([`HERE`]). A script that takes long has the loop taken
//! from there ([`hand_over`]) and given to another thread, with all that is still to be done,
//! which lies in its queues; only the connection whose turn it is stays, and comes back when that
//! is over. So there is never a loop inside a turn, and what a script holds is nobody's but its
//! thread's.
//! What comes for a connection that is away waits for it ([`Away`]).
//!
//! Whoever calls [`turn`] may find the loop gone afterwards: then there is nothing left to do for
//! this thread ([`Gone`]).

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

use crate::connection::{Connection, Desk, Turn};
use crate::event_loop::{EVENTS, EventLoop, Seen, WAKER};
use crate::inbox::{self, Letter};
use crate::limits;
use crate::slab::Place;

/// A loop in somebody's hand.
type Loop = Box<EventLoop>;

thread_local! {
    /// The loop of this thread while one of its connections has its turn, unless it has been handed
    /// over.
    static HERE: Cell<Option<Loop>> = const { Cell::new(None) };
}

/// How soon a thread that could not be started is tried again.
const RETRY: Duration = Duration::from_secs(1);

/// What a connection has its turn for.
pub(crate) enum Job {
    /// The poller has seen something.
    Event(Seen),
    /// Somebody has sent this.
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

/// A connection that another thread has, and what has come for it meanwhile.
pub(crate) struct Away {
    place: Place,
    jobs: Vec<Job>,
    /// Bytes of messages among them.
    bytes: usize,
}

/// A connection that comes back from another thread, and what is to become of it.
pub struct Back {
    place: Place,
    connection: Box<Connection>,
    turn: Turn,
}

/// Why a thread has no loop any more.
enum Gone {
    /// Another thread has it. What that is to get back.
    HandedOver(Box<Back>),
    /// The poller fails, which it does not unless this program is wrong.
    Failed(io::Error),
}

/// Makes this thread the worker whose loop this is, until its engine is told to stop or the loop
/// is handed over.
pub fn run(mut event_loop: Loop) {
    let (alive, crew) = (event_loop.alive.clone(), event_loop.crew.clone());
    let number = event_loop.number;
    let mut desk = crew.stand_ins.take_desk().unwrap_or_else(|| event_loop.new_desk(hand_over));
    event_loop.take_seat();
    match serve(event_loop, &mut desk) {
        Ok(()) => {}
        Err(Gone::Failed(error)) => alive.fail(&error),
        Err(Gone::HandedOver(back)) => {
            desk.evict_if_grown();
            crew.stand_ins.put_desk(desk);
            crew.stand_ins.away.fetch_sub(1, Ordering::Relaxed);
            crew.inboxes[number].post(Letter::Back(back));
        }
    }
}

/// Gives the loop of this thread to another, if it has one: the turn of one of its connections
/// takes long; too long, if it is `overdue`. Called every so often then.
fn hand_over(overdue: bool) {
    let Some(event_loop) = HERE.take() else { return };
    if let Err(event_loop) = stand_in(event_loop, overdue) {
        HERE.set(Some(event_loop));
    }
}

/// Starts a thread that goes on with the loop; the loop, if that is not to be now.
fn stand_in(mut event_loop: Loop, overdue: bool) -> Result<(), Loop> {
    let crew = event_loop.crew.clone();
    let few = crew.stand_ins.away.load(Ordering::Relaxed) < crew.inboxes.len();
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
    let place = event_loop.in_turn;
    event_loop.away.extend(place.map(|place| Away { place, jobs: Vec::new(), bytes: 0 }));
    // Counted before the other thread can see it come back.
    crew.stand_ins.away.fetch_add(1, Ordering::Relaxed);
    inbox::leave_seat();
    give.send(event_loop).map_err(|SendError(event_loop)| event_loop)
}

fn serve(mut me: Loop, desk: &mut Desk) -> Result<(), Gone> {
    let mut events = Events::with_capacity(EVENTS);
    me.begin(desk);
    // What is left of a round that another thread has begun.
    me = round(me, desk)?;
    while !me.is_stopping() {
        me.tick_if_due(desk);
        let timeout = me.timeout(desk);
        me.wait(&mut events, timeout).map_err(Gone::Failed)?;
        me.begin(desk);
        me.turns += u32::from(!events.is_empty());
        me.seen.extend(events.iter().map(|event| (event.token(), Seen::of(event))));
        me = round(me, desk)?;
    }
    me.crew.wake_all();
    me.stop_accepting();
    me.begin(desk);
    me = read_letters(me, desk)?;
    me.say_goodbye(desk, &mut events).map_err(Gone::Failed)
}

/// Does all that there is to do now.
fn round(mut me: Loop, desk: &mut Desk) -> Result<Loop, Gone> {
    me = catch_up(me, desk)?;
    me = events(me, desk)?;
    me = second_turns(me, desk)?;
    me = read_letters(me, desk)?;
    me = end_waits(me, desk)?;
    me = end_pause(me, desk)?;
    me = go_on(me, desk)?;
    me = release(me, desk)?;
    me.crew.progress[me.number].end();
    Ok(me)
}

/// Gives a connection its turn, and does what that led to. One that is away has it later.
#[inline]
fn turn(mut me: Loop, desk: &mut Desk, place: Place, job: Job) -> Result<Loop, Gone> {
    let Some(mut connection) = me.connections.lend(place) else {
        me.keep(desk, place, job);
        return Ok(me);
    };
    me.in_turn = Some(place);
    HERE.set(Some(me));
    let turn = job.perform(&mut connection, desk);
    let Some(mut me) = HERE.take() else {
        return Err(Gone::HandedOver(Box::new(Back { place, connection, turn })));
    };
    me.connections.give_back(place, connection);
    me.after(desk, place, turn);
    Ok(me)
}

impl Job {
    #[inline]
    fn perform(self, connection: &mut Connection, desk: &mut Desk) -> Turn {
        match self {
            Job::Event(seen) => happened(connection, desk, seen),
            Job::Message(message) => connection.deliver(desk, message),
            Job::Again => {
                connection.queued = false;
                connection.turn(desk)
            }
            Job::Release => {
                let must_wait = connection.must_wait(desk);
                match connection.replies.look_again(must_wait) {
                    true => Turn::Wait,
                    false => connection.writable(desk),
                }
            }
            Job::Flush => connection.writable(desk),
            Job::GiveUp(deadline) => {
                connection.deadline = None;
                let turn = connection.give_up(desk);
                let blocked = connection.session.blocked.as_ref();
                if blocked.is_some_and(|blocked| blocked.until == Some(deadline)) {
                    // Somebody else has just ended the wait; the reply is in the inbox.
                    connection.deadline = Some(deadline);
                }
                turn
            }
            Job::GoFirst => {
                connection.paused = false;
                connection.go_first(desk)
            }
            Job::EndPause => {
                connection.paused = false;
                connection.end_pause(desk)
            }
        }
    }
}

/// An event has been seen for a connection.
fn happened(connection: &mut Connection, desk: &mut Desk, seen: Seen) -> Turn {
    let mut turn = Turn::Wait;
    if seen.writable {
        turn = connection.writable(desk);
    }
    if turn != Turn::Close && seen.readable {
        turn = connection.readable(desk, seen.closed);
    }
    turn
}

impl EventLoop {
    /// Keeps what has come for a connection that is away; for one that has gone it is nothing.
    #[cold]
    fn keep(&mut self, desk: &Desk, place: Place, job: Job) {
        let Some(away) = self.away.iter_mut().find(|away| away.place == place) else { return };
        if let Job::Message(Message::Push(bytes)) = &job {
            away.bytes += bytes.len();
            let waiting =
                limits::Waiting { kept: away.bytes, pushed: away.bytes, subscriber: true };
            if matches!(limits::output(waiting, None, desk), Overflow::Close) {
                // More than may wait to be sent to it: it is closed when it comes back.
                away.jobs.clear();
                away.jobs.push(Job::Message(Message::Kill));
                return;
            }
        }
        // However often its client sends something, it is read once.
        let known = away.jobs.iter_mut().find_map(|known| match known {
            Job::Event(seen) => Some(seen),
            _ => None,
        });
        match (job, known) {
            (Job::Event(more), Some(seen)) => seen.add(more),
            (job, _) => away.jobs.push(job),
        }
    }

    /// Takes a connection back; what has come for it meanwhile is the next that is done.
    fn take_back(&mut self, desk: &mut Desk, back: Back) {
        let Back { place, connection, turn } = back;
        if let Some(at) = self.away.iter().position(|away| away.place == place) {
            let jobs = self.away.swap_remove(at).jobs.into_iter().chain([Job::Flush]);
            self.late.extend(jobs.map(|job| (place, job)));
        }
        self.connections.give_back(place, connection);
        self.after(desk, place, turn);
    }

    /// Takes back those that have come back, as far as they can still be told something.
    pub(crate) fn welcome_back(&mut self, desk: &mut Desk) {
        self.collect_letters(desk);
        for letter in std::mem::take(&mut self.letters) {
            if let Letter::Back(back) = letter {
                self.take_back(desk, *back);
            }
        }
    }
}

/// Does what has come for connections that were away and are back.
fn catch_up(mut me: Loop, desk: &mut Desk) -> Result<Loop, Gone> {
    while let Some((place, job)) = me.late.pop_front() {
        me = turn(me, desk, place, job)?;
    }
    Ok(me)
}

fn events(mut me: Loop, desk: &mut Desk) -> Result<Loop, Gone> {
    while !me.seen.is_empty() {
        // What others have pushed was sent before what they led the client to send now.
        if me.inbox.has_letters() {
            me = read_letters(me, desk)?;
        }
        let Some((token, seen)) = me.seen.pop_front() else { break };
        match Place::of(token) {
            Some(place) => me = turn(me, desk, place, Job::Event(seen))?,
            None if token == WAKER => {}
            None => me.accept(desk),
        }
    }
    Ok(me)
}

fn second_turns(mut me: Loop, desk: &mut Desk) -> Result<Loop, Gone> {
    // Those that get yet another turn stand behind these.
    for _ in 0..me.again.len() {
        let Some(place) = me.again.pop_front() else { break };
        me = turn(me, desk, place, Job::Again)?;
    }
    Ok(me)
}

/// Sends the replies that the disk has caught up with, and asks it to go on for the others.
fn release(mut me: Loop, desk: &mut Desk) -> Result<Loop, Gone> {
    let count = me.held.len();
    if count == 0 {
        return Ok(me);
    }
    let mut latest = 0;
    for _ in 0..count {
        let Some(place) = me.held.take() else { break };
        me = turn(me, desk, place, Job::Release)?;
        let held = me.connections.get(place).filter(|held| held.replies.is_listed());
        latest = latest.max(held.map_or(0, |connection| connection.session.awaits));
    }
    me.ask_the_disk(latest);
    Ok(me)
}

fn read_letters(mut me: Loop, desk: &mut Desk) -> Result<Loop, Gone> {
    me.collect_letters(desk);
    while let Some(letter) = me.letters.pop_front() {
        match letter {
            Letter::Connection(stream, origin) => me.join(desk, stream, origin),
            Letter::Message(place, message) => me = deliver(me, desk, place, message)?,
            Letter::Back(back) => {
                me.take_back(desk, *back);
                me = catch_up(me, desk)?;
            }
        }
    }
    // All messages of this batch to one client go out in one write.
    while let Some(place) = me.pushed.pop_front() {
        me = turn(me, desk, place, Job::Flush)?;
    }
    Ok(me)
}

fn deliver(mut me: Loop, desk: &mut Desk, place: Place, message: Message) -> Result<Loop, Gone> {
    let has_output = |me: &Loop| me.connections.get(place).is_some_and(|it| it.has_output());
    let had = has_output(&me);
    me = turn(me, desk, place, Job::Message(message))?;
    if !had && has_output(&me) {
        me.pushed.push_back(place);
    }
    Ok(me)
}

/// Ends the waits of blocked requests whose time is up.
fn end_waits(mut me: Loop, desk: &mut Desk) -> Result<Loop, Gone> {
    while let Some((deadline, place)) = me.next_due(desk.now) {
        me = turn(me, desk, place, Job::GiveUp(deadline))?;
    }
    Ok(me)
}

/// Lets requests run that waited for other workers to serve what came before them.
fn go_on(mut me: Loop, desk: &mut Desk) -> Result<Loop, Gone> {
    while let Some(place) = me.giving_way.next(desk.now) {
        me = turn(me, desk, place, Job::GoFirst)?;
    }
    Ok(me)
}

/// Lets requests run that waited for the end of a pause, once it is reached. (Who ends a pause
/// before its time tells everybody who waits.)
fn end_pause(mut me: Loop, desk: &mut Desk) -> Result<Loop, Gone> {
    while let Some(place) = me.next_paused(desk.now) {
        me = turn(me, desk, place, Job::EndPause)?;
    }
    Ok(me)
}
