//! The packed form of a sorted set: pairs in order, one after the other.
//!
//! ```text
//!   | score, member | score, member | ...     score: 1 to 9 bytes (score.rs), then the member's
//! ```
//!
//! Redis's listpack holds scores as text or integers, which lose the sign of zero; so it is lost
//! here too, for the same replies.
//!
//! All functions are O(n), n being bounded by `zset-max-listpack-entries`.

use crate::packed::{self, At, Packed};

use super::node::Pair;
use super::run::order;
use super::score::{self, Encoded};

/// The pair in an element.
#[inline]
pub(super) fn pair(element: &[u8]) -> Pair<'_> {
    (score::read(element), score::rest(element))
}

/// Where `member` is, its rank and its score.
pub(super) fn find(packed: &Packed, member: &[u8]) -> Option<(At, usize, f64)> {
    let mut at = packed.first();
    let mut rank = 0;
    // The last bytes tell apart more than the first, and more cheaply than the whole.
    let last = member.last();
    while let Some(here) = at {
        let element = packed.get(here);
        if (element.last() == last || last.is_none()) && score::rest(element) == member {
            return Some((here, rank, score::read(element)));
        }
        rank += 1;
        at = packed.next(here);
    }
    None
}

/// Inserts a pair whose member is not there.
pub(super) fn insert(packed: &mut Packed, score: f64, member: &[u8]) {
    let score = if score == 0.0 { 0.0 } else { score };
    let follows = |packed: &Packed, at: At| order(pair(packed.get(at)), (score, member)).is_lt();
    // Ascending loads are common; they need no search.
    let mut at = match packed.last() {
        Some(last) if !follows(packed, last) => packed.first(),
        _ => None,
    };
    while let Some(here) = at
        && follows(packed, here)
    {
        at = packed.next(here);
    }
    packed.insert_joined(at, Encoded::new(score).bytes(), member);
}

/// The pairs of an iterator over elements.
#[derive(Clone, Debug)]
pub(super) struct Pairs<'a>(pub(super) packed::Iter<'a>);

impl<'a> Iterator for Pairs<'a> {
    type Item = Pair<'a>;

    #[inline]
    fn next(&mut self) -> Option<Pair<'a>> {
        self.0.next().map(pair)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl DoubleEndedIterator for Pairs<'_> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        self.0.next_back().map(pair)
    }
}

impl ExactSizeIterator for Pairs<'_> {}
