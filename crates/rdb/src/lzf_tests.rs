//! What is packed unpacks; what is broken is refused.

use super::*;

/// Numbers that look random.
fn numbers(mut seed: u64) -> impl FnMut() -> u64 {
    move || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed
    }
}

fn sample(next: &mut impl FnMut() -> u64) -> Vec<u8> {
    let (len, letters) = (next() % 3000, next() % 20 + 1);
    let mut text: Vec<u8> = (0..len).map(|_| (next() % letters).to_le_bytes()[0]).collect();
    if next().is_multiple_of(3) && text.len() > 10 {
        let at = text.len() / 3;
        text.extend_from_within(at..);
        text.extend_from_within(at..);
    }
    text
}

#[test]
fn what_is_packed_unpacks() {
    let mut next = numbers(1);
    let mut compressor = Compressor::default();
    let mut packed_some = 0;
    for _ in 0..500 {
        let text = sample(&mut next);
        let room = text.len() + 4;
        let packed = compressor.compress(&text, room);
        // One table for many strings changes nothing.
        assert_eq!(packed, Compressor::default().compress(&text, room));
        if let Some(packed) = packed {
            packed_some += 1;
            assert!(packed.len() <= room);
            assert_eq!(decompress(&packed, text.len()).unwrap(), text);
        }
    }
    assert!(packed_some > 300);
}

#[test]
fn a_counter_that_runs_over_starts_again() {
    let text = b"la la la la la la la la la la".repeat(9);
    let fresh = Compressor::default().compress(&text, text.len());
    let mut worn = Compressor { seen: vec![u32::MAX - 100; 1 << 16], base: u32::MAX - 99 };
    assert_eq!(worn.compress(&text, text.len()), fresh);
    assert_eq!(worn.compress(&text, text.len()), fresh);
}

#[test]
fn the_longest_matches_unpack() {
    for len in 200..600 {
        let text = vec![b'x'; len];
        let packed = Compressor::default().compress(&text, len).unwrap();
        assert_eq!(decompress(&packed, len).unwrap(), text);
    }
}

#[test]
fn broken_input_is_refused() {
    assert_eq!(decompress(b"\x02ab", 3), None, "a run that is too short");
    assert_eq!(decompress(b"\x00a\x20\x01", 4), None, "a match before the beginning");
    assert_eq!(decompress(b"\x00a\xe0", 4), None, "a match without a length");
    assert_eq!(decompress(b"\x00a\xe0\x00", 4), None, "a match without a distance");
    assert_eq!(decompress(b"\x00a", 2), None, "too little");
    assert_eq!(decompress(b"\x01ab", 1), None, "too much");
    assert_eq!(decompress(b"\x00a", usize::MAX), None, "a length that lies");
    assert_eq!(decompress(b"\x00a\x20\x00", 4).as_deref(), Some(&b"aaaa"[..]));
}

#[test]
fn mutations_never_panic() {
    let mut next = numbers(7);
    for _ in 0..3000 {
        let text = sample(&mut next);
        let Some(mut packed) = Compressor::default().compress(&text, text.len() + 4) else {
            continue;
        };
        for _ in 0..=next() % 4 {
            let at = usize::try_from(next()).unwrap_or(0) % packed.len();
            packed[at] = next().to_le_bytes()[0];
        }
        let _ = decompress(&packed, text.len());
    }
}
