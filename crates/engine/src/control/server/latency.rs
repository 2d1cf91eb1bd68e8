//! LATENCY. Histograms of how long commands take are kept; spikes are not sampled: answers about
//! those are of a server on which none has been recorded, and `DOCTOR` says so.

use base::{CmdError, Reply, Spec};
use wire::RespWriter;

use super::{ADMIN, SERVER};
use crate::control::help::{HELP, help};
use crate::control::{Act, Control, acts, bare, container, worded};
use crate::engine::Engine;
use crate::latency::Histogram;
use crate::table::{Action, Entry};

static CONTAINER: Spec = Spec {
    name: "latency",
    since: "2.8.13",
    summary: "Tells of pauses.",
    complexity: "Depends on subcommand.",
    flags: &[],
    ..SERVER
};

const LATENCY: Spec = Spec {
    since: "2.8.13",
    flags: ADMIN,
    tips: &["nondeterministic_output", "request_policy:all_nodes", "response_policy:special"],
    ..SERVER
};

help! {
    /// LATENCY HELP.
    LatencyHelp,
    Spec { name: "latency|help", group: SERVER.group, since: "2.8.13", ..HELP }
}

/// The rows of this family.
pub(super) fn rows() -> Vec<(&'static Spec, Action)> {
    let mut rows = acts![
        LatencyDoctor,
        LatencyGraph,
        LatencyHelp,
        LatencyHistogram,
        LatencyHistory,
        LatencyLatest,
        LatencyReset,
    ];
    rows.push(container(&CONTAINER));
    rows
}

bare! {
    /// Lists the latest spike of every event: none.
    LatencyLatest,
    Spec {
        name: "latency|latest",
        summary: "Lists the latest pause of every kind.",
        ..LATENCY
    }
}

impl Act for LatencyLatest<'_> {
    fn act(self, _: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        out.array(0);
        Ok(())
    }
}

bare! {
    /// Explains what was recorded.
    LatencyDoctor,
    Spec {
        name: "latency|doctor",
        summary: "Explains the pauses that were recorded.",
        ..LATENCY
    }
}

impl Act for LatencyDoctor<'_> {
    fn act(self, _: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let text = "This server records no pauses. SLOWLOG GET shows requests that took long, \
                    LATENCY HISTOGRAM and INFO latencystats how long commands take.\n";
        out.verbatim("txt", text.as_bytes());
        Ok(())
    }
}

worded! {
    /// Lists the samples of an event: none.
    LatencyHistory,
    Spec {
        name: "latency|history",
        summary: "Lists the recorded pauses of one kind.",
        grammar: "event:string",
        ..LATENCY
    },
    |_, _, out| {
        out.array(0);
        Ok(())
    }
}

worded! {
    /// Draws the samples of an event: there are none.
    LatencyGraph,
    Spec {
        name: "latency|graph",
        summary: "Draws the recorded pauses of one kind.",
        grammar: "event:string",
        ..LATENCY
    },
    |_, events, _| {
        let event = String::from_utf8_lossy(events.first().copied().unwrap_or_default());
        Err(CmdError::owned(format!("ERR No samples available for event '{event}'")))
    }
}

worded! {
    /// Forgets samples; how many events had any.
    LatencyReset,
    Spec {
        name: "latency|reset",
        summary: "Forgets recorded pauses.",
        grammar: "[event:string...]",
        tips: &["request_policy:all_nodes", "response_policy:all_succeeded"],
        ..LATENCY
    },
    |_, _, out| {
        out.int(0);
        Ok(())
    }
}

worded! {
    /// Shows how long commands take.
    LatencyHistogram,
    Spec {
        name: "latency|histogram",
        since: "7.0.0",
        summary: "Shows how long commands take, by powers of two.",
        complexity: "O(N) in the number of commands shown",
        grammar: "[command:string...]",
        ..LATENCY
    },
    |control, commands, out| {
        histograms(control.engine, commands, out);
        Ok(())
    }
}

/// The histograms of these commands and of the subcommands of these containers; of all without
/// names.
fn histograms(engine: &Engine, names: &[&[u8]], out: &mut RespWriter<'_>) {
    let entries = engine.table.entries();
    let mut asked: Vec<&Entry> = Vec::new();
    for entry in names.iter().filter_map(|name| engine.table.by_name(name)) {
        asked.push(entry);
        asked.extend(entry.children.iter().map(|&child| &entries[child]));
    }
    if names.is_empty() {
        asked.extend(entries);
    }
    let found: Vec<(&Entry, Histogram)> = asked
        .into_iter()
        .filter_map(|entry| Some((entry, engine.stats.latency(entry.number)?)))
        .collect();
    out.map(found.len());
    for (entry, histogram) in found {
        let number = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
        out.bulk(entry.name().as_bytes());
        out.map(2);
        out.bulk(b"calls");
        out.int(number(histogram.runs()));
        out.bulk(b"histogram_usec");
        let steps = histogram.steps();
        out.map(steps.len());
        for (micros, runs) in steps {
            out.int(number(micros));
            out.int(number(runs));
        }
    }
}
