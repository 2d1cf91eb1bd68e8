//! Making SCRAM's keys of passwords that were given in plain.

use std::sync::Arc;

use crate::access::Account;
use crate::engine::Engine;

impl Engine {
    /// Has the keys of a user's new passwords made soon, by another thread: it takes milliseconds,
    /// and the caller holds locks. Where very many wait, or there is no thread, the caller does it,
    /// or the first login.
    pub(crate) fn derive_keys_of(&self, account: &Arc<Account>) {
        if !account.waits_for_keys() {
            return;
        }
        if !self.users.proofs.wait_for(account) {
            return account.make_keys();
        }
        let Some(engine) = self.me() else { return };
        if !self.users.proofs.begin() {
            return;
        }
        let thread = std::thread::Builder::new().name("scram-keys".to_owned());
        if thread.spawn(move || engine.derive_all_keys()).is_err() {
            self.users.proofs.end();
        }
    }

    /// Makes the keys that others wait for, until there are none.
    fn derive_all_keys(&self) {
        let proofs = &self.users.proofs;
        loop {
            while let Some(account) = proofs.next() {
                account.make_keys();
            }
            proofs.end();
            // What came after the last look and before the end was left to this thread.
            if !proofs.begin() {
                return;
            }
        }
    }
}
