//! Memory: the limit, what goes when it is reached, what is freed in the background.

use super::I64;
use crate::directive::{Directive as D, INT_MAX};
use crate::settings::Settings;

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

/// How much memory data may take, and how it is freed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemorySettings {
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
}

impl MemorySettings {
    pub(crate) fn of(settings: &Settings) -> Self {
        Self {
            maxmemory: Some(settings.bytes("maxmemory")).filter(|&bytes| bytes != 0),
            eviction: eviction(settings),
            active_expire_effort: settings.int("active-expire-effort"),
            lazyfree_lazy_eviction: settings.yes("lazyfree-lazy-eviction"),
            lazyfree_lazy_expire: settings.yes("lazyfree-lazy-expire"),
            lazyfree_lazy_server_del: settings.yes("lazyfree-lazy-server-del"),
            lazyfree_lazy_user_del: settings.yes("lazyfree-lazy-user-del"),
            lazyfree_lazy_user_flush: settings.yes("lazyfree-lazy-user-flush"),
        }
    }
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

fn eviction(settings: &Settings) -> Eviction {
    Eviction {
        policy: policy(settings),
        samples: settings.int("maxmemory-samples"),
        tenacity: settings.int("maxmemory-eviction-tenacity"),
        lfu_log_factor: settings.int("lfu-log-factor"),
        lfu_decay_time: settings.int("lfu-decay-time"),
    }
}

fn policy(settings: &Settings) -> EvictionPolicy {
    match settings.word("maxmemory-policy") {
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
