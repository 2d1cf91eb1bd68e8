//! What Redis has no figure for: how long each command takes as a histogram, the journal,
//! snapshots, recovery, shards, and this port itself.

use std::sync::atomic::Ordering;

use engine::Engine;

use super::fields;
use super::write::{MetricKind, Page, decimal};
use crate::counts::Counts;
use crate::port::Http;
use crate::route::ROUTES;

/// Fields of `INFO`, their metrics without `kvist_`, the digits behind the point that are lost in
/// whole numbers of the field, what they are, what they say.
const ROWS: &[(&str, &str, usize, MetricKind, &str)] = &[
    ("shards", "shards", 0, MetricKind::Gauge, "Shards of the data, with a lock each."),
    ("io_threads", "io_threads", 0, MetricKind::Gauge, "Threads that serve clients."),
    ("journal_segment", "journal_segment", 0, MetricKind::Gauge, "The journal's present file."),
    ("journal_frames", "journal_frames_total", 0, MetricKind::Counter, "Frames written."),
    ("journal_syncs", "journal_syncs_total", 0, MetricKind::Counter, "Times the disk confirmed."),
    (
        "journal_last_sync_usec",
        "journal_last_sync_seconds",
        6,
        MetricKind::Gauge,
        "How long the disk last took to confirm.",
    ),
    (
        "journal_longest_sync_usec",
        "journal_longest_sync_seconds",
        6,
        MetricKind::Gauge,
        "The longest it took.",
    ),
    ("aof_current_size", "journal_bytes", 0, MetricKind::Gauge, "Size of the journal."),
    ("aof_buffer_length", "journal_waiting_bytes", 0, MetricKind::Gauge, "Bytes not yet written."),
    ("rdb_saves", "snapshots_total", 0, MetricKind::Counter, "Snapshots made."),
    ("aof_base_size", "snapshot_bytes", 0, MetricKind::Gauge, "Size of the snapshot in force."),
    (
        "recovery_snapshot_keys",
        "recovery_snapshot_keys",
        0,
        MetricKind::Gauge,
        "Keys read at the start.",
    ),
    (
        "recovery_journal_records",
        "recovery_journal_records",
        0,
        MetricKind::Gauge,
        "Records of the journal applied at the start.",
    ),
    ("recovery_bytes", "recovery_bytes", 0, MetricKind::Gauge, "Bytes read at the start."),
    (
        "recovery_msec",
        "recovery_seconds",
        3,
        MetricKind::Gauge,
        "How long the start took to read them.",
    ),
    (
        "recovery_cut_bytes",
        "recovery_cut_bytes",
        0,
        MetricKind::Gauge,
        "Bytes of a torn end that the start cut off.",
    ),
    (
        "used_memory_range_index",
        "range_index_bytes",
        0,
        MetricKind::Gauge,
        "Memory of the ordered indexes of keys.",
    ),
    (
        "evicted_clients",
        "evicted_clients_total",
        0,
        MetricKind::Counter,
        "Clients closed for memory.",
    ),
];

/// Writes all of them.
pub fn write(page: &mut Page, http: &Http, info: &str) {
    let engine = &http.workers.engine;
    page.metric("kvist_info", MetricKind::Gauge, "The version.");
    page.sample("kvist_info", &[("version", env!("CARGO_PKG_VERSION"))], 1);
    let ready = u8::from(engine.hindrance().is_none());
    page.one("kvist_ready", MetricKind::Gauge, "Whether reads and writes are served.", ready);
    for (field, name, digits, kind, help) in ROWS {
        let found = fields(info).find(|(found, _)| found == field);
        if let Some(number) = found.and_then(|(_, text)| text.parse::<u64>().ok()) {
            page.one(&format!("kvist_{name}"), *kind, help, decimal(number, *digits));
        }
    }
    requests(page, &http.counts);
    latencies(page, engine);
}

/// How long each command took. There if `latency-tracking` is on.
fn latencies(page: &mut Page, engine: &Engine) {
    let metric = "kvist_command_duration_seconds";
    page.metric(metric, MetricKind::Histogram, "How long commands took.");
    let (bucket, sum, count) =
        (format!("{metric}_bucket"), format!("{metric}_sum"), format!("{metric}_count"));
    for entry in engine.table.entries() {
        let Some(histogram) = engine.metrics.stats.latency(entry.number) else { continue };
        let cmd = entry.name();
        for (nanos, runs) in histogram.ends() {
            let end = decimal(nanos, 9);
            page.sample(&bucket, &[("cmd", cmd), ("le", &end)], runs);
        }
        let runs = histogram.runs();
        page.sample(&bucket, &[("cmd", cmd), ("le", "+Inf")], runs);
        page.sample(&sum, &[("cmd", cmd)], decimal(histogram.nanos(), 9));
        page.sample(&count, &[("cmd", cmd)], runs);
    }
}

/// Requests by route and status, and connections.
fn requests(page: &mut Page, counts: &Counts) {
    let label = |at: usize| match ROUTES.get(at) {
        Some(route) => (route.method, route.path),
        None => ("", "none"),
    };
    let metric = "kvist_http_requests_total";
    page.metric(metric, MetricKind::Counter, "Requests by route and class of status.");
    for (at, by_status) in counts.requests.iter().enumerate() {
        let (method, path) = label(at);
        for (class, count) in by_status.iter().enumerate() {
            let count = count.load(Ordering::Relaxed);
            if count > 0 {
                let class = format!("{class}xx");
                let labels = [("method", method), ("route", path), ("status", &class)];
                page.sample(metric, &labels, count);
            }
        }
    }
    let metric = "kvist_http_request_duration_seconds_total";
    page.metric(metric, MetricKind::Counter, "Time from a request's head to its answer's.");
    for (at, nanos) in counts.nanos.iter().enumerate() {
        let (method, path) = label(at);
        let nanos = nanos.load(Ordering::Relaxed);
        if nanos > 0 {
            page.sample(metric, &[("method", method), ("route", path)], decimal(nanos, 9));
        }
    }
    let open = counts.open.load(Ordering::Relaxed);
    page.one("kvist_http_connections", MetricKind::Gauge, "Connections to this port.", open);
    let refused = counts.refused.load(Ordering::Relaxed);
    let name = "kvist_http_refused_connections_total";
    page.one(name, MetricKind::Counter, "Connections refused here.", refused);
}
