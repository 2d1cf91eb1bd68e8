//! Sorted sets: distinct members, each with a score, in the order of scores and members.
//!
//! ```text
//!   listpack    | score, member | score, member | ...        (small.rs, score.rs)
//!   skiplist    table member -> score, and a B+tree          (large.rs; the crate `btree`)
//! ```
//!
//! The large form is called `skiplist` to clients because Redis calls it so; it is none.
//!
//! Everything about order is said in ranks: a range by score or by member is first turned into a
//! range of ranks, O(log n), whose length is the count, which is then walked from either end, or
//! removed. A sorted set starts packed and leaves that form, for good, when a *new* member is
//! longer than `zset-max-listpack-value` or would be one too many for
//! `zset-max-listpack-entries`: Redis's moments.
//!
//! Scores are never NaN: who computes one must refuse it before.
//!
//! Complexities are given for the large form; packed, all is O(n) for a bounded n.

mod bounds;
mod copy;
mod image;
mod large;
mod portable;
mod score;
mod small;

use std::cmp::Ordering;
use std::ops::Range;

use base::codec::{Malformed, Source};
use base::{Copier, DataType, Growing, Kind, PackLimits, Rng};
use btree::{Alone, Scored, order_of_scored};
use table::{UnalignedBox, size_class};

use crate::hash::PACKED_BYTES;
use crate::packed::{Packed, element_size};
use crate::pre_image::Noted;
use crate::sample;

pub use bounds::{LexBound, ScoreBound};
use large::Large;

/// A score and a member.
type Pair<'a> = (f64, &'a [u8]);

enum Shape {
    Packed(Packed),
    Large(UnalignedBox<Large>),
}

/// The value of a key of type zset.
///
/// ```
/// use kvist_types::ZSet;
/// use kvist_types::zset::ScoreBound;
/// let limits = base::PackLimits::default();
/// let mut zset = ZSet::default();
/// zset.insert(b"ann", 3.0, &limits);
/// zset.insert(b"bob", 1.5, &limits);
/// assert_eq!(zset.insert(b"ann", 1.0, &limits), Some(3.0));
/// assert_eq!(zset.rank(b"bob"), Some((1, 1.5)));
/// let ranks = zset.score_ranks(ScoreBound::Excluded(1.0), ScoreBound::Included(f64::INFINITY));
/// assert!(zset.range(ranks).eq([(&b"bob"[..], 1.5)]));
/// ```
pub struct ZSet {
    shape: Shape,
}

impl Default for ZSet {
    fn default() -> Self {
        ZSet { shape: Shape::Packed(Packed::new()) }
    }
}

impl ZSet {
    /// A sorted set of the given pairs, whose members must be distinct, in the form that Redis
    /// chooses for results of `ZUNIONSTORE` and its like. O(n log n), much faster than inserting.
    pub fn collect<'a>(
        pairs: impl IntoIterator<Item = (&'a [u8], f64)>,
        limits: &PackLimits,
    ) -> Self {
        let mut pairs: Vec<(f64, &[u8])> =
            pairs.into_iter().map(|(member, score)| (score, member)).collect();
        pairs.sort_unstable_by(|a, b| order_of_scored(*a, *b));
        let longest = pairs.iter().map(|pair| pair.1.len()).max().unwrap_or(0);
        let total: usize = pairs.iter().map(|pair| packed_size(pair.1)).sum();
        let packed = pairs.len() <= limits.zset_entries
            && longest <= limits.zset_value
            && total <= PACKED_BYTES;
        let shape = if packed {
            let mut packed = Packed::new();
            for (score, member) in pairs {
                small::insert(&mut packed, score, member);
            }
            Shape::Packed(packed)
        } else {
            Shape::Large(UnalignedBox::new(Large::build(pairs.into_iter())))
        };
        ZSet { shape }
    }

    /// How many members there are. O(1).
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.shape {
            Shape::Packed(packed) => packed.len(),
            Shape::Large(large) => large.tree.len(),
        }
    }

    /// Whether there are none. O(1).
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The score of `member`. O(1).
    #[inline]
    #[must_use]
    pub fn score(&self, member: &[u8]) -> Option<f64> {
        match &self.shape {
            Shape::Packed(packed) => small::find(packed, member).map(|found| found.2),
            Shape::Large(large) => large.score(member),
        }
    }

    /// Gives `member` a score, adding it if it is new. Returns the score before. O(log n).
    pub fn insert(&mut self, member: &[u8], score: f64, limits: &PackLimits) -> Option<f64> {
        self.update(member, limits, |_| Some(score))
    }

    /// Asks `decide` for the score of `member`, telling it the present one (`None`: it is no
    /// member); `None` leaves all as it is. Returns the score before. One look-up, then O(log n)
    /// if the score changes.
    ///
    /// ```
    /// # use kvist_types::ZSet;
    /// # let limits = base::PackLimits::default();
    /// # let mut zset = ZSet::default();
    /// // ZINCRBY
    /// zset.update(b"ann", &limits, |old| Some(old.unwrap_or(0.0) + 2.0));
    /// // ZADD XX GT
    /// zset.update(b"ann", &limits, |old| old.is_some_and(|old| 1.0 > old).then_some(1.0));
    /// assert_eq!(zset.score(b"ann"), Some(2.0));
    /// ```
    pub fn update(
        &mut self,
        member: &[u8],
        limits: &PackLimits,
        decide: impl FnOnce(Option<f64>) -> Option<f64>,
    ) -> Option<f64> {
        let packed = match &mut self.shape {
            Shape::Packed(packed) => packed,
            Shape::Large(large) => return large.update(member, decide),
        };
        if let Some((at, _, old)) = small::find(packed, member) {
            if let Some(new) = decide(Some(old))
                && new != old
            {
                small::rescore(packed, at, old, new, member);
            }
            return Some(old);
        }
        let new = decide(None)?;
        let fits = packed.len() < limits.zset_entries
            && member.len() <= limits.zset_value
            && packed.bytes() + packed_size(member) <= PACKED_BYTES;
        if fits {
            small::insert(packed, new, member);
        } else {
            let mut large = UnalignedBox::new(Large::build(small::Pairs(packed.iter())));
            large.update(member, |_| Some(new));
            self.shape = Shape::Large(large);
        }
        None
    }

    /// Leaves the packed form for good. Redis does so to any sorted set that SORT reads. O(n).
    pub fn unpack(&mut self) {
        if let Shape::Packed(packed) = &self.shape {
            let large = UnalignedBox::new(Large::build(small::Pairs(packed.iter())));
            self.shape = Shape::Large(large);
        }
    }

    /// Removes `member`. Returns its score, if it was one. O(log n).
    pub fn remove(&mut self, member: &[u8]) -> Option<f64> {
        match &mut self.shape {
            Shape::Packed(packed) => {
                let (at, _, score) = small::find(packed, member)?;
                packed.remove(at, 1);
                Some(score)
            }
            Shape::Large(large) => large.remove(member),
        }
    }

    /// The rank of `member`, from 0 for the lowest, and its score. O(log n). The rank from the
    /// other end is `len() - 1 - rank`.
    #[must_use]
    pub fn rank(&self, member: &[u8]) -> Option<(usize, f64)> {
        match &self.shape {
            Shape::Packed(packed) => small::find(packed, member).map(|found| (found.1, found.2)),
            Shape::Large(large) => {
                let score = large.score(member)?;
                Some((large.tree.rank((score, member)), score))
            }
        }
    }

    /// The member with this rank, and its score. O(log n).
    #[must_use]
    pub fn get(&self, rank: usize) -> Option<(&[u8], f64)> {
        let (score, member) = match &self.shape {
            Shape::Packed(packed) => small::pair(packed.get(packed.at(rank)?)),
            Shape::Large(large) => large.tree.get(rank)?,
        };
        Some((member, score))
    }

    /// All members with their scores, in order; reversible.
    #[must_use]
    pub fn iter(&self) -> Iter<'_> {
        self.range(0..self.len())
    }

    /// The members of these ranks (as far as they exist) with their scores, in order; reversible.
    /// O(log n) to get to either end.
    #[must_use]
    pub fn range(&self, ranks: Range<usize>) -> Iter<'_> {
        let end = ranks.end.min(self.len());
        let start = ranks.start.min(end);
        Iter(match &self.shape {
            Shape::Packed(packed) => Walk::Packed(small::Pairs(packed.range(start, end))),
            Shape::Large(large) => Walk::Large(large.tree.iter(start..end)),
        })
    }

    /// The members behind this one, which need not be there, with their scores, in order. O(log n)
    /// to get to the first.
    #[must_use]
    pub fn beyond(&self, member: &[u8], score: f64) -> Iter<'_> {
        let start = match &self.shape {
            Shape::Packed(packed) => small::Pairs(packed.iter())
                .take_while(|pair| order_of_scored(*pair, (score, member)).is_le())
                .count(),
            Shape::Large(large) => large.tree.rank_behind((score, member)),
        };
        self.range(start..self.len())
    }

    /// The ranks of the members whose scores lie between two bounds. O(log n).
    #[must_use]
    pub fn score_ranks(&self, min: ScoreBound, max: ScoreBound) -> Range<usize> {
        let (start, end) = match &self.shape {
            Shape::Packed(packed) => {
                let mut pairs = small::Pairs(packed.iter());
                let start = pairs.clone().take_while(|pair| min.is_above(pair.0)).count();
                (start, pairs.position(|pair| !max.reaches(pair.0)).unwrap_or(packed.len()))
            }
            Shape::Large(large) => (
                large.tree.partition(|pairs, i| min.is_above(pairs.score(i))),
                large.tree.partition(|pairs, i| max.reaches(pairs.score(i))),
            ),
        };
        start..end.max(start)
    }

    /// The ranks of the members that lie between two bounds. O(log n). This makes sense only if
    /// all scores are equal; if not, a packed set answers as Redis does walking up, and a large
    /// one something.
    #[must_use]
    pub fn lex_ranks(&self, min: LexBound<'_>, max: LexBound<'_>) -> Range<usize> {
        if !self.meets(min, max) {
            return 0..0;
        }
        match &self.shape {
            Shape::Packed(packed) => {
                let pairs = small::Pairs(packed.iter());
                let start = pairs.clone().take_while(|pair| min.is_above(pair.1)).count();
                let count = pairs.skip(start).take_while(|pair| max.reaches(pair.1)).count();
                start..start + count
            }
            Shape::Large(large) => {
                let start = large.tree.partition(|pairs, i| min.is_above(pairs.member(i)));
                let end = large.tree.partition(|pairs, i| max.reaches(pairs.member(i)));
                start..end.max(start)
            }
        }
    }

    /// [`lex_ranks`](Self::lex_ranks) for walking down: the same if all scores are equal, and if
    /// not, what Redis finds from that end.
    #[must_use]
    pub fn lex_ranks_rev(&self, min: LexBound<'_>, max: LexBound<'_>) -> Range<usize> {
        let Shape::Packed(packed) = &self.shape else { return self.lex_ranks(min, max) };
        if !self.meets(min, max) {
            return 0..0;
        }
        let pairs = small::Pairs(packed.iter()).rev();
        let beyond = pairs.clone().take_while(|pair| !max.reaches(pair.1)).count();
        let count = pairs.skip(beyond).take_while(|pair| !min.is_above(pair.1)).count();
        let end = packed.len() - beyond;
        end - count..end
    }

    /// Whether a range of members can hold anything, checked as Redis does before it searches.
    fn meets(&self, min: LexBound<'_>, max: LexBound<'_>) -> bool {
        let ends = self.len().checked_sub(1).and_then(|last| Some((self.get(0)?, self.get(last)?)));
        !min.excludes_all(max)
            && ends.is_some_and(|(first, last)| !min.is_above(last.0) && max.reaches(first.0))
    }

    /// Removes the members of these ranks; how many they were. O(log n + members removed).
    pub fn remove_ranks(&mut self, ranks: Range<usize>) -> usize {
        let end = ranks.end.min(self.len());
        let count = end.saturating_sub(ranks.start);
        if count > 0 {
            match &mut self.shape {
                Shape::Packed(packed) => {
                    if let Some(at) = packed.at(ranks.start) {
                        packed.remove(at, count);
                    }
                }
                Shape::Large(large) => large.remove_ranks(ranks.start..end),
            }
        }
        count
    }

    /// Removes the member with the lowest score and returns both. O(log n).
    pub fn pop_min(&mut self) -> Option<(Vec<u8>, f64)> {
        self.pop_rank(0)
    }

    /// Removes the member with the highest score and returns both. O(log n).
    pub fn pop_max(&mut self) -> Option<(Vec<u8>, f64)> {
        self.pop_rank(self.len().checked_sub(1)?)
    }

    fn pop_rank(&mut self, rank: usize) -> Option<(Vec<u8>, f64)> {
        let (member, score) = self.get(rank)?;
        let member = member.to_vec();
        self.remove_ranks(rank..rank + 1);
        Some((member, score))
    }

    /// A member drawn at random, with its score; `None` only if there are none. O(log n).
    #[must_use]
    pub fn random(&self, rng: &mut Rng) -> Option<(&[u8], f64)> {
        self.get(rng.below(self.len()))
    }

    /// `count` distinct members drawn at random, or all if there are no more. O(count log n) for
    /// small counts, O(n) if most are wanted.
    #[must_use]
    pub fn random_distinct(&self, count: usize, rng: &mut Rng) -> Vec<(&[u8], f64)> {
        match &self.shape {
            Shape::Packed(_) => sample::select(self.iter(), count, rng),
            Shape::Large(_) => {
                sample::distinct(count, rng, self.iter(), |rng| self.random(rng), |item| item.0)
            }
        }
    }

    /// Visits some members of a scan that began with cursor 0 and returns the next cursor, 0 at
    /// the end. A packed set is visited whole, in order, at once. A member that is there throughout
    /// is visited at least once, whatever changes meanwhile. O(1) per step.
    pub fn scan(&self, cursor: u64, visit: &mut dyn FnMut(&[u8], f64)) -> u64 {
        match &self.shape {
            Shape::Packed(_) => {
                self.iter().for_each(|(member, score)| visit(member, score));
                0
            }
            Shape::Large(large) => large.table.scan(cursor, &mut |entry| {
                visit(entry.key(), large::score_of(entry.bytes()));
            }),
        }
    }

    /// Keeps notes from now on of the scores that members had before they change, for a copier that
    /// takes them in chunks by [`beyond`](Self::beyond); `false` for a packed set, which is copied
    /// at once.
    pub fn follow(&mut self, copier: &Copier) -> bool {
        let limit = self.memory();
        match &mut self.shape {
            Shape::Packed(_) => return false,
            Shape::Large(large) => large.pre_image.begin(copier, limit, Noted::default()),
        }
        true
    }

    /// Takes the notes since the last time: members with the bits of their scores. `None` if no
    /// notes are kept for this copier any more. O(1).
    pub fn noted(&mut self, copier: &Copier) -> Option<Noted> {
        match &mut self.shape {
            Shape::Packed(_) => None,
            Shape::Large(large) => large.pre_image.of(copier).map(std::mem::take),
        }
    }

    /// Keeps no notes any more.
    pub fn unfollow(&mut self) {
        if let Shape::Large(large) = &mut self.shape {
            large.pre_image.end();
        }
    }
}

/// The order of sorted sets: by score, then by the member's bytes.
#[must_use]
pub fn order(a: (&[u8], f64), b: (&[u8], f64)) -> Ordering {
    order_of_scored((a.1, a.0), (b.1, b.0))
}

/// Bytes a member takes in the packed form at most.
fn packed_size(member: &[u8]) -> usize {
    element_size(member.len() + score::LONGEST)
}

#[derive(Clone)]
enum Walk<'a> {
    Packed(small::Pairs<'a>),
    Large(btree::Iter<'a, Scored, Alone>),
}

/// Members of a [`ZSet`] with their scores, in order, from both ends. A step is amortised O(1).
#[derive(Clone)]
pub struct Iter<'a>(Walk<'a>);

impl<'a> Iterator for Iter<'a> {
    type Item = (&'a [u8], f64);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (score, member) = match &mut self.0 {
            Walk::Packed(pairs) => pairs.next(),
            Walk::Large(pairs) => pairs.next(),
        }?;
        Some((member, score))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        match &self.0 {
            Walk::Packed(pairs) => pairs.size_hint(),
            Walk::Large(pairs) => pairs.size_hint(),
        }
    }
}

impl DoubleEndedIterator for Iter<'_> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        let (score, member) = match &mut self.0 {
            Walk::Packed(pairs) => pairs.next_back(),
            Walk::Large(pairs) => pairs.next_back(),
        }?;
        Some((member, score))
    }
}

impl ExactSizeIterator for Iter<'_> {}

impl Clone for ZSet {
    fn clone(&self) -> Self {
        let shape = match &self.shape {
            Shape::Packed(packed) => Shape::Packed(packed.clone()),
            Shape::Large(large) => Shape::Large(large.clone()),
        };
        ZSet { shape }
    }
}

impl DataType for ZSet {
    const KIND: Kind = Kind::ZSet;
    type Context = ();
    type Copying = copy::ZSetCopy;
    type Assembly = Growing<ZSet>;

    fn is_empty(&self) -> bool {
        Self::is_empty(self)
    }

    fn elements(&self) -> usize {
        self.len()
    }

    fn memory(&self) -> usize {
        match &self.shape {
            Shape::Packed(packed) => packed.memory(),
            Shape::Large(large) => {
                size_class(size_of::<Large>()) + large.table.memory() + large.tree.memory()
            }
        }
    }

    fn encoding(&self) -> &'static str {
        match &self.shape {
            Shape::Packed(_) => "listpack",
            Shape::Large(_) => "skiplist",
        }
    }

    fn free_effort(&self) -> usize {
        match &self.shape {
            Shape::Packed(_) => 1,
            Shape::Large(large) => large.tree.len(),
        }
    }

    fn encode(&self, out: &mut Vec<u8>) {
        image::encode(out, self);
    }

    fn decode(
        source: &mut Source<'_>,
        limits: &PackLimits,
        _context: &mut (),
    ) -> Result<Self, Malformed> {
        image::decode(source, limits)
    }

    fn skip(source: &mut Source<'_>) -> Result<(), Malformed> {
        image::skip(source)
    }

    fn is_divisible(&self) -> bool {
        matches!(self.shape, Shape::Large(_))
    }
}

#[cfg(test)]
#[path = "zset_tests.rs"]
mod tests;
