//! One user on one connection, and the sessions its calls run in.
//!
//! Calls of one connection run beside each other, but a session does one thing at a time: a call
//! takes a session that rests, and puts it back when it is done. As long as nothing waits one
//! session is enough, so a connection is one client in `CLIENT LIST`; each call that waits while
//! others come is another.

use std::sync::{Arc, OnceLock};

use base::Protocol;
use engine::{Account, Origin, Session};
use journal::wall_clock;
use parking_lot::Mutex;
use tonic::Status;

use crate::credentials::{self, Claim};
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
    /// Who it is; nobody yet, if nothing was said.
    account: OnceLock<Arc<Account>>,
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
            account: OnceLock::new(),
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
        Box::new(Seated { session, letters })
    }

    /// Finds out whether a call is from whom it says.
    ///
    /// # Errors
    /// It is not, or nobody knows such a user.
    pub fn enter(self: &Arc<Self>, claim: Claim<'_>) -> Result<(), Status> {
        let mut held = self.take();
        self.check(claim, &mut held)?;
        if let Some(account) = held.session().client.user.lock().clone() {
            // The first who calls is the one there is.
            let _ = self.account.set(account);
        }
        Ok(())
    }

    fn check(&self, claim: Claim<'_>, held: &mut Held) -> Result<(), Status> {
        let wanted = self.house.settings.api_key.as_deref();
        let invalid = || status::unauthenticated(status::INVALID_KEY);
        match (claim, wanted) {
            (Claim::Token(token), Some(key)) => {
                let user = self.house.settings.api_key_user.as_slice();
                let account = self.house.engine.users.find(user);
                let account = account.filter(|_| credentials::same(token, key));
                self.house.engine.vouch(held.session(), &account.ok_or_else(invalid)?);
                Ok(())
            }
            (Claim::Token(token), None) => match credentials::split(token) {
                Some((user, password)) if self.house.engine.users.find(user).is_some() => {
                    held.log_in(user, password)
                }
                _ => held.log_in(b"default", token),
            },
            (Claim::Basic(encoded), _) => {
                let words = credentials::basic(encoded);
                let (user, password) =
                    words.ok_or_else(|| status::unauthenticated(status::MALFORMED_KEY))?;
                // Where a key is asked for, a user who needs no password is no way around it.
                let account = self.house.engine.users.find(&user);
                let open = account.is_some_and(|account| account.rules().takes_any_password());
                if open && wanted.is_some() {
                    return Err(invalid());
                }
                held.log_in(&user, &password)
            }
            (Claim::None | Claim::Malformed, _) => Ok(()),
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
        if let Some(account) = self.account.get() {
            self.house.engine.vouch(session, account);
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

    /// The session.
    pub fn session(&mut self) -> &mut Session {
        &mut self.seated().session
    }

    /// The session and its letters.
    pub fn seated(&mut self) -> &mut Seated {
        // It is taken out in `drop` alone.
        self.seated.get_or_insert_with(|| self.guest.open())
    }

    /// Says a password.
    fn log_in(&mut self, user: &[u8], password: &[u8]) -> Result<(), Status> {
        let house = Arc::clone(self.house());
        let mut seat = house.sit();
        seat.run(self.session(), &[b"AUTH", user, password]);
        match seat.out.first() {
            Some(b'+') => Ok(()),
            _ => Err(status::unauthenticated(status::INVALID_KEY)),
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(seated) = self.seated.take() {
            self.guest.put(seated);
        }
    }
}
