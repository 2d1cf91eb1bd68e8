//! Kinds of numbers: every half and brain float there is, and the edges of integers.

use super::{ALL, Element, from_half, to_brain, to_half};
use crate::tree::Num;

#[test]
fn codes_name_kinds() {
    for kind in ALL {
        assert_eq!(Element::from_code(u32::from(kind.code())), kind);
    }
}

#[test]
fn every_half_comes_back() {
    for bits in 0..=u16::MAX {
        let value = from_half(bits);
        if value.is_finite() {
            assert_eq!(to_half(value), Some(bits), "{bits:#x} is {value}");
        }
    }
    assert_eq!(to_half(65_504.0), Some(0x7BFF));
    assert_eq!(to_half(65_519.0), Some(0x7BFF));
    assert_eq!(to_half(65_520.0), None);
    assert_eq!(to_half(0.1).map(from_half), Some(0.099_975_585_937_5));
}

#[test]
fn every_brain_float_comes_back() {
    for bits in 0..=u16::MAX {
        let value = f32::from_bits(u32::from(bits) << 16);
        if value.is_finite() {
            assert_eq!(to_brain(f64::from(value)), Some(bits));
        }
    }
    assert_eq!(to_brain(3.4e38), None);
    assert_eq!(to_brain(1.0 + 1.0 / 256.0 + 1e-12), Some(0x3F81));
    assert_eq!(to_brain(1.0 + 1.0 / 256.0), Some(0x3F80));
}

#[test]
fn integers_take_the_narrowest_kind() {
    let cases = [
        (-1, 5, Element::I8),
        (0, 200, Element::U8),
        (-1, 200, Element::I16),
        (0, 60_000, Element::U16),
        (-1, 60_000, Element::I32),
        (0, 4_000_000_000, Element::U32),
        (-1, 4_000_000_000, Element::I64),
        (0, u64::MAX, Element::U64),
    ];
    for (min, max, kind) in cases {
        assert_eq!(Element::of_range(min, max), Some(kind));
        for num in [Num::I64(min), i64::try_from(max).map_or(Num::U64(max), Num::I64)] {
            let bytes = kind.exactly(num).expect("it fits");
            assert_eq!(kind.read(&bytes[..kind.width()]), num);
        }
    }
    assert_eq!(Element::of_range(-1, u64::MAX), None);
    assert_eq!(Element::U8.exactly(Num::I64(256)), None);
    assert_eq!(Element::U8.exactly(Num::F64(1.0)), None);
    assert_eq!(Element::F32.exactly(Num::F64(0.1)), None);
    assert!(Element::F32.exactly(Num::F64(0.5)).is_some());
    assert_eq!(Element::F64.exactly(Num::I64(1)), None);
}
