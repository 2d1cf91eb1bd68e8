//! Keys are hashed once, when a request is decoded; the hash then travels with the bytes.

use std::hash::Hasher;
use std::sync::Arc;

use foldhash::SharedSeed;
use foldhash::quality::FoldHasher;

use crate::HashSecret;

/// Number of low hash bits reserved for choosing a shard; tables use the bits above.
pub const SHARD_BITS: u32 = 10;

/// A key together with its hash under the store's [`KeyHasher`].
#[derive(Clone, Copy, Debug)]
pub struct Key<'a> {
    /// The key as the client sent it.
    pub bytes: &'a [u8],
    /// `KeyHasher::hash(bytes)`, computed exactly once per request.
    pub hash: u64,
}

/// The functions from a seed and a key to the key's hash. Files tell keys by their places in
/// tables, so a function never changes, and a data directory keeps the one it was begun with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HashFunction {
    /// foldhash with the numbers that are in its sources, and the seed. Clients can choose keys
    /// that hash alike; it is there for directories that were begun with it.
    KnownNumbers,
    /// foldhash with numbers of which all follow from the seed.
    SecretNumbers,
}

impl HashFunction {
    /// What files call it.
    #[must_use]
    pub fn number(self) -> u32 {
        match self {
            HashFunction::KnownNumbers => 0,
            HashFunction::SecretNumbers => 1,
        }
    }

    /// The function that files call so.
    #[must_use]
    pub fn of_number(number: u32) -> Option<Self> {
        [HashFunction::KnownNumbers, HashFunction::SecretNumbers]
            .into_iter()
            .find(|function| function.number() == number)
    }
}

/// How the keys of a dataset are hashed: all that a [`KeyHasher`] is made of, so that code that has
/// the seed can compute its function, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hashing {
    /// The function.
    pub function: HashFunction,
    /// Its seed, which must be unpredictable to clients, or they could choose keys that collide.
    pub seed: u64,
}

impl Hashing {
    /// That of a dataset which begins now; the code that begins it draws the seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Hashing { function: HashFunction::SecretNumbers, seed }
    }
}

/// In cache lines of their own: what counts their owners is written now and then.
#[repr(align(64))]
struct Numbers(SharedSeed);

/// The hash of a store's keys.
#[derive(Clone)]
pub struct KeyHasher {
    seed: u64,
    numbers: Arc<Numbers>,
}

impl KeyHasher {
    /// The hasher of a dataset. Equal ones give equal hashes, in every process.
    #[must_use]
    pub fn new(hashing: Hashing) -> Self {
        let Hashing { function, seed } = hashing;
        let (numbers, seed) = match function {
            HashFunction::KnownNumbers => (SharedSeed::global_fixed().clone(), seed),
            HashFunction::SecretNumbers => HashSecret::new(seed).into_parts(),
        };
        KeyHasher { seed: spread(seed), numbers: Arc::new(Numbers(numbers)) }
    }

    /// The 64-bit hash of `bytes`; every bit is usable on its own.
    #[inline]
    #[must_use]
    pub fn hash(&self, bytes: &[u8]) -> u64 {
        let mut hasher = FoldHasher::with_seed(self.seed, &self.numbers.0);
        hasher.write(bytes);
        hasher.finish()
    }

    /// `bytes` with its hash.
    #[inline]
    #[must_use]
    pub fn key<'a>(&self, bytes: &'a [u8]) -> Key<'a> {
        Key { bytes, hash: self.hash(bytes) }
    }
}

/// What foldhash does to a seed before its hashers use it, for numbers that live as long as it.
#[allow(clippy::cast_possible_truncation)] // both halves are used
fn spread(seed: u64) -> u64 {
    let product = u128::from(seed) * 0x4528_21e6_38d0_1377;
    (product as u64 ^ (product >> 64) as u64) ^ 0x082e_fa98_ec4e_6c89
}

impl std::fmt::Debug for KeyHasher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("KeyHasher") // the seed is a secret
    }
}

#[cfg(test)]
mod tests {
    use std::hash::BuildHasher;

    use foldhash::quality::SeedableRandomState;

    use super::*;

    /// Files of all times depend on these: where one changes, no key is found any more.
    #[test]
    fn hashes_are_what_they_were() {
        let text: Vec<u8> = (0..200).collect();
        for function in [HashFunction::KnownNumbers, HashFunction::SecretNumbers] {
            assert_eq!(HashFunction::of_number(function.number()), Some(function));
            let hasher = KeyHasher::new(Hashing { function, seed: 0x0123_4567_89ab_cdef });
            let all =
                (0..=200).fold(0_u64, |all, len| all.rotate_left(1) ^ hasher.hash(&text[..len]));
            let expected = match function {
                HashFunction::KnownNumbers => (498_040_904_494_917_858, 3_218_792_232_696_855_083),
                HashFunction::SecretNumbers => {
                    (2_073_235_239_610_511_848, 9_641_131_919_736_675_924)
                }
            };
            assert_eq!((hasher.hash(b"key"), all), expected, "{function:?}");
        }
        assert_eq!(HashFunction::of_number(2), None);
    }

    #[test]
    fn foldhash_with_its_own_numbers_is_the_first_function() {
        let text: Vec<u8> = (0..200).collect();
        for seed in (0..500_u64).map(|n| n.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(7)) {
            let theirs = SeedableRandomState::with_seed(seed, SharedSeed::global_fixed());
            let ours = KeyHasher::new(Hashing { function: HashFunction::KnownNumbers, seed });
            for len in 0..text.len() {
                let mut hasher = theirs.build_hasher();
                hasher.write(&text[..len]);
                assert_eq!(ours.hash(&text[..len]), hasher.finish());
            }
        }
    }
}
