//! Blocked requests: how they wait and how they give up; how they are served is in `serving.rs`.
//!
//! What is kept of them meanwhile is in `client/blocked.rs`.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use base::{Nothing, Reply, Wait};
use parking_lot::Mutex;
use store::{Txn, Waiter};
use wire::RespWriter;

use crate::client::blocked::{Awaits, Blocked, End, Times, Withdraw};
use crate::client::session::Session;
use crate::client::{Client, words_memory};
use crate::engine::Engine;
use crate::engine::worker::Worker;
use crate::execution::data_command::Call;
use crate::execution::delivery::tell_behind_query;

/// Makes `session` wait. Runs under the locks of the request's keys.
pub(crate) fn block<T>(call: &Call<'_, T>, txn: &mut Txn, session: &mut Session, wait: Wait) {
    let &Call { engine, entry, request, run, .. } = call;
    let ticket = engine.waits.blocked.number();
    let mut positions = Vec::new();
    // They were found when the request was planned, or there are none.
    let _ = entry.spec.key_positions(request.argv, &mut positions);
    let others = positions.into_iter().filter(|at| wait.keys.binary_search(at).is_err());
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
        places: Blocked::places_of(request.argv, &wait.keys),
        keys: wait.keys,
        resume: wait.resume,
        took: AtomicU64::new(0),
        end: End::default(),
        awaits: Awaits::Keys,
        withdraw: Mutex::new(None),
        times: Times::now(),
    });
    engine.waits.blocked.insert(&blocked);
    for (key, queued) in blocked.places() {
        txn.held.add_waiter(hasher.hash(key), key, &queued);
    }
    session.client.state.blocked.store(ticket, Ordering::Relaxed);
    session.client.bytes.places.store(blocked.places_memory(), Ordering::Relaxed);
    session.client.bytes.waiting.store(words_memory(request.argv), Ordering::Relaxed);
    session.blocked = Some(blocked);
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
        if !blocked.waiter.claim_overdue() {
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
        if blocked.end.too_long.load(Ordering::Relaxed) && !blocked.silent {
            let (limit, start) = (self.context.reply_limits.of(session), out.len());
            self.context.reply_too_long(session, limit, (out, start));
        } else if !blocked.silent || blocked.end.whole.load(Ordering::Relaxed) {
            out.extend_from_slice(reply);
        }
        session.closing |= blocked.end.gone.load(Ordering::Relaxed);
        session.leave_if_closing();
        unblocked(session);
        if blocked.awaits == Awaits::Query && session.tracking.mode.on {
            let stale = session.client.tracking.query.end();
            tell_behind_query(&self.engine, &session.client, &stale);
        }
        self.note_end(session, &blocked);
        true
    }

    /// The client is gone: nothing may be served to it any more.
    pub fn disconnect(&mut self, session: &mut Session) {
        session.client.state.gone.store(true, Ordering::Release);
        if let Some(blocked) = session.blocked.take() {
            // If it was served already, its element is lost with the connection, as in Redis.
            let _ = blocked.waiter.claim();
            self.leave_queues(&blocked);
            // Work that has begun goes on to its end.
            let withdraw = blocked.withdraw.lock().take();
            if let Some(Withdraw::Request(by) | Withdraw::Reply(by)) = withdraw {
                by();
            }
        }
        let engine = Arc::clone(&self.engine);
        engine.forget_postponed(session);
        engine.notify.monitors.leave(&engine.run.request_flags, session);
        crate::execution::multi::unwatch(&engine, &mut self.txn, session);
        engine.notify.pubsub.leave_all(session);
        engine.notify.tracking.disable(&engine.store, session);
        engine.clients.remove(session.client.id);
    }

    fn leave_queues(&mut self, blocked: &Arc<Blocked>) {
        let engine = Arc::clone(&self.engine);
        engine.waits.blocked.remove(blocked.waiter.ticket);
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
            let argv = blocked.words();
            let took = Duration::from_nanos(blocked.took.load(Ordering::Relaxed));
            self.context.took(&self.engine, entry, &argv, session, took);
        }
    }
}

/// Takes a request that waits no longer out of its queues. Where an overdue request holds a shard
/// that is done later: until then it is skipped, as it is claimed.
fn leave_queues(engine: &Engine, txn: &mut Txn, blocked: &Arc<Blocked>) {
    if !store::leave_queues(txn, &engine.store, blocked.db, blocked.places()) {
        engine.waits.blocked.leaving.lock().push(Arc::clone(blocked));
    }
}

/// The same for those that could not leave before. The caller holds no shard.
pub(crate) fn leave_at_last(engine: &Engine, txn: &mut Txn) {
    let leaving = std::mem::take(&mut *engine.waits.blocked.leaving.lock());
    leaving.iter().for_each(|blocked| leave_queues(engine, txn, blocked));
}

fn unblocked(session: &mut Session) {
    session.blocked = None;
    session.client.state.blocked.store(0, Ordering::Relaxed);
    session.client.bytes.waiting.store(0, Ordering::Relaxed);
    session.client.bytes.places.store(0, Ordering::Relaxed);
}

/// Ends a client's wait from outside: `CLIENT UNBLOCK`. `false` if it was not waiting.
pub(crate) fn unblock_from_outside(engine: &Engine, client: &Client, with_error: bool) -> bool {
    let ticket = client.state.blocked.load(Ordering::Relaxed);
    let Some(blocked) = engine.waits.blocked.get(ticket) else { return false };
    end_from_outside(engine, &blocked, |writer| match with_error {
        true => writer.error("UNBLOCKED client unblocked via CLIENT UNBLOCK"),
        false => writer.null_array(),
    })
}

/// Ends a wait from outside, with this answer. `false` if it had ended.
pub(crate) fn end_from_outside(
    engine: &Engine,
    blocked: &Blocked,
    write: impl FnOnce(&mut RespWriter<'_>),
) -> bool {
    if !blocked.waiter.claim() {
        return false;
    }
    // Redis counts an error and a null as failures of what was blocked.
    blocked.end.failed.store(true, Ordering::Relaxed);
    blocked.withdraw_request();
    let mut reply = Vec::new();
    write(&mut RespWriter::new(&mut reply, blocked.protocol));
    if let Some(error) = reply.strip_prefix(b"-") {
        let code = error.split(|byte| byte.is_ascii_whitespace()).next().unwrap_or_default();
        engine.metrics.stats.error(&String::from_utf8_lossy(code));
    }
    blocked.post(reply);
    true
}
