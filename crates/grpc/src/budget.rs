//! Bounds of what clients can make the server keep: streams, events, half requests.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// So much is there for all; what is taken is given back.
#[derive(Debug)]
pub struct Budget {
    most: usize,
    taken: AtomicUsize,
}

impl Budget {
    /// So much.
    pub fn new(most: usize) -> Self {
        Budget { most, taken: AtomicUsize::new(0) }
    }

    /// Takes some; `false` if so much is not left, and nothing is taken then.
    pub fn take(&self, some: usize) -> bool {
        let took = self.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |taken| {
            taken.checked_add(some).filter(|&taken| taken <= self.most)
        });
        took.is_ok()
    }

    /// Gives back what was taken.
    pub fn give(&self, some: usize) {
        self.taken.fetch_sub(some, Ordering::Relaxed);
    }
}

/// Part of a budget, given back when dropped.
pub struct Share {
    budget: Arc<Budget>,
    taken: usize,
}

impl Share {
    /// Nothing yet.
    pub fn of(budget: &Arc<Budget>) -> Self {
        Share { budget: Arc::clone(budget), taken: 0 }
    }

    /// Takes more; `false` if so much is not left.
    pub fn take(&mut self, some: usize) -> bool {
        let took = self.budget.take(some);
        self.taken += if took { some } else { 0 };
        took
    }

    /// Gives all of it back.
    pub fn clear(&mut self) {
        self.budget.give(std::mem::take(&mut self.taken));
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_comes_back() {
        let budget = Arc::new(Budget::new(10));
        let mut share = Share::of(&budget);
        assert!(share.take(6) && !share.take(5) && share.take(4) && !budget.take(1));
        share.clear();
        assert!(budget.take(10) && !share.take(1));
        drop(share);
        budget.give(10);
        assert!(!budget.take(11) && budget.take(10));
    }

    #[test]
    fn a_huge_wish_does_not_wrap() {
        let budget = Budget::new(usize::MAX);
        assert!(budget.take(usize::MAX) && !budget.take(1));
    }
}
