//! Tokens of those who have logged in: bounded in number and time, and good no longer than what
//! they were given for.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use acl::Password;
use engine::{Account, Credential, Users};
use parking_lot::Mutex;

/// A token that was not shown for so long is good for nothing.
const IDLE: Duration = Duration::from_secs(60 * 60);
/// And so is one that is so old.
const OLDEST: Duration = Duration::from_secs(24 * 60 * 60);
/// Tokens of all users.
const MOST: usize = 16_384;
/// Of one user.
const MOST_OF_USER: usize = 256;

/// What a token was given for: a user that has proven to know this password.
#[derive(Clone)]
pub struct Login {
    /// The user.
    pub account: Arc<Account>,
    /// The password, by its hash.
    pub password: Password,
}

struct Given {
    login: Login,
    since: Instant,
    shown: Instant,
}

/// All tokens, by their hashes: how long one is looked for tells nothing of it.
#[derive(Default)]
pub struct Tokens(Mutex<HashMap<Password, Given>>);

fn hash(token: &str) -> Password {
    Password::hash(token.as_bytes())
}

impl Tokens {
    /// Gives a token for a login. Where the user, or all, have too many, that goes which was shown
    /// longest ago.
    pub fn give(&self, token: &str, login: Login, now: Instant) {
        let mut all = self.0.lock();
        all.retain(|_, given| given.lasts(now) && given.login.account.is_on());
        let is_its = |given: &Given| Arc::ptr_eq(&given.login.account, &login.account);
        if all.values().filter(|given| is_its(given)).count() >= MOST_OF_USER {
            end_longest_idle(&mut all, is_its);
        } else if all.len() >= MOST {
            end_longest_idle(&mut all, |_| true);
        }
        all.insert(hash(token), Given { login, since: now, shown: now });
    }

    /// What a token that is shown proves; `None` if nothing, or nothing any more: it is unknown or
    /// old, its user is off or gone, or has that password no more.
    pub fn show(&self, token: &str, users: &Users, now: Instant) -> Option<Credential> {
        let mut all = self.0.lock();
        let hash = hash(token);
        let given = all.get_mut(&hash)?;
        let credential = given
            .lasts(now)
            .then(|| Credential::of_proven(users, &given.login.account, &given.login.password));
        match credential.flatten() {
            Some(credential) => {
                given.shown = now;
                Some(credential)
            }
            None => {
                all.remove(&hash);
                None
            }
        }
    }

    /// Ends one.
    pub fn end(&self, token: &str) {
        self.0.lock().remove(&hash(token));
    }
}

impl Given {
    fn lasts(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.shown) <= IDLE
            && now.saturating_duration_since(self.since) <= OLDEST
    }
}

fn end_longest_idle(all: &mut HashMap<Password, Given>, of: impl Fn(&Given) -> bool) {
    let candidates = all.iter().filter(|(_, given)| of(given));
    let idle = candidates.min_by_key(|(_, given)| given.shown).map(|(hash, _)| hash.clone());
    if let Some(hash) = idle {
        all.remove(&hash);
    }
}

#[cfg(test)]
#[path = "tokens_tests.rs"]
mod tests;
