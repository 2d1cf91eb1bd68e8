//! Bitwise operations on whole strings.
//!
//! The strings are combined block by block, each block small enough to stay in the nearest cache
//! while all sources pass over it: memory is read once, whatever the number of sources.

/// Bytes of a block.
const BLOCK: usize = 8 << 10;

/// What BITOP does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    And,
    Or,
    Xor,
    /// Of one source: the others are not looked at.
    Not,
}

/// The combination of all sources, as long as the longest; shorter ones count as padded with
/// zeros. What `out` holds is forgotten, its memory is used. O(sum of the lengths).
pub(super) fn combine(operation: Operation, sources: &[&[u8]], mut out: Vec<u8>) -> Vec<u8> {
    out.clear();
    let longest = longest(sources);
    let Some((first, others)) = sources.split_first() else { return out };
    out.reserve_exact(longest);
    while out.len() < longest {
        let (start, end) = (out.len(), (out.len() + BLOCK).min(longest));
        out.extend_from_slice(part(first, start, end));
        out.resize(end, 0);
        let block = &mut out[start..];
        if operation == Operation::Not {
            block.iter_mut().for_each(|byte| *byte = !*byte);
            continue;
        }
        for other in others {
            apply(operation, block, part(other, start, end));
        }
    }
    out
}

/// The length of the longest of several strings.
pub(super) fn longest(sources: &[&[u8]]) -> usize {
    sources.iter().map(|source| source.len()).max().unwrap_or(0)
}

/// What `bytes` have of `start..end`.
fn part(bytes: &[u8], start: usize, end: usize) -> &[u8] {
    let end = end.min(bytes.len());
    &bytes[start.min(end)..end]
}

fn apply(operation: Operation, block: &mut [u8], other: &[u8]) {
    let (both, alone) = block.split_at_mut(other.len());
    let pairs = both.iter_mut().zip(other);
    match operation {
        Operation::And => {
            pairs.for_each(|(byte, with)| *byte &= with);
            alone.fill(0);
        }
        Operation::Or => pairs.for_each(|(byte, with)| *byte |= with),
        Operation::Xor => pairs.for_each(|(byte, with)| *byte ^= with),
        Operation::Not => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shorter_sources_are_padded() {
        let sources: [&[u8]; 3] = [b"\xf0\xff", b"", b"\x3c\x0f\x55"];
        assert_eq!(combine(Operation::And, &sources, Vec::new()), [0, 0, 0]);
        assert_eq!(combine(Operation::Or, &sources, b"old".to_vec()), [0xfc, 0xff, 0x55]);
        assert_eq!(combine(Operation::Xor, &sources, Vec::new()), [0xcc, 0xf0, 0x55]);
        assert_eq!(combine(Operation::Not, &sources[..1], Vec::new()), [0x0f, 0]);
        assert!(combine(Operation::Or, &[b"", b""], vec![1]).is_empty());
    }

    #[test]
    fn blocks_meet_without_a_seam() {
        let mut rng = base::Rng::new(11);
        let random = |length: usize, rng: &mut base::Rng| -> Vec<u8> {
            (0..length).map(|_| u8::try_from(rng.below(256)).unwrap()).collect()
        };
        let sources = [
            random(BLOCK * 2 + 5, &mut rng),
            random(BLOCK - 1, &mut rng),
            random(BLOCK * 3, &mut rng),
            random(BLOCK, &mut rng),
        ];
        let views: Vec<&[u8]> = sources.iter().map(Vec::as_slice).collect();
        let at = |source: &[u8], i: usize| source.get(i).copied().unwrap_or(0);
        for (operation, by_hand) in [
            (Operation::And, (|a, b| a & b) as fn(u8, u8) -> u8),
            (Operation::Or, |a, b| a | b),
            (Operation::Xor, |a, b| a ^ b),
        ] {
            let wanted: Vec<u8> = (0..BLOCK * 3)
                .map(|i| views.iter().map(|s| at(s, i)).reduce(by_hand).unwrap())
                .collect();
            assert_eq!(combine(operation, &views, Vec::new()), wanted);
        }
    }
}
