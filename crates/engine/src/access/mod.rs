//! The users of this server, and which session is which user.
//!
//! An [`Account`] is a user's name with its present rules; a session holds its account, and a copy
//! of the rules as it last saw them. A version that rises with every change tells whether the copy
//! is still good, so that a request of a user who may do everything costs one comparison:
//!
//! ```text
//!   admit: login.free_at == users.version?  ──yes──► go on
//!                       │no
//!                       ▼
//!          rights.rs: fetch the rules if they changed, decide, log a refusal
//! ```
//!
//! Rules are published before the version rises: a client that was answered `OK` to a change can
//! rely on every request that is admitted from then on being checked by it. Rules are never changed
//! in place; a request is checked by one state of them.

mod credential;
mod log;
pub(crate) mod scram;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};

use acl::{Terms, User, Vocabulary};
use config::Config;
use parking_lot::{Mutex, RwLock};

pub use self::credential::Credential;
pub(crate) use self::log::{Context, Log, Reason, Refusal};
pub use self::scram::Challenge;
use self::scram::{Proofs, UserKeys};
use crate::client::Client;

/// The user of every session that has not logged in.
pub(crate) const DEFAULT: &[u8] = b"default";

/// A user, present or deleted.
pub struct Account {
    name: Vec<u8>,
    pub(crate) rules: RwLock<Arc<User>>,
    pub(crate) gone: AtomicBool,
    /// What SCRAM is proven by. Locked last, and for a moment.
    pub(crate) keys: Mutex<UserKeys>,
}

impl Account {
    /// One whose passwords that were given in plain have no keys yet, with keys that it had before.
    pub(crate) fn new(name: &[u8], mut rules: User, mut keys: UserKeys) -> Arc<Self> {
        keys.follow(&mut rules);
        let rules = RwLock::new(Arc::new(rules));
        let (gone, keys) = (AtomicBool::new(false), Mutex::new(keys));
        Arc::new(Account { name: name.to_vec(), rules, gone, keys })
    }

    /// The user's name.
    #[must_use]
    pub fn name(&self) -> &[u8] {
        &self.name
    }

    /// Its rules at this moment.
    #[must_use]
    pub fn rules(&self) -> Arc<User> {
        Arc::clone(&self.rules.read())
    }

    /// Whether sessions may be this user: it is on, and was not deleted.
    #[must_use]
    pub fn is_on(&self) -> bool {
        !self.is_gone() && self.rules().flags().contains(&"on")
    }

    /// Bytes that it takes.
    pub(crate) fn memory(&self) -> usize {
        /// What it takes among the others, and what is counted with it and with its rules.
        const PLACE: usize = 96;
        let own = size_of::<Account>() + size_of::<User>() + PLACE;
        own + 2 * self.name.len() + self.rules().memory()
    }

    /// Whether it was deleted. Nothing may be done in its name.
    pub(crate) fn is_gone(&self) -> bool {
        self.gone.load(Ordering::Acquire)
    }
}

/// Which user a session is.
#[derive(Default)]
pub struct Login {
    /// The default user's, until it says otherwise.
    account: Option<Arc<Account>>,
    rules: Option<Arc<User>>,
    /// The version that `rules` are of.
    seen: u64,
    /// The same if these rules allow everything, else 0, which is no version.
    free_at: u64,
}

impl Login {
    /// Whether everything is allowed, by the present rules.
    #[inline]
    pub(crate) fn is_free(&self, users: &Users) -> bool {
        self.free_at == users.version()
    }

    /// Whether everything is allowed, by rules that are looked at anew if they have changed.
    pub(crate) fn sees_everything(&mut self, users: &Users) -> bool {
        self.is_free(users) || (self.current(users).is_some() && self.is_free(users))
    }

    /// Becomes another user.
    pub(crate) fn enter(&mut self, account: Arc<Account>) {
        *self = Login { account: Some(account), ..Login::default() };
    }

    /// The present rules; `None` if the user was deleted.
    pub(crate) fn current(&mut self, users: &Users) -> Option<&User> {
        let version = users.version();
        let account = self.account.get_or_insert_with(|| Arc::clone(&users.default));
        if self.seen != version || self.rules.is_none() {
            let (rules, gone) = (account.rules(), account.is_gone());
            self.free_at = if rules.is_free() && !gone { version } else { 0 };
            self.rules = (!gone).then_some(rules);
            self.seen = version;
        }
        self.rules.as_deref()
    }

    /// The user's name.
    pub(crate) fn name(&self) -> &[u8] {
        self.account.as_ref().map_or(DEFAULT, |account| account.name())
    }
}

/// All users.
pub struct Users {
    /// The names of commands.
    pub(crate) vocabulary: Vocabulary,
    pub(crate) accounts: RwLock<BTreeMap<Vec<u8>, Arc<Account>>>,
    pub(crate) default: Arc<Account>,
    pub(crate) version: AtomicU64,
    /// Bytes of all of them, more or less than those of the default user at the start.
    memory: AtomicI64,
    /// The default user must give a password, or may not come in at all.
    locked: AtomicBool,
    /// Held while rules change: one change at a time. The disk is not waited for meanwhile.
    pub(crate) changing: Mutex<()>,
    /// Held while the file of users is read or written, by threads without clients: no older state
    /// comes over a newer one.
    pub(crate) file: Mutex<()>,
    /// Refused requests.
    pub(crate) log: Log,
    /// What logins by SCRAM are proven by.
    pub(crate) proofs: Proofs,
    pub(crate) declared: Mutex<Declared>,
}

impl Users {
    /// The default user alone.
    pub(crate) fn new(vocabulary: Vocabulary, config: &Config) -> Self {
        let rules = first_rules(&vocabulary, config);
        let locked = AtomicBool::new(!rules.needs_no_password());
        let proofs = Proofs::new();
        let default = Account::new(DEFAULT, rules, proofs.keys_of(DEFAULT));
        let accounts = BTreeMap::from([(DEFAULT.to_vec(), Arc::clone(&default))]);
        Users {
            vocabulary,
            accounts: RwLock::new(accounts),
            default,
            version: AtomicU64::new(1),
            memory: AtomicI64::new(0),
            locked,
            changing: Mutex::new(()),
            file: Mutex::new(()),
            log: Log::default(),
            proofs,
            declared: Mutex::default(),
        }
    }

    /// Rises with every change of a user.
    #[inline]
    #[must_use]
    pub fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// Whether a session that has not given a password may do nothing.
    #[inline]
    #[must_use]
    pub fn asks_password(&self) -> bool {
        self.locked.load(Ordering::Acquire)
    }

    /// Whether the default user takes any password, that is, has none: protected mode then lets no
    /// client in from other machines.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.default.rules().takes_any_password()
    }

    /// The user of this name.
    #[must_use]
    pub fn find(&self, name: &[u8]) -> Option<Arc<Account>> {
        self.accounts.read().get(name).map(Arc::clone)
    }

    /// All users, by name.
    #[must_use]
    pub fn all(&self) -> Vec<Arc<Account>> {
        self.accounts.read().values().map(Arc::clone).collect()
    }

    /// The user a client is.
    pub(crate) fn of(&self, client: &Client) -> Arc<Account> {
        client.user.lock().as_ref().map_or_else(|| Arc::clone(&self.default), Arc::clone)
    }

    /// A line for each user, in the words of a file.
    pub(crate) fn lines(&self) -> Vec<Vec<u8>> {
        let line = |account: Arc<Account>| account.rules().line(&self.vocabulary, account.name());
        self.all().into_iter().map(line).collect()
    }

    pub(crate) fn terms(&self, config: &Config) -> Terms<'_> {
        Terms { vocabulary: &self.vocabulary, all_channels: config.security.acl.all_channels }
    }

    /// Bytes that users and their rules take, beside the default user as it is at first.
    pub(crate) fn memory(&self) -> usize {
        usize::try_from(self.memory.load(Ordering::Relaxed)).unwrap_or(0) + self.proofs.memory()
    }

    /// Counts users that take so much now and took so much before.
    pub(crate) fn count(&self, before: usize, now: usize) {
        self.memory.fetch_add(now as i64 - before as i64, Ordering::Relaxed);
    }

    /// Puts rules in force.
    pub(crate) fn publish(&self, account: &Account, mut rules: User) {
        account.keys.lock().follow(&mut rules);
        self.count(account.rules().memory(), rules.memory());
        let locked = !rules.needs_no_password();
        *account.rules.write() = Arc::new(rules);
        if account.name == DEFAULT {
            self.locked.store(locked, Ordering::Release);
        }
        self.version.fetch_add(1, Ordering::AcqRel);
    }
}

/// The default user before one is declared.
pub(crate) fn first_rules(vocabulary: &Vocabulary, config: &Config) -> User {
    let mut rules =
        User::default_user(Terms { vocabulary, all_channels: config.security.acl.all_channels });
    if let Some(password) = &config.security.acl.requirepass {
        rules.take_only(password);
    }
    rules
}

/// What the configuration file says about users.
#[derive(Default)]
pub(crate) struct Declared {
    /// The users' lines as they came of it.
    pub(crate) lines: Vec<Vec<u8>>,
    /// It has `user` lines.
    pub(crate) in_file: bool,
}
