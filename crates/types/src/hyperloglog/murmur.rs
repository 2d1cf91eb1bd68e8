//! MurmurHash64A (Austin Appleby, in the public domain), read little endian on every machine.
//!
//! Clients exchange HyperLogLogs, so all servers must hash alike. It is no defence against who
//! wants collisions, and need not be: they would only spoil their own estimate.

const MIX: u64 = 0xc6a4_a793_5bd1_e995;
const SHIFT: u32 = 47;

/// The hash of `bytes`. O(length).
pub(super) fn hash(bytes: &[u8], seed: u64) -> u64 {
    let mut hash = seed ^ (bytes.len() as u64).wrapping_mul(MIX);
    let words = bytes.chunks_exact(8);
    let rest = words.remainder();
    for word in words {
        let mut word = little_endian(word).wrapping_mul(MIX);
        word ^= word >> SHIFT;
        hash = (hash ^ word.wrapping_mul(MIX)).wrapping_mul(MIX);
    }
    if !rest.is_empty() {
        hash = (hash ^ little_endian(rest)).wrapping_mul(MIX);
    }
    hash ^= hash >> SHIFT;
    hash = hash.wrapping_mul(MIX);
    hash ^ (hash >> SHIFT)
}

/// Up to eight bytes as a number.
fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}
