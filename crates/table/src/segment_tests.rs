//! Tests of `segment.rs`: sizes, and slots that wrap around the end.

use super::*;
use crate::entry::{Entry, Fill};

#[test]
fn segments_fill_their_size_class() {
    for step in STEPS {
        assert_eq!(bytes(step), 64 * (step as usize + 1), "{step} buckets");
    }
    let mut buckets = MOST_BUCKETS;
    for _ in 0..30 {
        let next = next_buckets(buckets);
        assert!(next > buckets + buckets / 3 && next < 2 * buckets, "{buckets} -> {next}");
        assert_eq!(bytes(next), 64 * (next as usize + 1));
        buckets = next;
    }
}

#[test]
fn small_steps_grow_and_never_more_than_double() {
    let mut buckets = 1;
    while buckets < MOST_BUCKETS {
        let next = next_buckets(buckets);
        assert!(next > buckets && next <= 2 * buckets);
        assert!(limit(next) > limit(buckets));
        buckets = next;
    }
    assert_eq!(buckets, MOST_BUCKETS);
}

#[test]
fn sized_segments_hold_what_they_are_sized_for() {
    for percent in [AFTER_SPLIT, AFTER_SHRINK] {
        for entries in 0..3000 {
            let buckets = buckets_for(entries, percent);
            assert!(entries < limit(buckets), "{entries} entries at {percent}%");
            assert!(buckets == 1 || entries * 100 > buckets as usize * SLOTS * SPARSE);
        }
    }
    assert_eq!(buckets_for(limit(MOST_BUCKETS) / 2, AFTER_SPLIT), 95);
}

#[test]
fn overflow_wraps_and_unwinds() {
    let segment = Segment::allocate(3);
    let entry = Entry::create(b"k", Fill::Bytes(b""));
    let slot = Slot::new(9, entry);
    // SAFETY: bucket numbers are below 3, and the segment lives until the end.
    unsafe {
        let spots: Vec<_> = (0..15).map(|_| segment.insert(2, slot)).collect();
        assert_eq!(spots[6].bucket, 2);
        assert_eq!(spots[7].bucket, 0, "after the last bucket comes the first");
        assert_eq!(spots[14].bucket, 1);
        let overflow = |bucket| segment.bucket(bucket).overflow();
        assert_eq!((overflow(2), overflow(0), overflow(1)), (8, 1, 0));
        assert_eq!(segment.slots().count(), 15);
        segment.remove(2, spots[0]);
        assert_eq!(segment.insert(2, slot).bucket, 2, "a free slot at home is taken first");
        for spot in &spots {
            segment.remove(2, *spot);
        }
        assert_eq!((overflow(2), overflow(0), overflow(1)), (0, 0, 0));
        assert_eq!(segment.entries(), 0);
        segment.free();
        entry.free();
    }
}

#[test]
fn counts_from_any_bucket() {
    let segment = Segment::allocate(2);
    let entry = Entry::create(b"k", Fill::Bytes(b""));
    // SAFETY: bucket numbers are below 2, and the segment lives until the end.
    unsafe {
        for tag in 1..=10 {
            segment.insert(u32::from(tag > 4), Slot::new(tag, entry));
        }
        let from = |start| -> Vec<u16> {
            (0..10).map(|nth| segment.nth_from(start, nth).expect("there").tag()).collect()
        };
        assert_eq!(from(0), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
        assert_eq!(from(1), [5, 6, 7, 8, 9, 10, 1, 2, 3, 4]);
        assert!(segment.nth_from(0, 10).is_none());
        segment.free();
        entry.free();
    }
}
