//! `FT.*`: secondary indexes of hashes and JSON documents. The room `search` of the engine has the
//! indexes, the crate `search` the language.

mod aggregate;
mod alias;
mod check;
mod config;
mod content;
mod create;
mod dictionary;
mod explain;
mod find;
mod info;
mod pace;
mod query;
mod reply;
mod spelling;

use std::sync::Arc;

use ::search::schema::Definition;
use base::{Behaviour, Category, CmdError, Flag, Group, Locks, Spec};

use super::Control;
use crate::engine::entry::Action;
use crate::execution::rights;
use crate::search::Index;

/// What commands that read indexes have in common. Inside a transaction or a script they hold every
/// shard, as documents may be in any.
const READS: Spec = Spec {
    group: Group::Search,
    since: "1.0.0",
    categories: &[Category::Search],
    flags: &[Flag::ReadOnly],
    behaviour: Behaviour::NEW.locks(|_| Locks::Each),
    ..Spec::NEW
};

/// What commands that change them have in common.
const CHANGES: Spec = Spec { flags: &[Flag::Write], ..READS };

/// What is answered where there is no such index, by commands about indexes.
const UNKNOWN: CmdError = CmdError::new("Unknown index name");

/// What is answered to a user who may not read all that an index is of.
const NO_RIGHT: CmdError =
    CmdError::new("NOPERM User does not have the required permissions to query the index");

/// The rows of this family.
pub(crate) fn rows() -> Vec<(&'static Spec, Action)> {
    let mut rows = Vec::new();
    rows.extend(aggregate::rows());
    rows.extend(alias::rows());
    rows.extend(check::rows());
    rows.extend(config::rows());
    rows.extend(create::rows());
    rows.extend(dictionary::rows());
    rows.extend(explain::rows());
    rows.extend(info::rows());
    rows.extend(query::rows());
    rows.extend(spelling::rows());
    rows
}

/// An error of the crate `search`, as it is answered.
fn refused(error: ::search::error::Error) -> CmdError {
    CmdError::owned(error.0)
}

impl Control<'_> {
    /// The index of this name or alias, with its own name, for a command that tells of it as a
    /// whole or changes it.
    ///
    /// # Errors
    /// There is none, or its user may not read all of its documents.
    fn index(&mut self, command: &str, name: &[u8]) -> Result<(Box<[u8]>, Arc<Index>), CmdError> {
        let known = self.engine.catalog.known();
        let (name, index) = known.index(self.session.db, name).ok_or(UNKNOWN)?;
        self.may_read_all(command, &index.definition)?;
        Ok((name.into(), Arc::clone(index)))
    }

    /// Whether the session's user may read all keys that an index is of.
    ///
    /// # Errors
    /// It may not.
    fn may_read_all(&mut self, command: &str, definition: &Definition) -> Result<(), CmdError> {
        let entry = self.engine.table.find_own(&[command.as_bytes()]).ok_or(NO_RIGHT)?;
        let prefixes = definition.prefixes.iter().map(|prefix| &prefix[..]);
        match rights::may_read_all(self.engine, self.session, entry, prefixes) {
            true => Ok(()),
            false => Err(NO_RIGHT),
        }
    }

    /// The keys that the session's user may read by a command, if not all.
    fn readable(&mut self, command: &str) -> Option<store::KeyFilter> {
        let entry = self.engine.table.find_own(&[command.as_bytes()])?;
        rights::key_filter(self.engine, self.session, entry)
    }
}
