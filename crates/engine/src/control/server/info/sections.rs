//! The short sections of INFO.

use std::sync::atomic::Ordering::Relaxed;
use std::time::{SystemTime, UNIX_EPOCH};

use super::{Lines, process};
use crate::control::identity::MODULES;
use crate::control::{Control, identity};

pub(super) fn server(control: &mut Control<'_>, lines: &mut Lines) {
    let engine = control.engine;
    let config = engine.config();
    let uptime = engine.run.clock.elapsed().as_secs();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let clock = (now.as_secs() & 0x00ff_ffff).to_string();
    lines.put("redis_version", identity::REDIS_VERSION);
    lines.put("redis_git_sha1", "00000000");
    lines.put("redis_git_dirty", 0);
    lines.put("redis_build_id", format_args!("{:x}", build_id()));
    lines.put("redis_mode", "standalone");
    lines.put("kvist_version", identity::KVIST_VERSION);
    lines.put("os", process::system());
    lines.put("arch_bits", usize::BITS);
    lines.put("monotonic_clock", "POSIX clock_gettime");
    lines.put("multiplexing_api", if cfg!(target_os = "linux") { "epoll" } else { "kqueue" });
    lines.put("atomicvar_api", "rust-atomics");
    // What Redis says when it was not compiled by GCC.
    lines.put("gcc_version", "0.0.0");
    lines.put("process_id", std::process::id());
    lines.put("process_supervised", "no");
    lines.put("run_id", &engine.run.id);
    let port = if config.network.port == 0 { config.tls.port } else { config.network.port };
    lines.put("tcp_port", port);
    lines.put("server_time_usec", now.as_micros());
    lines.put("uptime_in_seconds", uptime);
    lines.put("uptime_in_days", uptime / 86_400);
    lines.put("hz", config.process.hz);
    lines.put("configured_hz", config.process.hz);
    lines.put("lru_clock", clock);
    lines.put("executable", &engine.run.executable);
    lines.put("config_file", &engine.configuration.file);
    lines.put("io_threads_active", u8::from(engine.run.workers > 1));
    lines.put("io_threads", engine.run.workers);
    lines.put("shards", engine.store.shards());
}

/// A number for what was built: FNV-1a of the version and the machine it was built for.
fn build_id() -> u64 {
    let words = [identity::KVIST_VERSION, std::env::consts::ARCH, std::env::consts::OS];
    words.iter().flat_map(|word| word.bytes()).fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

pub(super) fn clients(control: &mut Control<'_>, lines: &mut Lines) {
    let engine = control.engine;
    let clients = engine.clients.all();
    let largest_input = clients.iter().map(|client| client.buffers.input.load(Relaxed)).max();
    let largest_output = clients.iter().map(|client| client.buffers.output.load(Relaxed)).max();
    lines.put("connected_clients", clients.len());
    lines.put("cluster_connections", 0);
    lines.put("maxclients", engine.config().clients.maxclients);
    lines.put("client_recent_max_input_buffer", largest_input.unwrap_or(0));
    lines.put("client_recent_max_output_buffer", largest_output.unwrap_or(0));
    lines.put("blocked_clients", engine.waits.blocked.len() + engine.waits.pauses.waiting());
    lines.put("tracking_clients", engine.notify.tracking.clients());
    let subscribers = clients.iter().filter(|client| client.is_subscriber()).count();
    lines.put("pubsub_clients", subscribers);
    let watching = clients.iter().filter(|client| client.state.watching.load(Relaxed)).count();
    lines.put("watching_clients", watching);
    lines.put("clients_in_timeout_table", engine.waits.blocked.timed());
}

/// A master without replicas.
pub(super) fn replication(control: &mut Control<'_>, lines: &mut Lines) {
    lines.put("role", "master");
    lines.put("connected_slaves", 0);
    lines.put("master_failover_state", "no-failover");
    lines.put("master_replid", &control.engine.run.id);
    lines.put("master_replid2", "0".repeat(40));
    lines.put("master_repl_offset", 0);
    lines.put("second_repl_offset", -1);
    lines.put_zeros(&[
        "repl_backlog_active",
        "repl_backlog_size",
        "repl_backlog_first_byte_offset",
        "repl_backlog_histlen",
    ]);
}

pub(super) fn cpu(_: &mut Control<'_>, lines: &mut Lines) {
    if let Some(time) = process::cpu_time(false) {
        lines.put("used_cpu_sys", format_args!("{:.6}", time.system));
        lines.put("used_cpu_user", format_args!("{:.6}", time.user));
        lines.put("used_cpu_sys_children", format_args!("{:.6}", time.children_system));
        lines.put("used_cpu_user_children", format_args!("{:.6}", time.children_user));
    }
    if let Some(time) = process::cpu_time(true) {
        lines.put("used_cpu_sys_main_thread", format_args!("{:.6}", time.system));
        lines.put("used_cpu_user_main_thread", format_args!("{:.6}", time.user));
    }
}

/// The modules of Redis that are part of this server.
pub(super) fn modules(_: &mut Control<'_>, lines: &mut Lines) {
    for module in MODULES {
        let (name, version) = (module.name, module.version);
        let rest = "api=1,filters=0,usedby=[],using=[],options=[]";
        lines.put("module", format_args!("name={name},ver={version},{rest}"));
    }
}

pub(super) fn cluster(_: &mut Control<'_>, lines: &mut Lines) {
    lines.put("cluster_enabled", 0);
}

pub(super) fn keyspace(control: &mut Control<'_>, lines: &mut Lines) {
    for (db, key_counts) in store::key_counts(control.txn).into_iter().enumerate() {
        if key_counts.keys > 0 {
            lines.put(
                &format!("db{db}"),
                format_args!(
                    "keys={},expires={},avg_ttl={}",
                    key_counts.keys, key_counts.expiring, key_counts.average_ttl
                ),
            );
        }
    }
}
