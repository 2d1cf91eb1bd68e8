//! Scans that survive any change of the table between their steps.
//!
//! A cursor is a position P (see `place.rs`): "everything below is done". Table order is the order
//! of P whatever the sizes of segments are, and an entry's P never changes, so a step that visits
//! exactly the entries with `cursor <= P < next` makes every full scan exact: an entry that is
//! there all the time is visited exactly once, however the table grows, splits, shrinks or merges
//! meanwhile.
//!
//! ```text
//!   P     cursor            next
//!   ------|-----------------|-----------------------------> 2^38
//!   ... | home bucket b     | home bucket b + 1 | ...          as the table is now
//! ```
//!
//! A step covers the rest of one home bucket that has something to visit, after passing a bounded
//! number that have nothing. As overflow may have put an entry into a later bucket, a step
//! follows the overflow chain and hashes each candidate to learn its position.

use core::ops::ControlFlow;

use crate::directory::Link;
use crate::place;
use crate::table::{KeyHash, Table};
use crate::view::EntryRef;

/// Home buckets a step looks at before it returns with nothing.
const BUCKETS: u32 = 64;
/// Segments, or buckets, without deadlines that a step of an expiring scan passes.
const QUIET: u32 = 512;

/// The home buckets of a table from a position on.
struct Homes<'a, O, H> {
    table: &'a Table<O, H>,
    /// Where the next bucket starts; [`place::END`] when there is none.
    position: u64,
}

/// A home bucket, of which positions before `from` are not wanted.
struct Home {
    link: Link,
    bucket: u32,
    from: u64,
}

impl<O, H: KeyHash> Homes<'_, O, H> {
    fn current(&self) -> Option<Home> {
        if self.position >= place::END {
            return None;
        }
        let aligned = place::aligned_position(self.position);
        let link = self.table.directory.link(aligned)?;
        let bucket = place::home(aligned, link.depth(), link.buckets());
        Some(Home { link, bucket, from: self.position })
    }

    /// Steps over `home` to where `bucket` of the same segment begins.
    fn go_to(&mut self, home: &Home, bucket: u32) {
        let (depth, buckets) = (home.link.depth(), home.link.buckets());
        let range = place::END >> depth;
        let segment_start = home.from & !(range - 1);
        self.position = segment_start + place::first_position(bucket, depth, buckets);
    }

    /// The cursor to return: 0 at the end.
    fn cursor(&self) -> u64 {
        if self.position >= place::END { 0 } else { self.position }
    }
}

impl<O, H: KeyHash> Table<O, H> {
    /// Visits the next few entries of a scan that began with cursor 0, and returns the cursor for
    /// the next step; 0 means that the scan is complete. Cursors are below 2^38; one from there
    /// on ends the scan.
    ///
    /// Every entry that is in the table from the first step to the last is visited exactly once,
    /// whatever is done to the table between steps; others at most once, if not removed and put
    /// again. A step takes O(1): it visits the entries of one bucket, and passes at most 64 empty
    /// ones.
    ///
    /// ```
    /// # use kvist_table::{KeyHash, Table};
    /// # #[derive(Clone)] struct Sum;
    /// # impl KeyHash for Sum {
    /// #     fn hash(&self, key: &[u8]) -> u64 {
    /// #         let mix = |h: u64, b: &u8| (h ^ u64::from(*b)).wrapping_mul(0x9e37_79b9_7f4a);
    /// #         key.iter().fold(7, mix)
    /// #     }
    /// # }
    /// let mut table: Table<(), Sum> = Table::new(Sum);
    /// for key in [b"a", b"b", b"c"] {
    ///     table.put_bytes(Sum.hash(key), key, b"");
    /// }
    /// let (mut seen, mut cursor) = (0, 0);
    /// loop {
    ///     cursor = table.scan(cursor, &mut |_| seen += 1);
    ///     if cursor == 0 {
    ///         break;
    ///     }
    /// }
    /// assert_eq!(seen, 3);
    /// ```
    pub fn scan(&self, cursor: u64, visit: &mut dyn FnMut(EntryRef<'_, O>)) -> u64 {
        // Emptied between two steps: there is no bucket left to go on from.
        if self.is_empty() {
            return 0;
        }
        let mut homes = Homes { table: self, position: cursor };
        for _ in 0..BUCKETS {
            let Some(home) = homes.current() else { break };
            let mut visited = false;
            self.visit_home(&home, &mut |entry| {
                visited = true;
                visit(entry);
            });
            homes.go_to(&home, home.bucket + 1);
            if visited {
                break;
            }
        }
        homes.cursor()
    }

    /// [`scan`](Self::scan), but visits only entries with a deadline, and passes quickly what has
    /// none: a step looks at no more than some hundred segments or buckets.
    ///
    /// An entry counts as being there only while it has a deadline.
    pub fn scan_expiring(&self, cursor: u64, visit: &mut dyn FnMut(EntryRef<'_, O>)) -> u64 {
        if self.accounts.expiring == 0 {
            return 0;
        }
        let mut homes = Homes { table: self, position: cursor };
        for _ in 0..QUIET {
            let Some(home) = homes.current() else { break };
            let segment = home.link.segment();
            if segment.expiring() == 0 {
                homes.go_to(&home, home.link.buckets());
                continue;
            }
            homes.go_to(&home, home.bucket + 1);
            // SAFETY: a home is below the bucket count.
            let bucket = unsafe { segment.bucket(home.bucket) };
            if !bucket.may_expire() {
                continue;
            }
            let (mut any, mut visited) = (false, false);
            // From the bucket's very start, so that the hint can be checked.
            let whole = Home { from: home.from & !((place::END >> home.link.depth()) - 1), ..home };
            self.visit_home(&whole, &mut |entry| {
                if entry.deadline().is_none() {
                    return;
                }
                any = true;
                let position = place::position(self.hasher.hash(entry.key()));
                if position >= home.from {
                    visited = true;
                    visit(entry);
                }
            });
            bucket.set_may_expire(any);
            if visited {
                break;
            }
        }
        homes.cursor()
    }

    /// Visits the entries that stand in the bucket of a position, whatever their own, and returns
    /// the position where the next bucket begins; 0 at the end. With `expiring` only those that
    /// have a deadline, and at most some hundred segments or buckets without any are passed.
    ///
    /// From a random position on this is a random sample, at the price of a bucket's cache misses,
    /// which overlap: nothing is hashed.
    pub fn sample(
        &self,
        position: u64,
        expiring: bool,
        visit: &mut dyn FnMut(EntryRef<'_, O>),
    ) -> u64 {
        if self.is_empty() || (expiring && self.accounts.expiring == 0) {
            return 0;
        }
        let mut homes = Homes { table: self, position };
        for _ in 0..QUIET {
            let Some(home) = homes.current() else { break };
            let segment = home.link.segment();
            if segment.entries() == 0 || (expiring && segment.expiring() == 0) {
                homes.go_to(&home, home.link.buckets());
                continue;
            }
            homes.go_to(&home, home.bucket + 1);
            let before = home.bucket.checked_sub(1).unwrap_or(home.link.buckets() - 1);
            // SAFETY: a home is below the bucket count, and so is its neighbour.
            let (bucket, before) = unsafe { (segment.bucket(home.bucket), segment.bucket(before)) };
            // The hint is about whom it is the home of; others come over from the one before.
            if expiring && !bucket.may_expire() && before.overflow() == 0 {
                continue;
            }
            for slot in bucket.used() {
                // SAFETY: the slot is used.
                unsafe { bucket.slot(slot).entry() }.prefetch(1);
            }
            let mut visited = false;
            for slot in bucket.used() {
                // SAFETY: the slot is used; its entry lives while the table is borrowed.
                let entry = unsafe { EntryRef::<O>::new(bucket.slot(slot).entry()) };
                if !expiring || entry.deadline().is_some() {
                    visited = true;
                    visit(entry);
                }
            }
            if visited {
                break;
            }
        }
        homes.cursor()
    }

    /// Visits the entries whose home is `home` and whose position isn't before its `from`.
    fn visit_home(&self, home: &Home, visit: &mut dyn FnMut(EntryRef<'_, O>)) {
        let (link, segment) = (home.link, home.link.segment());
        let (depth, buckets) = (link.depth(), link.buckets());
        let candidates = |at: u32| {
            // SAFETY: below the bucket count.
            let bucket = unsafe { segment.bucket(at) };
            // The cache misses of a bucket's entries then overlap: a walk is several times as fast.
            for slot in bucket.used() {
                // SAFETY: the slot is used.
                unsafe { bucket.slot(slot).entry() }.prefetch(1);
            }
            for slot in bucket.used() {
                // SAFETY: the slot is used; its entry lives while the table is borrowed.
                let entry = unsafe { EntryRef::<O>::new(bucket.slot(slot).entry()) };
                let hash = self.hasher.hash(entry.key());
                let at_home = place::home(place::aligned(hash), depth, buckets) == home.bucket;
                if at_home && place::position(hash) >= home.from {
                    visit(entry);
                }
            }
            if bucket.overflow() == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let _: ControlFlow<()> =
            (home.bucket..buckets).chain(0..home.bucket).try_for_each(candidates);
    }
}

#[cfg(test)]
#[path = "scan_tests.rs"]
mod tests;
