//! A stream that times out on peers that do not read, and counts bytes.
//!
//! Reading has its deadlines where it is known what is read: a request's head, a piece of its body.
//! Writing has its own here: a peer that reads nothing for so long is disconnected.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

use crate::session::Meter;

/// The stream.
pub struct TimedStream<S> {
    inner: S,
    meter: Arc<Meter>,
    write_timeout: Duration,
    /// Runs while the peer takes nothing.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl<S> TimedStream<S> {
    /// Waits for the peer to read no longer than `patience`.
    pub fn new(inner: S, meter: &Arc<Meter>, write_timeout: Duration) -> Self {
        TimedStream { inner, meter: Arc::clone(meter), write_timeout, stalled: None }
    }

    /// What a write came to, or the end of the patience.
    fn check_write(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if let Poll::Ready(done) = written {
            self.stalled = None;
            if let Ok(bytes @ 1..) = &done {
                self.meter.sent.fetch_add(*bytes as u64, Ordering::Relaxed);
                self.meter.writes.fetch_add(1, Ordering::Relaxed);
            }
            self.meter.delivery.took(*done.as_ref().unwrap_or(&0));
            return Poll::Ready(done);
        }
        self.meter.delivery.stalls();
        let until = Instant::now() + self.write_timeout;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(until)));
        ready!(stalled.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for TimedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(cx, buf))?;
        let bytes = buf.filled().len() - before;
        self.meter.received.fetch_add(bytes as u64, Ordering::Relaxed);
        self.meter.reads.fetch_add(1, Ordering::Relaxed);
        Poll::Ready(if self.meter.has_room(bytes) {
            Ok(())
        } else {
            Err(io::ErrorKind::OutOfMemory.into())
        })
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for TimedStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.inner).poll_write(cx, buf);
        self.check_write(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.inner).poll_write_vectored(cx, bufs);
        self.check_write(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.inner).poll_flush(cx);
        self.check_write(cx, flushed.map_ok(|()| 0)).map_ok(drop)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shut = Pin::new(&mut self.inner).poll_shutdown(cx);
        self.check_write(cx, shut.map_ok(|()| 0)).map_ok(drop)
    }
}
