//! Leases: versions that are kept from one request to the next, for clients that read a value part
//! by part and are to see all of it as it was at one moment.
//!
//! ```text
//!   first part ─► a version ─► Leases ─► the next part, by its number ─► … ─► the last: let go
//!                                 └─► not asked for in time, or given up: ended by the cron thread
//! ```
//!
//! A lease costs what versions cost: what the value has left since. It is one of those that are
//! read, so it is given up where versions keep too much, oldest first. There are
//! [`MOST`](Leases::MOST) of them for all clients together. One more ends one of the value that has
//! most of them, so that a client that begins over and over ends its own, and not those of others:
//! of these, the one that was asked for least recently.

use std::any::Any;
use std::cmp::Reverse;
use std::sync::Arc;

use sync::Mutex;

use crate::{Millis, Version, VersionPlace};

/// The versions that are kept for clients who come back.
#[derive(Default)]
pub struct Leases {
    all: Mutex<Vec<Lease>>,
}

/// A version that is kept.
struct Lease {
    number: u64,
    /// Of what: only a request that names the same is given it.
    of: Box<[u8]>,
    version: Box<dyn Any + Send>,
    place: VersionPlace,
    until: Millis,
}

impl Leases {
    /// How many there are at most.
    pub const MOST: usize = 64;

    /// Keeps a version until a moment, under a number, as what `of` names. One that has the number
    /// already is kept on. O([`MOST`](Self::MOST)), and its square where there are so many.
    pub fn keep<F: Send + Sync + 'static>(
        &self,
        number: u64,
        of: &[u8],
        version: &Arc<Version<F>>,
        until: Millis,
    ) {
        // Its reader asks only while a part is made; from now on it may go between parts, too.
        let place = version.place().clone();
        place.begin_to_read();
        let lease =
            Lease { number, of: of.into(), version: Box::new(Arc::clone(version)), place, until };
        let mut all = self.all.lock();
        all.retain(|other| other.number != number);
        all.push(lease);
        let old = (all.len() > Self::MOST).then(|| too_many(&all)).flatten();
        let old = old.map(|at| all.swap_remove(at));
        drop((all, old));
    }

    /// The version that is kept under a number, if it is of what `of` names.
    #[must_use]
    pub fn get<F: Send + Sync + 'static>(&self, number: u64, of: &[u8]) -> Option<Arc<Version<F>>> {
        let all = self.all.lock();
        let lease = all.iter().find(|lease| lease.number == number && *lease.of == *of)?;
        lease.version.downcast_ref::<Arc<Version<F>>>().cloned()
    }

    /// Lets go of the version under a number.
    pub fn end(&self, number: u64) {
        let mut all = self.all.lock();
        let at = all.iter().position(|lease| lease.number == number);
        let ended = at.map(|at| all.swap_remove(at));
        drop((all, ended));
    }

    /// Lets go of those whose time is up, and of those that are given up. Returns whether there
    /// were any.
    pub fn end_overdue(&self, now: Millis) -> bool {
        let mut all = self.all.lock();
        let is_over = |lease: &mut Lease| lease.until <= now || lease.place.is_given_up();
        let ended: Vec<Lease> = all.extract_if(.., is_over).collect();
        drop(all);
        !ended.is_empty()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.all.lock().len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The one that goes where there are too many: of the value that has most, the one that was asked
/// for least recently.
fn too_many(all: &[Lease]) -> Option<usize> {
    let of_same = |lease: &Lease| all.iter().filter(|other| other.of == lease.of).count();
    let leases = all.iter().enumerate();
    leases.max_by_key(|(_, lease)| (of_same(lease), Reverse(lease.until))).map(|(at, _)| at)
}

#[cfg(test)]
#[path = "lease_tests.rs"]
mod tests;
