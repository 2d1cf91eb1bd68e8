//! What users prove by SCRAM that they know their password by.
//!
//! A user keeps the SHA-256 of its passwords, of which SCRAM's keys cannot be made. So they are
//! made when a password is given in plain, and kept beside its hash for as long as the user has it:
//!
//! ```text
//!   ACL SETUSER >pw, a file with >pw ─► plain ─► a thread, at once ─► keys
//!   requirepass, `user` lines        ─► plain ─► the first login   ─► keys    (they stay in plain
//!                                                                              in the settings)
//!   ACL SAVE ─► aclfile.scram ─► ACL LOAD, the next start
//! ```
//!
//! To make keys takes milliseconds, and nothing is locked meanwhile. Who asks for a user that is
//! not there, or has no keys, is challenged all the same, with a salt that is always the same for
//! that name: what is answered tells nothing of which users there are.

use std::collections::VecDeque;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

use acl::scram::{Key, MOST_KEYS, ROUNDS, code};
use acl::{PlainPassword, ScramKeys, User};
use parking_lot::{Mutex, RwLock};

use super::{Account, Credential, Users};
use crate::entropy::entropy;

/// Users whose keys are still to be made, at most; those of more are made where they are set.
const MOST_WAITING: usize = 1024;

/// What a caller that says a name is asked to prove that it knows a password with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Challenge {
    /// The salt of the name's passwords.
    pub salt: Key,
    /// The rounds by which their keys are derived.
    pub rounds: u32,
}

/// The keys of a user's passwords.
pub(crate) struct UserKeys {
    salt: Key,
    keys: Vec<ScramKeys>,
    /// Passwords whose keys are still to be made.
    plain: Vec<PlainPassword>,
    counted: usize,
    /// Bytes of the keys of all users.
    all: Arc<AtomicUsize>,
}

impl UserKeys {
    /// The salt.
    pub fn salt(&self) -> Key {
        self.salt
    }

    /// The keys there are.
    pub fn keys(&self) -> &[ScramKeys] {
        &self.keys
    }

    /// Takes keys that were made before, with their salt. Those of another salt are good for
    /// nothing then.
    pub fn restore(&mut self, salt: Key, keys: impl IntoIterator<Item = ScramKeys>) {
        if salt != self.salt {
            self.keys.clear();
            self.salt = salt;
        }
        keys.into_iter().for_each(|keys| self.add(keys));
        self.count();
    }

    /// Does what new rules mean for them: keys of passwords that are the user's no more go, and
    /// those of passwords that were given in plain are to be made.
    pub fn follow(&mut self, rules: &mut User) {
        self.plain.extend(rules.take_plain_passwords());
        let known = rules.passwords();
        self.keys.retain(|keys| known.contains(&keys.password));
        let keys = &self.keys;
        self.plain.retain(|plain| {
            known.contains(plain.hash()) && !keys.iter().any(|it| &it.password == plain.hash())
        });
        let over = self.plain.len().saturating_sub(MOST_KEYS);
        self.plain.drain(..over);
        self.count();
    }

    fn add(&mut self, keys: ScramKeys) {
        self.keys.retain(|known| known.password != keys.password);
        if self.keys.len() == MOST_KEYS {
            self.keys.remove(0);
        }
        self.keys.push(keys);
    }

    fn count(&mut self) {
        self.keys.shrink_to_fit();
        self.plain.shrink_to_fit();
        let now = self.keys.iter().map(ScramKeys::memory).sum::<usize>()
            + self.plain.iter().map(PlainPassword::memory).sum::<usize>();
        self.all.fetch_add(now, Ordering::Relaxed);
        self.all.fetch_sub(self.counted, Ordering::Relaxed);
        self.counted = now;
    }
}

impl Drop for UserKeys {
    fn drop(&mut self) {
        self.all.fetch_sub(self.counted, Ordering::Relaxed);
    }
}

impl Account {
    /// Whether keys of some of its passwords are still to be made.
    pub(crate) fn waits_for_keys(&self) -> bool {
        !self.keys.lock().plain.is_empty()
    }

    /// Makes them: milliseconds for each. A password that others make keys of at the same time is
    /// done twice, to the same end.
    pub(crate) fn make_keys(&self) {
        loop {
            let (next, salt) = {
                let keys = self.keys.lock();
                (keys.plain.first().cloned(), keys.salt)
            };
            let Some(plain) = next else { return };
            let made = ScramKeys::derive(&plain, &salt);
            let mut keys = self.keys.lock();
            // Unless it was taken from the user, or other keys have come meanwhile.
            if keys.salt == salt && keys.plain.contains(&plain) {
                keys.plain.retain(|other| other != &plain);
                keys.add(made);
                keys.count();
            }
        }
    }
}

/// What is known of all users' keys.
pub(crate) struct Proofs {
    /// What salts are made of.
    secret: RwLock<Key>,
    /// Bytes of all keys.
    memory: Arc<AtomicUsize>,
    /// Users whose keys are to be made at once.
    waiting: Mutex<VecDeque<Weak<Account>>>,
    /// A thread makes them.
    making: AtomicBool,
}

impl Proofs {
    pub fn new() -> Self {
        Proofs {
            secret: RwLock::new(secret()),
            memory: Arc::default(),
            waiting: Mutex::default(),
            making: AtomicBool::new(false),
        }
    }

    /// The keys of a user that has none yet.
    pub fn keys_of(&self, name: &[u8]) -> UserKeys {
        let all = Arc::clone(&self.memory);
        let (keys, plain) = (Vec::new(), Vec::new());
        UserKeys { salt: self.salt_of(name), keys, plain, counted: 0, all }
    }

    /// The salt of a name of which nothing else is known.
    fn salt_of(&self, name: &[u8]) -> Key {
        code(&*self.secret.read(), name)
    }

    /// What salts are made of.
    pub fn secret(&self) -> Key {
        *self.secret.read()
    }

    /// Makes salts of this from now on: of what an earlier start has made them of.
    pub fn set_secret(&self, secret: Key) {
        *self.secret.write() = secret;
    }

    pub fn memory(&self) -> usize {
        self.memory.load(Ordering::Relaxed)
    }

    /// Remembers that a user's keys are to be made; whether there is room for that.
    pub fn wait_for(&self, account: &Arc<Account>) -> bool {
        let mut waiting = self.waiting.lock();
        let fits = waiting.len() < MOST_WAITING;
        if fits {
            waiting.push_back(Arc::downgrade(account));
        }
        fits
    }

    /// Whether the caller has to see to it that keys are made.
    pub fn begin(&self) -> bool {
        !self.waiting.lock().is_empty() && !self.making.swap(true, Ordering::AcqRel)
    }

    /// No thread makes keys any more.
    pub fn end(&self) {
        self.making.store(false, Ordering::Release);
    }

    /// The next user whose keys are to be made.
    pub fn next(&self) -> Option<Arc<Account>> {
        let mut waiting = self.waiting.lock();
        std::iter::from_fn(|| waiting.pop_front()).find_map(|account| account.upgrade())
    }
}

/// Random bytes. A system that has none to give has its hashes seeded by something else.
fn secret() -> Key {
    let words = entropy().unwrap_or_else(|_| {
        let (a, b) = (RandomState::new(), RandomState::new());
        [a.hash_one(0), a.hash_one(1), b.hash_one(0), b.hash_one(1)]
    });
    let mut key = Key::default();
    key.chunks_exact_mut(8).zip(words).for_each(|(bytes, word)| {
        bytes.copy_from_slice(&word.to_le_bytes());
    });
    key
}

impl Users {
    /// Whether keys of a user's passwords have to be made before it can be challenged: that is
    /// [`Users::make_keys`].
    #[must_use]
    pub fn waits_for_keys(&self, name: &[u8]) -> bool {
        self.find(name).is_some_and(|account| account.waits_for_keys())
    }

    /// Makes the keys of a user's passwords that were given in plain. Takes milliseconds for each.
    pub fn make_keys(&self, name: &[u8]) {
        if let Some(account) = self.find(name) {
            account.make_keys();
        }
    }

    /// What a caller is asked that says this name, whether there is a user of that name or not.
    #[must_use]
    pub fn challenge(&self, name: &[u8]) -> Challenge {
        let salt = match self.find(name) {
            Some(account) => account.keys.lock().salt,
            None => self.proofs.salt_of(name),
        };
        Challenge { salt, rounds: ROUNDS }
    }

    /// What a proof that a caller knows a password of this user comes to: a credential, and what
    /// shows the caller that this server knows the password, too. `None` if it proves nothing, or
    /// the user may not log in; that takes as long for a name that no user has.
    ///
    /// # Examples
    /// ```
    /// # use kvist_engine::{Engine, Start};
    /// # let start = Start::new(config::Settings::new(1), [1, 2, 3, 4], 0);
    /// # let engine = Engine::new(start).unwrap();
    /// assert!(engine.users.prove(b"unknown", b"n=unknown,r=x", &[0; 32]).is_none());
    /// ```
    #[must_use]
    pub fn prove(&self, name: &[u8], messages: &[u8], proof: &Key) -> Option<(Credential, Key)> {
        let account = self.find(name);
        let mut keys =
            account.as_ref().map_or_else(Vec::new, |account| account.keys.lock().keys.clone());
        if keys.is_empty() {
            keys.push(unprovable_keys());
        }
        let mut proven = None;
        for keys in keys {
            // All of them are tried: how long it takes does not tell which one it was.
            if keys.are_proven(messages, proof) {
                proven = Some(keys);
            }
        }
        let proven = proven?;
        let credential = Credential::of_proven(self, &account?, &proven.password)?;
        Some((credential, proven.signature(messages)))
    }
}

/// Keys that no client can prove to have: whose hash is of no key that is known.
fn unprovable_keys() -> ScramKeys {
    let password = acl::Password::hash(b"");
    ScramKeys { password, stored: Key::default(), server: Key::default() }
}
