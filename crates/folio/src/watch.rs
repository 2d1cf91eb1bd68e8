//! Watches: which of some records have changed since they were last asked for.
//!
//! They live beside a project and not in it, are told what was committed, and are gone when their
//! lease ends. Time is handed in, as seconds of any clock that does not go back.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use haystack::Name;

use crate::error::{Error, ErrorKind};
use crate::limits;

/// The number of a watch.
pub type WatchId = u64;

/// Seconds that a lease lasts if nothing else is asked for.
pub const LEASE: u64 = 60;
/// Seconds that a lease lasts at most.
pub const LONGEST_LEASE: u64 = 3_600;

#[derive(Clone)]
struct Watch {
    dis: String,
    ids: BTreeSet<Name>,
    changed: BTreeSet<Name>,
    /// Those that were told, and are told again until they are let go.
    kept: BTreeSet<Name>,
    lease: u64,
    ends: u64,
}

/// What is to be known of a watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WatchInfo<'w> {
    /// What the client that opened it calls it.
    pub dis: &'w str,
    /// Seconds that it lives without being asked.
    pub lease: u64,
    /// Seconds that it lives on if it is not asked.
    pub left: u64,
    /// How many records it has.
    pub records: usize,
    /// How many of them have changed, or are kept to be told again.
    pub changed: usize,
}

/// The watches of a project.
///
/// ```
/// use haystack::Name;
/// use kvist_folio::Watches;
///
/// let (mut watches, a, b) = (Watches::default(), Name::new("a"), Name::new("b"));
/// let watch = watches.open("a chart", None, 0)?;
/// watches.add(watch, [a.clone(), b], 10)?;
/// watches.changed([&a]);
/// assert_eq!(watches.poll(watch, 20)?, [a]);
/// assert!(watches.poll(watch, 30)?.is_empty());
/// assert!(watches.poll(watch, 91).is_err());
/// # Ok::<(), kvist_folio::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Watches {
    next: WatchId,
    watches: BTreeMap<WatchId, Watch>,
    /// The watches of each record.
    of: HashMap<Name, BTreeSet<WatchId>, foldhash::quality::RandomState>,
    /// How many records all watches have together.
    total: usize,
    /// No lease ends before.
    earliest: u64,
}

fn unknown(watch: WatchId) -> Error {
    Error::new(ErrorKind::UnknownWatch, format!("{watch:x}"))
}

fn too_many(what: &str, most: usize) -> Error {
    Error::new(ErrorKind::Commit, format!("More than {most} {what}"))
}

/// Bytes that a watch takes, about, and each record of it.
const WATCH: usize = 256;
const WATCHED: usize = 192;

impl Watches {
    /// No watch yet; the first has the number behind this one. A number that is drawn keeps those
    /// who have watched before the server ended from another's watch.
    #[must_use]
    pub fn numbered_from(number: WatchId) -> Self {
        Watches { next: number, ..Watches::default() }
    }

    /// Bytes that they take, about. O(1).
    #[must_use]
    pub fn memory(&self) -> usize {
        self.watches.len() * WATCH + self.total * WATCHED
    }

    /// How many there are, those among them whose lease has ended unnoticed.
    #[must_use]
    pub fn len(&self) -> usize {
        self.watches.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.watches.is_empty()
    }

    /// How many watches a record has.
    #[must_use]
    pub fn count_of(&self, id: &str) -> usize {
        self.of.get(id).map_or(0, BTreeSet::len)
    }

    /// What a watch is called by the client that opened it.
    #[must_use]
    pub fn dis(&self, watch: WatchId) -> Option<&str> {
        self.watches.get(&watch).map(|watch| watch.dis.as_str())
    }

    /// The seconds that a watch lives without being asked.
    #[must_use]
    pub fn lease(&self, watch: WatchId) -> Option<u64> {
        self.watches.get(&watch).map(|watch| watch.lease)
    }

    /// Opens a watch of nothing. Its lease is [`LEASE`] unless another is asked for, and
    /// [`LONGEST_LEASE`] at most; its name is cut as an id is.
    ///
    /// # Errors
    /// There are too many.
    pub fn open(&mut self, dis: &str, lease: Option<u64>, now: u64) -> Result<WatchId, Error> {
        self.expire(now);
        if self.len() >= limits::MOST_WATCHES {
            return Err(too_many("watches", limits::MOST_WATCHES));
        }
        self.next += 1;
        let lease = lease.unwrap_or(LEASE).clamp(1, LONGEST_LEASE);
        let dis = dis.chars().take(limits::LONGEST_NAME).collect();
        let (none, ends) = (BTreeSet::new, now.saturating_add(lease));
        let (ids, changed, kept) = (none(), none(), none());
        self.earliest = self.earliest.min(ends);
        self.watches.insert(self.next, Watch { dis, ids, changed, kept, lease, ends });
        Ok(self.next)
    }

    /// A watch whose lease begins anew.
    fn renewed(&mut self, watch: WatchId, now: u64) -> Result<&mut Watch, Error> {
        self.expire(now);
        let found = self.watches.get_mut(&watch).ok_or_else(|| unknown(watch))?;
        found.ends = now.saturating_add(found.lease);
        Ok(found)
    }

    /// Begins a watch's lease anew.
    ///
    /// # Errors
    /// There is no such watch any more.
    pub fn renew(&mut self, watch: WatchId, now: u64) -> Result<(), Error> {
        self.renewed(watch, now).map(drop)
    }

    /// Adds records to a watch, whether they exist or not; all or none.
    ///
    /// # Errors
    /// There is no such watch any more, or all would have too many records.
    pub fn add(
        &mut self,
        watch: WatchId,
        ids: impl IntoIterator<Item = Name>,
        now: u64,
    ) -> Result<(), Error> {
        self.renewed(watch, now)?;
        let most = limits::MOST_WATCHED.saturating_sub(self.total);
        let found = self.watches.get_mut(&watch).ok_or_else(|| unknown(watch))?;
        let new = ids.into_iter().filter(|id| !found.ids.contains(id));
        let new: BTreeSet<Name> = new.take(limits::MOST_WATCHED + 1).collect();
        if new.len() > most {
            return Err(too_many("records watched", limits::MOST_WATCHED));
        }
        found.ids.extend(new.iter().cloned());
        self.total += new.len();
        for id in new {
            self.of.entry(id).or_default().insert(watch);
        }
        Ok(())
    }

    /// Takes records out of a watch.
    ///
    /// # Errors
    /// There is no such watch any more.
    pub fn remove<'a>(
        &mut self,
        watch: WatchId,
        ids: impl IntoIterator<Item = &'a str>,
        now: u64,
    ) -> Result<(), Error> {
        self.renewed(watch, now)?;
        for id in ids {
            let found = self.watches.get_mut(&watch);
            if let Some(name) = found.and_then(|found| {
                found.changed.remove(id);
                found.kept.remove(id);
                found.ids.take(id)
            }) {
                self.forget(watch, &name);
            }
        }
        Ok(())
    }

    /// A watch has a record no more.
    fn forget(&mut self, watch: WatchId, id: &Name) {
        self.total -= 1;
        if let Some(watches) = self.of.get_mut(id) {
            watches.remove(&watch);
            if watches.is_empty() {
                self.of.remove(id);
            }
        }
    }

    /// Records were changed, made, or taken away: each watch of one will tell so. O(watches of
    /// them).
    pub fn changed<'a>(&mut self, ids: impl IntoIterator<Item = &'a Name>) {
        for id in ids {
            for watch in self.of.get(id).into_iter().flatten() {
                if let Some(watch) = self.watches.get_mut(watch) {
                    watch.changed.insert(id.clone());
                }
            }
        }
    }

    /// The records of a watch that have changed since this was last asked, in order, and those that
    /// are [kept](Self::keep).
    ///
    /// # Errors
    /// There is no such watch any more.
    pub fn poll(&mut self, watch: WatchId, now: u64) -> Result<Vec<Name>, Error> {
        let found = self.renewed(watch, now)?;
        let mut told = std::mem::take(&mut found.changed);
        told.append(&mut found.kept);
        Ok(told.into_iter().collect())
    }

    /// All records of a watch, in order; none of them counts as changed any more.
    ///
    /// # Errors
    /// There is no such watch any more.
    pub fn refresh(&mut self, watch: WatchId, now: u64) -> Result<Vec<Name>, Error> {
        let found = self.renewed(watch, now)?;
        found.changed.clear();
        found.kept.clear();
        Ok(found.ids.iter().cloned().collect())
    }

    /// What [`poll`](Self::poll) answers, or where `is_whole` all records of the watch: they are
    /// told again until they are [let go](Self::let_go), for one who can fail with what it does
    /// about them.
    ///
    /// # Errors
    /// There is no such watch any more.
    ///
    /// ```
    /// use haystack::Name;
    /// use kvist_folio::Watches;
    ///
    /// let (mut watches, a, b) = (Watches::default(), Name::new("a"), Name::new("b"));
    /// let watch = watches.open("a chart", None, 0)?;
    /// watches.add(watch, [a.clone(), b.clone()], 0)?;
    /// watches.changed([&a]);
    /// assert_eq!(watches.keep(watch, false, 1)?, [a.clone()]);
    /// watches.changed([&b]);
    /// watches.let_go(watch, 1)?;
    /// assert_eq!(watches.keep(watch, false, 1)?, [b.clone()]);
    /// assert_eq!(watches.poll(watch, 1)?, [b]);
    /// # Ok::<(), kvist_folio::Error>(())
    /// ```
    pub fn keep(&mut self, watch: WatchId, is_whole: bool, now: u64) -> Result<Vec<Name>, Error> {
        let told = if is_whole { self.refresh(watch, now)? } else { self.poll(watch, now)? };
        if let Some(found) = self.watches.get_mut(&watch) {
            found.kept.extend(told.iter().cloned());
        }
        Ok(told)
    }

    /// Lets go of what was kept.
    ///
    /// # Errors
    /// There is no such watch any more.
    pub fn let_go(&mut self, watch: WatchId, now: u64) -> Result<(), Error> {
        self.renewed(watch, now)?.kept.clear();
        Ok(())
    }

    /// What is to be known of a watch: its lease is not renewed.
    ///
    /// # Errors
    /// There is no such watch any more.
    pub fn about(&mut self, watch: WatchId, now: u64) -> Result<WatchInfo<'_>, Error> {
        self.expire(now);
        let found = self.watches.get(&watch).ok_or_else(|| unknown(watch))?;
        Ok(WatchInfo {
            dis: &found.dis,
            lease: found.lease,
            left: found.ends.saturating_sub(now),
            records: found.ids.len(),
            changed: found.changed.union(&found.kept).count(),
        })
    }

    /// Closes a watch; whether there was one.
    pub fn close(&mut self, watch: WatchId) -> bool {
        let Some(closed) = self.watches.remove(&watch) else { return false };
        closed.ids.iter().for_each(|id| self.forget(watch, id));
        true
    }

    /// Closes the watches whose lease has ended; how many those were. O(watches), but O(1) while no
    /// lease can have ended.
    pub fn expire(&mut self, now: u64) -> usize {
        if now <= self.earliest {
            return 0;
        }
        let ended = self.watches.iter().filter(|(_, watch)| watch.ends < now);
        let ended: Vec<WatchId> = ended.map(|(id, _)| *id).collect();
        let closed = ended.into_iter().filter(|watch| self.close(*watch)).count();
        self.earliest = self.watches.values().map(|watch| watch.ends).min().unwrap_or(now);
        closed
    }
}
