//! How much there is of a database in one shard.

use crate::Db;

/// What one shard holds of a database.
#[derive(Clone, Copy, Default)]
pub(crate) struct ShardCounts {
    /// Keys.
    pub keys: usize,
    /// Keys with a deadline.
    pub expiring: usize,
    /// Bytes of its table.
    pub table: usize,
}

impl ShardCounts {
    pub fn of(db: &Db) -> Self {
        ShardCounts { keys: db.keys.len(), expiring: db.keys.expiring(), table: db.keys.overhead() }
    }
}
