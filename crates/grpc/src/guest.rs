//! One user on one connection, and the sessions its calls run in.
//!
//! Calls of one connection run beside each other, but a session does one thing at a time: a call
//! takes a session that rests, and puts it back when it is done. As long as nothing waits one
//! session is enough, so a connection is one client in `CLIENT LIST`; each call that waits while
//! others come is another.

use std::sync::{Arc, OnceLock};

use base::Protocol;
use engine::{Credential, Origin, Session};
use journal::wall_clock;
use parking_lot::Mutex;
use tonic::Status;

use crate::credentials::{self, Claim, Secret};
use crate::house::House;
use crate::letters::{Ending, Letters};
use crate::status;

/// Sessions that rest, at most: more are closed.
const RESTING: usize = 2;

/// One user on one connection.
pub struct Guest {
    pub(crate) house: Arc<House>,
    origin: Origin,
    ending: Arc<Ending>,
    /// What was shown, if anything was.
    credential: OnceLock<Credential>,
    // A session is some hundred bytes, and each call takes one out and puts it back.
    #[allow(clippy::vec_box)]
    resting: Mutex<Vec<Box<Seated>>>,
}

/// A session and how it is reached.
pub struct Seated {
    /// The session.
    pub session: Session,
    /// What comes for it.
    pub letters: Arc<Letters>,
}

/// A session that a call has. It goes back when this is dropped, or ends if it was in the middle of
/// something.
pub struct Held {
    guest: Arc<Guest>,
    seated: Option<Box<Seated>>,
}

impl Guest {
    /// Somebody who has not said who they are.
    pub fn new(house: &Arc<House>, origin: &Origin, ending: &Arc<Ending>) -> Arc<Self> {
        let guest = Guest {
            house: Arc::clone(house),
            origin: origin.clone(),
            ending: Arc::clone(ending),
            credential: OnceLock::new(),
            resting: Mutex::default(),
        };
        let first = guest.open();
        guest.resting.lock().push(first);
        Arc::new(guest)
    }

    fn open(&self) -> Box<Seated> {
        let letters = Arc::new(Letters::new(Arc::clone(&self.ending)));
        let engine = &self.house.engine;
        let mailbox = Arc::clone(&letters);
        let client = engine.clients.add(self.origin.clone(), wall_clock(), mailbox);
        let mut session = Session::new(client, !engine.users.asks_password());
        session.speak(Protocol::Resp3);
        session.shares = true;
        Box::new(Seated { session, letters })
    }

    /// Finds out whether a call is from whom it says.
    ///
    /// # Errors
    /// It is not, or nobody knows such a user.
    pub fn enter(self: &Arc<Self>, claim: Claim<'_>) -> Result<(), Status> {
        let users = &self.house.engine.users;
        let key = self.house.api_key.as_ref();
        let invalid = || status::unauthenticated(status::INVALID_KEY);
        let credential = match (claim, key) {
            (Claim::None, None) if !users.asks_password() => return Ok(()),
            (Claim::None, None) => {
                return Err(status::refusal(base::error::NO_AUTH.bytes()));
            }
            (Claim::None, Some(_)) => {
                return Err(status::unauthenticated(status::MISSING_KEY));
            }
            (Claim::Malformed, _) => return Err(status::unauthenticated(status::MALFORMED_KEY)),
            (Claim::Token(token), Some(key)) => {
                let user = self.house.settings.api_key_user.as_slice();
                let credential = Credential::of_key(users, user);
                credential.filter(|_| Secret::of(token).is(key)).ok_or_else(invalid)?
            }
            (Claim::Token(token), None) => match credentials::split(token) {
                Some((user, password)) if users.find(user).is_some() => self.log_in(user, password),
                _ => self.log_in(b"default", token),
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
                self.log_in(&user, &password)?
            }
        };
        let mut held = self.take();
        self.house.engine.vouch(held.session(), credential.account());
        // The first who calls is the one there is.
        let _ = self.credential.set(credential);
        Ok(())
    }

    /// A user, by a password. A wrong one is told by the command, so that it is in `ACL LOG` and
    /// counted as everywhere.
    fn log_in(self: &Arc<Self>, user: &[u8], password: &[u8]) -> Result<Credential, Status> {
        let found = Credential::of_password(&self.house.engine.users, user, password);
        found.ok_or_else(|| {
            let mut held = self.take();
            self.house.sit().run(held.session(), &[b"AUTH", user, password]);
            status::unauthenticated(status::INVALID_KEY)
        })
    }

    /// Whether what was shown is right still: each call is an authentication of its own.
    pub fn holds(&self) -> bool {
        let users = &self.house.engine.users;
        match self.credential.get() {
            Some(credential) => credential.holds(users),
            None => self.house.api_key.is_none() && !users.asks_password(),
        }
    }

    /// Waits until it is not.
    pub async fn no_longer_holds(&self) {
        loop {
            let rung = self.house.users_changed.notified();
            tokio::pin!(rung);
            // From here on a ring is heard, so what is looked at now cannot become stale unheard.
            rung.as_mut().enable();
            if !self.holds() {
                return;
            }
            rung.await;
        }
    }

    /// A session for a call.
    pub fn take(self: &Arc<Self>) -> Held {
        let resting = self.resting.lock().pop();
        let seated = resting.unwrap_or_else(|| {
            let mut seated = self.open();
            self.make_alike(&mut seated.session);
            seated
        });
        Held { guest: Arc::clone(self), seated: Some(seated) }
    }

    /// Makes a new session the same user's as the others.
    fn make_alike(&self, session: &mut Session) {
        if let Some(credential) = self.credential.get() {
            self.house.engine.vouch(session, credential.account());
        }
    }

    fn put(&self, mut seated: Box<Seated>) {
        let session = &mut seated.session;
        let rests = session.blocked.is_none()
            && !session.is_paused()
            && !session.closing
            && session.multi.is_none();
        let mut resting = self.resting.lock();
        if rests && resting.len() < RESTING {
            resting.push(seated);
            return;
        }
        drop(resting);
        self.close(seated);
    }

    fn close(&self, mut seated: Box<Seated>) {
        self.house.sit().worker.disconnect(&mut seated.session);
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        for seated in std::mem::take(self.resting.get_mut()) {
            self.close(seated);
        }
    }
}

impl Held {
    /// What all calls share.
    pub fn house(&self) -> &Arc<House> {
        &self.guest.house
    }

    /// Whose call it is.
    pub fn guest(&self) -> &Arc<Guest> {
        &self.guest
    }

    /// The session.
    pub fn session(&mut self) -> &mut Session {
        &mut self.seated().session
    }

    /// The session and its letters.
    pub fn seated(&mut self) -> &mut Seated {
        // It is taken out in `drop` alone.
        self.seated.get_or_insert_with(|| self.guest.open())
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(seated) = self.seated.take() {
            self.guest.put(seated);
        }
    }
}
