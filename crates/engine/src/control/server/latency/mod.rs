//! LATENCY: pauses that were long (see `latency_monitor.rs` of the crate), and histograms of how
//! long commands take.

mod doctor;

use base::{CmdError, Reply, Spec};
use wire::RespWriter;

use super::{ADMIN, SERVER};
use crate::control::help::{HELP, help};
use crate::control::{Act, Control, acts, bare, container, worded};
use crate::engine::Engine;
use crate::engine::entry::{Action, Entry};
use crate::metrics::latency::Histogram;
use crate::metrics::latency_monitor::{LatencySample, Series};
use crate::metrics::sparkline;

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
    /// Lists the latest sample of every event.
    LatencyLatest,
    Spec {
        name: "latency|latest",
        summary: "Lists the latest pause of every kind.",
        ..LATENCY
    }
}

impl Act for LatencyLatest<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let all = control.engine.metrics.latency_monitor.all();
        out.array(all.len());
        for (event, series) in all {
            out.array(4);
            out.bulk(event.as_bytes());
            let latest = series.latest().map_or((0, 0), |sample| (sample.second, sample.millis));
            out.int(number(latest.0));
            out.int(number(latest.1));
            out.int(number(series.longest));
        }
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
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let threshold = control.context.config.logging.latency_monitor_threshold;
        let text = doctor::report(threshold, &control.engine.metrics.latency_monitor.all());
        out.verbatim("txt", text.as_bytes());
        Ok(())
    }
}

worded! {
    /// Lists the samples of an event.
    LatencyHistory,
    Spec {
        name: "latency|history",
        summary: "Lists the recorded pauses of one kind.",
        grammar: "event:string",
        ..LATENCY
    },
    |control, words, out| {
        let series = series(control, words).1.unwrap_or_default();
        out.array(series.samples.len());
        for sample in series.samples {
            out.array(2);
            out.int(number(sample.second));
            out.int(number(sample.millis));
        }
        Ok(())
    }
}

worded! {
    /// Draws the samples of an event.
    LatencyGraph,
    Spec {
        name: "latency|graph",
        summary: "Draws the recorded pauses of one kind.",
        grammar: "event:string",
        ..LATENCY
    },
    |control, words, out| {
        let (event, series) = series(control, words);
        let Some(series) = series else {
            let event = words.first().copied().unwrap_or_default();
            return Err(CmdError::quoting("ERR No samples available for event '", event, "'"));
        };
        out.verbatim("txt", graph(&event, &series, control.context.now / 1000).as_bytes());
        Ok(())
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
    |control, events, out| {
        let monitor = &control.engine.metrics.latency_monitor;
        let forgotten = match events {
            [] => monitor.forget_all(),
            _ => events.iter().filter(|e| monitor.forget(&String::from_utf8_lossy(e))).count(),
        };
        out.count(forgotten);
        Ok(())
    }
}

/// The event that is asked for, and what is kept of it.
fn series(control: &Control<'_>, words: &[&[u8]]) -> (String, Option<Series>) {
    let event = String::from_utf8_lossy(words.first().copied().unwrap_or_default()).into_owned();
    let series = control.engine.metrics.latency_monitor.of(&event);
    (event, series)
}

/// A chart of samples, labelled with how long ago each was.
fn graph(event: &str, series: &Series, now: u64) -> String {
    let millis = || series.samples.iter().map(|sample| sample.millis);
    let (high, low) = (millis().max().unwrap_or(0), millis().min().unwrap_or(0));
    let labelled = |sample: &LatencySample| (sample.millis, ago(now.saturating_sub(sample.second)));
    let samples: Vec<_> = series.samples.iter().map(labelled).collect();
    format!(
        "{event} - high {high} ms, low {low} ms (all time high {} ms)\n{}\n{}",
        series.longest,
        "-".repeat(sparkline::COLUMNS),
        sparkline::draw(&samples)
    )
}

/// A time in its largest unit.
fn ago(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m", seconds / 60),
        3600..86_400 => format!("{}h", seconds / 3600),
        _ => format!("{}d", seconds / 86_400),
    }
}

fn number(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
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
        asked.extend(entry.naming.children.iter().map(|&child| &entries[child]));
    }
    if names.is_empty() {
        asked.extend(engine.table.callable());
    }
    let found: Vec<(&Entry, Histogram)> = asked
        .into_iter()
        .filter_map(|entry| Some((entry, engine.metrics.stats.latency(entry.number)?)))
        .collect();
    out.map(found.len());
    for (entry, histogram) in found {
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
