//! Changes of the libraries, as clients and files ask for them: `FUNCTION LOAD`, `DELETE`, `FLUSH`
//! and `RESTORE`.
//!
//! A library's code runs once before it is among the others. It can register functions and write to
//! the log, no more, and has half a second for that. It runs before any shard is held; whether the
//! library can still be added is asked again when it is.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use base::{CmdError, LibraryChange, Reply};
use rdb::Functions;
use script::{Host, Libraries, Library, Refusal, Vm};
use store::Txn;

use super::caller::tell;
use crate::engine::Engine;
use crate::execution::request::misused;

/// How long a library may take to register its functions, as in Redis. What is read back from files
/// has been through that already.
pub(crate) const LOAD_TIMEOUT: Duration = Duration::from_millis(500);

const NO_LIBRARY: CmdError = CmdError::new("ERR Library not found");

/// What `FUNCTION RESTORE` does about the libraries there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Policy {
    /// They go.
    Flush,
    /// They stay; a library of the same name is an error.
    Append,
    /// Those of the same name go.
    Replace,
}

/// A change that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change<'a> {
    /// A library comes.
    Load { code: &'a [u8], replace: bool },
    /// A library goes.
    Delete(&'a [u8]),
    /// All go.
    Flush,
    /// Those of a payload come.
    Restore { payload: &'a [u8], policy: Policy },
}

impl<'a> Change<'a> {
    /// The change that a request asks for, given all its words, of which there are as many as its
    /// command's arity wants.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn parse(change: LibraryChange, argv: &[&'a [u8]]) -> Result<Self, CmdError> {
        match (change, argv.get(2..).unwrap_or_default()) {
            (LibraryChange::Load, [options @ .., code]) => load(options, code),
            (LibraryChange::Delete, [name]) => Ok(Change::Delete(name)),
            (LibraryChange::Flush, mode) if mode.len() < 2 => flush(mode),
            (LibraryChange::Restore, [payload]) => restore(payload, None),
            (LibraryChange::Restore, [payload, policy]) => restore(payload, Some(policy)),
            _ => Err(misused(argv)),
        }
    }
}

fn load<'a>(options: &[&[u8]], code: &'a [u8]) -> Result<Change<'a>, CmdError> {
    let other = options.iter().find(|word| !word.eq_ignore_ascii_case(b"replace"));
    match other {
        Some(other) => Err(CmdError::quoting("ERR Unknown option given: ", other, "")),
        None => Ok(Change::Load { code, replace: !options.is_empty() }),
    }
}

fn flush<'a>(mode: &[&[u8]]) -> Result<Change<'a>, CmdError> {
    let is_mode =
        |word: &&[u8]| word.eq_ignore_ascii_case(b"SYNC") || word.eq_ignore_ascii_case(b"ASYNC");
    match mode.iter().all(is_mode) {
        true => Ok(Change::Flush),
        false => Err(CmdError::new("ERR FUNCTION FLUSH only supports SYNC|ASYNC option")),
    }
}

fn restore<'a>(payload: &'a [u8], policy: Option<&[u8]>) -> Result<Change<'a>, CmdError> {
    const KNOWN: [(&str, Policy); 3] =
        [("append", Policy::Append), ("replace", Policy::Replace), ("flush", Policy::Flush)];
    let Some(word) = policy else {
        return Ok(Change::Restore { payload, policy: Policy::Append });
    };
    let known = KNOWN.iter().find(|(name, _)| word.eq_ignore_ascii_case(name.as_bytes()));
    let &(_, policy) = known.ok_or(CmdError::new(
        "ERR Wrong restore policy given, value should be either FLUSH, APPEND or REPLACE.",
    ))?;
    Ok(Change::Restore { payload, policy })
}

/// What came of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Changed {
    /// It was made.
    Done,
    /// It was made, and this library is there.
    Loaded(String),
    /// Nothing may change now.
    Postponed,
}

/// The source of changes.
pub(crate) struct Catalog<'c> {
    pub engine: &'c Engine,
    /// Holds no shard, or shard 0 among others.
    pub txn: &'c mut Txn,
    /// Runs the code of libraries, and keeps it.
    pub vm: &'c mut Vm,
    /// How long that may take.
    pub timeout: Option<Duration>,
    /// Asked at the moment of the change: whether it may be made.
    pub may: &'c dyn Fn() -> bool,
}

impl Catalog<'_> {
    /// Makes a change.
    ///
    /// # Errors
    /// What to answer; nothing has changed.
    pub fn change(&mut self, change: Change<'_>) -> Result<Changed, CmdError> {
        match change {
            Change::Load { code, replace } => {
                let known = self.engine.scripts.functions.known();
                known.libraries.admit(code, replace)?;
                let library = Arc::new(self.run(code)?);
                let name = library.name().to_owned();
                let added = self.make(|libraries| libraries.add(Arc::clone(&library), replace));
                if !matches!(added, Ok(true)) {
                    self.vm.drop_library(&name);
                }
                Ok(if added? { Changed::Loaded(name) } else { Changed::Postponed })
            }
            Change::Delete(name) => {
                self.done(|libraries| libraries.remove(name).map(drop).ok_or(NO_LIBRARY))
            }
            Change::Flush => self.done(|libraries| {
                *libraries = Libraries::default();
                Ok(())
            }),
            Change::Restore { payload, policy } => {
                let restored = self.restored(payload)?;
                let made = self.done(|libraries| join(libraries, &restored, policy));
                if !matches!(made, Ok(Changed::Done)) {
                    restored.iter().for_each(|library| self.vm.drop_library(library.name()));
                }
                made
            }
        }
    }

    fn done(
        &mut self,
        change: impl FnOnce(&mut Libraries) -> Result<(), CmdError>,
    ) -> Result<Changed, CmdError> {
        Ok(if self.make(change)? { Changed::Done } else { Changed::Postponed })
    }

    /// Whether the change was made.
    fn make(
        &mut self,
        change: impl FnOnce(&mut Libraries) -> Result<(), CmdError>,
    ) -> Result<bool, CmdError> {
        let may = self.may;
        self.engine.scripts.functions.change(self.txn, |libraries| match may() {
            true => change(libraries).map(|()| true),
            false => Ok(false),
        })
    }

    /// Runs the code of a library.
    ///
    /// # Errors
    /// That of `FUNCTION LOAD`.
    pub fn run(&mut self, code: &[u8]) -> Result<Library, CmdError> {
        let (started, timeout) = (Instant::now(), self.timeout);
        let mut stage = Stage { engine: self.engine, started, timeout };
        self.vm.load_library(code, &mut stage)
    }

    /// The libraries of a payload, by themselves.
    fn restored(&mut self, payload: &[u8]) -> Result<Libraries, CmdError> {
        let failed = |error: rdb::FunctionsError| CmdError::new(error.text());
        let mut functions = Functions::open(payload).map_err(failed)?;
        let mut restored = Libraries::default();
        let mut take = || {
            while let Some(code) = functions.next().map_err(failed)? {
                restored.admit(&code, false)?;
                let library = self.run(&code)?;
                let name = library.name().to_owned();
                let added = restored.add(Arc::new(library), false);
                added.inspect_err(|_| self.vm.drop_library(&name))?;
            }
            Ok(())
        };
        let taken = take();
        if taken.is_err() {
            restored.iter().for_each(|library| self.vm.drop_library(library.name()));
        }
        taken.map(|()| restored)
    }
}

impl Engine {
    /// Takes all libraries of another engine over, in place of those of the same names; how many.
    ///
    /// # Errors
    /// One of their functions is in a library here that has another name. Nothing is changed then.
    pub fn take_libraries(&self, txn: &mut Txn, from: &Engine) -> Result<usize, String> {
        let more = from.scripts.functions.known();
        let joined = self
            .scripts
            .functions
            .change(txn, |libraries| join(libraries, &more.libraries, Policy::Replace));
        let why = |error: CmdError| String::from_utf8_lossy(error.bytes()).into_owned();
        joined.map(|()| more.libraries.len()).map_err(why)
    }
}

/// Adds all of some libraries to others.
fn join(libraries: &mut Libraries, more: &Libraries, policy: Policy) -> Result<(), CmdError> {
    if policy == Policy::Flush {
        *libraries = Libraries::default();
    }
    for library in more.iter() {
        let there = libraries.library(library.name().as_bytes()).is_some();
        if there && policy != Policy::Replace {
            let text = format!("ERR Library {} already exists", library.name());
            return Err(CmdError::owned(text));
        }
        libraries.remove(library.name().as_bytes());
    }
    more.iter().try_for_each(|library| libraries.add(Arc::clone(library), false))
}

/// The host of a library that is being loaded.
struct Stage<'e> {
    engine: &'e Engine,
    started: Instant,
    timeout: Option<Duration>,
}

impl Host for Stage<'_> {
    fn call(&mut self, _: &[&[u8]], _: &mut dyn Reply) -> Result<(), Refusal> {
        // It has no name for this while it is loaded.
        Err(CmdError::new("ERR This Redis command is not allowed from script").into())
    }

    fn note_error(&mut self, _: &[u8], _: bool) {
        // Nothing of it is an answer.
    }

    fn log(&mut self, level: u8, text: &[u8]) {
        tell(level, text);
    }

    fn may(&mut self, _: &[&[u8]]) -> Option<bool> {
        None
    }

    fn interrupted(&mut self) -> bool {
        self.timeout.is_some_and(|timeout| self.started.elapsed() > timeout)
            || self.engine.run.stopping.load(Ordering::Relaxed)
    }

    fn set_repl(&mut self, _: u8) {}
}
