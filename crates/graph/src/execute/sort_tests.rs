//! The sort that an order may end.

use super::merge_sort;

#[test]
fn rows_are_merged_in_order_and_stay_where_they_are_equal() {
    for len in 0_u32..70 {
        let rows: Vec<u32> = (0..len).map(|row| row.wrapping_mul(0x9e37_79b9) >> 7).collect();
        let mut sorted = rows.clone();
        sorted.sort_by_key(|row| row % 10);
        let merged = merge_sort(rows, |one, other| Ok::<_, ()>((one % 10).cmp(&(other % 10))));
        assert_eq!(merged, Ok(sorted));
    }
    let mut left = std::cell::Cell::new(5);
    let ended = merge_sort((0..100).rev().collect::<Vec<u32>>(), |one, other| {
        left.set(left.get() - 1);
        if left.get() == 0 { Err("ended") } else { Ok(one.cmp(other)) }
    });
    assert_eq!((ended, *left.get_mut()), (Err("ended"), 0));
}
