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
//!          check.rs: fetch the rules if they changed, decide, log a refusal
//! ```
//!
//! Rules are published before the version rises: a client that was answered `OK` to a change can
//! rely on every request that is admitted from then on being checked by it. Rules are never changed
//! in place; a request is checked by one state of them.

mod acl_file;
mod check;
mod credential;
mod log;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};

use acl::{RuleError, Terms, User, Vocabulary};
use config::Config;
use parking_lot::{Mutex, RwLock};

pub(crate) use self::check::{
    Asked, admit, exec_refusal, limit_keys, may_be_served, may_run, may_stay_subscribed,
    script_refusal, sort_in_place_of,
};
pub use self::credential::Credential;
pub(crate) use self::log::{Context, Log, Reason, cut};
use crate::client::Client;
use crate::control;
use crate::engine::Engine;
use crate::pubsub::Topic;
use crate::table::Table;

/// The user of every session that has not logged in.
pub(crate) const DEFAULT: &[u8] = b"default";

/// A user, present or deleted.
pub struct Account {
    name: Vec<u8>,
    rules: RwLock<Arc<User>>,
    gone: AtomicBool,
}

impl Account {
    fn new(name: &[u8], rules: User) -> Arc<Self> {
        let rules = RwLock::new(Arc::new(rules));
        Arc::new(Account { name: name.to_vec(), rules, gone: AtomicBool::new(false) })
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
    fn memory(&self) -> usize {
        /// What it takes among the others, and what is counted with it and with its rules.
        const PLACE: usize = 96;
        let own = size_of::<Account>() + size_of::<User>() + PLACE;
        own + 2 * self.name.len() + self.rules().memory()
    }

    /// Whether it was deleted. Nothing may be done in its name.
    fn is_gone(&self) -> bool {
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
    fn enter(&mut self, account: Arc<Account>) {
        *self = Login { account: Some(account), ..Login::default() };
    }

    /// The present rules; `None` if the user was deleted.
    fn current(&mut self, users: &Users) -> Option<&User> {
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
    accounts: RwLock<BTreeMap<Vec<u8>, Arc<Account>>>,
    default: Arc<Account>,
    version: AtomicU64,
    /// Bytes of all of them, more or less than those of the default user at the start.
    memory: AtomicI64,
    /// The default user must give a password, or may not come in at all.
    locked: AtomicBool,
    /// Held while rules change: one change at a time. The disk is not waited for meanwhile.
    changing: Mutex<()>,
    /// Held while the file of users is read or written, by threads without clients: no older state
    /// comes over a newer one.
    file: Mutex<()>,
    /// Refused requests.
    pub(crate) log: Log,
    declared: Mutex<acl_file::Declared>,
}

/// A rule that cannot be applied.
pub(crate) struct BadRule {
    pub rule: Vec<u8>,
    pub error: RuleError,
}

impl Users {
    /// The default user alone.
    pub(crate) fn new(table: &Table, config: &Config) -> Self {
        let commands = table.entries().iter();
        let commands = commands.map(|entry| (entry.name(), control::categories(entry)));
        let vocabulary = Vocabulary::new(commands);
        let rules = first_rules(&vocabulary, config);
        let locked = AtomicBool::new(!rules.needs_no_password());
        let default = Account::new(DEFAULT, rules);
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

    fn terms(&self, config: &Config) -> Terms<'_> {
        Terms { vocabulary: &self.vocabulary, all_channels: config.acl.all_channels }
    }

    /// Bytes that users and their rules take, beside the default user as it is at first.
    pub(crate) fn memory(&self) -> usize {
        usize::try_from(self.memory.load(Ordering::Relaxed)).unwrap_or(0)
    }

    /// Counts users that take so much now and took so much before.
    fn count(&self, before: usize, now: usize) {
        self.memory.fetch_add(now as i64 - before as i64, Ordering::Relaxed);
    }

    /// Puts rules in force.
    fn publish(&self, account: &Account, rules: User) {
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
fn first_rules(vocabulary: &Vocabulary, config: &Config) -> User {
    let mut rules = User::default_user(Terms { vocabulary, all_channels: config.acl.all_channels });
    if let Some(password) = &config.acl.requirepass {
        rules.take_only(password);
    }
    rules
}

impl Engine {
    /// Applies rules to a user, which is made if it is not there: all of them, or none. Clients
    /// that listen to what the user may not any longer are disconnected; the asking one is
    /// `own`, and whether it must go is answered.
    ///
    /// # Errors
    /// The first rule that cannot be applied.
    pub(crate) fn set_user(
        &self,
        name: &[u8],
        rules: &[Vec<u8>],
        own: &Client,
    ) -> Result<bool, BadRule> {
        let users = &self.users;
        let config = self.config();
        let terms = users.terms(&config);
        let _changing = users.changing.lock();
        let known = users.find(name);
        let before = known.as_ref().map(|account| account.rules());
        let mut after = before.as_deref().map_or_else(|| User::new(terms), User::clone);
        for rule in rules {
            let applied = after.apply(terms, rule);
            applied.map_err(|error| BadRule { rule: rule.clone(), error })?;
        }
        match (known, before) {
            (Some(account), Some(before)) => {
                let narrower = !still_covers(&before, &after);
                users.publish(&account, after);
                Ok(narrower && self.silence(&account, own))
            }
            _ => {
                let account = Account::new(name, after);
                users.count(0, account.memory());
                users.accounts.write().insert(name.to_vec(), account);
                Ok(false)
            }
        }
    }

    /// Disconnects clients of a user that listen to something it may not listen to. Whether `own`
    /// is one of them, which is left to the caller.
    fn silence(&self, account: &Arc<Account>, own: &Client) -> bool {
        let rules = account.rules();
        let mut others = BTreeMap::new();
        let mut own_too = false;
        self.pubsub.snapshot_scan(|topic, name, client| {
            let is_its = Arc::ptr_eq(&self.users.of(client), account);
            if is_its && !rules.may_listen(name, topic == Topic::Pattern) {
                own_too |= client.id == own.id;
                others.insert(client.id, Arc::clone(client));
            }
        });
        for client in others.values().filter(|client| client.id != own.id) {
            self.expel(client);
        }
        own_too
    }

    /// Deletes users and disconnects their clients; how many there were, and whether `own` was
    /// one of their clients.
    pub(crate) fn delete_users(&self, names: &[&[u8]], own: &Client) -> (usize, bool) {
        let _changing = self.users.changing.lock();
        let mut accounts = self.users.accounts.write();
        let gone: Vec<_> = names.iter().filter_map(|name| accounts.remove(*name)).collect();
        drop(accounts);
        self.users.count(gone.iter().map(|account| account.memory()).sum(), 0);
        (gone.len(), self.dismiss(&gone, own))
    }

    /// Ends the sessions of users that were deleted.
    fn dismiss(&self, gone: &[Arc<Account>], own: &Client) -> bool {
        for account in gone {
            account.gone.store(true, Ordering::Release);
        }
        self.users.version.fetch_add(1, Ordering::AcqRel);
        let mut own_too = false;
        for client in self.clients.all() {
            let user = self.users.of(&client);
            if gone.iter().any(|account| Arc::ptr_eq(account, &user)) {
                if client.id == own.id {
                    own_too = true;
                } else {
                    self.expel(&client);
                }
            }
        }
        own_too
    }

    /// Closes another session's connection; for all others it is gone now.
    fn expel(&self, client: &Client) {
        client.kill();
        self.clients.remove(client.id);
    }

    /// `requirepass` has changed: the default user takes this password and no other, or any.
    pub(crate) fn set_default_password(&self, password: Option<&[u8]>) {
        let _changing = self.users.changing.lock();
        let account = &self.users.default;
        let mut rules = User::clone(&account.rules());
        match password {
            Some(password) => rules.take_only(password),
            None => rules.take_any_password(),
        }
        self.users.publish(account, rules);
    }
}

/// Whether every channel pattern that was allowed still is: then no subscription can be lost.
fn still_covers(before: &User, after: &User) -> bool {
    let mut allowed: Vec<&[u8]> = Vec::new();
    for selector in after.selectors() {
        match selector.channels() {
            None => return true,
            Some(patterns) => allowed.extend(patterns.iter().map(Vec::as_slice)),
        }
    }
    before.selectors().iter().all(|selector| {
        let patterns = selector.channels();
        patterns.is_some_and(|patterns| patterns.iter().all(|p| allowed.contains(&p.as_slice())))
    })
}

impl crate::Session {
    /// Becomes a user whose password was right.
    pub fn log_in(&mut self, account: Arc<Account>) {
        *self.client.user.lock() = Some(Arc::clone(&account));
        self.login.enter(account);
        self.authenticated = true;
    }

    /// Becomes what a new connection is.
    pub fn log_out(&mut self, users: &Users) {
        *self.client.user.lock() = None;
        self.login = Login::default();
        self.authenticated = !users.asks_password();
    }
}
