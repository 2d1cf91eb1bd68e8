//! One client's connection: from readable to answered.
//!
//! ```text
//!   readable ─► turn ─────► feed the engine ──► settle ─► one write
//!                 │   shared read buffer           │         │ the kernel is full
//!                 ▼                                ▼         ▼
//!              Input: an unfinished request     blocked   Output ◄── pushes; sent when writable
//!              ReadAhead: what came behind a request that waits
//! ```
//!
//! A connection at rest owns no buffers. Events are edge-triggered: what was not read to its end
//! is remembered (`unread`) and the connection is queued for another turn; it must never wait for
//! an event that has already been.
//!
//! Here are its parts and what happens to it from outside; `incoming` is the way in, `outgoing` the
//! way out, each with what it keeps. `stream` is its socket, in which `secure` has TLS; `transfer`
//! sends a copy of the dataset through it. It knows no other threads: its loop gives it a turn and
//! a `thread_state`, and does what the turn leads to.

mod buffer;
mod incoming;
mod limits;
mod outgoing;
mod read_ahead;
mod readiness;
mod returned;
mod secure;
mod stream;
mod thread_state;
mod transfer;

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use base::Millis;
use engine::unauthenticated::{self, Charge};
use engine::{Blocked, Client, Engine, Message, Session, Transfer};

use self::incoming::Incoming;
pub use self::limits::{PendingOutput, output as output_limit};
use self::outgoing::Outgoing;
pub use self::readiness::Readiness;
pub use self::returned::ReturnedConnection;
pub use self::secure::Tls;
pub use self::stream::Stream;
pub use self::thread_state::ThreadState;
use crate::withheld_replies::Withheld;

/// What becomes of a connection after its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// It waits for the next event.
    Wait,
    /// There may be more to do: give it another turn when the others had theirs.
    Again,
    /// It is over.
    Close,
}

/// A client's connection.
pub struct Connection {
    stream: Stream,
    /// The engine's side of it.
    pub session: Session,
    incoming: Incoming,
    outgoing: Outgoing,
    /// Where its worker has noted it.
    pub listed: Listed,
    /// To be sent by another thread through the socket, as soon as the replies so far are sent.
    to_lend: Option<Arc<Transfer>>,
    /// Bytes it has reported to the engine.
    accounted: usize,
    /// Counts the bytes received until the client has authenticated.
    unknown: Option<Box<Charge>>,
}

/// In which of its worker's lists a connection is.
pub struct Listed {
    /// It stands in the queue for another turn.
    pub queued: bool,
    /// It is in the list of requests that wait for the end of a pause.
    pub paused: bool,
    /// It is in the list of connections whose output is over the soft limit.
    pub watched: bool,
    /// Its place among the deadlines, while its request is blocked, or [`Listed::NEVER`].
    pub deadline: Millis,
}

impl Listed {
    /// The deadline of what waits without one. (An `Option` would take eight bytes more, of every
    /// connection.)
    pub const NEVER: Millis = Millis::MAX;
}

impl Connection {
    /// A connection for an accepted socket.
    #[must_use]
    pub fn new(stream: Stream, session: Session, engine: &Arc<Engine>) -> Self {
        let unknown = (!session.user.authenticated).then(|| {
            let client = &session.client;
            let mailbox = Arc::clone(&client.mailbox);
            Box::new(unauthenticated::Connection::new(engine, mailbox, client.id).charge())
        });
        Connection {
            unknown,
            stream,
            session,
            incoming: Incoming::default(),
            outgoing: Outgoing::default(),
            listed: Listed {
                queued: false,
                paused: false,
                watched: false,
                deadline: Listed::NEVER,
            },
            to_lend: None,
            accounted: 0,
        }
    }

    /// Whether replies wait for the kernel to take them.
    #[must_use]
    pub fn has_output(&self) -> bool {
        !self.outgoing.output.is_empty()
    }

    /// Whether it has replies that may not be sent before the disk has what they tell.
    #[must_use]
    pub fn must_hold(&self, thread: &ThreadState) -> bool {
        self.has_output() && thread.worker.must_hold(&self.session)
    }

    /// Its replies that wait for the disk.
    #[must_use]
    pub fn withheld(&mut self) -> &mut Withheld {
        &mut self.outgoing.withheld
    }

    /// The disk may have what its replies tell: sends them, unless it has not.
    pub fn release(&mut self, thread: &mut ThreadState) -> Turn {
        let must_hold = self.must_hold(thread);
        if self.outgoing.withheld.look_again(must_hold) {
            return Turn::Wait;
        }
        self.writable(thread)
    }

    /// Whether it is in the list of those whose replies wait for the disk.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.outgoing.withheld.is_listed()
    }

    /// Whether its output is over the soft limit for now.
    #[must_use]
    pub fn is_over_soft(&self) -> bool {
        self.outgoing.over_soft_since.is_some()
    }

    /// A pause is over, or nearly: runs the request that waits, then those behind it, unless they
    /// must wait again.
    pub fn end_pause(&mut self, thread: &mut ThreadState) -> Turn {
        if self.session.is_paused() { self.resume(thread) } else { Turn::Wait }
    }

    /// The others have served what came before its request.
    pub fn go_first(&mut self, thread: &mut ThreadState) -> Turn {
        self.session.terms.in_order = true;
        self.end_pause(thread)
    }

    /// Whether it has not authenticated, and there is room for what it takes until then.
    pub(super) fn fits_unknown(&mut self, thread: &ThreadState) -> bool {
        if !thread.worker.engine.is_unknown(&self.session) {
            self.unknown = None;
        }
        let bytes = self.incoming.len() + self.outgoing.output.len();
        self.unknown.as_mut().is_none_or(|charge| charge.set(bytes))
    }

    /// Whether it has not authenticated, and takes what others need.
    fn makes_room(&self, thread: &ThreadState) -> bool {
        let takes = self.unknown.as_ref().is_some_and(|charge| charge.bytes() > 0);
        takes && thread.worker.engine.is_unknown(&self.session)
    }

    /// Whether it has not authenticated.
    #[must_use]
    pub fn is_unknown(&self, engine: &Engine) -> bool {
        self.stream.is_greeting() || engine.is_unknown(&self.session)
    }

    /// Takes a message from outside. Pushes are kept: [`Connection::flush`] sends all of them.
    pub fn deliver(&mut self, thread: &mut ThreadState, message: Message) -> Turn {
        match message {
            Message::Kill => Turn::Close,
            Message::MakeRoom if self.makes_room(thread) => Turn::Close,
            Message::MakeRoom => {
                self.unknown.iter().for_each(|charge| charge.stays());
                Turn::Wait
            }
            Message::Resume => self.end_pause(thread),
            Message::Transfer(transfer) => self.lend(transfer),
            Message::Push(_) if self.outgoing.closing || self.incoming.lent => Turn::Wait,
            Message::Push(bytes) => {
                thread.worker.note_now(&mut self.session);
                self.outgoing.pushed += bytes.len();
                self.outgoing.output.extend(&bytes);
                self.account(thread);
                if self.overflowed(thread) { Turn::Close } else { Turn::Wait }
            }
            Message::Unblocked { ticket, reply } => {
                if thread.worker.unblock(&mut self.session, ticket, &reply, &mut thread.out) {
                    self.resume(thread)
                } else {
                    Turn::Wait
                }
            }
        }
    }

    /// Lends the socket to the thread that sends a copy of the dataset, unless the copy is no
    /// longer wanted.
    fn lend(&mut self, transfer: Arc<Transfer>) -> Turn {
        let waits = |blocked: &Arc<Blocked>| blocked.waiter.ticket == transfer.ticket;
        if !self.session.blocked.as_ref().is_some_and(waits) {
            return Turn::Wait;
        }
        if !self.outgoing.output.is_empty() {
            self.to_lend = Some(transfer);
            return Turn::Wait;
        }
        self.incoming.lent = true;
        self.session.client.state.replica.store(true, Relaxed);
        match transfer::start(&mut self.stream, transfer, Arc::clone(&self.session.client)) {
            Ok(()) => Turn::Wait,
            Err(error) => {
                tracing::warn!(%error, "a copy could not be sent");
                Turn::Close
            }
        }
    }

    /// The time of its blocked request is up.
    pub fn give_up(&mut self, thread: &mut ThreadState) -> Turn {
        if thread.worker.give_up(&mut self.session, &mut thread.out) {
            self.resume(thread)
        } else {
            Turn::Wait
        }
    }

    /// Whether it has been silent for more than `seconds` and may be closed for that.
    #[must_use]
    pub fn is_idle(&self, now: Millis, seconds: u64) -> bool {
        let last = self.session.client.last.load(Relaxed);
        self.session.blocked.is_none()
            && !self.session.is_paused()
            && !self.session.is_subscriber()
            && !self.session.client.state.monitors.load(Relaxed)
            && now.saturating_sub(last) / 1000 > seconds
    }

    /// Reports the memory it takes to the engine, if that has changed.
    #[inline]
    pub fn account(&mut self, thread: &mut ThreadState) {
        let own = size_of::<Self>() + size_of::<Client>();
        let input = self.incoming.capacity();
        let buffers = input + self.outgoing.output.capacity();
        let takes = own + buffers + self.session.memory();
        if takes != self.accounted {
            let client = &self.session.client;
            client.buffers.input_room.store(input, Relaxed);
            client.bytes.told.store(takes, Relaxed);
            let buffers = &thread.worker.engine.memory.buffers;
            buffers.fetch_add(takes, Relaxed);
            buffers.fetch_sub(self.accounted, Relaxed);
            thread.grown |= takes > self.accounted;
            self.accounted = takes;
        }
    }

    /// Says goodbye to the engine. The socket is closed when the connection is dropped.
    pub fn part(mut self, thread: &mut ThreadState) {
        if self.incoming.lent {
            self.stream.hang_up();
        }
        self.stream.say_goodbye();
        thread.worker.engine.memory.buffers.fetch_sub(self.accounted, Relaxed);
        thread.worker.disconnect(&mut self.session);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_at_rest_is_small() {
        let own = size_of::<Connection>() - size_of::<Session>();
        assert!(own <= 224, "{own} bytes beside the session");
    }
}
