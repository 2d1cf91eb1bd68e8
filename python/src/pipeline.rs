//! Many commands in one buffer, encoded as they are called.
//!
//! ```text
//!   buffer     *3..SET..│*2..GET..│*2..INCR..          one write
//!   queued     ^ plan    ^ plan    ^ plan              what becomes of each reply
//! ```
//!
//! Nothing is kept of a command but its bytes and what is to become of its reply. An error message
//! that wants to show the command reads the bytes again.

use crate::client::{Executor, How, Kept, Plan, is_reply};
use crate::connection::{Connection, Look};
use crate::errors;
use crate::leaving;
use crate::pool::Pool;
use crate::shape::{Shape, apply};
use crate::words::Encoding;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};
use wire::{ReplyParser, Value};

/// A command that waits to be sent.
struct Queued {
    /// Where its bytes end.
    end: usize,
    /// What becomes of its reply.
    kept: Kept,
}

/// What `kvist.client.Pipeline` is built on.
#[pyclass(subclass, module = "kvist._core", name = "Pipeline")]
pub struct Pipeline {
    executor: Executor,
    encoding: Encoding,
    bytes: Vec<u8>,
    queued: Vec<Queued>,
    connection: Option<Py<Connection>>,
    /// Whether keys are watched, so that commands run at once and their connection is kept.
    #[pyo3(get, set)]
    watching: bool,
    /// Whether `multi` was called, so that commands wait again.
    #[pyo3(get, set)]
    explicit_transaction: bool,
    /// Whether commands run between `MULTI` and `EXEC`.
    #[pyo3(get, set)]
    transaction: bool,
}

impl Pipeline {
    fn queue<'py>(
        &mut self,
        args: &Bound<'py, PyTuple>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<()> {
        self.encoding.append_request(&mut self.bytes, args)?;
        let end = self.bytes.len();
        let plan = args.get_item(0).and_then(|name| self.executor.plan(&name, options));
        let plan = match plan {
            Ok(plan) => plan,
            Err(error) => {
                self.bytes.truncate(self.end_before(self.queued.len()));
                return Err(error);
            }
        };
        let kept = plan.keep();
        if kept.columns.is_some() {
            self.bytes.truncate(self.end_before(self.queued.len()));
            let text = "a pipeline's replies do not come as columns";
            return Err(errors::new(args.py(), "DataError", text));
        }
        // What is known to be refused, and is nothing then, need not be sent: in a transaction it
        // would keep all the others from running.
        let end = if kept.empty.is_some() { self.end_before(self.queued.len()) } else { end };
        self.bytes.truncate(end);
        self.queued.push(Queued { end, kept });
        Ok(())
    }

    /// Where the bytes of the commands before one end.
    fn end_before(&self, index: usize) -> usize {
        index.checked_sub(1).and_then(|before| self.queued.get(before)).map_or(0, |it| it.end)
    }

    /// The commands that are sent.
    fn sent(&self) -> impl Iterator<Item = &Queued> {
        self.queued.iter().filter(|queued| queued.kept.empty.is_none())
    }

    /// The connection this pipeline works on, taken from the pool if it has none.
    fn connection<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, Connection>> {
        let py = slf.py();
        let (held, pool, watching) = {
            let this = slf.borrow();
            let held = this.connection.as_ref().map(|held| held.bind(py).clone());
            (held, this.executor.pool(py)?, this.watching)
        };
        let Some(held) = held else {
            let taken = Pool::take(&pool)?;
            slf.borrow_mut().connection = Some(taken.clone().unbind());
            return Ok(taken);
        };
        if watching {
            // What is watched is watched on this connection and no other.
            let mut wire = Connection::hold(&held)?;
            if !wire.belongs_here() || !wire.is_quiet(py) {
                return Err(errors::closed(py));
            }
        } else {
            Connection::prepare(&held, None, Look::Quiet)?;
        }
        Ok(held)
    }

    /// Gives the connection back.
    fn release(slf: &Bound<'_, Self>) -> PyResult<()> {
        let py = slf.py();
        let held = slf.borrow_mut().connection.take();
        if let Some(held) = held {
            let pool = slf.borrow().executor.pool(py)?;
            Pool::give_back(&pool, held.bind(py))?;
        }
        Ok(())
    }

    /// After a failure of the connection: what was watched is not any more, and a program that
    /// watched must be told to begin again.
    fn lost(slf: &Bound<'_, Self>, error: &PyErr) -> PyResult<()> {
        let py = slf.py();
        let (held, watching) = {
            let mut this = slf.borrow_mut();
            let held = this.connection.as_ref().map(|held| held.clone_ref(py));
            (held, std::mem::take(&mut this.watching))
        };
        if let Some(held) = held {
            Connection::hold(held.bind(py))?.drop_socket();
        }
        if watching {
            let name = error.get_type(py).name()?.to_string();
            let text = format!("A {name} occurred while watching one or more keys");
            return Err(errors::new(py, "WatchError", &text));
        }
        Ok(())
    }

    /// The requests to send, and what becomes of the reply to each.
    pub fn batch(&self, py: Python<'_>, transaction: bool) -> (Vec<u8>, Vec<Kept>) {
        if !transaction {
            let kept = self.sent().map(|queued| queued.kept.clone_ref(py));
            return (self.bytes.clone(), kept.collect());
        }
        // The answers before the last are OK and QUEUED, which are not returned.
        let mut plans: Vec<Kept> = (0..=self.sent().count()).map(|_| Kept::plain()).collect();
        plans.push(self.last());
        (self.within_multi(), plans)
    }

    fn within_multi(&self) -> Vec<u8> {
        let mut bytes = wire::request(["MULTI"]);
        bytes.extend_from_slice(&self.bytes);
        wire::encode(&mut bytes, ["EXEC"]);
        bytes
    }

    /// What becomes of the reply to `EXEC`, before it is taken apart.
    fn last(&self) -> Kept {
        let never_decode = self.queued.iter().any(|queued| queued.kept.never_decode);
        Kept { never_decode, ..Kept::plain() }
    }

    /// One attempt at a command that does not wait.
    fn once<'py>(
        slf: &Bound<'py, Self>,
        words: &Bound<'py, PyTuple>,
        plan: &Plan<'py>,
    ) -> PyResult<Py<PyAny>> {
        let py = slf.py();
        let connection = Self::connection(slf)?;
        let reply = {
            let mut wire = Connection::hold(&connection)?;
            let wanted = plan.wanted(&wire)?;
            wire.request(py, words)?;
            wire.reply(py, wanted)
        };
        plan.finish(py, reply)
    }

    /// Executes everything in one write and returns the replies; an error is one like any other.
    fn run(slf: &Bound<'_, Self>, transaction: bool) -> PyResult<Vec<Py<PyAny>>> {
        let py = slf.py();
        let connection = Self::connection(slf)?;
        let this = slf.borrow();
        let mut wire = Connection::hold(&connection)?;
        let plain = Kept::plain();
        let last = this.last();
        let count = this.sent().count();
        let plans: Box<dyn Iterator<Item = &Kept>> = if transaction {
            wire.requests(py, &this.within_multi(), total(count + 2))?;
            Box::new(std::iter::repeat_n(&plain, count + 1).chain([&last]))
        } else {
            wire.requests(py, &this.bytes, total(count))?;
            Box::new(this.sent().map(|queued| &queued.kept))
        };
        let mut results = Vec::with_capacity(count + 2);
        for kept in plans {
            let mut wanted = wire.wanted(kept.shape)?;
            wanted.decode &= !kept.never_decode;
            let reply = wire.reply(py, wanted);
            results.push(kept.result(py, reply)?);
        }
        Ok(results)
    }

    /// Takes the replies of a transaction apart: an error for each refused command, a result for
    /// each that ran.
    fn unwrap_transaction(
        &self,
        py: Python<'_>,
        mut replies: Vec<Py<PyAny>>,
    ) -> PyResult<Vec<Py<PyAny>>> {
        let is_error = |reply: &Py<PyAny>| is_exception(reply.bind(py));
        let exec = replies.pop().unwrap_or_else(|| py.None());
        let mut refused = Vec::new();
        for (index, reply) in replies.into_iter().enumerate() {
            if is_error(&reply) {
                // The first answers MULTI.
                let command = index.saturating_sub(1);
                if index > 0 {
                    self.annotate(reply.bind(py), command)?;
                }
                refused.push((command, reply));
            }
        }
        if is_error(&exec) {
            let aborted = py.import("kvist.exceptions")?.getattr("ExecAbortError")?;
            let reason = refused.into_iter().next().map(|(_, reason)| reason);
            let reason = reason.filter(|_| exec.bind(py).is_instance(&aborted).unwrap_or(false));
            return Err(PyErr::from_value(reason.unwrap_or(exec).into_bound(py)));
        }
        if exec.is_none(py) {
            return Err(errors::new(py, "WatchError", "Watched variable changed."));
        }
        let mut results: Vec<_> = exec.bind(py).cast::<PyList>()?.iter().collect();
        for (index, error) in refused {
            results.insert(index.min(results.len()), error.into_bound(py));
        }
        if results.len() != self.sent().count() {
            let text = "Wrong number of response items from pipeline execution";
            return Err(errors::new(py, "ResponseError", text));
        }
        let finish = |(queued, reply): (&Queued, Bound<'_, PyAny>)| {
            if is_exception(&reply) {
                return Ok(reply.unbind());
            }
            match queued.kept.plan(py).how {
                How::Fused(shape) => Ok(apply(shape, &reply, None)?.unbind()),
                How::Columns(_) => Ok(reply.unbind()), // none was queued
                How::Call(callback, options) => {
                    Ok(callback.call((reply,), options.as_ref())?.unbind())
                }
            }
        };
        self.sent().zip(results).map(finish).collect()
    }

    /// What `execute` returns for the replies to what [`batch`](Self::batch) sent.
    fn finish<'py>(
        &self,
        py: Python<'py>,
        replies: Vec<Py<PyAny>>,
        transaction: bool,
        raise_on_error: bool,
    ) -> PyResult<Bound<'py, PyList>> {
        let mut results = if transaction { self.unwrap_transaction(py, replies)? } else { replies };
        for (index, queued) in self.queued.iter().enumerate() {
            if let Some(empty) = &queued.kept.empty {
                results.insert(index, empty.clone_ref(py));
            }
        }
        for (index, result) in results.iter().enumerate() {
            let result = result.bind(py);
            if !is_exception(result) {
                continue;
            }
            let error = PyErr::from_value(result.clone());
            if !is_reply(py, &error) {
                return Err(error); // a callback's, and no result
            }
            if raise_on_error {
                self.annotate(result, index)?;
                return Err(error);
            }
        }
        PyList::new(py, results)
    }

    /// Says in an error which command it is about.
    fn annotate(&self, error: &Bound<'_, PyAny>, index: usize) -> PyResult<()> {
        let py = error.py();
        let arguments = (error, index + 1, self.words(py, index)?);
        py.import("kvist.exceptions")?.call_method1("annotate", arguments)?;
        Ok(())
    }

    /// The words of a queued command.
    fn words<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyTuple>> {
        let from = self.end_before(index);
        let end = self.queued.get(index).map_or(from, |queued| queued.end);
        let mut parser = ReplyParser::new();
        parser.feed(self.bytes.get(from..end).unwrap_or_default());
        let Ok(Some(Value::Array(words))) = parser.next_value() else {
            return Ok(PyTuple::empty(py));
        };
        PyTuple::new(
            py,
            words.iter().map(|word| PyBytes::new(py, word.as_bytes().unwrap_or_default())),
        )
    }
}

fn total(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

fn is_exception(value: &Bound<'_, PyAny>) -> bool {
    value.is_instance_of::<pyo3::exceptions::PyBaseException>()
}

#[pymethods]
impl Pipeline {
    #[new]
    #[pyo3(signature = (*_args, **_kwargs))]
    fn new(_args: &Bound<'_, PyTuple>, _kwargs: Option<&Bound<'_, PyDict>>) -> Self {
        Pipeline {
            executor: Executor::default(),
            encoding: Encoding::new("utf-8", "strict", false),
            bytes: Vec::new(),
            queued: Vec::new(),
            connection: None,
            watching: false,
            explicit_transaction: false,
            transaction: true,
        }
    }

    /// Says what commands are executed with.
    #[pyo3(signature = (pool, callbacks, retry, encoding, encoding_errors, transaction))]
    fn _bind(
        slf: &Bound<'_, Self>,
        pool: Option<Py<Pool>>,
        callbacks: Py<PyDict>,
        retry: Option<Py<PyAny>>,
        encoding: &str,
        encoding_errors: &str,
        transaction: bool,
    ) -> PyResult<()> {
        let mut this = slf.borrow_mut();
        this.executor = Executor::new(slf.py(), pool, callbacks, retry)?;
        this.encoding = Encoding::new(encoding, encoding_errors, false);
        this.transaction = transaction;
        Ok(())
    }

    /// Queues a command and returns the pipeline; while keys are watched and `multi` has not been
    /// called, executes it and returns its reply.
    #[pyo3(signature = (*args, **options))]
    fn execute_command<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut this = slf.borrow_mut();
        let at_once = !this.explicit_transaction
            && (this.watching
                || args.get_item(0).is_ok_and(|name| {
                    crate::words::name_of(&name)
                        .is_some_and(|name| name.eq_ignore_ascii_case(b"WATCH"))
                }));
        if !at_once {
            this.queue(args, options)?;
            return Ok(slf.clone().into_any());
        }
        drop(this);
        Self::immediate_execute_command(slf, args, options).map(|reply| reply.into_bound(slf.py()))
    }

    /// Queues a command.
    #[pyo3(signature = (*args, **options))]
    fn pipeline_execute_command<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        slf.borrow_mut().queue(args, options)?;
        Ok(slf.clone().into_any())
    }

    /// Executes a command at once, on the connection that watches.
    #[pyo3(signature = (*args, **options))]
    fn immediate_execute_command<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let py = slf.py();
        let name = args.get_item(0)?;
        let (plan, executor) = {
            let this = slf.borrow();
            (this.executor.plan(&name, options)?, this.executor.clone_ref(py))
        };
        let done = if executor.own_ways {
            let (pipeline, lost) = (slf.clone().unbind(), slf.clone().unbind());
            let (words, kept) = (args.clone().unbind(), plan.keep());
            executor.persist_its_way(
                py,
                move |py| Self::once(pipeline.bind(py), words.bind(py), &kept.plan(py)),
                move |py, error| Self::lost(lost.bind(py), error),
            )?
        } else {
            let act = || Self::once(slf, args, &plan);
            executor.persist(py, act, |error| Self::lost(slf, error))?
        };
        let name = crate::words::name_of(&name).unwrap_or_default().to_ascii_uppercase();
        match name.as_slice() {
            b"WATCH" => slf.borrow_mut().watching = true,
            b"UNWATCH" | b"DISCARD" | b"EXEC" => slf.borrow_mut().watching = false,
            _ => {}
        }
        Ok(done)
    }

    /// Executes the queued commands. Results stand in the order of the commands; an error is
    /// raised, or with `raise_on_error=False` stands in the place of its result.
    #[pyo3(name = "_execute", signature = (raise_on_error=true))]
    fn execute<'py>(slf: &Bound<'py, Self>, raise_on_error: bool) -> PyResult<Bound<'py, PyList>> {
        let py = slf.py();
        let _call = leaving::enter(py);
        let (executor, transaction) = {
            let this = slf.borrow();
            (this.executor.clone_ref(py), this.transaction || this.explicit_transaction)
        };
        let replies = if executor.own_ways {
            let (pipeline, lost) = (slf.clone().unbind(), slf.clone().unbind());
            let act = move |py: Python<'_>| {
                let replies = Self::run(pipeline.bind(py), transaction)?;
                Ok(PyList::new(py, replies)?.into_any().unbind())
            };
            let failed = move |py: Python<'_>, error: &PyErr| Self::lost(lost.bind(py), error);
            executor.persist_its_way(py, act, failed)?.extract(py)?
        } else {
            executor.persist(py, || Self::run(slf, transaction), |error| Self::lost(slf, error))?
        };
        slf.borrow_mut().watching = false;
        slf.borrow().finish(py, replies, transaction, raise_on_error)
    }

    /// What `execute` returns for these replies.
    fn _finish<'py>(
        &self,
        py: Python<'py>,
        replies: Vec<Py<PyAny>>,
        transaction: bool,
        raise_on_error: bool,
    ) -> PyResult<Bound<'py, PyList>> {
        self.finish(py, replies, transaction, raise_on_error)
    }

    /// Forgets the queued commands and gives the connection back; what was watched is not any more.
    fn _reset(slf: &Bound<'_, Self>) -> PyResult<()> {
        let py = slf.py();
        let watched_on = {
            let mut this = slf.borrow_mut();
            this.bytes.clear();
            this.queued.clear();
            this.explicit_transaction = false;
            let watching = std::mem::take(&mut this.watching);
            this.connection.as_ref().filter(|_| watching).map(|held| held.clone_ref(py))
        };
        if let Some(held) = watched_on {
            let mut wire = Connection::hold(held.bind(py))?;
            let unwatched = wire.belongs_here() && wire.is_quiet(py) && {
                let done = wire.request(py, &PyTuple::new(py, ["UNWATCH"])?).and_then(|()| {
                    let wanted = wire.wanted(Shape::Plain)?;
                    wire.reply(py, wanted)
                });
                match done {
                    Ok(_) => true,
                    Err(error) if error.is_instance_of::<pyo3::exceptions::PyException>(py) => {
                        false
                    }
                    Err(error) => {
                        wire.drop_socket();
                        return Err(error);
                    }
                }
            };
            if !unwatched {
                wire.drop_socket();
            }
        }
        Self::release(slf)
    }

    fn __len__(&self) -> usize {
        self.queued.len()
    }

    fn __bool__(&self) -> bool {
        true
    }

    /// The words of the queued commands.
    #[getter]
    fn command_stack<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let stack = (0..self.queued.len())
            .map(|index| {
                let options = PyDict::new(py).into_any();
                PyTuple::new(py, [self.words(py, index)?.into_any(), options])
            })
            .collect::<PyResult<Vec<_>>>()?;
        PyList::new(py, stack)
    }
}
