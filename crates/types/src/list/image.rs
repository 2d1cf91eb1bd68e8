//! A list as it stands in snapshots and records: how many elements, and each of them from head to
//! tail.

use base::PackLimits;
use base::codec::{Malformed, Source, put_bytes, put_number};

use super::List;
use crate::elements::{self, strings};

/// Appends a list.
pub(super) fn encode(out: &mut Vec<u8>, list: &List) {
    put_number(out, list.len() as u64);
    list.iter().for_each(|element| put_bytes(out, element));
}

/// Reads a list.
pub(super) fn decode(source: &mut Source<'_>, limits: &PackLimits) -> Result<List, Malformed> {
    Ok(List::collect(strings(source, 1)?, limits))
}

/// Passes over a list.
pub(super) fn skip(source: &mut Source<'_>) -> Result<(), Malformed> {
    elements::skip(source, |source| source.bytes().map(drop))
}
