//! The names of redis_exporter.

use config::Config;
use engine::Engine;

use super::write::{MetricKind, Page, decimal};
use super::{fields, pair};

use MetricKind::{Counter, Gauge};

/// A field of `INFO`, the name of its metric without `redis_`, and what it is.
type Row = (&'static str, &'static str, MetricKind);

/// Fields whose metrics have their names.
const SAME: &[(&str, MetricKind)] = &[
    ("uptime_in_seconds", Gauge),
    ("process_id", Gauge),
    ("io_threads_active", Gauge),
    ("connected_clients", Gauge),
    ("blocked_clients", Gauge),
    ("tracking_clients", Gauge),
    ("clients_in_timeout_table", Gauge),
    ("cluster_connections", Gauge),
    ("allocator_frag_ratio", Gauge),
    ("allocator_frag_bytes", Gauge),
    ("allocator_rss_ratio", Gauge),
    ("allocator_rss_bytes", Gauge),
    ("number_of_cached_scripts", Gauge),
    ("mem_fragmentation_ratio", Gauge),
    ("mem_fragmentation_bytes", Gauge),
    ("mem_clients_slaves", Gauge),
    ("mem_clients_normal", Gauge),
    ("lazyfree_pending_objects", Gauge),
    ("active_defrag_running", Gauge),
    ("rdb_changes_since_last_save", Gauge),
    ("rdb_bgsave_in_progress", Gauge),
    ("rdb_last_bgsave_status", Gauge),
    ("aof_enabled", Gauge),
    ("aof_rewrite_in_progress", Gauge),
    ("aof_rewrite_scheduled", Gauge),
    ("aof_last_bgrewrite_status", Gauge),
    ("aof_last_write_status", Gauge),
    ("aof_pending_rewrite", Gauge),
    ("aof_buffer_length", Gauge),
    ("aof_pending_bio_fsync", Gauge),
    ("aof_delayed_fsync", Gauge),
    ("module_fork_in_progress", Gauge),
    ("module_fork_last_cow_size", Gauge),
    ("pubsub_channels", Gauge),
    ("pubsub_patterns", Gauge),
    ("connected_slaves", Gauge),
    ("repl_backlog_first_byte_offset", Gauge),
    ("master_repl_offset", Gauge),
    ("second_repl_offset", Gauge),
    ("slave_expires_tracked_keys", Gauge),
    ("tracking_total_keys", Gauge),
    ("tracking_total_items", Gauge),
    ("tracking_total_prefixes", Gauge),
    ("cluster_enabled", Gauge),
    ("unexpected_error_replies", Counter),
    ("total_error_replies", Counter),
    ("dump_payload_sanitizations", Counter),
    ("total_reads_processed", Counter),
    ("total_writes_processed", Counter),
    ("io_threaded_reads_processed", Counter),
    ("io_threaded_writes_processed", Counter),
];

/// Fields whose metrics have other names.
const OTHER: &[Row] = &[
    ("client_recent_max_input_buffer", "client_recent_max_input_buffer_bytes", Gauge),
    ("client_recent_max_output_buffer", "client_recent_max_output_buffer_bytes", Gauge),
    ("allocator_active", "allocator_active_bytes", Gauge),
    ("allocator_allocated", "allocator_allocated_bytes", Gauge),
    ("allocator_resident", "allocator_resident_bytes", Gauge),
    ("used_memory", "memory_used_bytes", Gauge),
    ("used_memory_rss", "memory_used_rss_bytes", Gauge),
    ("used_memory_peak", "memory_used_peak_bytes", Gauge),
    ("used_memory_lua", "memory_used_lua_bytes", Gauge),
    ("used_memory_overhead", "memory_used_overhead_bytes", Gauge),
    ("used_memory_startup", "memory_used_startup_bytes", Gauge),
    ("used_memory_dataset", "memory_used_dataset_bytes", Gauge),
    ("used_memory_scripts", "memory_used_scripts_bytes", Gauge),
    ("maxmemory", "memory_max_bytes", Gauge),
    ("total_system_memory", "total_system_memory_bytes", Gauge),
    ("mem_not_counted_for_evict", "mem_not_counted_for_eviction_bytes", Gauge),
    ("migrate_cached_sockets", "migrate_cached_sockets_total", Gauge),
    ("active_defrag_hits", "defrag_hits", Gauge),
    ("active_defrag_misses", "defrag_misses", Gauge),
    ("active_defrag_key_hits", "defrag_key_hits", Gauge),
    ("active_defrag_key_misses", "defrag_key_misses", Gauge),
    ("expired_stale_perc", "expired_stale_percentage", Gauge),
    ("expired_time_cap_reached_count", "expired_time_cap_reached_total", Gauge),
    ("loading", "loading_dump_file", Gauge),
    ("rdb_last_save_time", "rdb_last_save_timestamp_seconds", Gauge),
    ("rdb_last_bgsave_time_sec", "rdb_last_bgsave_duration_sec", Gauge),
    ("rdb_current_bgsave_time_sec", "rdb_current_bgsave_duration_sec", Gauge),
    ("rdb_last_cow_size", "rdb_last_cow_size_bytes", Gauge),
    ("aof_last_rewrite_time_sec", "aof_last_rewrite_duration_sec", Gauge),
    ("aof_current_rewrite_time_sec", "aof_current_rewrite_duration_sec", Gauge),
    ("aof_last_cow_size", "aof_last_cow_size_bytes", Gauge),
    ("aof_current_size", "aof_current_size_bytes", Gauge),
    ("aof_base_size", "aof_base_size_bytes", Gauge),
    ("repl_backlog_size", "replication_backlog_bytes", Gauge),
    ("repl_backlog_active", "repl_backlog_is_active", Gauge),
    ("repl_backlog_histlen", "repl_backlog_history_bytes", Gauge),
    ("sync_full", "replica_resyncs_full", Gauge),
    ("sync_partial_ok", "replica_partial_resync_accepted", Gauge),
    ("sync_partial_err", "replica_partial_resync_denied", Gauge),
    ("total_connections_received", "connections_received_total", Counter),
    ("total_commands_processed", "commands_processed_total", Counter),
    ("rejected_connections", "rejected_connections_total", Counter),
    ("total_net_input_bytes", "net_input_bytes_total", Counter),
    ("total_net_output_bytes", "net_output_bytes_total", Counter),
    ("expired_keys", "expired_keys_total", Counter),
    ("evicted_keys", "evicted_keys_total", Counter),
    ("keyspace_hits", "keyspace_hits_total", Counter),
    ("keyspace_misses", "keyspace_misses_total", Counter),
    ("used_cpu_sys", "cpu_sys_seconds_total", Counter),
    ("used_cpu_user", "cpu_user_seconds_total", Counter),
    ("used_cpu_sys_children", "cpu_sys_children_seconds_total", Counter),
    ("used_cpu_user_children", "cpu_user_children_seconds_total", Counter),
    ("used_cpu_sys_main_thread", "cpu_sys_main_thread_seconds_total", Counter),
    ("used_cpu_user_main_thread", "cpu_user_main_thread_seconds_total", Counter),
];

/// Writes all of them.
pub fn write(page: &mut Page, engine: &Engine, info: &str) {
    page.one("redis_up", Gauge, "Whether the server answers.", 1);
    instance(page, info);
    for (field, text) in fields(info) {
        let same = SAME.iter().find(|(name, _)| *name == field).map(|(_, kind)| (field, *kind));
        let other = OTHER.iter().find(|row| row.0 == field).map(|row| (row.1, row.2));
        let Some((name, kind)) = same.or(other) else { continue };
        let value = match text {
            "ok" => "1",
            "err" | "fail" => "0",
            text => text,
        };
        page.one(&format!("redis_{name}"), kind, &format!("{field} of INFO."), value);
    }
    let micros = whole(info, "latest_fork_usec");
    let help = "latest_fork_usec of INFO, in seconds.";
    page.one("redis_latest_fork_seconds", Gauge, help, decimal(micros, 6));
    let since = engine.run.started / 1000;
    page.one("redis_start_time_seconds", Gauge, "When the server started.", since);
    settings(page, &engine.config());
    databases(page, engine, info);
    commands(page, info);
    errors(page, info);
    slow(page, engine);
}

fn field<'t>(info: &'t str, name: &str) -> &'t str {
    fields(info).find(|(field, _)| *field == name).map_or("", |(_, text)| text)
}

fn whole(info: &str, name: &str) -> u64 {
    field(info, name).parse().unwrap_or(0)
}

fn instance(page: &mut Page, info: &str) {
    const LABELS: [&str; 9] = [
        "role",
        "redis_version",
        "redis_build_id",
        "redis_mode",
        "os",
        "maxmemory_policy",
        "tcp_port",
        "run_id",
        "process_id",
    ];
    let name = "redis_instance_info";
    page.metric(name, Gauge, "What the server is.");
    page.sample(name, &LABELS.map(|label| (label, field(info, label))), 1);
}

fn settings(page: &mut Page, config: &Config) {
    let rows = [
        ("maxclients", u64::from(config.clients.maxclients)),
        ("maxmemory", config.memory.maxmemory.unwrap_or(0)),
        ("io_threads", config.process.io_threads as u64),
    ];
    for (name, value) in rows {
        page.one(&format!("redis_config_{name}"), Gauge, "The setting of this name.", value);
    }
}

/// Every database, also those that hold nothing.
fn databases(page: &mut Page, engine: &Engine, info: &str) {
    let names: Vec<String> = (0..engine.store.databases()).map(|db| format!("db{db}")).collect();
    let rows = [
        ("redis_db_keys", "keys", "Keys of a database."),
        ("redis_db_keys_expiring", "expires", "Keys of a database that expire."),
    ];
    for (metric, part, help) in rows {
        page.metric(metric, Gauge, help);
        for name in &names {
            let value = pair(field(info, name), part).unwrap_or("0");
            page.sample(metric, &[("db", name)], value);
        }
    }
    let metric = "redis_db_avg_ttl_seconds";
    page.metric(metric, Gauge, "Mean time that the keys of a database which expire have left.");
    for name in &names {
        let millis = pair(field(info, name), "avg_ttl").and_then(|text| text.parse().ok());
        if let Some(millis) = millis {
            page.sample(metric, &[("db", name)], decimal(millis, 3));
        }
    }
}

fn commands(page: &mut Page, info: &str) {
    let stats: Vec<(&str, &str)> = fields(info)
        .filter_map(|(field, text)| Some((field.strip_prefix("cmdstat_")?, text)))
        .collect();
    let number = |text: &str, part| pair(text, part).and_then(|t| t.parse().ok()).unwrap_or(0);
    let rows = [
        ("redis_commands_total", "calls", 0, "Calls of a command."),
        ("redis_commands_duration_seconds_total", "usec", 6, "Time that a command ran."),
        ("redis_commands_rejected_calls_total", "rejected_calls", 0, "Calls refused beforehand."),
        ("redis_commands_failed_calls_total", "failed_calls", 0, "Calls that ended in an error."),
    ];
    for (metric, part, digits, help) in rows {
        page.metric(metric, Counter, help);
        for (command, text) in &stats {
            page.sample(metric, &[("cmd", command)], decimal(number(text, part), digits));
        }
    }
    let metric = "redis_latency_percentiles_usec";
    page.metric(metric, MetricKind::Summary, "How long the fastest so many percent of calls took.");
    for (field, shares) in fields(info) {
        let Some(command) = field.strip_prefix("latency_percentiles_usec_") else { continue };
        for share in shares.split(',').filter_map(|pair| pair.strip_prefix('p')) {
            if let Some((share, micros)) = share.split_once('=') {
                page.sample(metric, &[("cmd", command), ("quantile", share)], micros);
            }
        }
        let text = stats.iter().find(|(name, _)| *name == command).map_or("", |(_, text)| text);
        let labels = [("cmd", command)];
        page.sample(&format!("{metric}_sum"), &labels, number(text, "usec"));
        page.sample(&format!("{metric}_count"), &labels, number(text, "calls"));
    }
}

fn errors(page: &mut Page, info: &str) {
    let metric = "redis_errors_total";
    page.metric(metric, Counter, "Error replies by their first word.");
    for (field, text) in fields(info) {
        if let Some(code) = field.strip_prefix("errorstat_") {
            page.sample(metric, &[("err", code)], pair(text, "count").unwrap_or("0"));
        }
    }
}

fn slow(page: &mut Page, engine: &Engine) {
    let last = engine.metrics.slowlog.newest(1).pop();
    let length = engine.metrics.slowlog.len();
    page.one("redis_slowlog_length", Gauge, "Slow requests that are kept.", length);
    let id = last.as_ref().map_or(0, |slow| slow.id);
    page.one("redis_slowlog_last_id", Gauge, "The number of the last slow request.", id);
    let took = last.map_or(0, |slow| slow.took.as_micros());
    let took = decimal(u64::try_from(took).unwrap_or(u64::MAX), 6);
    let name = "redis_last_slow_execution_duration_seconds";
    page.one(name, Gauge, "How long the last slow request took.", took);
    let events = engine.metrics.latency_monitor.all();
    let latest =
        |of: &engine::LatencyMonitor, event: &str| of.of(event).and_then(|series| series.latest());
    let metric = "redis_latency_spike_last";
    page.metric(metric, Gauge, "When something last took long, in seconds since 1970.");
    for (event, _) in &events {
        if let Some(sample) = latest(&engine.metrics.latency_monitor, event) {
            page.sample(metric, &[("event_name", event)], sample.second);
        }
    }
    let metric = "redis_latency_spike_duration_seconds";
    page.metric(metric, Gauge, "How long it took.");
    for (event, _) in &events {
        if let Some(sample) = latest(&engine.metrics.latency_monitor, event) {
            page.sample(metric, &[("event_name", event)], decimal(sample.millis, 3));
        }
    }
}
