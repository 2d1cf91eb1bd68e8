//! A blocking connection as requests and replies.

use crate::error::{Error, ServerError};
use crate::handshake::Handshake;
use crate::options::Options;
use crate::pipeline::Pipeline;
use crate::transport::Transport;
use std::collections::VecDeque;
use std::io;
use std::time::{Duration, Instant};
use wire::{ReplyReader, Trees, Value};

/// One connection to a server.
///
/// An error that leaves the next reply in doubt closes it: [`is_usable`](Self::is_usable) is
/// `false` from then on, and every further request fails.
///
/// ```no_run
/// use kvist_client::{Connection, Options, Value};
///
/// let mut connection = Connection::open(&Options::from_url("redis://localhost")?)?;
/// connection.call(["SET", "greeting", "hello"])?;
/// assert_eq!(connection.call(["GET", "greeting"])?, Value::Bulk(b"hello".to_vec()));
/// # Ok::<(), kvist_client::Error>(())
/// ```
#[derive(Debug)]
pub struct Connection {
    options: Options,
    transport: Option<Transport>,
    reader: ReplyReader<Value>,
    handshake: Handshake,
    pushes: VecDeque<Value>,
}

impl Connection {
    /// Connects, authenticates and selects the database.
    ///
    /// # Errors
    /// [`Error::Connection`], [`Error::Timeout`], or what the server refused.
    pub fn open(options: &Options) -> Result<Self, Error> {
        let mut transport = Transport::open(options)?;
        let handshake = transport.shake_hands(options, &mut || true)?;
        Ok(Connection {
            reader: ReplyReader::with_limits(options.limits),
            options: options.clone(),
            transport: Some(transport),
            handshake,
            pushes: VecDeque::new(),
        })
    }

    /// Sends a request and waits for its reply.
    ///
    /// # Errors
    /// [`Error::Server`] if the reply is an error; the connection stays usable. Any other error
    /// closes it.
    pub fn call<I>(&mut self, words: I) -> Result<Value, Error>
    where
        I: IntoIterator<IntoIter: ExactSizeIterator, Item: AsRef<[u8]>>,
    {
        wire::encode(self.transport()?.out(), words);
        let reply = self.exchange()?;
        match reply.as_error() {
            Some(text) => Err(ServerError::new(String::from_utf8_lossy(text)).into()),
            None => Ok(reply),
        }
    }

    /// Sends many requests in one write and collects their replies. One that is refused does not
    /// keep the others from running.
    ///
    /// # Errors
    /// Those that close the connection; which requests ran is then not known.
    pub fn pipeline(
        &mut self,
        pipeline: &Pipeline,
    ) -> Result<Vec<Result<Value, ServerError>>, Error> {
        let mut replies = Vec::with_capacity(pipeline.len());
        if pipeline.is_empty() {
            return Ok(replies);
        }
        self.transport()?.out().extend_from_slice(pipeline.as_bytes());
        while replies.len() < pipeline.len() {
            let reply = self.exchange()?;
            replies.push(match reply.as_error() {
                Some(text) => Err(ServerError::new(String::from_utf8_lossy(text))),
                None => Ok(reply),
            });
        }
        Ok(replies)
    }

    /// The next message out of band (RESP3): what has already come, or what comes within `timeout`
    /// (`None` waits for ever).
    ///
    /// # Errors
    /// Those that close the connection. That nothing came is none.
    pub fn next_push(&mut self, timeout: Option<Duration>) -> Result<Option<Value>, Error> {
        let deadline = timeout.map(|timeout| Instant::now() + timeout);
        loop {
            if let Some(push) = self.pushes.pop_front() {
                return Ok(Some(push));
            }
            match self.parsed()? {
                Some(Value::Push(items)) => return Ok(Some(Value::Push(items))),
                Some(_) => {
                    self.transport = None;
                    let text = "a reply came without a request".to_owned();
                    return Err(Error::Connection(text, None));
                }
                None => {}
            }
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            match self.fill(left) {
                Err(Error::Timeout(_)) => return Ok(None),
                other => other?,
            }
        }
    }

    /// Whether requests can be sent.
    #[must_use]
    pub fn is_usable(&self) -> bool {
        self.transport.is_some()
    }

    /// Which protocol is spoken: 2 or 3.
    #[must_use]
    pub fn protocol(&self) -> u8 {
        self.handshake.protocol()
    }

    /// What the server said of itself in answer to `HELLO`; nothing over RESP2.
    #[must_use]
    pub fn greeting(&self) -> Option<&Value> {
        self.handshake.greeting()
    }

    fn transport(&mut self) -> Result<&mut Transport, Error> {
        let closed = || Error::Connection("the connection is closed".to_owned(), None);
        self.transport.as_mut().ok_or_else(closed)
    }

    /// Sends what waits, and waits for the next reply. Messages out of band are kept for later.
    fn exchange(&mut self) -> Result<Value, Error> {
        self.reach(|transport, reader| transport.send(reader))?;
        loop {
            match self.parsed()? {
                Some(Value::Push(items)) => self.pushes.push_back(Value::Push(items)),
                Some(reply) => return Ok(reply),
                None => {
                    let timeout = self.options.timeout;
                    match self.fill(timeout) {
                        Err(error @ Error::Timeout(_)) => {
                            self.transport = None;
                            return Err(error);
                        }
                        other => other?,
                    }
                }
            }
        }
    }

    fn parsed(&mut self) -> Result<Option<Value>, Error> {
        let reply = self.reader.next(&mut Trees);
        if reply.is_err() {
            self.transport = None;
        }
        Ok(reply?)
    }

    /// Waits for bytes. A timeout leaves the connection open.
    fn fill(&mut self, timeout: Option<Duration>) -> Result<(), Error> {
        self.reach(|transport, reader| match transport.fill_within(reader, timeout)? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(()),
        })
    }

    /// Does something with the socket, again after every signal.
    fn reach(
        &mut self,
        mut act: impl FnMut(&mut Transport, &mut ReplyReader<Value>) -> io::Result<()>,
    ) -> Result<(), Error> {
        self.transport()?;
        let Some(transport) = &mut self.transport else { return Ok(()) };
        loop {
            match act(transport, &mut self.reader) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(()) => return Ok(()),
                Err(error) => {
                    let error = transport.failure(error, &self.options);
                    if !matches!(error, Error::Timeout(_)) {
                        self.transport = None;
                    }
                    return Err(error);
                }
            }
        }
    }
}
