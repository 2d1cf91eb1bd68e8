//! Whether the peer of a connection has gone while its request is answered.
//!
//! ```text
//!   request │ bytes of the next one │ end      what the peer has sent
//!   ────────┘                       ▲
//!     └─► a statement runs          └─ hyper reads no further while it runs: the poller is asked
//! ```
//!
//! The end stands behind all that was sent, so a thread that waits to read it finds it only once
//! what lies before has been read. The poller tells of it however much lies there.
//!
//! A peer that has said its last may still listen (`shutdown` of its writing side), which cannot be
//! told from one that has closed its socket before something is sent to it: that one answers with a
//! reset. So it is sent what there is, for as long as it takes it, and it is given up when there
//! has been nothing to send for [`LISTENS`].

use std::io;
use std::net::Shutdown;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::TcpStream;

/// How long a peer that has said its last is kept though there is nothing to send.
const LISTENS: Duration = Duration::from_secs(1);
/// How often it is asked again whether a peer has said its last of whose words some lie unread.
const LOOK: Duration = Duration::from_millis(250);

/// How a peer takes what it is sent.
#[derive(Default)]
pub struct Delivery {
    /// Bytes that were handed to the system.
    sent: AtomicU64,
    /// The system takes no more at present.
    stalled: AtomicBool,
}

impl Delivery {
    /// So many bytes were taken.
    pub fn took(&self, bytes: usize) {
        self.sent.fetch_add(bytes as u64, Ordering::Relaxed);
        self.stalled.store(false, Ordering::Relaxed);
    }

    /// No more is taken until the peer reads.
    pub fn stalls(&self) {
        self.stalled.store(true, Ordering::Relaxed);
    }

    /// Whether nothing was sent since there were so many bytes, and nothing waits to be sent.
    fn rests_since(&self, sent: u64) -> bool {
        !self.stalled.load(Ordering::Relaxed) && self.sent.load(Ordering::Relaxed) == sent
    }
}

/// Waits until the peer has gone, or is to be taken for gone.
pub async fn departed(socket: &TcpStream, delivery: &Delivery) {
    if !said_last(socket).await {
        return;
    }
    loop {
        let sent = delivery.sent.load(Ordering::Relaxed);
        tokio::time::sleep(LISTENS).await;
        if delivery.rests_since(sent) {
            return;
        }
    }
}

/// Waits until the peer has said its last; whether it may still listen.
async fn said_last(socket: &TcpStream) -> bool {
    loop {
        // Both are told of a connection that was reset.
        match socket.ready(Interest::READABLE).await {
            Ok(ready) if ready.is_read_closed() => break,
            Ok(_) => tokio::time::sleep(LOOK).await,
            Err(_) => return false,
        }
    }
    let both = socket.ready(Interest::READABLE | Interest::WRITABLE).await;
    both.is_ok_and(|ready| !ready.is_write_closed())
}

/// A socket that is read and written by one task, and asked by it at the same time whether its peer
/// has [`departed`].
pub struct SharedSocket(pub Arc<TcpStream>);

impl AsyncRead for SharedSocket {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            ready!(self.0.poll_read_ready(cx))?;
            match self.0.try_read(buf.initialize_unfilled()) {
                Ok(bytes) => {
                    buf.advance(bytes);
                    return Poll::Ready(Ok(()));
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
    }
}

impl SharedSocket {
    fn poll_send(
        &self,
        cx: &mut Context<'_>,
        send: impl Fn(&TcpStream) -> io::Result<usize>,
    ) -> Poll<io::Result<usize>> {
        loop {
            ready!(self.0.poll_write_ready(cx))?;
            match send(&self.0) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                sent => return Poll::Ready(sent),
            }
        }
    }
}

impl AsyncWrite for SharedSocket {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.poll_send(cx, |socket| socket.try_write(buf))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.poll_send(cx, |socket| socket.try_write_vectored(bufs))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        // The system has what was written.
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(socket2::SockRef::from(&*self.0).shutdown(Shutdown::Write))
    }
}
