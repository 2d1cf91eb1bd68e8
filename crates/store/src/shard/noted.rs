//! What a shard notes about the keys of a database: those that came and those that went, since the
//! notes were last taken.

use index::Delta;

/// The notes of one shard about one database.
pub(crate) struct Noted {
    /// The generation of the index that they are for.
    pub generation: u64,
    pub delta: Delta,
    /// How many of the changes are in the sum of all shards.
    pub told: usize,
    /// The shard's bit is set.
    pub marked: bool,
}

impl Noted {
    /// None yet, for an index of this generation.
    pub fn of(generation: u64) -> Box<Self> {
        Box::new(Noted { generation, delta: Delta::default(), told: 0, marked: false })
    }

    /// Bytes allocated; the notes themselves are counted with the index.
    #[inline]
    pub fn memory(&self) -> usize {
        self.delta.memory()
    }
}

/// Notes that a key came or went, if there is an index.
#[inline]
pub(crate) fn note(noted: &mut Option<Box<Noted>>, key: &[u8], is_there: bool) {
    if let Some(noted) = noted {
        noted.delta.push(key, is_there);
    }
}
