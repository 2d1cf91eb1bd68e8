//! CONFIG SET: many pairs, all or nothing.
//!
//! The order of the checks is Redis's, because it decides which of several errors is told: first
//! every name (unknown, immutable, protected, twice), then every value in the order given. What a
//! change means for sockets or threads is the server's affair: it gets [`Changes`], and gives them
//! back to [`Settings::revert`] when it can't carry them out.

use std::collections::HashSet;

use crate::directive::{Change, Support};
use crate::error::{SetError, Source};
use crate::load::{only_default, split_at_spaces};
use crate::settings::{Rank, Settings, Slot};
use crate::value::{self, Value};

/// Where a client is, which matters to protected directives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// On this machine.
    Local,
    /// Elsewhere.
    Remote,
}

/// What a CONFIG SET has changed.
#[derive(Clone, Debug)]
pub struct Changes {
    /// The directives whose values really are different now, or name a file that is to be read
    /// again, by their main names and in the order they were given.
    pub changed: Vec<&'static str>,
    /// What to tell the owner in the log.
    pub warnings: Vec<String>,
    /// The slots as they were, by place.
    before: Vec<(usize, Slot)>,
}

impl Changes {
    /// Whether the directive of this main name is among them.
    #[must_use]
    pub fn touch(&self, name: &str) -> bool {
        self.changed.contains(&name)
    }
}

impl Settings {
    /// Sets every pair of name and value, or none of them.
    ///
    /// # Errors
    /// The first thing wrong with the pairs, as Redis 7.0.15 would tell it.
    pub fn set<N, V>(&mut self, pairs: &[(N, V)], peer: Peer) -> Result<Changes, SetError>
    where
        N: AsRef<[u8]>,
        V: AsRef<[u8]>,
    {
        let places = self.check_names(pairs, peer)?;
        let mut planned = Vec::with_capacity(pairs.len());
        for (&(name, at), (_, text)) in places.iter().zip(pairs) {
            let value =
                self.plan(at, text.as_ref()).map_err(|reason| SetError::failed(name, &reason))?;
            planned.push((at, value));
        }
        Ok(self.commit(planned))
    }

    /// Whether to set one of these may take long, as it reaches out of the process: to files, or to
    /// a resolver of names.
    #[must_use]
    pub fn reaches_out<N: AsRef<[u8]>, V>(&self, pairs: &[(N, V)]) -> bool {
        let reaches = |name: &N| {
            let found = self.find(&String::from_utf8_lossy(name.as_ref()));
            found.is_some_and(|(_, at)| self.slots[at].directive.reaches_out())
        };
        pairs.iter().any(|(name, _)| reaches(name))
    }

    /// Undoes what [`set`](Self::set) has done.
    pub fn revert(&mut self, changes: Changes) {
        for (at, slot) in changes.before.into_iter().rev() {
            self.slots[at] = slot;
        }
    }

    /// Finds the directives, and refuses those that may not be set.
    fn check_names<N, V>(
        &self,
        pairs: &[(N, V)],
        peer: Peer,
    ) -> Result<Vec<(&'static str, usize)>, SetError>
    where
        N: AsRef<[u8]>,
    {
        let mut seen = HashSet::new();
        let mut places = Vec::with_capacity(pairs.len());
        for (typed, _) in pairs {
            let typed = typed.as_ref();
            let unknown = || SetError::UnknownOption(typed.to_vec());
            let typed = std::str::from_utf8(typed).map_err(|_| unknown())?;
            let (name, at) = self.find(typed).ok_or_else(unknown)?;
            match self.slots[at].directive.change {
                Change::Start => {
                    return Err(SetError::failed(typed, "can't set immutable config"));
                }
                Change::Protected if !self.may_change_protected(peer) => {
                    return Err(SetError::failed(typed, "can't set protected config"));
                }
                Change::Protected | Change::RunTime => {}
            }
            if !seen.insert(name) {
                return Err(SetError::failed(typed, "duplicate parameter"));
            }
            places.push((name, at));
        }
        Ok(places)
    }

    fn may_change_protected(&self, peer: Peer) -> bool {
        match self.value("enable-protected-configs") {
            Some(Value::Word("yes")) => true,
            Some(Value::Word("local")) => peer == Peer::Local,
            _ => false,
        }
    }

    /// The new value of a directive.
    fn plan(&self, at: usize, text: &[u8]) -> Result<Value, String> {
        let Slot { directive, value, default, .. } = &self.slots[at];
        let args =
            if directive.kind.takes_many() { split_at_spaces(text) } else { vec![text.to_vec()] };
        let planned = value::parse(directive, &args, Some(value), false)?;
        if directive.support == Support::DefaultOnly && planned != *default {
            return Err(only_default(directive));
        }
        Ok(planned)
    }

    fn commit(&mut self, planned: Vec<(usize, Value)>) -> Changes {
        let mut changes = Changes { changed: Vec::new(), warnings: Vec::new(), before: Vec::new() };
        for (at, value) in planned {
            let slot = &mut self.slots[at];
            changes.before.push((at, slot.clone()));
            let counts = slot.directive.reread || slot.value != value;
            if counts && !changes.touch(slot.directive.name) {
                changes.changed.push(slot.directive.name);
            }
            slot.value = value;
            slot.rank = Rank::RunTime;
            slot.source = Some(Source::RunTime);
            if slot.is_pending() {
                changes.warnings.push(slot.warning());
            }
        }
        changes
    }
}

#[cfg(test)]
#[path = "set_tests.rs"]
mod tests;
