//! Memory: the limit, what goes when it is reached, what is freed in the background.

use super::I64;
use crate::directive::{Directive as D, INT_MAX};

const POLICIES: &[&str] = &[
    "volatile-lru",
    "volatile-lfu",
    "volatile-random",
    "volatile-ttl",
    "allkeys-lru",
    "allkeys-lfu",
    "allkeys-random",
    "noeviction",
];

pub(super) const LIST: &[D] = &[
    D::memory(
        "maxmemory",
        "0",
        0,
        u64::MAX,
        "Most memory the data may take. 0 means no limit. Units: 1k is 1000 bytes and 1kb 1024, \
         and so on with m, mb, g, gb; case does not matter.",
    ),
    D::one_of(
        "maxmemory-policy",
        POLICIES,
        "noeviction",
        "What happens at the limit: noeviction refuses writes that need memory; the others make \
         room by dropping keys, all or only those with an expiry, least recently used, least \
         frequently used, soonest to expire, or at random.",
    ),
    D::int("maxmemory-samples", "5", 1, INT_MAX, "Keys compared to find one to drop."),
    D::int(
        "maxmemory-eviction-tenacity",
        "10",
        0,
        100,
        "Effort put into dropping keys before serving clients again, 0 to 100.",
    ),
    D::int(
        "lfu-log-factor",
        "10",
        0,
        INT_MAX,
        "How many uses it takes to saturate the frequency counter of a key; larger is slower.",
    ),
    D::int(
        "lfu-decay-time",
        "1",
        0,
        INT_MAX,
        "Minutes after which the frequency counter of an unused key goes down by one.",
    ),
    D::int(
        "active-expire-effort",
        "1",
        1,
        10,
        "Effort put into finding expired keys that are not asked for, 1 to 10.",
    ),
    D::yes_no("lazyfree-lazy-eviction", "no", "Free keys dropped for memory in the background."),
    D::yes_no("lazyfree-lazy-expire", "no", "Free expired keys in the background."),
    D::yes_no(
        "lazyfree-lazy-server-del",
        "no",
        "Free values that a command replaces in the background.",
    ),
    D::yes_no("lazyfree-lazy-user-del", "no", "Let DEL work like UNLINK."),
    D::yes_no(
        "lazyfree-lazy-user-flush",
        "no",
        "Let FLUSHDB, FLUSHALL and SCRIPT FLUSH without a mode free in the background.",
    ),
    D::yes_no(
        "activerehashing",
        "yes",
        "Tables grow one segment at a time here, so there is nothing to rehash actively.",
    )
    .inert(),
    D::yes_no("activedefrag", "no", "Move values while serving, to hand memory back.").pending(),
    D::memory("active-defrag-ignore-bytes", "100mb", 1, I64, "Waste below which nothing moves.")
        .inert(),
    D::int("active-defrag-threshold-lower", "10", 0, 1000, "Percentage of waste that starts it.")
        .inert(),
    D::int("active-defrag-threshold-upper", "100", 0, 1000, "Percentage of waste at full effort.")
        .inert(),
    D::int("active-defrag-cycle-min", "1", 1, 99, "Least percentage of a core it may take.")
        .inert(),
    D::int("active-defrag-cycle-max", "25", 1, 99, "Most percentage of a core it may take.")
        .inert(),
    D::int(
        "active-defrag-max-scan-fields",
        "1000",
        1,
        i64::MAX,
        "Elements of one value handled at a time.",
    )
    .inert(),
    D::yes_no("jemalloc-bg-thread", "yes", "Another allocator is used here; accepted and ignored.")
        .inert(),
];
