//! A client's socket, TCP or unix, as one type.

use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::fd::{AsFd, AsRawFd};
use std::time::Duration;

use mio::event::Source;
use mio::net::{TcpStream, UnixStream};
use mio::{Interest, Registry, Token};
use socket2::{SockRef, TcpKeepalive};

/// A connected, non-blocking socket.
pub enum Stream {
    /// Over TCP.
    Tcp(TcpStream),
    /// Over a unix socket.
    Unix(UnixStream),
}

/// Calls a method of whichever socket it is.
macro_rules! either {
    ($self:expr, $stream:ident => $call:expr) => {
        match $self {
            Stream::Tcp($stream) => $call,
            Stream::Unix($stream) => $call,
        }
    };
}

impl Stream {
    /// Reads what is there, restarting after signals.
    #[inline]
    pub fn receive(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            match either!(self, stream => stream.read(into)) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                done => return done,
            }
        }
    }

    /// Writes what the kernel takes, restarting after signals.
    #[inline]
    pub fn send(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match either!(self, stream => stream.write(bytes)) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                done => return done,
            }
        }
    }

    /// The same socket once more, for another thread.
    ///
    /// # Errors
    /// There are no more descriptors.
    pub fn share(&self) -> io::Result<Self> {
        Ok(match self {
            Stream::Tcp(stream) => Stream::Tcp(stream.as_fd().try_clone_to_owned()?.into()),
            Stream::Unix(stream) => Stream::Unix(stream.as_fd().try_clone_to_owned()?.into()),
        })
    }

    /// Says that nothing more will be sent.
    ///
    /// # Errors
    /// The peer has gone.
    pub fn finish(&self) -> io::Result<()> {
        either!(self, stream => stream.shutdown(Shutdown::Write))
    }

    /// Ends the connection for everybody who has this socket.
    pub fn hang_up(&self) {
        // It may be over already.
        let _ = either!(self, stream => stream.shutdown(Shutdown::Both));
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
        let Stream::Tcp(stream) = self else { return Ok(()) };
        stream.set_nodelay(true)?;
        if keepalive > 0 {
            let probes = TcpKeepalive::new()
                .with_time(Duration::from_secs(keepalive))
                .with_interval(Duration::from_secs((keepalive / 3).max(1)))
                .with_retries(3);
            SockRef::from(stream).set_tcp_keepalive(&probes)?;
        }
        Ok(())
    }
}

impl Source for Stream {
    fn register(&mut self, to: &Registry, token: Token, interests: Interest) -> io::Result<()> {
        either!(self, stream => stream.register(to, token, interests))
    }

    fn reregister(&mut self, to: &Registry, token: Token, interests: Interest) -> io::Result<()> {
        either!(self, stream => stream.reregister(to, token, interests))
    }

    fn deregister(&mut self, from: &Registry) -> io::Result<()> {
        either!(self, stream => stream.deregister(from))
    }
}
