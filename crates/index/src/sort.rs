//! Sorting many byte strings: by eight bytes at a time.
//!
//! Strings are sorted by the eight bytes at a depth, which lie beside their numbers, so that
//! comparing two costs no look at the strings themselves. Those that agree there are sorted again
//! from where they first differ. (Multikey quicksort with cached words: Bentley and Sedgewick,
//! "Fast Algorithms for Sorting and Searching Strings", SODA 1997; caching after Ng and Kakehi,
//! "Cache Efficient Radix Sort for String Sorting", 2007.)

use crate::prefix::common;

/// So few strings are compared whole.
const FEW: usize = 12;
/// A string goes on behind the eight bytes.
const MORE: u8 = 9;

/// Some of a string, and which string it is.
#[derive(Clone, Copy)]
struct Item {
    head: u64,
    number: u32,
    /// How many of the head's bytes are the string's; [`MORE`] if there are others behind.
    tail: u8,
}

impl Item {
    #[inline]
    fn load(&mut self, rest: &[u8]) {
        self.head = match rest.first_chunk::<8>() {
            Some(head) => u64::from_be_bytes(*head),
            None => {
                let mut head = [0; 8];
                head[..rest.len()].copy_from_slice(rest);
                u64::from_be_bytes(head)
            }
        };
        self.tail = u8::try_from(rest.len()).unwrap_or(MORE).min(MORE);
    }
}

/// The numbers below `count` in the order of the strings `get` has for them; equal strings by
/// their numbers. O(n log n) comparisons of words and O(bytes).
///
/// ```
/// let keys = ["b", "ab", "", "a"];
/// let order = kvist_index::sort(keys.len() as u32, |at| keys[at as usize].as_bytes());
/// assert_eq!(order, [2, 3, 1, 0]);
/// ```
pub fn sort<'k>(count: u32, get: impl Fn(u32) -> &'k [u8]) -> Vec<u32> {
    let mut items: Vec<Item> = (0..count).map(|number| Item { head: 0, number, tail: 0 }).collect();
    let rest = |item: &Item, depth: usize| get(item.number).get(depth..).unwrap_or_default();
    // Not by recursion: strings decide how deep it would be.
    let mut work = vec![(0..items.len(), 0)];
    while let Some((range, mut depth)) = work.pop() {
        let start = range.start;
        let group = &mut items[range];
        let Some((first, others)) = group.split_first() else { continue };
        let model = rest(first, depth);
        depth +=
            others.iter().fold(model.len(), |most, item| common(&model[..most], rest(item, depth)));
        if group.len() <= FEW {
            group.sort_unstable_by(|a, b| {
                rest(a, depth).cmp(rest(b, depth)).then(a.number.cmp(&b.number))
            });
            continue;
        }
        for item in &mut *group {
            let rest = rest(item, depth);
            item.load(rest);
        }
        group.sort_unstable_by_key(|item| (item.head, item.tail, item.number));
        let mut at = start;
        for run in group.chunk_by(|a, b| (a.head, a.tail) == (b.head, b.tail)) {
            if run.len() > 1 && run[0].tail == MORE {
                work.push((at..at + run.len(), depth + 8));
            }
            at += run.len();
        }
    }
    items.into_iter().map(|item| item.number).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::sort;

    fn sorted(keys: &[Vec<u8>]) {
        let order = sort(u32::try_from(keys.len()).expect("few"), |at| &keys[at as usize]);
        let mut wanted: Vec<u32> = (0..).take(keys.len()).collect();
        wanted.sort_by_key(|&at| &keys[at as usize]);
        assert_eq!(order, wanted);
    }

    #[test]
    fn strings_that_differ_in_their_lengths_only() {
        sorted(&(0..200).rev().map(|len| vec![0; len]).collect::<Vec<_>>());
        sorted(&(0..200).map(|len| vec![b'a'; len % 50]).collect::<Vec<_>>());
    }

    proptest! {
        #[test]
        fn as_a_stable_sort(
            keys in prop::collection::vec(prop::collection::vec(0_u8..3, 0..30), 0..300)
        ) {
            sorted(&keys);
        }
    }
}
