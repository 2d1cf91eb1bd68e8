//! Drawing several distinct elements of a collection, for `HRANDFIELD`, `SRANDMEMBER` and
//! `ZRANDMEMBER` with a positive count.

use std::collections::HashSet;

use base::Rng;

/// `count` of `all` (all of them if there are no more), each selection equally likely, in the
/// order of `all`: Knuth's selection sampling (algorithm S). O(n).
pub(crate) fn select<T>(
    all: impl ExactSizeIterator<Item = T>,
    count: usize,
    rng: &mut Rng,
) -> Vec<T> {
    let mut left = all.len();
    let mut wanted = count.min(left);
    let mut selected = Vec::with_capacity(wanted);
    for item in all {
        if wanted == 0 {
            break;
        }
        if rng.below(left) < wanted {
            selected.push(item);
            wanted -= 1;
        }
        left -= 1;
    }
    selected
}

/// `count` distinct elements of the `len` that `draw` draws from, recognised by `key`. Falls back
/// on [`select`]ing from `all` when most elements are wanted, where drawing would mostly repeat.
/// O(count) expected for small counts, O(n) otherwise.
pub(crate) fn distinct<'a, T, A: ExactSizeIterator<Item = T>>(
    count: usize,
    rng: &mut Rng,
    all: A,
    mut draw: impl FnMut(&mut Rng) -> Option<T>,
    key: impl Fn(&T) -> &'a [u8],
) -> Vec<T> {
    let len = all.len();
    if count.saturating_mul(3) > len {
        return select(all, count, rng);
    }
    let mut seen = HashSet::with_capacity(count);
    let mut drawn = Vec::with_capacity(count);
    // The bound only guards against a generator that repeats itself.
    for _ in 0..count.saturating_mul(32) {
        if drawn.len() == count {
            return drawn;
        }
        if let Some(item) = draw(rng)
            && seen.insert(key(&item))
        {
            drawn.push(item);
        }
    }
    if drawn.len() == count { drawn } else { select(all, count, rng) }
}
