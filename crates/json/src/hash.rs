//! How names and strings are hashed: from one secret seed for the whole process.
//!
//! The seed must be unpredictable to clients, or they could choose names that collide; this crate
//! draws no random numbers, so the program that owns the process hands it in, once, before the
//! first document is made. One seed for all, as documents and the shapes they share move between
//! registries.

use base::ProcessSecret;

/// 2^64 divided by the golden ratio.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

static SECRET: ProcessSecret = ProcessSecret::new();

/// Sets the seed from which names are hashed. Returns whether it took effect: only the first call
/// does, and only before any document was made (then the seed is 0).
pub fn seed_names(seed: u64) -> bool {
    SECRET.set(seed)
}

/// Whether that has been done in time.
#[must_use]
pub fn names_have_a_seed() -> bool {
    SECRET.is_set()
}

/// The hash of a name or a string.
#[inline]
pub(crate) fn hash(text: &[u8]) -> u64 {
    SECRET.get().fast_hash(text)
}

/// The hash of a list, from that of the list without its last name.
#[inline]
pub(crate) fn extend(list: u64, name: u64) -> u64 {
    (list.rotate_left(23) ^ name).wrapping_mul(SPREAD)
}
