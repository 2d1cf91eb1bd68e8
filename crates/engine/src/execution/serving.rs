//! How a blocked request runs when a key is fed that it waits for.
//!
//! The order of serving is the store's (`store/src/serving.rs`): the request runs again, under the
//! locks of the thread that fed the key and before they are released, in the order in which clients
//! came. One that needs a shard that the feeder does not hold is deferred, and so is every client
//! behind it: the thread that locks the key's shard next serves them first, under all the locks
//! they need (see the store's `shard/waiting.rs`). What waits for a stream may wait on: an entry
//! can be too old for it, or go to another consumer of its group.

use std::sync::Arc;
use std::time::Instant;

use base::{Find, KeySpec, Keyspace, Kind, Reply, Start};
use store::{Touched, Txn, Waiters};
use wire::RespWriter;

use crate::client::blocked::Blocked;
use crate::engine::Engine;
use crate::engine::entry::Entry;
use crate::execution::data_command::{Call, Served};
use crate::execution::query::{self, edit};
use crate::execution::query_under_locks::{Holder, UnderLocks};
use crate::execution::request::{Request, timed};
use crate::execution::rights;
use crate::execution::settle::Unfinished;

/// Serves the clients that the changes just published can feed: see [`store::serve_ready`].
#[inline]
pub(crate) fn serve_ready(engine: &Engine, txn: &mut Txn) {
    if txn.changes.has_ready() {
        txn.held.held_since(Instant::now());
        store::serve_ready(engine, txn);
    }
}

/// Looks at the keys that others could not serve: see [`store::serve_noted`].
#[inline]
pub(crate) fn serve_noted(engine: &Engine, txn: &mut Txn) {
    if engine.store.to_serve.is_any() {
        store::serve_noted(engine, &engine.store, txn);
    }
}

/// As [`serve_ready`], behind something that may have taken its time, a transaction or a script:
/// for itself time stood still, for clients that wait the clock goes on.
pub(crate) fn serve_later(engine: &Engine, txn: &mut Txn, began: Instant) {
    if !txn.changes.has_ready() {
        return;
    }
    txn.held.held_since(began);
    let now = txn.time();
    let took = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    txn.begin(now.saturating_add(took));
    store::serve_ready(engine, txn);
    txn.begin(now);
}

impl Waiters for Engine {
    type Blocked = Blocked;
    /// Encoded, and whether it counts as a failure.
    type Reply = (Vec<u8>, bool);

    fn look_at(&self, ticket: u64) -> Option<Arc<Blocked>> {
        self.waits.blocked.look_at(ticket)
    }

    fn concerns(&self, blocked: &Blocked, kind: Option<Kind>) -> bool {
        blocked.concerns(kind)
    }

    fn try_again(
        &self,
        txn: &mut Txn,
        blocked: &Blocked,
        key: &Touched,
        kind: Option<Kind>,
    ) -> Option<(Vec<u8>, bool)> {
        let (ended, took) = timed(|| blocked.try_again(self, txn, key, kind));
        blocked.took(took);
        ended
    }

    fn too_late(&self, blocked: &Blocked) -> (Vec<u8>, bool) {
        (blocked.encoded(|writer| writer.null_array()), false)
    }

    fn keys(&self, blocked: &Blocked) -> Vec<Touched> {
        let touched = |&position: &usize| {
            let key = blocked.argv[position].as_slice();
            Touched { db: blocked.db, hash: self.store.hasher().hash(key), key: key.into() }
        };
        blocked.places.iter().map(touched).collect()
    }

    fn end(&self, blocked: &Blocked, (reply, failed): (Vec<u8>, bool)) {
        blocked.end_with(reply, failed);
    }
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
        engine.metrics.stats.error(gone.code());
        Some((self.encoded(|writer| writer.error_bytes(gone.bytes())), true))
    }

    /// Runs the request now that `fed` has been fed.
    fn run_again(&self, engine: &Engine, txn: &mut Txn, fed: &[u8]) -> Option<(Vec<u8>, bool)> {
        let entry = &engine.table.entries()[self.entry];
        let argv = self.words_for(entry, fed);
        let now = txn.now();
        if let Err(refusal) = rights::may_be_served((engine, now), &self.client, entry, &argv) {
            engine.metrics.stats.error(refusal.code());
            let mut reply = Vec::new();
            RespWriter::new(&mut reply, self.protocol).error_bytes(refusal.bytes());
            return Some((reply, true));
        }
        let request = Request { argv: &argv, entry: Some(entry), hash: None };
        let mut reply = Vec::new();
        // Delivered as it is: an error here, and the connection's own limits when it is sent.
        let most = engine.config().clients.callers.max_reply_size;
        let mut writer = RespWriter::new(&mut reply, self.protocol).within(most);
        let run = self.run;
        let call = Call {
            engine,
            counters: Served,
            entry,
            request: &request,
            run,
            reader: None,
            edited: None,
        };
        txn.select(self.db);
        // A panic here is not the fault of the request that fed the key.
        let done = match call.run_held(txn, &mut writer) {
            Ok(None) => Ok(()),
            Ok(Some(Unfinished::Waits(_))) => return None,
            Ok(Some(Unfinished::Reads(query))) => {
                // With the shards in hand that those served before it were served with, too.
                let since = txn.held.held_since(Instant::now());
                let holder = Holder { client: &self.client, cancelled: None, since, ticket: None };
                UnderLocks::new(engine, txn, (entry, &argv), holder).and_then(|mut pace| {
                    let request = (entry, &argv[..]);
                    let done =
                        query::in_place(engine, Served, request, query, &mut pace, &mut writer);
                    pace.end(Served, done)
                })
            }
            Ok(Some(Unfinished::Edits(edit))) => {
                let since = txn.held.held_since(Instant::now());
                let holder = Holder { client: &self.client, cancelled: None, since, ticket: None };
                edit::in_place(&call, txn, edit, holder, &mut writer)
            }
            Err(failure) => Err(failure),
        };
        if let Err(failure) = done {
            writer.raw().clear();
            writer.error_bytes(failure.bytes());
            return Some((reply, true));
        }
        if writer.is_over() {
            let refuse = |out: &mut RespWriter<'_>| {
                out.error_bytes(base::error::REPLY_TOO_LONG.bytes());
            };
            return Some((self.encoded(refuse), true));
        }
        Some((reply, false))
    }
}

impl Blocked {
    /// The request as if it waited for `fed` alone: what its other keys hold is of no concern,
    /// not even if they hold another type by now.
    fn words_for(&self, entry: &Entry, fed: &[u8]) -> Vec<&[u8]> {
        let named = self.places.binary_search_by(|&at| self.argv[at].as_slice().cmp(fed));
        let kept = named.ok().map(|place| self.places[place]);
        if let Some((resume, at)) = self.resume.as_ref().zip(kept) {
            let own = [self.argv[at].as_slice(), self.behind(resume, at)];
            return resume.again.iter().chain(own).collect();
        }
        let stays = |at: &usize| Some(*at) == kept || self.keys.binary_search(at).is_err();
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
