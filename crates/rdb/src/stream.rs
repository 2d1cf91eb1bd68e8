//! The value of a key of type stream, as files hold it.

use std::sync::Arc;

pub use base::StreamId;

/// A stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stream {
    /// What it holds, ids ascending.
    pub entries: Vec<StreamEntry>,
    /// The same as a file holds it; nothing if it comes from elsewhere.
    pub nodes: Nodes,
    /// The greatest id it ever had.
    pub last_id: StreamId,
    /// The smallest id it has; 0-0 if it is empty.
    pub first_id: StreamId,
    /// The greatest id that was deleted.
    pub max_deleted_id: StreamId,
    /// How many entries were ever added.
    pub entries_added: u64,
    /// Its consumer groups.
    pub groups: Vec<Group>,
    /// How many entries the file said there were, if that is not true.
    pub miscounted: Option<u64>,
}

/// The nodes of a stream in a file: the id that the ids of entries are counted from, and a
/// listpack. Where entries are cut into nodes, and which of them were deleted, is no part of what
/// a stream is: all nodes count as equal.
#[derive(Clone, Debug, Default)]
pub struct Nodes(pub Vec<(StreamId, Vec<u8>)>);

impl PartialEq for Nodes {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Nodes {}

/// An entry of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamEntry {
    /// Its id.
    pub id: StreamId,
    /// Names of the fields. Entries with the same names share them: a file says them once.
    pub names: Arc<[Vec<u8>]>,
    /// Their values, as many.
    pub values: Vec<Vec<u8>>,
}

impl StreamEntry {
    /// The fields with their values.
    pub fn fields(&self) -> impl ExactSizeIterator<Item = (&[u8], &[u8])> {
        let values = self.values.iter().map(Vec::as_slice);
        self.names.iter().map(Vec::as_slice).zip(values)
    }
}

/// A consumer group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Its name.
    pub name: Vec<u8>,
    /// The last id it delivered.
    pub last_id: StreamId,
    /// How many entries it has read, counted from the first ever; `None` if unknown.
    pub entries_read: Option<u64>,
    /// Delivered but not acknowledged, ids ascending.
    pub pending: Vec<Pending>,
    /// Its consumers.
    pub consumers: Vec<Consumer>,
}

/// An entry that was delivered but not acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pending {
    /// The entry.
    pub id: StreamId,
    /// The number of its consumer in [`Group::consumers`].
    pub consumer: usize,
    /// When it was delivered last, in milliseconds since the Unix epoch.
    pub delivered: u64,
    /// How often it was delivered.
    pub deliveries: u64,
}

/// A consumer of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Consumer {
    /// Its name.
    pub name: Vec<u8>,
    /// When it last tried anything, in milliseconds since the Unix epoch.
    pub seen: u64,
    /// When it last got anything; `None` before Redis 7.2, which did not tell, or if never.
    pub active: Option<u64>,
}

impl Stream {
    /// How many entries had been added when the one with this id was: what a group that has read
    /// up to there has read. `None` where deletions leave it open.
    #[must_use]
    pub fn entries_read_at(&self, id: StreamId) -> Option<u64> {
        let (added, len) = (self.entries_added, self.entries.len() as u64);
        if added == 0 {
            return Some(0);
        }
        if id == self.last_id || len == 0 && id < self.last_id {
            return Some(added);
        }
        if id > self.last_id {
            return None;
        }
        let whole =
            self.max_deleted_id == StreamId::default() || self.max_deleted_id < self.first_id;
        match id.cmp(&self.first_id) {
            std::cmp::Ordering::Less if whole => added.checked_sub(len),
            std::cmp::Ordering::Equal if whole => added.checked_sub(len).map(|before| before + 1),
            _ => None,
        }
    }
}
