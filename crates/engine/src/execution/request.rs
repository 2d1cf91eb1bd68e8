//! What all that run a request have in common: what is known of it, how long it takes, and what
//! becomes of one that panics.

use std::fmt::Display;
use std::time::{Duration, Instant};

use base::{CmdError, Reply, error};
use wire::RespWriter;

use crate::engine::entry::Entry;

/// What is known about a request before it runs.
#[derive(Clone, Copy)]
pub(crate) struct Request<'a> {
    /// Its words.
    pub argv: &'a [&'a [u8]],
    /// The command, if there is one of that name.
    pub entry: Option<&'a Entry>,
    /// Hash of the first argument, if it was computed.
    pub hash: Option<u64>,
}

/// A command panicked: its client gets an error instead of what it had written from `mark` on,
/// other requests go on.
pub(crate) fn contained(
    entry: &Entry,
    why: &dyn Display,
    mark: usize,
    writer: &mut RespWriter<'_>,
) {
    tracing::error!(command = entry.name(), %why, "a command panicked and was contained");
    writer.raw().truncate(mark);
    writer.error_bytes(error::INTERNAL.bytes());
}

/// Measures one request by itself.
pub(crate) fn timed<R>(work: impl FnOnce() -> R) -> (R, Duration) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed())
}

/// Bytes shown of a name or of the arguments in "unknown command".
pub(crate) const SHOWN_MAX: usize = 128;

/// The error of a subcommand with a wrong number of arguments that its arity lets pass.
pub(crate) fn misused(argv: &[&[u8]]) -> CmdError {
    let shown = |at: usize| {
        let word = argv.get(at).copied().unwrap_or_default();
        &word[..word.len().min(SHOWN_MAX)]
    };
    // Called by a name of ours, or one that a file of settings gave it.
    let container = String::from_utf8_lossy(shown(0)).to_ascii_uppercase();
    let before = "ERR unknown subcommand or wrong number of arguments for '";
    CmdError::quoting(before, shown(1), &format!("'. Try {container} HELP."))
}
