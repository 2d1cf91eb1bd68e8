//! A command from its words to its reply: pool, encoding, waiting, parsing, callback, retry.
//!
//! This is the whole hot path. Python code runs on it only where users put some: callbacks,
//! retries, pools and connections of their own.

use crate::columns::Request;
use crate::connection::{Connection, Look, Wanted};
use crate::embedded::{Door, Engine};
use crate::errors;
use crate::leaving;
use crate::pool::Pool;
use crate::retry;
use crate::shape::{Callback, Shape, wants_old_value};
use crate::words::name_of;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use std::sync::Arc;
use std::time::Duration;

/// What a client, or a pipeline, executes commands with.
#[derive(Default)]
pub struct Executor {
    /// Where connections come from.
    pub pool: Option<Py<Pool>>,
    /// What becomes of replies, by the names of commands in upper case.
    pub callbacks: Option<Py<PyDict>>,
    /// A `Retry`, or nothing.
    pub retry: Option<Py<PyAny>>,
    /// Whether that has ideas of its own about what is tried again, and how.
    pub own_ways: bool,
}

/// What becomes of one reply.
pub enum How<'py> {
    /// The parser knows.
    Fused(Shape),
    /// A function does, given the reply and these options.
    Call(Bound<'py, PyAny>, Option<Bound<'py, PyDict>>),
    /// It becomes columns.
    Columns(Arc<columns::Wanted>),
}

/// How one command is executed, apart from its words.
pub struct Plan<'py> {
    /// What becomes of the reply.
    pub how: How<'py>,
    /// Bytes stay bytes.
    pub never_decode: bool,
    /// What an error becomes instead of being raised.
    pub empty: Option<Bound<'py, PyAny>>,
}

/// A [`Plan`] that is kept until its reply comes.
pub struct Kept {
    /// What the parser is to know.
    pub shape: Shape,
    /// Bytes stay bytes.
    pub never_decode: bool,
    /// What columns it becomes, if it does.
    pub columns: Option<Arc<columns::Wanted>>,
    /// A function the reply is given to, and options for it.
    pub callback: Option<(Py<PyAny>, Option<Py<PyDict>>)>,
    /// What an error becomes instead of being raised.
    pub empty: Option<Py<PyAny>>,
}

impl Kept {
    /// What is not looked at closely.
    pub fn plain() -> Self {
        Kept { shape: Shape::Plain, never_decode: true, columns: None, callback: None, empty: None }
    }

    /// Another reference to the same.
    pub fn clone_ref(&self, py: Python<'_>) -> Self {
        Kept {
            shape: self.shape,
            never_decode: self.never_decode,
            columns: self.columns.clone(),
            callback: self.callback.as_ref().map(|(function, options)| {
                (function.clone_ref(py), options.as_ref().map(|options| options.clone_ref(py)))
            }),
            empty: self.empty.as_ref().map(|empty| empty.clone_ref(py)),
        }
    }

    /// As it was before it was kept.
    pub fn plan<'py>(&self, py: Python<'py>) -> Plan<'py> {
        let how = match &self.callback {
            Some((function, options)) => How::Call(
                function.bind(py).clone(),
                options.as_ref().map(|options| options.bind(py).clone()),
            ),
            None => self.columns.clone().map_or(How::Fused(self.shape), How::Columns),
        };
        let empty = self.empty.as_ref().map(|empty| empty.bind(py).clone());
        Plan { how, never_decode: self.never_decode, empty }
    }

    /// Makes of a reply what its reader wants; an error reply becomes an exception in its place.
    pub fn result(&self, py: Python<'_>, reply: PyResult<Py<PyAny>>) -> PyResult<Py<PyAny>> {
        let plain = self.callback.is_none() && self.empty.is_none();
        let done = if plain { reply } else { self.plan(py).finish(py, reply) };
        match done {
            Err(error) if is_reply(py, &error) => Ok(error.into_value(py).into_any()),
            other => other,
        }
    }
}

impl Executor {
    /// What commands are executed with.
    pub fn new(
        py: Python<'_>,
        pool: Option<Py<Pool>>,
        callbacks: Py<PyDict>,
        retry: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let own_ways = retry.as_ref().map_or(Ok(false), |it| retry::has_own_ways(it.bind(py)))?;
        Ok(Executor { pool, callbacks: Some(callbacks), retry, own_ways })
    }

    /// Where connections come from.
    pub fn pool<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, Pool>> {
        match &self.pool {
            Some(pool) => Ok(pool.bind(py).clone()),
            None => {
                Err(PyRuntimeError::new_err("a client's __init__ must call that of its base class"))
            }
        }
    }

    /// The callback for a command, if it has one.
    fn callback<'py>(
        &self,
        py: Python<'py>,
        name: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(callbacks) = &self.callbacks else { return Ok(None) };
        let callbacks = callbacks.bind(py);
        if let Some(found) = callbacks.get_item(name)? {
            return Ok(Some(found));
        }
        match name_of(name) {
            // Those who write in upper case have been answered.
            Some(text)
                if text.iter().any(u8::is_ascii_lowercase)
                    || !name.is_instance_of::<PyString>() =>
            {
                let upper = String::from_utf8_lossy(text).to_uppercase();
                callbacks.get_item(upper)
            }
            _ => Ok(None),
        }
    }

    /// Looks up what becomes of a command's reply.
    pub fn plan<'py>(
        &self,
        name: &Bound<'py, PyAny>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Plan<'py>> {
        let py = name.py();
        let mut plan = Plan { how: How::Fused(Shape::Plain), never_decode: false, empty: None };
        let mut rest = None;
        if let Some(options) = options.filter(|options| !options.is_empty()) {
            let options = options.copy()?;
            if options.contains(pyo3::intern!(py, "NEVER_DECODE"))? {
                plan.never_decode = true;
                options.del_item(pyo3::intern!(py, "NEVER_DECODE"))?;
            }
            if let Some(empty) = options.get_item(pyo3::intern!(py, "EMPTY_RESPONSE"))? {
                plan.empty = Some(empty);
                options.del_item(pyo3::intern!(py, "EMPTY_RESPONSE"))?;
            }
            // Only a cache wants to know which words are keys.
            if options.contains(pyo3::intern!(py, "keys"))? {
                options.del_item(pyo3::intern!(py, "keys"))?;
            }
            if let Some(request) = options.get_item(pyo3::intern!(py, "columns"))?
                && let Ok(request) = request.cast::<Request>()
            {
                plan.how = How::Columns(Arc::clone(&request.get().wanted));
                return Ok(plan);
            }
            // What reads a reply itself says how, whatever others want of the command.
            if let Some(shape) = options.get_item(pyo3::intern!(py, "shape"))?
                && let Ok(known) = shape.cast::<Callback>()
            {
                plan.how = How::Fused(known.get().shape);
                return Ok(plan);
            }
            rest = Some(options).filter(|options| !options.is_empty());
        }
        if let Some(callback) = self.callback(py, name)? {
            plan.how = match callback.cast::<Callback>() {
                Ok(known)
                    if known.get().shape != Shape::Set || !wants_old_value(rest.as_ref())? =>
                {
                    How::Fused(known.get().shape)
                }
                Ok(_) => How::Fused(Shape::Plain),
                Err(_) => How::Call(callback, rest),
            };
        }
        Ok(plan)
    }
}

impl<'py> Plan<'py> {
    /// What to ask the connection for.
    pub fn wanted(&self, connection: &Connection) -> PyResult<Wanted> {
        let shape = match self.how {
            How::Fused(shape) => shape,
            How::Call(..) | How::Columns(_) => Shape::Plain,
        };
        let mut wanted = connection.wanted(shape)?;
        wanted.decode &= !self.never_decode;
        Ok(wanted)
    }

    /// The same, to be kept until the reply comes.
    pub fn keep(self) -> Kept {
        let (shape, columns, callback) = match self.how {
            How::Fused(shape) => (shape, None, None),
            How::Columns(columns) => (Shape::Plain, Some(columns), None),
            How::Call(function, options) => {
                (Shape::Plain, None, Some((function.unbind(), options.map(Bound::unbind))))
            }
        };
        let empty = self.empty.map(Bound::unbind);
        Kept { shape, never_decode: self.never_decode, columns, callback, empty }
    }

    /// Makes of a reply what its reader wants.
    pub fn finish(&self, py: Python<'py>, reply: PyResult<Py<PyAny>>) -> PyResult<Py<PyAny>> {
        let reply = match (reply, &self.empty) {
            (Ok(reply), _) => reply,
            (Err(error), Some(empty)) if is_reply(py, &error) => return Ok(empty.clone().unbind()),
            (Err(error), _) => return Err(error),
        };
        match &self.how {
            How::Fused(_) | How::Columns(_) => Ok(reply),
            How::Call(callback, options) => Ok(callback.call((reply,), options.as_ref())?.unbind()),
        }
    }
}

/// Whether an exception is an error that the server replied with.
pub fn is_reply(py: Python<'_>, error: &PyErr) -> bool {
    py.import("kvist.exceptions")
        .and_then(|module| module.getattr("ResponseError"))
        .is_ok_and(|class| error.is_instance(py, &class))
}

/// What a command does to the connection it is sent on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Nothing that outlives its reply.
    None,
    /// It waits on the server, or runs there: for this long, or for ever.
    Waits(Option<Duration>),
    /// It chooses a database.
    Selects(u32),
    /// It leaves the connection unfit for other users.
    Stains,
}

/// What the words of a command say about what it does to its connection.
pub fn mark_of(words: &Bound<'_, PyTuple>) -> Mark {
    let Ok(first) = words.get_item(0) else { return Mark::None };
    let Some(name) = name_of(&first) else { return Mark::None };
    // Most commands are told by their first letter.
    match name.first().map(u8::to_ascii_uppercase) {
        Some(b'B' | b'X' | b'W' | b'S' | b'M' | b'P' | b'A' | b'H' | b'R' | b'Q') => {}
        Some(b'G') if name.get(5) == Some(&b'.') => {}
        _ => return Mark::None,
    }
    let upper = name.to_ascii_uppercase();
    let number = |index: usize| -> Option<f64> {
        let word = words.get_item(index).ok()?;
        word.extract::<f64>()
            .ok()
            .or_else(|| std::str::from_utf8(name_of(&word)?).ok()?.parse().ok())
    };
    let waits = |seconds: Option<f64>| match seconds {
        Some(seconds) if seconds > 0.0 => Mark::Waits(Duration::try_from_secs_f64(seconds).ok()),
        _ => Mark::Waits(None),
    };
    let last = words.len() - 1;
    // The milliseconds behind an option, from some word on: nothing if it is not there.
    let milliseconds = |from: usize, option: &[u8]| -> Option<Mark> {
        let is_it = |word: &Bound<'_, PyAny>| {
            name_of(word).is_some_and(|word| word.eq_ignore_ascii_case(option))
        };
        let at = (from..=last).find(|at| words.get_item(*at).is_ok_and(|word| is_it(&word)))?;
        Some(waits(number(at + 1).map(|milliseconds| milliseconds / 1000.0)))
    };
    match upper.as_slice() {
        b"BLPOP" | b"BRPOP" | b"BRPOPLPUSH" | b"BLMOVE" | b"BZPOPMIN" | b"BZPOPMAX" => {
            waits(number(last))
        }
        b"BLMPOP" | b"BZMPOP" => waits(number(1)),
        b"WAIT" | b"WAITAOF" => waits(number(last).map(|milliseconds| milliseconds / 1000.0)),
        b"XREAD" | b"XREADGROUP" => milliseconds(1, b"BLOCK").unwrap_or(Mark::None),
        // A statement takes as long as it may. Who gives up earlier and sends it once more makes it
        // run twice.
        b"GRAPH.QUERY" | b"GRAPH.RO_QUERY" | b"GRAPH.PROFILE" => {
            milliseconds(3, b"TIMEOUT").unwrap_or(Mark::Waits(None))
        }
        b"GRAPH.BULK" | b"GRAPH.COPY" | b"GRAPH.CONSTRAINT" | b"GRAPH.EXPORT" | b"GRAPH.IMPORT"
        | b"FOLIO.EXPORT" | b"FOLIO.IMPORT" => Mark::Waits(None),
        b"SELECT" => words
            .get_item(1)
            .ok()
            .and_then(|db| db.str().ok()?.to_str().ok()?.parse().ok())
            .map_or(Mark::Stains, Mark::Selects),
        b"MULTI" | b"WATCH" | b"SUBSCRIBE" | b"PSUBSCRIBE" | b"SSUBSCRIBE" | b"MONITOR"
        | b"AUTH" | b"HELLO" | b"RESET" | b"QUIT" | b"PSYNC" | b"SYNC" => Mark::Stains,
        _ => Mark::None,
    }
}

/// Whether a command leaves its connection unfit for other users.
#[pyfunction]
pub fn stains(words: &Bound<'_, PyTuple>) -> bool {
    matches!(mark_of(words), Mark::Stains | Mark::Selects(_))
}

/// What `kvist.Kvist` is built on.
#[pyclass(subclass, module = "kvist._core", name = "Client")]
#[derive(Default)]
pub struct Client {
    /// What commands are executed with.
    pub executor: Executor,
    /// The one connection of a client that has one, and a lock for its users.
    single: Option<(Py<Connection>, Py<PyAny>)>,
    /// An engine in this process, for commands that need no connection.
    engine: Option<Arc<Door>>,
}

impl Client {
    /// Executes a command on a connection of its own.
    fn on<'py>(
        slf: &Bound<'py, Self>,
        connection: &Bound<'py, Connection>,
        words: &Bound<'py, PyTuple>,
        plan: &Plan<'py>,
        mark: Mark,
    ) -> PyResult<Py<PyAny>> {
        let py = slf.py();
        let reply = {
            let mut connection = Connection::hold(connection)?;
            let mut wanted = plan.wanted(&connection)?;
            if let Mark::Waits(time) = mark {
                // The server may take that long before it owes an answer.
                let patience = connection.settings()?.options.timeout;
                wanted.timeout = Some(time.and_then(|time| Some(time + patience?)));
            }
            connection.request(py, words)?;
            match &plan.how {
                How::Columns(columns) => connection.table(py, wanted, columns),
                _ => connection.reply(py, wanted),
            }
        };
        if let (Mark::Selects(db), Ok(_)) = (mark, &reply) {
            Connection::hold(connection)?.selected(db);
        }
        plan.finish(py, reply)
    }

    fn single<'py>(&self, py: Python<'py>) -> Option<(Bound<'py, Connection>, Bound<'py, PyAny>)> {
        let (connection, lock) = self.single.as_ref()?;
        Some((connection.bind(py).clone(), lock.bind(py).clone()))
    }

    /// One attempt on the connection of a client that has one.
    fn once_on<'py>(
        slf: &Bound<'py, Self>,
        connection: &Bound<'py, Connection>,
        words: &Bound<'py, PyTuple>,
        plan: &Plan<'py>,
    ) -> PyResult<Py<PyAny>> {
        Connection::prepare(connection, None, Look::Quiet)?;
        let done = Self::on(slf, connection, words, plan, mark_of(words));
        Connection::hold(connection)?.rest();
        done
    }

    fn execute_single<'py>(
        slf: &Bound<'py, Self>,
        connection: &Bound<'py, Connection>,
        words: &Bound<'py, PyTuple>,
        plan: Plan<'py>,
    ) -> PyResult<Py<PyAny>> {
        let py = slf.py();
        // A clone of the references: the client is not borrowed while its command runs.
        let executor = slf.borrow().executor.clone_ref(py);
        if executor.own_ways {
            let (client, words) = (slf.clone().unbind(), words.clone().unbind());
            let (wire, lost) = (connection.clone().unbind(), connection.clone().unbind());
            let kept = plan.keep();
            return executor.persist_its_way(
                py,
                move |py| {
                    let plan = kept.plan(py);
                    Self::once_on(client.bind(py), wire.bind(py), words.bind(py), &plan)
                },
                move |py, _| {
                    Connection::hold(lost.bind(py))?.drop_socket();
                    Ok(())
                },
            );
        }
        let act = || Self::once_on(slf, connection, words, &plan);
        let failed = |_: &PyErr| {
            Connection::hold(connection)?.drop_socket();
            Ok(())
        };
        executor.persist(py, act, failed)
    }

    /// One attempt on a connection of the pool.
    fn once<'py>(
        slf: &Bound<'py, Self>,
        pool: &Bound<'py, Pool>,
        words: &Bound<'py, PyTuple>,
        plan: &Plan<'py>,
        mark: Mark,
    ) -> PyResult<Py<PyAny>> {
        let connection = Pool::take(pool)?;
        let done = Self::on(slf, &connection, words, plan, mark);
        if mark == Mark::Stains {
            Connection::hold(&connection)?.drop_socket();
        }
        Pool::give_back(pool, &connection)?;
        done
    }

    /// What follows when the first attempt failed, or is to be made as a user's `Retry` says.
    fn persevere<'py>(
        slf: &Bound<'py, Self>,
        pool: &Bound<'py, Pool>,
        words: &Bound<'py, PyTuple>,
        plan: Plan<'py>,
        mark: Mark,
        first: Option<PyErr>,
    ) -> PyResult<Py<PyAny>> {
        let py = slf.py();
        let executor = slf.borrow().executor.clone_ref(py);
        if executor.own_ways {
            let (client, words) = (slf.clone().unbind(), words.clone().unbind());
            let (pool, kept) = (pool.clone().unbind(), plan.keep());
            let act = move |py: Python<'_>| {
                let plan = kept.plan(py);
                Self::once(client.bind(py), pool.bind(py), words.bind(py), &plan, mark)
            };
            return executor.persist_its_way(py, act, |_, _| Ok(()));
        }
        let mut first = first;
        let act = || match first.take() {
            Some(error) => Err(error),
            None => Self::once(slf, pool, words, &plan, mark),
        };
        executor.persist(py, act, |_| Ok(()))
    }
}

impl Executor {
    /// The same, held by another owner.
    pub fn clone_ref(&self, py: Python<'_>) -> Self {
        Executor {
            pool: self.pool.as_ref().map(|it| it.clone_ref(py)),
            callbacks: self.callbacks.as_ref().map(|it| it.clone_ref(py)),
            retry: self.retry.as_ref().map(|it| it.clone_ref(py)),
            own_ways: self.own_ways,
        }
    }
}

#[pymethods]
impl Client {
    #[new]
    #[pyo3(signature = (*_args, **_kwargs))]
    fn new(_args: &Bound<'_, PyTuple>, _kwargs: Option<&Bound<'_, PyDict>>) -> Self {
        Self::default()
    }

    /// Says what commands are executed with.
    #[pyo3(signature = (pool, callbacks, retry))]
    fn _bind(
        &mut self,
        py: Python<'_>,
        pool: Option<Py<Pool>>,
        callbacks: Py<PyDict>,
        retry: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        self.executor = Executor::new(py, pool, callbacks, retry)?;
        Ok(())
    }

    /// Uses one connection for everything from now on, or none (`None`).
    #[pyo3(signature = (connection, lock=None))]
    fn _hold(&mut self, connection: Option<Py<Connection>>, lock: Option<Py<PyAny>>) {
        self.single = connection.zip(lock);
    }

    /// Has commands run in this process where they need no connection of their own.
    fn _embed(&mut self, engine: &Engine, settings: &Bound<'_, PyDict>) -> PyResult<()> {
        self.engine = Some(Arc::new(Door::new(engine, settings)?));
        Ok(())
    }

    /// Sends a command and returns its reply, turned into what the command's method returns.
    /// Commands that failed for want of a connection are tried again as the client's `Retry` says.
    #[pyo3(signature = (*args, **options))]
    fn execute_command<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let py = slf.py();
        let _call = leaving::enter(py);
        let (plan, pool, single, engine, own_ways) = {
            let this = slf.borrow();
            let Ok(name) = args.get_item(0) else {
                return Err(errors::new(py, "DataError", "a command needs a name"));
            };
            let plan = this.executor.plan(&name, options)?;
            let own_ways = this.executor.own_ways;
            (plan, this.executor.pool(py)?, this.single(py), this.engine.clone(), own_ways)
        };
        if let Some((connection, lock)) = single {
            lock.call_method0(pyo3::intern!(py, "acquire"))?;
            let done = Self::execute_single(slf, &connection, args, plan);
            lock.call_method0(pyo3::intern!(py, "release"))?;
            return done;
        }
        let mark = mark_of(args);
        if let (Some(engine), Mark::None | Mark::Waits(_)) = (engine, mark)
            && let Some(reply) = engine.execute(py, args, &plan, pool.get().selected())?
        {
            return plan.finish(py, reply);
        }
        let first = match own_ways {
            true => Err(None),
            false => Self::once(slf, &pool, args, &plan, mark).map_err(Some),
        };
        // The first attempt is the fast path; what follows may take its time.
        let done = match first {
            Ok(done) => done,
            Err(failure) => Self::persevere(slf, &pool, args, plan, mark, failure)?,
        };
        if let Mark::Selects(db) = mark {
            pool.get().select(db);
        }
        Ok(done)
    }
}
