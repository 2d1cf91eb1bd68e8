//! What one client may take.

use super::{I64, MB};
use crate::directive::{Directive as D, Kind};

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
