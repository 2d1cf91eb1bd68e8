//! What carries a connection's requests and replies: a socket, or a session of an engine in this
//! process. Both are bytes of the protocol, so everything above a connection (pipelines,
//! subscriptions, pools) is the same.

use client::{Error, Options, Transport};
use kvist::Channel;
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::time::{Duration, Instant};
use wire::ReplyReader;

/// Either.
pub enum Carrier {
    /// To a server.
    Socket(Box<Transport>),
    /// To the engine here.
    InProcess(Box<InProcess>),
}

/// A session of an engine.
pub struct InProcess {
    channel: Channel,
    timeout: Option<Duration>,
    /// Until when the wait goes on that a look at Python's signals has interrupted.
    until: Option<Instant>,
}

impl InProcess {
    /// Waits for ever for replies: nothing can get lost on the way.
    pub fn new(channel: Channel) -> Self {
        InProcess { channel, timeout: None, until: None }
    }

    /// Runs what is to be run and hands over what there is to say. Comes back every tenth of a
    /// second as if there had been a signal, so that one is looked for.
    fn fill<V>(
        &mut self,
        reader: &mut ReplyReader<V>,
        timeout: Option<Duration>,
    ) -> io::Result<usize> {
        let now = Instant::now();
        let begun = self.until.take();
        let until = begun.or_else(|| timeout.and_then(|timeout| now.checked_add(timeout)));
        let left = until.map(|until| until.saturating_duration_since(now));
        match self.channel.replies(left, &mut || true) {
            Ok(Some(bytes)) => {
                reader.feed(bytes);
                Ok(bytes.len())
            }
            Ok(None) if until.is_some_and(|until| until <= Instant::now()) => {
                Err(io::ErrorKind::WouldBlock.into())
            }
            Ok(None) => {
                self.until = until;
                Err(io::ErrorKind::Interrupted.into())
            }
            Err(kvist::Error::Closed | kvist::Error::Forked) => Ok(0),
            Err(error) => Err(io::Error::other(error.to_string())),
        }
    }
}

impl Carrier {
    /// Where requests are appended.
    pub fn out(&mut self) -> &mut Vec<u8> {
        match self {
            Self::Socket(transport) => transport.out(),
            Self::InProcess(session) => session.channel.requests(),
        }
    }

    /// Sends them.
    pub fn send<V>(&mut self, reader: &mut ReplyReader<V>) -> io::Result<()> {
        match self {
            Self::Socket(transport) => transport.send(reader),
            Self::InProcess(session) => match session.fill(reader, Some(Duration::ZERO)) {
                Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(_) => Ok(()),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(()),
                Err(error) => Err(error),
            },
        }
    }

    /// Waits for replies; how many bytes came, 0 at the end.
    pub fn fill_within<V>(
        &mut self,
        reader: &mut ReplyReader<V>,
        timeout: Option<Duration>,
    ) -> io::Result<usize> {
        match self {
            Self::Socket(transport) => transport.fill_within(reader, timeout),
            Self::InProcess(session) => {
                // Sending may have brought what is waited for.
                if !reader.pending().is_empty() {
                    return Ok(reader.pending().len());
                }
                session.fill(reader, timeout)
            }
        }
    }

    /// What has already come; `None` if nothing has.
    pub fn fill_now<V>(&mut self, reader: &mut ReplyReader<V>) -> io::Result<Option<usize>> {
        match self {
            Self::Socket(transport) => transport.fill_now(reader),
            Self::InProcess(session) => match session.fill(reader, Some(Duration::ZERO)) {
                Ok(count) => Ok(Some(count)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
                Err(error) => Err(error),
            },
        }
    }

    /// How long the other side may be silent.
    pub fn timeout(&self) -> Option<Duration> {
        match self {
            Self::Socket(transport) => transport.timeout(),
            Self::InProcess(session) => session.timeout,
        }
    }

    /// Changes it.
    pub fn set_timeout(&mut self, timeout: Option<Duration>) {
        match self {
            Self::Socket(transport) => transport.set_timeout(timeout),
            Self::InProcess(session) => session.timeout = timeout,
        }
    }

    /// What keeps it from ever being of use again, if it is to an engine that was closed.
    pub fn engine_is_closed(&self) -> Option<kvist::Error> {
        match self {
            Self::InProcess(session) => session.channel.is_closed(),
            Self::Socket(_) => None,
        }
    }

    /// What was sent is not waited for any more: ends a script that runs for it.
    pub fn give_up(&mut self) {
        match self {
            Self::InProcess(session) => session.channel.give_up(),
            Self::Socket(_) => {}
        }
    }

    /// The number of the socket.
    pub fn fileno(&self) -> io::Result<i32> {
        match self {
            Self::Socket(transport) => Ok(transport.as_fd().as_raw_fd()),
            Self::InProcess(_) => Err(io::Error::other("a session in this process has no socket")),
        }
    }

    /// Says in whose company an error happened.
    pub fn failure(&self, error: io::Error, options: &Options) -> Error {
        match self {
            Self::Socket(transport) => transport.failure(error, options),
            Self::InProcess(_) if error.kind() == io::ErrorKind::WouldBlock => {
                Error::Timeout("Timeout waiting for a reply".to_owned())
            }
            Self::InProcess(_) => Error::Connection(error.to_string(), None),
        }
    }
}
