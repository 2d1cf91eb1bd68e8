//! Credentials that a caller has shown, kept so that they can be checked again.
//!
//! A session of RESP shows its password once and is its user from then on, as in Redis: `ACL
//! SETUSER … off` or another password change nothing for it, `ACL DELUSER` closes it. Where every
//! request carries its credentials, every request is an authentication of its own, and what was
//! right for the last may be wrong for the next. Only a version is compared as long as no user has
//! changed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use acl::Password;

use super::{Account, Users};

/// What a caller has shown, and whose it was.
pub struct Credential {
    account: Arc<Account>,
    proof: Proof,
    /// The version of the users by which it was checked last.
    checked: AtomicU64,
}

/// Why the caller was believed.
enum Proof {
    /// The hash of a password: the text is not kept.
    Password(Password),
    /// The door has a key of its own that stands for the user.
    Key,
}

impl Credential {
    /// A user's name and password, if they are right.
    #[must_use]
    pub fn of_password(users: &Users, user: &[u8], password: &[u8]) -> Option<Self> {
        let proof = Proof::Password(Password::hash(password));
        Self::new(users, users.find(user)?, proof)
    }

    /// The user for which a key of the door's own stands, if that user may log in.
    #[must_use]
    pub fn of_key(users: &Users, user: &[u8]) -> Option<Self> {
        Self::new(users, users.find(user)?, Proof::Key)
    }

    /// A user that has proven to know a password, which is kept as its hash: as long as the user
    /// has that password.
    #[must_use]
    pub fn of_proven(users: &Users, account: &Arc<Account>, password: &Password) -> Option<Self> {
        Self::new(users, Arc::clone(account), Proof::Password(password.clone()))
    }

    fn new(users: &Users, account: Arc<Account>, proof: Proof) -> Option<Self> {
        let credential = Credential { account, proof, checked: AtomicU64::new(0) };
        credential.holds(users).then_some(credential)
    }

    /// The user.
    #[must_use]
    pub fn account(&self) -> &Arc<Account> {
        &self.account
    }

    /// The password that was shown, by its hash; `None` if a key was.
    #[must_use]
    pub fn password(&self) -> Option<&Password> {
        match &self.proof {
            Proof::Password(password) => Some(password),
            Proof::Key => None,
        }
    }

    /// Whether it is right still: the user is there and on, and the password is one of its own.
    #[inline]
    #[must_use]
    pub fn holds(&self, users: &Users) -> bool {
        // Read before the rules: a change that comes in between is checked the next time.
        let version = users.version();
        self.checked.load(Ordering::Acquire) == version || self.check(version)
    }

    #[cold]
    fn check(&self, version: u64) -> bool {
        let right = self.account.is_on()
            && match &self.proof {
                Proof::Password(given) => self.account.rules().lets_in_hashed(given),
                Proof::Key => true,
            };
        if right {
            self.checked.store(version, Ordering::Release);
        }
        right
    }
}
