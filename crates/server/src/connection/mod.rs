//! One client's connection: from readable to answered.
//!
//! ```text
//!   readable ─► receive ──► feed the engine ──► settle ─► one write
//!                 │   shared read buffer           │         │ the kernel is full
//!                 ▼                                ▼         ▼
//!              Input: an unfinished request     blocked   Output ◄── pushes; sent when writable
//!              ReadAhead: what came behind a request that waits
//! ```
//!
//! A connection at rest owns no buffers. Events are edge-triggered: what was not read to its end
//! is remembered (`unread`) and the connection is queued for another turn; it must never wait for
//! an event that has already been.

use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use base::Millis;
use config::Overflow;
use engine::unauthenticated::{self, Charge};
use engine::{Blocked, Client, Engine, Fed, Message, Session, State, Transfer};

use crate::buffer::{Input, Output};
use crate::event_loop::Seen;
use crate::held::Withheld;
use crate::inbox::must_back_off;
use crate::limits;
use crate::read_ahead::ReadAhead;
use crate::stream::{Received, Stream};
use crate::thread_state::{READ_MAX, ThreadState};
use crate::transfer;

/// The reply buffer is given back to the allocator above this size.
const OUT_KEPT: usize = 1 << 20;

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
    /// What came behind a request that waits.
    ahead: ReadAhead,
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
    /// Nor does it listen any more.
    broken: bool,
    /// Another thread sends a copy of the dataset through the socket.
    lent: bool,
    /// It will, as soon as the replies so far are sent.
    to_lend: Option<Arc<Transfer>>,
    /// It stands in the queue for another turn.
    pub queued: bool,
    /// Whether its replies wait for the disk.
    pub replies: Withheld,
    /// It is in the list of requests that wait for the end of a pause.
    pub paused: bool,
    /// It is in the list of connections whose output is over the soft limit.
    pub watched: bool,
    /// Its place among the deadlines, while its request is blocked.
    pub deadline: Option<Millis>,
    /// Since when its output has been over the soft limit.
    over_soft_since: Option<Millis>,
    /// Bytes pushed to it since it last had no output.
    pushed: usize,
    /// Bytes it has reported to the engine.
    accounted: usize,
    /// Counts the bytes received until the client has authenticated.
    unknown: Option<Box<Charge>>,
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
            input: Input::default(),
            ahead: ReadAhead::default(),
            missing: 0,
            output: Output::default(),
            closing: false,
            unread: false,
            unfed: false,
            peer_done: false,
            broken: false,
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
    pub fn must_wait(&self, thread: &ThreadState) -> bool {
        self.has_output() && thread.worker.must_hold(&self.session)
    }

    /// Whether its output is over the soft limit for now.
    #[must_use]
    pub fn is_over_soft(&self) -> bool {
        self.over_soft_since.is_some()
    }

    /// An event says that there is something to read, and whether the peer has said its last.
    pub(crate) fn readable(&mut self, thread: &mut ThreadState, seen: Seen) -> Turn {
        self.peer_done |= seen.closed || seen.broken;
        self.broken |= seen.broken;
        self.unread = true;
        self.turn(thread)
    }

    /// An event says that the kernel takes replies again.
    pub fn writable(&mut self, thread: &mut ThreadState) -> Turn {
        if self.output.is_empty() {
            self.stream.push_pending();
            return Turn::Wait;
        }
        let turn = self.flush(thread);
        self.account(thread);
        turn
    }

    /// Reads once, executes what is complete, writes once.
    pub fn turn(&mut self, thread: &mut ThreadState) -> Turn {
        if self.session.blocked.is_some() || self.session.is_paused() {
            return self.read_ahead(thread);
        }
        if self.closing {
            return Turn::Wait;
        }
        if !self.has_requests() {
            return Turn::Wait;
        }
        if self.session.client.state.evicted.load(Relaxed) {
            // The order to go is in the inbox; what it sends until then must not make it larger.
            return Turn::Close;
        }
        if must_back_off() {
            // Messages in the inboxes of others come first.
            return Turn::Again;
        }
        if self.unfed {
            return self.resume(thread);
        }
        let large = self.input.is_large();
        let kept = if large { 0 } else { self.input.len() };
        let room = kept..kept + READ_MAX;
        let received = match self.ahead.take(&mut thread.read[room.clone()]) {
            0 => receive(&mut self.stream, room, thread),
            n => {
                self.session.client.tell_input(self.input.len() + self.ahead.len());
                Received::Bytes(n, self.unread)
            }
        };
        let (n, more) = match received {
            Received::Bytes(n, more) => (n, more),
            Received::Nothing => {
                self.unread = false;
                return Turn::Wait;
            }
            Received::Later => return Turn::Again,
            Received::Greeted => return self.greeted(thread),
            Received::End => {
                self.closing = true;
                return self.end_unless_output();
            }
            Received::Broken => return Turn::Close,
        };
        self.unread = more || self.peer_done;
        self.session.terms.in_order = false;
        // What the request takes, not what stands behind it.
        if large && limits::input_too_long(self.input.len() + n.min(self.missing), thread) {
            return Turn::Close;
        }
        let fed = if large {
            self.input.grow(&thread.read[..n], self.missing);
            thread.worker.feed(&mut self.session, self.input.bytes_mut(), &mut thread.out)
        } else {
            thread.read[..kept].copy_from_slice(self.input.bytes());
            thread.worker.feed(&mut self.session, &mut thread.read[..kept + n], &mut thread.out)
        };
        self.keep(thread, &fed, (!large).then_some(kept + n));
        self.settle(thread, fed.state)
    }

    /// Whether there are, or may be, requests to run.
    fn has_requests(&self) -> bool {
        self.unread || self.unfed || !self.ahead.is_empty()
    }

    /// Whether the peer has said its last and what waits is not worth going on with. What another
    /// thread works at comes to an end by itself, and so does giving way: replies and what stands
    /// behind follow, as a peer may still listen, unless the connection broke.
    fn leaves_with_peer(&self) -> bool {
        let ends_by_itself = |blocked: &Arc<Blocked>| !blocked.waits_for_keys() && !self.lent;
        self.peer_done
            && !self.session.lets_others_first()
            && (self.broken || !self.session.blocked.as_ref().is_some_and(ends_by_itself))
    }

    /// Reads on behind a request that waits, as the end of the stream may stand there: a client
    /// that has gone is served nothing any more, nor does what it sent behind run.
    fn read_ahead(&mut self, thread: &mut ThreadState) -> Turn {
        let leaves = self.leaves_with_peer();
        if self.session.lets_others_first() || self.lent {
            // For a moment; or the thread that sends the copy listens.
            return if leaves { Turn::Close } else { Turn::Wait };
        }
        if leaves || self.session.client.state.evicted.load(Relaxed) {
            return Turn::Close;
        }
        if !self.unread {
            return Turn::Wait;
        }
        match receive(&mut self.stream, 0..READ_MAX, thread) {
            Received::Bytes(n, more) => {
                self.ahead.push(&thread.read[..n]);
                self.unread = more;
            }
            Received::Nothing => self.unread = false,
            Received::Later | Received::Greeted => {}
            Received::Broken => return Turn::Close,
            Received::End => {
                self.peer_done = true;
                let leaves =
                    self.leaves_with_peer() || thread.worker.engine.client_has_ended(&self.session);
                return if leaves { Turn::Close } else { Turn::Wait };
            }
        }
        let kept = self.input.len() + self.ahead.len();
        self.session.client.tell_input(kept);
        self.session.client.last.store(thread.now, Relaxed);
        self.account(thread);
        if limits::input_too_long(kept, thread) || !self.fits_unknown(thread) {
            return Turn::Close;
        }
        if self.unread { Turn::Again } else { Turn::Wait }
    }

    /// The handshake is over: only now it counts as a connection, and can be told why not.
    fn greeted(&mut self, thread: &mut ThreadState) -> Turn {
        match self.stream.last_words() {
            None => {
                thread.worker.context.counters.connections.add(1);
                Turn::Again
            }
            Some(words) => {
                self.output.extend(words);
                self.closing = true;
                self.flush(thread)
            }
        }
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

    /// Executes what was kept while a request was blocked or paused, or since the last turn.
    fn resume(&mut self, thread: &mut ThreadState) -> Turn {
        let mut state = State::Open;
        let kept = self.input.len();
        if kept > 0 || self.session.is_paused() {
            let fed = if self.input.is_large() {
                let fed =
                    thread.worker.feed(&mut self.session, self.input.bytes_mut(), &mut thread.out);
                self.keep(thread, &fed, None);
                fed
            } else {
                thread.read[..kept].copy_from_slice(self.input.bytes());
                let fed = thread.worker.feed(
                    &mut self.session,
                    &mut thread.read[..kept],
                    &mut thread.out,
                );
                self.keep(thread, &fed, Some(kept));
                fed
            };
            state = fed.state;
        }
        self.settle(thread, state)
    }

    /// Keeps the bytes not consumed; `shared` of them were fed from the thread state's buffer.
    fn keep(&mut self, thread: &mut ThreadState, fed: &Fed, shared: Option<usize>) {
        if fed.state == State::Closing {
            self.input.clear();
            return;
        }
        self.missing = fed.missing;
        let had = self.input.len();
        match shared {
            Some(end) if fed.consumed == end && had == 0 => return,
            Some(end) => self.input.keep(&thread.read[fed.consumed..end]),
            None => self.input.consume(fed.consumed),
        }
        self.session.client.tell_input(self.input.len() + self.ahead.len());
        self.session.client.last.store(thread.now, Relaxed);
    }

    /// After requests have run: notes what became of the session, and sends the replies.
    fn settle(&mut self, thread: &mut ThreadState, state: State) -> Turn {
        // It may have ended while it waited, with nothing behind it to be fed.
        if state == State::Closing || self.session.closing {
            self.closing = true;
        }
        self.unfed = state == State::Full && !self.input.is_empty();
        let waits = matches!(state, State::Blocked | State::Paused);
        let gives_way = self.session.lets_others_first();
        let may_close = waits && self.leaves_with_peer();
        let turn = self.send(thread);
        if limits::input_too_long(self.input.len(), thread) {
            return Turn::Close;
        }
        self.account(thread);
        if self.unknown.is_some() && !self.fits_unknown(thread) {
            tracing::debug!("closing a client that has not authenticated and takes too much");
            return Turn::Close;
        }
        match turn {
            Turn::Wait if self.closing => Turn::Wait,
            Turn::Wait if may_close => Turn::Close,
            Turn::Wait if waits && (gives_way || !self.unread) => Turn::Wait,
            Turn::Wait if self.has_requests() => Turn::Again,
            turn => turn,
        }
    }

    /// Whether it has not authenticated, and there is room for what it takes until then.
    fn fits_unknown(&mut self, thread: &ThreadState) -> bool {
        if !thread.worker.engine.is_unknown(&self.session) {
            self.unknown = None;
        }
        let bytes = self.input.len() + self.ahead.len() + self.output.len();
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

    /// Sends the replies on the thread state, or keeps what the kernel does not take.
    fn send(&mut self, thread: &mut ThreadState) -> Turn {
        if thread.out.is_empty() {
            return if self.closing { self.end_unless_output() } else { Turn::Wait };
        }
        let mut sent = 0;
        let withheld = self.replies.join(thread.worker.must_hold(&self.session));
        if self.output.is_empty() && !withheld {
            thread.worker.context.counters.writes.add(1);
            sent = match self.stream.send(&thread.out) {
                Ok(n) => n,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => 0,
                Err(_) => {
                    thread.out.clear();
                    return Turn::Close;
                }
            };
            thread.worker.context.counters.net_output.add(sent as u64);
        }
        if sent == thread.out.len() {
            thread.out.clear();
        } else {
            self.output.push(&mut thread.out, sent);
            if self.overflowed(thread) {
                return Turn::Close;
            }
        }
        if thread.out.capacity() > OUT_KEPT || thread.out.capacity() == 0 {
            thread.out = Vec::with_capacity(64 << 10);
        }
        if self.closing { self.end_unless_output() } else { Turn::Wait }
    }

    /// Sends kept replies.
    pub fn flush(&mut self, thread: &mut ThreadState) -> Turn {
        let must_wait = self.must_wait(thread);
        if self.replies.decide(must_wait) {
            return Turn::Wait;
        }
        while !self.output.is_empty() {
            thread.worker.context.counters.writes.add(1);
            match self.stream.send(self.output.bytes()) {
                Ok(0) => return Turn::Close,
                Ok(n) => {
                    thread.worker.context.counters.net_output.add(n as u64);
                    self.output.advance(n);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(_) => return Turn::Close,
            }
        }
        if self.overflowed(thread) {
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
            Message::Push(_) if self.closing || self.lent => Turn::Wait,
            Message::Push(bytes) => {
                thread.worker.note_now(&mut self.session);
                self.pushed += bytes.len();
                self.output.extend(&bytes);
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
        if !self.output.is_empty() {
            self.to_lend = Some(transfer);
            return Turn::Wait;
        }
        self.lent = true;
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

    /// Checks the limits of kept replies; `true` if it is to be closed.
    pub fn overflowed(&mut self, thread: &ThreadState) -> bool {
        let kept = self.output.len();
        self.tell_output(kept);
        if kept == 0 {
            self.pushed = 0;
        }
        let subscriber = self.session.is_subscriber();
        let waiting = limits::PendingOutput { kept, pushed: self.pushed.min(kept), subscriber };
        match limits::output(waiting, self.over_soft_since, thread) {
            Overflow::None => self.over_soft_since = None,
            Overflow::Soft(since) => self.over_soft_since = Some(since),
            Overflow::Close => {
                thread.worker.context.counters.output_overflows.add(1);
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
        let buffers = &self.session.client.buffers;
        let (room, pieces, behind, behind_room) = self.output.layout();
        buffers.output.store(bytes, Relaxed);
        buffers.output_room.store(room, Relaxed);
        buffers.output_peak.fetch_max(room, Relaxed);
        buffers.output_pieces.store(pieces, Relaxed);
        buffers.output_behind.store(behind, Relaxed);
        buffers.output_behind_room.store(behind_room, Relaxed);
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
        let input = self.input.capacity() + self.ahead.capacity();
        let buffers = input + self.output.capacity();
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
        if self.lent {
            self.stream.hang_up();
        }
        self.stream.say_goodbye();
        thread.worker.engine.memory.buffers.fetch_sub(self.accounted, Relaxed);
        thread.worker.disconnect(&mut self.session);
    }

    fn end_unless_output(&self) -> Turn {
        if self.output.is_empty() { Turn::Close } else { Turn::Wait }
    }
}

/// Reads what has come into a part of the thread's buffer, and counts it.
fn receive(stream: &mut Stream, room: Range<usize>, thread: &mut ThreadState) -> Received {
    // As redis-server does, whatever it brings: so it can be seen whether any was in vain.
    thread.worker.context.counters.reads.add(1);
    let received = stream.receive(&mut thread.read[room]);
    if let Received::Bytes(n, _) = received {
        thread.worker.context.counters.net_input.add(n as u64);
    }
    received
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
