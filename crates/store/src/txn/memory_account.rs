//! A transaction's account of memory: what its requests have allocated and freed, until it is
//! reported; and what the dataset may take, as of the last look at it.

use crate::Store;

/// Report memory to the store's total when this much has accumulated; keeps workers off one
/// shared cache line.
const REPORT_BYTES: i64 = 16 * 1024;

/// See the [module](self).
#[derive(Default)]
pub(crate) struct MemoryAccount {
    unreported: i64,
    /// What the shards may take, if there is a limit.
    limit: Option<i64>,
}

impl MemoryAccount {
    /// Shards have grown by so many bytes.
    #[inline]
    pub fn grow(&mut self, bytes: i64) {
        self.unreported += bytes;
    }

    /// Reports if much has accumulated.
    #[inline]
    pub fn settle(&mut self, store: &Store) {
        if self.unreported.abs() >= REPORT_BYTES {
            self.report(store);
        }
    }

    /// Adds what has accumulated to the store's total.
    pub fn report(&mut self, store: &Store) {
        if self.unreported != 0 {
            store.memory.grow(self.unreported);
            self.unreported = 0;
        }
    }

    /// Tells how many bytes the shards may take in all from now on, whatever the requests so far
    /// have added; `None`: there is no limit.
    pub fn set_memory_limit(&mut self, most: Option<u64>) {
        self.limit = most.map(|most| i64::try_from(most).unwrap_or(i64::MAX));
    }

    /// Whether so many bytes more stay within the limit, with so many in the held
    /// shards that the account does not know yet.
    pub fn is_within_limit(&self, store: &Store, held: i64, bytes: u64) -> bool {
        let now = || store.memory.shards() + self.unreported + held;
        self.limit.is_none_or(|limit| now().saturating_add_unsigned(bytes) <= limit)
    }
}
