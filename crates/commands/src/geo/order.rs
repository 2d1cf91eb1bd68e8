//! Sorting what was found by distance.
//!
//! Places at the same distance are in the order that Redis's algorithms leave them in: a stable
//! merge sort where everything is wanted, and where COUNT wants less, a quicksort that leaves alone
//! what is not wanted. Distances can be NaN, so that the comparison is no order: neither may care.

use std::cmp::Ordering;

/// Which end comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Ascending,
    Descending,
}

/// What is sorted by distance.
pub(super) trait Distant: Copy {
    /// The distance; NaN comes before everything, whatever it is compared with.
    fn distance(&self) -> f64;
}

/// Unbalanced parts in a row before a quicksort gives up: a client could make it quadratic.
const DEPTH: u32 = 64;

impl Direction {
    fn compare<T: Distant>(self, one: &T, other: &T) -> Ordering {
        let (a, b) = (one.distance(), other.distance());
        let order = if a > b {
            Ordering::Greater
        } else if a == b {
            Ordering::Equal
        } else {
            Ordering::Less
        };
        if self == Direction::Ascending { order } else { order.reverse() }
    }

    /// Puts the first `wanted` in order; the others are then somewhere behind them.
    pub fn sort<T: Distant>(self, items: &mut [T], wanted: usize) {
        if wanted >= items.len() {
            self.merge_sort(items, &mut Vec::with_capacity(items.len() / 2 + 1));
        } else {
            self.quicksort(items, wanted);
        }
    }

    fn merge_sort<T: Distant>(self, items: &mut [T], left: &mut Vec<T>) {
        let half = items.len() / 2;
        if half == 0 {
            return;
        }
        self.merge_sort(&mut items[..half], left);
        self.merge_sort(&mut items[half..], left);
        left.clear();
        left.extend_from_slice(&items[..half]);
        let (mut from_left, mut from_right) = (0, half);
        // What is left of the right half is in its place already.
        for to in 0..items.len() {
            let Some(next) = left.get(from_left) else { return };
            let take_right = items
                .get(from_right)
                .is_some_and(|other| self.compare(next, other) == Ordering::Greater);
            if take_right {
                items[to] = items[from_right];
                from_right += 1;
            } else {
                items[to] = *next;
                from_left += 1;
            }
        }
    }

    /// The quicksort of Bentley and McIlroy ("Engineering a sort function", 1993), of the parts in
    /// which something wanted lies.
    fn quicksort<T: Distant>(self, items: &mut [T], wanted: usize) {
        let mut parts = vec![(0, items.len(), 0)];
        while let Some((start, end, depth)) = parts.pop() {
            let part = &mut items[start..end];
            if depth > DEPTH {
                self.merge_sort(part, &mut Vec::new());
                continue;
            }
            if part.len() < 7 {
                self.insertion_sort(part);
                continue;
            }
            let (lower, higher) = self.partition(part);
            let depth = if lower.max(higher) > part.len() / 8 * 7 { depth + 1 } else { depth };
            if lower > 1 && start < wanted {
                parts.push((start, start + lower, depth));
            }
            if higher > 1 && end - higher < wanted {
                parts.push((end - higher, end, depth));
            }
        }
    }

    fn insertion_sort<T: Distant>(self, items: &mut [T]) {
        for end in 1..items.len() {
            for at in (1..=end).rev() {
                if self.compare(&items[at - 1], &items[at]) != Ordering::Greater {
                    break;
                }
                items.swap(at - 1, at);
            }
        }
    }

    /// Of three positions the one whose element is in the middle.
    fn median<T: Distant>(self, items: &[T], [a, b, c]: [usize; 3]) -> usize {
        let compare = |x: usize, y: usize| self.compare(&items[x], &items[y]);
        if compare(a, b) == Ordering::Less {
            match (compare(b, c), compare(a, c)) {
                (Ordering::Less, _) => b,
                (_, Ordering::Less) => c,
                _ => a,
            }
        } else {
            match (compare(b, c), compare(a, c)) {
                (Ordering::Greater, _) => b,
                (_, Ordering::Less) => a,
                _ => c,
            }
        }
    }

    fn pivot<T: Distant>(self, items: &[T]) -> usize {
        let count = items.len();
        let (mut low, mut middle, mut high) = (0, count / 2, count - 1);
        if count > 40 {
            let d = count / 8;
            low = self.median(items, [low, low + d, low + 2 * d]);
            middle = self.median(items, [middle - d, middle, middle + d]);
            high = self.median(items, [high - 2 * d, high - d, high]);
        }
        if count > 7 { self.median(items, [low, middle, high]) } else { middle }
    }

    /// Parts at least seven items into those that are lower, equal and higher; the numbers of the
    /// lower and the higher ones.
    fn partition<T: Distant>(self, items: &mut [T]) -> (usize, usize) {
        let count = items.len();
        items.swap(0, self.pivot(items));
        // equal 0..a, lower a..b, unknown b..=c, higher c+1..=d, equal d+1..
        let (mut a, mut b, mut c, mut d) = (1, 1, count - 1, count - 1);
        loop {
            while b <= c {
                match self.compare(&items[b], &items[0]) {
                    Ordering::Greater => break,
                    Ordering::Equal => {
                        items.swap(a, b);
                        a += 1;
                    }
                    Ordering::Less => {}
                }
                b += 1;
            }
            while b <= c {
                match self.compare(&items[c], &items[0]) {
                    Ordering::Less => break,
                    Ordering::Equal => {
                        items.swap(c, d);
                        d -= 1;
                    }
                    Ordering::Greater => {}
                }
                c -= 1;
            }
            if b > c {
                break;
            }
            items.swap(b, c);
            b += 1;
            c -= 1;
        }
        let (lower, higher) = (b - a, d - c);
        swap_runs(items, 0, b - a.min(lower), a.min(lower));
        let equal = count - 1 - d;
        swap_runs(items, b, count - higher.min(equal), higher.min(equal));
        (lower, higher)
    }
}

/// Exchanges two runs that do not overlap.
fn swap_runs<T>(items: &mut [T], one: usize, other: usize, length: usize) {
    for at in 0..length {
        items.swap(one + at, other + at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Distant for (f64, usize) {
        fn distance(&self) -> f64 {
            self.0
        }
    }

    #[test]
    fn what_is_wanted_is_in_order() {
        let mut rng = base::Rng::new(41);
        for _ in 0..2000 {
            let count = 1 + rng.below(200);
            let values = 1 + rng.below(50);
            let items: Vec<(f64, usize)> =
                (0..count).map(|n| (rng.below(values) as f64, n)).collect();
            let wanted = 1 + rng.below(count);
            for direction in [Direction::Ascending, Direction::Descending] {
                let mut sorted = items.clone();
                direction.sort(&mut sorted, wanted);
                let mut stable = items.clone();
                stable.sort_by(|a, b| direction.compare(a, b));
                let distances = |of: &[(f64, usize)]| of.iter().map(|i| i.0).collect::<Vec<_>>();
                assert_eq!(distances(&sorted[..wanted]), distances(&stable[..wanted]));
                if wanted == count {
                    assert_eq!(sorted, stable);
                }
                sorted.sort_by_key(|item| item.1);
                assert_eq!(sorted, items, "nothing is lost");
            }
        }
    }

    #[test]
    fn nan_and_hostile_orders_end() {
        let mut rng = base::Rng::new(43);
        for _ in 0..500 {
            let count = 1 + rng.below(300);
            let mut items: Vec<(f64, usize)> = (0..count)
                .map(|n| (if rng.below(3) == 0 { f64::NAN } else { rng.below(9) as f64 }, n))
                .collect();
            Direction::Ascending.sort(&mut items, 1 + rng.below(count));
            Direction::Descending.sort(&mut items, count);
        }
        let mut organ: Vec<(f64, usize)> =
            (0..20_000).map(|n| (f64::from(10_000 - (n - 10_000_i32).abs()), 0)).collect();
        Direction::Ascending.sort(&mut organ, 19_999);
        assert!(organ[..19_999].is_sorted_by_key(|item| item.0));
    }
}
