//! Watches of a project: what all commands on them share.
//!
//! They are told of changes and are no part of the project: they change nothing that is kept, so
//! a user who may read a project may watch it. They end with their lease, and with the server.

use ::folio::limits::LONGEST_NAME;
use ::folio::{Error, WatchId, Watches};
use base::{CmdError, Holds, Key};
use haystack::{Name, name};
use types::Folio;

use super::{NO_PROJECT, id, text, told};

const NO_WATCH: CmdError = CmdError::new("UnknownWatchErr no watch has such a name");
const NO_ID: CmdError = CmdError::new("InvalidRecIdErr no record may have such an id");

/// The number of a watch, as its name has it.
///
/// # Errors
/// It is no name of a watch.
pub(super) fn number(word: &[u8]) -> Result<WatchId, CmdError> {
    WatchId::from_str_radix(text(word)?, 16).map_err(|_| NO_WATCH)
}

/// Ids of a request, whether such records are there or not.
///
/// # Errors
/// No record may have one of them.
pub(super) fn names(words: &[&[u8]]) -> Result<Vec<Name>, CmdError> {
    let one = |word: &&[u8]| {
        let id = id(word)?;
        let is_id = name::is_ref(id) && id.len() <= LONGEST_NAME;
        if is_id { Ok(Name::new(id)) } else { Err(NO_ID) }
    };
    words.iter().map(one).collect()
}

/// Does something with the watches of a project. `now` is handed on in seconds.
///
/// # Errors
/// There is no project; what is done says so.
pub(super) fn with<H: Holds<Folio>, R>(
    host: &mut H,
    key: Key<'_>,
    work: impl FnOnce(&mut Watches, u64) -> Result<R, Error>,
) -> Result<R, CmdError> {
    let (now, number) = (host.now() / 1000, host.rng().next_u64() >> 16);
    let done = host.reshape(key, |value| value.watches_mut(number).map(|all| work(all, now)))?;
    done.flatten().ok_or(NO_PROJECT)?.map_err(|error| told(&error))
}
