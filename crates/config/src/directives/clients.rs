//! What one client may take.

use std::time::Duration;

use super::{I64, MB};
use crate::directive::{Directive as D, INT_MAX, Kind};
use crate::lists::BufferLimits;
use crate::settings::Settings;
use crate::typed::{non_zero, some_seconds};
use crate::value::{Amount, Value};

pub(super) const LIST: &[D] = &[
    D::int(
        "maxclients",
        "10000",
        1,
        u32::MAX as i64,
        "Most clients connected at a time. Further ones get an error and are closed.",
    ),
    D::new(
        "client-output-buffer-limit",
        Kind::BufferLimits,
        "normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60",
        "Groups of class, hard limit, soft limit and seconds: a client of the class (normal, \
         replica, pubsub) is closed when the replies waiting for it exceed the hard limit, or the \
         soft limit for so many seconds without a break. 0 means no limit.",
    ),
    D::memory(
        "client-query-buffer-limit",
        "1gb",
        MB,
        I64,
        "Most bytes of unfinished commands a client may have sent.",
    ),
    D::memory(
        "proto-max-bulk-len",
        "512mb",
        MB,
        I64,
        "Longest single string in a command, and longest string a command may build.",
    ),
    D::new(
        "maxmemory-clients",
        Kind::MemoryOrPercent,
        "0",
        "Memory all clients' buffers may take together, in bytes or as a percentage of maxmemory, \
         before the largest are disconnected: buffers, queued transactions, watched keys, \
         subscriptions. Those that said CLIENT NO-EVICT ON stay. No limit is below 128 kB; 0 means \
         none.",
    ),
    D::int(
        "tracking-table-max-keys",
        "1000000",
        0,
        i64::MAX,
        "How many keys the server remembers for client-side caching. 0 means no limit.",
    ),
];

/// What Redis has no word for.
pub(super) const OWN: &[D] = &[
    D::int(
        "unauthenticated-timeout",
        "60",
        0,
        INT_MAX,
        "Seconds within which a new connection must have shown who it is for, TLS handshake \
         included, where users need a password or a key is asked for. Later it is closed. 0 waits \
         for ever.",
    )
    .own(),
    D::memory(
        "unauthenticated-memory",
        "64mb",
        1 << 20,
        1 << 62,
        "Memory that everything takes which came from callers who have not shown who they are, at \
         every port, together. Where more is needed, the oldest of their connections are closed.",
    )
    .own(),
    D::int(
        "request-body-timeout",
        "30",
        0,
        INT_MAX,
        "Seconds that a request's body may take to come over HTTP or gRPC; long ones have a second \
         more for each 8 KiB that came. 0 waits for ever.",
    )
    .own(),
    D::memory(
        "max-reply-size",
        "1gb",
        1 << 20,
        1 << 40,
        "Longest reply that one request may have, at every port and inside a program. A longer one \
         is an error, which comes before it takes more memory than that; what a command has done \
         is done. The hard limit of client-output-buffer-limit and maxmemory-clients hold inside a \
         command, too: they close the client.",
    )
    .own(),
];

/// What clients may take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientSettings {
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
    /// Keys remembered for client-side caching, or `None` for no limit.
    pub tracking_table_max_keys: Option<u64>,
}

impl ClientSettings {
    pub(crate) fn of(settings: &Settings) -> Self {
        Self {
            maxclients: settings.int("maxclients"),
            client_output_buffer_limit: buffer_limits(settings),
            maxmemory_clients: client_memory(settings),
            client_query_buffer_limit: settings.bytes("client-query-buffer-limit"),
            callers: CallerLimits::of(settings),
            proto_max_bulk_len: settings.bytes("proto-max-bulk-len"),
            tracking_table_max_keys: non_zero(settings.int("tracking-table-max-keys")),
        }
    }
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

impl CallerLimits {
    fn of(settings: &Settings) -> Self {
        Self {
            unauthenticated_timeout: some_seconds(settings.int("unauthenticated-timeout")),
            unauthenticated_memory: settings.bytes("unauthenticated-memory"),
            request_body_timeout: some_seconds(settings.int("request-body-timeout")),
            max_reply_size: usize::try_from(settings.bytes("max-reply-size")).unwrap_or(usize::MAX),
        }
    }
}

/// The smallest limit on the memory of all clients.
const LEAST_CLIENT_MEMORY: u64 = 128 << 10;

fn buffer_limits(settings: &Settings) -> BufferLimits {
    match settings.value("client-output-buffer-limit") {
        Some(Value::BufferLimits(limits)) => *limits,
        _ => BufferLimits::default(),
    }
}

/// As in Redis: a percentage of no `maxmemory` is no limit, and no limit is so small that
/// no client could send a request any more.
fn client_memory(settings: &Settings) -> Option<u64> {
    let limit = match settings.value("maxmemory-clients") {
        Some(&Value::Amount(Amount::Bytes(bytes))) => bytes,
        Some(&Value::Amount(Amount::Percent(percent))) => {
            let all = u128::from(settings.bytes("maxmemory"));
            u64::try_from(all * u128::from(percent) / 100).unwrap_or(u64::MAX)
        }
        _ => 0,
    };
    (limit != 0).then_some(limit.max(LEAST_CLIENT_MEMORY))
}
