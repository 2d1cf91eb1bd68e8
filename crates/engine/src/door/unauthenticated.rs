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
//! Room for a new connection comes from closing the oldest ones, of whichever door, not from
//! refusing the new one: whatever unauthenticated connections take, a client that connects and
//! sends its credentials is heard. The oldest are told to go ([`Message::MakeRoom`]) and close when
//! their threads have read that, unless their callers have authenticated meanwhile. Until they are
//! gone, the sum may be over the limit by a quarter of it.
//!
//! Credentials are looked at before anything that follows them. A known caller is bound by the
//! limits of clients instead: `client-query-buffer-limit`, `maxmemory-clients` and their like.
//! Where no password or key is asked for, every caller is known.

use std::sync::Arc;
use std::time::Duration;

use crate::client::session::Session;
pub use crate::client::unauthenticated::ROOM;
use crate::client::unauthenticated::Unknown;
use crate::client::{ClientId, Mailbox, Message};
use crate::engine::Engine;

/// Calls that one connection may have open until its caller is known, where it can have several.
pub const CALLS: usize = 8;
/// Bytes that TLS takes for a connection: a session, and a record of which a part has come. (A
/// handshake may be longer, while there is nothing else of the connection.)
pub const TLS: usize = 28 << 10;
/// A body has a second more for each of these bytes.
pub const PACE: usize = 8 << 10;
/// How long a connection for which there is no room may wait for it, and how often to look: those
/// that were told to go may not have gone yet.
pub const WAIT: Duration = Duration::from_secs(1);
/// The pause between two looks.
pub const LOOK: Duration = Duration::from_millis(20);

/// A connection until its caller is authenticated. As old as this is, it is one of the first to be
/// closed when others need room.
pub struct Connection {
    engine: Arc<Engine>,
    unknown: Unknown,
}

impl Connection {
    /// A new connection, which is told through this mailbox to go.
    #[must_use]
    pub fn new(engine: &Arc<Engine>, mailbox: Arc<dyn Mailbox>, client: ClientId) -> Arc<Self> {
        let mut register = engine.memory.unauthenticated.0.lock();
        register.next += 1;
        let number = register.next;
        drop(register);
        let unknown = Unknown { number, mailbox, client };
        Arc::new(Connection { engine: Arc::clone(engine), unknown })
    }

    /// Something that it takes: nothing yet.
    #[must_use]
    pub fn charge(self: &Arc<Self>) -> Charge {
        Charge { connection: Arc::clone(self), bytes: 0 }
    }

    /// It was told to go, and does not: its caller counted as known when it read that. That may be
    /// over, if it was not by a password of its own.
    pub fn stays(&self) {
        self.engine.memory.unauthenticated.0.lock().stay(&self.unknown);
    }

    fn change(&self, before: usize, after: usize) -> bool {
        let most = self.engine.config().clients.callers.unauthenticated_memory;
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let mut chosen = Vec::new();
        let mut register = self.engine.memory.unauthenticated.0.lock();
        let goes = register.change(&self.unknown, before, after);
        if after <= before {
            return true;
        }
        let fits = !goes && register.make_room(self.unknown.number, most, &mut chosen);
        drop(register);
        for member in chosen {
            member.mailbox.post(member.client, Message::MakeRoom);
        }
        fits
    }
}

/// Bytes of one caller that is not authenticated, counted among those of all; given back when
/// dropped.
pub struct Charge {
    connection: Arc<Connection>,
    bytes: usize,
}

impl Charge {
    /// Says how many bytes there are now; `false` if they are too many, for one or for all
    /// together. They are counted all the same: their holder is to give them up.
    #[must_use]
    pub fn set(&mut self, bytes: usize) -> bool {
        let before = std::mem::replace(&mut self.bytes, bytes);
        before == bytes || (self.connection.change(before, bytes) && bytes <= before.max(ROOM))
    }

    /// Counts more bytes; `false` as in [`Charge::set`].
    #[must_use]
    pub fn add(&mut self, bytes: usize) -> bool {
        self.set(self.bytes.saturating_add(bytes))
    }

    /// The connection that it belongs to was told to go, and does not: see [`Connection::stays`].
    pub fn stays(&self) {
        self.connection.stays();
    }

    /// Bytes that are counted now.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        let _ = self.set(0);
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
        !session.user.authenticated && self.users.asks_password()
    }

    /// Bytes that unauthenticated callers take at the moment.
    #[must_use]
    pub fn unauthenticated_bytes(&self) -> usize {
        self.memory.unauthenticated.0.lock().bytes
    }
}

#[cfg(test)]
mod tests {
    // In a test a panic is how a failure is told.
    #![allow(clippy::unwrap_used)]

    use config::Settings;
    use parking_lot::Mutex;

    use super::*;
    use crate::engine::Start;

    /// Who was told to make room.
    #[derive(Default)]
    struct Told(Mutex<Vec<ClientId>>);

    impl Mailbox for Told {
        fn post(&self, client: ClientId, message: Message) {
            assert!(matches!(message, Message::MakeRoom));
            self.0.lock().push(client);
        }
    }

    /// An engine that leaves a megabyte to unauthenticated connections.
    fn engine() -> Arc<Engine> {
        let mut settings = Settings::new(1);
        let lines = b"appendonly no\nrequirepass secret\nunauthenticated-memory 1mb\n";
        settings.apply_text(lines, "a test").unwrap();
        Engine::new(Start::new(settings, [1, 2, 3, 4], 1)).unwrap()
    }

    #[test]
    fn the_oldest_make_room_for_who_comes() {
        let (engine, told) = (engine(), Arc::new(Told::default()));
        let asked = || std::mem::take(&mut *told.0.lock());
        let come = |client: ClientId| {
            let mut charge = Connection::new(&engine, Arc::clone(&told) as _, client).charge();
            assert!(charge.set(256 << 10), "{client}");
            charge
        };
        let mut charges: Vec<Charge> = (1..=4).map(come).collect();
        assert_eq!((asked(), engine.unauthenticated_bytes()), (vec![], 1 << 20));
        charges.push(come(5));
        assert_eq!(asked(), [1]);
        // As long as the first has not gone, one more is all that may be there beside.
        charges.push(come(6));
        assert_eq!(asked(), [2]);
        let mut seventh = Connection::new(&engine, Arc::clone(&told) as _, 7).charge();
        assert!(!seventh.set(1 << 10));
        assert_eq!((asked(), seventh.set(0)), (vec![], true));
        drop(charges.remove(0));
        assert!(seventh.set(1 << 10));
        assert_eq!(asked(), [3]);
        // One that authenticates takes nothing any more, and is asked for nothing.
        assert!(charges[2].set(0));
        assert!(seventh.set(256 << 10));
        assert_eq!(asked(), []);
        // One that was told to go gets no more meanwhile.
        assert!(!charges[0].add(1));
        assert!(charges[0].set(256 << 10));
        // One that read that while its caller was known is told again.
        charges[0].stays();
        charges.push(come(8));
        assert_eq!(asked(), [2]);
        drop((charges, seventh));
        assert_eq!(engine.unauthenticated_bytes(), 0);
    }

    #[test]
    fn one_connection_has_its_own_limit_and_makes_no_room_for_itself() {
        let (engine, told) = (engine(), Arc::new(Told::default()));
        let connection = Connection::new(&engine, Arc::clone(&told) as _, 1);
        let mut charges: Vec<Charge> = (0..4).map(|_| connection.charge()).collect();
        assert!(charges.iter_mut().all(|charge| charge.set(ROOM)));
        assert!(!charges[0].add(1));
        assert!(charges[0].set(ROOM));
        let mut fifth = connection.charge();
        assert!(!fifth.set(1), "it is the oldest itself");
        assert!(told.0.lock().is_empty());
    }

    #[test]
    fn long_bodies_have_more_time() {
        let first = Duration::from_secs(30);
        assert_eq!(time_for(PACE - 1, first), first);
        assert_eq!(time_for(100 * PACE, first), Duration::from_secs(130));
    }
}
