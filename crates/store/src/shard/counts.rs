//! How much there is of a database in one shard.

use crate::Db;

/// A database's part of one shard: keys, keys with a deadline, bytes of its table.
#[derive(Clone, Copy, Default)]
pub(crate) struct Part(pub [usize; 3]);

impl Part {
    pub fn of(db: &Db) -> Self {
        Part([db.keys.len(), db.keys.expiring(), db.keys.overhead()])
    }
}
