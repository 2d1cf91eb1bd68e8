//! The scripts and libraries that are known, the threads' interpreters, and the scripts that run.
//! How one is run is in `scripting`.

mod cache;
mod interpreter_pool;
mod libraries;
mod library_image;
mod needs;
mod running;

use std::sync::atomic::AtomicBool;

pub(crate) use self::cache::{Cached, ScriptCache};
pub(crate) use self::interpreter_pool::InterpreterPool;
pub(crate) use self::libraries::{Functions, Known};
pub(crate) use self::library_image::{put_all as put_libraries, read as read_libraries};
pub(crate) use self::needs::Needs;
pub(crate) use self::running::{
    BROKEN_OFF, BUSY_SCRIPT, Kill, LONG, Registered, RunKind, Running, Runs,
};

/// What all workers share of scripts.
#[derive(Default)]
pub(crate) struct Scripts {
    /// The scripts that are known.
    pub cache: ScriptCache,
    /// The libraries of functions.
    pub functions: Functions,
    /// Scripts and functions that run for long.
    pub runs: Runs,
    /// Scripts may run what they otherwise may not: `DEBUG SET-DISABLE-DENY-SCRIPTS`.
    pub run_all: AtomicBool,
}
