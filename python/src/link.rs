//! A connection without a socket: what an event loop reads goes in, what it is to write comes out.
//!
//! ```text
//!   tasks ── send ──► [ future │ future │ future ]  one place for each reply that is due, in order
//!                        ▲
//!   loop ── received ────┘ resolved in the same order, cancelled or not
//! ```
//!
//! Many tasks share a link: what they send in one turn of the loop is one write. A task that gives
//! up leaves its slot behind; the reply that comes for it is dropped, and no other reply takes its
//! slot. What one task's command could spoil for others (blocking, `MULTI`, another database) is
//! refused here, and goes over a link that is lent to one task at a time.

mod future;

use crate::client::{Client, Kept, Mark, mark_of};
use crate::collector::Paused;
use crate::errors;
use crate::objects::Objects;
use crate::pipeline::Pipeline;
use crate::settings::Settings;
use crate::shape::Shape;
use client::{Address, Class, Error, Handshake, Secure};
use columns::Rows;
use future::resolve;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};
use wire::{ReplyParser, ReplyReader};

/// A place for replies that are due.
struct Slot {
    future: Py<PyAny>,
    /// When it was sent.
    since: Instant,
    /// How long the server may be silent.
    patience: Option<Duration>,
    awaits: Awaits,
}

enum Awaits {
    One(Kept),
    /// Replies that are one result together.
    Many {
        plans: VecDeque<Kept>,
        results: Vec<Py<PyAny>>,
    },
}

/// A reply that becomes columns, read in part. The bytes that follow it wait in its reader.
struct Reading {
    reader: ReplyReader<()>,
    rows: Rows,
}

/// What `kvist.aio.connection.Link` is built on.
#[pyclass(subclass, module = "kvist._core", name = "Link")]
pub struct Link {
    settings: Option<Arc<Settings>>,
    secure: Option<Secure>,
    handshake: Option<(Handshake, ReplyParser, client::Options)>,
    reader: ReplyReader<Py<PyAny>>,
    reading: Option<Reading>,
    out: Vec<u8>,
    slots: VecDeque<Slot>,
    failure: Option<PyErr>,
    heard: Instant,
    pid: u32,
    protocol: u8,
    open: bool,
    scheduled: bool,
    watched: bool,
    /// Every reply is a message: the link is subscribed.
    #[pyo3(get, set)]
    listening: bool,
    /// Only a primary will do: one that has become a replica is left.
    #[pyo3(get, set)]
    primary_only: bool,
    transport: Option<Py<PyAny>>,
    event_loop: Option<Py<PyAny>>,
    ready: Option<Py<PyAny>>,
    on_push: Option<Py<PyAny>>,
}

impl Link {
    fn settings(&self) -> PyResult<&Arc<Settings>> {
        self.settings.as_ref().ok_or_else(|| PyRuntimeError::new_err("a link needs settings"))
    }

    fn stands(&self) -> bool {
        self.open && self.handshake.is_none() && self.pid == std::process::id()
    }

    /// Writes what waits to be written.
    fn write(&mut self, py: Python<'_>) -> PyResult<()> {
        let failed = |error: std::io::Error| errors::new(py, "ConnectionError", &error.to_string());
        let mut bytes = std::mem::take(&mut self.out);
        if let Some(secure) = &mut self.secure {
            if !bytes.is_empty() {
                secure.seal(&bytes).map_err(failed)?;
            }
            bytes.clear();
            secure.take_output(&mut bytes).map_err(failed)?;
        }
        if let (false, Some(transport)) = (bytes.is_empty(), &self.transport) {
            transport.call_method1(py, pyo3::intern!(py, "write"), (PyBytes::new(py, &bytes),))?;
        }
        bytes.clear();
        if self.secure.is_none() && bytes.capacity() <= 1 << 20 {
            self.out = bytes;
        }
        Ok(())
    }

    /// Sees to it that what was encoded is written: now if nothing is on its way, with whatever
    /// else is sent in this turn of the loop otherwise.
    fn dispatch(slf: &Bound<'_, Self>, idle: bool) -> PyResult<()> {
        let py = slf.py();
        let mut this = slf.borrow_mut();
        if let (false, Some(patience), Some(event_loop)) = (
            this.watched,
            this.slots.back().and_then(|slot| slot.patience),
            this.event_loop.as_ref().map(|event_loop| event_loop.clone_ref(py)),
        ) {
            this.watched = true;
            let check = slf.getattr(pyo3::intern!(py, "_check"))?;
            let arguments = (patience.as_secs_f64(), check);
            event_loop.call_method1(py, pyo3::intern!(py, "call_later"), arguments)?;
        }
        if idle {
            return this.write(py);
        }
        if !this.scheduled {
            this.scheduled = true;
            if let Some(event_loop) = &this.event_loop {
                let flush = slf.getattr(pyo3::intern!(py, "_flush"))?;
                event_loop.call_method1(py, pyo3::intern!(py, "call_soon"), (flush,))?;
            }
        }
        Ok(())
    }

    fn place(&mut self, future: &Bound<'_, PyAny>, patience: Option<Duration>, awaits: Awaits) {
        let future = future.clone().unbind();
        self.slots.push_back(Slot { future, since: Instant::now(), patience, awaits });
    }

    fn future<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match &self.event_loop {
            Some(event_loop) => {
                event_loop.bind(py).call_method0(pyo3::intern!(py, "create_future"))
            }
            None => Err(errors::closed(py)),
        }
    }

    /// Goes on shaking hands with what has come; `true` once that is done.
    fn greet(&mut self, py: Python<'_>) -> PyResult<bool> {
        let Some((handshake, parser, options)) = &mut self.handshake else { return Ok(true) };
        parser.feed(self.reader.pending());
        self.reader = ReplyReader::with_limits(options.limits);
        while !handshake.is_done() {
            let reply = parser.next_value().map_err(Error::from);
            match reply.map_err(|error| errors::of_client(py, &error))? {
                Some(reply) => handshake
                    .answer(&reply, options, &mut self.out)
                    .map_err(|error| errors::of_client(py, &error))?,
                None => return Ok(false),
            }
        }
        self.protocol = handshake.protocol();
        self.reader.feed(parser.pending());
        self.handshake = None;
        Ok(true)
    }

    /// The next reply, and whether it is a message out of band.
    fn next(&mut self, py: Python<'_>) -> PyResult<Option<(PyResult<Py<PyAny>>, bool)>> {
        let settings = Arc::clone(self.settings()?);
        let mut shape = Shape::Plain;
        let mut decode = settings.encoding.decode;
        if let Some(slot) = self.slots.front() {
            let kept = match &slot.awaits {
                Awaits::One(kept) => Some(kept),
                Awaits::Many { plans, .. } => plans.front(),
            };
            if let Some(kept) = kept {
                shape = kept.shape;
                decode &= !kept.never_decode;
                if let Some(columns) = kept.columns.clone()
                    && self.reading.is_none()
                    && self.reader.pending().first().is_some_and(|mark| *mark != b'>')
                    && let Some(reader) = self.reader.hand_on()
                {
                    let text = decode && settings.encoding.is_utf8();
                    let rows = Rows::new(columns::Wanted { text, ..(*columns).clone() });
                    self.reading = Some(Reading { reader, rows });
                }
            }
        }
        if let Some(Reading { mut reader, mut rows }) = self.reading.take() {
            return match reader.next(&mut rows) {
                Ok(Some(())) => {
                    self.reader = reader.hand_on().unwrap_or_default(); // it is between replies
                    Ok(Some((crate::columns::result(py, rows.finish()), false)))
                }
                Ok(None) => {
                    self.reading = Some(Reading { reader, rows });
                    Ok(None)
                }
                Err(error) => Err(errors::of_client(py, &Error::Protocol(error))),
            };
        }
        let mut objects = Objects::new(py, &settings.encoding, decode, shape);
        let paused = Paused::for_reply(py, &self.reader);
        let read = self.reader.next(&mut objects);
        drop(paused);
        let Objects { error, pushed, failure, .. } = objects;
        let failure = self.failure.take().or(failure);
        match read {
            Ok(Some(_))
                if self.primary_only
                    && error.as_ref().is_some_and(|error| error.class == Class::ReadOnly) =>
            {
                Err(errors::demoted(py))
            }
            Ok(Some(value)) => Ok(Some(match (error, failure) {
                (Some(error), _) => (Err(errors::raised(py, &error)), false),
                (None, Some(failure)) => (Err(failure), pushed),
                (None, None) => (Ok(value), pushed),
            })),
            Ok(None) => {
                self.failure = failure;
                Ok(None)
            }
            Err(error) => Err(errors::of_client(py, &Error::Protocol(error))),
        }
    }
}

#[pymethods]
impl Link {
    #[new]
    #[pyo3(signature = (*_args, **_kwargs))]
    fn new(_args: &Bound<'_, PyTuple>, _kwargs: Option<&Bound<'_, PyDict>>) -> Self {
        Link {
            settings: None,
            secure: None,
            handshake: None,
            reader: ReplyReader::default(),
            reading: None,
            out: Vec::new(),
            slots: VecDeque::new(),
            failure: None,
            heard: Instant::now(),
            pid: std::process::id(),
            protocol: 2,
            open: false,
            scheduled: false,
            watched: false,
            listening: false,
            primary_only: false,
            transport: None,
            event_loop: None,
            ready: None,
            on_push: None,
        }
    }

    /// Takes the settings; see `kvist.connection`.
    fn _configure(&mut self, values: &Bound<'_, PyDict>) -> PyResult<()> {
        self.settings = Some(Arc::new(Settings::new(values)?));
        Ok(())
    }

    /// Begins to talk over a transport. `ready` is resolved once the server has been greeted.
    #[pyo3(signature = (transport, event_loop, ready, credentials=None))]
    fn _begin(
        &mut self,
        py: Python<'_>,
        transport: Py<PyAny>,
        event_loop: Py<PyAny>,
        ready: Py<PyAny>,
        credentials: Option<Vec<String>>,
    ) -> PyResult<()> {
        let settings = Arc::clone(self.settings()?);
        let mut options = settings.options.clone();
        match credentials.as_deref() {
            Some([password]) => options.password = Some(password.clone()),
            Some([username, password]) => {
                options.username = Some(username.clone()).filter(|name| !name.is_empty());
                options.password = Some(password.clone());
            }
            _ => {}
        }
        if let (Some(tls), Address::Tcp(host, _)) = (&options.tls, &options.address) {
            let secure = Secure::new(tls, host);
            self.secure = Some(secure.map_err(|error| errors::of_client(py, &error))?);
        }
        self.pid = std::process::id();
        self.transport = Some(transport);
        self.event_loop = Some(event_loop);
        self.open = true;
        self.reader = ReplyReader::with_limits(options.limits);
        let handshake = Handshake::begin(&options, &mut self.out);
        let shaking = self.secure.is_some();
        if handshake.is_done() && !shaking {
            resolve(py, &ready, Ok(py.None()))?;
        } else {
            self.ready = Some(ready);
            let parser = ReplyParser::with_limits(options.limits);
            self.handshake = Some((handshake, parser, options));
        }
        self.write(py)
    }

    /// Takes bytes that the loop has read.
    fn data_received(slf: &Bound<'_, Self>, data: &Bound<'_, PyBytes>) -> PyResult<()> {
        match Self::received(slf, data.as_bytes()) {
            Ok(()) => Ok(()),
            // What cannot be parsed ends the link, for all its waiting tasks.
            Err(error) if error.is_instance_of::<pyo3::exceptions::PyException>(slf.py()) => {
                slf.call_method1(
                    pyo3::intern!(slf.py(), "_abandon"),
                    (error.into_value(slf.py()),),
                )?;
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// Sends a command and returns the future of its result; `None` if the link does not stand, or
    /// if the command must not be sent on one that is shared and `shared` is true.
    #[pyo3(signature = (client, args, options, shared))]
    fn _send<'py>(
        slf: &Bound<'py, Self>,
        client: &Bound<'py, Client>,
        args: &Bound<'py, PyTuple>,
        options: Option<&Bound<'py, PyDict>>,
        shared: bool,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let py = slf.py();
        let mut this = slf.borrow_mut();
        let mark = mark_of(args);
        if !this.stands() || (shared && mark != Mark::None) {
            return Ok(None);
        }
        let Ok(name) = args.get_item(0) else {
            return Err(errors::new(py, "DataError", "a command needs a name"));
        };
        let plan = client.borrow().executor.plan(&name, options)?;
        let settings = Arc::clone(this.settings()?);
        let idle = this.slots.is_empty() && this.out.is_empty();
        let future = this.future(py)?;
        settings.encoding.append_request(&mut this.out, args)?;
        let patience = match mark {
            Mark::Waits(time) => {
                time.and_then(|time| settings.options.timeout.map(|patience| time + patience))
            }
            _ => settings.options.timeout,
        };
        this.place(&future, patience, Awaits::One(plan.keep()));
        drop(this);
        Self::dispatch(slf, idle)?;
        Ok(Some(future))
    }

    /// Sends the commands of a pipeline and returns the future of the list of their replies, as
    /// `_finish` of the pipeline wants it; `None` if the link does not stand.
    fn _send_pipeline<'py>(
        slf: &Bound<'py, Self>,
        pipeline: &Bound<'py, Pipeline>,
        transaction: bool,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let py = slf.py();
        let mut this = slf.borrow_mut();
        if !this.stands() {
            return Ok(None);
        }
        let (bytes, plans) = pipeline.borrow().batch(py, transaction);
        let future = this.future(py)?;
        if plans.is_empty() {
            resolve(py, &future.clone().unbind(), Ok(PyList::empty(py).into()))?;
            return Ok(Some(future));
        }
        let idle = this.slots.is_empty() && this.out.is_empty();
        this.out.extend_from_slice(&bytes);
        let patience = this.settings()?.options.timeout;
        let results = Vec::with_capacity(plans.len());
        this.place(&future, patience, Awaits::Many { plans: plans.into(), results });
        drop(this);
        Self::dispatch(slf, idle)?;
        Ok(Some(future))
    }

    /// Sends a command whose answer is a message.
    #[pyo3(signature = (*args))]
    fn _tell(slf: &Bound<'_, Self>, args: &Bound<'_, PyTuple>) -> PyResult<()> {
        let mut this = slf.borrow_mut();
        if !this.stands() {
            return Err(errors::closed(slf.py()));
        }
        let settings = Arc::clone(this.settings()?);
        settings.encoding.append_request(&mut this.out, args)?;
        this.write(slf.py())
    }

    /// Writes what was sent in this turn of the loop.
    fn _flush(&mut self, py: Python<'_>) -> PyResult<()> {
        self.scheduled = false;
        if self.open { self.write(py) } else { Ok(()) }
    }

    /// How many seconds the oldest reply may still take; 0 if that time is over, `None` if no reply
    /// is due or may take for ever. The caller is to ask again then.
    fn _time_left(&mut self) -> Option<f64> {
        self.watched = false;
        let slot = self.slots.front()?;
        let patience = slot.patience?;
        let silent = slot.since.max(self.heard).elapsed();
        let left = patience.saturating_sub(silent);
        self.watched = !left.is_zero();
        Some(left.as_secs_f64())
    }

    /// Ends the link: waiting tasks get the exception. Returns how many waited.
    fn _fail(slf: &Bound<'_, Self>, error: &Bound<'_, PyAny>) -> PyResult<usize> {
        let py = slf.py();
        let (slots, ready) = {
            let mut this = slf.borrow_mut();
            this.open = false;
            this.handshake = None;
            (std::mem::take(&mut this.slots), this.ready.take())
        };
        let copies = slf.py().import("copy")?;
        for future in slots.iter().map(|slot| &slot.future).chain(&ready) {
            // An exception collects tracebacks: one for each task that raises it.
            let own = copies.call_method1("copy", (error,)).unwrap_or_else(|_| error.clone());
            resolve(py, future, Err(PyErr::from_value(own)))?;
        }
        Ok(slots.len())
    }

    /// Whether commands can be sent.
    #[getter]
    fn is_connected(&self) -> bool {
        self.stands()
    }

    /// Whether no reply is due and none has been read in part.
    #[getter]
    fn is_clean(&self) -> bool {
        self.slots.is_empty()
            && self.reader.is_idle()
            && self.reading.is_none()
            && self.out.is_empty()
    }

    /// How many results are waited for.
    #[getter]
    fn pending(&self) -> usize {
        self.slots.len()
    }

    /// Which protocol is spoken.
    #[getter]
    fn negotiated_protocol(&self) -> u8 {
        self.protocol
    }

    /// What is called with messages out of band.
    #[pyo3(signature = (handler))]
    fn set_push_handler(&mut self, handler: Option<Py<PyAny>>) {
        self.on_push = handler;
    }
}

/// Something to tell Python code once the link is not borrowed any more, because that code may use
/// the link.
enum Completion {
    /// A message, for the handler of messages.
    Message(Option<Py<PyAny>>, PyResult<Py<PyAny>>),
    /// A result that is complete.
    Result(Py<PyAny>, Kept, PyResult<Py<PyAny>>),
    /// Results that are complete together.
    Results(Py<PyAny>, Vec<Py<PyAny>>),
    /// One of several results.
    Part,
}

impl Link {
    fn received(slf: &Bound<'_, Self>, data: &[u8]) -> PyResult<()> {
        let py = slf.py();
        if !slf.borrow_mut().take_in(py, data)? {
            return Ok(());
        }
        loop {
            let completion = slf.borrow_mut().completion(py)?;
            match completion {
                None => return Ok(()),
                Some(Completion::Part | Completion::Message(None, _)) => {}
                Some(Completion::Message(Some(handler), message)) => {
                    let message = message.unwrap_or_else(|it| it.into_value(py).into_any());
                    handler.call1(py, (message,))?;
                }
                Some(Completion::Result(future, kept, reply)) => {
                    let plain = kept.callback.is_none() && kept.empty.is_none();
                    let result = if plain { reply } else { kept.plan(py).finish(py, reply) };
                    resolve(py, &future, result)?;
                }
                Some(Completion::Results(future, results)) => {
                    let list = PyList::new(py, results)?;
                    resolve(py, &future, Ok(list.into_any().unbind()))?;
                }
            }
        }
    }

    /// Takes bytes that were read; `true` if replies may be among them.
    fn take_in(&mut self, py: Python<'_>, data: &[u8]) -> PyResult<bool> {
        self.heard = Instant::now();
        match &mut self.secure {
            Some(secure) => {
                let received = match &mut self.reading {
                    Some(reading) => secure.receive(data, &mut reading.reader),
                    None => secure.receive(data, &mut self.reader),
                };
                received.map_err(|error| errors::new(py, "ConnectionError", &error.to_string()))?;
            }
            None => match &mut self.reading {
                Some(reading) => reading.reader.feed(data),
                None => self.reader.feed(data),
            },
        }
        if self.handshake.is_none() {
            if self.secure.is_some() && self.out.is_empty() {
                self.write(py)?; // words of TLS itself
            }
            return Ok(true);
        }
        let greeted = self.greet(py);
        self.write(py)?;
        if !greeted? {
            return Ok(false);
        }
        if let Some(ready) = self.ready.take() {
            resolve(py, &ready, Ok(py.None()))?;
        }
        Ok(true)
    }

    /// What the next reply is about.
    fn completion(&mut self, py: Python<'_>) -> PyResult<Option<Completion>> {
        let Some((reply, pushed)) = self.next(py)? else { return Ok(None) };
        if pushed || self.listening {
            let handler = self.on_push.as_ref().map(|handler| handler.clone_ref(py));
            return Ok(Some(Completion::Message(handler, reply)));
        }
        let Some(slot) = self.slots.front_mut() else {
            let text = "a reply came without a request";
            return Err(errors::new(py, "ConnectionError", text));
        };
        if let Awaits::Many { plans, results } = &mut slot.awaits {
            if let Some(kept) = plans.pop_front() {
                // Even what a callback raises is a result: the others' are fine.
                let result = kept.result(py, reply);
                results.push(result.unwrap_or_else(|it| it.into_value(py).into_any()));
            }
            if !plans.is_empty() {
                return Ok(Some(Completion::Part));
            }
            return Ok(self.slots.pop_front().map(|slot| match slot.awaits {
                Awaits::Many { results, .. } => Completion::Results(slot.future, results),
                Awaits::One(_) => Completion::Part,
            }));
        }
        Ok(self.slots.pop_front().map(|slot| match slot.awaits {
            Awaits::One(kept) => Completion::Result(slot.future, kept, reply),
            Awaits::Many { .. } => Completion::Part,
        }))
    }
}
