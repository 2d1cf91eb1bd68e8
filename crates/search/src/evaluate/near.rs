//! Words near each other: phrases, slop, and how far apart the words of a query stand.
//!
//! Lists of positions are ascending, one list for each part of the query.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// How the words of an intersection must stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Near {
    /// Other words that may stand between them, all together; `None`: any number.
    pub slop: Option<u32>,
    /// In their order.
    pub in_order: bool,
}

impl Near {
    /// Whether one position of each list satisfies it. O(positions · log lists).
    pub fn holds(self, lists: &[Vec<u32>]) -> bool {
        if lists.len() < 2 {
            return true;
        }
        let slop = self.slop.map_or(i64::MAX, i64::from);
        if self.in_order { in_order(lists, slop) } else { in_any_order(lists, slop) }
    }
}

/// For each position of the first list the chain of nearest followers; their places only grow.
fn in_order(lists: &[Vec<u32>], slop: i64) -> bool {
    let mut places = vec![0; lists.len()];
    let Some((first, rest)) = lists.split_first() else { return true };
    for start in first {
        let mut last = *start;
        for (list, place) in rest.iter().zip(&mut places) {
            *place += list[*place..].iter().take_while(|position| **position <= last).count();
            let Some(next) = list.get(*place) else { return false };
            last = *next;
        }
        if i64::from(last - start) - rest.len() as i64 <= slop {
            return true;
        }
    }
    false
}

/// The smallest window, by moving the list whose position is the least.
fn in_any_order(lists: &[Vec<u32>], slop: i64) -> bool {
    let mut heap = BinaryHeap::with_capacity(lists.len());
    let mut greatest = 0;
    for (at, list) in lists.iter().enumerate() {
        let Some(first) = list.first() else { return false };
        greatest = greatest.max(*first);
        heap.push(Reverse((*first, at, 0)));
    }
    while let Some(Reverse((least, at, place))) = heap.pop() {
        if i64::from(greatest - least) + 1 - lists.len() as i64 <= slop {
            return true;
        }
        let Some(next) = lists[at].get(place + 1) else { return false };
        greatest = greatest.max(*next);
        heap.push(Reverse((*next, at, place + 1)));
    }
    false
}

/// By what scores are divided: the root of the sum of squares of the least distances between
/// successive lists, rounded down; 10 if there are none, as RediSearch 1.2.2 has it.
pub fn spread(lists: &[Vec<u32>]) -> f64 {
    let mut sum = 0_u64;
    for pair in lists.windows(2) {
        let apart = u64::from(least_distance(&pair[0], &pair[1]));
        sum = sum.saturating_add(apart.saturating_mul(apart));
    }
    if sum == 0 { 10.0 } else { (sum as f64).sqrt().floor() }
}

fn least_distance(one: &[u32], other: &[u32]) -> u32 {
    let (mut a, mut b, mut least) = (0, 0, u32::MAX);
    while let (Some(left), Some(right)) = (one.get(a), other.get(b)) {
        least = least.min(left.abs_diff(*right));
        if least <= 1 {
            break;
        }
        if left < right { a += 1 } else { b += 1 }
    }
    least
}

#[cfg(test)]
mod tests {
    use super::{Near, spread};

    #[test]
    fn words_are_near() {
        let near = |slop, in_order| Near { slop: Some(slop), in_order };
        let lists = [vec![1, 10], vec![3, 11], vec![20, 12]].map(|mut list| {
            list.sort_unstable();
            list
        });
        assert!(near(0, true).holds(&lists) && near(0, false).holds(&lists));
        let lists = [vec![5], vec![3], vec![4]];
        assert!(!near(100, true).holds(&lists) && near(0, false).holds(&lists));
        let lists = [vec![1], vec![5]];
        assert!(!near(2, true).holds(&lists) && near(3, true).holds(&lists));
        assert!(!near(2, false).holds(&lists) && near(3, false).holds(&lists));
        assert!(!near(9, false).holds(&[vec![1], vec![]]));
    }

    /// Probed at RediSearch 1.2.2: gaps of three words and the divisor of their score.
    #[test]
    fn scores_are_divided() {
        let divisors =
            [(1, 1, 1), (2, 1, 2), (2, 2, 2), (3, 3, 4), (6, 3, 6), (6, 6, 8), (15, 6, 16)];
        for (first, second, divisor) in divisors {
            let lists = [vec![0], vec![first], vec![first + second]];
            assert_eq!(spread(&lists), f64::from(divisor));
        }
        assert_eq!(spread(&[vec![5], vec![5]]), 10.0);
    }
}
