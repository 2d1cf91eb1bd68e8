//! Numbers in bytes: every half float, ties, ranges.

use super::*;

#[test]
fn every_half_float_survives_both_ways() {
    for bits in 0..=u16::MAX {
        let value = float16(bits);
        if value.is_nan() {
            assert!(bits & 0x7fff > 0x7c00 && float16(to_float16(value)).is_nan());
        } else {
            assert_eq!(to_float16(value), bits, "{value}");
        }
        let value = bfloat16(bits);
        assert!(value.is_nan() || to_bfloat16(value) == bits);
        assert!(!value.is_nan() || bfloat16(to_bfloat16(value)).is_nan());
    }
    assert_eq!(float16(0x3c00), 1.0);
    assert_eq!(float16(0xc000), -2.0);
    assert_eq!(float16(0x0001), 2f32.powi(-24));
    assert_eq!(float16(0x7bff), 65504.0);
    assert_eq!(float16(0xfc00), f32::NEG_INFINITY);
}

#[test]
fn halves_round_to_the_nearest_and_ties_to_even() {
    for bits in (0..0x7bff_u16).chain(0x8000..0xfbff) {
        let (low, high) = (float16(bits), float16(bits + 1));
        let middle = low + (high - low) / 2.0;
        assert_eq!(to_float16(middle), bits + (bits & 1), "{middle}");
        let nudge = |value: f32, by: i32| f32::from_bits(value.to_bits().wrapping_add_signed(by));
        assert_eq!(to_float16(nudge(middle, -1)), bits);
        assert_eq!(to_float16(nudge(middle, 1)), bits + 1);
    }
    assert_eq!(to_float16(65519.996), 0x7bff);
    assert_eq!(to_float16(65520.0), 0x7c00);
    assert_eq!(to_float16(1e30), 0x7c00);
    assert_eq!(to_float16(-1e-30), 0x8000);
    assert_eq!(to_bfloat16(f32::MAX), 0x7f80);
    assert_eq!(to_bfloat16(f32::from_bits(0x3f80_8000)), 0x3f80);
    assert_eq!(to_bfloat16(f32::from_bits(0x3f81_8000)), 0x3f82);
}

#[test]
fn json_arrays_become_vectors() {
    let wrong = ParseError::WrongSize(WrongSize { given: 1, expected: 2 });
    assert_eq!(parse(Element::Float32, 2, &[1.0]), Err(wrong));
    assert_eq!(parse(Element::Float32, 1, &[1.5]), Ok(1.5_f32.to_le_bytes().to_vec()));
    assert_eq!(parse(Element::Int8, 3, &[-128.0, 127.0, -0.0]), Ok(vec![0x80, 0x7f, 0]));
    for bad in [128.0, -129.0, 0.5, f64::NAN, f64::INFINITY] {
        let Err(ParseError::NotInRange(number)) = parse(Element::Int8, 1, &[bad]) else { panic!() };
        assert!(number == bad || bad.is_nan());
        assert!(parse(Element::Uint8, 1, &[bad]).is_err() || bad == 128.0);
    }
    for element in crate::ELEMENTS {
        let numbers = [3.0, 0.0, 117.0, 5.0];
        let blob = parse(element, 4, &numbers).unwrap();
        assert_eq!(blob.len(), 4 * element.size());
        assert_eq!(element.read(&blob), numbers);
    }
    let large = parse(Element::Float32, 2, &[1e300, f64::NAN]).unwrap();
    assert_eq!(Element::Float32.read(&large)[0], f64::INFINITY);
}
