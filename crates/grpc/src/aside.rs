//! Requests that run for long by their nature, on another thread: calls that come meanwhile are
//! answered.
//!
//! A few at a time, each with a seat of its own; others wait for their turn, without a thread, and
//! no more than so many. Whoever has sent one and gives up does not end it, but for a script, which
//! others can end (`SCRIPT KILL`); who gives up waiting leaves the queue.

use std::sync::Arc;

use bytes::Bytes;
use smallvec::SmallVec;
use tonic::Status;

use crate::guest::Held;
use crate::house::House;
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
/// There is no such database; the connection was ended meanwhile; too many wait already.
pub async fn ask(mut held: Held, db: u32, words: Vec<Bytes>) -> Result<Vec<u8>, Status> {
    let house = Arc::clone(held.house());
    let _counted = Counted::new(&house)?;
    let place = Arc::clone(&house.places).acquire_owned().await.map_err(|_| status::broken())?;
    let running = tokio::task::spawn_blocking(move || {
        // Given back when the request is done, whoever still waits for it.
        let _place = place;
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

/// One among those that run for long or wait for that.
struct Counted(Arc<House>);

impl Counted {
    fn new(house: &Arc<House>) -> Result<Self, Status> {
        if !house.long.take(1) {
            return Err(status::exhausted("too many requests that run for long are waiting"));
        }
        Ok(Counted(Arc::clone(house)))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.long.give(1);
    }
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
