//! A stream that is read in small pieces until the client has authenticated.
//!
//! HTTP/2 keeps the bytes of a call until the call takes them, up to the window of the whole
//! connection. An unauthenticated call takes none: it is refused by its head. So after each few KiB
//! of such a connection the calls have their turn, and what they refuse is not kept.
//!
//! Their answers are kept until the client takes them. So an unauthenticated connection may have
//! few streams that are open or whose end was not sent: the head of the next is held back until one
//! has ended, and as long as the client takes nothing, nothing is read. The connection, its
//! streams, their answers and what is held back count as memory of unauthenticated clients.
//!
//! TLS takes more than the other end does, and keeps it. So what was written counts as taken when
//! everything below has sent it on.
//!
//! ```text
//!   socket ─► few streams? ──► HTTP/2 ─► calls
//!               │ no: held back until an answer went out, or a call has authenticated
//!               └ for too long, or beyond `unauthenticated-memory`: GOAWAY, closed
//! ```

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use engine::unauthenticated::{CALLS, Charge};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

use crate::frames::Streams;
use crate::peer::Peer;

/// Bytes that are read of an unauthenticated client before calls have their turn.
const PIECE: usize = 16 << 10;
/// How long they have it.
const REST: Duration = Duration::from_millis(1);
/// How long it may become while a head is held back.
const LONGEST_REST: Duration = Duration::from_millis(64);
/// Streams that may be open: calls, and as many that are refused.
const STREAMS: usize = 2 * CALLS;
/// How long one more may be held back.
const PATIENCE: Duration = Duration::from_secs(2);
/// Streams that are begun in a row, each after it was held back, without authenticating.
const IN_VAIN: usize = 64;
/// What begins later than this after the last of a row is not of it.
const SPELL: Duration = Duration::from_secs(1);
/// What a connection takes, about: buffers, tables of headers, a session.
pub const CONNECTION: usize = 40 << 10;
/// What a stream takes, with the headers of its answer.
const STREAM: usize = 3 << 10;

/// The stream.
pub struct ThrottledStream<S> {
    inner: S,
    /// As long as no authenticated user has called.
    unauthenticated: Option<Box<Unauthenticated>>,
}

/// The state of a stream whose client has not authenticated.
struct Unauthenticated {
    peer: Arc<Peer>,
    charge: Charge,
    streams: Streams,
    /// Bytes that were read since calls had their turn.
    read: usize,
    /// They have it now. Only time tells: the connection is polled again for each call it brings.
    rest: Option<Pin<Box<Sleep>>>,
    /// What came and may not be looked at yet.
    held: Vec<u8>,
    held_since: Option<Instant>,
    /// When some was held back last, and how many streams there had been when that began.
    crowd: Option<(Instant, usize)>,
    /// The other end takes nothing.
    stuck: bool,
    /// Bytes that were written and not sent on yet, and the streams that end in them.
    unsent: usize,
    ended: usize,
    /// Bytes that the layers below take.
    below: usize,
}

impl<S> ThrottledStream<S> {
    /// As long as the peer is not known; what it takes is counted by the charge. `below`: what the
    /// layers below take of it.
    pub fn new(inner: S, peer: &Arc<Peer>, charge: Charge, below: usize) -> Self {
        let unauthenticated = Unauthenticated {
            peer: Arc::clone(peer),
            charge,
            streams: Streams::new(),
            read: 0,
            rest: None,
            held: Vec::new(),
            held_since: None,
            crowd: None,
            stuck: false,
            unsent: 0,
            ended: 0,
            below,
        };
        ThrottledStream { inner, unauthenticated: Some(Box::new(unauthenticated)) }
    }
}

impl Unauthenticated {
    /// Counts what there is now; `false` if there is no room for it.
    fn has_room(&mut self) -> bool {
        if self.peer.is_known() {
            return self.charge.set(0);
        }
        let streams = (self.streams.open() + self.ended) * STREAM + self.peer.queued();
        let waiting = self.held.capacity() + self.unsent + streams;
        self.charge.set(CONNECTION + self.below + waiting)
    }

    /// How many of these bytes may pass.
    fn pass(&mut self, bytes: &[u8]) -> usize {
        let few = STREAMS.saturating_sub(self.ended);
        let most = if self.peer.is_known() { usize::MAX } else { few };
        self.streams.come(bytes, most)
    }

    /// What was held back, as far as it may pass and has room.
    fn release(&mut self, buf: &mut ReadBuf<'_>) -> usize {
        let mut held = std::mem::take(&mut self.held);
        let most = held.len().min(buf.remaining());
        let passed = self.pass(&held[..most]);
        buf.put_slice(&held[..passed]);
        held.drain(..passed);
        if !held.is_empty() {
            self.held = held;
        }
        passed
    }

    /// Gives calls their turn, if they should have it; a longer one as long as a head is held back.
    fn pause(&mut self, passed: usize) {
        if self.peer.is_known() {
            self.held_since = None;
            return;
        }
        let now = Instant::now();
        self.held_since = match self.held_since {
            Some(since) if passed == 0 && !self.held.is_empty() => Some(since),
            _ => (!self.held.is_empty()).then_some(now),
        };
        if self.held_since.is_some() {
            let recent = self.crowd.filter(|(last, _)| now - *last < SPELL);
            let begun = recent.map_or_else(|| self.streams.begun(), |(_, begun)| begun);
            self.crowd = Some((now, begun));
        }
        self.read += passed;
        let time = match self.held_since {
            Some(since) => (now - since).clamp(REST, LONGEST_REST),
            None if self.read >= PIECE => REST,
            None => return,
        };
        self.rest = Some(Box::pin(sleep(time)));
    }

    /// Whether what is held back has waited too long, or what was let go was no use.
    fn asks_too_much(&self) -> bool {
        self.held_since.is_some_and(|since| since.elapsed() > PATIENCE)
            || self.crowd.is_some_and(|(_, begun)| self.streams.begun() - begun > IN_VAIN)
    }

    /// These bytes were taken by what is below, or none could be.
    fn wrote(&mut self, context: &Context<'_>, slices: &[io::IoSlice<'_>], done: Poll<usize>) {
        let was_stuck = std::mem::replace(&mut self.stuck, done.is_pending());
        let Poll::Ready(mut left) = done else { return };
        let open = self.streams.open();
        self.unsent += left;
        for slice in slices {
            let took = slice.len().min(left);
            self.peer.unqueue(self.streams.went(&slice[..took]));
            left -= took;
        }
        self.ended += open - self.streams.open();
        if was_stuck {
            self.go_on(context);
        }
    }

    /// What was written is with the other end.
    fn sent(&mut self, context: &Context<'_>) {
        if self.streams.open() == 0 {
            // Of what was cancelled nothing goes out.
            self.peer.unqueue(usize::MAX);
        }
        let was_waiting = std::mem::take(&mut self.unsent) > 0 && !self.held.is_empty();
        self.ended = 0;
        if was_waiting {
            self.go_on(context);
        }
    }

    /// There is something to read again, or room for what is held back.
    fn go_on(&mut self, context: &Context<'_>) {
        self.rest = None;
        context.waker().wake_by_ref();
    }

    /// Whether the other end has yet to take something before anything is read of it.
    fn must_take(&self) -> bool {
        (self.stuck || self.unsent > 0) && !self.peer.is_known()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> ThrottledStream<S> {
    /// Tells the other end that it wants too much, if that can be told at once.
    fn refuse(&mut self, context: &mut Context<'_>) -> io::Error {
        if let Some(farewell) = self.unauthenticated.as_ref().and_then(|it| it.streams.farewell()) {
            let inner = &mut self.inner;
            if Pin::new(&mut *inner).poll_write(context, &farewell).is_ready() {
                let _ = Pin::new(inner).poll_flush(context);
            }
        }
        io::Error::new(io::ErrorKind::OutOfMemory, "an unauthenticated client asks too much")
    }

    /// Has what was written sent on, as far as the other end takes it.
    fn send_on(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.inner).poll_flush(context);
        if let (Some(unauthenticated), Poll::Ready(Ok(()))) = (&mut self.unauthenticated, &flushed)
        {
            unauthenticated.sent(context);
        }
        flushed
    }

    /// Has what an unauthenticated client did not take yet sent on before there is more.
    fn make_way(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &self.unauthenticated {
            Some(unauthenticated)
                if unauthenticated.unsent > 0 && !unauthenticated.peer.is_known() =>
            {
                self.send_on(context)
            }
            _ => Poll::Ready(Ok(())),
        }
    }

    /// Keeps account of a write.
    fn wrote(
        &mut self,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
        done: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if let Some(unauthenticated) = &mut self.unauthenticated {
            let wrote = match &done {
                Poll::Ready(done) => Poll::Ready(done.as_ref().map_or(0, |&bytes| bytes)),
                Poll::Pending => Poll::Pending,
            };
            unauthenticated.wrote(context, slices, wrote);
            if wrote.is_ready()
                && let Poll::Ready(Err(error)) = self.send_on(context)
            {
                return Poll::Ready(Err(error));
            }
            if !self
                .unauthenticated
                .as_mut()
                .is_none_or(|unauthenticated| unauthenticated.has_room())
            {
                return Poll::Ready(Err(self.refuse(context)));
            }
        }
        done
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for ThrottledStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if let Poll::Ready(Err(error)) = self.make_way(context) {
            return Poll::Ready(Err(error));
        }
        let ThrottledStream { inner, unauthenticated: whether } = &mut *self;
        let Some(unauthenticated) = whether else { return Pin::new(inner).poll_read(context, buf) };
        if unauthenticated.peer.has_called() && unauthenticated.held.is_empty() {
            *whether = None;
            return Pin::new(inner).poll_read(context, buf);
        }
        while buf.remaining() > 0 {
            if let Some(rest) = &mut unauthenticated.rest {
                ready!(rest.as_mut().poll(context));
                unauthenticated.rest = None;
                unauthenticated.read = 0;
            }
            // The end of a write that waits has this polled again.
            if unauthenticated.must_take() {
                return Poll::Pending;
            }
            let passed = if unauthenticated.held.is_empty() {
                let before = buf.filled().len();
                ready!(Pin::new(&mut *inner).poll_read(context, buf))?;
                let came = buf.filled().len() - before;
                if came == 0 {
                    return Poll::Ready(Ok(()));
                }
                let passed = unauthenticated.pass(&buf.filled()[before..]);
                unauthenticated.held = buf.filled()[before + passed..].to_vec();
                buf.set_filled(before + passed);
                passed
            } else {
                unauthenticated.release(buf)
            };
            unauthenticated.pause(passed);
            if unauthenticated.asks_too_much() || !unauthenticated.has_room() {
                return Poll::Ready(Err(self.refuse(context)));
            }
            if passed > 0 {
                break;
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for ThrottledStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        ready!(self.make_way(context))?;
        let done = Pin::new(&mut self.inner).poll_write(context, buf);
        self.wrote(context, &[io::IoSlice::new(buf)], done)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        ready!(self.make_way(context))?;
        let done = Pin::new(&mut self.inner).poll_write_vectored(context, bufs);
        self.wrote(context, bufs, done)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.send_on(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(context)
    }
}

#[cfg(test)]
#[path = "throttled_stream_tests.rs"]
mod tests;
