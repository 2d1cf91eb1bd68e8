//! How fields and members are hashed: with one secret seed for the whole process.
//!
//! A table inside a value keeps no hasher of its own, which saves 16 bytes per value and lets
//! values move freely between databases. The seed must be unpredictable to clients, or they could
//! choose members that collide; this crate draws no random numbers, so whoever owns the process
//! hands it in, once, before the first value is made.

use std::sync::OnceLock;

use base::KeyHasher;
use table::KeyHash;

static HASHER: OnceLock<KeyHasher> = OnceLock::new();

/// Sets the seed under which fields and members are hashed. Returns whether it took effect: only
/// the first call does, and only before any large hash, set or sorted set was made (until then
/// the seed is 0).
pub fn seed_members(seed: u64) -> bool {
    let mut first = false;
    HASHER.get_or_init(|| {
        first = true;
        KeyHasher::new(seed)
    });
    first
}

/// The hasher of every table in this crate; takes no space.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Members;

impl KeyHash for Members {
    #[inline]
    fn hash(&self, member: &[u8]) -> u64 {
        HASHER.get_or_init(|| KeyHasher::new(0)).hash(member)
    }
}

/// A table whose entries own no objects: the large form of hashes, sets and sorted sets.
pub(crate) type Index = table::Table<std::convert::Infallible, Members>;
