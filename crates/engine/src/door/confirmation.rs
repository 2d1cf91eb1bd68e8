//! Whether what a session has been shown may be told: under `appendfsync always` nothing is that
//! the disk has not confirmed.
//!
//! A door whose clients only ever get replies (Redis's protocol) withholds them until they may be
//! told. A door that has an answer for it says, while the disk is in trouble, that the request has
//! run and is not known to be durable: it is unknown how long the trouble lasts, and a caller who
//! hears nothing would not know even that. Every such door asks [`Engine::confirmation`]; how it
//! waits meanwhile is its own affair.

use crate::client::session::Session;
use crate::engine::Engine;

/// What the disk has to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Confirmation {
    /// It may be told.
    Given,
    /// Not yet: the disk was asked to hurry. A caller that waits looks again when something has
    /// become durable, and now and then, since trouble is not announced.
    Awaited,
    /// The disk is in trouble, which is this.
    Troubled(String),
}

impl Engine {
    /// Whether what a session has been shown may be told. Once its door has heard of trouble, and
    /// says so, nothing waits any more: later requests of the session are told what they see.
    pub fn confirmation(&self, session: &mut Session) -> Confirmation {
        let confirmation = self.confirmation_of(session.awaited_epoch);
        if matches!(confirmation, Confirmation::Troubled(_)) {
            session.awaited_epoch = 0;
        }
        confirmation
    }

    fn confirmation_of(&self, awaited_epoch: u64) -> Confirmation {
        if !self.must_hold(awaited_epoch) {
            return Confirmation::Given;
        }
        let log = self.store.log();
        log.flush_soon();
        let trouble = log.trouble();
        // The disk may have caught up since, and the trouble may be over.
        match trouble {
            _ if !self.must_hold(awaited_epoch) => Confirmation::Given,
            Some(trouble) => Confirmation::Troubled(trouble.text),
            None => Confirmation::Awaited,
        }
    }

    /// Whether replies that tell what happened up to this epoch of the journal must wait for the
    /// disk still; see [`Session::awaited_epoch`](crate::Session).
    #[inline]
    #[must_use]
    pub fn must_hold(&self, awaited_epoch: u64) -> bool {
        awaited_epoch > 0 && awaited_epoch > self.store.log().durable() && self.waits_for_disk()
    }

    /// Whether replies wait for the disk: the journal promises that what is acknowledged is there.
    #[inline]
    pub(crate) fn waits_for_disk(&self) -> bool {
        self.store.log().policy() == journal::Policy::Always && self.durability.is_journaling()
    }
}
