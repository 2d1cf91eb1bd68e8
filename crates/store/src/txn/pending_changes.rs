//! What a transaction has changed and has not told the subscribers yet: they hear it at its end, so
//! what `EXEC` or a script changes is one, and what is taken back is nothing. See `feed/mod.rs`.

use super::held::HeldShards;
use super::notifications::TxnNotifications;
use crate::{Change, ChangeKind, Shard, Store};

/// See the [module](self).
#[derive(Default)]
pub(crate) struct PendingChanges {
    /// In order, with the number of the shard of each.
    changes: Vec<(usize, Change)>,
    /// This transaction reads a dataset back: it changes nothing.
    silent: bool,
}

impl PendingChanges {
    /// What follows is no change, but read back.
    pub fn silence(&mut self) {
        self.silent = true;
        self.changes.clear();
    }

    /// Notes a change of a shard.
    #[cold]
    pub fn add(&mut self, notifications: &TxnNotifications, shard: usize, change: Change) {
        if !self.silent {
            self.changes.push((shard, change));
            notifications.note_due();
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.changes.len()
    }

    /// What came after the first so many is taken back. Keys that went by themselves meanwhile are
    /// gone all the same.
    pub fn take_back(&mut self, first: usize) {
        let mut place = 0;
        self.changes.retain(|(_, change)| {
            place += 1;
            let went = matches!(
                change,
                Change::Key { kind: ChangeKind::Expired | ChangeKind::Evicted, .. }
            );
            place <= first || went
        });
    }

    /// Nothing of it happened.
    pub fn clear(&mut self) {
        self.changes.clear();
    }

    /// Tells the subscribers. All shards that it is about are held.
    pub fn publish(&mut self, held: &mut HeldShards) {
        let mut changes = std::mem::take(&mut self.changes);
        // Those of one shard keep their order.
        changes.sort_by_key(|(shard, _)| *shard);
        let mut changes = changes.into_iter().peekable();
        while let Some((number, first)) = changes.next() {
            let mut of_shard = vec![first];
            while let Some((_, next)) = changes.next_if(|(other, _)| *other == number) {
                of_shard.push(next);
            }
            held.publish_in(number, of_shard);
        }
    }

    /// Tells the subscribers what was done to a shard that is locked for a moment: there is nothing
    /// else.
    pub fn publish_of(&mut self, shard: &mut Shard, store: &Store) {
        if self.changes.is_empty() {
            return;
        }
        let changes = std::mem::take(&mut self.changes);
        store.feeds.publish(shard, changes.into_iter().map(|(_, change)| change).collect());
    }
}
