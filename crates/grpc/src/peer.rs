//! One connection, and the users that call through it.
//!
//! A proxy sends calls of many users through one connection, so a user belongs to a call, not to a
//! connection. What a call shows was judged before if one with the same credentials came through
//! the connection, and no user has changed since; else it is judged anew.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use engine::Origin;
use engine::unauthenticated::CALLS;
use parking_lot::Mutex;
use tonic::Status;
use tonic::codegen::http::HeaderMap;

use crate::credentials::{self, Claim, Secret};
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
    /// Somebody has called who is known.
    known: AtomicBool,
    /// Calls that are open of callers who are not.
    unknown_calls: AtomicUsize,
    /// Bytes of messages to them that were not sent yet.
    queued: AtomicUsize,
}

/// A call of somebody who is not known, among those that may be open.
pub struct UnknownCall(Arc<Peer>);

impl UnknownCall {
    /// So many bytes more of its answer wait for the client to take them.
    pub fn queue(&self, bytes: usize) {
        self.0.queued.fetch_add(bytes, Ordering::Relaxed);
    }
}

impl Drop for UnknownCall {
    fn drop(&mut self) {
        self.0.unknown_calls.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Whose word it was.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Nobody,
    Basic,
    Token,
}

/// What a call said.
type Key = (Kind, Secret);

/// A user who has called.
struct Remembered {
    kind: Kind,
    said: Secret,
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
            known: AtomicBool::new(false),
            unknown_calls: AtomicUsize::new(0),
            queued: AtomicUsize::new(0),
        };
        let peer = Arc::new(peer);
        if !denied {
            // It is among the clients from now on, as a connection that has asked nothing yet.
            let nobody = Guest::new(house, &peer.origin, &peer.ending);
            peer.remember((Kind::Nobody, Secret::of(&[])), &nobody);
        }
        peer
    }

    /// The user a call is from. Asked before anything but the head of the call is looked at.
    ///
    /// # Errors
    /// `UNAUTHENTICATED`: the credentials are wrong, or the door asks for some.
    pub fn guest(&self, headers: &HeaderMap) -> Result<Arc<Guest>, Status> {
        let claim = credentials::claim(headers);
        let key = match claim {
            Claim::None => (Kind::Nobody, Secret::of(&[])),
            Claim::Basic(bytes) => (Kind::Basic, Secret::of(bytes)),
            Claim::Token(bytes) => (Kind::Token, Secret::of(bytes)),
            Claim::Malformed => return Err(status::unauthenticated(status::MALFORMED_KEY)),
        };
        if let Some(guest) = self.remembered(key) {
            if guest.holds() {
                self.known.store(true, Ordering::Relaxed);
                return Ok(guest);
            }
            if key.0 == Kind::Nobody {
                // Whoever is refused is among the clients still.
                guest.enter(claim)?;
            }
            self.forget(&guest);
        }
        let guest = Guest::new(&self.house, &self.origin, &self.ending);
        guest.enter(claim)?;
        self.remember(key, &guest);
        self.known.store(true, Ordering::Relaxed);
        Ok(guest)
    }

    /// Whether somebody has called who is known, or everybody is whom protected mode lets in.
    pub fn is_known(&self) -> bool {
        self.has_called() || (!self.denied && !self.house.asks_who())
    }

    /// Whether somebody has called who is known.
    pub fn has_called(&self) -> bool {
        self.known.load(Ordering::Relaxed)
    }

    /// Bytes of answers without credentials that wait for the client to take them.
    pub fn queued(&self) -> usize {
        self.queued.load(Ordering::Relaxed)
    }

    /// So many bytes of messages went out, of whatever call.
    pub fn unqueue(&self, bytes: usize) {
        let less = |queued: usize| Some(queued.saturating_sub(bytes));
        let _ = self.queued.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
    }

    /// Lets in a call that needs no credentials: those of one connection have an end until somebody
    /// is known.
    ///
    /// # Errors
    /// There are too many already.
    pub fn enter_unknown(self: &Arc<Self>) -> Result<UnknownCall, Status> {
        let open = self.unknown_calls.fetch_add(1, Ordering::Relaxed);
        let call = UnknownCall(Arc::clone(self));
        if open >= CALLS && !self.is_known() {
            return Err(status::exhausted("too many calls are open without credentials"));
        }
        Ok(call)
    }

    fn remembered(&self, key: Key) -> Option<Arc<Guest>> {
        let mut guests = self.guests.lock();
        let is_it = |known: &Remembered| known.kind == key.0 && known.said.is(&key.1);
        let at = guests.iter().position(is_it)?;
        guests[..=at].rotate_right(1);
        Some(Arc::clone(&guests[0].guest))
    }

    fn forget(&self, guest: &Arc<Guest>) {
        let mut guests = self.guests.lock();
        let at = guests.iter().position(|known| Arc::ptr_eq(&known.guest, guest));
        let forgotten = at.map(|at| guests.remove(at));
        drop(guests);
        // Outside the lock: its sessions are given back to the engine.
        drop(forgotten);
    }

    fn remember(&self, key: Key, guest: &Arc<Guest>) {
        let new = Remembered { kind: key.0, said: key.1, guest: Arc::clone(guest) };
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
