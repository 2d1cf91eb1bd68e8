//! Whether any key of a database has a deadline: if none has, the index alone says what is there.
//!
//! ```text
//!   writer:  a shard with deadlines is given back ──► SOME
//!   cron:    SOME ──► ASKING ──► looks at each shard ──► none found? ASKING ──► NONE
//! ```
//!
//! A writer says so while it holds the shard. Who asks changes to `ASKING` before looking at the
//! first shard: a deadline that was given before is seen in its shard, one that is given later says
//! `SOME` again, and then the answer is not `NONE`. Both count as "there may be some".

use sync::atomic::{AtomicU8, Ordering};

const NONE: u8 = 0;
const ASKING: u8 = 1;
const SOME: u8 = 2;

/// Whether there are any.
#[derive(Default)]
pub(crate) struct Deadlines(AtomicU8);

impl Deadlines {
    /// There are some, in a shard that is held.
    #[inline]
    pub fn there_are(&self) {
        if self.0.load(Ordering::SeqCst) != SOME {
            self.0.store(SOME, Ordering::SeqCst);
        }
    }

    /// There may be some.
    pub fn suspect(&self) {
        self.0.store(SOME, Ordering::SeqCst);
    }

    /// A thread begins to ask every shard; `false` if there are none, or another thread asks.
    pub fn begin_to_ask(&self) -> bool {
        self.change(SOME, ASKING)
    }

    /// It has asked all of them. Where it was said again meanwhile that there are some, it is so.
    pub fn end_asking(&self, any: bool) {
        self.change(ASKING, if any { SOME } else { NONE });
    }

    fn change(&self, from: u8, to: u8) -> bool {
        self.0.compare_exchange(from, to, Ordering::SeqCst, Ordering::SeqCst).is_ok()
    }

    /// Whether there may be some.
    #[inline]
    pub fn may_be(&self) -> bool {
        self.0.load(Ordering::SeqCst) != NONE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deadline_given_meanwhile_counts() {
        let deadlines = Deadlines::default();
        assert!(!deadlines.may_be());
        deadlines.there_are();
        assert!(deadlines.may_be());
        assert!(deadlines.begin_to_ask());
        assert!(deadlines.may_be());
        deadlines.there_are();
        deadlines.end_asking(false);
        assert!(deadlines.may_be());
        assert!(deadlines.begin_to_ask());
        deadlines.end_asking(false);
        assert!(!deadlines.may_be());
    }
}
