//! One connection, and the users that call through it.
//!
//! A proxy sends calls of many users through one connection, so a user belongs to a call, not to a
//! connection. Who has shown a password once need not be asked again on the same connection: that
//! is what a connection of the other protocol gets, too.

use std::sync::Arc;

use engine::Origin;
use parking_lot::Mutex;
use tonic::Status;
use tonic::metadata::MetadataMap;

use crate::credentials::{self, Claim};
use crate::guest::Guest;
use crate::house::House;
use crate::letters::Ending;
use crate::status;

/// Users remembered for a connection; whoever has been silent longest is asked again.
const REMEMBERED: usize = 8;

/// One connection.
pub struct Peer {
    /// What all share.
    pub house: Arc<House>,
    /// Where it comes from.
    pub origin: Origin,
    /// Told when somebody wants it closed.
    pub ending: Arc<Ending>,
    /// Protected mode lets it do nothing.
    pub denied: bool,
    /// The one who called last comes first.
    guests: Mutex<Vec<Remembered>>,
}

/// Whose word it was.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Nobody,
    Basic,
    Token,
}

/// What a call said.
type Key<'k> = (Kind, &'k [u8]);

/// A user who has called.
struct Remembered {
    kind: Kind,
    said: Vec<u8>,
    guest: Arc<Guest>,
}

impl Peer {
    /// A connection that has just been made.
    pub fn new(house: &Arc<House>, origin: Origin, denied: bool) -> Arc<Self> {
        let peer = Peer {
            house: Arc::clone(house),
            origin,
            ending: Arc::default(),
            denied,
            guests: Mutex::default(),
        };
        let peer = Arc::new(peer);
        if !denied {
            // It is among the clients from now on, as a connection that has asked nothing yet.
            let nobody = Guest::new(house, &peer.origin, &peer.ending);
            peer.remember((Kind::Nobody, &[]), &nobody);
        }
        peer
    }

    /// The user a call is from.
    ///
    /// # Errors
    /// `UNAUTHENTICATED`: the credentials are wrong, or the door asks for some.
    pub fn guest(&self, metadata: &MetadataMap) -> Result<Arc<Guest>, Status> {
        let claim = credentials::claim(metadata);
        let key: Key<'_> = match claim {
            Claim::None if self.house.settings.api_key.is_some() => {
                return Err(status::unauthenticated(status::MISSING_KEY));
            }
            Claim::None => (Kind::Nobody, &[]),
            Claim::Malformed => return Err(status::unauthenticated(status::MALFORMED_KEY)),
            Claim::Basic(bytes) => (Kind::Basic, bytes),
            Claim::Token(bytes) => (Kind::Token, bytes),
        };
        if let Some(guest) = self.remembered(key) {
            return Ok(guest);
        }
        let guest = Guest::new(&self.house, &self.origin, &self.ending);
        guest.enter(claim)?;
        self.remember(key, &guest);
        Ok(guest)
    }

    fn remembered(&self, key: Key<'_>) -> Option<Arc<Guest>> {
        let mut guests = self.guests.lock();
        let is_it =
            |known: &Remembered| known.kind == key.0 && credentials::same(&known.said, key.1);
        let at = guests.iter().position(is_it)?;
        guests[..=at].rotate_right(1);
        Some(Arc::clone(&guests[0].guest))
    }

    fn remember(&self, key: Key<'_>, guest: &Arc<Guest>) {
        let new = Remembered { kind: key.0, said: key.1.to_vec(), guest: Arc::clone(guest) };
        let mut guests = self.guests.lock();
        // Once somebody has said who they are, nobody is not among the clients any more.
        let is_idle =
            |known: &Remembered| known.kind == Kind::Nobody && Arc::strong_count(&known.guest) == 1;
        let nobody = guests.iter().position(is_idle);
        let forgotten = match nobody {
            Some(at) => Some(guests.remove(at)),
            None if guests.len() >= REMEMBERED => guests.pop(),
            None => None,
        };
        guests.insert(0, new);
        drop(guests);
        // Outside the lock: its sessions are given back to the engine.
        drop(forgotten);
    }
}
