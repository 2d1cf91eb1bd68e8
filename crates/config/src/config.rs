//! The typed configuration: what the server reads, with units in the types or the documentation.
//!
//! A `Config` is made from [`Settings`] at start and after each CONFIG SET, and never changes
//! itself. It must never hold a setting that isn't in the lists of directives; a directive gets a
//! field when something reads it.

use std::time::Duration;

use crate::grpc::GrpcSettings;
use crate::lists::{BufferLimits, Events, SavePoint};
use crate::settings::Settings;
use crate::tls::TlsSettings;
use crate::value::{Amount, Value};

/// The smallest limit on the memory of all clients.
const LEAST_CLIENT_MEMORY: u64 = 128 << 10;

/// What the HTTP port goes by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpSettings {
    /// Its TCP port, 0 for none.
    pub port: u16,
    /// It speaks TLS.
    pub tls: bool,
    /// The bearer token that requests must carry, if any.
    pub token: Option<Vec<u8>>,
    /// The user of those that carry it.
    pub token_user: String,
}

/// Everything the server reads.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Addresses to listen on; none closes TCP.
    pub bind: Vec<BindAddress>,
    /// TCP port of the Redis protocol; 0 closes TCP.
    pub port: u16,
    /// Length of the kernel's queue of connections.
    pub tcp_backlog: u32,
    /// Path of the Unix socket.
    pub unixsocket: Option<String>,
    /// File mode of the Unix socket, if it is to be changed.
    pub unixsocketperm: Option<u32>,
    /// Silence after which an ordinary client is closed.
    pub timeout: Option<Duration>,
    /// Time between keep-alive probes; never more than the kernel takes.
    pub tcp_keepalive: Option<Duration>,
    /// Refuse other machines while the default user has no password.
    pub protected_mode: bool,
    /// Users.
    pub acl: AclSettings,
    /// Who may use DEBUG.
    pub enable_debug_command: Gate,
    /// Who may use MODULE.
    pub enable_module_command: Gate,
    /// Who may change protected directives.
    pub enable_protected_configs: Gate,
    /// Most clients at a time.
    pub maxclients: u32,
    /// Most bytes of replies waiting, by class of client.
    pub client_output_buffer_limit: BufferLimits,
    /// Most bytes of all clients together, or `None` for no limit.
    pub maxmemory_clients: Option<u64>,
    /// Most bytes of unfinished commands of one client.
    pub client_query_buffer_limit: u64,
    /// What callers may take.
    pub callers: CallerLimits,
    /// Longest single string, in bytes.
    pub proto_max_bulk_len: u64,

    /// Number of databases.
    pub databases: usize,
    /// Number of threads.
    pub io_threads: usize,
    /// Number of shards, or `None` to choose by the number of threads.
    pub shards: Option<usize>,
    /// Runs of the background work per second, 1 to 500.
    pub hz: u32,
    /// Run the background work more often when there are many clients.
    pub dynamic_hz: bool,
    /// Data directory.
    pub dir: String,
    /// Name of the file in Redis's snapshot format.
    pub dbfilename: String,
    /// File for the process number.
    pub pidfile: Option<String>,
    /// What an interrupt does.
    pub shutdown_on_sigint: ShutdownFlags,
    /// What a request to terminate does.
    pub shutdown_on_sigterm: ShutdownFlags,

    /// Least important messages that are logged.
    pub loglevel: LogLevel,
    /// File to log to, or standard output.
    pub logfile: Option<String>,
    /// Microseconds that bring a command into the slow log; 0 all, -1 none.
    pub slowlog_log_slower_than: i64,
    /// Commands the slow log remembers.
    pub slowlog_max_len: usize,
    /// Time that brings an event into LATENCY, if any does.
    pub latency_monitor_threshold: Option<Duration>,
    /// What is kept and shown of the time commands take.
    pub latency: Latency,

    /// Most bytes of data, or `None` for no limit.
    pub maxmemory: Option<u64>,
    /// What happens at that limit.
    pub eviction: Eviction,
    /// Effort put into finding expired keys, 1 to 10.
    pub active_expire_effort: u32,
    /// Free evicted keys in the background.
    pub lazyfree_lazy_eviction: bool,
    /// Free expired keys in the background.
    pub lazyfree_lazy_expire: bool,
    /// Free replaced values in the background.
    pub lazyfree_lazy_server_del: bool,
    /// DEL works like UNLINK.
    pub lazyfree_lazy_user_del: bool,
    /// FLUSHDB, FLUSHALL and SCRIPT FLUSH are ASYNC unless they say SYNC.
    pub lazyfree_lazy_user_flush: bool,

    /// Most fields of a compact hash.
    pub hash_max_listpack_entries: u64,
    /// Longest field or value, in bytes, of a compact hash.
    pub hash_max_listpack_value: u64,
    /// Size of a node of a list: elements if positive, -1 to -5 for 4 to 64 kb.
    pub list_max_listpack_size: i64,
    /// Uncompressed nodes at either end of a list; 0 compresses none.
    pub list_compress_depth: u32,
    /// Most members of a compact set of integers.
    pub set_max_intset_entries: u64,
    /// Most members of a compact sorted set.
    pub zset_max_listpack_entries: u64,
    /// Longest member, in bytes, of a compact sorted set.
    pub zset_max_listpack_value: u64,
    /// Bytes up to which a HyperLogLog stays sparse.
    pub hll_sparse_max_bytes: u64,
    /// Most bytes of a node of a stream; 0 no limit.
    pub stream_node_max_bytes: u64,
    /// Most entries of a node of a stream; 0 no limit.
    pub stream_node_max_entries: u64,

    /// Keep a journal.
    pub appendonly: bool,
    /// When the journal is forced to disk.
    pub appendfsync: AppendFsync,
    /// When snapshots are taken.
    pub save: Vec<SavePoint>,
    /// The finer points of journal and snapshots.
    pub durability: Durability,
    /// Also write snapshots for Redis. Not acted upon yet.
    pub rdb_export: bool,
    /// Leave out what this server does not keep when the first start reads files of Redis.
    pub import_skip_unknown: bool,

    /// What scripts may take.
    pub scripts: ScriptSettings,
    /// Published classes of keyspace events.
    pub notify_keyspace_events: Events,
    /// Keys remembered for client-side caching, or `None` for no limit.
    pub tracking_table_max_keys: Option<u64>,

    /// TLS.
    pub tls: TlsSettings,

    /// The gRPC service.
    pub grpc: GrpcSettings,
    /// HTTP.
    pub http: HttpSettings,
    /// When the ordered index of key names is built.
    pub range_index: RangeIndex,
    /// Most keys in one reply of a range query.
    pub range_max_reply: usize,
}

/// What is kept and shown of the time commands take.
#[derive(Clone, Debug, PartialEq)]
pub struct Latency {
    /// Keep histograms.
    pub tracking: bool,
    /// Percentiles that INFO shows, 0 to 100.
    pub info_percentiles: Vec<f64>,
}

/// The finer points of journal and snapshots.
#[derive(Clone, Debug, PartialEq)]
pub struct Durability {
    /// Growth of the journal over the snapshot, in percent, that starts a new snapshot; 0 never.
    pub auto_aof_rewrite_percentage: u64,
    /// Bytes of both below which it never does.
    pub auto_aof_rewrite_min_size: u64,
    /// Accept a journal whose end was cut off by a crash.
    pub aof_load_truncated: bool,
    /// Refuse writes after a snapshot has failed.
    pub stop_writes_on_bgsave_error: bool,
    /// Compress snapshots.
    pub rdbcompression: bool,
    /// Base name of Redis's append-only files.
    pub appendfilename: String,
    /// Directory, inside `dir`, of Redis's append-only files.
    pub appenddirname: String,
}

/// An address to listen on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BindAddress {
    /// An IP address, or `*` for every IPv4, or `::*` for every IPv6 address.
    pub address: String,
    /// Its absence is no error.
    pub optional: bool,
}

/// Who may do something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// No client.
    No,
    /// Every client.
    Yes,
    /// Clients on this machine.
    Local,
}

/// Importance of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// For developers.
    Debug,
    /// Rarely useful.
    Verbose,
    /// What one wants in production.
    Notice,
    /// Something is wrong.
    Warning,
}

/// How room is made at the memory limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Eviction {
    /// Which keys go.
    pub policy: EvictionPolicy,
    /// Keys compared to find one to drop.
    pub samples: usize,
    /// Effort put into dropping keys before clients are served again, 0 to 100.
    pub tenacity: u32,
    /// Uses that saturate a key's frequency counter.
    pub lfu_log_factor: u32,
    /// Minutes per step down of an unused key's counter.
    pub lfu_decay_time: u32,
}

/// What happens at the memory limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvictionPolicy {
    /// Drop the least recently used of the keys with an expiry.
    VolatileLru,
    /// Drop the least frequently used of the keys with an expiry.
    VolatileLfu,
    /// Drop any key with an expiry.
    VolatileRandom,
    /// Drop the key that expires soonest.
    VolatileTtl,
    /// Drop the least recently used key.
    AllkeysLru,
    /// Drop the least frequently used key.
    AllkeysLfu,
    /// Drop any key.
    AllkeysRandom,
    /// Refuse writes that need memory.
    NoEviction,
}

impl EvictionPolicy {
    /// The value of `maxmemory-policy`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            EvictionPolicy::VolatileLru => "volatile-lru",
            EvictionPolicy::VolatileLfu => "volatile-lfu",
            EvictionPolicy::VolatileRandom => "volatile-random",
            EvictionPolicy::VolatileTtl => "volatile-ttl",
            EvictionPolicy::AllkeysLru => "allkeys-lru",
            EvictionPolicy::AllkeysLfu => "allkeys-lfu",
            EvictionPolicy::AllkeysRandom => "allkeys-random",
            EvictionPolicy::NoEviction => "noeviction",
        }
    }

    /// Whether it goes by how often keys are used.
    #[must_use]
    pub fn counts_uses(self) -> bool {
        matches!(self, EvictionPolicy::VolatileLfu | EvictionPolicy::AllkeysLfu)
    }

    /// Whether it drops only keys that would expire.
    #[must_use]
    pub fn spares_lasting(self) -> bool {
        matches!(
            self,
            EvictionPolicy::VolatileLru
                | EvictionPolicy::VolatileLfu
                | EvictionPolicy::VolatileRandom
                | EvictionPolicy::VolatileTtl
        )
    }
}

/// When the journal is forced to disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AppendFsync {
    /// Every second.
    EverySec,
    /// Before the reply to a write.
    Always,
    /// When the system likes.
    No,
}

/// When the ordered index of key names is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RangeIndex {
    /// At the first range query.
    Auto,
    /// From the start.
    Yes,
    /// Never.
    No,
}

/// How a signal shuts the server down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShutdownFlags {
    /// Save even if no save point is configured.
    pub save: bool,
    /// Don't save even if one is.
    pub nosave: bool,
    /// Don't wait for replicas.
    pub now: bool,
    /// Go even if saving fails.
    pub force: bool,
}

/// What is configured about users.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AclSettings {
    /// Password of the default user, until that is declared.
    pub requirepass: Option<Vec<u8>>,
    /// File of users.
    pub file: Option<String>,
    /// Refused requests `ACL LOG` remembers.
    pub log_max_len: usize,
    /// New users may use every channel.
    pub all_channels: bool,
}

/// What scripts may take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptSettings {
    /// Whether there are any.
    pub on: bool,
    /// Time after which one that runs counts as busy, if it does at all.
    pub busy_after: Option<Duration>,
    /// Bytes that a thread's interpreter for scripts may take, and as much that for functions.
    pub memory: u64,
}

/// What callers may take, at every port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallerLimits {
    /// How long a connection may take to show who it is for.
    pub unauthenticated_timeout: Option<Duration>,
    /// Most bytes of all who have not shown who they are, together.
    pub unauthenticated_memory: u64,
    /// How long a request's body may take to come, where requests have bodies.
    pub request_body_timeout: Option<Duration>,
    /// Longest reply to one request.
    pub max_reply_size: usize,
}

impl Settings {
    /// The typed configuration these settings amount to.
    #[must_use]
    pub fn config(&self) -> Config {
        Config {
            bind: self.bind("bind"),
            port: self.int("port"),
            tcp_backlog: self.int("tcp-backlog"),
            unixsocket: self.path("unixsocket"),
            unixsocketperm: self.mode("unixsocketperm"),
            timeout: some_seconds(self.int("timeout")),
            tcp_keepalive: some_seconds(self.int::<u64>("tcp-keepalive").min(MAX_KEEPALIVE)),
            protected_mode: self.yes("protected-mode"),
            acl: self.acl(),
            enable_debug_command: self.gate("enable-debug-command"),
            enable_module_command: self.gate("enable-module-command"),
            enable_protected_configs: self.gate("enable-protected-configs"),
            maxclients: self.int("maxclients"),
            client_output_buffer_limit: self.buffer_limits(),
            maxmemory_clients: self.client_memory(),
            client_query_buffer_limit: self.bytes("client-query-buffer-limit"),
            callers: self.callers(),
            proto_max_bulk_len: self.bytes("proto-max-bulk-len"),
            databases: self.int("databases"),
            io_threads: self.int("io-threads"),
            shards: Some(self.int("shards")).filter(|&shards| shards != 0),
            hz: self.int("hz"),
            dynamic_hz: self.yes("dynamic-hz"),
            dir: self.string("dir"),
            dbfilename: self.string("dbfilename"),
            pidfile: self.path("pidfile"),
            shutdown_on_sigint: self.shutdown("shutdown-on-sigint"),
            shutdown_on_sigterm: self.shutdown("shutdown-on-sigterm"),
            loglevel: self.loglevel(),
            logfile: self.path("logfile"),
            slowlog_log_slower_than: self.int("slowlog-log-slower-than"),
            slowlog_max_len: self.int("slowlog-max-len"),
            latency_monitor_threshold: some_milliseconds(self.int("latency-monitor-threshold")),
            latency: self.latency(),
            maxmemory: Some(self.bytes("maxmemory")).filter(|&bytes| bytes != 0),
            eviction: self.eviction(),
            active_expire_effort: self.int("active-expire-effort"),
            lazyfree_lazy_eviction: self.yes("lazyfree-lazy-eviction"),
            lazyfree_lazy_expire: self.yes("lazyfree-lazy-expire"),
            lazyfree_lazy_server_del: self.yes("lazyfree-lazy-server-del"),
            lazyfree_lazy_user_del: self.yes("lazyfree-lazy-user-del"),
            lazyfree_lazy_user_flush: self.yes("lazyfree-lazy-user-flush"),
            hash_max_listpack_entries: self.int("hash-max-listpack-entries"),
            hash_max_listpack_value: self.bytes("hash-max-listpack-value"),
            list_max_listpack_size: self.int("list-max-listpack-size"),
            list_compress_depth: self.int("list-compress-depth"),
            set_max_intset_entries: self.int("set-max-intset-entries"),
            zset_max_listpack_entries: self.int("zset-max-listpack-entries"),
            zset_max_listpack_value: self.bytes("zset-max-listpack-value"),
            hll_sparse_max_bytes: self.bytes("hll-sparse-max-bytes"),
            stream_node_max_bytes: self.bytes("stream-node-max-bytes"),
            stream_node_max_entries: self.int("stream-node-max-entries"),
            appendonly: self.yes("appendonly"),
            appendfsync: self.appendfsync(),
            save: self.save_points(),
            durability: self.durability(),
            rdb_export: self.yes("rdb-export"),
            import_skip_unknown: self.yes("import-skip-unknown"),
            scripts: self.scripts(),
            notify_keyspace_events: self.events(),
            tracking_table_max_keys: non_zero(self.int("tracking-table-max-keys")),
            tls: self.tls(),
            grpc: self.grpc(),
            http: self.http(),
            range_index: self.range_index(),
            range_max_reply: self.int("range-max-reply"),
        }
    }

    /// An integer in the type the server wants; the directive's range makes it fit.
    pub(crate) fn int<T: TryFrom<i64>>(&self, name: &str) -> T {
        let value = match self.value(name) {
            Some(&Value::Int(value)) => T::try_from(value).ok(),
            _ => None,
        };
        value.unwrap_or_else(|| unreachable!("'{name}' is listed as an integer of this range"))
    }

    pub(crate) fn yes(&self, name: &str) -> bool {
        self.value(name) == Some(&Value::Bool(true))
    }

    pub(crate) fn bytes(&self, name: &str) -> u64 {
        match self.value(name) {
            Some(&Value::Memory(bytes)) => bytes,
            _ => unreachable!("'{name}' is listed as an amount of memory"),
        }
    }

    fn mode(&self, name: &str) -> Option<u32> {
        match self.value(name) {
            Some(&Value::Octal(mode)) if mode != 0 => Some(mode),
            _ => None,
        }
    }

    pub(crate) fn word(&self, name: &str) -> &'static str {
        match self.value(name) {
            Some(&Value::Word(word)) => word,
            _ => unreachable!("'{name}' is listed as a choice of words"),
        }
    }

    pub(crate) fn text(&self, name: &str) -> &[u8] {
        match self.value(name) {
            Some(Value::Text(text)) => text,
            _ => unreachable!("'{name}' is listed as a string"),
        }
    }

    pub(crate) fn string(&self, name: &str) -> String {
        String::from_utf8_lossy(self.text(name)).into_owned()
    }

    fn scripts(&self) -> ScriptSettings {
        ScriptSettings {
            on: self.yes("scripting"),
            busy_after: some_milliseconds(self.int("busy-reply-threshold")),
            memory: self.bytes("script-memory-limit"),
        }
    }

    fn acl(&self) -> AclSettings {
        AclSettings {
            requirepass: self.secret("requirepass"),
            file: self.path("aclfile"),
            log_max_len: self.int("acllog-max-len"),
            all_channels: self.word("acl-pubsub-default") == "allchannels",
        }
    }

    pub(crate) fn path(&self, name: &str) -> Option<String> {
        Some(self.string(name)).filter(|path| !path.is_empty())
    }

    pub(crate) fn secret(&self, name: &str) -> Option<Vec<u8>> {
        Some(self.text(name).to_vec()).filter(|secret| !secret.is_empty())
    }

    fn http(&self) -> HttpSettings {
        HttpSettings {
            port: self.int("http-port"),
            tls: self.yes("http-tls"),
            token: self.secret("http-token"),
            token_user: self.string("http-token-user"),
        }
    }

    pub(crate) fn bind(&self, name: &str) -> Vec<BindAddress> {
        let Some(Value::Bind(addresses)) = self.value(name) else { return Vec::new() };
        addresses
            .iter()
            .map(|address| match address.strip_prefix('-') {
                Some(address) => BindAddress { address: address.to_owned(), optional: true },
                None => BindAddress { address: address.clone(), optional: false },
            })
            .collect()
    }

    fn callers(&self) -> CallerLimits {
        CallerLimits {
            unauthenticated_timeout: some_seconds(self.int("unauthenticated-timeout")),
            unauthenticated_memory: self.bytes("unauthenticated-memory"),
            request_body_timeout: some_seconds(self.int("request-body-timeout")),
            max_reply_size: usize::try_from(self.bytes("max-reply-size")).unwrap_or(usize::MAX),
        }
    }

    fn buffer_limits(&self) -> BufferLimits {
        match self.value("client-output-buffer-limit") {
            Some(Value::BufferLimits(limits)) => *limits,
            _ => BufferLimits::default(),
        }
    }

    /// As in Redis: a percentage of no `maxmemory` is no limit, and no limit is so small that
    /// no client could send a request any more.
    fn client_memory(&self) -> Option<u64> {
        let limit = match self.value("maxmemory-clients") {
            Some(&Value::Amount(Amount::Bytes(bytes))) => bytes,
            Some(&Value::Amount(Amount::Percent(percent))) => {
                let all = u128::from(self.bytes("maxmemory"));
                u64::try_from(all * u128::from(percent) / 100).unwrap_or(u64::MAX)
            }
            _ => 0,
        };
        (limit != 0).then_some(limit.max(LEAST_CLIENT_MEMORY))
    }

    fn percentiles(&self) -> Vec<f64> {
        match self.value("latency-tracking-info-percentiles") {
            Some(Value::Percentiles(percentiles)) => percentiles.clone(),
            _ => Vec::new(),
        }
    }

    fn save_points(&self) -> Vec<SavePoint> {
        match self.value("save") {
            Some(Value::Save(points)) => points.clone(),
            _ => Vec::new(),
        }
    }

    fn events(&self) -> Events {
        match self.value("notify-keyspace-events") {
            Some(Value::Events(events)) => *events,
            _ => Events::default(),
        }
    }

    fn shutdown(&self, name: &str) -> ShutdownFlags {
        let Some(Value::Words(words)) = self.value(name) else { return ShutdownFlags::default() };
        ShutdownFlags {
            save: words.contains(&"save"),
            nosave: words.contains(&"nosave"),
            now: words.contains(&"now"),
            force: words.contains(&"force"),
        }
    }

    fn gate(&self, name: &str) -> Gate {
        match self.word(name) {
            "yes" => Gate::Yes,
            "local" => Gate::Local,
            _ => Gate::No,
        }
    }

    fn loglevel(&self) -> LogLevel {
        match self.word("loglevel") {
            "debug" => LogLevel::Debug,
            "verbose" => LogLevel::Verbose,
            "warning" => LogLevel::Warning,
            _ => LogLevel::Notice,
        }
    }

    fn policy(&self) -> EvictionPolicy {
        match self.word("maxmemory-policy") {
            "volatile-lru" => EvictionPolicy::VolatileLru,
            "volatile-lfu" => EvictionPolicy::VolatileLfu,
            "volatile-random" => EvictionPolicy::VolatileRandom,
            "volatile-ttl" => EvictionPolicy::VolatileTtl,
            "allkeys-lru" => EvictionPolicy::AllkeysLru,
            "allkeys-lfu" => EvictionPolicy::AllkeysLfu,
            "allkeys-random" => EvictionPolicy::AllkeysRandom,
            _ => EvictionPolicy::NoEviction,
        }
    }

    fn eviction(&self) -> Eviction {
        Eviction {
            policy: self.policy(),
            samples: self.int("maxmemory-samples"),
            tenacity: self.int("maxmemory-eviction-tenacity"),
            lfu_log_factor: self.int("lfu-log-factor"),
            lfu_decay_time: self.int("lfu-decay-time"),
        }
    }

    fn latency(&self) -> Latency {
        Latency { tracking: self.yes("latency-tracking"), info_percentiles: self.percentiles() }
    }

    fn durability(&self) -> Durability {
        Durability {
            auto_aof_rewrite_percentage: self.int("auto-aof-rewrite-percentage"),
            auto_aof_rewrite_min_size: self.bytes("auto-aof-rewrite-min-size"),
            aof_load_truncated: self.yes("aof-load-truncated"),
            stop_writes_on_bgsave_error: self.yes("stop-writes-on-bgsave-error"),
            rdbcompression: self.yes("rdbcompression"),
            appendfilename: self.string("appendfilename"),
            appenddirname: self.string("appenddirname"),
        }
    }

    fn appendfsync(&self) -> AppendFsync {
        match self.word("appendfsync") {
            "always" => AppendFsync::Always,
            "no" => AppendFsync::No,
            _ => AppendFsync::EverySec,
        }
    }

    fn range_index(&self) -> RangeIndex {
        match self.word("range-index") {
            "yes" => RangeIndex::Yes,
            "no" => RangeIndex::No,
            _ => RangeIndex::Auto,
        }
    }
}

/// The most seconds that Linux takes for keep-alive probes.
const MAX_KEEPALIVE: u64 = 32_767;

/// So many seconds, where 0 means never.
fn some_seconds(seconds: u64) -> Option<Duration> {
    (seconds != 0).then(|| Duration::from_secs(seconds))
}

/// So many milliseconds, where 0 means never.
/// 0 says that there is no limit.
fn non_zero<T: Default + PartialEq>(limit: T) -> Option<T> {
    (limit != T::default()).then_some(limit)
}

fn some_milliseconds(milliseconds: u64) -> Option<Duration> {
    (milliseconds != 0).then(|| Duration::from_millis(milliseconds))
}
