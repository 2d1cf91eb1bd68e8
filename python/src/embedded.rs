//! The engine in this process, for Python: `kvist.embedded`.
//!
//! ```text
//!   words ─► [interpreter held for a moment's work, else released] ─► engine ─► Tape ─► objects
//! ```
//!
//! Commands that take a moment and wait for nothing run with the interpreter held: giving it up and
//! getting it back costs more than they do, and with several threads far more. Everything else runs
//! without it, and looks for signals ten times a second; scripts that take long then run in a
//! thread of the engine's, so that handlers of signals run with nothing of the engine's in hand.

use crate::client::{How, Plan};
use crate::errors;
use crate::folio;
use crate::leaving;
use crate::objects::Objects;
use crate::shape::Shape;
use crate::tape::Tape;
use crate::words::{Encoding, name_of};
use client::ServerError;
use columns::Rows;
use kvist::{Answered, Error, Kvist, Protocol};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};
use std::cell::Cell;
use std::path::PathBuf;
use wire::ReplyReader;

thread_local! {
    /// A tape to be used again.
    static SPARE: Cell<Option<Box<Tape>>> = const { Cell::new(None) };
}

/// The exception for what went wrong.
pub fn raised(py: Python<'_>, error: &Error) -> PyErr {
    let class = match error {
        Error::Refused(text) => return errors::raised(py, &ServerError::new(text.as_str())),
        Error::InUse(_) => "DirectoryInUseError",
        Error::Setting(_) => "DataError",
        Error::Closed | Error::Forked => "EngineClosedError",
        _ => "RedisError",
    };
    errors::new(py, class, &error.to_string())
}

fn protocol_of(number: u8) -> Protocol {
    if number == 2 { Protocol::Resp2 } else { Protocol::Resp3 }
}

/// An engine that is open in this process.
#[pyclass(frozen, weakref, module = "kvist._core", name = "Engine")]
pub struct Engine {
    db: Kvist,
}

impl Engine {
    /// A session of bytes.
    pub fn channel(&self, py: Python<'_>, protocol: u8, db: u32) -> PyResult<kvist::Channel> {
        let number = usize::try_from(db).unwrap_or(usize::MAX);
        let handle = self.db.database(number).map_err(|error| raised(py, &error))?;
        handle.channel(protocol_of(protocol)).map_err(|error| raised(py, &error))
    }
}

#[pymethods]
impl Engine {
    /// Opens a directory, or a dataset in memory, with directives as pairs of texts.
    #[staticmethod]
    fn open(
        py: Python<'_>,
        directory: Option<PathBuf>,
        config_file: Option<PathBuf>,
        settings: Vec<(String, String)>,
    ) -> PyResult<Self> {
        let opened = leaving::without(py, || {
            let mut builder = Kvist::builder();
            if let Some(file) = config_file {
                builder = builder.config_file(file);
            }
            for (name, value) in settings {
                builder = builder.set(name, value);
            }
            match directory {
                Some(directory) => builder.open(directory),
                None => builder.in_memory(),
            }
        });
        Ok(Engine { db: opened.map_err(|error| raised(py, &error))? })
    }

    /// Makes everything durable and lets the directory go. In a forked process it does nothing.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        match leaving::without(py, || self.db.close()) {
            Ok(()) | Err(Error::Forked) => Ok(()),
            Err(error) => Err(raised(py, &error)),
        }
    }

    /// Whether it was closed.
    #[getter]
    fn closed(&self) -> bool {
        self.db.is_closed()
    }

    /// What was found when it was opened.
    #[getter]
    fn recovered(&self) -> String {
        self.db.recovered().to_string()
    }
}

/// How a client's commands reach an engine.
pub struct Door {
    db: Kvist,
    protocol: Protocol,
    encoding: Encoding,
}

/// A word: what Python has, or bytes that were made of it.
enum Word<'a> {
    Borrowed(&'a [u8]),
    Made(Vec<u8>),
}

impl Door {
    /// Reads the settings of a client.
    pub fn new(engine: &Engine, settings: &Bound<'_, PyDict>) -> PyResult<Self> {
        let text = |name: &str, default: &str| -> PyResult<String> {
            settings.get_item(name)?.map_or(Ok(default.to_owned()), |value| value.extract())
        };
        let number = |name: &str, default: u32| -> PyResult<u32> {
            settings.get_item(name)?.map_or(Ok(default), |value| value.extract())
        };
        let decode =
            settings.get_item("decode_responses")?.map_or(Ok(false), |it| it.is_truthy())?;
        let encoding =
            Encoding::new(&text("encoding", "utf-8")?, &text("encoding_errors", "strict")?, decode);
        let db = usize::try_from(number("db", 0)?).unwrap_or(usize::MAX);
        let db = engine.db.database(db).map_err(|error| raised(settings.py(), &error))?;
        let protocol = u8::try_from(number("protocol", 3)?).unwrap_or(3);
        Ok(Door { db, protocol: protocol_of(protocol), encoding })
    }

    /// Runs a command and returns its reply, or nothing if it needs a connection of its own.
    pub fn execute(
        &self,
        py: Python<'_>,
        words: &Bound<'_, PyTuple>,
        plan: &Plan<'_>,
        selected: Option<u32>,
    ) -> PyResult<Option<PyResult<Py<PyAny>>>> {
        let items: Vec<Bound<'_, PyAny>> = words.iter().collect();
        let mut made = Vec::with_capacity(items.len() + 1);
        self.words(&items, &mut made)?;
        let mut argv: Vec<&[u8]> = Vec::with_capacity(made.len());
        argv.extend(made.iter().map(|word| match word {
            Word::Borrowed(bytes) => *bytes,
            Word::Made(bytes) => bytes.as_slice(),
        }));
        let other = selected.and_then(|db| usize::try_from(db).ok());
        let other = match other.filter(|&db| db != self.db.number()) {
            Some(db) => Some(self.db.database(db).map_err(|error| raised(py, &error))?),
            None => None,
        };
        let db = other.as_ref().unwrap_or(&self.db);
        let mut tape = SPARE.take().unwrap_or_else(|| Box::new(Tape::new(self.protocol)));
        tape.reset(self.protocol);
        let mut out = Vec::new();
        let mut signal = None;
        let done = run(py, db, &argv, (&mut tape, &mut out), &mut signal);
        let reply = match done {
            Ok(Answered::Direct) if let Some(object) = tape.take_object() => {
                Some(folio::handed_over(py, object))
            }
            Ok(how) => Some(self.reply(py, plan, how, (&tape, &out))),
            Err(Error::NeedsSession(_)) => None,
            Err(Error::Interrupted) if signal.is_some() => {
                return Err(signal.unwrap_or_else(|| raised(py, &Error::Interrupted)));
            }
            // Only this session was ended.
            Err(Error::Closed) if !self.db.is_closed() => Some(Err(errors::closed(py))),
            Err(error) => Some(Err(raised(py, &error))),
        };
        SPARE.set(Some(tape));
        Ok(reply)
    }

    /// The words of a request; spaces divide the first.
    fn words<'a>(&self, items: &'a [Bound<'_, PyAny>], out: &mut Vec<Word<'a>>) -> PyResult<()> {
        for (index, item) in items.iter().enumerate() {
            if index == 0
                && let Some(name) = name_of(item)
            {
                if name.contains(&b' ') {
                    let parts = name.split(|byte| *byte == b' ').filter(|part| !part.is_empty());
                    out.extend(parts.map(Word::Borrowed));
                } else {
                    out.push(Word::Borrowed(name));
                }
                continue;
            }
            if let Ok(bytes) = item.cast::<PyBytes>() {
                out.push(Word::Borrowed(bytes.as_bytes()));
            } else if self.encoding.is_utf8()
                && let Ok(text) = item.cast::<PyString>()
                && let Ok(text) = text.to_str()
            {
                out.push(Word::Borrowed(text.as_bytes()));
            } else {
                out.push(Word::Made(self.encoding.odd_word(item)?));
            }
        }
        Ok(())
    }

    fn reply(
        &self,
        py: Python<'_>,
        plan: &Plan<'_>,
        how: Answered,
        (tape, out): (&Tape, &[u8]),
    ) -> PyResult<Py<PyAny>> {
        let decode = self.encoding.decode && !plan.never_decode;
        let shape = match &plan.how {
            How::Fused(shape) => *shape,
            How::Call(..) => Shape::Plain,
            How::Columns(wanted) => {
                let text = decode && self.encoding.is_utf8();
                let wanted = columns::Wanted { text, ..columns::Wanted::clone(wanted) };
                return table(py, wanted, how, (tape, out));
            }
        };
        let mut reader = ReplyReader::new();
        if how == Answered::Encoded {
            reader.feed(out);
        }
        loop {
            let mut objects = Objects::new(py, &self.encoding, decode, shape);
            let value = match how {
                Answered::Direct => tape.play(&mut objects),
                // Its end is missing if the command has nothing to say: `CLIENT REPLY OFF`.
                Answered::Encoded => reader.next(&mut objects).unwrap_or_default(),
            };
            let Objects { error, pushed, failure, .. } = objects;
            return match (value, error, failure) {
                (_, Some(error), _) => Err(errors::raised(py, &error)),
                (_, None, Some(failure)) => Err(failure),
                (Some(_), None, None) if pushed && how == Answered::Encoded => continue,
                (Some(value), None, None) => Ok(value),
                (None, None, None) => Ok(py.None()),
            };
        }
    }
}

/// A reply that becomes columns.
fn table(
    py: Python<'_>,
    wanted: columns::Wanted,
    how: Answered,
    (tape, out): (&Tape, &[u8]),
) -> PyResult<Py<PyAny>> {
    let mut rows = Rows::new(wanted);
    leaving::without(py, || match how {
        Answered::Direct => _ = tape.play(&mut rows),
        Answered::Encoded => {
            let mut reader = ReplyReader::new();
            reader.feed(out);
            _ = reader.next(&mut rows);
        }
    });
    crate::columns::result(py, rows.finish())
}

/// Runs a request: with the interpreter held if it takes but a moment.
fn run(
    py: Python<'_>,
    db: &Kvist,
    argv: &[&[u8]],
    (tape, out): (&mut Tape, &mut Vec<u8>),
    signal: &mut Option<PyErr>,
) -> Result<Answered, Error> {
    if db.is_moment(argv) {
        // Should it have to wait after all, others get their turns meanwhile.
        let mut patience = || {
            leaving::without(py, std::thread::yield_now);
            *signal = py.check_signals().err();
            signal.is_some()
        };
        return db.answer(argv, tape, out, &mut patience);
    }
    leaving::without(py, || {
        let mut patience = || {
            *signal = leaving::within(|py| py.check_signals().err());
            signal.is_some()
        };
        db.answer(argv, tape, out, &mut patience)
    })
}
