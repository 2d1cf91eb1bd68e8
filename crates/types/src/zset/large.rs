//! The large form of a sorted set: a table from members to scores, and a tree of pairs in order.
//!
//! ```text
//!   table   member -> score (8 inline bytes)      "what is the score of m?"      O(1)
//!   tree    (score, member), with counts          "rank of m, range, nth?"       O(log n)
//! ```
//!
//! Both hold the member's bytes: entries of the table are reached by hash only, and a leaf with
//! its members beside it needs no further memory access per comparison. Two packed copies are
//! still smaller than one in a skip list.
//!
//! Table and tree always hold the same pairs, with scores of the same bits.

use btree::{Scored, Tree};

use crate::hasher::{self, Index, hash_in, new_index};
use crate::pre_image::{Noted, Trace};

use super::Pair;

/// See the [module](self).
pub(super) struct Large {
    pub(super) table: Index,
    pub(super) tree: Tree<Scored>,
    /// What it was, for an incremental copy.
    pub(super) pre_image: Trace<Noted>,
}

/// A score from the value of an entry.
#[inline]
pub(super) fn score_of(bytes: Option<&[u8]>) -> f64 {
    bytes.and_then(|bytes| bytes.try_into().ok()).map_or(0.0, f64::from_ne_bytes)
}

/// Notes the score that a member has before it changes.
#[inline]
fn note(pre_image: &mut Trace<Noted>, member: &[u8], score: Option<f64>) {
    if pre_image.is_on() {
        let bits = score.map(|score| score.to_bits().to_le_bytes());
        pre_image.note(1, |noted| noted.note(member, bits.as_ref().map(|bits| &bits[..])));
    }
}

impl Large {
    /// The large form of pairs that come in order and have distinct members. O(n).
    pub(super) fn build<'a>(pairs: impl Iterator<Item = Pair<'a>>) -> Large {
        let mut table = new_index();
        let tree = Tree::build(pairs.inspect(|(score, member)| {
            let hash = hash_in(&table, member);
            let put = table.put_bytes(hash, member, &score.to_ne_bytes());
            debug_assert!(put.inserted, "a member given twice");
        }));
        Large { table, tree, pre_image: Trace::default() }
    }

    pub(super) fn score(&self, member: &[u8]) -> Option<f64> {
        let entry = self.table.find(hash_in(&self.table, member), member)?;
        Some(score_of(entry.bytes()))
    }

    /// See [`ZSet::update`](super::ZSet::update).
    pub(super) fn update(
        &mut self,
        member: &[u8],
        decide: impl FnOnce(Option<f64>) -> Option<f64>,
    ) -> Option<f64> {
        let hash = hash_in(&self.table, member);
        match self.table.find_mut(hash, member) {
            Some(mut entry) => {
                let old = score_of(entry.bytes());
                if let Some(new) = decide(Some(old))
                    && new != old
                {
                    note(&mut self.pre_image, member, Some(old));
                    entry.set_bytes(&new.to_ne_bytes());
                    self.tree.replace((old, member), (new, member));
                }
                Some(old)
            }
            None => {
                if let Some(new) = decide(None) {
                    note(&mut self.pre_image, member, None);
                    self.table.put_bytes(hash, member, &new.to_ne_bytes());
                    self.tree.insert((new, member));
                }
                None
            }
        }
    }

    pub(super) fn remove(&mut self, member: &[u8]) -> Option<f64> {
        let removed = self.table.remove(hash_in(&self.table, member), member)?;
        let score = score_of(removed.bytes());
        note(&mut self.pre_image, member, Some(score));
        self.tree.remove((score, member));
        Some(score)
    }

    pub(super) fn remove_ranks(&mut self, ranks: std::ops::Range<usize>) {
        let Large { table, tree, pre_image } = self;
        if pre_image.is_on() {
            // Too many at once are not noted one by one.
            pre_image.note(ranks.len(), |_| 0);
        }
        tree.remove_ranks(ranks, &mut |(score, member)| {
            note(pre_image, member, Some(score));
            table.remove(hash_in(table, member), member);
        });
    }
}

impl Clone for Large {
    fn clone(&self) -> Self {
        let tree = self.tree.clone();
        Large { table: hasher::copy(&self.table), tree, pre_image: Trace::default() }
    }
}
