//! How fields and members are hashed: from one secret seed, differently in every table.
//!
//! The seed must be unpredictable to clients, or they could choose members that collide; this
//! crate draws no random numbers, so the program that owns the process hands it in, once, before
//! the first value is made.
//!
//! Tables must not share one hash. A table is walked in the order of its hashes; were members put
//! into another table in just that order (a copy, a union), that table would fill from one side,
//! which is the worst case of every table that grows by splitting. So each table gets the next
//! number of a count, mixed into its seed, for 16 bytes of its own.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use base::{MemberHasher, ProcessSecret};
use table::KeyHash;

/// What all tables share, and the seed from which each gets its own.
static SECRET: ProcessSecret = ProcessSecret::new();
static TABLES: AtomicU64 = AtomicU64::new(0);

/// See [`hash_tables_alike`].
static ALIKE: AtomicBool = AtomicBool::new(false);

/// Sets the seed from which the tables inside values get theirs. Returns whether it took effect:
/// only the first call does, and only before any large hash, set or sorted set was made (then the
/// seed is 0).
pub fn seed_members(seed: u64) -> bool {
    SECRET.set(seed)
}

/// Whether that has been done in time.
#[must_use]
pub fn members_have_a_seed() -> bool {
    SECRET.is_set()
}

/// From now on all tables of the process are hashed alike, so that the order in which members lie
/// is the same whenever the same is done. For simulations: large tables that are made of each other
/// become slow.
pub fn hash_tables_alike() {
    ALIKE.store(true, Ordering::Relaxed);
}

/// The hasher of one table.
#[derive(Clone, Debug)]
pub(crate) struct Members(MemberHasher);

impl Members {
    /// A hasher unlike those before.
    fn unlike_others() -> Members {
        /// 2^64 divided by the golden ratio: multiples are spread over all of 64 bits.
        const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;
        let alike = ALIKE.load(Ordering::Relaxed);
        let table = if alike { 0 } else { TABLES.fetch_add(1, Ordering::Relaxed) };
        Members(MemberHasher::new(SECRET.get(), table.wrapping_mul(SPREAD)))
    }
}

impl KeyHash for Members {
    #[inline]
    fn hash(&self, member: &[u8]) -> u64 {
        self.0.hash(member)
    }
}

/// Where names stand in one table, be they there or not: the order in which it is scanned.
#[derive(Clone, Debug)]
pub struct Places(Members);

impl Places {
    /// Those of a table.
    pub(crate) fn in_table(table: &Index) -> Places {
        Places(table.hasher().clone())
    }

    /// The place of a name: a scan has visited it once its cursor is beyond, or 0 at the end.
    #[must_use]
    pub fn of(&self, name: &[u8]) -> u64 {
        table::position(self.0.hash(name))
    }
}

/// A table whose entries own no objects: the large form of hashes, sets and sorted sets.
pub(crate) type Index = table::Table<std::convert::Infallible, Members>;

/// An empty table.
pub(crate) fn new_index() -> Index {
    Index::new(Members::unlike_others())
}

/// The hash of `member` in `table`.
#[inline]
pub(crate) fn hash_in(table: &Index, member: &[u8]) -> u64 {
    table.hasher().hash(member)
}

/// A copy of a table. O(n).
pub(crate) fn copy(table: &Index) -> Index {
    let mut copy = new_index();
    for entry in table {
        let key = entry.key();
        copy.put_bytes(hash_in(&copy, key), key, entry.bytes().unwrap_or_default());
    }
    copy
}
