//! Users that come, change and go while the server runs, and what that means for their clients.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use acl::{RuleError, User};

use crate::access::{Account, Login, Users};
use crate::client::Client;
use crate::client::session::Session;
use crate::engine::Engine;
use crate::notify::pubsub::Topic;

/// A rule that cannot be applied.
pub(crate) struct BadRule {
    pub rule: Vec<u8>,
    pub error: RuleError,
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
                self.derive_keys_of(&account);
                Ok(narrower && self.silence(&account, own))
            }
            _ => {
                let account = Account::new(name, after, users.proofs.keys_of(name));
                users.count(0, account.memory());
                users.accounts.write().insert(name.to_vec(), Arc::clone(&account));
                self.derive_keys_of(&account);
                Ok(false)
            }
        }
    }

    /// Disconnects clients of a user that listen to something it may not listen to. Whether `own`
    /// is one of them, which is left to the caller.
    pub(crate) fn silence(&self, account: &Arc<Account>, own: &Client) -> bool {
        let rules = account.rules();
        let mut others = BTreeMap::new();
        let mut own_too = false;
        self.notify.pubsub.each_subscription(|topic, name, client| {
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
    pub(crate) fn dismiss(&self, gone: &[Arc<Account>], own: &Client) -> bool {
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

impl Session {
    /// Becomes a user whose password was right.
    pub fn log_in(&mut self, account: Arc<Account>) {
        *self.client.user.lock() = Some(Arc::clone(&account));
        self.user.login.enter(account);
        self.user.authenticated = true;
    }

    /// Becomes what a new connection is.
    pub fn log_out(&mut self, users: &Users) {
        *self.client.user.lock() = None;
        self.user.login = Login::default();
        self.user.authenticated = !users.asks_password();
    }
}
