//! How names and strings are hashed: from one secret seed for the whole process.
//!
//! The seed must be unpredictable to clients, or they could choose names that collide; this crate
//! draws no random numbers, so whoever owns the process hands it in, once, before the first
//! document is made. One seed for all, as documents and the shapes they share move between
//! registries.

use std::hash::{BuildHasher, Hasher};
use std::sync::OnceLock;

use foldhash::SharedSeed;
use foldhash::fast::SeedableRandomState;

static STATE: OnceLock<SeedableRandomState> = OnceLock::new();

/// Sets the seed from which names are hashed. Returns whether it took effect: only the first call
/// does, and only before any document was made (then the seed is 0).
pub fn seed_names(seed: u64) -> bool {
    STATE.set(state(seed)).is_ok()
}

fn state(seed: u64) -> SeedableRandomState {
    SeedableRandomState::with_seed(seed, SharedSeed::global_fixed())
}

/// The hash of a name or a string.
#[inline]
pub(crate) fn hash(text: &[u8]) -> u64 {
    let mut hasher = STATE.get_or_init(|| state(0)).build_hasher();
    hasher.write(text);
    hasher.finish()
}

/// The hash of a list, from that of the list without its last name.
#[inline]
pub(crate) fn extend(list: u64, name: u64) -> u64 {
    /// 2^64 divided by the golden ratio.
    const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;
    (list.rotate_left(23) ^ name).wrapping_mul(SPREAD)
}
