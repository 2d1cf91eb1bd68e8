//! A page of the keys with a prefix, some of them left out first, and how many there are: names of
//! text alone.
//!
//! ```text
//!   there is an index ─► in order up to the end of the page ─► all seen? ──► what was seen
//!                                                                 └─ no ──► PREFIX.COUNT
//!   there is none     ─► a pass over all keys, keeping the first of those that come next
//! ```
//!
//! What lies behind the page is counted and not read, so names that are no text are found out when
//! a page reaches them: a total is never too small, and it is exact where a search reaches the end.
//! A client that pages until no more keys are left sees each key, and comes to an end.
//!
//! Without the right to use the index, or with the index switched off, a search works without it.

use std::collections::BTreeSet;

use bytes::Bytes;
use tonic::{Code, Status};

use crate::caller::{Caller, in_time};
use crate::key_pages::{self, Range, ScanPosition, Select, Span};
use crate::reply;

/// Keys looked at in a step.
const STEP: usize = 1000;
/// Keys kept of a pass, at most: a greater skip takes more passes.
const KEPT: usize = 100_000;

/// Keys of database 0, and how many there are.
type Found = (Vec<String>, u64);

/// The keys with a prefix in order, no more than `count`, after leaving out `skip`; and how many
/// there are in all.
///
/// # Errors
/// As the commands'; the deadline is over.
pub async fn search(
    caller: &Caller,
    prefix: String,
    skip: usize,
    count: usize,
) -> Result<Found, Status> {
    let prefix = Bytes::from(prefix);
    match by_index(caller, &prefix, skip, count).await {
        Err(status) if is_without(&status) => by_passes(caller, &prefix, skip, count).await,
        found => found,
    }
}

/// Whether the index is what is missing: it is off, this user may not ask it, it comes and goes.
fn is_without(status: &Status) -> bool {
    let without = [Code::FailedPrecondition, Code::PermissionDenied, Code::Unavailable];
    without.contains(&status.code())
}

async fn by_index(
    caller: &Caller,
    prefix: &Bytes,
    mut skip: usize,
    count: usize,
) -> Result<Found, Status> {
    let span = Span::Prefix(prefix.clone());
    let range = Range { db: 0, span, kind: String::new(), reverse: false };
    let (mut keys, mut names, mut others) = (Vec::new(), 0_u64, 0_u64);
    let mut place = ScanPosition::start();
    while keys.len() < count
        && let ScanPosition::At(cursor) = &place
    {
        in_time(caller.until)?;
        let most = skip.saturating_add(count - keys.len()).min(STEP);
        let keep = |key: &[u8]| match std::str::from_utf8(key) {
            Ok(name) => {
                names += 1;
                if skip > 0 {
                    skip -= 1;
                } else {
                    keys.push(name.to_owned());
                }
            }
            Err(_) => others += 1,
        };
        place = range.step(caller, (cursor, most), keep).await?;
        tokio::task::yield_now().await;
    }
    let total = match place {
        ScanPosition::End => names,
        ScanPosition::At(_) => {
            // It may have to look at many keys for their deadlines.
            let all = caller.ask(0, &[b"PREFIX.COUNT", prefix], reply::count).await?;
            // Some may have gone since they were seen.
            all.saturating_sub(others).max(names)
        }
    };
    Ok((keys, total))
}

async fn by_passes(
    caller: &Caller,
    prefix: &[u8],
    mut skip: usize,
    count: usize,
) -> Result<Found, Status> {
    let select = Select { db: 0, pattern: literal_prefix(prefix), kind: String::new() };
    let (mut behind, mut all) = (None, None);
    loop {
        let left_out = skip.min(KEPT);
        let most = if left_out < skip { left_out } else { left_out.saturating_add(count) };
        let (mut keys, total) = pass(caller, &select, behind.as_deref(), most).await?;
        let all = *all.get_or_insert(total);
        if left_out == skip || keys.len() < left_out {
            return Ok((keys.split_off(left_out.min(keys.len())), all));
        }
        behind = keys.pop();
        skip -= left_out;
    }
}

/// The first keys behind one, no more than `most`, and how many there are behind it.
async fn pass(
    caller: &Caller,
    select: &Select,
    behind: Option<&str>,
    most: usize,
) -> Result<Found, Status> {
    let mut first: BTreeSet<String> = BTreeSet::new();
    let mut total = 0;
    let mut keep = |key: &[u8]| {
        let Ok(key) = std::str::from_utf8(key) else { return };
        if behind.is_some_and(|behind| key <= behind) {
            return;
        }
        total += 1;
        if first.len() >= most && first.last().is_none_or(|last| key >= last.as_str()) {
            return;
        }
        first.insert(key.to_owned());
        if first.len() > most {
            first.pop_last();
        }
    };
    let mut place = ScanPosition::start();
    while let ScanPosition::At(cursor) = &place {
        in_time(caller.until)?;
        place = key_pages::step(caller, select, (cursor, STEP), &mut keep).await?;
        tokio::task::yield_now().await;
    }
    Ok((first.into_iter().collect(), total))
}

/// The glob that matches what begins so.
fn literal_prefix(prefix: &[u8]) -> Vec<u8> {
    let mut pattern = Vec::with_capacity(prefix.len() + 1);
    for &byte in prefix {
        if matches!(byte, b'*' | b'?' | b'[' | b']' | b'\\') {
            pattern.push(b'\\');
        }
        pattern.push(byte);
    }
    pattern.push(b'*');
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_special_in_a_glob_is_taken_literally() {
        assert_eq!(literal_prefix(b"a*[b]\\?"), b"a\\*\\[b\\]\\\\\\?*");
        assert_eq!(literal_prefix(b""), b"*");
    }
}
