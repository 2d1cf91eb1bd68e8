//! What a transaction has changed and has not told the change stream yet: it is told at the end, so
//! what `EXEC` or a script changes is one batch, and what is taken back is nothing. See
//! `change_stream/mod.rs`.

use std::collections::BTreeMap;

use super::held::HeldShards;
use super::notifications::TxnNotifications;
use crate::change_stream::Charge;
use crate::{Change, ChangeKind, Shard, Store};

/// So many bytes are counted as used memory at once: it is one sum for all threads.
const CHARGED_AT_ONCE: usize = 64 << 10;

/// See the [module](self).
#[derive(Default)]
pub(crate) struct PendingChanges {
    /// In order, with the number of the shard of each.
    changes: Vec<(usize, Change)>,
    /// Bytes that they take.
    bytes: usize,
    /// How many more there are of a shard behind those, which were beyond the limit.
    missed: BTreeMap<usize, u64>,
    charge: Option<Charge>,
    /// This transaction reads a dataset back: it changes nothing.
    silent: bool,
}

impl PendingChanges {
    /// What follows is no change, but read back.
    pub fn silence(&mut self) {
        self.silent = true;
        self.clear();
    }

    /// Notes a change of a shard; beyond the limit only that there was one.
    #[cold]
    pub fn add(
        &mut self,
        (store, notifications): (&Store, &TxnNotifications),
        shard: usize,
        change: Change,
    ) {
        if self.silent {
            return;
        }
        notifications.note_due();
        let bytes = self.bytes + size_of::<(usize, Change)>() + change.owned();
        // Behind one that is missing all are: those of a shard keep their order.
        if bytes > store.change_stream.backlog_limit() || self.missed.contains_key(&shard) {
            *self.missed.entry(shard).or_default() += 1;
            return;
        }
        self.bytes = bytes;
        self.changes.push((shard, change));
        if bytes - self.charge.as_ref().map_or(0, Charge::bytes) >= CHARGED_AT_ONCE {
            let charge = self.charge.get_or_insert_with(|| store.change_stream.charge(0));
            charge.grow(bytes - charge.bytes());
        }
    }

    /// How many there are, but for those that are missing.
    pub fn count(&self) -> usize {
        self.changes.len()
    }

    /// What came after the first so many is taken back. Keys that went by themselves meanwhile are
    /// gone all the same, but for those that are put back. Those that are missing may have been
    /// any: they stay missing.
    pub fn take_back(&mut self, first: usize, is_put_back: impl Fn(usize, u64, &[u8]) -> bool) {
        let mut place = 0;
        self.changes.retain(|(_, change)| {
            place += 1;
            let stays = match change {
                Change::Key { kind: ChangeKind::Evicted, .. } => true,
                Change::Key { db, hash, key, kind: ChangeKind::Expired } => {
                    !is_put_back(*db, *hash, key)
                }
                _ => false,
            };
            place <= first || stays
        });
    }

    /// Nothing of it happened.
    pub fn clear(&mut self) {
        self.missed.clear();
        drop(self.take());
    }

    /// The changes; those that are missing stay.
    fn take(&mut self) -> Vec<(usize, Change)> {
        self.bytes = 0;
        self.charge = None;
        std::mem::take(&mut self.changes)
    }

    /// The transaction broke off in the middle of a walk over shards that it does not hold any
    /// more: what was changed there is told as missing, when it next holds them.
    #[cold]
    pub fn leave_behind(&mut self) {
        for (shard, _) in self.take() {
            *self.missed.entry(shard).or_default() += 1;
        }
    }

    /// Tells the change stream. Whether there is more, of shards that are not held: see
    /// [`leave_behind`](Self::leave_behind).
    pub fn publish(&mut self, held: &mut HeldShards) -> bool {
        let mut changes = self.take();
        // Those of one shard keep their order.
        changes.sort_by_key(|(shard, _)| *shard);
        let runs = changes.chunk_by(|(one, _), (next, _)| one == next);
        let runs: Vec<(usize, usize)> = runs.map(|run| (run[0].0, run.len())).collect();
        let mut changes = changes.into_iter();
        for (number, count) in runs {
            let of_shard = changes.by_ref().take(count).map(|(_, change)| change).collect();
            held.publish_in(number, of_shard, self.missed.remove(&number).unwrap_or(0));
        }
        self.missed.retain(|&number, missed| {
            let is_held = held.holds_all(&[number]);
            if is_held {
                held.publish_in(number, Vec::new(), *missed);
            }
            !is_held
        });
        !self.missed.is_empty()
    }

    /// Tells the change stream what was done to a shard that is locked for a moment.
    pub fn publish_of(&mut self, shard: &mut Shard, store: &Store) {
        if self.changes.is_empty() && self.missed.is_empty() {
            return;
        }
        let number = shard.number();
        let is_here = |(of, _): &(usize, Change)| *of == number;
        debug_assert!(self.changes.iter().all(is_here), "changes of other shards are left");
        let missed = self.missed.remove(&number).unwrap_or(0);
        let changes = self.take().into_iter().map(|(_, change)| change).collect();
        store.change_stream.publish(shard, changes, missed);
    }
}
