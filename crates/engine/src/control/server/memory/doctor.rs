//! MEMORY DOCTOR: what is worth a look, in words.

use std::fmt::Write;

use base::{CmdError, Reply, RunTime, Spec};
use wire::RespWriter;

use super::{DESCRIBES, Figures, MEMORY, WALKS};
use crate::control::{Act, Control, bare};

/// Below this nothing is worth a word.
const LITTLE: usize = 5 << 20;
/// Memory the process holds without use is worth a word from here on.
const MUCH_UNUSED: usize = 10 << 20;
/// A connection's buffers are large from here on, on average.
const LARGE_BUFFERS: usize = 200 << 10;

bare! {
    /// Reports how memory is used.
    MemoryDoctor,
    Spec {
        name: "memory|doctor",
        summary: "Says what is remarkable about the use of memory.",
        complexity: "O(N) in the number of shards and databases",
        tips: DESCRIBES,
        behaviour: MEMORY.behaviour.locks(WALKS).run_time(RunTime::Short),
        ..MEMORY
    }
}

impl Act for MemoryDoctor<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let figures = Figures::take(control);
        let connections = control.engine.clients.len();
        let limit = control.engine.config().memory.maxmemory;
        out.verbatim("txt", report(&figures, connections, limit).as_bytes());
        Ok(())
    }
}

fn report(figures: &Figures, connections: usize, limit: Option<u64>) -> String {
    if figures.used < LITTLE {
        return "Less than 5 MB are in use: too little to say anything about.\n".to_owned();
    }
    let mib = |bytes: usize| bytes >> 20;
    let mut text = String::new();
    // Writing to a string cannot fail.
    if figures.peak > figures.used / 2 * 3 {
        let (peak, used) = (mib(figures.peak), mib(figures.used));
        let _ = writeln!(
            text,
            "* Peak: {peak} MB were in use once, {used} MB are now. The process may still hold \
             more than it uses; MEMORY PURGE gives that back."
        );
    }
    let unused = figures.resident.unwrap_or(0).saturating_sub(figures.used);
    if unused > MUCH_UNUSED && unused > figures.used / 5 * 2 {
        let _ = writeln!(
            text,
            "* Unused memory: the process holds {} MB beyond the {} MB in use. MEMORY PURGE gives \
             back what is free as a whole; what remains is used again by new data.",
            mib(unused),
            mib(figures.used)
        );
    }
    if connections > 0 && figures.clients / connections > LARGE_BUFFERS {
        let _ = writeln!(
            text,
            "* Buffers: {connections} connections have {} MB of requests and replies waiting. \
             CLIENT LIST shows whose (qbuf, omem); client-output-buffer-limit bounds them.",
            mib(figures.clients)
        );
    }
    if limit.is_some_and(|limit| figures.used as u64 > limit / 100 * 95) {
        let _ = writeln!(text, "* Limit: more than 95 % of maxmemory is in use.");
    }
    match text.is_empty() {
        true => "Nothing remarkable about the use of memory.\n".to_owned(),
        false => format!("Worth a look:\n\n{text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(used: usize, peak: usize, clients: usize, resident: usize) -> Figures {
        let resident = Some(resident);
        Figures {
            indexes: 0,
            kept: 0,
            change_backlog: 0,
            records: 0,
            used,
            peak,
            clients,
            scripting: [0; 4],
            journal: 0,
            resident,
            databases: Vec::new(),
        }
    }

    #[test]
    fn only_what_is_remarkable_is_told() {
        let mib = 1 << 20;
        let quiet = figures(100 * mib, 110 * mib, mib, 110 * mib);
        assert!(report(&quiet, 10, None).starts_with("Nothing"));
        assert!(report(&figures(mib, 90 * mib, 0, 90 * mib), 1, None).starts_with("Less"));
        let loud = report(&figures(100 * mib, 200 * mib, 90 * mib, 200 * mib), 9, Some(1));
        for word in ["* Peak", "* Unused", "* Buffers", "* Limit"] {
            assert!(loud.contains(word), "{loud}");
        }
    }
}
