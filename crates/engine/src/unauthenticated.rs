//! What callers may take before they are authenticated, and how long a request may take to come:
//! one rule, for every door.
//!
//! ```text
//!   room      ROOM bytes for one connection, `unauthenticated-memory` for all of them together
//!   streams   CALLS of one connection at a time; over gRPC they are charged
//!   itself    a connection over gRPC or HTTP is charged what it takes before anything has come,
//!             and what TLS takes for it; on the RESP ports, where `maxclients` bounds that, only
//!             what it has sent that was not looked at, and the replies that it has not taken
//!   time      `unauthenticated-timeout` from connecting to being known, handshakes included
//!   bodies    of any caller: charged as they come, never by what was announced; each has
//!             `request-body-timeout`, and a second more for each PACE bytes that came
//! ```
//!
//! Credentials are looked at before anything that follows them. A known caller is bound by the
//! limits of clients instead: `client-query-buffer-limit`, `maxmemory-clients` and their like.
//! Where no password or key is asked for, every caller is known.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::engine::Engine;
use crate::session::Session;

/// Bytes that one connection may have waiting, in both directions, until its caller is known: as
/// many as the longest request that the protocol lets such a one send, and some replies.
pub const ROOM: usize = 256 << 10;
/// Calls that one connection may have open until its caller is known, where it can have several.
pub const CALLS: usize = 8;
/// Bytes that TLS takes for a connection: a session, and a record of which a part has come. (A
/// handshake may be longer, while there is nothing else of the connection.)
pub const TLS: usize = 28 << 10;
/// A body has a second more for each of these bytes.
pub const PACE: usize = 8 << 10;

/// Bytes of one caller that is not authenticated, counted among those of all; given back when
/// dropped.
pub struct Charge {
    engine: Arc<Engine>,
    bytes: usize,
}

impl Charge {
    /// Nothing yet.
    #[must_use]
    pub fn new(engine: &Arc<Engine>) -> Self {
        Charge { engine: Arc::clone(engine), bytes: 0 }
    }

    /// Says how many bytes there are now; `false` if they are too many, for one or for all
    /// together. They are counted all the same: their holder is to give them up.
    #[must_use]
    pub fn set(&mut self, bytes: usize) -> bool {
        let all = &self.engine.unauthenticated;
        let others = if bytes >= self.bytes {
            all.fetch_add(bytes - self.bytes, Ordering::Relaxed) - self.bytes
        } else {
            all.fetch_sub(self.bytes - bytes, Ordering::Relaxed) - self.bytes
        };
        let grew = bytes > self.bytes;
        self.bytes = bytes;
        let most = self.engine.config().callers.unauthenticated_memory;
        !grew || (bytes <= ROOM && others.saturating_add(bytes) as u64 <= most)
    }

    /// Counts more bytes; `false` as in [`Charge::set`].
    #[must_use]
    pub fn add(&mut self, bytes: usize) -> bool {
        self.set(self.bytes.saturating_add(bytes))
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.engine.unauthenticated.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// How long a body of which so many bytes have come may take, of the time it has at first.
#[must_use]
pub fn time_for(bytes: usize, first: Duration) -> Duration {
    first.saturating_add(Duration::from_secs((bytes / PACE) as u64))
}

impl Engine {
    /// Whether a session may do nothing until it is authenticated.
    #[inline]
    #[must_use]
    pub fn is_unknown(&self, session: &Session) -> bool {
        !session.authenticated && self.users.asks_password()
    }

    /// Bytes that unauthenticated callers take at the moment.
    #[must_use]
    pub fn unauthenticated_bytes(&self) -> usize {
        self.unauthenticated.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_bodies_have_more_time() {
        let first = Duration::from_secs(30);
        assert_eq!(time_for(PACE - 1, first), first);
        assert_eq!(time_for(100 * PACE, first), Duration::from_secs(130));
    }
}
