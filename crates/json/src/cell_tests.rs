//! What fits into a cell, and comes back.

use super::{Cell, tag};
use crate::tree::Num;

#[test]
fn integers_of_28_bits_fit() {
    for value in [0, 1, -1, 1 << 20, (1 << 27) - 1, -(1 << 27)] {
        assert_eq!(Cell::int(value).map(Cell::as_int), Some(value));
    }
    for value in [1 << 27, -(1 << 27) - 1, i64::MAX, i64::MIN, 1 << 32] {
        assert_eq!(Cell::int(value), None);
    }
}

#[test]
fn doubles_that_are_short_decimals_fit() {
    for text in ["0.0", "1.5", "-1.5", "4.35", "0.1", "10000.0", "0.00001", "-99.99999", "1.2e-5"] {
        let value: f64 = text.parse().expect("a number");
        let cell = Cell::from_f64(value).expect(text);
        assert_eq!(cell.tag(), tag::DECIMAL);
        assert_eq!(cell.as_num(), Some(Num::F64(value)), "{text}");
    }
    for value in [-0.0, 1e-6, 3.3e-7, 1.0 / 3.0, 37.788_074_2, 1e300, f64::MIN_POSITIVE, 1e8] {
        assert_eq!(Cell::from_f64(value), None, "{value}");
    }
}

#[test]
fn short_texts_lie_in_the_cell() {
    for text in ["", "a", "bc", "def", "é"] {
        let cell = Cell::short(text.as_bytes(), true);
        assert_eq!(cell.as_short(), (text.len(), true));
        assert_eq!(&cell.0.to_le_bytes()[1..=text.len()], text.as_bytes());
    }
    assert_eq!(Cell::short(b"\"", false).as_short(), (1, false));
}

#[test]
fn pages_and_blocks_keep_their_numbers() {
    assert_eq!(Cell::paged((1 << 19) - 1, 511).as_paged(), ((1 << 19) - 1, 511));
    assert_eq!(Cell::paged(3, 0).as_paged(), (3, 0));
    let block = Cell::block(tag::TABLE, (1 << 30) - 4);
    assert_eq!((block.tag(), block.offset()), (tag::TABLE, (1 << 30) - 4));
}
