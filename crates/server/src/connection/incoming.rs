//! What has come from a client and was not run yet, and what is known of the socket it comes from.

use super::buffer::Input;
use super::read_ahead::ReadAhead;
use super::readiness::Readiness;

/// A connection's way in.
#[derive(Default)]
pub(super) struct Incoming {
    /// An unfinished request.
    pub(super) input: Input,
    /// What came behind a request that waits.
    pub(super) ahead: ReadAhead,
    /// At least so many bytes are missing from the request in `input`, by the client's word.
    pub(super) missing: usize,
    /// The kernel may have bytes for us that no event will announce again.
    pub(super) unread: bool,
    /// Requests that have come wait in `input` for another turn: the replies to those before them
    /// were long.
    pub(super) unfed: bool,
    /// The peer has sent its last byte.
    pub(super) peer_done: bool,
    /// Nor does it listen any more.
    pub(super) broken: bool,
    /// Another thread sends a copy of the dataset through the socket, and reads what comes there.
    pub(super) lent: bool,
}

impl Incoming {
    /// An event has announced that there is something to read.
    pub(super) fn announce(&mut self, seen: Readiness) {
        self.peer_done |= seen.closed || seen.broken;
        self.broken |= seen.broken;
        self.unread = true;
    }

    /// Whether there are, or may be, requests to run.
    pub(super) fn has_requests(&self) -> bool {
        self.unread || self.unfed || !self.ahead.is_empty()
    }

    /// Bytes that have come and were not run.
    pub(super) fn len(&self) -> usize {
        self.input.len() + self.ahead.len()
    }

    /// Memory that they take.
    pub(super) fn capacity(&self) -> usize {
        self.input.capacity() + self.ahead.capacity()
    }
}
