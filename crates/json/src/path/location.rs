//! Where a match lies in its document, and in which order several of them are changed.
//!
//! A location names positions, not names, so that following it is a few array accesses. It holds as
//! long as nothing before it in the document goes away; [`edit_order`] is the order in which edits
//! do not disturb each other.

use smallvec::SmallVec;

/// One step down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// Into an object: the position of the member.
    Member(usize),
    /// Into an array: the index of the element.
    Index(usize),
}

impl Step {
    /// The position, in either.
    pub fn position(self) -> usize {
        match self {
            Step::Member(position) | Step::Index(position) => position,
        }
    }
}

/// The steps from the root; none is the root itself.
pub type Location = SmallVec<[Step; 8]>;

/// Drops repeated matches, and matches inside other matches; the order stays. O(n log n).
///
/// ```
/// use kvist_json::path::{Location, Step, topmost};
///
/// let a: Location = [Step::Member(0)].into_iter().collect();
/// let in_a: Location = [Step::Member(0), Step::Index(3)].into_iter().collect();
/// let b: Location = [Step::Member(1)].into_iter().collect();
/// assert_eq!(topmost(vec![in_a, b.clone(), a.clone(), b.clone()]), [b, a]);
/// ```
pub fn topmost(locations: Vec<Location>) -> Vec<Location> {
    let mut order: Vec<usize> = (0..locations.len()).collect();
    order.sort_by(|&a, &b| locations[a].cmp(&locations[b]).then(a.cmp(&b)));
    let mut keep = vec![false; locations.len()];
    let mut above: Option<&Location> = None;
    for at in order {
        if above.is_none_or(|above| !locations[at].starts_with(above)) {
            keep[at] = true;
            above = Some(&locations[at]);
        }
    }
    let mut kept = keep.into_iter();
    locations.into_iter().filter(|_| kept.next().unwrap_or_default()).collect()
}

/// The order in which to change matches one by one: from the end of the document to its start, what
/// is inside before what is around it. Gives indices into `locations`, whose order is that of the
/// replies. A removal or an insertion then never moves what is still to be changed.
pub fn edit_order(locations: &[Location]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..locations.len()).collect();
    order.sort_by(|&a, &b| locations[b].cmp(&locations[a]).then(a.cmp(&b)));
    order
}
