//! The order of a frame's records of which some name each other.
//!
//! ```text
//!   shard 3   1  2  From(7, 5)  4          a shard goes on to the record that the other one
//!                    │                     waits for, and the two records are done at once
//!   shard 7   1  2  3  4  To(3, 3)  6
//! ```
//!
//! So it is with a command that stores what it makes of keys of several shards, if that is large:
//! in every other shard of which it reads keys a barrier tells the moment.
//!
//! There is always a shard that can go on, as there was one when it happened. Recovery follows this
//! order, and so does a check whether it could.

use std::collections::HashMap;

use journal::codec::Malformed;
use journal::record::{Derived, Half, Kind, Record, RecordId};

/// A record whose others are not where they should be.
pub(super) const ALONE: &str = "a record names others that are not there";

/// What is done at once.
pub(super) enum Step<'f> {
    /// What one record says.
    One(Record<'f>),
    /// A value goes from the one key to the other.
    Pair([(Record<'f>, Half<'f>); 2]),
    /// A command stores what it makes of keys of several shards: its record, what that says, and
    /// the barriers of the other shards.
    Derived(Record<'f>, Derived<'f>, Vec<Record<'f>>),
}

/// What a shard's next record needs.
enum Turn<'f> {
    /// That another shard comes there first.
    Waits(RecordId),
    Does(Step<'f>),
}

/// Hands out the records of a frame, which come sorted by shard and number.
///
/// # Errors
/// They cannot be put in order, or that of `apply`.
pub(super) fn in_order<'f>(
    records: Vec<Record<'f>>,
    mut apply: impl FnMut(Step<'f>) -> Result<(), String>,
) -> Result<(), String> {
    let mut queues = Queues::new(records);
    let shards: Vec<u16> = queues.next.keys().copied().collect();
    for shard in shards {
        // Those that wait, each for the next one to come to this number.
        let mut waiting = vec![(shard, u64::MAX)];
        while let Some(&(shard, until)) = waiting.last() {
            let Some(record) = queues.head(shard).filter(|record| record.seq < until) else {
                waiting.pop();
                continue;
            };
            let other = match queues.turn(record)? {
                Turn::Does(step) => {
                    apply(step)?;
                    continue;
                }
                Turn::Waits(other) => other,
            };
            if waiting.iter().any(|&(waits, _)| waits == other.shard) {
                return Err(ALONE.to_owned());
            }
            waiting.push((other.shard, other.seq));
        }
    }
    Ok(())
}

/// Records of a frame, shard by shard, and how far each shard is.
struct Queues<'f> {
    records: Vec<Record<'f>>,
    /// Where the next record of a shard stands, and where its last one ends.
    next: HashMap<u16, (usize, usize)>,
}

impl<'f> Queues<'f> {
    fn new(records: Vec<Record<'f>>) -> Self {
        let mut next: HashMap<u16, (usize, usize)> = HashMap::new();
        for (at, record) in records.iter().enumerate() {
            next.entry(record.shard).or_insert((at, at)).1 = at + 1;
        }
        Queues { records, next }
    }

    fn head(&self, shard: u16) -> Option<Record<'f>> {
        let &(at, end) = self.next.get(&shard)?;
        self.records.get(at).filter(|_| at < end).copied()
    }

    fn pass(&mut self, shard: u16) {
        if let Some((at, _)) = self.next.get_mut(&shard) {
            *at += 1;
        }
    }

    /// Passes the next record of a shard, with those it names. If one of them is not the next of
    /// its own shard, nothing is passed yet: that shard has to come there first.
    fn turn(&mut self, record: Record<'f>) -> Result<Turn<'f>, String> {
        match record.kind {
            Kind::From | Kind::To => self.turn_of_pair(record),
            Kind::Derived | Kind::Barrier => self.turn_of_derived(record),
            _ => {
                self.pass(record.shard);
                Ok(Turn::Does(Step::One(record)))
            }
        }
    }

    fn turn_of_pair(&mut self, record: Record<'f>) -> Result<Turn<'f>, String> {
        let half = Half::of(record.body).map_err(malformed)?;
        if half.shard == record.shard {
            // The other side of it within one shard comes right behind.
            self.pass(record.shard);
        }
        let other = self.head(half.shard).ok_or(ALONE)?;
        if half.shard != record.shard && other.seq < half.seq {
            return Ok(Turn::Waits(RecordId { shard: half.shard, seq: half.seq }));
        }
        let pair = match record.kind {
            Kind::From => [record, other],
            _ => [other, record],
        };
        let [from, to] = pair;
        if (from.kind, to.kind) != (Kind::From, Kind::To) {
            return Err(ALONE.to_owned());
        }
        let [first, second] =
            [Half::of(from.body).map_err(malformed)?, Half::of(to.body).map_err(malformed)?];
        let fits = (first.shard, first.seq) == (to.shard, to.seq)
            && (second.shard, second.seq) == (from.shard, from.seq)
            && first.stays == second.stays;
        if !fits {
            return Err(ALONE.to_owned());
        }
        self.pass(half.shard);
        if half.shard != record.shard {
            self.pass(record.shard);
        }
        Ok(Turn::Does(Step::Pair([(from, first), (to, second)])))
    }

    /// A command that reads keys of several shards runs when each of them is where it was then.
    fn turn_of_derived(&mut self, record: Record<'f>) -> Result<Turn<'f>, String> {
        let own = RecordId { shard: record.shard, seq: record.seq };
        let stores = match record.kind {
            Kind::Barrier => RecordId::of(record.body).map_err(malformed)?,
            _ => own,
        };
        let head = self.head(stores.shard).ok_or(ALONE)?;
        if head.seq < stores.seq {
            return Ok(Turn::Waits(stores));
        }
        if (head.kind, head.seq) != (Kind::Derived, stores.seq) {
            return Err(ALONE.to_owned());
        }
        let derived = Derived::of(head.body).map_err(malformed)?;
        let mut barriers = Vec::with_capacity(derived.barriers.len());
        for &at in &derived.barriers {
            let barrier = self.head(at.shard).ok_or(ALONE)?;
            if barrier.seq < at.seq {
                return Ok(Turn::Waits(at));
            }
            let fits = (barrier.kind, barrier.seq) == (Kind::Barrier, at.seq)
                && RecordId::of(barrier.body) == Ok(stores);
            barriers.push(Some(barrier).filter(|_| fits).ok_or(ALONE)?);
        }
        if record.kind == Kind::Barrier && !derived.barriers.contains(&own) {
            return Err(ALONE.to_owned());
        }
        self.pass(stores.shard);
        barriers.iter().for_each(|barrier| self.pass(barrier.shard));
        Ok(Turn::Does(Step::Derived(head, derived, barriers)))
    }
}

fn malformed(error: Malformed) -> String {
    error.to_string()
}
