//! Unpredictable bits.

use std::fs::File;
use std::io::{self, Read};

/// Unpredictable bits from the system.
///
/// # Errors
/// It has none to give.
pub fn entropy() -> io::Result<[u64; 4]> {
    let mut bytes = [0; 32];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    let mut words = [0; 4];
    for (word, eight) in words.iter_mut().zip(bytes.chunks_exact(8)) {
        *word = eight.iter().fold(0, |word, &byte| word << 8 | u64::from(byte));
    }
    Ok(words)
}
