//! Redis Cluster.

use crate::directive::{Directive as D, INT_MAX, Kind, TextRule};

pub(super) const LIST: &[D] = &[
    D::yes_no("cluster-enabled", "no", "Run as a node of a cluster.").at_start().default_only(),
    D::text("cluster-config-file", "nodes.conf", "File in which a node keeps the cluster's state.")
        .at_start()
        .pending(),
    D::int("cluster-port", "0", 0, 65535, "Port of the cluster bus. 0: port + 10000.")
        .at_start()
        .pending(),
    D::int(
        "cluster-node-timeout",
        "15000",
        0,
        i64::MAX,
        "Milliseconds of silence that make a node suspect.",
    )
    .pending(),
    D::memory(
        "cluster-link-sendbuf-limit",
        "0",
        0,
        u64::MAX,
        "Bytes that may wait for one other node. 0 means no limit.",
    )
    .pending(),
    D::int(
        "cluster-replica-validity-factor",
        "10",
        0,
        INT_MAX,
        "How old, in node time-outs, a replica's data may be for it to take over. 0: any age.",
    )
    .alias("cluster-slave-validity-factor")
    .pending(),
    D::int(
        "cluster-migration-barrier",
        "1",
        0,
        INT_MAX,
        "Replicas a master must keep before one may move to a master without any.",
    )
    .pending(),
    D::yes_no(
        "cluster-allow-replica-migration",
        "yes",
        "Let replicas move to masters without any.",
    )
    .pending(),
    D::yes_no(
        "cluster-require-full-coverage",
        "yes",
        "Answer nothing while some slot has no master.",
    )
    .pending(),
    D::yes_no("cluster-replica-no-failover", "no", "Never let this replica take over by itself.")
        .alias("cluster-slave-no-failover")
        .pending(),
    D::yes_no("cluster-allow-reads-when-down", "no", "Answer reads while the cluster is down.")
        .pending(),
    D::yes_no(
        "cluster-allow-pubsubshard-when-down",
        "yes",
        "Serve sharded pub/sub while the cluster is down.",
    )
    .pending(),
    D::text("cluster-announce-ip", "", "Address under which this node reports itself.").pending(),
    D::int("cluster-announce-port", "0", 0, 65535, "Port under which this node reports itself.")
        .pending(),
    D::int("cluster-announce-tls-port", "0", 0, 65535, "TLS port it reports.").pending(),
    D::int("cluster-announce-bus-port", "0", 0, 65535, "Bus port it reports.").pending(),
    D::new(
        "cluster-announce-hostname",
        Kind::Text(TextRule::HostName),
        "",
        "Host name under which this node reports itself.",
    )
    .pending(),
    D::one_of(
        "cluster-preferred-endpoint-type",
        &["ip", "hostname", "unknown-endpoint"],
        "ip",
        "What clients are told about nodes.",
    )
    .pending(),
];
