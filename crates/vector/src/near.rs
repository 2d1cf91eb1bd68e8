//! Distances in order, and the best of them.

use std::collections::{BinaryHeap, HashMap};

/// A distance and what is at that distance, a node or a row, as one number: ordered by distance,
/// then by the number of the node or row. NaN is the greatest distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Near(u128);

const SIGN: u64 = 1 << 63;

impl Near {
    #[inline]
    pub fn new(distance: f64, what: u32) -> Self {
        // The sum makes -0 the same as 0.
        let bits = if distance.is_nan() { f64::NAN.to_bits() } else { (distance + 0.0).to_bits() };
        let key = if bits & SIGN == 0 { bits | SIGN } else { !bits };
        Near(u128::from(key) << 32 | u128::from(what))
    }

    #[inline]
    pub fn distance(self) -> f64 {
        let key = (self.0 >> 32) as u64;
        f64::from_bits(if key & SIGN == 0 { !key } else { key & !SIGN })
    }

    #[inline]
    pub fn what(self) -> u32 {
        self.0 as u32
    }
}

/// The `k` nearest rows among those that are offered.
pub struct Best {
    k: usize,
    heap: BinaryHeap<Near>,
    /// Where rows have several vectors: the nearest of each row in the heap. Others in the heap are
    /// outdated.
    of_rows: Option<HashMap<u32, Near>>,
}

impl Best {
    /// `several`: a row may be offered more than once.
    pub fn new(k: usize, several: bool) -> Self {
        Best { k, heap: BinaryHeap::new(), of_rows: several.then(HashMap::new) }
    }

    pub fn is_full(&self) -> bool {
        self.of_rows.as_ref().map_or(self.heap.len(), HashMap::len) >= self.k
    }

    /// Whether a row at this distance can be one of the best.
    #[inline]
    pub fn accepts(&self, distance: f64) -> bool {
        !self.is_full() || self.heap.peek().is_some_and(|worst| Near::new(distance, 0) <= *worst)
    }

    /// Adds a row if it is one of the best.
    #[inline]
    pub fn consider(&mut self, near: Near) {
        if self.accepts(near.distance()) {
            self.offer(near);
        }
    }

    pub fn offer(&mut self, near: Near) {
        let Some(of_rows) = &mut self.of_rows else {
            self.heap.push(near);
            if self.heap.len() > self.k {
                self.heap.pop();
            }
            return;
        };
        if of_rows.get(&near.what()).is_some_and(|known| *known <= near) {
            return;
        }
        of_rows.insert(near.what(), near);
        self.heap.push(near);
        while let Some(worst) = self.heap.peek() {
            let is_current = of_rows.get(&worst.what()) == Some(worst);
            if is_current && of_rows.len() <= self.k {
                break;
            }
            if is_current {
                of_rows.remove(&worst.what());
            }
            self.heap.pop();
        }
    }

    /// Rows and distances, the nearest first.
    pub fn into_sorted(self) -> Vec<(u32, f64)> {
        let of_rows = self.of_rows;
        let is_current = |near: &Near| {
            of_rows.as_ref().is_none_or(|of_rows| of_rows.get(&near.what()) == Some(near))
        };
        let sorted = self.heap.into_sorted_vec().into_iter().filter(is_current);
        sorted.map(|near| (near.what(), near.distance())).collect()
    }
}

#[cfg(test)]
#[path = "near_tests.rs"]
mod tests;
