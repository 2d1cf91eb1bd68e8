//! The two hashes of a string: one that any client can compute, and one that none can.
//!
//! The first decides the order in which tables are walked, so it is the same in all processes, and
//! for names it is Redis's. A client that knows it can choose strings that it maps to one number,
//! however good it is; then the second one keeps them apart.
//!
//! The second one's seed must be unpredictable to clients; this crate draws no random numbers, so
//! the program that owns the process hands it in, once, before the first state is made.

use std::hash::{BuildHasher, Hasher};

use base::ProcessSecret;
use foldhash::quality::SeedableRandomState;

/// The longest strings that hash as in Redis. That takes four cycles for each byte, one after the
/// other, so it is for what are names: longer strings are seldom keys of tables.
const NAME: usize = 64;
/// The longest strings of which every byte is looked at; of others so many pieces of so many bytes
/// are. They are seldom alike in all of these; if they are, the second hash looks at all.
const WHOLE: usize = 512;
const PIECES: usize = 16;
const PIECE: usize = 16;

static SECRET: ProcessSecret = ProcessSecret::new();

/// Sets the seed of the hash that no client can compute. Returns whether it took effect: only
/// the first call does, and only before any string needed it (then the seed is 0).
pub fn seed_strings(seed: u64) -> bool {
    SECRET.set(seed)
}

/// Whether that has been done in time.
#[must_use]
pub fn strings_have_a_seed() -> bool {
    SECRET.is_set()
}

/// The hash by which tables are walked in Redis's order, for strings of up to [`NAME`] bytes.
#[inline]
#[must_use]
#[allow(clippy::cast_possible_truncation)] // every bit is as good as any other
pub(crate) fn in_order(text: &[u8]) -> u32 {
    if text.len() <= NAME {
        return as_redis(text);
    }
    let mut hasher = SeedableRandomState::fixed().build_hasher();
    if text.len() <= WHOLE {
        hasher.write(text);
    } else {
        let mut pieces = [0; PIECES * PIECE];
        let step = (text.len() - PIECE) / (PIECES - 1);
        for (n, piece) in pieces.chunks_exact_mut(PIECE).enumerate() {
            // The last one is at the very end.
            let at = if n < PIECES - 1 { step * n } else { text.len() - PIECE };
            piece.copy_from_slice(&text[at..at + PIECE]);
        }
        hasher.write(&pieces);
        hasher.write_usize(text.len());
    }
    hasher.finish() as u32
}

/// From the length on, a byte at a time, from the last one to the first.
#[inline]
#[allow(clippy::cast_possible_truncation)] // it is shorter than that
fn as_redis(text: &[u8]) -> u32 {
    let mix = |hash: u32, &byte: &u8| {
        hash ^ (hash << 5).wrapping_add(hash >> 2).wrapping_add(u32::from(byte))
    };
    text.iter().rev().fold(text.len() as u32, mix)
}

/// A hash that has nothing to do with the other one, nor with that of another process.
#[must_use]
#[allow(clippy::cast_possible_truncation)] // every bit is as good as any other
pub(crate) fn apart(text: &[u8]) -> u32 {
    SECRET.get().hash(text) as u32
}
