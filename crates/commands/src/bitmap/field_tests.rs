//! Fields against single bits.

use super::*;

fn width(text: &str) -> Width {
    Width::parse(text.as_bytes()).unwrap()
}

#[test]
fn types_are_read_as_redis_does() {
    assert_eq!(width("i64"), Width { signed: true, bits: 64 });
    assert_eq!(width("u1"), Width { signed: false, bits: 1 });
    assert_eq!(width("u8\0x").bits, 8);
    for bad in ["", "i", "u", "i0", "u0", "u64", "i65", "I8", "x8", "i-1", "u08", "u 8", "8"] {
        assert_eq!(Width::parse(bad.as_bytes()), Err(BAD_TYPE), "{bad}");
    }
}

#[test]
fn what_is_set_is_got_and_nothing_else_changes() {
    let mut rng = base::Rng::new(5);
    for _ in 0..20_000 {
        let signed = rng.below(2) == 0;
        let bits = u32::try_from(1 + rng.below(if signed { 64 } else { 63 })).unwrap();
        let width = Width { signed, bits };
        let offset = rng.below(100) as u64;
        let before: Vec<u8> = (0..22).map(|_| u8::try_from(rng.below(256)).unwrap()).collect();
        let value = width.wrap(i128::from(rng.next_u64()));
        let mut after = before.clone();
        width.set(&mut after, offset, value);
        assert_eq!(width.get(&after, offset), value);
        for bit in 0..22 * 8_u64 {
            let of = |bytes: &[u8]| bytes[(bit / 8) as usize] & (0x80 >> (bit % 8)) != 0;
            let inside = (offset..offset + u64::from(bits)).contains(&bit);
            if inside {
                let place = u64::from(bits) - 1 - (bit - offset);
                assert_eq!(of(&after), (value >> place) & 1 == 1);
            } else {
                assert_eq!(of(&after), of(&before));
            }
        }
    }
}

#[test]
fn reading_past_the_end_finds_zeros() {
    assert_eq!(width("u8").get(b"\xff", 4), 0xf0);
    assert_eq!(width("i8").get(b"\xff", 4), -16);
    assert_eq!(width("i64").get(b"", 1 << 40), 0);
    assert_eq!(width("i64").get(b"\xff", 0), i64::MIN >> 7);
}

#[test]
fn overflow_wraps_saturates_or_fails() {
    let u8 = width("u8");
    assert_eq!(u8.add(250, 10, Overflow::Wrap), Some(4));
    assert_eq!(u8.add(250, 10, Overflow::Saturate), Some(255));
    assert_eq!(u8.add(250, 10, Overflow::Fail), None);
    assert_eq!(u8.add(5, -10, Overflow::Wrap), Some(251));
    assert_eq!(u8.add(5, -10, Overflow::Saturate), Some(0));
    assert_eq!(u8.add(5, 5, Overflow::Fail), Some(10));
    assert_eq!(u8.assign(-1, Overflow::Wrap), Some(255));
    assert_eq!(u8.assign(-1, Overflow::Saturate), Some(255));
    let i64 = width("i64");
    assert_eq!(i64.add(i64::MAX, 1, Overflow::Wrap), Some(i64::MIN));
    assert_eq!(i64.add(i64::MAX, 1, Overflow::Saturate), Some(i64::MAX));
    assert_eq!(i64.add(i64::MIN, -1, Overflow::Saturate), Some(i64::MIN));
    assert_eq!(i64.assign(i64::MIN, Overflow::Fail), Some(i64::MIN));
    let i8 = width("i8");
    assert_eq!(i8.assign(200, Overflow::Wrap), Some(-56));
    assert_eq!(i8.assign(-200, Overflow::Saturate), Some(-128));
    let u63 = width("u63");
    assert_eq!(u63.add(i64::MAX, i64::MAX, Overflow::Wrap), Some(i64::MAX - 1));
    assert_eq!(u63.add(i64::MAX, 1, Overflow::Saturate), Some(i64::MAX));
}
