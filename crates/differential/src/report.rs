//! What a run has found, grouped, in a form to work from.
//!
//! One group is one mistake as far as can be told: the command and the kind of difference. Each
//! shows the first case, both replies, and the shortest list of commands that repeats it.

use std::collections::BTreeSet;
use std::fmt;

/// One group of like differences.
#[derive(Clone, Debug)]
pub struct Group {
    /// The command's title.
    pub title: String,
    /// The kind of difference.
    pub kind: String,
    /// Where it was first seen: family, protocol, seed, step.
    pub origin: String,
    /// What was sent.
    pub command: String,
    /// Both replies.
    pub replies: [String; 2],
    /// The shortest list that repeats it.
    pub steps: Vec<String>,
    /// Whether the list repeats it on empty servers.
    pub repeats: bool,
    /// How often it was seen.
    pub seen: usize,
}

/// The outcome of one family under one protocol.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// What was run, for headings.
    pub heading: String,
    /// The names of both servers.
    pub names: [String; 2],
    /// Steps run.
    pub steps: usize,
    /// Comparisons of all data.
    pub comparisons: usize,
    /// The differences, in the order found.
    pub groups: Vec<Group>,
    /// Commands the second server does not know.
    pub missing: BTreeSet<String>,
    /// Differences accepted by the list of known ones.
    pub accepted: usize,
    /// Set when the run ended early.
    pub stopped: Option<String>,
}

impl Report {
    /// Whether the servers agreed.
    #[must_use]
    pub fn clean(&self) -> bool {
        self.groups.is_empty() && self.missing.is_empty() && self.stopped.is_none()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = if self.clean() {
            "no differences".to_owned()
        } else {
            format!("{} kinds of difference", self.groups.len())
        };
        write!(f, "{}: {} steps, ", self.heading, self.steps)?;
        if self.comparisons > 0 {
            write!(f, "data compared {} times, ", self.comparisons)?;
        }
        write!(f, "{verdict}")?;
        if self.accepted > 0 {
            write!(f, ", {} accepted ones", self.accepted)?;
        }
        writeln!(f)?;
        if !self.missing.is_empty() {
            let names: Vec<&str> = self.missing.iter().map(String::as_str).collect();
            writeln!(f, "  unknown to {}: {}", self.names[1], names.join(" "))?;
        }
        for (number, group) in self.groups.iter().enumerate() {
            group.print(f, number + 1, &self.names)?;
        }
        if let Some(reason) = &self.stopped {
            writeln!(f, "  STOPPED: {reason}")?;
        }
        Ok(())
    }
}

impl Group {
    fn print(&self, f: &mut fmt::Formatter<'_>, number: usize, names: &[String; 2]) -> fmt::Result {
        writeln!(f, "\n  #{number} {} | {}", self.title, self.kind)?;
        writeln!(f, "     seen {}x, first: {}", self.seen, self.origin)?;
        writeln!(f, "     sent    {}", self.command)?;
        let width = names.iter().map(String::len).max().unwrap_or(0).max(7);
        for (name, reply) in names.iter().zip(&self.replies) {
            writeln!(f, "     {name:width$} {reply}")?;
        }
        let label = if self.repeats { "repeat" } else { "before (does not repeat alone)" };
        const SHOWN: usize = 30;
        if self.steps.len() > SHOWN {
            let left_out = self.steps.len() - SHOWN;
            writeln!(f, "     (could not be made short; {left_out} earlier steps left out)")?;
        }
        let from = self.steps.len().saturating_sub(SHOWN);
        for (at, line) in self.steps[from..].iter().enumerate() {
            if at == 0 && self.repeats {
                writeln!(f, "     {label:7} {line}")?;
            } else if at == 0 {
                writeln!(f, "     {label}\n             {line}")?;
            } else {
                writeln!(f, "             {line}")?;
            }
        }
        Ok(())
    }
}
