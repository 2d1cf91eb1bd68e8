//! A client's socket as one type: TCP, unix, or TCP with TLS on it.
//!
//! Reads and writes go straight to the kernel (`rustix`), not through the C library: its `recv` and
//! `send` let the thread be cancelled before, and forbid it again after, each with a locked
//! instruction. A request that comes alone costs one of each, and little else in this program.

use std::io;
use std::net::Shutdown;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::time::Duration;

use mio::event::Source;
use mio::net::{TcpStream, UnixStream};
use mio::{Interest, Registry, Token};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recv, send};
use socket2::{SockRef, TcpKeepalive};

use super::secure::Tls;

/// A connected, non-blocking socket.
pub enum Stream {
    /// Over TCP.
    Tcp(TcpStream),
    /// Over a unix socket.
    Unix(UnixStream),
    /// Over TCP and TLS.
    Tls(Box<Tls>),
}

/// What a read brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Received {
    /// So many bytes, and whether there may be more that no event will announce.
    Bytes(usize, bool),
    /// Nothing for now.
    Nothing,
    /// Nothing yet, but there may be more that no event will announce.
    Later,
    /// The handshake is over, and there may be more that no event will announce.
    Greeted,
    /// The peer has said its last. It may still listen.
    End,
    /// The connection broke: nothing arrives.
    Broken,
}

/// Calls a method of whichever socket it is.
macro_rules! either {
    ($self:expr, $stream:ident => $call:expr) => {
        match $self {
            Stream::Tcp($stream) => $call,
            Stream::Unix($stream) => $call,
            Stream::Tls(tls) => {
                let $stream = &tls.socket;
                $call
            }
        }
    };
}

impl Stream {
    /// Reads what is there, restarting after signals, into a buffer of
    /// [`ROOM_MIN`](super::secure::ROOM_MIN) bytes at least.
    #[inline]
    pub fn receive(&mut self, into: &mut [u8]) -> Received {
        loop {
            let read = match self {
                Stream::Tcp(stream) => recv(stream, &mut *into, RecvFlags::empty()),
                Stream::Unix(stream) => recv(stream, &mut *into, RecvFlags::empty()),
                Stream::Tls(tls) => return tls.receive(into),
            };
            return match read {
                Ok((0, _)) => Received::End,
                // A short read has emptied the kernel's buffer; what comes later makes a new event.
                Ok((n, _)) => Received::Bytes(n, n == into.len()),
                Err(Errno::AGAIN) => Received::Nothing,
                Err(Errno::INTR) => continue,
                Err(_) => Received::Broken,
            };
        }
    }

    /// Writes what the kernel takes, restarting after signals. When it takes less, the next bytes
    /// offered must begin with those that it did not take.
    ///
    /// # Errors
    /// `WouldBlock` if it takes none; anything else if the connection is over.
    #[inline]
    pub fn send(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            let sent = match self {
                // A peer that has closed is an error, not a signal.
                Stream::Tcp(stream) => send(stream, bytes, SendFlags::NOSIGNAL),
                Stream::Unix(stream) => send(stream, bytes, SendFlags::NOSIGNAL),
                Stream::Tls(tls) => return tls.send(bytes),
            };
            match sent {
                Err(Errno::INTR) => {}
                done => return Ok(done?),
            }
        }
    }

    /// An event says that the kernel takes bytes again, and the connection has none: there may be
    /// some that are not the connection's.
    #[inline]
    pub fn push_pending(&mut self) {
        if let Stream::Tls(tls) = self {
            tls.push_pending();
        }
    }

    /// Whether a handshake is not over yet.
    #[must_use]
    pub fn is_greeting(&self) -> bool {
        if let Stream::Tls(tls) = self { tls.is_greeting() } else { false }
    }

    /// What is to be said to the peer before the connection is closed.
    #[must_use]
    pub fn last_words(&self) -> Option<&'static [u8]> {
        if let Stream::Tls(tls) = self { tls.last_words } else { None }
    }

    /// The same socket once more, for another thread. With TLS only that one can be read and
    /// written from now on; this one still can be watched, and hung up.
    ///
    /// # Errors
    /// There are no more descriptors.
    pub fn lend(&mut self) -> io::Result<Self> {
        let again = either!(&*self, stream => stream.as_fd().try_clone_to_owned()?);
        Ok(match self {
            Stream::Tcp(_) => Stream::Tcp(again.into()),
            Stream::Unix(_) => Stream::Unix(again.into()),
            Stream::Tls(_) => {
                let mut lent = std::mem::replace(self, Stream::Tcp(again.into()));
                if let (Stream::Tcp(own), Stream::Tls(tls)) = (self, &mut lent) {
                    // The poller of this thread watches the first descriptor.
                    std::mem::swap(own, &mut tls.socket);
                }
                lent
            }
        })
    }

    /// Says that nothing more will be sent.
    ///
    /// # Errors
    /// The peer has gone.
    pub fn finish(&mut self) -> io::Result<()> {
        self.say_goodbye();
        either!(&*self, stream => stream.shutdown(Shutdown::Write))
    }

    /// Tells the peer that this end of the connection was meant, if the protocol has a word for it.
    pub fn say_goodbye(&mut self) {
        if let Stream::Tls(tls) = self {
            tls.say_goodbye();
        }
    }

    /// Ends the connection for all owners of this socket.
    pub fn hang_up(&self) {
        // It may be over already.
        let _ = either!(self, stream => stream.shutdown(Shutdown::Both));
    }

    /// The socket, for pollers.
    #[must_use]
    pub fn socket(&self) -> BorrowedFd<'_> {
        either!(self, stream => stream.as_fd())
    }

    /// The descriptor's number.
    #[must_use]
    pub fn descriptor(&self) -> i32 {
        either!(self, stream => stream.as_raw_fd())
    }

    /// Sets what Redis sets on a client's socket: no delay, and keep-alive probes every
    /// `keepalive` seconds (0 for none), given up after three.
    ///
    /// # Errors
    /// The kernel refuses, for example because the peer has gone.
    pub fn tune(&self, keepalive: u64) -> io::Result<()> {
        let stream = match self {
            Stream::Tcp(stream) => stream,
            Stream::Tls(tls) => &tls.socket,
            Stream::Unix(_) => return Ok(()),
        };
        stream.set_nodelay(true)?;
        if keepalive > 0 {
            let probes = TcpKeepalive::new()
                .with_time(Duration::from_secs(keepalive))
                .with_interval(Duration::from_secs((keepalive / 3).max(1)))
                .with_retries(3);
            // It only makes things better.
            let _ = SockRef::from(stream).set_tcp_keepalive(&probes);
        }
        Ok(())
    }
}

impl Source for Stream {
    fn register(&mut self, to: &Registry, token: Token, interests: Interest) -> io::Result<()> {
        self.source().register(to, token, interests)
    }

    fn reregister(&mut self, to: &Registry, token: Token, interests: Interest) -> io::Result<()> {
        self.source().reregister(to, token, interests)
    }

    fn deregister(&mut self, from: &Registry) -> io::Result<()> {
        self.source().deregister(from)
    }
}

impl Stream {
    fn source(&mut self) -> &mut dyn Source {
        match self {
            Stream::Tcp(stream) => stream,
            Stream::Unix(stream) => stream,
            Stream::Tls(tls) => &mut tls.socket,
        }
    }
}
