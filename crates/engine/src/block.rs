//! Blocked requests: how they wait and how they give up; how they are served is in `serving.rs`.
//!
//! A request that blocks is remembered whole, with a place in a queue of each key it waits for. The
//! first to settle its [`Waiter`] (feeder, timeout, `CLIENT UNBLOCK`, disconnect) ends the wait.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use base::{Handler, Millis, Nothing, Protocol, Reply, Resume, Wait};
use hashbrown::HashMap;
use parking_lot::Mutex;
use store::{Queued, Txn, Waiter};
use wire::RespWriter;

use crate::client::{Client, Message, words_memory};
use crate::data_command::Call;
use crate::engine::Engine;
use crate::session::Session;
use crate::worker::Worker;

/// A request that waits for a key.
pub struct Blocked {
    /// Its place in the queues.
    pub waiter: Arc<Waiter>,
    /// When it gives up.
    pub until: Option<Millis>,
    /// Its reply is not wanted: `CLIENT REPLY`.
    silent: bool,
    pub(crate) client: Arc<Client>,
    pub(crate) protocol: Protocol,
    pub(crate) entry: usize,
    pub(crate) run: Handler<Txn>,
    pub(crate) argv: Vec<Vec<u8>>,
    pub(crate) db: usize,
    /// Positions of the keys it waits for.
    pub(crate) keys: Vec<usize>,
    pub(crate) resume: Option<Resume>,
    /// How long it ran, in nanoseconds: before it waited, and when it was served.
    took: AtomicU64,
    /// How the wait ended, for the statistics.
    end: End,
    /// Lets go of what another thread has for it, if its client goes before.
    withdraw: Mutex<Option<Withdraw>>,
}

/// What is let go when a client goes that waits for another thread.
pub(crate) enum Withdraw {
    /// Its request, which does not run then. Gone as soon as it runs.
    Request(Box<dyn FnOnce() + Send>),
    /// What is kept for its reply; the request runs all the same.
    Reply(Box<dyn FnOnce() + Send>),
}

/// How a wait ended. Written before the message that says so is posted.
#[derive(Default)]
struct End {
    served: AtomicBool,
    failed: AtomicBool,
    /// The reply tells of nothing that a crash could take back, and waits for no disk.
    at_once: AtomicBool,
    /// What of the reply is not wanted has been left out: all of it is sent.
    whole: AtomicBool,
    /// The session ends with it.
    gone: AtomicBool,
}

/// Every blocked request, by ticket.
#[derive(Default)]
pub struct BlockedRequests {
    tickets: AtomicU64,
    by_ticket: Mutex<HashMap<u64, Arc<Blocked>>>,
    /// Those that wait no longer and stand in a queue all the same: see [`leave_at_last`].
    leaving: Mutex<Vec<Arc<Blocked>>>,
    timed: AtomicUsize,
    looked_at: AtomicU64,
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
        self.timed.load(Ordering::Relaxed)
    }

    /// How often one of them was looked at because a key it waits for had changed.
    #[must_use]
    pub fn looked_at(&self) -> u64 {
        self.looked_at.load(Ordering::Relaxed)
    }

    pub(crate) fn look_at(&self, ticket: u64) -> Option<Arc<Blocked>> {
        self.looked_at.fetch_add(1, Ordering::Relaxed);
        self.get(ticket)
    }

    /// The request with this ticket.
    #[must_use]
    pub fn get(&self, ticket: u64) -> Option<Arc<Blocked>> {
        self.by_ticket.lock().get(&ticket).map(Arc::clone)
    }

    fn insert(&self, blocked: &Arc<Blocked>) {
        if blocked.until.is_some() {
            self.timed.fetch_add(1, Ordering::Relaxed);
        }
        self.by_ticket.lock().insert(blocked.waiter.ticket, Arc::clone(blocked));
    }

    fn remove(&self, ticket: u64) {
        let gone = self.by_ticket.lock().remove(&ticket);
        if gone.is_some_and(|blocked| blocked.until.is_some()) {
            self.timed.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// Bytes that the place of a request at a key takes beside the key's name, about: the key may have
/// none but this one, and has queues.
const PLACE: usize = 850;

/// Makes `session` wait. Runs under the locks of the request's keys.
pub(crate) fn block<T>(call: &Call<'_, T>, txn: &mut Txn, session: &mut Session, wait: Wait) {
    let &Call { engine, entry, request, run, .. } = call;
    let ticket = engine.blocked.tickets.fetch_add(1, Ordering::Relaxed) + 1;
    let mut positions = Vec::new();
    // They were found when the request was planned, or there are none.
    let _ = entry.spec.key_positions(request.argv, &mut positions);
    let others = positions.into_iter().filter(|position| !wait.keys.contains(position));
    let hasher = engine.store.hasher();
    let needs = others.map(|at| engine.store.shard_of(hasher.hash(request.argv[at]))).collect();
    let waiter = Arc::new(Waiter::new(ticket, wait.kind, needs));
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
        took: AtomicU64::new(0),
        end: End::default(),
        withdraw: Mutex::new(None),
    });
    engine.blocked.insert(&blocked);
    for (key, queued) in blocked.places() {
        txn.add_waiter(hasher.hash(key), key, &queued);
    }
    session.client.blocked.store(ticket, Ordering::Relaxed);
    let places = blocked.places().map(|(key, _)| PLACE + key.len()).sum();
    session.client.places.store(places, Ordering::Relaxed);
    session.client.waiting.store(words_memory(request.argv), Ordering::Relaxed);
    session.blocked = Some(blocked);
}

impl Blocked {
    /// Makes `session` wait for what another thread does for it. Neither time nor other clients end
    /// that wait: it stands in no queue and has no ticket that could be asked for.
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
            took: AtomicU64::new(0),
            end: End::default(),
            withdraw: Mutex::new(None),
        });
        session.blocked = Some(Arc::clone(&blocked));
        blocked
    }

    /// The keys it waits for, and its place at each.
    fn places(&self) -> impl Iterator<Item = (&[u8], Queued)> {
        self.keys.iter().enumerate().map(|(at, &position)| {
            let alike = self.resume.as_ref().and_then(|resume| resume.alike.get(at));
            let alike = alike.map_or(&b""[..], |alike| alike);
            (self.argv[position].as_slice(), Queued::new(&self.waiter, alike))
        })
    }

    /// Whether it waits for keys, rather than for another thread that works at it and ends the wait
    /// when it is done.
    #[must_use]
    pub fn waits_for_keys(&self) -> bool {
        !self.keys.is_empty()
    }

    /// Whether its client still waits.
    pub(crate) fn is_wanted(&self) -> bool {
        !self.waiter.is_settled()
    }

    /// Says what is let go when its client goes.
    pub(crate) fn withdraw_by(&self, withdraw: Withdraw) {
        *self.withdraw.lock() = Some(withdraw);
    }

    /// Has the request begun by `send`, which says how it is withdrawn. What `send` has run on
    /// another thread begins with [`Blocked::begins`].
    pub(crate) fn begin_by(&self, send: impl FnOnce() -> Withdraw) {
        let mut withdraw = self.withdraw.lock();
        *withdraw = Some(send());
    }

    /// Its request begins, and cannot be withdrawn any more; `false` if it has been already.
    pub(crate) fn begins(&self) -> bool {
        self.withdraw.lock().take().is_some()
    }

    /// Withdraws its request if it has not begun, and tells the client's thread to close its
    /// connection; whether it was so.
    pub(crate) fn give_way(&self) -> bool {
        let withdraw = {
            let mut withdraw = self.withdraw.lock();
            match withdraw.take() {
                Some(Withdraw::Request(by)) if self.waiter.settle() => by,
                other => {
                    *withdraw = other;
                    return false;
                }
            }
        };
        withdraw();
        self.client.mailbox.post(self.client.id, Message::Kill);
        true
    }

    /// Whether its request can still be withdrawn.
    pub(crate) fn can_give_way(&self) -> bool {
        matches!(*self.withdraw.lock(), Some(Withdraw::Request(_)))
    }

    /// It has run for so long.
    pub(crate) fn took(&self, took: Duration) {
        let nanos = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        self.took.fetch_add(nanos, Ordering::Relaxed);
    }

    /// Posts the reply that ends its wait. `failed`: it counts as one that has failed.
    pub(crate) fn end_with(&self, reply: Vec<u8>, failed: bool) {
        self.end.served.store(true, Ordering::Relaxed);
        self.end.failed.store(failed, Ordering::Relaxed);
        self.post(reply);
    }

    /// Its reply will tell of nothing that a crash could take back.
    pub(crate) fn end_at_once(&self) {
        self.end.at_once.store(true, Ordering::Relaxed);
    }

    /// Ends the wait of a client that waits for another thread, if it still does.
    pub(crate) fn answer(&self, write: impl FnOnce(&mut RespWriter<'_>)) {
        if !self.waiter.settle() {
            return;
        }
        let mut reply = Vec::new();
        write(&mut RespWriter::new(&mut reply, self.protocol));
        self.post(reply);
    }

    /// The same with all of a reply; `gone`: the session ends behind it.
    pub(crate) fn answer_whole(&self, reply: Vec<u8>, gone: bool) {
        if self.waiter.settle() {
            self.end.whole.store(true, Ordering::Relaxed);
            self.end.gone.store(gone, Ordering::Relaxed);
            self.post(reply);
        }
    }

    fn post(&self, reply: Vec<u8>) {
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

impl Worker {
    /// Ends a wait whose time is up. `false` if another thread has just ended it: then the reply is
    /// on its way through the mailbox.
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
        if !blocked.end.at_once.load(Ordering::Relaxed) {
            self.note_now(session);
        }
        if !blocked.silent || blocked.end.whole.load(Ordering::Relaxed) {
            out.extend_from_slice(reply);
        }
        session.closing |= blocked.end.gone.load(Ordering::Relaxed);
        unblocked(session);
        self.note_end(session, &blocked);
        true
    }

    /// The client is gone: nothing may be served to it any more.
    pub fn disconnect(&mut self, session: &mut Session) {
        if let Some(blocked) = session.blocked.take() {
            // If it was served already, its element is lost with the connection, as in Redis.
            let _ = blocked.waiter.settle();
            self.leave_queues(&blocked);
            // Work that has begun goes on to its end.
            let withdraw = blocked.withdraw.lock().take();
            if let Some(Withdraw::Request(by) | Withdraw::Reply(by)) = withdraw {
                by();
            }
        }
        let engine = Arc::clone(&self.engine);
        engine.forget_postponed(session);
        engine.monitors.leave(&engine.request_flags, session);
        crate::multi::unwatch(&engine, &mut self.txn, session);
        engine.pubsub.leave_all(session);
        engine.tracking.disable(&engine.store, session);
        engine.clients.remove(session.client.id);
    }

    fn leave_queues(&mut self, blocked: &Arc<Blocked>) {
        let engine = Arc::clone(&self.engine);
        engine.blocked.remove(blocked.waiter.ticket);
        leave_queues(&engine, &mut self.txn, blocked);
    }

    /// Counts a request whose wait has ended, as one that ends at once is counted.
    fn note_end(&self, session: &Session, blocked: &Blocked) {
        let Some(entry) = self.engine.table.entries().get(blocked.entry) else { return };
        if blocked.end.failed.load(Ordering::Relaxed) {
            self.context.counters.commands[entry.number].failed.add(1);
            self.context.counters.errors.add(1);
        }
        if blocked.end.served.load(Ordering::Relaxed) {
            let argv: Vec<&[u8]> = blocked.argv.iter().map(Vec::as_slice).collect();
            let took = Duration::from_nanos(blocked.took.load(Ordering::Relaxed));
            self.context.took(&self.engine, entry, &argv, session, took);
        }
    }
}

/// Takes a request that waits no longer out of its queues. Where an overdue request holds a shard
/// that is done later: until then it is skipped, as it is settled.
fn leave_queues(engine: &Engine, txn: &mut Txn, blocked: &Arc<Blocked>) {
    if !txn.leave_queues(&engine.store, blocked.db, blocked.places()) {
        engine.blocked.leaving.lock().push(Arc::clone(blocked));
    }
}

/// The same for those that could not leave before. The caller holds no shard.
pub(crate) fn leave_at_last(engine: &Engine, txn: &mut Txn) {
    let leaving = std::mem::take(&mut *engine.blocked.leaving.lock());
    leaving.iter().for_each(|blocked| leave_queues(engine, txn, blocked));
}

fn unblocked(session: &mut Session) {
    session.blocked = None;
    session.client.blocked.store(0, Ordering::Relaxed);
    session.client.waiting.store(0, Ordering::Relaxed);
    session.client.places.store(0, Ordering::Relaxed);
}

/// Ends a client's wait from outside: `CLIENT UNBLOCK`. `false` if it was not waiting.
pub(crate) fn unblock_from_outside(engine: &Engine, client: &Client, with_error: bool) -> bool {
    let ticket = client.blocked.load(Ordering::Relaxed);
    let Some(blocked) = engine.blocked.get(ticket) else { return false };
    if !blocked.waiter.settle() {
        return false;
    }
    // Redis counts both as failures of what was blocked.
    blocked.end.failed.store(true, Ordering::Relaxed);
    let mut reply = Vec::new();
    let mut writer = RespWriter::new(&mut reply, blocked.protocol);
    if with_error {
        engine.stats.error("UNBLOCKED");
        writer.error("UNBLOCKED client unblocked via CLIENT UNBLOCK");
    } else {
        writer.null_array();
    }
    client.mailbox.post(client.id, Message::Unblocked { ticket, reply });
    true
}
