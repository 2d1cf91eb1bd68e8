//! The end of what changes a project: the journal is told what was done.

use ::folio::{Committed, Diff, Project, change};
use base::{Argv, Class, CmdError, Edited, Effect, Forks, Key, Keyspace};
use haystack::{DateTime, Name};
use types::{Folio, FolioFork};

use super::told;

/// Bytes of changes that one record of the journal has, about.
const RECORD: usize = 4 << 20;

/// Does diffs, and says what was done as the journal has it.
///
/// # Errors
/// They cannot be done, and nothing is.
pub(super) fn commit(
    project: &mut Project,
    diffs: &[Diff],
    now: DateTime,
) -> Result<(Vec<Committed>, Vec<Vec<u8>>), CmdError> {
    let done = project.commit(diffs, now).map_err(|error| told(&error))?;
    let changes = change::of_commit(diffs, &done, project.version(), RECORD);
    Ok((done, changes))
}

/// The same on a fork.
///
/// # Errors
/// They cannot be done, and nothing is.
pub(super) fn commit_to_fork(
    fork: &mut FolioFork,
    diffs: &[Diff],
    now: DateTime,
) -> Result<Vec<Committed>, CmdError> {
    let (done, changes) = commit(&mut fork.project, diffs, now)?;
    note(fork, changes, done.iter().map(|done| done.id.clone()));
    Ok(done)
}

/// Notes on a fork what was done to it, for when it is installed: the same as the journal has it,
/// and the records that were touched. Where there are none, nothing has changed.
pub(super) fn note(
    fork: &mut FolioFork,
    changes: Vec<Vec<u8>>,
    touched: impl IntoIterator<Item = Name>,
) {
    let before = fork.touched.len();
    fork.touched.extend(touched);
    fork.changes.extend(changes);
    fork.has_changed |= fork.touched.len() > before;
}

/// Installs what has become of a fork. `None`: the project is another by now, and nothing has
/// happened.
///
/// # Errors
/// The key holds something else.
pub(super) fn install<H: Forks<Folio>>(
    host: &mut H,
    key: Key<'_>,
    event: &'static str,
    edited: Edited,
) -> Result<Option<Effect>, CmdError> {
    let Some(fork) = edited.into_fork::<FolioFork>() else { return Ok(None) };
    // What was forked is gone, and must not be made anew.
    if host.peek(key)?.is_none() {
        return Ok(None);
    }
    let Some((changes, has_changed)) = host.adopt(key, fork)? else { return Ok(None) };
    if !has_changed {
        return Ok(Some(Effect::Unwatched(Vec::new())));
    }
    Ok(Some(effect(host, key, event, &changes)))
}

/// What the journal and listeners are told of changes.
pub(super) fn effect<H: Keyspace>(
    host: &mut H,
    key: Key<'_>,
    event: &'static str,
    changes: &[Vec<u8>],
) -> Effect {
    host.notify(Class::Module, event, key);
    if !host.is_recorded() {
        return Effect::Several(Vec::new());
    }
    let record = |change: &Vec<u8>| Argv::new(&[b"FOLIO.APPLY", key.bytes, change]);
    Effect::Several(changes.iter().map(record).collect())
}
