//! What doors ask of the engine, those that are no RESP sockets above all: which user a caller is
//! and what it may do, what a connection may take before its caller is known, whether an answer may
//! be told yet, which requests run on side threads, how messages reach a task.
//!
//! A door that has its own way of telling users apart (metadata of a call, a token) checks that,
//! and then logs the user in here; what the user may do is checked request by request as for
//! all.

mod changes;
pub(crate) mod confirmation;
pub mod exchange;
pub(crate) mod long_requests;
pub(crate) mod mailbox;
mod precedence;
pub(crate) mod side_threads;
pub mod step;
pub mod unauthenticated;
pub(crate) mod watch;
mod weight;

use std::sync::Arc;

use base::CmdError;

use crate::access::Account;
use crate::client::session::Session;
use crate::engine::Engine;
use crate::engine::worker::Worker;
use crate::execution::rights;

impl Engine {
    /// Makes a session a user's without a password: the door has authenticated it.
    pub fn log_in_as(&self, session: &mut Session, account: &Arc<Account>) {
        session.log_in(Arc::clone(account));
    }

    /// Whether a session's user may see every key there is. Else a command that finds keys by
    /// itself looks for those that it may, among all others.
    #[must_use]
    pub fn may_see_every_key(&self, session: &mut Session) -> bool {
        session.user.login.sees_everything(&self.users)
    }

    /// Whether these are the name and the password of a user that may log in.
    #[must_use]
    pub fn knows(&self, user: &[u8], password: &[u8]) -> Option<Arc<Account>> {
        self.users.find(user).filter(|account| account.lets_in(password))
    }
}

impl Worker {
    /// Whether a session may run a request, without running it; a refusal is logged. Call
    /// [`Worker::begin`] before.
    ///
    /// # Errors
    /// What it would be answered instead.
    pub fn may(&self, session: &mut Session, argv: &[&[u8]]) -> Result<(), CmdError> {
        let Some(entry) = self.engine.table.find_own(argv) else { return Ok(()) };
        if !session.user.authenticated && self.engine.users.asks_password() {
            return Err(base::error::NO_AUTH);
        }
        if session.user.login.is_free(&self.engine.users) {
            return Ok(());
        }
        rights::admit((&self.engine, self.context.now), session, entry, argv)
    }
}
