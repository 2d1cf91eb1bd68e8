//! Hashes that a process computes for itself, and that no client can compute.
//!
//! foldhash multiplies pieces of a text by others, each mixed with a number first. If all but the
//! seed of a hasher is known, a text can be chosen so that such a product is zero, whatever the
//! seed; and so many texts that hash alike. Here all numbers follow from the seed, which must be
//! unpredictable to clients. Crates that hash draw no random numbers: the program that owns the
//! process hands a seed to each, once, before anything is hashed.

use std::hash::{BuildHasher, Hasher};
use std::sync::OnceLock;

use foldhash::SharedSeed;
use foldhash::{fast, quality};

/// All that a hash depends on beside the text.
#[derive(Clone)]
pub struct HashSecret {
    numbers: SharedSeed,
    /// Of the hashers that share these numbers.
    seed: u64,
}

impl HashSecret {
    /// What follows from a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        // The numbers are made of the same seed by one multiplication after the other.
        HashSecret { numbers: SharedSeed::from_u64(seed), seed: seed.rotate_left(32) }
    }

    pub(crate) fn into_parts(self) -> (SharedSeed, u64) {
        (self.numbers, self.seed)
    }

    /// The hash of `bytes`; every bit is usable on its own.
    #[inline]
    #[must_use]
    pub fn hash(&'static self, bytes: &[u8]) -> u64 {
        MemberHasher::new(self, 0).hash(bytes)
    }

    /// A hash that is computed in less time, and whose bits are good together.
    #[inline]
    #[must_use]
    pub fn fast_hash(&self, bytes: &[u8]) -> u64 {
        let mut hasher = fast::FoldHasher::with_seed(self.seed, &self.numbers);
        hasher.write(bytes);
        hasher.finish()
    }
}

impl std::fmt::Debug for HashSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("HashSecret")
    }
}

/// The seed of hashes that were asked for before one was set. Not 0, with which short texts that
/// differ little have hashes that differ little.
const UNSET: u64 = 0x9E37_79B9_7F4A_7C15;

/// The secret of a process for hashes of one kind: a static variable.
#[derive(Debug)]
pub struct ProcessSecret(OnceLock<(HashSecret, bool)>);

impl ProcessSecret {
    /// One that has no seed yet.
    #[must_use]
    #[allow(clippy::new_without_default)] // it is for static variables
    pub const fn new() -> Self {
        ProcessSecret(OnceLock::new())
    }

    /// Sets the seed. Returns whether it took effect: only the first call does, and only before
    /// anything was hashed (then it is a number that all clients know).
    pub fn set(&self, seed: u64) -> bool {
        self.0.set((HashSecret::new(seed), true)).is_ok()
    }

    /// Whether a seed has taken effect: for checks that it was not forgotten.
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.0.get().is_some_and(|(_, set)| *set)
    }

    /// The secret; from now on no other seed takes effect.
    #[inline]
    #[must_use]
    pub fn get(&self) -> &HashSecret {
        &self.0.get_or_init(|| (HashSecret::new(UNSET), false)).0
    }
}

/// The seeded hash of a table of members: nothing on disk depends on it.
#[derive(Clone)]
pub struct MemberHasher {
    state: quality::SeedableRandomState,
}

impl MemberHasher {
    /// A hasher that shares a secret with others, and differs from those of other tables.
    #[inline]
    #[must_use]
    pub fn new(secret: &'static HashSecret, table: u64) -> Self {
        let seed = secret.seed ^ table;
        MemberHasher { state: quality::SeedableRandomState::with_seed(seed, &secret.numbers) }
    }

    /// The 64-bit hash of `bytes`; every bit is usable on its own.
    #[inline]
    #[must_use]
    pub fn hash(&self, bytes: &[u8]) -> u64 {
        let mut hasher = self.state.build_hasher();
        hasher.write(bytes);
        hasher.finish()
    }
}

impl std::fmt::Debug for MemberHasher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("MemberHasher") // the seed is a secret
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_that_comes_too_late_is_told() {
        static EARLY: ProcessSecret = ProcessSecret::new();
        static LATE: ProcessSecret = ProcessSecret::new();
        assert!(EARLY.set(7) && EARLY.is_set() && !EARLY.set(8));
        let other = LATE.get().hash(b"text");
        assert!(!LATE.set(7) && !LATE.is_set());
        assert_ne!(EARLY.get().hash(b"text"), other);
        assert_ne!(EARLY.get().fast_hash(b"text"), LATE.get().fast_hash(b"text"));
    }
}
