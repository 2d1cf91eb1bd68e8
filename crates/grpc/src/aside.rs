//! Requests that run for long by their nature, on another thread: calls that come meanwhile are
//! answered.
//!
//! One at a time: there is one seat for them. Whoever has sent one and gives up does not end it,
//! but for a script, which others can end (`SCRIPT KILL`).

use std::sync::Arc;

use bytes::Bytes;
use smallvec::SmallVec;
use tonic::Status;

use crate::guest::Held;
use crate::status;

/// Commands whose work grows with the dataset, or that run what somebody has written.
const LONG: &[&str] = &[
    "debug",
    "eval",
    "eval_ro",
    "evalsha",
    "evalsha_ro",
    "fcall",
    "fcall_ro",
    "keys",
    "prefix.count",
    "range.aggregate",
    "range.count",
    "save",
    "sort",
    "sort_ro",
];

/// Whether a command, by its own name, runs aside.
pub fn is_long(name: &str) -> bool {
    LONG.binary_search(&name.split('|').next().unwrap_or_default()).is_ok()
}

/// Runs a request aside and waits for its reply.
///
/// # Errors
/// There is no such database; the connection was ended meanwhile.
pub async fn ask(mut held: Held, db: u32, words: Vec<Bytes>) -> Result<Vec<u8>, Status> {
    let running = tokio::task::spawn_blocking(move || {
        let house = Arc::clone(held.house());
        let mut seat = house.sit_aside();
        let argv: SmallVec<[&[u8]; 8]> = words.iter().map(|word| &word[..]).collect();
        let answered = held.begin(&mut seat, db, &argv);
        let out = std::mem::take(&mut seat.out);
        drop(seat);
        answered.map(|answered| (held, out, answered))
    });
    let done = running.await.map_err(|_| status::broken())?;
    let (mut held, out, answered) = done?;
    held.house().look_whether_stopping();
    if answered { Ok(out) } else { held.finish(out).await }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_order() {
        assert!(LONG.is_sorted());
        assert!(is_long("eval") && is_long("debug|sleep") && !is_long("get"));
        // Pages are short; what counts a range may look at all of it.
        assert!(is_long("prefix.count") && !is_long("prefix"));
    }
}
