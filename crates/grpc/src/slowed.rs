//! A stream that is read in small pieces until it is known who is at its other end.
//!
//! HTTP/2 keeps what comes for a call until the call takes it, up to the window of the whole
//! connection. A call of somebody unknown takes nothing: it is refused by its head. So between a
//! few KiB of such a connection the calls have their turn, and what they refuse is not kept.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

use crate::peer::Peer;

/// Bytes that are read of somebody unknown before calls have their turn.
const PIECE: usize = 16 << 10;
/// How long they have it.
const REST: Duration = Duration::from_millis(1);

/// The stream.
pub struct Slowed<S> {
    inner: S,
    peer: Arc<Peer>,
    /// Bytes that were read since calls had their turn.
    read: usize,
    /// They have it now. Only time tells: the connection is polled again for each call it brings.
    rest: Option<Pin<Box<Sleep>>>,
}

impl<S> Slowed<S> {
    /// As long as the peer is not known.
    pub fn new(inner: S, peer: &Arc<Peer>) -> Self {
        Slowed { inner, peer: Arc::clone(peer), read: 0, rest: None }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Slowed<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if let Some(rest) = &mut self.rest {
            ready!(rest.as_mut().poll(context));
            self.rest = None;
            self.read = 0;
        }
        let before = buf.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(context, buf))?;
        if !self.peer.is_known() {
            self.read += buf.filled().len() - before;
            if self.read >= PIECE {
                self.rest = Some(Box::pin(sleep(REST)));
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Slowed<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(context, buf)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write_vectored(context, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(context)
    }
}
