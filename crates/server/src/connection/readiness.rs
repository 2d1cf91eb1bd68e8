//! What the poller has said of a socket.

use mio::event::Event;

/// What the poller has seen of a connection.
#[derive(Clone, Copy)]
pub struct Readiness {
    /// The kernel takes more.
    pub writable: bool,
    /// There is something to read.
    pub readable: bool,
    /// The peer has said its last.
    pub closed: bool,
    /// The other side has gone.
    pub broken: bool,
}

impl Readiness {
    /// What an event says.
    #[must_use]
    pub fn of(event: &Event) -> Self {
        // Of a peer that has only said its last the other direction is still open.
        let broken = event.is_error() || (event.is_read_closed() && event.is_write_closed());
        Readiness {
            writable: event.is_writable(),
            readable: event.is_readable() || broken,
            closed: event.is_read_closed(),
            broken,
        }
    }

    /// Adds what has been seen since.
    pub fn add(&mut self, more: Readiness) {
        self.writable |= more.writable;
        self.readable |= more.readable;
        self.closed |= more.closed;
        self.broken |= more.broken;
    }
}
