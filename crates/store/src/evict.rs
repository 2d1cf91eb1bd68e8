//! Eviction: keys are dropped to make room, those first that are least likely to be missed.
//!
//! Nothing is kept in order for it. A step looks at some buckets of one shard, from a random place
//! on, and drops the worst of what it sees: of five looked at about one, as Redis does, but several
//! at a time, so that the cache misses of one step overlap. What is dropped is told to the journal
//! and to the clients that watch.

use std::sync::Arc;
use sync::atomic::Ordering;

use base::{Millis, Rng};
use smallvec::SmallVec;
use table::{Content, EntryRef};

use crate::object::usage::faded;
use crate::{ChangeKind, Changes, Garbage, Measure, Object, Shard, Store, Txn, TxnNotifications};

/// Keys that a step drops at most.
const MOST: usize = 8;
/// Buckets that a step looks at for each key it may drop, if they hold little.
const BUCKETS: usize = 4;

/// Which keys go first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// Those not used for the longest time, or the least often, whichever is remembered.
    Use,
    /// Those that expire soonest.
    Deadline,
    /// Any.
    Random,
}

/// Which keys to drop.
#[derive(Clone, Copy, Debug)]
pub struct Victims {
    /// Which go first.
    pub by: By,
    /// Only keys with a deadline.
    pub expiring: bool,
    /// How many are compared for each that goes.
    pub samples: usize,
}

/// What a step did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Evicted {
    /// Keys dropped.
    pub keys: usize,
    /// Bytes freed.
    pub bytes: usize,
    /// Keys were passed over whose values queries read: to drop one frees little before they have
    /// ended.
    pub spared: bool,
}

/// A key that may go: the higher the score, the sooner.
struct Candidate {
    score: u64,
    db: usize,
    key: SmallVec<[u8; 40]>,
}

/// The worst keys seen so far, the very worst first.
#[derive(Default)]
struct Worst {
    candidates: SmallVec<[Candidate; MOST]>,
    seen: usize,
    /// Some were not candidates because versions share their values.
    spared: bool,
}

impl Worst {
    fn note(&mut self, score: u64, db: usize, key: &[u8]) {
        self.seen += 1;
        let at = self.candidates.partition_point(|known| known.score >= score);
        if at == MOST {
            return;
        }
        if self.candidates.len() == MOST {
            self.candidates.pop();
        }
        self.candidates.insert(at, Candidate { score, db, key: SmallVec::from_slice(key) });
    }
}

/// What scores are made of.
#[derive(Clone, Copy)]
struct Scorer {
    victims: Victims,
    measure: Measure,
    second: u32,
    minute: u32,
    /// There are versions of values.
    versions: bool,
}

impl Scorer {
    /// Whether versions share a value, which would free little now.
    fn spares(&self, entry: &EntryRef<'_, Object>) -> bool {
        self.versions
            && match entry.content() {
                Content::Bytes(_) => false,
                Content::Object(object) => object.versions().is_some(),
            }
    }

    fn score(&self, entry: &EntryRef<'_, Object>, rng: &mut Rng) -> u64 {
        match (self.victims.by, self.measure) {
            (By::Random, _) => rng.next_u64(),
            (By::Deadline, _) => Millis::MAX - entry.deadline().unwrap_or(Millis::MAX),
            (By::Use, Measure::Recency) => {
                u64::from(self.second.wrapping_sub(entry.access()) & 0xff_ffff)
            }
            (By::Use, Measure::Frequency { decay, .. }) => {
                u64::from(255 - faded(entry.access(), self.minute, decay))
            }
        }
    }
}

/// Drops keys until `need` bytes are free, but no more than a few, all of one shard. Nothing is
/// dropped if there is no such key in the whole store. Call without holding any shard.
pub fn evict_step(txn: &mut Txn, victims: &Victims, need: usize) -> Evicted {
    let Txn { held, changes, notifications, uses, rng, .. } = txn;
    let store = Arc::clone(held.store());
    let scorer = Scorer {
        victims: *victims,
        measure: uses.measure,
        second: uses.second,
        minute: uses.minute,
        versions: store.versions.living() > 0,
    };
    notifications.clear_asker();
    let shards = store.shards();
    let first = rng.below(shards);
    let mut spared = false;
    for number in (first..shards).chain(0..first) {
        let mut rng = Rng::new(rng.next_u64());
        let mut garbage = SmallVec::new();
        // A thread that needs room now does not wait for a long request.
        let evicted = held.try_with_shard(number, |shard| {
            notifications.look_around(&store);
            let worst = look(shard, &scorer, &mut rng);
            spared |= worst.spared;
            let listeners = (&*store, &mut *changes, &*notifications);
            let evicted = drop_worst(shard, (&worst, need), &mut garbage, listeners);
            changes.pending.publish_of(shard, &store);
            notifications.deliver(&store);
            evicted
        });
        let Some(evicted) = evicted else { continue };
        if evicted.keys > 0 {
            garbage.into_iter().for_each(|removed| store.discard(removed));
            store.counts.evicted.fetch_add(evicted.keys as u64, Ordering::Relaxed);
            return evicted;
        }
    }
    Evicted { spared, ..Evicted::default() }
}

/// The worst keys of a random part of each database.
fn look(shard: &Shard, scorer: &Scorer, rng: &mut Rng) -> Worst {
    let (mut worst, expiring) = (Worst::default(), scorer.victims.expiring);
    for (db, there) in shard.dbs.iter().enumerate() {
        let filled = if expiring { there.keys.expiring() } else { there.keys.len() };
        if filled == 0 {
            continue;
        }
        let before = worst.seen;
        let enough = before + (scorer.victims.samples * MOST).min(filled);
        let mut position = rng.next_u64() % table::POSITIONS;
        for _ in 0..MOST * BUCKETS {
            position = there.keys.sample(position, expiring, &mut |entry| {
                if scorer.spares(&entry) {
                    worst.spared = true;
                    return;
                }
                worst.note(scorer.score(&entry, rng), db, entry.key());
            });
            if worst.seen >= enough {
                break;
            }
        }
    }
    // Few were seen: of those, too, only every so manieth goes.
    let most = worst.seen.div_ceil(scorer.victims.samples.max(1)).max(1);
    worst.candidates.truncate(most);
    worst
}

fn drop_worst(
    shard: &mut Shard,
    (worst, need): (&Worst, usize),
    garbage: &mut SmallVec<[Garbage; MOST]>,
    (store, changes, notifications): (&Store, &mut Changes, &TxnNotifications),
) -> Evicted {
    let mut evicted = Evicted::default();
    let before = shard.memory();
    for Candidate { db, key, .. } in &worst.candidates {
        let hash = shard.dbs[*db].keys.hasher().0.hash(key);
        if let Some(removed) = shard.evict(*db, hash, key) {
            garbage.push(removed);
            let place = (*db, hash, key.as_slice());
            changes.went(shard, (store, notifications), place, (ChangeKind::Evicted, false));
            evicted.keys += 1;
        }
        evicted.bytes = before.saturating_sub(shard.memory());
        if evicted.bytes >= need {
            break;
        }
    }
    evicted
}
