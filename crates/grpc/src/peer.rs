//! One connection, and the users that call through it.
//!
//! A proxy sends calls of many users through one connection, so a user belongs to a call, not to a
//! connection. Credentials of a call are not checked again if a call with the same ones came
//! through the connection before, and no user has changed since.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use engine::unauthenticated::{CALLS, Connection};
use engine::{CloseSignal, Origin};
use parking_lot::Mutex;
use tonic::Status;
use tonic::codegen::http::HeaderMap;

use crate::connection_user::{ConnectionUser, Place, credential_of};
use crate::credentials::{self, Claim, Secret};
use crate::shared::Shared;
use crate::status;

/// Users cached for a connection; the least recently used is evicted.
const CACHED_USERS: usize = 8;

/// One connection.
pub struct Peer {
    /// What all share.
    pub shared: Arc<Shared>,
    /// Where it comes from.
    pub origin: Origin,
    /// Signalled when it is to be closed.
    pub close_signal: Arc<CloseSignal>,
    /// Protected mode lets it do nothing.
    pub denied: bool,
    /// What it takes until its caller is known is counted for this.
    pub unauthenticated: Arc<Connection>,
    /// The most recently used comes first.
    users: Mutex<Vec<CachedUser>>,
    /// An authenticated user has called.
    known: AtomicBool,
    /// Open calls of unauthenticated callers.
    unknown_calls: AtomicUsize,
    /// Bytes of messages to them that were not sent yet.
    queued: AtomicUsize,
}

/// An open call of an unauthenticated caller.
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

/// The kind of credentials.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CredentialKind {
    Anonymous,
    Basic,
    Token,
}

/// The credentials of a call.
type Key = (CredentialKind, Secret);

/// A cached user.
struct CachedUser {
    kind: CredentialKind,
    said: Secret,
    user: Arc<ConnectionUser>,
}

impl Peer {
    /// A connection that has just been made, and is closed by this signal.
    pub fn new(
        shared: &Arc<Shared>,
        origin: Origin,
        denied: bool,
        (close_signal, unauthenticated): (Arc<CloseSignal>, Arc<Connection>),
    ) -> Arc<Self> {
        let peer = Peer {
            shared: Arc::clone(shared),
            origin,
            close_signal,
            denied,
            unauthenticated,
            users: Mutex::default(),
            known: AtomicBool::new(false),
            unknown_calls: AtomicUsize::new(0),
            queued: AtomicUsize::new(0),
        };
        let peer = Arc::new(peer);
        if !denied {
            // It is in the list of clients from now on, as a connection without requests.
            let anonymous = ConnectionUser::anonymous(peer.place());
            peer.cache((CredentialKind::Anonymous, Secret::of(&[])), &anonymous);
        }
        peer
    }

    /// The user a call is from. Asked before anything but the head of the call is looked at.
    ///
    /// # Errors
    /// `UNAUTHENTICATED`: the credentials are wrong, or the door asks for some.
    pub fn user(&self, headers: &HeaderMap) -> Result<Arc<ConnectionUser>, Status> {
        let claim = credentials::claim(headers);
        let key = match claim {
            Claim::None => (CredentialKind::Anonymous, Secret::of(&[])),
            Claim::Basic(bytes) => (CredentialKind::Basic, Secret::of(bytes)),
            Claim::Token(bytes) => (CredentialKind::Token, Secret::of(bytes)),
            Claim::Malformed => return Err(status::unauthenticated(status::MALFORMED_KEY)),
        };
        if let Some(user) = self.cached(key) {
            if user.holds() {
                self.known.store(true, Ordering::Relaxed);
                return Ok(user);
            }
            if key.0 == CredentialKind::Anonymous {
                // A refused caller stays in the list of clients.
                credential_of(self.place(), claim)?;
            }
            self.evict(&user);
        }
        let user = ConnectionUser::authenticated(self.place(), claim)?;
        self.cache(key, &user);
        self.known.store(true, Ordering::Relaxed);
        Ok(user)
    }

    fn place(&self) -> Place<'_> {
        (&self.shared, &self.origin, &self.close_signal)
    }

    /// Whether an authenticated user has called, or none need authenticate.
    pub fn is_known(&self) -> bool {
        self.has_called() || (!self.denied && !self.shared.requires_credentials())
    }

    /// Whether an authenticated user has called.
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

    /// Admits a call that needs no credentials: their number on a connection is bounded until a
    /// user has authenticated.
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

    fn cached(&self, key: Key) -> Option<Arc<ConnectionUser>> {
        let mut users = self.users.lock();
        let is_it = |known: &CachedUser| known.kind == key.0 && known.said.is(&key.1);
        let at = users.iter().position(is_it)?;
        users[..=at].rotate_right(1);
        Some(Arc::clone(&users[0].user))
    }

    fn evict(&self, user: &Arc<ConnectionUser>) {
        let mut users = self.users.lock();
        let at = users.iter().position(|known| Arc::ptr_eq(&known.user, user));
        let evicted = at.map(|at| users.remove(at));
        drop(users);
        // Outside the lock: its sessions are given back to the engine.
        drop(evicted);
    }

    fn cache(&self, key: Key, user: &Arc<ConnectionUser>) {
        let new = CachedUser { kind: key.0, said: key.1, user: Arc::clone(user) };
        let mut users = self.users.lock();
        // Once a user has authenticated, the anonymous one leaves the list of clients.
        let is_idle = |known: &CachedUser| {
            known.kind == CredentialKind::Anonymous && Arc::strong_count(&known.user) == 1
        };
        let anonymous = users.iter().position(is_idle);
        let evicted = match anonymous {
            Some(at) => Some(users.remove(at)),
            None if users.len() >= CACHED_USERS => users.pop(),
            None => None,
        };
        users.insert(0, new);
        drop(users);
        // Outside the lock: its sessions are given back to the engine.
        drop(evicted);
    }
}
