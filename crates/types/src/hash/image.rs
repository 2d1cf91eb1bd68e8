//! A hash as it stands in snapshots and records: how many fields, and each of them with its value.

use base::PackLimits;
use base::codec::{Malformed, Source, put_bytes, put_number};

use super::Hash;
use crate::elements::{self, strings};

/// Appends a hash.
pub(super) fn encode(out: &mut Vec<u8>, hash: &Hash) {
    put_number(out, hash.len() as u64);
    let mut next = 0;
    loop {
        next = hash.scan(next, &mut |field, value| {
            put_bytes(out, field);
            put_bytes(out, value);
        });
        if next == 0 {
            break;
        }
    }
}

/// Reads a hash.
pub(super) fn decode(source: &mut Source<'_>, limits: &PackLimits) -> Result<Hash, Malformed> {
    let words = strings(source, 2)?;
    let pairs = words.chunks_exact(2).map(|pair| (pair[0], pair[1]));
    Ok(Hash::collect(pairs, limits))
}

/// Passes over a hash.
pub(super) fn skip(source: &mut Source<'_>) -> Result<(), Malformed> {
    elements::skip(source, |source| {
        source.bytes()?;
        source.bytes().map(drop)
    })
}
