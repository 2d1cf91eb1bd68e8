//! A blocking connection as bytes: sockets, timeouts, TLS below a [`ReplyReader`].
//!
//! ```text
//!   out() ──► send ──┬────────► socket      at most one system call for what fits its buffer
//!                    └ seal ──►
//!   reader ◄─ fill ──┬───────── socket      one, which waits
//!                    └ receive ◄
//! ```
//!
//! While much is to be sent, what comes back meanwhile is read: a peer that stops reading because
//! its answers are not read would otherwise wait for us while we wait for it. A signal ends a wait
//! with [`io::ErrorKind::Interrupted`]; nothing is lost, and the same call may be made again.
//!
//! A transport never reconnects and never closes a session politely. Its owner drops it as soon as
//! an answer is in doubt.

use crate::error::Error;
use crate::handshake::Handshake;
use crate::options::{Address, Options};
use crate::secure::Secure;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{RecvFlags, SendFlags};
use socket2::{SockRef, TcpKeepalive};
use std::io;
use std::net::{TcpStream, ToSocketAddrs};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};
use wire::{ReplyParser, ReplyReader};

/// Bytes to ask the socket for.
const READ: usize = 64 * 1024;
/// Bytes to take at once, if there are as many, before they are looked at.
const BATCH: usize = 1024 * 1024;

#[derive(Debug)]
enum Socket {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Tcp(socket) => socket.as_fd(),
            Self::Unix(socket) => socket.as_fd(),
        }
    }
}

/// One connection.
#[derive(Debug)]
pub struct Transport {
    socket: Socket,
    secure: Option<Box<Secure>>,
    /// Requests that wait to be sent, as the protocol has them.
    out: Vec<u8>,
    /// What goes onto the wire, if that is something else.
    sealed: Vec<u8>,
    /// Bytes of `sealed`, or else of `out`, that are sent.
    sent: usize,
    /// What was read but not decrypted yet.
    scratch: Vec<u8>,
    /// What the socket's own timeout is set to.
    armed: Option<Duration>,
    /// How long the peer may be silent.
    timeout: Option<Duration>,
}

/// What to do when a signal has come while a handshake waits: go on (`true`) or give up.
pub type OnSignal<'a> = &'a mut dyn FnMut() -> bool;

impl Transport {
    /// Connects, without a word to the server yet.
    ///
    /// # Errors
    /// [`Error::Connection`] or [`Error::Timeout`], naming the address.
    pub fn open(options: &Options) -> Result<Self, Error> {
        let failed = |error: io::Error| {
            if matches!(error.kind(), io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock) {
                Error::Timeout(format!("Timeout connecting to {}", options.address))
            } else {
                Error::Connection(format!("Error connecting to {}", options.address), Some(error))
            }
        };
        let socket = match &options.address {
            Address::Tcp(host, port) => {
                Socket::Tcp(connect_tcp(host, *port, options).map_err(failed)?)
            }
            Address::Unix(path) => Socket::Unix(UnixStream::connect(path).map_err(failed)?),
        };
        let mut transport = Transport {
            socket,
            secure: None,
            out: Vec::new(),
            sealed: Vec::new(),
            sent: 0,
            scratch: Vec::new(),
            armed: None,
            timeout: options.timeout,
        };
        if let (Some(tls), Address::Tcp(host, _)) = (&options.tls, &options.address) {
            transport.secure = Some(Box::new(Secure::new(tls, host)?));
        }
        Ok(transport)
    }

    /// Shakes hands, with TLS if it is to be spoken and then with the server, which may never be
    /// silent for longer than [`Options::timeout`], nor take longer than
    /// [`Options::connect_timeout`] altogether.
    ///
    /// # Errors
    /// Whatever [`Handshake::answer`] says, and that the connection broke or timed out.
    pub fn shake_hands(
        &mut self,
        options: &Options,
        on_signal: OnSignal<'_>,
    ) -> Result<Handshake, Error> {
        let deadline = options.connect_timeout.map(|timeout| Instant::now() + timeout);
        let mut handshake = Handshake::begin(options, &mut self.out);
        let mut parser = ReplyReader::default();
        let mut parsed = ReplyParser::with_limits(options.limits);
        // TLS has words of its own to exchange even if the protocol has none.
        while !handshake.is_done() || self.secure.as_ref().is_some_and(|it| it.is_handshaking()) {
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            let left = left.map(|left| left.max(Duration::from_millis(1)));
            // Either may be without limit.
            let wait = left.into_iter().chain(self.timeout).min();
            let step = self.send(&mut parser).and_then(|()| {
                let count = self.fill_within(&mut parser, wait)?;
                if count == 0 { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
            });
            match step {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted && on_signal() => {}
                Err(error) => return Err(self.failure(error, options)),
            }
            parsed.feed(parser.pending());
            parser = ReplyReader::<()>::default();
            while !handshake.is_done()
                && let Some(reply) = parsed.next_value()?
            {
                handshake.answer(&reply, options, &mut self.out)?;
            }
        }
        if !parsed.is_idle() {
            let text = format!("{} said more than it was asked", options.address);
            return Err(Error::Connection(text, None));
        }
        Ok(handshake)
    }

    /// Says in whose company an error of the socket happened.
    #[must_use]
    pub fn failure(&self, error: io::Error, options: &Options) -> Error {
        let address = &options.address;
        match error.kind() {
            io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => {
                Error::Timeout(format!("Timeout reading from {address}"))
            }
            io::ErrorKind::UnexpectedEof => {
                Error::Connection(format!("Connection closed by {address}"), None)
            }
            _ => Error::Connection(format!("Error while talking to {address}"), Some(error)),
        }
    }

    /// Where requests to be sent are appended. Only whole requests may be there when
    /// [`send`](Self::send) is called.
    pub fn out(&mut self) -> &mut Vec<u8> {
        &mut self.out
    }

    /// How long the peer may be silent: `None` is for ever.
    pub fn set_timeout(&mut self, timeout: Option<Duration>) {
        self.timeout = timeout;
    }

    /// How long the peer may be silent.
    #[must_use]
    pub fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    /// Sends everything that waits. Whatever comes meanwhile goes to the reader.
    ///
    /// # Errors
    /// Those of the socket; [`io::ErrorKind::TimedOut`] if the peer takes nothing for too long;
    /// [`io::ErrorKind::Interrupted`] after a signal: call again to go on.
    pub fn send<V>(&mut self, reader: &mut ReplyReader<V>) -> io::Result<()> {
        if let Some(secure) = &mut self.secure {
            if !self.out.is_empty() {
                secure.seal(&self.out)?;
                self.out.clear();
            }
            secure.take_output(&mut self.sealed)?;
        }
        loop {
            let unsent = if self.secure.is_some() { &self.sealed } else { &self.out };
            let Some(unsent) = unsent.get(self.sent..).filter(|rest| !rest.is_empty()) else {
                break;
            };
            match rustix::net::send(&self.socket, unsent, SendFlags::DONTWAIT | SendFlags::NOSIGNAL)
            {
                Ok(count) => self.sent += count,
                Err(rustix::io::Errno::AGAIN) => {
                    if self
                        .wait(PollFlags::OUT | PollFlags::IN, self.timeout)?
                        .contains(PollFlags::IN)
                        && self.fill_now(reader)? == Some(0)
                    {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(error) => return Err(error.into()),
            }
        }
        self.sent = 0;
        self.sealed.clear();
        self.out.clear();
        for buffer in [&mut self.sealed, &mut self.out] {
            if buffer.capacity() > BATCH {
                *buffer = Vec::new();
            }
        }
        Ok(())
    }

    /// Waits for bytes and hands them to the reader; returns how many came from the wire. 0 is the
    /// end of the stream.
    ///
    /// # Errors
    /// Those of the socket; [`io::ErrorKind::WouldBlock`] or `TimedOut` if none came in time;
    /// [`io::ErrorKind::Interrupted`] after a signal.
    pub fn fill<V>(&mut self, reader: &mut ReplyReader<V>) -> io::Result<usize> {
        self.fill_within(reader, self.timeout)
    }

    /// As [`fill`](Self::fill), with another patience this once.
    ///
    /// # Errors
    /// As there.
    pub fn fill_within<V>(
        &mut self,
        reader: &mut ReplyReader<V>,
        timeout: Option<Duration>,
    ) -> io::Result<usize> {
        if timeout.is_some_and(|timeout| timeout.is_zero()) {
            return self.fill_now(reader)?.ok_or_else(|| io::ErrorKind::WouldBlock.into());
        }
        if self.armed != timeout {
            SockRef::from(&self.socket).set_read_timeout(timeout)?;
            self.armed = timeout;
        }
        let (mut total, mut room) = self.receive(reader, RecvFlags::empty())?;
        // A socket that had as much as was asked for may have more.
        while room && total < BATCH {
            match self.receive(reader, RecvFlags::DONTWAIT) {
                Ok((0, _)) => break, // the end; the next call will see it again
                Ok((count, more)) => {
                    total += count;
                    room = more;
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => break,
                Err(error) => return Err(error),
            }
        }
        Ok(total)
    }

    /// Hands to the reader what has already come; `None` if nothing has, `Some(0)` at the end.
    ///
    /// # Errors
    /// Those of the socket.
    pub fn fill_now<V>(&mut self, reader: &mut ReplyReader<V>) -> io::Result<Option<usize>> {
        match self.receive(reader, RecvFlags::DONTWAIT) {
            Ok((count, _)) => Ok(Some(count)),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// One system call. Says how much came, and whether that was all there was room for.
    fn receive<V>(
        &mut self,
        reader: &mut ReplyReader<V>,
        flags: RecvFlags,
    ) -> io::Result<(usize, bool)> {
        let Some(secure) = &mut self.secure else {
            let room = reader.spare(1024);
            let len = room.len().min(BATCH);
            let (count, _) = rustix::net::recv(&self.socket, &mut room[..len], flags)?;
            reader.filled(count);
            return Ok((count, count == len));
        };
        self.scratch.resize(READ, 0);
        let (count, _) = rustix::net::recv(&self.socket, self.scratch.as_mut_slice(), flags)?;
        secure.receive(&self.scratch[..count], reader)?;
        secure.take_output(&mut self.sealed)?;
        Ok((count, count == READ))
    }

    /// Waits until the socket is ready for one of these; returns what it is ready for.
    fn wait(&self, wanted: PollFlags, timeout: Option<Duration>) -> io::Result<PollFlags> {
        let mut fds = [PollFd::new(&self.socket, wanted)];
        let timeout = timeout.map(|timeout| Timespec {
            tv_sec: timeout.as_secs().try_into().unwrap_or(i64::MAX),
            tv_nsec: timeout.subsec_nanos().into(),
        });
        if poll(&mut fds, timeout.as_ref())? == 0 {
            return Err(io::ErrorKind::TimedOut.into());
        }
        Ok(fds[0].revents())
    }
}

impl AsFd for Transport {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// Tries the addresses of a host one after another.
fn connect_tcp(host: &str, port: u16, options: &Options) -> io::Result<TcpStream> {
    let mut last = None;
    for address in (host, port).to_socket_addrs()? {
        let socket = match options.connect_timeout {
            Some(timeout) => {
                TcpStream::connect_timeout(&address, timeout.max(Duration::from_millis(1)))
            }
            None => TcpStream::connect(address),
        };
        match socket {
            Ok(socket) => {
                socket.set_nodelay(true)?;
                if let Some(keepalive) = options.keepalive {
                    let settings = TcpKeepalive::new()
                        .with_time(keepalive.idle)
                        .with_interval(keepalive.interval)
                        .with_retries(keepalive.probes);
                    SockRef::from(&socket).set_tcp_keepalive(&settings)?;
                }
                return Ok(socket);
            }
            Err(error) => last = Some(error),
        }
    }
    Err(last.unwrap_or_else(|| io::Error::new(io::ErrorKind::NotFound, "the name has no address")))
}
