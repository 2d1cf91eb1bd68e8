//! Masters and replicas.

use crate::directive::{Directive as D, INT_MAX, Kind};

pub(super) const LIST: &[D] = &[
    D::new(
        "replicaof",
        Kind::ReplicaOf,
        "no one",
        "Host and port of the master to copy, or: no one.",
    )
    .alias("slaveof")
    .at_start()
    .default_only(),
    D::text("masteruser", "", "User name to log in to the master with.").pending(),
    D::text("masterauth", "", "Password to log in to the master with.").pending(),
    D::yes_no("replica-serve-stale-data", "yes", "Answer reads while the master is out of reach.")
        .alias("slave-serve-stale-data")
        .pending(),
    D::yes_no("replica-read-only", "yes", "Refuse writes from clients of a replica.")
        .alias("slave-read-only")
        .pending(),
    D::yes_no("replica-ignore-maxmemory", "yes", "Leave evictions to the master.")
        .alias("slave-ignore-maxmemory")
        .pending(),
    D::yes_no("replica-lazy-flush", "no", "Empty a replica in the background before a full copy.")
        .alias("slave-lazy-flush")
        .pending(),
    D::yes_no("replica-ignore-disk-write-errors", "no", "Go on when a replica's disk fails.")
        .pending(),
    D::int(
        "replica-priority",
        "100",
        0,
        INT_MAX,
        "Rank of this replica when a new master is chosen; smaller comes first, 0 never.",
    )
    .alias("slave-priority")
    .pending(),
    D::yes_no("replica-announced", "yes", "Let Sentinel tell clients about this replica.")
        .pending(),
    D::text("replica-announce-ip", "", "Address under which a replica reports itself.")
        .alias("slave-announce-ip")
        .pending(),
    D::int("replica-announce-port", "0", 0, 65535, "Port under which a replica reports itself.")
        .alias("slave-announce-port")
        .pending(),
    D::int(
        "min-replicas-to-write",
        "0",
        0,
        INT_MAX,
        "Refuse writes while fewer replicas than this follow closely.",
    )
    .alias("min-slaves-to-write")
    .default_only(),
    D::int("min-replicas-max-lag", "10", 0, INT_MAX, "Seconds of lag that still count as close.")
        .alias("min-slaves-max-lag")
        .pending(),
    D::int(
        "repl-ping-replica-period",
        "10",
        1,
        INT_MAX,
        "Seconds between a master's signs of life.",
    )
    .alias("repl-ping-slave-period")
    .pending(),
    D::int(
        "repl-timeout",
        "60",
        1,
        INT_MAX,
        "Seconds of silence that mean the other side is gone.",
    )
    .pending(),
    D::memory(
        "repl-backlog-size",
        "1mb",
        1,
        i64::MAX as u64,
        "Bytes of recent writes kept for replicas that come back.",
    )
    .pending(),
    D::int(
        "repl-backlog-ttl",
        "3600",
        0,
        i64::MAX,
        "Seconds after the last replica has gone until those bytes are freed. 0 never frees them.",
    )
    .pending(),
    D::yes_no("repl-disable-tcp-nodelay", "no", "Send to replicas in larger packets, later.")
        .pending(),
    D::yes_no("repl-diskless-sync", "yes", "Send full copies without writing them to disk.")
        .pending(),
    D::int(
        "repl-diskless-sync-delay",
        "5",
        0,
        INT_MAX,
        "Seconds to wait for further replicas before such a copy starts.",
    )
    .pending(),
    D::int(
        "repl-diskless-sync-max-replicas",
        "0",
        0,
        INT_MAX,
        "Replicas whose arrival ends that wait early. 0: none do.",
    )
    .pending(),
    D::one_of(
        "repl-diskless-load",
        &["disabled", "on-empty-db", "swapdb"],
        "disabled",
        "Whether a replica loads a full copy straight from the socket.",
    )
    .pending(),
];
