//! A worker's batch of requests: what it looks at once for all of them, before and after.

use std::sync::atomic::Ordering;

use base::Millis;
use store::Txn;

use crate::client::reply_limit::ReplyLimits;
use crate::client::session::Session;
use crate::engine::Engine;
use crate::engine::worker::{Worker, WorkerContext};
use crate::evict;

impl Worker {
    /// Starts a batch at time `now`: reads the clock and the configuration once for all of it.
    pub fn begin(&mut self, now: Millis) {
        self.context.now = now;
        self.context.overran = false;
        self.txn.held.take_overran();
        self.txn.begin(now);
        self.txn.held.wait_for_disk();
        let log = self.engine.store.log();
        self.context.troubled = self.engine.durability.is_journaling() && log.is_troubled();
        self.context.hindered = self.context.troubled || self.engine.durability.hinders(log);
        self.context.learn_config(&self.engine, &mut self.txn);
        self.context.full = evict::make_room(&self.engine, &mut self.txn, &self.context.config);
    }

    /// What `session` has just seen or changed must be durable before its replies are sent, so that
    /// no client is told what a crash could take back.
    #[inline]
    pub(crate) fn note_seen(&mut self, session: &mut Session) {
        let seen = self.txn.held.take_seen();
        // With a broken disk reads go on; writes are refused, since the start of this batch.
        if seen > 0 && self.engine.waits_for_disk() && !self.context.troubled {
            session.awaited_epoch = session.awaited_epoch.max(seen);
        }
    }

    /// As `note_seen`, for what another thread has done for `session` just now.
    pub fn note_now(&mut self, session: &mut Session) {
        if self.engine.waits_for_disk() {
            session.awaited_epoch = session.awaited_epoch.max(self.engine.store.log().epoch());
        }
    }

    /// Whether the replies of `session` must wait for the disk still.
    #[inline]
    #[must_use]
    pub fn must_hold(&self, session: &Session) -> bool {
        self.engine.must_hold(session.awaited_epoch)
    }
}

impl WorkerContext {
    /// Learns what is configured, if that has changed. `true` if it has.
    fn learn_config(&mut self, engine: &Engine, txn: &mut Txn) -> bool {
        let version = engine.configuration.version.load(Ordering::Acquire);
        if version == self.config_version {
            return false;
        }
        self.config_version = version;
        self.configure(engine, txn);
        true
    }

    /// Takes over the settings in force, in the middle of a transaction too: everything that a
    /// worker or its transaction has copied of them is copied anew here.
    pub(crate) fn configure(&mut self, engine: &Engine, txn: &mut Txn) {
        self.config = engine.config();
        self.reply_limits = ReplyLimits::new(&self.config);
        // Without a limit there is room; with another one it is found out for the next request.
        self.full &= self.config.memory.maxmemory.is_some();
        engine.take_settings(&self.config, txn);
        evict::tell_room(engine, txn, &self.config);
    }

    /// After a command about the server, with no shard in hand: does what it has left to be done,
    /// and learns what it has changed for the requests that come with it, such as whether memory is
    /// full by a new limit.
    #[inline]
    pub(crate) fn follow(&mut self, engine: &Engine, txn: &mut Txn) {
        for work in std::mem::take(&mut self.after_locks.when_free) {
            work(engine, None);
        }
        if self.learn_config(engine, txn) {
            self.full = evict::make_room(engine, txn, &self.config);
        }
    }
}
