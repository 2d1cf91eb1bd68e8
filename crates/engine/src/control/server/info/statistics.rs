//! INFO stats, commandstats, errorstats, latencystats: what the threads have counted, added up.

use std::sync::atomic::Ordering;

use super::Lines;
use crate::control::Control;
use crate::notify::pubsub::Topic;

pub(super) fn stats(control: &mut Control<'_>, lines: &mut Lines) {
    let engine = control.engine;
    let totals = engine.metrics.stats.totals();
    let [requests, input, output] = engine.metrics.stats.rates();
    lines.put("total_connections_received", totals.connections);
    lines.put("total_commands_processed", totals.executed);
    lines.put("instantaneous_ops_per_sec", format_args!("{requests:.0}"));
    lines.put("total_net_input_bytes", totals.net_input);
    lines.put("total_net_output_bytes", totals.net_output);
    lines.put_zeros(&["total_net_repl_input_bytes", "total_net_repl_output_bytes"]);
    lines.put("instantaneous_input_kbps", format_args!("{:.2}", input / 1024.0));
    lines.put("instantaneous_output_kbps", format_args!("{:.2}", output / 1024.0));
    lines.put("instantaneous_input_repl_kbps", "0.00");
    lines.put("instantaneous_output_repl_kbps", "0.00");
    lines.put("rejected_connections", totals.refused);
    lines.put_zeros(&["sync_full", "sync_partial_ok", "sync_partial_err"]);
    lines.put("expired_keys", engine.store.expired());
    lines.put("expired_stale_perc", format_args!("{:.2}", engine.metrics.stats.stale_percentage()));
    lines.put("expired_time_cap_reached_count", 0);
    lines.put("expire_cycle_cpu_milliseconds", engine.metrics.stats.expiring_millis());
    lines.put("evicted_keys", engine.store.evicted());
    lines.put("evicted_scripts", engine.scripts.cache.evicted());
    lines.put("evicted_clients", engine.metrics.stats.evicted_clients.load(Ordering::Relaxed));
    let (total, current) = engine.metrics.evictions.exceeded_millis(engine.run.clock.elapsed());
    lines.put("total_eviction_exceeded_time", total);
    lines.put("current_eviction_exceeded_time", current);
    lines.put("keyspace_hits", totals.hits);
    lines.put("keyspace_misses", totals.misses);
    lines.put("pubsub_channels", engine.notify.pubsub.count(Topic::Channel));
    lines.put("pubsub_patterns", engine.notify.pubsub.count(Topic::Pattern));
    lines.put("pubsubshard_channels", engine.notify.pubsub.count(Topic::Shard));
    lines.put_zeros(&[
        "latest_fork_usec",
        "total_forks",
        "migrate_cached_sockets",
        "slave_expires_tracked_keys",
        "active_defrag_hits",
        "active_defrag_misses",
        "active_defrag_key_hits",
        "active_defrag_key_misses",
        "total_active_defrag_time",
        "current_active_defrag_time",
    ]);
    lines.put("tracking_total_keys", engine.store.tracked.keys());
    lines.put("tracking_total_items", engine.store.tracked.readers());
    lines.put("tracking_total_prefixes", engine.notify.tracking.prefixes());
    lines.put("graph_exports", engine.store.leases.len());
    lines.put("unexpected_error_replies", 0);
    lines.put("total_error_replies", totals.errors);
    lines.put("dump_payload_sanitizations", 0);
    lines.put("total_reads_processed", totals.reads);
    lines.put("total_writes_processed", totals.writes);
    // Every thread that serves clients reads and writes for itself.
    lines.put("io_threaded_reads_processed", totals.reads);
    lines.put("io_threaded_writes_processed", totals.writes);
    // Connections at rest have no buffers, so none of them shrinks or grows.
    lines.put_zeros(&["reply_buffer_shrinks", "reply_buffer_expands"]);
    lines.put("client_query_buffer_limit_disconnections", totals.input_overflows);
    lines.put("client_output_buffer_limit_disconnections", totals.output_overflows);
}

pub(super) fn commands(control: &mut Control<'_>, lines: &mut Lines) {
    let totals = control.engine.metrics.stats.totals();
    for entry in control.engine.table.callable() {
        let [calls, nanos, rejected, failed] = totals.commands[entry.number];
        if calls + rejected + failed == 0 {
            continue;
        }
        let micros = nanos / 1000;
        // Lossless for any count a run can reach.
        let each = if calls == 0 { 0.0 } else { nanos as f64 / 1000.0 / calls as f64 };
        lines.put(
            &format!("cmdstat_{}", entry.name()),
            format_args!(
                "calls={calls},usec={micros},usec_per_call={each:.2},rejected_calls={rejected},\
                 failed_calls={failed}"
            ),
        );
    }
}

pub(super) fn errors(control: &mut Control<'_>, lines: &mut Lines) {
    for (code, count) in control.engine.metrics.stats.errors() {
        lines.put(&format!("errorstat_{code}"), format_args!("count={count}"));
    }
}

pub(super) fn latencies(control: &mut Control<'_>, lines: &mut Lines) {
    let config = control.engine.config();
    if !config.logging.latency.tracking {
        return;
    }
    for entry in control.engine.table.callable() {
        let Some(histogram) = control.engine.metrics.stats.latency(entry.number) else { continue };
        let shown = config.logging.latency.info_percentiles.iter().map(|&percent| {
            // Lossless: no time is counted as longer than a second and a bit.
            let micros = histogram.percentile(percent) as f64 / 1000.0;
            format!("p{percent}={micros:.3}")
        });
        let shown: Vec<String> = shown.collect();
        lines.put(&format!("latency_percentiles_usec_{}", entry.name()), shown.join(","));
    }
}
