//! The statements that took longest on a graph.
//!
//! They are remembered with the graph, and go with it: a graph that is renamed keeps them, a copy
//! begins without any. Its versions and forks share the log, so a statement is noted wherever it
//! has run, under no lock of the graph's shard. What is kept is bounded: ten statements, of each
//! the beginning of its text. It counts among what values remember of their readers
//! ([`Versions::remembered`]).

use std::sync::{Arc, OnceLock};

use base::Versions;
use sync::Mutex;

/// So many are remembered.
const KEPT: usize = 10;
/// Bytes of a text that are kept, about.
const TEXT: usize = 2048;

/// A statement that took long.
#[derive(Clone, Debug, PartialEq)]
pub struct SlowStatement {
    /// When its request was begun, in seconds since 1970.
    pub at: u64,
    /// The command.
    pub command: &'static str,
    /// The beginning of its text, without the header.
    pub query: Box<str>,
    /// The beginning of its header, if it has one.
    pub parameters: Option<Box<str>>,
    /// How long it took, in milliseconds.
    pub millis: f64,
}

impl SlowStatement {
    fn memory(&self) -> usize {
        self.query.len() + self.parameters.as_ref().map_or(0, |text| text.len())
    }
}

/// The statements that took longest.
#[derive(Default)]
pub struct SlowLog {
    statements: Mutex<Vec<SlowStatement>>,
    /// Where what it takes counts.
    versions: OnceLock<Arc<Versions>>,
}

impl SlowLog {
    /// Bytes of a log without statements, shared as it is.
    pub const OWN: usize = size_of::<SlowLog>() + 2 * size_of::<usize>();

    /// Says where it counts what it takes. Before that nothing is remembered.
    pub fn count_in(&self, versions: &Arc<Versions>) {
        self.versions.get_or_init(|| versions.of_another_value());
    }

    /// Remembers a statement, if it is among those that took longest. One that is there already is
    /// there with its longest time.
    pub fn add(&self, statement: SlowStatement) {
        let Some(versions) = self.versions.get() else { return };
        let mut kept = self.statements.lock();
        let before = memory(&kept);
        let is_same = |other: &SlowStatement| {
            other.command == statement.command && other.query == statement.query
        };
        let same = kept.iter().position(is_same);
        if same.is_some_and(|at| kept[at].millis >= statement.millis) {
            return;
        }
        if let Some(at) = same {
            kept.remove(at);
        }
        let at = kept.partition_point(|other| other.millis >= statement.millis);
        if at < KEPT {
            let room = (KEPT + 1).saturating_sub(kept.len());
            kept.reserve_exact(room);
            kept.insert(at, statement);
            kept.truncate(KEPT);
        }
        versions.remember(memory(&kept), before);
    }

    /// Those that took longest, the slowest first.
    #[must_use]
    pub fn statements(&self) -> Vec<SlowStatement> {
        self.statements.lock().clone()
    }

    /// Forgets all.
    pub fn clear(&self) {
        self.forget(&mut self.statements.lock());
    }

    fn forget(&self, kept: &mut Vec<SlowStatement>) {
        let before = memory(kept);
        *kept = Vec::new();
        if let Some(versions) = self.versions.get() {
            versions.remember(0, before);
        }
    }
}

impl Drop for SlowLog {
    fn drop(&mut self) {
        self.clear();
    }
}

fn memory(kept: &Vec<SlowStatement>) -> usize {
    kept.capacity() * size_of::<SlowStatement>()
        + kept.iter().map(SlowStatement::memory).sum::<usize>()
}

/// The beginning of a text, with three dots if it goes on.
#[must_use]
pub fn beginning(text: &str) -> Box<str> {
    match cut_statement(text.as_bytes()) {
        None => text.into(),
        Some(at) => format!("{}...", &text[..at]).into(),
    }
}

/// Where the text of a statement is cut to show its beginning, if it is: never inside of a
/// character.
#[must_use]
pub fn cut_statement(text: &[u8]) -> Option<usize> {
    // A character has three bytes behind its first at most; what has more is no text.
    let goes_on = |at: usize| text.get(at).is_some_and(|byte| byte & 0xc0 == 0x80);
    let between = || (TEXT - 3..=TEXT).rfind(|&at| !goes_on(at)).unwrap_or(TEXT);
    (text.len() > TEXT).then(between)
}

#[cfg(test)]
#[path = "slow_log_tests.rs"]
mod tests;
