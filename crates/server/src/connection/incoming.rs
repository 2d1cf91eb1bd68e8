//! The way in: what has come from a client and was not run yet, what is known of the socket it
//! comes from; reading the socket, running what is complete, keeping the rest.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use engine::{Blocked, Fed, State};

use super::buffer::Input;
use super::read_ahead::ReadAhead;
use super::readiness::Readiness;
use super::stream::{Received, Stream};
use super::thread_state::{READ_MAX, ThreadState};
use super::{Connection, Turn, limits};

/// A connection's way in.
#[derive(Default)]
pub(super) struct Incoming {
    /// An unfinished request.
    pub(super) input: Input,
    /// What came behind a request that waits.
    pub(super) ahead: ReadAhead,
    /// At least so many bytes are missing from the request in `input`, by the client's word.
    pub(super) missing: usize,
    /// The kernel may have bytes for us that no event will announce again.
    pub(super) unread: bool,
    /// Requests that have come wait in `input` for another turn: the replies to those before them
    /// were long.
    pub(super) unfed: bool,
    /// The peer has sent its last byte.
    pub(super) peer_done: bool,
    /// Nor does it listen any more.
    pub(super) broken: bool,
    /// Another thread sends a copy of the dataset through the socket, and reads what comes there.
    pub(super) lent: bool,
}

impl Incoming {
    /// An event has announced that there is something to read.
    pub(super) fn announce(&mut self, seen: Readiness) {
        self.peer_done |= seen.closed || seen.broken;
        self.broken |= seen.broken;
        self.unread = true;
    }

    /// Whether there are, or may be, requests to run.
    pub(super) fn has_requests(&self) -> bool {
        self.unread || self.unfed || !self.ahead.is_empty()
    }

    /// Bytes that have come and were not run.
    pub(super) fn len(&self) -> usize {
        self.input.len() + self.ahead.len()
    }

    /// Memory that they take.
    pub(super) fn capacity(&self) -> usize {
        self.input.capacity() + self.ahead.capacity()
    }
}

impl Connection {
    /// An event says that there is something to read, and whether the peer has said its last.
    pub fn readable(
        &mut self,
        thread: &mut ThreadState,
        seen: Readiness,
        backlogged: bool,
    ) -> Turn {
        self.incoming.announce(seen);
        self.turn(thread, backlogged)
    }

    /// Reads once, executes what is complete, writes once. No request of it runs while this thread
    /// is `backlogged`: messages in the inboxes of others come first.
    pub fn turn(&mut self, thread: &mut ThreadState, backlogged: bool) -> Turn {
        if self.session.blocked.is_some() || self.session.is_paused() {
            return self.read_ahead(thread);
        }
        if self.outgoing.closing {
            return Turn::Wait;
        }
        if !self.incoming.has_requests() {
            return Turn::Wait;
        }
        if self.session.client.state.evicted.load(Relaxed) {
            // The order to go is in the inbox; what it sends until then must not make it larger.
            return Turn::Close;
        }
        if backlogged {
            return Turn::Again;
        }
        if self.incoming.unfed {
            return self.resume(thread);
        }
        let large = self.incoming.input.is_large();
        let kept = if large { 0 } else { self.incoming.input.len() };
        let room = kept..kept + READ_MAX;
        let received = match self.incoming.ahead.take(&mut thread.read[room.clone()]) {
            0 => receive(&mut self.stream, room, thread),
            n => {
                self.session.client.tell_input(self.incoming.len());
                Received::Bytes(n, self.incoming.unread)
            }
        };
        let (n, more) = match received {
            Received::Bytes(n, more) => (n, more),
            Received::Nothing => {
                self.incoming.unread = false;
                return Turn::Wait;
            }
            Received::Later => return Turn::Again,
            Received::Greeted => return self.greeted(thread),
            Received::End => {
                self.outgoing.closing = true;
                return self.end_unless_output();
            }
            Received::Broken => return Turn::Close,
        };
        self.incoming.unread = more || self.incoming.peer_done;
        self.session.terms.in_order = false;
        // What the request takes, not what stands behind it.
        if large
            && limits::input_too_long(
                self.incoming.input.len() + n.min(self.incoming.missing),
                thread,
            )
        {
            return Turn::Close;
        }
        let fed = if large {
            self.incoming.input.grow(&thread.read[..n], self.incoming.missing);
            thread.worker.feed(&mut self.session, self.incoming.input.bytes_mut(), &mut thread.out)
        } else {
            thread.read[..kept].copy_from_slice(self.incoming.input.bytes());
            thread.worker.feed(&mut self.session, &mut thread.read[..kept + n], &mut thread.out)
        };
        self.keep(thread, &fed, (!large).then_some(kept + n));
        self.settle(thread, fed.state)
    }

    /// Whether the peer has said its last and what waits is not worth going on with. What another
    /// thread works at comes to an end by itself, and so does giving way: replies and what stands
    /// behind follow, as a peer may still listen, unless the connection broke.
    fn leaves_with_peer(&self) -> bool {
        let ends_by_itself =
            |blocked: &Arc<Blocked>| blocked.ends_by_itself() && !self.incoming.lent;
        self.incoming.peer_done
            && !self.session.lets_others_first()
            && (self.incoming.broken || !self.session.blocked.as_ref().is_some_and(ends_by_itself))
    }

    /// Reads on behind a request that waits, as the end of the stream may stand there: a client
    /// that has gone is served nothing any more, nor does what it sent behind run.
    fn read_ahead(&mut self, thread: &mut ThreadState) -> Turn {
        let leaves = self.leaves_with_peer();
        if self.session.lets_others_first() || self.incoming.lent {
            // For a moment; or the thread that sends the copy listens.
            return if leaves { Turn::Close } else { Turn::Wait };
        }
        if leaves || self.session.client.state.evicted.load(Relaxed) {
            return Turn::Close;
        }
        if !self.incoming.unread {
            return Turn::Wait;
        }
        match receive(&mut self.stream, 0..READ_MAX, thread) {
            Received::Bytes(n, more) => {
                self.incoming.ahead.push(&thread.read[..n]);
                self.incoming.unread = more;
            }
            Received::Nothing => self.incoming.unread = false,
            Received::Later | Received::Greeted => {}
            Received::Broken => return Turn::Close,
            Received::End => {
                self.incoming.peer_done = true;
                let leaves =
                    self.leaves_with_peer() || thread.worker.engine.client_has_ended(&self.session);
                return if leaves { Turn::Close } else { Turn::Wait };
            }
        }
        let kept = self.incoming.len();
        self.session.client.tell_input(kept);
        self.session.client.last.store(thread.now, Relaxed);
        self.account(thread);
        if limits::input_too_long(kept, thread) || !self.fits_unknown(thread) {
            return Turn::Close;
        }
        if self.incoming.unread { Turn::Again } else { Turn::Wait }
    }

    /// The handshake is over: only now it counts as a connection, and can be told why not.
    fn greeted(&mut self, thread: &mut ThreadState) -> Turn {
        match self.stream.last_words() {
            None => {
                thread.worker.context.counters.connections.add(1);
                Turn::Again
            }
            Some(words) => {
                self.outgoing.output.extend(words);
                self.outgoing.closing = true;
                self.flush(thread)
            }
        }
    }

    /// Executes what was kept while a request was blocked or paused, or since the last turn.
    pub(super) fn resume(&mut self, thread: &mut ThreadState) -> Turn {
        let mut state = State::Open;
        let kept = self.incoming.input.len();
        if kept > 0 || self.session.is_paused() {
            let fed = if self.incoming.input.is_large() {
                let fed = thread.worker.feed(
                    &mut self.session,
                    self.incoming.input.bytes_mut(),
                    &mut thread.out,
                );
                self.keep(thread, &fed, None);
                fed
            } else {
                thread.read[..kept].copy_from_slice(self.incoming.input.bytes());
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
            self.incoming.input.clear();
            return;
        }
        self.incoming.missing = fed.missing;
        let had = self.incoming.input.len();
        match shared {
            Some(end) if fed.consumed == end && had == 0 => return,
            Some(end) => self.incoming.input.keep(&thread.read[fed.consumed..end]),
            None => self.incoming.input.consume(fed.consumed),
        }
        self.session.client.tell_input(self.incoming.len());
        self.session.client.last.store(thread.now, Relaxed);
    }

    /// After requests have run: notes what became of the session, and sends the replies.
    fn settle(&mut self, thread: &mut ThreadState, state: State) -> Turn {
        // It may have ended while it waited, with nothing behind it to be fed.
        if state == State::Closing || self.session.closing {
            self.outgoing.closing = true;
        }
        self.incoming.unfed = state == State::Full && !self.incoming.input.is_empty();
        let waits = matches!(state, State::Blocked | State::Paused);
        let gives_way = self.session.lets_others_first();
        let may_close = waits && self.leaves_with_peer();
        let turn = self.send(thread);
        if limits::input_too_long(self.incoming.input.len(), thread) {
            return Turn::Close;
        }
        self.account(thread);
        if self.unknown.is_some() && !self.fits_unknown(thread) {
            tracing::debug!("closing a client that has not authenticated and takes too much");
            return Turn::Close;
        }
        match turn {
            Turn::Wait if self.outgoing.closing => Turn::Wait,
            Turn::Wait if may_close => Turn::Close,
            Turn::Wait if waits && (gives_way || !self.incoming.unread) => Turn::Wait,
            Turn::Wait if self.incoming.has_requests() => Turn::Again,
            turn => turn,
        }
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
