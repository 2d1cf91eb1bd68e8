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
    /// The index of this name or alias, with its own name.
    ///
    /// # Errors
    /// There is none.
    fn index(&self, name: &[u8]) -> Result<(Box<[u8]>, Arc<Index>), CmdError> {
        let known = self.engine.catalog.known();
        let (name, index) = known.index(self.session.db, name).ok_or(UNKNOWN)?;
        Ok((name.into(), Arc::clone(index)))
    }

    /// The keys that the session's user may read by a command, if not all.
    fn readable(&mut self, command: &str) -> Option<store::KeyFilter> {
        let entry = self.engine.table.find_own(&[command.as_bytes()])?;
        rights::key_filter(self.engine, self.session, entry)
    }
}
