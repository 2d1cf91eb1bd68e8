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
//! what is kept is one sum for all threads, and one for each value. The first has a limit. When it
//! is exceeded a version is given up, which its reader learns when it next asks, and no further
//! version is made. So a reader that takes too long ends with an error, and no writer is ever held
//! back by one. It is the oldest version of the value of which most is kept, of those that are
//! read: what its value has left since is what can become free. A version that no thread reads yet
//! cannot learn anything: it is asked when its reader begins.
//!
//! The same happens where the dataset has no room and nothing else is left to be dropped
//! ([`Versions::press`]).
//!
//! A version that is dropped is not freed where it is: that may be a thread which serves clients.
//! It waits to be freed as removed values do.
//!
//! `used_memory` stays exact: a value counts all of its blocks, shared or not, and a block that it
//! leaves while a version holds it is charged here until it is freed. A removed value that versions
//! share counts as theirs whole until it is freed; then the charge is divided into what they hold
//! (`Charge::divide`). Eviction passes over such values as long as there are others. Undo logs,
//! snapshots, `COPY` and `DUMP` know nothing of versions: a copy of a value has its own blocks.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use sync::Mutex;
use sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crate::{CmdError, DataType, error};

/// A type whose values are held so that their versions cost next to nothing: in blocks that are
/// copied when they are written while a version shares them (the crate `blocks`).
pub trait Versioned: DataType {
    /// A value as it was. It is never changed, and may be read by several threads at once.
    type Frozen: Send + Sync + 'static;

    /// The value as it is now: as quick as any other request, however large the value is. From
    /// then on what it shares with versions counts there when it leaves the value. A value of
    /// several parts hands the same `versions` to each of them: what they keep is one account.
    fn freeze(&self, versions: &Arc<Versions>) -> Self::Frozen;
}

/// A type of which a writer can change a copy of its own beside readers and the value itself: it
/// costs next to nothing to make, shares what it does not change, and takes the place of the value
/// in one step, or is dropped without a trace.
pub trait Forked: Versioned {
    /// The value, to be changed privately.
    type Fork: Send + 'static;
    /// What has been changed, to be told to the journal.
    type Changes;
    /// What the value was made of that it no longer is: dropping it may take its time.
    type Left: Send + 'static;

    /// Whether what is left is dropped in a moment, and may be where it is.
    fn is_small(_left: &Self::Left) -> bool {
        false
    }

    /// A fork of the value as it is now; of no value, one to begin with. O(1).
    fn fork(&self, versions: &Arc<Versions>) -> Self::Fork;

    /// Takes over what a fork has become. O(1).
    ///
    /// # Errors
    /// The value is not what it was when the fork was made: here is the fork again.
    #[expect(clippy::type_complexity, reason = "what has changed, and what is left")]
    fn adopt(
        &mut self,
        fork: Self::Fork,
    ) -> Result<(Self::Changes, Option<Self::Left>), Box<Self::Fork>>;
}

/// The versions of a value, and what they keep: one account among all of a dataset. (The one that
/// all others come from is of no value.)
#[derive(Default)]
pub struct Versions {
    all: Arc<AllVersions>,
    /// Bytes of blocks that have left the value and that versions hold.
    kept: AtomicUsize,
    /// Of these, bytes of a whole that is being divided, whose parts have not been charged yet.
    prepaid: AtomicUsize,
    /// How many versions there are of the value.
    living: AtomicUsize,
    /// The account that the value had already when this one was made for another version of it.
    before: OnceLock<Arc<Versions>>,
}

/// How many versions a dataset has room for that has reached its limit, and of how many bytes.
struct Room {
    kept: AtomicUsize,
    living: AtomicUsize,
}

impl Default for Room {
    fn default() -> Self {
        Room { kept: AtomicUsize::new(usize::MAX), living: AtomicUsize::new(usize::MAX) }
    }
}

/// What a dataset without room needs of versions. It is a number and no order: as soon as enough
/// has become free nothing more is given up, without any thread having to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pressure {
    /// There is room.
    None,
    /// They may keep so many bytes.
    Kept(usize),
    /// There may be so many: what they share with values could be dropped if there were fewer.
    Living(usize),
}

/// All versions of the values of a dataset.
#[derive(Default)]
struct AllVersions {
    /// Bytes of blocks that have left their value and that versions hold.
    kept: AtomicUsize,
    /// How many those may be; 0: as many as there are.
    most: AtomicUsize,
    /// What the dataset has room for.
    room: Room,
    numbers: AtomicU64,
    /// How many are there.
    living: AtomicUsize,
    /// Those of them that readers who can be told to end have begun to read, the oldest first, with
    /// the accounts of their values.
    read: Mutex<BTreeMap<u64, Arc<Versions>>>,
    /// Those that wait to be freed.
    ended: Mutex<Vec<EndedVersion>>,
    /// Bytes of what values remember of their readers.
    remembered: AtomicUsize,
}

impl Versions {
    /// Bytes that versions alone hold, of all values.
    #[inline]
    #[must_use]
    pub fn kept(&self) -> usize {
        self.all.kept.load(Ordering::Relaxed)
    }

    /// How many versions there are, of all values.
    #[must_use]
    pub fn living(&self) -> usize {
        self.all.living.load(Ordering::Relaxed)
    }

    /// Bytes of what values remember of those who read them, of all values: it changes without the
    /// locks of the values' shards, and counts here.
    #[must_use]
    pub fn remembered(&self) -> usize {
        self.all.remembered.load(Ordering::Relaxed)
    }

    /// A value remembers `more` bytes of its readers in place of `less`.
    pub fn remember(&self, more: usize, less: usize) {
        self.all.remembered.fetch_add(more, Ordering::Relaxed);
        self.all.remembered.fetch_sub(less, Ordering::Relaxed);
    }

    /// Says how many bytes versions may keep; 0: there is no limit.
    pub fn set_most(&self, bytes: usize) {
        self.all.most.store(bytes, Ordering::Relaxed);
    }

    /// Says what the dataset has room for: beyond it versions are given up one after another, and
    /// none is made.
    #[inline]
    pub fn press(&self, pressure: Pressure) {
        let (kept, living) = match pressure {
            Pressure::None => (usize::MAX, usize::MAX),
            Pressure::Kept(bytes) => (bytes, usize::MAX),
            Pressure::Living(count) => (usize::MAX, count),
        };
        for (place, most) in [(&self.all.room.kept, kept), (&self.all.room.living, living)] {
            // Asked before each batch of requests, and hardly ever another answer.
            if place.load(Ordering::Relaxed) != most {
                place.store(most, Ordering::Relaxed);
            }
        }
    }

    /// Counts so many bytes as kept of the value, until the charge is dropped.
    #[must_use]
    pub fn charge(self: &Arc<Self>, bytes: usize) -> Charge {
        let versions = Arc::clone(self.of_value());
        versions.count(bytes - versions.take_prepaid(bytes));
        Charge { versions, bytes }
    }

    fn count(&self, bytes: usize) {
        for kept in [&self.all.kept, &self.kept] {
            kept.fetch_add(bytes, Ordering::Relaxed);
        }
    }

    fn count_less(&self, bytes: usize) {
        for kept in [&self.all.kept, &self.kept] {
            kept.fetch_sub(bytes, Ordering::Relaxed);
        }
    }

    /// How many of so many bytes count already, with a whole that is being divided.
    fn take_prepaid(&self, bytes: usize) -> usize {
        if self.prepaid.load(Ordering::Relaxed) == 0 {
            return 0;
        }
        let less = |prepaid: usize| Some(prepaid.saturating_sub(bytes));
        let before = self.prepaid.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        before.unwrap_or(0).min(bytes)
    }

    /// Whether there are versions of the value: to drop it frees little.
    #[must_use]
    pub fn are_any(self: &Arc<Self>) -> bool {
        self.of_value().living.load(Ordering::Relaxed) > 0
    }

    /// An account for another value of the dataset: for one that leaves blocks to something before
    /// there is a version of it.
    #[must_use]
    pub fn of_another_value(&self) -> Arc<Self> {
        Arc::new(Versions { all: Arc::clone(&self.all), ..Versions::default() })
    }

    /// This account is of the same value as one from before. Under the lock of the value's shard.
    pub fn join(self: &Arc<Self>, before: &Arc<Self>) {
        let (own, before) = (self.of_value(), before.of_value());
        if !Arc::ptr_eq(own, before) {
            own.before.get_or_init(|| Arc::clone(before));
        }
    }

    /// The account of the value.
    fn of_value(self: &Arc<Self>) -> &Arc<Self> {
        let mut account = self;
        while let Some(before) = account.before.get() {
            account = before;
        }
        account
    }

    /// A version is read from now on, by a reader that asks whether it is given up.
    pub fn begin_to_read(&self, version: &VersionPlace) {
        let account = Arc::clone(version.versions.of_value());
        self.all.read.lock().insert(version.number, account);
    }

    /// Whether the version with this number is given up: more is kept than may be, and it is the
    /// oldest of the value of which most is kept.
    #[must_use]
    pub fn gives_up(&self, number: u64) -> bool {
        self.is_over() && self.next_to_go() == Some(number)
    }

    fn next_to_go(&self) -> Option<u64> {
        let read = self.all.read.lock();
        let mut worst: Option<(usize, u64, &Arc<Versions>)> = None;
        for (&number, account) in read.iter() {
            let kept = account.kept.load(Ordering::Relaxed);
            let is_worse = |&(most, _, other): &(usize, u64, &Arc<Versions>)| {
                // A younger one of the same value is not worse, though more is kept by now.
                kept > most && !Arc::ptr_eq(account, other)
            };
            if worst.as_ref().is_none_or(is_worse) {
                worst = Some((kept, number, account));
            }
        }
        worst.map(|(_, number, _)| number)
    }

    /// Takes away the version with this number, if it waits to be freed: for a reader that knows
    /// that the value is there and shares all of it, so that nothing large is freed.
    #[must_use]
    pub fn take_ended_one(&self, number: u64) -> Option<EndedVersion> {
        let mut ended = self.all.ended.lock();
        let at = ended.iter().rposition(|version| version.living.place.number == number)?;
        Some(ended.swap_remove(at))
    }

    /// Takes away the versions that wait to be freed; dropping them frees them.
    #[must_use]
    pub fn take_ended(&self) -> Vec<EndedVersion> {
        std::mem::take(&mut *self.all.ended.lock())
    }

    fn is_over(&self) -> bool {
        let most = self.all.most.load(Ordering::Relaxed);
        let room = self.all.room.kept.load(Ordering::Relaxed);
        let kept = self.kept();
        most != 0 && kept > most
            || kept > room
            || self.living() > self.all.room.living.load(Ordering::Relaxed)
    }

    /// A place for a version more, of a value that may have an account already.
    fn begin(&self) -> Result<VersionPlace, CmdError> {
        // One more than there may be is not made either.
        if self.is_over() || self.living() >= self.all.room.living.load(Ordering::Relaxed) {
            return Err(error::VERSIONS_FULL);
        }
        let number = self.all.numbers.fetch_add(1, Ordering::Relaxed);
        Ok(VersionPlace { versions: self.of_another_value(), number })
    }
}

/// Bytes that count as kept as long as this is there.
pub struct Charge {
    versions: Arc<Versions>,
    bytes: usize,
}

impl Charge {
    /// Does something that charges parts of this one by one, such as to free a value: what they
    /// take counts once, and the rest until it is done.
    pub fn divide(self, work: impl FnOnce()) {
        self.versions.prepaid.fetch_add(self.bytes, Ordering::Relaxed);
        let _rest = Rest { charge: self };
        work();
    }
}

/// What is left of a charge that is being divided, also if that ends in a panic.
struct Rest {
    charge: Charge,
}

impl Drop for Rest {
    fn drop(&mut self) {
        let Charge { versions, bytes } = &mut self.charge;
        // The parts count by themselves.
        *bytes = versions.take_prepaid(*bytes);
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.versions.count_less(self.bytes);
    }
}

/// Which version it is, and of which value.
#[derive(Clone)]
pub struct VersionPlace {
    versions: Arc<Versions>,
    number: u64,
}

impl VersionPlace {
    /// Tells it from others: the older, the lower.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.number
    }

    /// It is read from now on: see [`Versions::begin_to_read`].
    pub(crate) fn begin_to_read(&self) {
        self.versions.begin_to_read(self);
    }

    /// Whether it is given up.
    pub(crate) fn is_given_up(&self) -> bool {
        self.versions.gives_up(self.number)
    }
}

/// A version's place among those that are there.
struct Living {
    place: VersionPlace,
    /// The account that counts it: that of its value.
    account: Arc<Versions>,
}

impl Living {
    /// From now on, when it is known which value it is of.
    fn new(place: VersionPlace) -> Self {
        let account = Arc::clone(place.versions.of_value());
        account.living.fetch_add(1, Ordering::Relaxed);
        account.all.living.fetch_add(1, Ordering::Relaxed);
        Living { place, account }
    }
}

impl Drop for Living {
    fn drop(&mut self) {
        let Living { place, account } = self;
        account.all.read.lock().remove(&place.number);
        account.living.fetch_sub(1, Ordering::Relaxed);
        account.all.living.fetch_sub(1, Ordering::Relaxed);
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
        let place = versions.begin()?;
        let frozen = freeze(&place.versions);
        Ok(Version { parts: Some((frozen, Living::new(place))) })
    }

    /// Tells it from others: the older, the lower.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.place().number
    }

    /// Which it is.
    #[must_use]
    pub fn place(&self) -> &VersionPlace {
        &self.parts().1.place
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
            let all = Arc::clone(&living.account.all);
            let ended = EndedVersion { _frozen: Box::new(frozen), living };
            all.ended.lock().push(ended);
        }
    }
}

#[cfg(test)]
#[path = "version_tests.rs"]
mod tests;
