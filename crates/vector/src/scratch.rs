//! What a search needs besides the graph, used again from search to search.
//!
//! Which nodes were visited is an array of bytes, each with the number of the search that visited
//! it last: it is cleared once in 255 searches. Several threads search at once, so there is a
//! pool.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::near::Near;

/// Idle scratches that are retained.
const IDLE: usize = 32;
/// Heaps with more entries are not retained.
const LARGEST: usize = 4096;

#[derive(Default)]
pub struct Scratch {
    epochs: Vec<u8>,
    epoch: u8,
    /// Visited nodes whose links were not followed.
    pub candidates: BinaryHeap<Reverse<Near>>,
    /// The nearest nodes of those that were visited.
    pub found: BinaryHeap<Near>,
    /// Links of one node that are new.
    pub fresh: Vec<u32>,
}

impl Scratch {
    /// Begins a search over nodes below `end`.
    pub fn begin(&mut self, end: u32) {
        self.candidates.clear();
        self.found.clear();
        if self.epochs.len() < end as usize {
            // Whole pages, so that a growing index does not move it at each insert.
            self.epochs.resize((end as usize).next_multiple_of(1024), 0);
        }
        self.epoch = self.epoch.wrapping_add(1);
        if self.epoch == 0 {
            self.epochs.fill(0);
            self.epoch = 1;
        }
    }

    /// Marks a node; whether this search had not visited it.
    #[inline]
    pub fn visit(&mut self, node: u32) -> bool {
        let Some(epoch) = self.epochs.get_mut(node as usize) else { return false };
        let is_new = *epoch != self.epoch;
        *epoch = self.epoch;
        is_new
    }

    fn memory(&self) -> usize {
        self.epochs.capacity()
            + (self.candidates.capacity() + self.found.capacity()) * size_of::<Near>()
            + self.fresh.capacity() * size_of::<u32>()
    }
}

/// Idle scratches.
#[derive(Default)]
pub struct Pool(Mutex<Idle>);

#[derive(Default)]
struct Idle {
    scratches: Vec<Scratch>,
    /// What the idle ones take.
    bytes: usize,
}

impl Pool {
    fn lock(&self) -> MutexGuard<'_, Idle> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `work` with a scratch, without holding the lock.
    pub fn with<R>(&self, work: impl FnOnce(&mut Scratch) -> R) -> R {
        let idle = {
            let mut idle = self.lock();
            let scratch = idle.scratches.pop();
            idle.bytes -= scratch.as_ref().map_or(0, Scratch::memory);
            scratch
        };
        let mut scratch = idle.unwrap_or_default();
        let result = work(&mut scratch);
        scratch.candidates.clear();
        scratch.found.clear();
        scratch.candidates.shrink_to(LARGEST);
        scratch.found.shrink_to(LARGEST);
        let mut idle = self.lock();
        if idle.scratches.len() < IDLE {
            idle.bytes += scratch.memory();
            idle.scratches.push(scratch);
        }
        result
    }

    /// What idle scratches take; those of running searches are not counted.
    pub fn memory(&self) -> usize {
        let idle = self.lock();
        idle.bytes + idle.scratches.capacity() * size_of::<Scratch>()
    }

    /// The same, counted one by one.
    #[cfg(test)]
    pub fn recount(&self) -> usize {
        let idle = self.lock();
        let bytes: usize = idle.scratches.iter().map(Scratch::memory).sum();
        bytes + idle.scratches.capacity() * size_of::<Scratch>()
    }
}
