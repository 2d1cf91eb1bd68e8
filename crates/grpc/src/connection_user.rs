//! One user on one connection, and the sessions in which the user's calls run.
//!
//! Calls of one connection run concurrently, but a session does one thing at a time: a call takes
//! an idle session, and puts it back when it is done. As long as no call waits one session is
//! enough, so a connection is one client in `CLIENT LIST`; each call that waits while others arrive
//! is another.
//!
//! A session is opened for its user, in one place, and is that user's from then on: nothing runs in
//! one that has yet to be authenticated. A call whose request got no answer has no session any more
//! and must take another.

use std::sync::Arc;

use base::Protocol;
use engine::{Client, ClientMemory, CloseSignal, Credential, MessageQueue, Origin, Session};
use journal::wall_clock;
use parking_lot::Mutex;
use tonic::Status;

use crate::call_memory::CallMemory;
use crate::credentials::{self, Claim, Secret};
use crate::shared::Shared;
use crate::status;

/// Sessions that rest, at most: more are closed.
const RESTING: usize = 2;

/// One user on one connection.
pub struct ConnectionUser {
    pub(crate) shared: Arc<Shared>,
    origin: Origin,
    close_signal: Arc<CloseSignal>,
    /// The credentials, if any were sent and asked for.
    credential: Option<Credential>,
    // A session is some hundred bytes, and each call takes one out and puts it back.
    #[allow(clippy::vec_box)]
    resting: Mutex<Vec<Box<ClientSession>>>,
}

/// A session and how it is reached.
pub struct ClientSession {
    /// The session.
    pub session: Session,
    /// What comes for it.
    pub messages: Arc<MessageQueue>,
    /// What it takes.
    pub memory: ClientMemory,
}

impl ClientSession {
    /// Counts what it takes, after a request; whether that has become more.
    pub fn count(&mut self) -> bool {
        let own = size_of::<ClientSession>() + size_of::<Client>();
        self.memory.set(own + self.session.memory())
    }
}

/// A session in use by a call. It is put back when this is dropped, or closed if it was in the
/// middle of something.
pub struct SessionGuard {
    user: Arc<ConnectionUser>,
    /// It is there until `drop` takes it out.
    client: Option<Box<ClientSession>>,
    call: Option<CallMemory>,
}

/// A connection on which a user calls: what engine and door, where from, and how it is closed.
pub type Place<'c> = (&'c Arc<Shared>, &'c Origin, &'c Arc<CloseSignal>);

impl ConnectionUser {
    /// Callers without credentials. Whether they may call is asked for each call: see
    /// [`ConnectionUser::holds`].
    pub fn anonymous(place: Place<'_>) -> Arc<Self> {
        Self::new(place, None)
    }

    /// The user of a call, authenticated.
    ///
    /// # Errors
    /// The credentials are wrong, or there is no such user.
    pub fn authenticated(place: Place<'_>, claim: Claim<'_>) -> Result<Arc<Self>, Status> {
        Ok(Self::new(place, credential_of(place, claim)?))
    }

    fn new(place: Place<'_>, credential: Option<Credential>) -> Arc<Self> {
        let (shared, origin, close_signal) = place;
        let user = ConnectionUser {
            shared: Arc::clone(shared),
            origin: origin.clone(),
            close_signal: Arc::clone(close_signal),
            credential,
            resting: Mutex::default(),
        };
        let first = user.open();
        user.resting.lock().push(first);
        Arc::new(user)
    }

    /// A new session of the user's. There is no other way to one.
    fn open(&self) -> Box<ClientSession> {
        let messages = Arc::new(MessageQueue::new(Arc::clone(&self.close_signal)));
        let engine = &self.shared.engine;
        let mailbox = Arc::clone(&messages);
        let client = engine.clients.add(self.origin.clone(), wall_clock(), mailbox);
        let mut session = Session::new(client, !engine.users.asks_password());
        if let Some(credential) = &self.credential {
            engine.log_in_as(&mut session, credential.account());
        }
        session.speak(Protocol::Resp3);
        session.terms.shares = true;
        let memory = self.memory();
        let mut client = Box::new(ClientSession { session, messages, memory });
        client.count();
        client
    }

    /// What counts for the connection: nothing yet.
    pub fn memory(&self) -> ClientMemory {
        ClientMemory::new(&self.shared.engine.memory.buffers, &self.origin)
    }

    /// Whether the credentials are still valid: each call is an authentication of its own.
    pub fn holds(&self) -> bool {
        let users = &self.shared.engine.users;
        match &self.credential {
            Some(credential) => credential.holds(users),
            None => self.shared.api_key.is_none() && !users.asks_password(),
        }
    }

    /// Waits until it is not.
    pub async fn no_longer_holds(&self) {
        loop {
            let notified = self.shared.users_changed.notified();
            tokio::pin!(notified);
            // Registered from here on, so a change after the check below is noticed.
            notified.as_mut().enable();
            if !self.holds() {
                return;
            }
            notified.await;
        }
    }

    /// A session for a call.
    pub fn take(self: &Arc<Self>) -> SessionGuard {
        SessionGuard { user: Arc::clone(self), client: Some(self.take_out()), call: None }
    }

    fn take_out(&self) -> Box<ClientSession> {
        let resting = self.resting.lock().pop();
        resting.unwrap_or_else(|| self.open())
    }

    fn put(&self, mut client: Box<ClientSession>) {
        let session = &mut client.session;
        // What panicked in the middle of a request may be in any state.
        let rests = !std::thread::panicking()
            && session.blocked.is_none()
            && !session.is_paused()
            && !session.closing
            && session.transaction.multi.is_none();
        let mut resting = self.resting.lock();
        if rests && resting.len() < RESTING {
            resting.push(client);
            return;
        }
        drop(resting);
        self.close(client);
    }

    fn close(&self, mut client: Box<ClientSession>) {
        self.shared.lock_worker().worker.disconnect(&mut client.session);
    }
}

impl Drop for ConnectionUser {
    fn drop(&mut self) {
        for client in std::mem::take(self.resting.get_mut()) {
            self.close(client);
        }
    }
}

/// Whose call it is; none are needed where none are asked for.
///
/// # Errors
/// The credentials are wrong or missing, or there is no such user.
pub fn credential_of(place: Place<'_>, claim: Claim<'_>) -> Result<Option<Credential>, Status> {
    let shared = place.0;
    let users = &shared.engine.users;
    let key = shared.api_key.as_ref();
    let invalid = || status::unauthenticated(status::INVALID_KEY);
    let credential = match (claim, key) {
        (Claim::None, None) if !users.asks_password() => return Ok(None),
        (Claim::None, None) => {
            return Err(status::refusal(base::error::NO_AUTH.bytes()));
        }
        (Claim::None, Some(_)) => {
            return Err(status::unauthenticated(status::MISSING_KEY));
        }
        (Claim::Malformed, _) => return Err(status::unauthenticated(status::MALFORMED_KEY)),
        (Claim::Token(token), Some(key)) => {
            let credential = Credential::of_key(users, shared.settings.api_key_user.as_slice());
            credential.filter(|_| Secret::of(token).is(key)).ok_or_else(invalid)?
        }
        (Claim::Token(token), None) => match credentials::split(token) {
            Some((user, password)) if users.find(user).is_some() => log_in(place, user, password),
            _ => log_in(place, b"default", token),
        }?,
        (Claim::Basic(encoded), _) => {
            let words = credentials::basic(encoded);
            let (user, password) =
                words.ok_or_else(|| status::unauthenticated(status::MALFORMED_KEY))?;
            // Where a key is asked for, a user who needs no password is no way around it.
            let account = users.find(&user);
            let open = account.is_some_and(|account| account.rules().takes_any_password());
            if open && key.is_some() {
                return Err(invalid());
            }
            log_in(place, &user, &password)?
        }
    };
    Ok(Some(credential))
}

/// A user, by a password. A wrong one is told by the command, in a session of its own that is
/// closed afterwards, so that it is in `ACL LOG` and counted as everywhere.
fn log_in(place: Place<'_>, user: &[u8], password: &[u8]) -> Result<Credential, Status> {
    let found = Credential::of_password(&place.0.engine.users, user, password);
    found.ok_or_else(|| {
        let mut guard = ConnectionUser::anonymous(place).take();
        place.0.lock_worker().run(guard.session(), &[b"AUTH", user, password]);
        status::unauthenticated(status::INVALID_KEY)
    })
}

impl SessionGuard {
    /// What all calls share.
    pub fn shared(&self) -> &Arc<Shared> {
        &self.user.shared
    }

    /// The user of the call.
    pub fn user(&self) -> &Arc<ConnectionUser> {
        &self.user
    }

    /// The same, for a call that counts what its requests are answered.
    pub fn of_call(mut self, call: &CallMemory) -> Self {
        self.call = Some(call.clone());
        self
    }

    /// The engine has answered a request.
    pub fn count_reply(&self, bytes: usize) {
        self.call.iter().for_each(|call| call.answered(bytes));
    }

    /// The session.
    pub fn session(&mut self) -> &mut Session {
        &mut self.client().session
    }

    /// The session and its messages.
    pub fn client(&mut self) -> &mut ClientSession {
        self.client.get_or_insert_with(|| self.user.take_out())
    }
}

impl Drop for SessionGuard {
    fn drop(&mut self) {
        if let Some(client) = self.client.take() {
            self.user.put(client);
        }
    }
}
