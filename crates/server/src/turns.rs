//! The turns of a worker's connections, and what goes on while one of them takes too long.
//!
//! ```text
//!   poll ─► begin(now) ─► events ─► second turns ─► inbox ─► deadlines ─► tick
//!     ▲                                                                    │
//!     └────────────────────────────────────────────────────────────────────┘
//! ```
//!
//! The connection whose turn it is, is taken out of the loop, so that the loop can be run from
//! inside that turn: a script that takes too long calls [`meanwhile`] every so often, and the
//! thread's other clients are served by a second desk. So what is still to be done lies in queues
//! of the loop, never in a turn's own hands. What comes for the connection that is out waits until
//! it is back.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::time::Duration;

use engine::Message;
use mio::Events;

use crate::connection::{Connection, Desk, Turn};
use crate::event_loop::{EVENTS, EventLoop, Seen, WAKER};
use crate::inbox::Letter;
use crate::slab::Place;

thread_local! {
    /// The loop of this thread.
    static HERE: RefCell<Option<Turns>> = const { RefCell::new(None) };
}

/// A loop that is running.
#[derive(Clone)]
struct Turns(Rc<RefCell<EventLoop>>);

/// What came for a connection while it was out.
pub(crate) enum Late {
    /// An event.
    Event(Seen),
    /// A message.
    Message(Message),
}

/// What a thread's loop needs to serve its clients from inside the turn of one of them.
pub(crate) struct Spare {
    desk: Box<Desk>,
    events: Events,
}

/// Runs a loop until its engine is told to stop.
///
/// # Errors
/// The poller fails, which it does not unless this program is wrong.
pub fn run(event_loop: EventLoop) -> io::Result<()> {
    event_loop.take_seat();
    let mut desk = event_loop.desk(meanwhile);
    let turns = Turns(Rc::new(RefCell::new(event_loop)));
    HERE.with_borrow_mut(|here| *here = Some(turns.clone()));
    let mut events = Events::with_capacity(EVENTS);
    let result = turns.run(&mut desk, &mut events);
    HERE.with_borrow_mut(|here| *here = None);
    result
}

/// Serves the other clients of this thread, those that wait for something to do. Called from inside
/// a turn, every so often; from inside a turn that it has given itself it does nothing.
fn meanwhile() {
    let Some(turns) = HERE.with_borrow(Clone::clone) else { return };
    let Some(mut spare) = turns.0.borrow_mut().take_spare() else { return };
    if let Err(error) = turns.once(&mut spare.desk, &mut spare.events, Some(Duration::ZERO)) {
        tracing::error!(%error, "clients could not be served while a script runs");
    }
    turns.0.borrow_mut().put_spare(spare);
}

impl Spare {
    pub fn new(desk: Desk) -> Self {
        Spare { desk: Box::new(desk), events: Events::with_capacity(EVENTS) }
    }
}

impl Turns {
    fn run(&self, desk: &mut Desk, events: &mut Events) -> io::Result<()> {
        while !self.0.borrow().is_stopping() {
            self.once(desk, events, None)?;
            self.0.borrow_mut().tick_if_due(desk);
        }
        self.0.borrow().crew.wake_all();
        self.0.borrow_mut().stop_accepting();
        self.0.borrow_mut().begin(desk);
        self.read_letters(desk);
        self.0.borrow_mut().say_goodbye(desk, events)
    }

    /// Waits for something to do, for so long or as long as there is nothing, and does it.
    fn once(
        &self,
        desk: &mut Desk,
        events: &mut Events,
        timeout: Option<Duration>,
    ) -> io::Result<()> {
        {
            let mut me = self.0.borrow_mut();
            let timeout = timeout.unwrap_or_else(|| me.timeout(desk));
            me.wait(events, timeout)?;
            me.begin(desk);
            me.turns += u32::from(!events.is_empty());
            me.seen.extend(events.iter().map(|event| (event.token(), Seen::of(event))));
        }
        self.events(desk);
        self.second_turns(desk);
        self.read_letters(desk);
        self.end_waits(desk);
        self.end_pause(desk);
        self.go_on(desk);
        self.release(desk);
        let me = self.0.borrow();
        me.crew.progress[me.number].end();
        Ok(())
    }

    /// Gives a connection its turn, and does what that led to.
    #[inline]
    fn turn(
        &self,
        desk: &mut Desk,
        place: Place,
        how: impl FnOnce(&mut Connection, &mut Desk) -> Turn,
    ) {
        let lent = self.0.borrow_mut().connections.lend(place);
        let Some(mut connection) = lent else { return };
        let turn = how(&mut connection, desk);
        let mut me = self.0.borrow_mut();
        me.connections.give_back(place, connection);
        me.after(desk, place, turn);
        if !me.late.is_empty() {
            drop(me);
            self.catch_up(desk);
        }
    }

    /// What came for connections while they were out, now that they are back.
    #[cold]
    fn catch_up(&self, desk: &mut Desk) {
        let late = std::mem::take(&mut self.0.borrow_mut().late);
        for (place, late) in late {
            if self.0.borrow().connections.is_lent(place) {
                self.0.borrow_mut().late.push((place, late));
                continue;
            }
            match late {
                Late::Event(seen) => {
                    self.turn(desk, place, |connection, desk| happened(connection, desk, seen))
                }
                Late::Message(message) => {
                    self.turn(desk, place, |connection, desk| {
                        match connection.deliver(desk, message) {
                            Turn::Wait => connection.writable(desk),
                            turn => turn,
                        }
                    });
                }
            }
        }
    }

    fn events(&self, desk: &mut Desk) {
        loop {
            let next = self.0.borrow_mut().seen.pop_front();
            let Some((token, seen)) = next else { return };
            // What others have pushed was sent before what they led the client to send now.
            if self.0.borrow().inbox.has_letters() {
                self.read_letters(desk);
            }
            match Place::of(token) {
                Some(place) => self.event(desk, place, seen),
                None if token == WAKER => {}
                None => self.0.borrow_mut().accept(desk),
            }
        }
    }

    fn event(&self, desk: &mut Desk, place: Place, seen: Seen) {
        if self.0.borrow().connections.is_lent(place) {
            self.0.borrow_mut().late.push((place, Late::Event(seen)));
            return;
        }
        self.turn(desk, place, |connection, desk| happened(connection, desk, seen));
    }

    fn second_turns(&self, desk: &mut Desk) {
        // Those that get yet another turn stand behind these.
        let count = self.0.borrow().again.len();
        for _ in 0..count {
            let next = self.0.borrow_mut().again.pop_front();
            let Some(place) = next else { return };
            self.turn(desk, place, |connection, desk| {
                connection.queued = false;
                connection.turn(desk)
            });
        }
    }

    /// Sends the replies that the disk has caught up with, and asks it to go on for the others.
    fn release(&self, desk: &mut Desk) {
        let count = self.0.borrow().held.len();
        if count == 0 {
            return;
        }
        let mut latest = 0;
        for _ in 0..count {
            let next = self.0.borrow_mut().held.pop_front();
            let Some(place) = next else { break };
            let mut waits = None;
            self.turn(desk, place, |connection, desk| {
                if connection.must_wait(desk) {
                    waits = Some(connection.session.awaits);
                    return Turn::Wait;
                }
                (connection.held, connection.withheld) = (false, false);
                connection.writable(desk)
            });
            if let Some(epoch) = waits {
                latest = latest.max(epoch);
                self.0.borrow_mut().held.push_back(place);
            }
        }
        self.0.borrow_mut().ask_the_disk(latest);
    }

    fn read_letters(&self, desk: &mut Desk) {
        self.0.borrow_mut().collect_letters(desk);
        loop {
            let letter = self.0.borrow_mut().letters.pop_front();
            let Some(letter) = letter else { break };
            match letter {
                Letter::Connection(stream, origin) => {
                    self.0.borrow_mut().join(desk, stream, origin);
                }
                Letter::Message(place, message) => self.deliver(desk, place, message),
            }
        }
        // All messages of this batch to one client go out in one write.
        loop {
            let place = self.0.borrow_mut().pushed.pop_front();
            let Some(place) = place else { break };
            self.turn(desk, place, Connection::writable);
        }
    }

    fn deliver(&self, desk: &mut Desk, place: Place, message: Message) {
        if self.0.borrow().connections.is_lent(place) {
            self.0.borrow_mut().late.push((place, Late::Message(message)));
            return;
        }
        let mut pushed = false;
        self.turn(desk, place, |connection, desk| {
            let idle = !connection.has_output();
            let turn = connection.deliver(desk, message);
            pushed = idle && connection.has_output();
            turn
        });
        if pushed {
            self.0.borrow_mut().pushed.push_back(place);
        }
    }

    /// Ends the waits of blocked requests whose time is up.
    fn end_waits(&self, desk: &mut Desk) {
        loop {
            let due = self.0.borrow_mut().next_due(desk.now);
            let Some((deadline, place)) = due else { return };
            self.turn(desk, place, |connection, desk| {
                connection.deadline = None;
                let turn = connection.give_up(desk);
                let blocked = connection.session.blocked.as_ref();
                if blocked.is_some_and(|blocked| blocked.until == Some(deadline)) {
                    // Somebody else has just ended the wait; the reply is in the inbox.
                    connection.deadline = Some(deadline);
                }
                turn
            });
        }
    }

    /// Lets requests run that waited for other workers to serve what came before them.
    fn go_on(&self, desk: &mut Desk) {
        loop {
            let next = self.0.borrow_mut().giving_way.next(desk.now);
            let Some(place) = next else { return };
            self.turn(desk, place, |connection, desk| {
                connection.paused = false;
                connection.go_first(desk)
            });
        }
    }

    /// Lets requests run that waited for the end of a pause, once it is reached. (Who ends a pause
    /// before its time tells everybody who waits.)
    fn end_pause(&self, desk: &mut Desk) {
        loop {
            let next = self.0.borrow_mut().next_paused(desk.now);
            let Some(place) = next else { return };
            self.turn(desk, place, |connection, desk| {
                connection.paused = false;
                connection.end_pause(desk)
            });
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
