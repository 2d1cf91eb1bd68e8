//! Tests of `directory.rs`: doubling, splitting, merging and halving of links.

use super::*;

fn free(directory: Directory) {
    for (link, _) in directory.segments_from(0) {
        // SAFETY: the directory is given up, and its segments are empty.
        unsafe { link.segment().free() };
    }
}

/// Splits the segment at `aligned`, freeing the old one.
fn split(directory: &mut Directory, aligned: u64) {
    let link = directory.link(aligned).expect("planted");
    directory.split(aligned, link.depth(), [Segment::allocate(1), Segment::allocate(2)]);
    // SAFETY: it was just unlinked.
    unsafe { link.segment().free() };
    directory.check();
}

/// Merges the segment at `aligned` with its buddy.
fn merge(directory: &mut Directory, aligned: u64) {
    let link = directory.link(aligned).expect("planted");
    let buddy = directory.buddy(aligned, link.depth()).expect("a buddy of the same depth");
    directory.merge(aligned, link.depth(), Segment::allocate(3));
    for old in [link.segment(), buddy] {
        // SAFETY: it was just unlinked.
        unsafe { old.free() };
    }
    directory.check();
}

#[test]
fn empty_directory_has_nothing() {
    let directory = Directory::new();
    directory.check();
    assert!(directory.is_empty() && directory.link(!0).is_none());
    assert_eq!(directory.memory(), 0);
    assert_eq!(directory.segments_from(!0).count(), 0);
    assert!(directory.buddy(0, 0).is_none());
}

#[test]
fn splits_and_merges_undo_each_other() {
    let mut directory = Directory::with_root(Segment::allocate(1));
    directory.check();
    split(&mut directory, 0);
    split(&mut directory, !0);
    split(&mut directory, !0);
    split(&mut directory, 0);
    assert_eq!(directory.depth(), 3);
    let depths = |directory: &Directory| -> Vec<u32> {
        directory.segments_from(0).map(|(link, _)| link.depth()).collect()
    };
    assert_eq!(depths(&directory), [2, 2, 2, 3, 3]);
    assert_eq!(directory.segments_from(1 << 63).count(), 3);
    assert!(directory.buddy(1 << 63, 2).is_none(), "the buddy was split further");
    merge(&mut directory, !0);
    assert_eq!((directory.depth(), depths(&directory)), (2, vec![2, 2, 2, 2]));
    merge(&mut directory, 0);
    assert_eq!((directory.depth(), depths(&directory)), (2, vec![1, 2, 2]));
    merge(&mut directory, 1 << 63);
    merge(&mut directory, 1 << 63);
    assert_eq!((directory.depth(), depths(&directory)), (0, vec![0]));
    assert_eq!(directory.memory(), 8);
    free(directory);
}

#[test]
fn halving_goes_as_far_as_it_can() {
    let mut directory = Directory::with_root(Segment::allocate(1));
    for _ in 0..5 {
        split(&mut directory, 0);
    }
    assert_eq!((directory.depth(), directory.links.len()), (5, 32));
    merge(&mut directory, 0);
    assert_eq!(directory.depth(), 4);
    split(&mut directory, !0);
    for _ in 0..3 {
        merge(&mut directory, 0);
    }
    assert_eq!(directory.depth(), 2, "the split at the other end needs two bits");
    free(directory);
}

#[test]
fn large_bucket_counts_are_read_from_the_header() {
    let segment = Segment::allocate(70_000);
    let link = Link::new(segment, 38);
    assert_eq!((link.buckets(), link.depth()), (70_000, 38));
    assert!(link.segment() == segment);
    // SAFETY: nothing else knows it.
    unsafe { segment.free() };
}

#[test]
fn directories_stay_small_for_what_they_hold() {
    let directory = Directory::with_root(Segment::allocate(1));
    assert!(!directory.may_split(0, 2 * ENTRIES_PER_LINK - 1));
    assert!(directory.may_split(0, 2 * ENTRIES_PER_LINK));
    assert!(!directory.may_split(DEEPEST, usize::MAX));
    free(directory);
}
