//! Serving blocked requests: what happens when a key is fed that somebody waits for.
//!
//! The waiting request runs again, under the locks of whoever fed the key and before they are
//! released, so that nobody can take the element in between; clients are served in the order they
//! came. One that needs a shard that the feeder does not hold is owed, and so is everybody behind
//! it: whoever locks the key's shard next serves them first, under all the locks they need (see
//! the store's `waiting.rs`). What waits for a stream may wait on: an entry can be too old for it,
//! or go to somebody else of its group.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Instant;

use base::{CmdError, Effect, Find, KeySpec, Keyspace, Kind, Reply, Start};
use store::{Failed, LetGo, Queued, Touched, Txn};
use wire::RespWriter;

use crate::access;
use crate::block::Blocked;
use crate::engine::Engine;
use crate::execute::{Request, contained, timed};
use crate::remember;
use crate::table::Entry;

/// Serves the blocked requests that the changes just published can feed, longest waiting first.
/// Runs under the locks of the request that made the changes.
pub(crate) fn serve_ready(engine: &Engine, txn: &mut Txn) {
    let here = txn.db();
    let mut ready = txn.take_ready();
    while !ready.is_empty() {
        for key in ready {
            serve_key(engine, txn, &key);
        }
        // Serving may have fed other keys: BLMOVE pushes where somebody else waits.
        ready = txn.take_ready();
    }
    txn.select(here);
}

/// The same behind something that may have taken its time, a transaction or a script: for itself
/// time stood still, for those who wait it is as late as it is.
pub(crate) fn serve_later(engine: &Engine, txn: &mut Txn, began: Instant) {
    let now = txn.time();
    let took = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    txn.begin(now.saturating_add(took));
    serve_ready(engine, txn);
    txn.begin(now);
}

/// Looks at the keys that went by their deadline or with a whole database, or are owed to those who
/// wait for them. The caller holds no shard.
pub(crate) fn serve_gone(engine: &Engine, txn: &mut Txn) {
    // Serving may leave more: who waits behind needs other shards, or who is fed by it does.
    loop {
        let gone = engine.store.take_gone();
        if gone.is_empty() {
            return;
        }
        for key in gone {
            let shard = engine.store.shard_of(key.hash);
            let again = key.clone();
            // A panic while serving is contained there; whoever waits is served by the next.
            let done = txn.with_debts_paid(&engine.store, shard, |txn| {
                txn.note_ready(key);
                serve_ready(engine, txn);
            });
            if matches!(done, Err(Failed::Busy)) {
                engine.store.put_off(again);
            }
        }
    }
}

/// Serves those who wait for a key, longest waiting first. In each of its queues it looks at those
/// whom it serves and at one more.
fn serve_key(engine: &Engine, txn: &mut Txn, key: &Touched) {
    // Queues differ in what they wait for, so few are served by the same feeding.
    let mut heads: Vec<Option<Queued>> = txn.heads(key).into_iter().map(Some).collect();
    let by_ticket = |(at, one): (usize, &Option<Queued>)| {
        one.as_ref().map(|one| Reverse((one.waiter.ticket, at)))
    };
    let mut order: BinaryHeap<_> = heads.iter().enumerate().filter_map(by_ticket).collect();
    while let Some(Reverse((_, at))) = order.pop() {
        let Some(one) = heads[at].take() else { continue };
        // Asked before it leaves: its place says who is next.
        let next = txn.behind(key, &one);
        if serve_one(engine, txn, key, &one)
            && let Some(next) = next
        {
            order.push(Reverse((next.waiter.ticket, at)));
            heads[at] = Some(next);
        }
    }
}

/// Serves one who waits, if that can be done. `false`: nor can those behind it in its queue.
fn serve_one(engine: &Engine, txn: &mut Txn, key: &Touched, one: &Queued) -> bool {
    let waiter = &one.waiter;
    txn.select(key.db);
    let place = base::Key { bytes: &key.key, hash: key.hash };
    let kind = txn.kind(place);
    let Some(blocked) = engine.blocked.look_at(waiter.ticket) else {
        // It has left while this queue could not be had.
        txn.remove_waiter(key.db, key.hash, &key.key, one);
        return true;
    };
    if !blocked.concerns(kind) {
        return false;
    }
    if kind == Some(waiter.kind) && !txn.holds_all(&waiter.needs) {
        txn.owe(key, &waiter.needs);
        return false;
    }
    if !waiter.settle_fed() {
        return true;
    }
    let (ended, took) = timed(|| blocked.try_again(engine, txn, key, kind));
    blocked.took(took);
    let (reply, failed) = match ended {
        Some(ended) => ended,
        None => match waiter.unsettle() {
            LetGo::Waits => return false,
            LetGo::Missed => {
                blocked.look_again(engine);
                return false;
            }
            LetGo::Overdue => (blocked.encoded(|writer| writer.null_array()), false),
        },
    };
    txn.remove_waiter(key.db, key.hash, &key.key, one);
    blocked.end_with(reply, failed);
    true
}

impl Blocked {
    /// Whether it ends the wait that a key holds this.
    fn concerns(&self, kind: Option<Kind>) -> bool {
        let gone = self.resume.as_ref().is_some_and(|resume| resume.gone.is_some());
        kind == Some(self.waiter.kind) || gone
    }

    fn encoded(&self, write: impl FnOnce(&mut RespWriter<'_>)) -> Vec<u8> {
        let mut reply = Vec::new();
        write(&mut RespWriter::new(&mut reply, self.protocol));
        reply
    }

    /// Another of its keys was fed while it was tried for one: whoever did that has passed it over.
    fn look_again(&self, engine: &Engine) {
        for &position in &self.keys {
            let key = &self.argv[position];
            let hash = engine.store.hasher().hash(key);
            let key = key.as_slice().into();
            engine.store.note_gone(Touched { db: self.db, hash, key });
        }
    }

    /// Tries it for a key that holds a value of this kind. Its reply, encoded, and whether it has
    /// failed; `None` if it waits on.
    fn try_again(
        &self,
        engine: &Engine,
        txn: &mut Txn,
        key: &Touched,
        kind: Option<Kind>,
    ) -> Option<(Vec<u8>, bool)> {
        if kind == Some(self.waiter.kind) {
            return self.run_again(engine, txn, &key.key);
        }
        let gone = self.resume.as_ref().and_then(|resume| resume.gone.as_ref())?;
        engine.stats.error(gone.code());
        Some((self.encoded(|writer| writer.error_bytes(gone.bytes())), true))
    }

    /// Runs the request now that `fed` has been fed.
    fn run_again(&self, engine: &Engine, txn: &mut Txn, fed: &[u8]) -> Option<(Vec<u8>, bool)> {
        let entry = &engine.table.entries()[self.entry];
        let argv = self.words_for(entry, fed);
        let now = txn.now();
        if let Err(refusal) = access::may_be_served((engine, now), &self.client, entry, &argv) {
            engine.stats.error(refusal.code());
            let mut reply = Vec::new();
            RespWriter::new(&mut reply, self.protocol).error_bytes(refusal.bytes());
            return Some((reply, true));
        }
        let request = Request { argv: &argv, entry: Some(entry), hash: None };
        let mut reply = Vec::new();
        // Delivered as it is: an error here, and the connection's own limits when it is sent.
        let most = engine.config().callers.max_reply_size;
        let mut writer = RespWriter::new(&mut reply, self.protocol).within(most);
        let hasher = engine.store.hasher();
        let args = base::Args::new(request.argv, entry.words, None, hasher).woken();
        txn.select(self.db);
        // A panic here is not the fault of the request that fed the key.
        let done = match txn.contain(|txn| (self.run)(txn, args, &mut writer)) {
            Ok(done) => done,
            Err(failed) => {
                remember::keys(engine, txn, entry, &argv);
                contained(entry, &failed, 0, &mut writer);
                return Some((reply, true));
            }
        };
        match done {
            Ok(Effect::Block(_)) => {
                txn.forget_changes();
                return None;
            }
            Ok(Effect::None) => txn.forget_changes(),
            Ok(effect) => {
                remember::effect(engine, txn, (entry, &argv, None), &effect);
                match effect {
                    Effect::Unwatched(_) => txn.forget_changes(),
                    Effect::Unblocks(_) => txn.publish_unwatched(),
                    _ => txn.publish_changes(),
                }
            }
            Err(failure) => {
                self.failed(engine, txn, (entry, &argv), &failure, &mut writer);
                return Some((reply, true));
            }
        }
        if writer.is_over() {
            let refuse = |out: &mut RespWriter<'_>| {
                out.error_bytes(base::error::REPLY_TOO_LONG.bytes());
            };
            return Some((self.encoded(refuse), true));
        }
        Some((reply, false))
    }

    fn failed(
        &self,
        engine: &Engine,
        txn: &mut Txn,
        (entry, argv): (&Entry, &[&[u8]]),
        failure: &CmdError,
        writer: &mut RespWriter<'_>,
    ) {
        if txn.has_changed() {
            remember::keys(engine, txn, entry, argv);
        }
        txn.publish_changes();
        engine.stats.error(failure.code());
        writer.error_bytes(failure.bytes());
    }
}

impl Blocked {
    /// The request as if it waited for `fed` alone: what its other keys hold is of no concern,
    /// not even if they hold another type by now.
    fn words_for(&self, entry: &Entry, fed: &[u8]) -> Vec<&[u8]> {
        if let Some(resume) = &self.resume {
            let at = self.keys.iter().position(|&at| self.argv[at] == fed);
            let again = at.and_then(|at| resume.again.get(at));
            return again.into_iter().flat_map(base::Argv::iter).collect();
        }
        let kept = self.keys.iter().find(|&&at| self.argv[at] == fed);
        let stays = |at: &usize| Some(at) == kept || !self.keys.contains(at);
        let places = (0..self.argv.len()).filter(stays);
        let mut words: Vec<&[u8]> = places.map(|at| self.argv[at].as_slice()).collect();
        // A count of keys stands before them: BLMPOP timeout numkeys key …
        if let Some(KeySpec { start: Start::Index(at), find: Find::Count { index, .. }, .. }) =
            entry.spec.keys.first()
        {
            words[at + index] = b"1";
        }
        words
    }
}
