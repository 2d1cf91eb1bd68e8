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

use std::cmp::Ordering;

use crate::packed::{self, At, Packed};

use super::Pair;
use super::score::{self, Encoded};

/// The pair in an element.
#[inline]
pub(super) fn pair(element: &[u8]) -> Pair<'_> {
    (score::read(element), score::rest(element))
}

/// Where `member` is, its rank and its score.
pub(super) fn find(packed: &Packed, member: &[u8]) -> Option<(At, usize, f64)> {
    // As in `Packed::find`: the ends of elements are those of members.
    let found = match member.last_chunk::<8>() {
        Some(tail) => find_by(packed, |element| {
            element.last_chunk::<8>() == Some(tail) && score::rest(element) == member
        }),
        None => find_by(packed, |element| {
            (member.is_empty() || element.last() == member.last()) && score::rest(element) == member
        }),
    };
    found.map(|(rank, (at, element))| (at, rank, score::read(element)))
}

#[inline]
fn find_by(packed: &Packed, is: impl Fn(&[u8]) -> bool) -> Option<(usize, (At, &[u8]))> {
    packed.places().enumerate().find(|(_, (_, element))| is(element))
}

/// Inserts a pair whose member is not there.
pub(super) fn insert(packed: &mut Packed, score: f64, member: &[u8]) {
    // Ascending loads are common; they need no search.
    let at = match packed.last() {
        Some(last) if !follows(packed.get(last), score, member) => {
            place(packed, packed.first(), score, member)
        }
        _ => None,
    };
    insert_at(packed, at, score, member);
}

/// Gives the pair at `at`, of score `old`, another score.
pub(super) fn rescore(packed: &mut Packed, at: At, old: f64, score: f64, member: &[u8]) {
    let next = packed.remove(at, 1);
    // What stood before it still does when it rises, and what stood behind when it falls.
    let start = if score > old { next } else { packed.first() };
    insert_at(packed, place(packed, start, score, member), score, member);
}

fn insert_at(packed: &mut Packed, at: Option<At>, score: f64, member: &[u8]) {
    let score = if score == 0.0 { 0.0 } else { score };
    packed.insert_joined(at, Encoded::new(score).bytes(), member);
}

/// Whether a pair comes behind that of `element`.
#[inline]
fn follows(element: &[u8], score: f64, member: &[u8]) -> bool {
    match score::read(element).partial_cmp(&score) {
        Some(Ordering::Less) => true,
        Some(Ordering::Greater) => false,
        _ => score::rest(element) < member,
    }
}

/// The first place from `start` on before which a pair belongs.
fn place(packed: &Packed, start: Option<At>, score: f64, member: &[u8]) -> Option<At> {
    let mut places = packed.places_from(start);
    places.find(|(_, element)| !follows(element, score, member)).map(|(at, _)| at)
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
