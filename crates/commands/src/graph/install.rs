//! The end of a statement that writes: its fork becomes the graph, and the journal is told what has
//! changed.

use ::graph::storage::{Change, Graph as Stored};
use base::{Argv, Class, CmdError, Edited, Effect, Forks, Key};
use types::Graph;

/// Bytes of changes that one record of the journal has, about.
const RECORD: usize = 4 << 20;

/// Installs what a statement has made of a fork. `None`: the graph is another by now, and nothing
/// has happened.
///
/// # Errors
/// The key holds something else.
pub(super) fn install<H: Forks<Graph>>(
    host: &mut H,
    key: Key<'_>,
    event: &'static str,
    edited: Edited,
) -> Result<Option<Effect>, CmdError> {
    match edited.into_fork::<Stored>() {
        Some(fork) => install_fork(host, key, event, fork),
        None => Ok(None),
    }
}

/// The same of a fork.
///
/// # Errors
/// The key holds something else.
pub(super) fn install_fork<H: Forks<Graph>>(
    host: &mut H,
    key: Key<'_>,
    event: &'static str,
    fork: Stored,
) -> Result<Option<Effect>, CmdError> {
    let was_there = host.peek(key)?.is_some();
    let Some(changes) = host.adopt(key, fork)? else { return Ok(None) };
    if changes.is_empty() && was_there {
        return Ok(Some(Effect::Unwatched(Vec::new())));
    }
    host.notify(Class::Module, event, key);
    if !host.is_recorded() {
        return Ok(Some(Effect::Several(Vec::new())));
    }
    Ok(Some(Effect::Several(records(key, &changes))))
}

/// The requests that make these changes: a graph that has been made is one without changes, too.
fn records(key: Key<'_>, changes: &[Change]) -> Vec<Argv> {
    let record = |bytes: &[u8]| Argv::new(&[b"GRAPH.APPLY", key.bytes, bytes]);
    let (mut records, mut bytes) = (Vec::new(), Vec::new());
    for change in changes {
        change.put(&mut bytes);
        if bytes.len() >= RECORD {
            records.push(record(&bytes));
            bytes.clear();
        }
    }
    if records.is_empty() || !bytes.is_empty() {
        records.push(record(&bytes));
    }
    records
}
