//! One shard: a table per database, single-threaded, without locks or clocks; and what it keeps for
//! clients that wait for its keys, watch them, have read them, copy them, or record what happens to
//! them.

pub(crate) mod copying;
pub(crate) mod counts;
pub(crate) mod db;
mod garbage;
pub(crate) mod history;
pub(crate) mod noted;
pub(crate) mod readers;
mod touched;
pub(crate) mod waiting;
pub(crate) mod watch;

use base::{KeyHasher, Millis};
use journal::record::Kind;

use copying::Copying;
pub use db::Db;
pub use garbage::Garbage;
use history::History;
pub use readers::Ids;
use readers::Readers;
pub use touched::Touched;
use waiting::Waiting;
pub use waiting::{LetGo, Queued, Waiter};
pub use watch::Watch;
use watch::Watching;

/// A shard: every database's part of the keys whose hash falls here.
pub struct Shard {
    pub(crate) dbs: Vec<Db>,
    pub(crate) watching: Watching,
    pub(crate) waiting: Waiting,
    pub(crate) readers: Readers,
    pub(crate) history: History,
    /// How many of its changes were numbered for the change stream.
    pub(crate) changes: u64,
    /// What is kept for a scan that copies values in chunks.
    pub(crate) copying: Option<Copying>,
    /// Databases that may have changed since the last report, one bit each; databases from 63 on
    /// share the last bit.
    dirty: u64,
    /// Where the active expiry walk stands, per database.
    pub(crate) expire_cursor: Vec<u64>,
}

impl Shard {
    pub(crate) fn new(number: u16, databases: usize, hasher: &KeyHasher) -> Self {
        let mut shard = Shard {
            dbs: (0..databases).map(|_| Db::new(hasher)).collect(),
            watching: Watching::default(),
            waiting: Waiting::default(),
            readers: Readers::default(),
            history: History { shard: number, ..History::default() },
            changes: 0,
            copying: None,
            dirty: 0,
            expire_cursor: vec![0; databases],
        };
        shard.begin_snapshot_scan();
        shard
    }

    /// From now on a scan calls each database by the number it has now, wherever it goes.
    pub(crate) fn begin_snapshot_scan(&mut self) {
        for (number, db) in self.dbs.iter_mut().enumerate() {
            db.scanned_as = number;
        }
    }

    /// Where the database is that had this number when the scan began. O(1), unless some have
    /// changed places since.
    pub(crate) fn scanned_at(&self, number: usize) -> usize {
        if self.dbs[number].scanned_as == number {
            return number;
        }
        // Databases change places and never go, so it is there.
        self.dbs.iter().position(|db| db.scanned_as == number).unwrap_or(number)
    }

    /// Two databases change places. A snapshot scan goes on at their new places.
    pub(crate) fn swap(&mut self, a: usize, b: usize) {
        self.dbs.swap(a, b);
        if let Some(copying) = &mut self.copying {
            copying.db = match copying.db {
                db if db == a => b,
                db if db == b => a,
                db => db,
            };
        }
        self.mark_all_changed();
    }

    /// The databases, in order.
    #[must_use]
    pub fn dbs(&self) -> &[Db] {
        &self.dbs
    }

    /// Bytes owned by all databases. O(databases).
    #[must_use]
    pub fn memory(&self) -> usize {
        self.dbs.iter().map(Db::memory).sum()
    }

    /// A database, to change.
    #[inline]
    pub(crate) fn db_mut(&mut self, db: usize) -> &mut Db {
        self.dirty |= 1 << db.min(63);
        &mut self.dbs[db]
    }

    /// Its number.
    #[inline]
    pub(crate) fn number(&self) -> usize {
        usize::from(self.history.shard)
    }

    /// By how many bytes the shard has grown since this was last asked; `look` sees each database
    /// that may have changed. Before its lock is given back.
    #[inline]
    pub(crate) fn unreported(&mut self, mut look: impl FnMut(usize, &mut Db)) -> i64 {
        let mut dirty = std::mem::take(&mut self.dirty);
        let mut delta = 0;
        // Nearly always it is one, the first.
        if dirty & 1 != 0
            && let Some(part) = self.dbs.first_mut()
        {
            dirty &= dirty - 1;
            look(0, part);
            delta = part.unreported();
        }
        while dirty != 0 {
            let number = dirty.trailing_zeros() as usize;
            dirty &= dirty - 1;
            let end = if number < 63 { number + 1 } else { self.dbs.len() };
            for (db, part) in self.dbs.iter_mut().enumerate().take(end).skip(number) {
                look(db, part);
                delta += part.unreported();
            }
        }
        delta
    }

    /// How many bytes the next report will tell.
    pub(crate) fn unreported_yet(&self) -> i64 {
        // Counts of bytes of real memory.
        self.dbs.iter().map(|part| part.memory() as i64 - part.reported as i64).sum()
    }

    /// Notes that every database may have changed.
    pub(crate) fn mark_all_changed(&mut self) {
        self.dirty = u64::MAX;
    }

    /// Counts every object again. O(keys); after a contained panic.
    pub(crate) fn recount(&mut self) {
        self.mark_all_changed();
        for db in &mut self.dbs {
            db.objects = db.recount();
        }
    }

    /// Whether clients wait for this key, or watch it, or keys here are being copied, so that its
    /// changes must be told.
    #[inline]
    pub(crate) fn observed(&self, db: usize, hash: u64, key: &[u8]) -> bool {
        !self.watching.is_empty()
            || self.copying.is_some()
            || self.waiting.is_awaited(db, hash, key)
    }

    /// Deletes `key` if its deadline has passed; what it held, if so.
    pub(crate) fn reap(
        &mut self,
        db: usize,
        hash: u64,
        key: &[u8],
        now: Millis,
    ) -> Option<Garbage> {
        let entry = self.dbs[db].keys.find(hash, key)?;
        if entry.deadline().is_none_or(|at| at > now) {
            return None;
        }
        self.drop_key(db, hash, key)
    }

    /// Drops `key` to make room; what it held, if it is there.
    pub(crate) fn evict(&mut self, db: usize, hash: u64, key: &[u8]) -> Option<Garbage> {
        self.dbs[db].keys.find(hash, key)?;
        self.drop_key(db, hash, key)
    }

    /// Deletes a key that no client has asked to delete; the caller tells those who listen.
    fn drop_key(&mut self, db: usize, hash: u64, key: &[u8]) -> Option<Garbage> {
        self.spoil_copy(db, hash);
        self.history.record(Kind::Delete, db, |out| out.extend_from_slice(key));
        self.db_mut(db).remove(hash, key)
    }
}
