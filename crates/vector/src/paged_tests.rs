//! Pages: growth, alignment, gaps, bytes.

use super::*;

#[test]
fn slots_keep_what_was_written() {
    let mut paged = Paged::new(3, 7_u32);
    assert_eq!((paged.slot(0), paged.value(5)), (&[][..], 7));
    for at in (0..3000).chain([1_000_000]) {
        paged.slot_mut(at)[1] = at;
        assert_eq!(paged.memory(), paged.recount());
    }
    for at in (0..3000).chain([1_000_000]) {
        assert_eq!(paged.slot(at), [7, at, 7]);
    }
    assert_eq!(paged.value(500_000), 7);
    assert!(paged.memory() < 4 * 3 * 4 * 1100 + 2 * 1000 * size_of::<Page<u32>>());
    paged.set(4, 9);
    assert_eq!(paged.slot(4), [9, 4, 7]);
}

#[test]
fn pages_begin_with_a_line_of_the_cache() {
    let mut paged = Paged::new(64, 0_u8);
    for at in 0..2050 {
        let address = paged.slot_mut(at).as_ptr().addr();
        assert!(cfg!(miri) || address.is_multiple_of(64));
    }
    let mut empty = Paged::new(0, 0_u8);
    empty.set(70_000, 1);
    assert_eq!((empty.value(70_000), empty.slot(70_000)), (0, &[][..]));
}
