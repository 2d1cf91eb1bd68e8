//! All settings by name: their values, where each came from, CONFIG GET, and what to warn about.
//!
//! Loading is in `load`, CONFIG SET in `set`. This file must never parse or render a value itself.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use base::glob;

use crate::directive::{Directive, Support};
use crate::error::{LoadError, Source};
use crate::value::{self, Value};

/// The value of every directive.
///
/// Where several sources set the same directive the stronger one wins, in whatever order they are
/// applied: command line, then files, then environment, then defaults.
#[derive(Clone, Debug)]
pub struct Settings {
    pub(crate) slots: Vec<Slot>,
    /// Every name and alias, in lower case.
    names: HashMap<&'static str, usize>,
    /// Warnings that belong to no value.
    pub(crate) notes: Vec<String>,
    pub(crate) users: Vec<UserLine>,
    pub(crate) renames: Vec<RenameLine>,
}

/// A `rename-command` line as it was read. This crate does not know which commands there are.
#[derive(Clone, Debug)]
pub struct RenameLine {
    /// Where it stands.
    pub source: Source,
    /// What stands there.
    pub text: String,
    /// The name by which the command is called so far.
    pub from: Vec<u8>,
    /// The one by which it is to be called; empty for none.
    pub to: Vec<u8>,
}

impl RenameLine {
    /// The error for a line that cannot be accepted.
    #[must_use]
    pub fn rejected(&self, reason: String) -> LoadError {
        LoadError::Rejected { source: self.source.clone(), text: self.text.clone(), reason }
    }
}

/// A `user` line as it was read. What its words mean is known to the crates that know the commands.
#[derive(Clone, Debug)]
pub struct UserLine {
    /// Where it stands.
    pub source: Source,
    /// The name, then the rules.
    pub words: Vec<Vec<u8>>,
}

impl UserLine {
    /// The error for a line that cannot be accepted.
    #[must_use]
    pub fn rejected(&self, reason: String) -> LoadError {
        let words = self.words.iter().map(|word| match word.first() {
            // This ends in logs.
            Some(b'>' | b'<') => "(redacted)".into(),
            _ => String::from_utf8_lossy(word),
        });
        let text = std::iter::once("user".into()).chain(words).collect::<Vec<_>>().join(" ");
        LoadError::Rejected { source: self.source.clone(), text, reason }
    }
}

/// One directive and its value.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    pub directive: &'static Directive,
    pub value: Value,
    pub default: Value,
    pub rank: Rank,
    pub source: Option<Source>,
}

/// How strong a source is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    Default,
    /// Variables that another program is configured with.
    OtherEnvironment,
    Environment,
    File,
    CommandLine,
    RunTime,
}

impl Settings {
    /// These directives at their defaults, on a machine with that many cores.
    pub(crate) fn defaults(
        directives: impl Iterator<Item = &'static Directive>,
        cores: usize,
    ) -> Self {
        let slots: Vec<Slot> = directives
            .map(|directive| {
                let value = default_of(directive, cores);
                Slot { directive, default: value.clone(), value, rank: Rank::Default, source: None }
            })
            .collect();
        let mut names = HashMap::new();
        for (at, slot) in slots.iter().enumerate() {
            names.insert(slot.directive.name, at);
            names.extend(slot.directive.alias.map(|alias| (alias, at)));
        }
        Self { slots, names, notes: Vec::new(), users: Vec::new(), renames: Vec::new() }
    }

    /// The directive of that name or alias, in any case: its own spelling of the name, and its
    /// place.
    pub(crate) fn find(&self, name: &str) -> Option<(&'static str, usize)> {
        let lower = name.to_ascii_lowercase();
        self.names.get_key_value(lower.as_str()).map(|(&name, &at)| (name, at))
    }

    /// The value of the directive of that name or alias.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.find(name).map(|(_, at)| &self.slots[at].value)
    }

    /// What CONFIG GET answers for these names and patterns, in no particular order.
    ///
    /// A name without `*`, `?` and `[` comes back as it was spelled; each directive comes once, and
    /// its alias is a directive of its own here.
    #[must_use]
    pub fn get<P: AsRef<[u8]>>(&self, patterns: &[P]) -> Vec<(String, Vec<u8>)> {
        let mut seen: HashSet<&'static str> = HashSet::new();
        let mut found = Vec::new();
        for pattern in patterns.iter().map(AsRef::as_ref) {
            if pattern.iter().any(|byte| b"*?[".contains(byte)) {
                for (&name, &at) in &self.names {
                    let slot = &self.slots[at];
                    if !slot.directive.hidden
                        && !seen.contains(name)
                        && glob::matches_ignore_case(pattern, name.as_bytes())
                    {
                        seen.insert(name);
                        found.push((name.to_owned(), slot.render()));
                    }
                }
            } else if let Ok(asked) = str::from_utf8(pattern)
                && let Some((name, at)) = self.find(asked)
                && seen.insert(name)
            {
                found.push((asked.to_owned(), self.slots[at].render()));
            }
        }
        found
    }

    /// Puts the absolute path of the data directory in the place of what was configured, once the
    /// server has made or found it: CONFIG GET dir shows an absolute path.
    pub fn resolve_dir(&mut self, absolute: &Path) {
        if let Some((_, at)) = self.find("dir") {
            self.slots[at].value =
                Value::Text(absolute.to_string_lossy().into_owned().into_bytes());
        }
    }

    /// Whether this directive was given a value, be it that of the default.
    #[must_use]
    pub fn is_given(&self, name: &str) -> bool {
        self.find(name).is_some_and(|(_, at)| {
            let slot = &self.slots[at];
            slot.rank != Rank::Default || slot.value != slot.default
        })
    }

    /// The users that were declared, in order.
    #[must_use]
    pub fn users(&self) -> &[UserLine] {
        &self.users
    }

    /// The commands that are to be called by other names, in order.
    #[must_use]
    pub fn renames(&self) -> &[RenameLine] {
        &self.renames
    }

    /// What the owner should be told at start: every setting that has no effect yet.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let pending = self.slots.iter().filter(|slot| slot.is_pending()).map(Slot::warning);
        pending.chain(self.notes.iter().cloned()).collect()
    }
}

impl Slot {
    /// The text CONFIG GET shows.
    pub(crate) fn render(&self) -> Vec<u8> {
        self.value.render(self.directive.kind)
    }

    /// Whether it asks for something this release doesn't do.
    pub(crate) fn is_pending(&self) -> bool {
        self.directive.support == Support::Pending && self.value != self.default
    }

    /// The warning that goes with that.
    pub(crate) fn warning(&self) -> String {
        let place = self.source.as_ref().map_or(String::new(), |source| format!("{source}: "));
        format!("{place}'{}' is known, but has no effect in this release", self.directive.name)
    }
}

/// The default of a directive as a value.
fn default_of(directive: &Directive, cores: usize) -> Value {
    if directive.is_computed() {
        let half = directive.default == Directive::HALF_OF_CORES;
        let threads = if half { cores / 2 } else { cores };
        return Value::Int(i64::try_from(threads).unwrap_or(i64::MAX).clamp(1, 128));
    }
    let args = if directive.kind.takes_many() {
        directive.default.split_whitespace().map(|arg| arg.as_bytes().to_vec()).collect()
    } else {
        vec![directive.default.as_bytes().to_vec()]
    };
    value::parse(directive, &args, None, false)
        .expect("a default is written in this crate, and a test reads them all")
}
