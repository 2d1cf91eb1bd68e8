//! One blocking connection, as Python sees it.
//!
//! ```text
//!   encode (interpreter held) ─► send, wait (released) ─► parse (held) ─► reply
//! ```
//!
//! `awaited` counts replies that are due. It is raised before a request is sent and lowered only
//! when its reply has been read to the end, so whatever ends an exchange early (a timeout, Ctrl-C,
//! an exception anywhere) leaves it above zero, and a connection on which it is not zero is never
//! used again. There is no list of errors that could be incomplete.

mod health;
mod table;

use crate::carrier::{Carrier, InProcess};
use crate::collector::Paused;
use crate::errors;
use crate::leaving;
use crate::objects::Objects;
use crate::settings::{Settings, duration};
use crate::shape::Shape;
use client::{Class, Error, Transport};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};
use wire::ReplyReader;

/// A connection that stands.
struct Live {
    transport: Carrier,
    reader: ReplyReader<Py<PyAny>>,
    /// The process that made it: a child must not use its parent's.
    pid: u32,
    protocol: u8,
    /// What the server selected.
    db: u32,
    /// When it was last used.
    used: Instant,
    /// What went wrong in the part of a reply that was read so far.
    failure: Option<PyErr>,
}

/// What a reply was waited for with.
#[derive(Clone, Copy)]
pub struct Wanted {
    /// What it is to become.
    pub shape: Shape,
    /// Whether bytes become text.
    pub decode: bool,
    /// How long the server may be silent; the connection's own patience if not given.
    pub timeout: Option<Option<Duration>>,
    /// Whether a message out of band counts as the reply.
    pub push: bool,
}

/// One connection to a server. `kvist.connection` has the classes to make them of.
#[pyclass(subclass, module = "kvist._core", name = "Connection")]
pub struct Connection {
    settings: Option<Arc<Settings>>,
    live: Option<Live>,
    awaited: u64,
    /// Which pool it was taken from, and when that was last emptied.
    pub lease: u64,
    push_handler: Option<Py<PyAny>>,
    /// Only a primary will do: one that has become a replica is left.
    #[pyo3(get, set)]
    primary_only: bool,
}

enum Read {
    Reply(PyResult<Py<PyAny>>),
    Push(Py<PyAny>),
    Incomplete,
}

/// How closely a connection is looked at before it is used.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// It was taken from a pool, or is used like one that was: nothing may have come that a request
    /// did not ask for, and the server must not have closed it.
    Quiet,
    /// It is used by hand: its user knows which replies are due, and may be awaiting messages.
    ByHand,
}

/// Runs something that waits without the interpreter; after a signal lets Python handle it and goes
/// on, unless the handler raises.
fn waiting<T: Send>(
    py: Python<'_>,
    transport: &mut Carrier,
    mut act: impl FnMut(&mut Carrier) -> io::Result<T> + Send,
) -> PyResult<io::Result<T>> {
    loop {
        let done = leaving::without(py, || act(transport));
        match &done {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {
                py.check_signals().inspect_err(|_| transport.give_up())?;
            }
            _ => return Ok(done),
        }
    }
}

impl Connection {
    /// What it is made from.
    pub fn settings(&self) -> PyResult<&Arc<Settings>> {
        self.settings.as_ref().ok_or_else(|| {
            PyRuntimeError::new_err("a connection's __init__ must call that of its base class")
        })
    }

    /// How replies are asked for if nothing else is said.
    pub fn wanted(&self, shape: Shape) -> PyResult<Wanted> {
        let decode = self.settings()?.encoding.decode;
        Ok(Wanted { shape, decode, timeout: None, push: false })
    }

    /// Whether it may be used again.
    pub fn is_sure(&self) -> bool {
        self.awaited == 0 && self.live.as_ref().is_none_or(|live| live.reader.is_idle())
    }

    /// Whether a connection stands that this process made.
    pub fn belongs_here(&self) -> bool {
        self.live.as_ref().is_some_and(|live| live.pid == std::process::id())
    }

    /// Closes it, saying nothing to the server.
    pub fn drop_socket(&mut self) {
        self.live = None;
        self.awaited = 0;
    }

    /// Notes when it was last used.
    pub fn rest(&mut self) {
        if let Some(live) = &mut self.live {
            live.used = Instant::now();
        }
    }

    /// Borrows it, to use it or to look at it.
    ///
    /// # Errors
    /// `RuntimeError` if it is in use: while one thread waits for a reply there is nothing sensible
    /// that another could be given, since neither could tell whose reply comes next.
    pub fn hold<'py>(slf: &Bound<'py, Self>) -> PyResult<PyRefMut<'py, Self>> {
        slf.try_borrow_mut().map_err(|_| {
            PyRuntimeError::new_err(
                "this connection is in use, by another thread or by the caller of the handler of \
                 its messages; each thread needs a connection of its own",
            )
        })
    }

    /// Makes sure that a connection stands which belongs to this process, tries it if it is time
    /// to, and selects the database. One of a pool that the server has closed, or on which it said
    /// something that was not requested, is replaced: what came would be taken for the reply to the
    /// next request. Finding that out costs a system call that does not wait.
    pub fn prepare(slf: &Bound<'_, Self>, db: Option<u32>, look: Look) -> PyResult<()> {
        let py = slf.py();
        let stands = {
            let mut this = Self::hold(slf)?;
            let health = this.settings()?.health_interval;
            let pid = std::process::id();
            match &mut this.live {
                Some(live) if live.pid == pid => {
                    let due = health.is_some_and(|interval| live.used.elapsed() >= interval);
                    if look == Look::Quiet && !this.is_quiet(py) {
                        this.drop_socket();
                        false
                    } else {
                        // The reply to a PING would have to wait for those that are due.
                        if due && this.is_sure() {
                            this.ping(py)?;
                        }
                        true
                    }
                }
                _ => {
                    this.drop_socket();
                    false
                }
            }
        };
        if !stands {
            slf.call_method0(pyo3::intern!(py, "connect"))?;
        }
        if let Some(db) = db {
            let mut this = Self::hold(slf)?;
            if this.live.as_ref().is_some_and(|live| live.db != db) {
                this.request(py, &PyTuple::new(py, ["SELECT", &db.to_string()])?)?;
                let wanted = this.wanted(Shape::Plain)?;
                this.reply(py, wanted)?;
                this.selected(db);
            }
        }
        Ok(())
    }

    /// Notes which database the server selected.
    pub fn selected(&mut self, db: u32) {
        if let Some(live) = &mut self.live {
            live.db = db;
        }
    }

    /// Encodes a request, to be sent when its reply is waited for.
    pub fn request(&mut self, py: Python<'_>, words: &Bound<'_, PyTuple>) -> PyResult<()> {
        let settings = Arc::clone(self.settings()?);
        let Some(live) = &mut self.live else { return Err(errors::closed(py)) };
        settings.encoding.append_request(live.transport.out(), words)?;
        self.awaited += 1;
        Ok(())
    }

    /// Takes requests that are encoded already.
    pub fn requests(&mut self, py: Python<'_>, bytes: &[u8], count: u64) -> PyResult<()> {
        let Some(live) = &mut self.live else { return Err(errors::closed(py)) };
        live.transport.out().extend_from_slice(bytes);
        self.awaited += count;
        Ok(())
    }

    /// Sends what waits to be sent.
    pub fn send(&mut self, py: Python<'_>) -> PyResult<()> {
        let Some(live) = &mut self.live else { return Err(errors::closed(py)) };
        let done = waiting(py, &mut live.transport, |to| to.send(&mut live.reader))?;
        done.map_err(|error| self.broken(py, error))
    }

    /// Sends what waits to be sent, and waits for the next reply.
    pub fn reply(&mut self, py: Python<'_>, wanted: Wanted) -> PyResult<Py<PyAny>> {
        loop {
            match self.parse(py, wanted.shape, wanted.decode)? {
                Read::Reply(reply) => {
                    self.awaited = self.awaited.saturating_sub(1);
                    return reply;
                }
                Read::Push(push) if wanted.push => return Ok(push),
                Read::Push(push) => self.pushed(py, push)?,
                Read::Incomplete => self.fill(py, wanted.timeout)?,
            }
        }
    }

    fn fill(&mut self, py: Python<'_>, timeout: Option<Option<Duration>>) -> PyResult<()> {
        let Some(live) = &mut self.live else { return Err(errors::closed(py)) };
        let timeout = timeout.unwrap_or_else(|| live.transport.timeout());
        let done = waiting(py, &mut live.transport, |transport| {
            transport.send(&mut live.reader)?;
            transport.fill_within(&mut live.reader, timeout)
        })?;
        match done {
            Ok(0) => {
                let ended = self.ended(py);
                self.drop_socket();
                Err(ended)
            }
            Ok(_) => Ok(()),
            Err(error) => Err(self.broken(py, error)),
        }
    }

    /// What its end is raised as: the engine may have been closed, which no new connection mends.
    fn ended(&self, py: Python<'_>) -> PyErr {
        match self.live.as_ref().and_then(|live| live.transport.engine_is_closed()) {
            Some(error) => crate::embedded::raised(py, &error),
            None => errors::closed(py),
        }
    }

    /// What an error of the socket is raised as. The connection is left to its owner.
    fn broken(&self, py: Python<'_>, error: io::Error) -> PyErr {
        match (&self.live, &self.settings) {
            _ if error.kind() == io::ErrorKind::UnexpectedEof => self.ended(py),
            (Some(live), Some(settings)) => {
                errors::of_client(py, &live.transport.failure(error, &settings.options))
            }
            _ => errors::closed(py),
        }
    }

    fn parse(&mut self, py: Python<'_>, shape: Shape, decode: bool) -> PyResult<Read> {
        let Some(settings) = &self.settings else { return Err(errors::closed(py)) };
        let Some(live) = &mut self.live else { return Err(errors::closed(py)) };
        let mut objects = Objects::new(py, &settings.encoding, decode, shape);
        let paused = Paused::for_reply(py, &live.reader);
        let read = live.reader.next(&mut objects);
        drop(paused);
        let Objects { error, pushed, failure, .. } = objects;
        let failure = live.failure.take().or(failure);
        Ok(match read {
            Ok(Some(value)) => match (error, failure) {
                (Some(error), _) if self.primary_only && error.class == Class::ReadOnly => {
                    self.drop_socket();
                    return Err(errors::demoted(py));
                }
                (Some(error), _) => Read::Reply(Err(errors::raised(py, &error))),
                (None, Some(failure)) => Read::Reply(Err(failure)),
                (None, None) if pushed => Read::Push(value),
                (None, None) => Read::Reply(Ok(value)),
            },
            Ok(None) => {
                live.failure = failure;
                Read::Incomplete
            }
            Err(error) => {
                self.drop_socket();
                return Err(errors::of_client(py, &Error::Protocol(error)));
            }
        })
    }

    fn pushed(&mut self, py: Python<'_>, push: Py<PyAny>) -> PyResult<()> {
        match &self.push_handler {
            Some(handler) => handler.call1(py, (push,)).map(drop),
            None => Ok(()),
        }
    }
}

#[pymethods]
impl Connection {
    #[new]
    #[pyo3(signature = (*_args, **_kwargs))]
    fn new(_args: &Bound<'_, PyTuple>, _kwargs: Option<&Bound<'_, PyDict>>) -> Self {
        Connection {
            settings: None,
            live: None,
            awaited: 0,
            lease: 0,
            push_handler: None,
            primary_only: false,
        }
    }

    /// Takes the settings; see `kvist.connection`.
    fn _configure(slf: &Bound<'_, Self>, values: &Bound<'_, PyDict>) -> PyResult<()> {
        Self::hold(slf)?.settings = Some(Arc::new(Settings::new(values)?));
        Ok(())
    }

    /// Opens the socket; says hello unless `greet` is false. Does nothing if a connection stands.
    #[pyo3(signature = (credentials=None, greet=true))]
    fn _open(slf: &Bound<'_, Self>, credentials: Option<Vec<String>>, greet: bool) -> PyResult<()> {
        let py = slf.py();
        let _call = leaving::enter(py);
        let mut this = Self::hold(slf)?;
        let settings = Arc::clone(this.settings()?);
        this.drop_socket();
        let mut options = settings.options.clone();
        match credentials.as_deref() {
            Some([password]) => options.password = Some(password.clone()),
            Some([username, password]) => {
                options.username = Some(username.clone()).filter(|name| !name.is_empty());
                options.password = Some(password.clone());
            }
            _ => {}
        }
        let mut raised = None;
        let opened = leaving::without(py, || -> Result<_, Error> {
            let mut transport = Transport::open(&options)?;
            if !greet {
                return Ok((transport, 2, 0));
            }
            let handshake = transport.shake_hands(&options, &mut || {
                leaving::within(|py| match py.check_signals() {
                    Ok(()) => true,
                    Err(error) => {
                        raised = Some(error);
                        false
                    }
                })
            })?;
            Ok((transport, handshake.protocol(), options.db))
        });
        if let Some(raised) = raised {
            return Err(raised);
        }
        let (transport, protocol, db) = opened.map_err(|error| errors::of_client(py, &error))?;
        this.live = Some(Live {
            transport: Carrier::Socket(Box::new(transport)),
            reader: ReplyReader::with_limits(options.limits),
            pid: std::process::id(),
            protocol,
            db,
            used: Instant::now(),
            failure: None,
        });
        Ok(())
    }

    /// Opens a session of an engine in this process instead of a socket.
    fn _attach(
        slf: &Bound<'_, Self>,
        engine: &crate::embedded::Engine,
        protocol: u8,
        db: u32,
    ) -> PyResult<()> {
        let mut this = Self::hold(slf)?;
        this.drop_socket();
        let limits = this.settings()?.options.limits;
        let channel = engine.channel(slf.py(), protocol, db)?;
        this.live = Some(Live {
            transport: Carrier::InProcess(Box::new(InProcess::new(channel))),
            reader: ReplyReader::with_limits(limits),
            pid: std::process::id(),
            protocol,
            db,
            used: Instant::now(),
            failure: None,
        });
        Ok(())
    }

    /// Closes the connection. It may be opened again.
    #[pyo3(signature = (*_args, **_kwargs))]
    fn disconnect(
        slf: &Bound<'_, Self>,
        _args: &Bound<'_, PyTuple>,
        _kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        Self::hold(slf)?.drop_socket();
        Ok(())
    }

    /// Whether a connection stands, as far as is known.
    #[getter]
    fn is_connected(slf: &Bound<'_, Self>) -> PyResult<bool> {
        Ok(Self::hold(slf)?.belongs_here())
    }

    /// Whether the next bytes are certain to answer the next request.
    #[getter]
    fn is_clean(slf: &Bound<'_, Self>) -> PyResult<bool> {
        Ok(Self::hold(slf)?.is_sure())
    }

    /// Which protocol is spoken; `None` while there is no connection.
    #[getter]
    fn negotiated_protocol(slf: &Bound<'_, Self>) -> PyResult<Option<u8>> {
        Ok(Self::hold(slf)?.live.as_ref().map(|live| live.protocol))
    }

    /// The number of the socket, for waiting on several.
    fn fileno(slf: &Bound<'_, Self>) -> PyResult<i32> {
        match &Self::hold(slf)?.live {
            Some(live) => Ok(live.transport.fileno()?),
            None => Err(errors::closed(slf.py())),
        }
    }

    /// What is called with messages out of band that no call waits for.
    #[pyo3(signature = (handler))]
    fn set_push_handler(slf: &Bound<'_, Self>, handler: Option<Py<PyAny>>) -> PyResult<()> {
        Self::hold(slf)?.push_handler = handler;
        Ok(())
    }

    /// How long the server may be silent, in seconds; `None` is for ever.
    fn set_timeout(slf: &Bound<'_, Self>, timeout: Option<Bound<'_, PyAny>>) -> PyResult<()> {
        let timeout = timeout.as_ref().map(duration).transpose()?;
        if let Some(live) = &mut Self::hold(slf)?.live {
            live.transport.set_timeout(timeout);
        }
        Ok(())
    }

    /// Sends a request, whose reply `read_response` will read.
    #[pyo3(signature = (*args, check_health=true))]
    fn send_command(
        slf: &Bound<'_, Self>,
        args: &Bound<'_, PyTuple>,
        check_health: bool,
    ) -> PyResult<()> {
        let _call = leaving::enter(slf.py());
        Self::ready(slf, check_health)?;
        let mut this = Self::hold(slf)?;
        this.request(slf.py(), args)?;
        this.send(slf.py())
    }

    /// Sends requests that `pack_command` or `pack_commands` made.
    #[pyo3(signature = (command, check_health=true))]
    fn send_packed_command(
        slf: &Bound<'_, Self>,
        command: &Bound<'_, PyAny>,
        check_health: bool,
    ) -> PyResult<()> {
        let _call = leaving::enter(slf.py());
        Self::ready(slf, check_health)?;
        let mut this = Self::hold(slf)?;
        let mut bytes = Vec::new();
        if let Ok(one) = command.cast::<PyBytes>() {
            bytes.extend_from_slice(one.as_bytes());
        } else {
            for piece in command.try_iter()? {
                bytes.extend_from_slice(piece?.cast::<PyBytes>()?.as_bytes());
            }
        }
        // How many requests that are is only known by reading them.
        let mut parser = wire::ReplyParser::new();
        parser.feed(&bytes);
        let mut count = 0;
        while let Ok(Some(_)) = parser.next_value() {
            count += 1;
        }
        this.requests(slf.py(), &bytes, count)?;
        this.send(slf.py())
    }

    /// A request as it is sent.
    #[pyo3(signature = (*args))]
    fn pack_command<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyList>> {
        let mut out = Vec::new();
        Self::hold(slf)?.settings()?.encoding.append_request(&mut out, args)?;
        let py = slf.py();
        PyList::new(py, [PyBytes::new(py, &out)])
    }

    /// Several requests as they are sent.
    fn pack_commands<'py>(
        slf: &Bound<'py, Self>,
        commands: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyList>> {
        let py = slf.py();
        let settings = Arc::clone(Self::hold(slf)?.settings()?);
        let mut out = Vec::new();
        for command in commands.try_iter()? {
            let words = PyTuple::new(py, command?.try_iter()?.collect::<PyResult<Vec<_>>>()?)?;
            settings.encoding.append_request(&mut out, &words)?;
        }
        PyList::new(py, [PyBytes::new(py, &out)])
    }

    /// Whether a reply, or a part of one, can be read within `timeout` seconds.
    #[pyo3(signature = (timeout=None))]
    fn can_read(slf: &Bound<'_, Self>, timeout: Option<Bound<'_, PyAny>>) -> PyResult<bool> {
        let py = slf.py();
        let _call = leaving::enter(py);
        let timeout = timeout.as_ref().map_or(Ok(Duration::ZERO), duration)?;
        let mut this = Self::hold(slf)?;
        let Some(live) = &mut this.live else { return Err(errors::closed(py)) };
        if !live.reader.pending().is_empty() {
            return Ok(true);
        }
        let done = waiting(py, &mut live.transport, |transport| {
            transport.fill_within(&mut live.reader, Some(timeout))
        })?;
        match done {
            Ok(0) => {
                let ended = this.ended(py);
                this.drop_socket();
                Err(ended)
            }
            Ok(_) => Ok(true),
            Err(error)
                if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) =>
            {
                Ok(false)
            }
            Err(error) => {
                let raised = this.broken(py, error);
                this.drop_socket();
                Err(raised)
            }
        }
    }

    /// Waits for the next reply. With `wait` it is waited for that many seconds, `None` being for
    /// ever, and otherwise as long as the connection's own patience lasts. Errors of the connection
    /// close it unless `disconnect_on_error` is false.
    #[pyo3(signature = (disable_decoding, push_request, disconnect_on_error, wait))]
    fn _read(
        slf: &Bound<'_, Self>,
        disable_decoding: bool,
        push_request: bool,
        disconnect_on_error: bool,
        wait: Option<(Option<Bound<'_, PyAny>>,)>,
    ) -> PyResult<Py<PyAny>> {
        let mut this = Self::hold(slf)?;
        let mut wanted = this.wanted(Shape::Plain)?;
        wanted.decode &= !disable_decoding;
        wanted.push = push_request;
        if let Some((wait,)) = wait {
            wanted.timeout = Some(wait.as_ref().map(duration).transpose()?);
        }
        let before = this.awaited;
        let reply = this.reply(slf.py(), wanted);
        // A reply that was read to its end is one whatever it says.
        if reply.is_err() && this.awaited == before && disconnect_on_error {
            this.drop_socket();
        }
        reply
    }
}

impl Connection {
    fn ready(slf: &Bound<'_, Self>, check_health: bool) -> PyResult<()> {
        if check_health {
            return Self::prepare(slf, None, Look::ByHand);
        }
        if !Self::hold(slf)?.belongs_here() {
            slf.call_method0(pyo3::intern!(slf.py(), "connect"))?;
        }
        Ok(())
    }
}
