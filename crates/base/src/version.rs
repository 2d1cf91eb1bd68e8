//! Versions: a large value as it was at one moment, which a reader on another thread keeps while
//! writers go on.
//!
//! ```text
//!   under the shard's lock   host.share(key) ─► Version ──► a reader's thread
//!   writers meanwhile        copy what a version shares, block by block, and leave the old block
//!   what has been left       counts as kept by versions, until the last of them has gone
//! ```
//!
//! Nothing waits for anything here: whether a block is shared is what its reference count says, and
//! what is kept is one sum for all threads. It has a limit. When it is exceeded the oldest version
//! of those that are read is given up, which its reader learns when it next asks, and no further
//! version is made. So a reader that takes too long ends with an error, and no writer is ever held
//! back by one. A version that no thread reads yet cannot learn anything: it is asked when its
//! reader begins.
//!
//! A version that is dropped is not freed where it is: that may be a thread which serves clients.
//! It waits to be freed as removed values do.

use std::collections::BTreeSet;
use std::ops::Deref;
use std::sync::Arc;

use sync::Mutex;
use sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crate::{CmdError, DataType, error};

/// A type whose values are held so that their versions cost next to nothing: in blocks that are
/// copied when they are written while a version shares them (the crate `blocks`).
pub trait Versioned: DataType {
    /// A value as it was. It is never changed, and may be read by several threads at once.
    type Frozen: Send + Sync + 'static;

    /// The value as it is now: as quick as any other request, however large the value is. From
    /// then on what it shares with versions counts there when it leaves the value.
    fn freeze(&self, versions: &Arc<Versions>) -> Self::Frozen;
}

/// All versions of the values of a dataset, and what they keep.
#[derive(Default)]
pub struct Versions {
    /// Bytes of blocks that have left their value and that versions hold.
    kept: AtomicUsize,
    /// How many those may be; 0: as many as there are.
    most: AtomicUsize,
    numbers: AtomicU64,
    /// How many are there.
    living: AtomicUsize,
    /// Those of them that readers who can be told to end have begun to read: the oldest is the
    /// first.
    read: Mutex<BTreeSet<u64>>,
    /// Those that wait to be freed.
    ended: Mutex<Vec<EndedVersion>>,
}

impl Versions {
    /// Bytes that versions alone hold.
    #[inline]
    #[must_use]
    pub fn kept(&self) -> usize {
        self.kept.load(Ordering::Relaxed)
    }

    /// How many versions there are.
    #[must_use]
    pub fn living(&self) -> usize {
        self.living.load(Ordering::Relaxed)
    }

    /// Says how many bytes versions may keep; 0: there is no limit.
    pub fn set_most(&self, bytes: usize) {
        self.most.store(bytes, Ordering::Relaxed);
    }

    /// Counts so many bytes as kept, until the charge is dropped.
    #[must_use]
    pub fn charge(self: &Arc<Self>, bytes: usize) -> Charge {
        self.kept.fetch_add(bytes, Ordering::Relaxed);
        Charge { versions: Arc::clone(self), bytes }
    }

    /// The version with this number is read from now on, by a reader that asks whether it is given
    /// up.
    pub fn begin_to_read(&self, number: u64) {
        self.read.lock().insert(number);
    }

    /// Whether the version with this number is given up: more is kept than may be, and none that is
    /// read is older.
    #[must_use]
    pub fn gives_up(&self, number: u64) -> bool {
        self.is_over() && self.read.lock().first().is_some_and(|&oldest| oldest >= number)
    }

    /// Takes away the version with this number, if it waits to be freed: for a reader that knows
    /// that the value is there and shares all of it, so that nothing large is freed.
    #[must_use]
    pub fn take_ended_one(&self, number: u64) -> Option<EndedVersion> {
        let mut ended = self.ended.lock();
        let at = ended.iter().rposition(|version| version.living.number == number)?;
        Some(ended.swap_remove(at))
    }

    /// Takes away the versions that wait to be freed; dropping them frees them.
    #[must_use]
    pub fn take_ended(&self) -> Vec<EndedVersion> {
        std::mem::take(&mut *self.ended.lock())
    }

    fn is_over(&self) -> bool {
        let most = self.most.load(Ordering::Relaxed);
        most != 0 && self.kept() > most
    }

    /// A number for a version more.
    fn begin(self: &Arc<Self>) -> Result<Living, CmdError> {
        if self.is_over() {
            return Err(error::VERSIONS_FULL);
        }
        let number = self.numbers.fetch_add(1, Ordering::Relaxed);
        self.living.fetch_add(1, Ordering::Relaxed);
        Ok(Living { versions: Arc::clone(self), number })
    }
}

/// Bytes that count as kept as long as this is there.
pub struct Charge {
    versions: Arc<Versions>,
    bytes: usize,
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.versions.kept.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// A version's place among those that are there.
struct Living {
    versions: Arc<Versions>,
    number: u64,
}

impl Drop for Living {
    fn drop(&mut self) {
        self.versions.read.lock().remove(&self.number);
        self.versions.living.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A version that nothing reads any more. Dropping it frees what it alone has held.
#[must_use = "dropping it here frees it on the data path"]
pub struct EndedVersion {
    _frozen: Box<dyn Send>,
    /// Behind it: the next one is the oldest when the memory is free, and not before.
    living: Living,
}

/// A value as it was when the version was made.
pub struct Version<F: Send + 'static> {
    parts: Option<(F, Living)>,
}

impl<F: Send + 'static> Version<F> {
    /// The version of a value that `freeze` makes.
    ///
    /// # Errors
    /// Versions keep more than they may already.
    pub fn new(
        versions: &Arc<Versions>,
        freeze: impl FnOnce(&Arc<Versions>) -> F,
    ) -> Result<Self, CmdError> {
        let living = versions.begin()?;
        Ok(Version { parts: Some((freeze(versions), living)) })
    }

    /// Tells it from others: the older, the lower.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.parts().1.number
    }

    fn parts(&self) -> &(F, Living) {
        match &self.parts {
            Some(parts) => parts,
            None => unreachable!("they are there until it is dropped"),
        }
    }
}

impl<F: Send + 'static> Deref for Version<F> {
    type Target = F;

    fn deref(&self) -> &F {
        &self.parts().0
    }
}

impl<F: Send + 'static> Drop for Version<F> {
    fn drop(&mut self) {
        if let Some((frozen, living)) = self.parts.take() {
            let versions = Arc::clone(&living.versions);
            let ended = EndedVersion { _frozen: Box::new(frozen), living };
            versions.ended.lock().push(ended);
        }
    }
}

#[cfg(test)]
#[path = "version_tests.rs"]
mod tests;
