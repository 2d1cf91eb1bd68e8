//! Keys are hashed once, when a request is decoded; the hash then travels with the bytes.

use std::hash::{BuildHasher, Hasher};

use foldhash::SharedSeed;
use foldhash::quality::SeedableRandomState;

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

/// Numbers that only this process knows, for hashes that it computes for itself.
///
/// foldhash multiplies pieces of a text by others, each mixed with a number first. If all but the
/// seed of a hasher is known, a text can be chosen so that such a product is zero, whatever the
/// seed; and so many texts that hash alike. A hasher with these has nothing that is known.
#[derive(Clone)]
pub struct HashSecret(SharedSeed);

impl HashSecret {
    /// The numbers that follow from a seed, which must be unpredictable to clients.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        HashSecret(SharedSeed::from_u64(seed))
    }
}

impl std::fmt::Debug for HashSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("HashSecret")
    }
}

/// The seeded hash of a store. The seed must be unpredictable to clients, or they could choose
/// keys that collide; whoever creates the store draws it.
#[derive(Clone)]
pub struct KeyHasher {
    state: SeedableRandomState,
}

impl KeyHasher {
    /// A hasher for `seed`. Equal seeds give equal hashes within one process.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        KeyHasher { state: SeedableRandomState::with_seed(seed, SharedSeed::global_fixed()) }
    }

    /// A hasher that shares a secret with others, but not its seed.
    #[must_use]
    pub fn with_secret(secret: &'static HashSecret, seed: u64) -> Self {
        KeyHasher { state: SeedableRandomState::with_seed(seed, &secret.0) }
    }

    /// The 64-bit hash of `bytes`; every bit is usable on its own.
    #[inline]
    #[must_use]
    pub fn hash(&self, bytes: &[u8]) -> u64 {
        let mut hasher = self.state.build_hasher();
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

impl std::fmt::Debug for KeyHasher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("KeyHasher") // the seed is a secret
    }
}
