//! A set as it stands in snapshots and records: how many members, and each of them.

use base::PackLimits;
use base::codec::{Malformed, Source, put_bytes, put_number};

use super::Set;
use crate::elements::{self, strings};

/// Appends a set.
pub(super) fn encode(out: &mut Vec<u8>, set: &Set) {
    put_number(out, set.len() as u64);
    let mut next = 0;
    loop {
        next = set.scan(next, &mut |member| put_bytes(out, member));
        if next == 0 {
            break;
        }
    }
}

/// Reads a set.
pub(super) fn decode(source: &mut Source<'_>, limits: &PackLimits) -> Result<Set, Malformed> {
    Ok(Set::collect(strings(source, 1)?, limits))
}

/// Passes over a set.
pub(super) fn skip(source: &mut Source<'_>) -> Result<(), Malformed> {
    elements::skip(source, |source| source.bytes().map(drop))
}
