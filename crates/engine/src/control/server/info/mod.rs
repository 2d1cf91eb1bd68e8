//! INFO: the server described by itself, in the sections and fields of Redis that monitoring
//! tools read. A field that would have to be made up is left out.

mod indexes;
mod memory;
mod persistence;
pub(super) mod process;
mod sections;
mod statistics;

use std::fmt::{Display, Write};

use base::{Args, Category, CmdError, Command, Locks, Reply, RunTime, Spec};
use wire::RespWriter;

use super::SERVER;
use crate::control::{Act, Control, acts};
use crate::engine::entry::Action;

/// The row of this command.
pub(super) fn rows() -> Vec<(&'static Spec, Action)> {
    acts![Info]
}

/// Describes the server.
pub struct Info<'a> {
    sections: &'a [&'a [u8]],
}

impl<'a> Command<'a> for Info<'a> {
    const SPEC: Spec = Spec {
        name: "info",
        summary: "Describes the server in sections of `field:value` lines.",
        complexity: "O(N) in the number of shards and databases",
        grammar: "[section:string...]",
        categories: &[Category::Dangerous],
        tips: &["nondeterministic_output", "request_policy:all_shards", "response_policy:special"],
        // The keyspace section walks the shards.
        behaviour: SERVER.behaviour.locks(|_| Locks::Each).run_time(RunTime::Short),
        history: &[("7.0.0", "Several sections at a time.")],
        ..SERVER
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Ok(Info { sections: args.rest() })
    }
}

/// One section.
struct Section {
    /// The heading; in lower case, the name to ask for.
    title: &'static str,
    /// Shown when nothing is asked for.
    by_default: bool,
    write: fn(&mut Control<'_>, &mut Lines),
}

/// Every section, in the order in which they are shown.
const SECTIONS: &[Section] = &[
    Section { title: "Server", by_default: true, write: sections::server },
    Section { title: "Clients", by_default: true, write: sections::clients },
    Section { title: "Memory", by_default: true, write: memory::memory },
    Section { title: "Persistence", by_default: true, write: persistence::persistence },
    Section { title: "Stats", by_default: true, write: statistics::stats },
    Section { title: "Replication", by_default: true, write: sections::replication },
    Section { title: "CPU", by_default: true, write: sections::cpu },
    Section { title: "Modules", by_default: true, write: sections::modules },
    Section { title: "Commandstats", by_default: false, write: statistics::commands },
    Section { title: "Errorstats", by_default: true, write: statistics::errors },
    Section { title: "Latencystats", by_default: false, write: statistics::latencies },
    Section { title: "Cluster", by_default: true, write: sections::cluster },
    Section { title: "Rangeindex", by_default: true, write: indexes::indexes },
    Section { title: "Keyspace", by_default: true, write: sections::keyspace },
];

impl Section {
    fn is_asked_for(&self, words: &[&[u8]]) -> bool {
        if words.is_empty() {
            return self.by_default;
        }
        words.iter().any(|word| {
            let is = |name: &str| word.eq_ignore_ascii_case(name.as_bytes());
            is(self.title) || is("all") || is("everything") || (is("default") && self.by_default)
        })
    }
}

/// The text as it grows.
#[derive(Default)]
struct Lines {
    text: String,
}

impl Lines {
    /// `name:value`
    fn put(&mut self, name: &str, value: impl Display) {
        // Writing to a string cannot fail.
        let _ = write!(self.text, "{name}:{value}\r\n");
    }

    /// `name:value` and `name_human:` with a unit.
    fn put_bytes(&mut self, name: &str, bytes: usize) {
        self.put(name, bytes);
        self.put(&format!("{name}_human"), human(bytes));
    }

    /// Fields that are zero because what they count does not exist here.
    fn put_zeros(&mut self, names: &[&str]) {
        for name in names {
            self.put(name, 0);
        }
    }
}

impl Act for Info<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let mut lines = Lines::default();
        for section in SECTIONS.iter().filter(|section| section.is_asked_for(self.sections)) {
            if !lines.text.is_empty() {
                lines.text += "\r\n";
            }
            lines.text += &format!("# {}\r\n", section.title);
            (section.write)(control, &mut lines);
        }
        out.verbatim("txt", lines.text.as_bytes());
        Ok(())
    }
}

/// Bytes with a unit, two decimals from kibibytes on.
fn human(bytes: usize) -> String {
    const UNITS: [&str; 5] = ["K", "M", "G", "T", "P"];
    if bytes < 1024 {
        return format!("{bytes}B");
    }
    // Lossy only beyond 2^53 bytes.
    let mut amount = bytes as f64 / 1024.0;
    let mut unit = 0;
    while amount >= 1024.0 && unit + 1 < UNITS.len() {
        amount /= 1024.0;
        unit += 1;
    }
    format!("{amount:.2}{}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::human;

    #[test]
    fn bytes_are_shown_as_redis_shows_them() {
        let shown = [0, 1023, 1024, 2_895_152, 25_276_502_016, 1 << 40].map(human);
        assert_eq!(shown, ["0B", "1023B", "1.00K", "2.76M", "23.54G", "1.00T"]);
    }
}
