//! Tests of `bucket.rs`: the packed comparison against its scalar twin, the counter, the hint.

use proptest::prelude::*;

use super::*;
use crate::entry::{Entry, Fill};

fn with_bucket<R>(tags: [u16; SLOTS], meta: (u16, u16, u32), run: impl Fn(BucketRef) -> R) -> R {
    let entry = Entry::create(b"k", Fill::Bytes(b"v"));
    let slots = tags.map(|tag| if tag == 0 { Slot::EMPTY } else { Slot::new(tag, entry) });
    let mut bucket = Bucket { slots, overflow: meta.0, hints: meta.1, epoch: meta.2 };
    // SAFETY: the bucket outlives the handle.
    let result = run(unsafe { BucketRef::new(&raw mut bucket) });
    // SAFETY: made above, and only the slots of the bucket knew it.
    unsafe { entry.free() };
    result
}

fn tag() -> impl Strategy<Value = u16> {
    prop::sample::select(vec![0u16, 1, 3, 0x7fff, 0x8001, 0xffff])
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 8 } else { 2000 }, failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn matches_like_one_by_one(
        tags in prop::array::uniform7(tag()),
        meta in any::<(u16, u16, u32)>(),
        wanted in tag(),
    ) {
        with_bucket(tags, meta, |bucket| {
            assert_eq!(bucket.matches(wanted), bucket.matches_scalar(wanted));
            let expected: Vec<_> = (0..SLOTS).filter(|&slot| tags[slot] == wanted).collect();
            assert_eq!(bucket.matches(wanted).len() as usize, expected.len());
            assert_eq!(bucket.matches(wanted).first(), expected.first().copied());
            assert_eq!(bucket.matches(wanted).collect::<Vec<_>>(), expected);
            let free = bucket.free().collect::<Vec<_>>();
            let used = bucket.used().collect::<Vec<_>>();
            assert_eq!(free.len() + used.len(), SLOTS);
            assert!(used.iter().all(|&slot| tags[slot] != 0 && !bucket.slot(slot).is_empty()));
        });
    }
}

#[test]
fn overflow_counts_and_sticks() {
    with_bucket([0; SLOTS], (0, 0, 0), |bucket| {
        bucket.unpass();
        assert_eq!(bucket.overflow(), 0);
        for _ in 0..3 {
            bucket.pass();
        }
        bucket.unpass();
        assert_eq!(bucket.overflow(), 2);
    });
    with_bucket([0; SLOTS], (u16::MAX - 1, 0, 0), |bucket| {
        bucket.pass();
        bucket.pass();
        bucket.unpass();
        assert_eq!(bucket.overflow(), u16::MAX, "once full, the true count is unknown");
    });
}

#[test]
fn hints_stand_alone() {
    with_bucket([1; SLOTS], (7, 0, 9), |bucket| {
        assert!(!bucket.may_expire());
        bucket.set_may_expire(true);
        assert!(bucket.may_expire());
        bucket.set_may_expire(false);
        assert!(!bucket.may_expire());
        assert_eq!(bucket.overflow(), 7);
    });
}
