//! One client's connection: from readable to answered.
//!
//! ```text
//!   readable ─► receive ──► feed the engine ──► settle ─► one write
//!                 │   shared read buffer           │         │ the kernel is full
//!                 ▼                                ▼         ▼
//!              Input: an unfinished request     blocked   Output ◄── pushes; sent when writable
//! ```
//!
//! A connection at rest owns no buffers. Events are edge-triggered: what was not read to its end
//! is remembered (`unread`) and the connection is queued for another turn; it must never wait for
//! an event that has already been.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use base::Millis;
use config::Overflow;
use engine::unauthenticated::Charge;
use engine::{Blocked, Client, Engine, Fed, Message, Session, State, Transfer, Worker};

use crate::buffer::{Input, Output, SMALL};
use crate::held::Withheld;
use crate::inbox::is_crowding;
use crate::limits;
use crate::stream::{Received, Stream};
use crate::transfer;

/// Bytes read in one turn of a connection.
pub const READ_MAX: usize = 256 << 10;
/// The reply buffer is given back to the allocator above this size.
const OUT_KEPT: usize = 1 << 20;

/// What a worker lends to the connection whose turn it is.
pub struct Desk {
    /// The seat at the engine.
    pub worker: Worker,
    /// Where requests are read to: a kept rest of up to [`SMALL`] bytes, then [`READ_MAX`] new
    /// ones.
    read: Box<[u8]>,
    /// Where replies are written to.
    out: Vec<u8>,
    /// The time of this batch.
    pub now: Millis,
    /// A client has come to take more memory than before.
    pub grown: bool,
}

impl Desk {
    /// A desk with its buffers.
    #[must_use]
    pub fn new(worker: Worker) -> Self {
        let read = vec![0; SMALL + READ_MAX].into_boxed_slice();
        Desk { worker, read, out: Vec::with_capacity(64 << 10), now: 0, grown: false }
    }

    /// If a client has come to take more memory: looks whether all together take too much.
    #[inline]
    pub fn evict_if_grown(&mut self) {
        if std::mem::take(&mut self.grown) {
            let Desk { worker, now, .. } = self;
            worker.engine.evict_clients(&worker.seat.config, *now);
        }
    }
}

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
    input: Input,
    /// At least so many bytes are missing from the request in `input`, by the client's word.
    missing: usize,
    output: Output,
    /// The replies so far are sent, then it is closed; requests are ignored.
    closing: bool,
    /// The kernel may have bytes for us that no event will announce again.
    unread: bool,
    /// Requests that have come wait in `input` for another turn: the replies to those before them
    /// were long.
    unfed: bool,
    /// The peer has sent its last byte.
    peer_done: bool,
    /// Another thread sends a copy of the dataset through the socket.
    lent: bool,
    /// It will, as soon as the replies so far are sent.
    to_lend: Option<Arc<Transfer>>,
    /// It stands in the queue for another turn.
    pub queued: bool,
    /// Whether its replies wait for the disk.
    pub replies: Withheld,
    /// It stands among those whose request waits for the end of a pause.
    pub paused: bool,
    /// It stands among those whose output is over the soft limit.
    pub watched: bool,
    /// Its place among the deadlines, while its request is blocked.
    pub deadline: Option<Millis>,
    /// Since when its output has been over the soft limit.
    over_soft_since: Option<Millis>,
    /// Bytes pushed to it since it last had no output.
    pushed: usize,
    /// Bytes it has reported to the engine.
    accounted: usize,
    /// Counts what came of it, until it is known who it is for.
    unknown: Option<Box<Charge>>,
}

impl Connection {
    /// A connection for an accepted socket.
    #[must_use]
    pub fn new(stream: Stream, session: Session, engine: &Arc<Engine>) -> Self {
        let unknown = (!session.authenticated).then(|| Box::new(Charge::new(engine)));
        Connection {
            unknown,
            stream,
            session,
            input: Input::default(),
            missing: 0,
            output: Output::default(),
            closing: false,
            unread: false,
            unfed: false,
            peer_done: false,
            lent: false,
            to_lend: None,
            queued: false,
            replies: Withheld::default(),
            paused: false,
            watched: false,
            deadline: None,
            over_soft_since: None,
            pushed: 0,
            accounted: 0,
        }
    }

    /// Whether replies wait for the kernel to take them.
    #[must_use]
    pub fn has_output(&self) -> bool {
        !self.output.is_empty()
    }

    /// Whether it has replies that may not be sent before the disk has what they tell.
    #[must_use]
    pub fn must_wait(&self, desk: &Desk) -> bool {
        self.has_output() && desk.worker.must_hold(&self.session)
    }

    /// Whether its output is over the soft limit for now.
    #[must_use]
    pub fn is_over_soft(&self) -> bool {
        self.over_soft_since.is_some()
    }

    /// An event says that there is something to read; `ended` if the peer has said its last.
    pub fn readable(&mut self, desk: &mut Desk, ended: bool) -> Turn {
        self.peer_done |= ended;
        self.unread = true;
        self.turn(desk)
    }

    /// An event says that the kernel takes replies again.
    pub fn writable(&mut self, desk: &mut Desk) -> Turn {
        if self.output.is_empty() {
            self.stream.push_pending();
            return Turn::Wait;
        }
        let turn = self.flush(desk);
        self.account(desk);
        turn
    }

    /// Reads once, executes what is complete, writes once.
    pub fn turn(&mut self, desk: &mut Desk) -> Turn {
        if self.session.blocked.is_some() || self.session.is_paused() {
            // Requests behind one that waits stay in the kernel, where they slow the sender down.
            return if self.peer_done && !self.session.lets_others_first() {
                Turn::Close
            } else {
                Turn::Wait
            };
        }
        if self.closing {
            return Turn::Wait;
        }
        if !self.unread && !self.unfed {
            return Turn::Wait;
        }
        if self.session.client.evicted.load(Relaxed) {
            // The order to go is in the inbox; what it sends until then must not make it larger.
            return Turn::Close;
        }
        if is_crowding() {
            // Who was posted to comes first.
            return Turn::Again;
        }
        if self.unfed {
            return self.resume(desk);
        }
        let large = self.input.is_large();
        let kept = if large { 0 } else { self.input.len() };
        // As redis-server does, whatever it brings: so it can be seen whether any was in vain.
        desk.worker.seat.counters.reads.add(1);
        let received = self.stream.receive(&mut desk.read[kept..kept + READ_MAX]);
        let (n, more) = match received {
            Received::Bytes(n, more) => (n, more),
            Received::Nothing => {
                self.unread = false;
                return Turn::Wait;
            }
            Received::Later => return Turn::Again,
            Received::Greeted => return self.greeted(desk),
            Received::End => {
                self.closing = true;
                return self.end_unless_output();
            }
        };
        self.unread = more || self.peer_done;
        self.session.in_order = false;
        desk.worker.seat.counters.net_input.add(n as u64);
        // What the request takes, not what stands behind it.
        if large && limits::input_too_long(self.input.len() + n.min(self.missing), desk) {
            return Turn::Close;
        }
        let fed = if large {
            self.input.grow(&desk.read[..n], self.missing);
            desk.worker.feed(&mut self.session, self.input.bytes_mut(), &mut desk.out)
        } else {
            desk.read[..kept].copy_from_slice(self.input.bytes());
            desk.worker.feed(&mut self.session, &mut desk.read[..kept + n], &mut desk.out)
        };
        self.keep(desk, &fed, (!large).then_some(kept + n));
        self.settle(desk, fed.state)
    }

    /// The handshake is over: only now it counts as a connection, and can be told why not.
    fn greeted(&mut self, desk: &mut Desk) -> Turn {
        match self.stream.last_words() {
            None => {
                desk.worker.seat.counters.connections.add(1);
                Turn::Again
            }
            Some(words) => {
                self.output.extend(words);
                self.closing = true;
                self.flush(desk)
            }
        }
    }

    /// A pause is over, or nearly: judges the request that waits anew, then those behind it.
    pub fn end_pause(&mut self, desk: &mut Desk) -> Turn {
        if self.session.is_paused() { self.resume(desk) } else { Turn::Wait }
    }

    /// The others have served what came before its request.
    pub fn go_first(&mut self, desk: &mut Desk) -> Turn {
        self.session.in_order = true;
        self.end_pause(desk)
    }

    /// Executes what was kept while a request was blocked or paused, or since the last turn.
    fn resume(&mut self, desk: &mut Desk) -> Turn {
        let mut state = State::Open;
        let kept = self.input.len();
        if kept > 0 || self.session.is_paused() {
            let fed = if self.input.is_large() {
                let fed =
                    desk.worker.feed(&mut self.session, self.input.bytes_mut(), &mut desk.out);
                self.keep(desk, &fed, None);
                fed
            } else {
                desk.read[..kept].copy_from_slice(self.input.bytes());
                let fed =
                    desk.worker.feed(&mut self.session, &mut desk.read[..kept], &mut desk.out);
                self.keep(desk, &fed, Some(kept));
                fed
            };
            state = fed.state;
        }
        self.settle(desk, state)
    }

    /// Keeps the bytes not consumed; `shared` of them were fed from the desk's buffer.
    fn keep(&mut self, desk: &mut Desk, fed: &Fed, shared: Option<usize>) {
        if fed.state == State::Closing {
            self.input.clear();
            return;
        }
        self.missing = fed.missing;
        let had = self.input.len();
        match shared {
            Some(end) if fed.consumed == end && had == 0 => return,
            Some(end) => self.input.keep(&desk.read[fed.consumed..end]),
            None => self.input.consume(fed.consumed),
        }
        self.session.client.input.store(self.input.len(), Relaxed);
        self.session.client.last.store(desk.now, Relaxed);
    }

    /// After requests have run: notes what became of the session, and sends the replies.
    fn settle(&mut self, desk: &mut Desk, state: State) -> Turn {
        if state == State::Closing {
            self.closing = true;
        }
        self.unfed = state == State::Full && !self.input.is_empty();
        let waits = matches!(state, State::Blocked | State::Paused);
        // Who gives way to others does so for a moment: its request runs, whether it stays or not.
        let may_close = waits && self.peer_done && !self.session.lets_others_first();
        let turn = self.send(desk);
        if limits::input_too_long(self.input.len(), desk) {
            return Turn::Close;
        }
        self.account(desk);
        if self.unknown.is_some() && !self.fits_unknown(desk) {
            tracing::debug!("closing a client that has not authenticated and takes too much");
            return Turn::Close;
        }
        match turn {
            Turn::Wait if self.closing => Turn::Wait,
            Turn::Wait if may_close => Turn::Close,
            Turn::Wait if waits => Turn::Wait,
            Turn::Wait if self.unread || self.unfed => Turn::Again,
            turn => turn,
        }
    }

    /// Whether it is still to be shown who it is for, and there is room for what it takes so long.
    fn fits_unknown(&mut self, desk: &Desk) -> bool {
        if !desk.worker.engine.is_unknown(&self.session) {
            self.unknown = None;
        }
        let bytes = self.input.len() + self.output.len();
        self.unknown.as_mut().is_none_or(|charge| charge.set(bytes))
    }

    /// Whether nobody has shown who it is for.
    #[must_use]
    pub fn is_unknown(&self, engine: &Engine) -> bool {
        self.stream.is_greeting() || engine.is_unknown(&self.session)
    }

    /// Sends the replies on the desk, or keeps what the kernel does not take.
    fn send(&mut self, desk: &mut Desk) -> Turn {
        if desk.out.is_empty() {
            return if self.closing { self.end_unless_output() } else { Turn::Wait };
        }
        let mut sent = 0;
        let withheld = self.replies.join(desk.worker.must_hold(&self.session));
        if self.output.is_empty() && !withheld {
            desk.worker.seat.counters.writes.add(1);
            sent = match self.stream.send(&desk.out) {
                Ok(n) => n,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => 0,
                Err(_) => {
                    desk.out.clear();
                    return Turn::Close;
                }
            };
            desk.worker.seat.counters.net_output.add(sent as u64);
        }
        if sent == desk.out.len() {
            desk.out.clear();
        } else {
            self.output.push(&mut desk.out, sent);
            if self.overflowed(desk) {
                return Turn::Close;
            }
        }
        if desk.out.capacity() > OUT_KEPT || desk.out.capacity() == 0 {
            desk.out = Vec::with_capacity(64 << 10);
        }
        if self.closing { self.end_unless_output() } else { Turn::Wait }
    }

    /// Sends kept replies.
    pub fn flush(&mut self, desk: &mut Desk) -> Turn {
        let must_wait = self.must_wait(desk);
        if self.replies.decide(must_wait) {
            return Turn::Wait;
        }
        while !self.output.is_empty() {
            desk.worker.seat.counters.writes.add(1);
            match self.stream.send(self.output.bytes()) {
                Ok(0) => return Turn::Close,
                Ok(n) => {
                    desk.worker.seat.counters.net_output.add(n as u64);
                    self.output.advance(n);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(_) => return Turn::Close,
            }
        }
        if self.overflowed(desk) {
            return Turn::Close;
        }
        if self.output.is_empty()
            && let Some(transfer) = self.to_lend.take()
        {
            return self.lend(transfer);
        }
        if self.closing { self.end_unless_output() } else { Turn::Wait }
    }

    /// Takes a message from outside. Pushes are kept: [`Connection::flush`] sends all of them.
    pub fn deliver(&mut self, desk: &mut Desk, message: Message) -> Turn {
        match message {
            Message::Kill => Turn::Close,
            Message::Resume => self.end_pause(desk),
            Message::Transfer(transfer) => self.lend(transfer),
            Message::Push(_) if self.closing || self.lent => Turn::Wait,
            Message::Push(bytes) => {
                desk.worker.note_now(&mut self.session);
                self.pushed += bytes.len();
                self.output.extend(&bytes);
                self.account(desk);
                if self.overflowed(desk) { Turn::Close } else { Turn::Wait }
            }
            Message::Unblocked { ticket, reply } => {
                if desk.worker.unblock(&mut self.session, ticket, &reply, &mut desk.out) {
                    self.resume(desk)
                } else {
                    Turn::Wait
                }
            }
        }
    }

    /// Lends the socket to who sends a copy of the dataset, unless nobody waits for it any more.
    fn lend(&mut self, transfer: Arc<Transfer>) -> Turn {
        let waits = |blocked: &Arc<Blocked>| blocked.waiter.ticket == transfer.ticket;
        if !self.session.blocked.as_ref().is_some_and(waits) {
            return Turn::Wait;
        }
        if !self.output.is_empty() {
            self.to_lend = Some(transfer);
            return Turn::Wait;
        }
        self.lent = true;
        self.session.client.replica.store(true, Relaxed);
        match transfer::start(&mut self.stream, transfer, Arc::clone(&self.session.client)) {
            Ok(()) => Turn::Wait,
            Err(error) => {
                tracing::warn!(%error, "a copy could not be sent");
                Turn::Close
            }
        }
    }

    /// The time of its blocked request is up.
    pub fn give_up(&mut self, desk: &mut Desk) -> Turn {
        if desk.worker.give_up(&mut self.session, &mut desk.out) {
            self.resume(desk)
        } else {
            Turn::Wait
        }
    }

    /// Checks the limits of kept replies; `true` if it is to be closed.
    pub fn overflowed(&mut self, desk: &Desk) -> bool {
        let kept = self.output.len();
        self.tell_output(kept);
        if kept == 0 {
            self.pushed = 0;
        }
        let subscriber = self.session.is_subscriber();
        let waiting = limits::Waiting { kept, pushed: self.pushed.min(kept), subscriber };
        match limits::output(waiting, self.over_soft_since, desk) {
            Overflow::None => self.over_soft_since = None,
            Overflow::Soft(since) => self.over_soft_since = Some(since),
            Overflow::Close => {
                desk.worker.seat.counters.output_overflows.add(1);
                let client = &self.session.client;
                tracing::warn!(
                    id = client.id,
                    addr = client.origin.addr,
                    bytes = kept,
                    "client closed for overcoming of output buffer limits"
                );
                return true;
            }
        }
        false
    }

    /// Lets others know what waits to be sent.
    fn tell_output(&self, bytes: usize) {
        let client = &self.session.client;
        let (room, pieces, behind, behind_room) = self.output.layout();
        client.output.store(bytes, Relaxed);
        client.output_room.store(room, Relaxed);
        client.output_peak.fetch_max(room, Relaxed);
        client.output_pieces.store(pieces, Relaxed);
        client.output_behind.store(behind, Relaxed);
        client.output_behind_room.store(behind_room, Relaxed);
    }

    /// Whether it has been silent for more than `seconds` and may be closed for that.
    #[must_use]
    pub fn is_idle(&self, now: Millis, seconds: u64) -> bool {
        let last = self.session.client.last.load(Relaxed);
        self.session.blocked.is_none()
            && !self.session.is_paused()
            && !self.session.is_subscriber()
            && !self.session.client.monitors.load(Relaxed)
            && now.saturating_sub(last) / 1000 > seconds
    }

    /// Reports the memory it takes to the engine, if that has changed.
    #[inline]
    pub fn account(&mut self, desk: &mut Desk) {
        let own = size_of::<Self>() + size_of::<Client>();
        let buffers = self.input.capacity() + self.output.capacity();
        let takes = own + buffers + self.session.memory();
        if takes != self.accounted {
            let client = &self.session.client;
            client.input_room.store(self.input.capacity(), Relaxed);
            client.memory.store(takes, Relaxed);
            let buffers = &desk.worker.engine.buffers;
            buffers.fetch_add(takes, Relaxed);
            buffers.fetch_sub(self.accounted, Relaxed);
            desk.grown |= takes > self.accounted;
            self.accounted = takes;
        }
    }

    /// Says goodbye to the engine. The socket is closed when the connection is dropped.
    pub fn part(mut self, desk: &mut Desk) {
        if self.lent {
            self.stream.hang_up();
        }
        self.stream.say_goodbye();
        desk.worker.engine.buffers.fetch_sub(self.accounted, Relaxed);
        desk.worker.disconnect(&mut self.session);
    }

    fn end_unless_output(&self) -> Turn {
        if self.output.is_empty() { Turn::Close } else { Turn::Wait }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_at_rest_is_small() {
        let own = size_of::<Connection>() - size_of::<Session>();
        assert!(own <= 216, "{own} bytes beside the session");
    }
}
