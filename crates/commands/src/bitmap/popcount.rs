//! Counting the bits that are set.
//!
//! Most of the work is done by carry-save adders (Harley and Seal; Muła, Kurz and Lemire, "Faster
//! population counts using AVX2 instructions", 2016): sixteen blocks of words are added up bit by
//! bit, column by column, so that only one block in sixteen must really be counted. It is written
//! for blocks of four words, which the compiler turns into vector instructions of whatever the
//! target has; one that counts bits is not needed.

use super::span::Span;

/// Words of a block.
const LANES: usize = 4;
/// Bytes of a block.
const BYTES: usize = LANES * 8;
/// Blocks added up at a time.
const ROUND: usize = 16;

type Block = [u64; LANES];

/// How many bits of `bytes` in `span` are set. O(length of the span).
pub(super) fn count(bytes: &[u8], span: Span) -> u64 {
    let ((first, head), (last, tail)) = (span.head(), span.tail());
    if first == last {
        return u64::from((bytes[first] & head & tail).count_ones());
    }
    let ends = (bytes[first] & head).count_ones() + (bytes[last] & tail).count_ones();
    u64::from(ends) + whole(&bytes[first + 1..last])
}

/// How many bits are set.
fn whole(bytes: &[u8]) -> u64 {
    let rounds = bytes.chunks_exact(BYTES * ROUND);
    let rest = rounds.remainder();
    let mut sums = Sums::default();
    let mut total = 0;
    for round in rounds {
        total += 16 * ones(sums.add(round));
    }
    total += 8 * ones(sums.eights) + 4 * ones(sums.fours) + 2 * ones(sums.twos) + ones(sums.ones);
    let words = rest.chunks_exact(8);
    let last: u32 = words.remainder().iter().map(|byte| byte.count_ones()).sum();
    total + words.map(|word| u64::from(word_of(word).count_ones())).sum::<u64>() + u64::from(last)
}

#[inline]
fn word_of(bytes: &[u8]) -> u64 {
    bytes.first_chunk().map_or(0, |word| u64::from_ne_bytes(*word))
}

#[inline]
fn block(round: &[u8], at: usize) -> Block {
    std::array::from_fn(|lane| word_of(&round[at * BYTES + lane * 8..]))
}

#[inline]
fn ones(block: Block) -> u64 {
    block.iter().map(|word| u64::from(word.count_ones())).sum()
}

/// What has been added up and not been counted, by weight.
#[derive(Default)]
struct Sums {
    ones: Block,
    twos: Block,
    fours: Block,
    eights: Block,
}

/// Adds two blocks to `sum`, column by column; answers the carries.
#[inline]
fn add(sum: &mut Block, a: Block, b: Block) -> Block {
    let mut carries = Block::default();
    for lane in 0..LANES {
        let half = sum[lane] ^ a[lane];
        carries[lane] = (sum[lane] & a[lane]) | (half & b[lane]);
        sum[lane] = half ^ b[lane];
    }
    carries
}

impl Sums {
    /// Adds a round of blocks; answers the columns that came to sixteen.
    #[inline]
    fn add(&mut self, round: &[u8]) -> Block {
        let mut eights = [Block::default(); 2];
        for (half, eight) in eights.iter_mut().enumerate() {
            let mut fours = [Block::default(); 2];
            for (quarter, four) in fours.iter_mut().enumerate() {
                let at = half * 8 + quarter * 4;
                let a = add(&mut self.ones, block(round, at), block(round, at + 1));
                let b = add(&mut self.ones, block(round, at + 2), block(round, at + 3));
                *four = add(&mut self.twos, a, b);
            }
            *eight = add(&mut self.fours, fours[0], fours[1]);
        }
        add(&mut self.eights, eights[0], eights[1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn naive(bytes: &[u8], span: Span) -> u64 {
        let set = |&bit: &usize| bytes[bit / 8] & (0x80 >> (bit % 8)) != 0;
        (span.first..=span.last).filter(set).count() as u64
    }

    #[test]
    fn counts_as_one_would_by_hand() {
        let mut rng = base::Rng::new(7);
        for length in [1, 2, 7, 8, 9, 31, 33, 511, 512, 513, 514, 515, 1030, 5000] {
            for density in 0..4 {
                let byte = |rng: &mut base::Rng| match density {
                    0 => 0,
                    1 => 0xff,
                    _ => u8::try_from(rng.below(256)).unwrap(),
                };
                let bytes: Vec<u8> = (0..length).map(|_| byte(&mut rng)).collect();
                let whole = Span { first: 0, last: length * 8 - 1 };
                assert_eq!(count(&bytes, whole), naive(&bytes, whole), "{length}");
                for _ in 0..20 {
                    let (a, b) = (rng.below(length * 8), rng.below(length * 8));
                    let span = Span { first: a.min(b), last: a.max(b) };
                    assert_eq!(count(&bytes, span), naive(&bytes, span), "{span:?}");
                }
            }
        }
    }
}
