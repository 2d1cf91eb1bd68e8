//! Finding the first bit that is set, or that is not.

use super::span::Span;

/// Bytes that are passed over at once.
const STRIDE: usize = 64;

/// The first bit of `bytes` in `span` that is as wanted. O(length of the span).
pub(super) fn first(bytes: &[u8], span: Span, bit: bool) -> Option<usize> {
    // Clear bits are the set bits of the complement.
    let flip = if bit { 0 } else { 0xff };
    let hit = |at: usize, mask: u8| {
        let wanted = (bytes[at] ^ flip) & mask;
        (wanted != 0).then(|| at * 8 + wanted.leading_zeros() as usize)
    };
    let ((head, after), (tail, before)) = (span.head(), span.tail());
    if head == tail {
        return hit(head, after & before);
    }
    hit(head, after).or_else(|| {
        let between = &bytes[head + 1..tail];
        match other_than(between, flip) {
            Some(at) => hit(head + 1 + at, 0xff),
            None => hit(tail, before),
        }
    })
}

/// Where the first byte other than `byte` is.
fn other_than(bytes: &[u8], byte: u8) -> Option<usize> {
    let strides = bytes.chunks_exact(STRIDE);
    let differs = |stride: &[u8]| stride.iter().fold(0, |sum, b| sum | (b ^ byte)) != 0;
    let passed = strides.clone().position(differs).unwrap_or(strides.len()) * STRIDE;
    let found = bytes[passed..].iter().position(|b| *b != byte)?;
    Some(passed + found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_one_would_by_hand() {
        let mut rng = base::Rng::new(3);
        for round in 0..3000 {
            let length = 1 + rng.below(300);
            let filling = if round % 2 == 0 { 0 } else { 0xff };
            let mut bytes = vec![filling; length];
            for _ in 0..rng.below(3) {
                bytes[rng.below(length)] = u8::try_from(rng.below(256)).unwrap();
            }
            let (a, b) = (rng.below(length * 8), rng.below(length * 8));
            let span = Span { first: a.min(b), last: a.max(b) };
            for bit in [false, true] {
                let is = |&at: &usize| (bytes[at / 8] & (0x80 >> (at % 8)) != 0) == bit;
                let wanted = (span.first..=span.last).find(is);
                assert_eq!(first(&bytes, span, bit), wanted, "{span:?} {bit}");
            }
        }
    }
}
