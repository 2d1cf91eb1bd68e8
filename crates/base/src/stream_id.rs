//! The ids of a stream's entries.

use std::fmt;

/// The id of an entry of a stream: a moment, and a number among the entries of that moment.
///
/// ```
/// use kvist_base::StreamId;
/// let id = StreamId { ms: 5, seq: u64::MAX };
/// assert_eq!(id.next(), Some(StreamId { ms: 6, seq: 0 }));
/// assert_eq!(id.to_string(), "5-18446744073709551615");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamId {
    /// Milliseconds since the Unix epoch.
    pub ms: u64,
    /// A number among the entries of the same millisecond.
    pub seq: u64,
}

impl fmt::Display for StreamId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.ms, self.seq)
    }
}

impl StreamId {
    /// 0-0, which no entry can have.
    pub const MIN: StreamId = StreamId { ms: 0, seq: 0 };
    /// The greatest id there can be.
    pub const MAX: StreamId = StreamId { ms: u64::MAX, seq: u64::MAX };

    /// The sixteen bytes of an id in a file; they sort as ids do.
    #[must_use]
    pub fn to_bytes(self) -> [u8; 16] {
        (u128::from(self.ms) << 64 | u128::from(self.seq)).to_be_bytes()
    }

    /// The id of these sixteen bytes.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        let [ms, seq] = [&bytes[..8], &bytes[8..]]
            .map(|half| half.iter().fold(0, |number: u64, &byte| number << 8 | u64::from(byte)));
        StreamId { ms, seq }
    }

    /// The id right behind this one; `None` behind the greatest.
    #[must_use]
    pub fn next(self) -> Option<StreamId> {
        match self.seq.checked_add(1) {
            Some(seq) => Some(StreamId { ms: self.ms, seq }),
            None => Some(StreamId { ms: self.ms.checked_add(1)?, seq: 0 }),
        }
    }

    /// The id right before this one; `None` before the smallest.
    #[must_use]
    pub fn previous(self) -> Option<StreamId> {
        match self.seq.checked_sub(1) {
            Some(seq) => Some(StreamId { ms: self.ms, seq }),
            None => Some(StreamId { ms: self.ms.checked_sub(1)?, seq: u64::MAX }),
        }
    }
}
