//! Blocked requests: how they wait, how they are fed, how they give up.
//!
//! A request that blocks is remembered whole. When a key it waits for is fed, the request runs
//! again, under the locks of whoever fed the key and before they are released, so that nobody
//! can take the element in between; clients are served in the order they came. Whoever settles
//! the [`Waiter`] first (feeder, timeout, `CLIENT UNBLOCK`, disconnect) ends the wait.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use base::{
    CmdError, Effect, Find, Handler, KeySpec, Kind, Millis, Nothing, Protocol, Reply, Resume,
    Start, Wait,
};
use hashbrown::HashMap;
use parking_lot::Mutex;
use store::{Failed, Scope, Touched, Txn, Waiter};
use wire::RespWriter;

use crate::access;
use crate::client::{Client, Message, words_memory};
use crate::engine::Engine;
use crate::execute::{Call, Request, contained};
use crate::remember;
use crate::session::Session;
use crate::table::Entry;
use crate::worker::Worker;

/// A request that waits for a key.
pub struct Blocked {
    /// Its place in the queues.
    pub waiter: Arc<Waiter>,
    /// When it gives up.
    pub until: Option<Millis>,
    /// Its reply is not wanted: `CLIENT REPLY`.
    silent: bool,
    client: Arc<Client>,
    protocol: Protocol,
    entry: usize,
    run: Handler<Txn>,
    argv: Vec<Vec<u8>>,
    db: usize,
    keys: Vec<usize>,
    resume: Option<Resume>,
}

/// Every blocked request, by ticket.
#[derive(Default)]
pub struct BlockedRequests {
    tickets: AtomicU64,
    by_ticket: Mutex<HashMap<u64, Arc<Blocked>>>,
}

impl BlockedRequests {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.by_ticket.lock().len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many of them give up at some time.
    #[must_use]
    pub fn timed(&self) -> usize {
        self.by_ticket.lock().values().filter(|blocked| blocked.until.is_some()).count()
    }

    /// The request with this ticket.
    #[must_use]
    pub fn get(&self, ticket: u64) -> Option<Arc<Blocked>> {
        self.by_ticket.lock().get(&ticket).map(Arc::clone)
    }

    fn remove(&self, ticket: u64) {
        self.by_ticket.lock().remove(&ticket);
    }
}

/// Makes `session` wait. Runs under the locks of the request's keys.
pub(crate) fn block(call: &Call<'_>, txn: &mut Txn, session: &mut Session, wait: Wait) {
    let Call { engine, entry, request, run, .. } = *call;
    let ticket = engine.blocked.tickets.fetch_add(1, Ordering::Relaxed) + 1;
    let mut plan = crate::plan::Plan::default();
    plan.add(&engine.store, entry, request.argv);
    let waiter = Arc::new(Waiter::new(ticket, wait.kind, plan.shards().to_vec()));
    let blocked = Arc::new(Blocked {
        waiter: Arc::clone(&waiter),
        until: wait.until,
        silent: session.replies.silent(),
        client: Arc::clone(&session.client),
        protocol: session.protocol,
        entry: entry.number,
        run,
        argv: request.argv.iter().map(|word| word.to_vec()).collect(),
        db: session.db,
        keys: wait.keys,
        resume: wait.resume,
    });
    engine.blocked.by_ticket.lock().insert(ticket, Arc::clone(&blocked));
    for &position in &blocked.keys {
        let key = request.argv[position];
        txn.add_waiter(engine.store.hasher().hash(key), key, &waiter);
    }
    session.client.blocked.store(ticket, Ordering::Relaxed);
    session.client.waiting.store(words_memory(request.argv), Ordering::Relaxed);
    session.blocked = Some(blocked);
}

impl Blocked {
    /// Makes `session` wait for what another thread does for it. Neither time nor other clients end
    /// that wait: it stands in no queue and has no ticket that anybody could ask for.
    pub(crate) fn elsewhere(engine: &Engine, session: &mut Session) -> Arc<Self> {
        fn never(
            _: &mut Txn,
            _: base::Args<'_>,
            _: &mut dyn Reply,
        ) -> Result<base::Effect, base::CmdError> {
            Err(base::error::INTERNAL)
        }
        let ticket = engine.blocked.tickets.fetch_add(1, Ordering::Relaxed) + 1;
        let blocked = Arc::new(Blocked {
            waiter: Arc::new(Waiter::new(ticket, base::Kind::String, Vec::new())),
            until: None,
            silent: session.replies.silent(),
            client: Arc::clone(&session.client),
            protocol: session.protocol,
            entry: 0,
            run: never,
            argv: Vec::new(),
            db: session.db,
            keys: Vec::new(),
            resume: None,
        });
        session.blocked = Some(Arc::clone(&blocked));
        blocked
    }

    /// Ends the wait of who waits for another thread, if they still do.
    pub(crate) fn answer(&self, write: impl FnOnce(&mut RespWriter<'_>)) {
        if !self.waiter.settle() {
            return;
        }
        let mut reply = Vec::new();
        write(&mut RespWriter::new(&mut reply, self.protocol));
        let message = Message::Unblocked { ticket: self.waiter.ticket, reply };
        self.client.mailbox.post(self.client.id, message);
    }
}

/// Writes the reply of a blocking request that got nothing and may not wait.
pub(crate) fn nothing(kind: Nothing, writer: &mut dyn Reply) {
    match kind {
        Nothing::Null => writer.null(),
        Nothing::NullArray => writer.null_array(),
    }
}

/// Serves the blocked requests that the changes just published can feed, longest waiting first.
/// Runs under the locks of the request that made the changes.
pub(crate) fn serve_ready(engine: &Engine, txn: &mut Txn) {
    let here = base::Keyspace::db(txn);
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

/// Tells those who wait for keys that went by their deadline, or with a whole database. The caller
/// holds no shard.
pub(crate) fn serve_gone(engine: &Engine, txn: &mut Txn) {
    for key in engine.store.take_gone() {
        let scope = Scope::One(engine.store.shard_of(key.hash));
        let again = key.clone();
        // A panic while serving is contained there; whoever waits is served by the next who comes.
        let done = txn.with(&engine.store, scope, |txn| {
            txn.note_ready(key);
            serve_ready(engine, txn);
        });
        if matches!(done, Err(Failed::Busy)) {
            engine.store.note_gone(again);
        }
    }
}

fn serve_key(engine: &Engine, txn: &mut Txn, key: &Touched) {
    for waiter in txn.waiters(key) {
        txn.select(key.db);
        let place = base::Key { bytes: &key.key, hash: key.hash };
        let kind = base::Keyspace::kind(txn, place);
        let Some(blocked) = engine.blocked.get(waiter.ticket) else {
            // It has left while this queue could not be had.
            txn.remove_waiter(key.db, key.hash, &key.key, &waiter);
            continue;
        };
        // Behind one who waits for a list there may be one who waits for a sorted set.
        if !blocked.concerns(kind) || !waiter.settle() {
            continue;
        }
        let reply = if kind == Some(waiter.kind) {
            blocked.run_again(engine, txn, &key.key)
        } else {
            blocked.resume.as_ref().and_then(|resume| resume.gone.as_ref()).map(|gone| {
                engine.stats.error(gone.code());
                blocked.encoded(|writer| writer.error_bytes(gone.bytes()))
            })
        };
        let reply = match reply {
            Some(reply) => reply,
            None if waiter.unsettle() => continue,
            None => blocked.encoded(|writer| writer.null_array()),
        };
        txn.remove_waiter(key.db, key.hash, &key.key, &waiter);
        let message = Message::Unblocked { ticket: waiter.ticket, reply };
        blocked.client.mailbox.post(blocked.client.id, message);
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

    /// Runs the request now that `fed` has been fed; its reply, encoded, or `None` if it waits on.
    fn run_again(&self, engine: &Engine, txn: &mut Txn, fed: &[u8]) -> Option<Vec<u8>> {
        let entry = &engine.table.entries()[self.entry];
        let argv = self.words_for(entry, fed);
        let now = base::Keyspace::now(txn);
        if let Err(refusal) = access::may_be_served((engine, now), &self.client, entry, &argv) {
            engine.stats.error(refusal.code());
            let mut reply = Vec::new();
            RespWriter::new(&mut reply, self.protocol).error_bytes(refusal.bytes());
            return Some(reply);
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
                return Some(reply);
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
                    Effect::Unwatched(_) => txn.publish_unwatched(),
                    _ => txn.publish_changes(),
                }
            }
            Err(failure) => self.failed(engine, txn, (entry, &argv), &failure, &mut writer),
        }
        if writer.is_over() {
            return Some(self.encoded(|out| out.error_bytes(base::error::REPLY_TOO_LONG.bytes())));
        }
        Some(reply)
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

impl Worker {
    /// Ends a wait whose time is up. `false` if somebody else has just ended it: then the reply
    /// is on its way through the mailbox.
    pub fn give_up(&mut self, session: &mut Session, out: &mut Vec<u8>) -> bool {
        let Some(blocked) = session.blocked.clone() else { return false };
        if !blocked.waiter.settle_overdue() {
            return false;
        }
        self.leave_queues(&blocked);
        if !blocked.silent {
            RespWriter::new(out, session.protocol).null_array();
        }
        unblocked(session);
        true
    }

    /// A message ended the wait with this ticket. `false` if it is not the session's wait.
    pub fn unblock(
        &mut self,
        session: &mut Session,
        ticket: u64,
        reply: &[u8],
        out: &mut Vec<u8>,
    ) -> bool {
        let Some(blocked) = session.blocked.clone().filter(|b| b.waiter.ticket == ticket) else {
            return false;
        };
        self.leave_queues(&blocked);
        self.note_now(session);
        if !blocked.silent {
            out.extend_from_slice(reply);
        }
        unblocked(session);
        true
    }

    /// The client is gone: nothing may be served to it any more.
    pub fn disconnect(&mut self, session: &mut Session) {
        if let Some(blocked) = session.blocked.take() {
            // If it was served already, its element is lost with the connection, as in Redis.
            let _ = blocked.waiter.settle();
            self.leave_queues(&blocked);
        }
        let engine = Arc::clone(&self.engine);
        engine.forget_postponed(session);
        engine.monitors.leave(&engine.heed, session);
        crate::multi::unwatch(&engine, &mut self.txn, session);
        engine.pubsub.leave_all(session);
        engine.tracking.disable(&engine.store, session);
        engine.clients.remove(session.client.id);
    }

    fn leave_queues(&mut self, blocked: &Blocked) {
        let engine = Arc::clone(&self.engine);
        engine.blocked.remove(blocked.waiter.ticket);
        for &position in &blocked.keys {
            let key = &blocked.argv[position];
            let hash = engine.store.hasher().hash(key);
            let scope = Scope::One(engine.store.shard_of(hash));
            // A settled waiter is skipped, and removed when the key is fed: should its shard not
            // be had now, nothing is lost.
            let _ = self.txn.with(&engine.store, scope, |txn| {
                txn.remove_waiter(blocked.db, hash, key, &blocked.waiter);
            });
        }
    }
}

fn unblocked(session: &mut Session) {
    session.blocked = None;
    session.client.blocked.store(0, Ordering::Relaxed);
    session.client.waiting.store(0, Ordering::Relaxed);
}

/// Ends a client's wait from outside: `CLIENT UNBLOCK`. `false` if it was not waiting.
pub(crate) fn unblock_from_outside(engine: &Engine, client: &Client, with_error: bool) -> bool {
    let ticket = client.blocked.load(Ordering::Relaxed);
    let Some(blocked) = engine.blocked.get(ticket) else { return false };
    if !blocked.waiter.settle() {
        return false;
    }
    let mut reply = Vec::new();
    let mut writer = RespWriter::new(&mut reply, blocked.protocol);
    if with_error {
        writer.error("UNBLOCKED client unblocked via CLIENT UNBLOCK");
    } else {
        writer.null_array();
    }
    client.mailbox.post(client.id, Message::Unblocked { ticket, reply });
    true
}
