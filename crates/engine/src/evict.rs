//! Making room: what happens when the dataset has reached `maxmemory`.
//!
//! Before a thread serves a batch of requests it drops keys until there is room again, and a little
//! more, so that this is not done anew for every request. It holds no shard for longer than it
//! takes to look at some dozen keys. If it takes long, the clients are served first and the next
//! batch goes on with it; if there is nothing to drop, writes that need memory are refused.

use std::time::{Duration, Instant};

use base::{Args, Pressure};
use commands::what_is_copied;
use config::{Config, EvictionPolicy};
use journal::monotonic;
use store::{By, COPY_ASKS, Scope, Txn, Victims};

use crate::engine::Engine;
use crate::metrics::latency_monitor::{EVICTION_CYCLE, EVICTION_DEL};

/// Of `maxmemory`, one in so many bytes is freed beyond what is needed.
const SPARE: u64 = 2048;
/// But no more than this.
const SPARE_MOST: u64 = 64 << 10;
/// Keys are dropped for a large copy for so long, or longer if so configured.
const COPY_WAITS: Duration = Duration::from_secs(1);
/// Steps between two looks at the clock.
const STEPS: usize = 8;

fn victims(config: &Config) -> Option<Victims> {
    use EvictionPolicy as Policy;
    let policy = config.memory.eviction.policy;
    let by = match policy {
        Policy::NoEviction => return None,
        Policy::VolatileTtl => By::Deadline,
        Policy::AllkeysRandom | Policy::VolatileRandom => By::Random,
        _ => By::Use,
    };
    Some(Victims { by, expiring: policy.spares_lasting(), samples: config.memory.eviction.samples })
}

/// How long clients wait for room: as in Redis, ever longer from half a millisecond on, and as long
/// as it takes at 100.
fn patience(tenacity: u32) -> Option<Duration> {
    match tenacity {
        0..=10 => Some(Duration::from_micros(50 * u64::from(tenacity))),
        // 500 microseconds, and 15 % more for each step.
        11..100 => Some(Duration::from_micros(500).mul_f64(1.15_f64.powi(tenacity as i32 - 10))),
        _ => None,
    }
}

/// Drops keys while the dataset is above its limit. `true` if there is nothing to drop. Call
/// without holding any shard.
pub(crate) fn make_room(engine: &Engine, txn: &mut Txn, config: &Config) -> bool {
    let Some(limit) = config.memory.maxmemory else {
        txn.set_memory_limit(None);
        engine.store.versions.press(Pressure::None);
        return false;
    };
    // Asked before each batch: it is added up once.
    txn.report_memory();
    let beside = engine.memory_beside();
    let used = engine.store.memory() + beside;
    let shared = beside + engine.store.shared_memory();
    txn.set_memory_limit(Some(limit.saturating_sub(shared as u64)));
    if used as u64 <= limit {
        engine.store.versions.press(Pressure::None);
        return false;
    }
    make_room_below(engine, txn, config, (limit, patience(config.memory.eviction.tenacity)))
}

/// The same before a large value is copied, for all of its copy: what takes so much is not made and
/// then found to be too much. The copy itself is refused if there still is no room.
/// Nothing is dropped for a request that copies nothing.
pub(crate) fn make_room_for_copy(engine: &Engine, txn: &mut Txn, config: &Config, args: Args<'_>) {
    let (Some(limit), Some(copy)) = (config.memory.maxmemory, what_is_copied(txn, args)) else {
        return;
    };
    let (from, to, replace) = copy;
    let mut shards = [from, to.1].map(|key| engine.store.shard_of(key.hash));
    shards.sort_unstable();
    let scope = if shards[0] == shards[1] { &shards[..1] } else { &shards[..] };
    let size_to_copy = |txn: &mut Txn| txn.size_to_copy(from, to, replace);
    let size = txn.with(&engine.store, Scope::Many(scope), size_to_copy);
    let size = size.ok().flatten().unwrap_or(0);
    let below = limit.checked_sub(size as u64);
    if let Some(below) = below.filter(|_| size >= COPY_ASKS) {
        let patience =
            patience(config.memory.eviction.tenacity).map(|patience| patience.max(COPY_WAITS));
        make_room_below(engine, txn, config, (below, patience));
    }
}

/// Tells a transaction, a running one too, how much the dataset may take by the limit there is.
pub(crate) fn tell_room(engine: &Engine, txn: &mut Txn, config: &Config) {
    txn.set_memory_limit(config.memory.maxmemory.map(|limit| {
        let beside = engine.memory_beside() + engine.store.shared_memory();
        limit.saturating_sub(beside as u64)
    }));
}

/// Drops keys while the dataset is above a limit. `true` if there is nothing to drop.
fn make_room_below(
    engine: &Engine,
    txn: &mut Txn,
    config: &Config,
    (limit, patience): (u64, Option<Duration>),
) -> bool {
    txn.report_memory();
    let used = || engine.used_memory() as u64;
    if used() <= limit || engine.durability.is_loading() {
        return false;
    }
    // While clients are paused the dataset stands still, and writes wait anyway.
    if engine.store.is_still(txn.time()) {
        return false;
    }
    let Some(victims) = victims(config) else {
        press(engine, config, None);
        return true;
    };
    let start = Instant::now();
    let mut longest = Duration::ZERO;
    let exceeded = drop_keys(engine, txn, (config, &victims, limit, patience), &mut longest);
    if let Some(threshold) = config.logging.latency_monitor_threshold {
        engine.metrics.latency_monitor.note(EVICTION_DEL, longest, threshold, txn.time());
        engine.metrics.latency_monitor.note(EVICTION_CYCLE, start.elapsed(), threshold, txn.time());
    }
    exceeded
}

/// Nothing is left to be dropped: where versions hold what could make room, they are given up.
/// `fewer`: values that queries read were not dropped, as that would free little, and could be if
/// there were but so many versions. (Not for a copy that has no room in a dataset that has.)
fn press(engine: &Engine, config: &Config, fewer: Option<usize>) {
    let (versions, used) = (&engine.store.versions, engine.used_memory());
    let limit = config.memory.maxmemory.unwrap_or(u64::MAX);
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let without = used.saturating_sub(versions.kept());
    versions.press(match fewer {
        _ if used <= limit => Pressure::None,
        Some(count) => Pressure::Living(count),
        None => limit.checked_sub(without).map_or(Pressure::None, Pressure::Kept),
    });
}

/// Drops keys until there is room, nothing is left to drop, or the patience is at its end. `true`
/// if there is nothing to drop. The time of the longest step goes to `longest`.
fn drop_keys(
    engine: &Engine,
    txn: &mut Txn,
    (config, victims, limit, patience): (&Config, &Victims, u64, Option<Duration>),
    longest: &mut Duration,
) -> bool {
    let used = || engine.used_memory() as u64;
    let start = monotonic();
    let goal = limit - (limit / SPARE).min(SPARE_MOST);
    for step in 1_usize.. {
        let need = usize::try_from(used().saturating_sub(goal)).unwrap_or(usize::MAX);
        if need == 0 {
            break;
        }
        let begun = Instant::now();
        let living = engine.store.versions.living();
        let evicted = store::evict_step(txn, victims, need);
        if evicted.keys == 0 {
            press(engine, config, evicted.spared.then(|| living.saturating_sub(1)));
            break;
        }
        *longest = begun.elapsed().max(*longest);
        txn.report_memory();
        if step % STEPS == 0 && patience.is_some_and(|patience| monotonic() - start >= patience) {
            engine.metrics.evictions.note(used() > limit, engine.run.clock.elapsed());
            return false;
        }
    }
    let exceeded = used() > limit;
    engine.metrics.evictions.note(exceeded, engine.run.clock.elapsed());
    exceeded
}
