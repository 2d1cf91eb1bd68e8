//! A sorted set as it stands in snapshots and records: how many members, and each of them with its
//! score (8 bytes), by rank.

use base::PackLimits;
use base::codec::{Malformed, Source, put_number};

use super::ZSet;
use crate::elements::{self, put_scored, score};

/// Appends a sorted set.
pub(super) fn encode(out: &mut Vec<u8>, zset: &ZSet) {
    put_number(out, zset.len() as u64);
    zset.iter().for_each(|pair| put_scored(out, pair));
}

/// Reads a sorted set.
pub(super) fn decode(source: &mut Source<'_>, limits: &PackLimits) -> Result<ZSet, Malformed> {
    let count = source.length()?;
    // Each takes at least nine bytes.
    let mut pairs = Vec::with_capacity(count.min(source.rest().len() / 9));
    for _ in 0..count {
        let member = source.bytes()?;
        pairs.push((member, score(source)?));
    }
    Ok(ZSet::collect(pairs, limits))
}

/// Passes over a sorted set.
pub(super) fn skip(source: &mut Source<'_>) -> Result<(), Malformed> {
    elements::skip(source, |source| {
        source.bytes()?;
        source.take(8).map(drop)
    })
}
