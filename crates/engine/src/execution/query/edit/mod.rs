//! Edits: what is left of a command when it has forked a value (see `base/src/edit.rs`).
//!
//! ```text
//!   a request ─► under its locks: a fork ─► its client waits in the queue of the key ─► a thread:
//!                the fork is changed ─► under the locks: it is installed, or begins anew ─► reply
//!   EXEC, a script ─► under its locks: a fork, changed and installed
//!   what changes little ─► under its locks: done by the command itself, which leaves no edit
//! ```
//!
//! Edits of a key come one after the other, in their order, so that none begins for nothing while
//! another is about to be installed. Others may change the key meanwhile: then the edit begins anew
//! with what is there. When that has happened a few times, it runs with the shard in hand.
//!
//! A client that leaves takes an edit with it that has not begun; one that has begun ends when it
//! next asks, and nothing is changed. What has been installed is recorded and told as what any
//! command does.
//!
//! Here is how edits begin, their queues, and what runs with shards in hand; `at_work` is what a
//! thread for queries does with one.
//!
//! An edit that is being installed is claimed: no other client ends it, and whatever panics, its
//! client is answered (`Waiting`, `engine/src/background/mod.rs`). `engine/tests/graphs.rs` shows
//! the rules.

mod at_work;

use std::cell::RefCell;
use std::sync::Arc;

use base::{CmdError, Edit, Edited, Pace, Reply, error};
use store::Txn;

use self::at_work::AtWork;
use super::{answer_refusal, contain};
use crate::background::edit_queues::QueueKey;
use crate::background::{PendingEdit, Place, QueryWorker, Waiting};
use crate::client::blocked::Withdraw;
use crate::client::reply_limit::ReplyLimit;
use crate::client::session::Session;
use crate::engine::Engine;
use crate::execution::data_command::{Call, Counting};
use crate::execution::prepare::own_words;
use crate::execution::propagate;
use crate::execution::query_under_locks::{Holder, UnderLocks};

/// Has an edit run on a thread for queries, when it is its turn; its client waits for it. Runs
/// under the locks of the request's keys. `query::begin_thread` follows when they have been given
/// back. Where too many requests wait for other threads already, that is answered.
#[cold]
pub(crate) fn begin<T: Counting>(
    call: &Call<'_, T>,
    session: &mut Session,
    limit: ReplyLimit,
    edit: (Edit, Option<Vec<Vec<u8>>>),
    out: &mut dyn Reply,
) {
    answer_refusal(call, send(call, session, limit, edit), out);
}

fn send<T>(
    call: &Call<'_, T>,
    session: &mut Session,
    limit: ReplyLimit,
    (edit, words): (Edit, Option<Vec<Vec<u8>>>),
) -> Result<(), CmdError> {
    let &Call { engine, entry, request, run, .. } = call;
    let place = Place::take_for_query(&engine.background, session)?;
    let Some(own) = engine.me() else { return Err(error::INTERNAL) };
    let changed = propagate::changed(entry, request.argv, (session.db, engine.store.databases()));
    let Some(&(db, at)) = changed.first() else { return Err(error::INTERNAL) };
    let queue: QueueKey = (db, request.argv[at].into());
    let words = words.unwrap_or_else(|| own_words(request.argv));
    let request = (entry.number, words);
    let waiting = Waiting::for_edit(&engine.waits.blocked, place, session, request);
    let Some(blocked) = waiting.blocked().cloned() else { return Err(error::INTERNAL) };
    let pending = PendingEdit {
        waiting,
        most: limit.bytes,
        edit: Some(edit),
        run,
        entry: entry.number,
        db: session.db,
    };
    let mut first = None;
    blocked.begin_by(|| {
        // What waits for another begins with what that leaves.
        let join = |is_new| PendingEdit { edit: pending.edit.filter(|_| is_new), ..pending };
        let (number, is_new) = engine.background.edits.join(&queue, join);
        // From here on the queue moves, or is closed, whatever becomes of this thread's work.
        first =
            is_new.then(|| Turn { engine: Arc::clone(&own), queue: queue.clone(), taken: false });
        Withdraw::Request(Box::new(move || drop(own.background.edits.leave(&queue, number))))
    });
    first.into_iter().for_each(Turn::send);
    Ok(())
}

/// The turn of a queue: whatever becomes of it, the queue moves on, or is closed.
struct Turn {
    engine: Arc<Engine>,
    queue: QueueKey,
    /// A thread has it.
    taken: bool,
}

impl Turn {
    fn send(self) {
        let queries = Arc::clone(&self.engine.background.queries);
        queries.enqueue(Box::new(move |worker: &mut QueryWorker| {
            let mut turn = self;
            turn.taken = true;
            let Some(pending) = turn.engine.background.edits.next(&turn.queue) else { return };
            if pending.waiting.blocked().is_some_and(|blocked| blocked.begins()) {
                AtWork::begin(turn, pending).go_on(worker);
            }
        }));
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let edits = &self.engine.background.edits;
        if !self.taken {
            // There is no thread. They are answered as they are dropped.
            return drop(edits.close(&self.queue));
        }
        if !edits.is_over(&self.queue) {
            let (engine, queue) = (Arc::clone(&self.engine), self.queue.clone());
            Turn { engine, queue, taken: false }.send();
        }
    }
}

/// Works an edit out, and installs it, where its command has run: with shards in hand that are held
/// until then.
///
/// # Errors
/// What to answer instead of what was written.
#[cold]
pub(crate) fn in_place<T: Counting>(
    call: &Call<'_, T>,
    txn: &mut Txn,
    edit: Edit,
    holder: Holder<'_>,
    out: &mut dyn Reply,
) -> Result<(), CmdError> {
    let request = (call.entry, call.request.argv);
    let mut pace = UnderLocks::new(call.engine, txn, request, holder)?;
    let edited = at_pace(call, edit, &mut pace, out);
    let edited = pace.end(call.counters, edited)?;
    install(call, txn, edited, out)
}

/// Works an edit out, where shards are held.
///
/// # Errors
/// What to answer instead of what was written.
pub(crate) fn at_pace<T: Counting>(
    call: &Call<'_, T>,
    edit: Edit,
    pace: &mut dyn Pace,
    out: &mut dyn Reply,
) -> Result<Edited, CmdError> {
    contain(|| edit.run(call.request.argv, pace, out)).inspect_err(|failure| {
        if *failure != super::BEGUN_ANEW {
            call.counters.failed(call.engine, call.entry, failure);
        }
    })
}

/// Installs what an edit has come to, where nothing can have changed since it began.
///
/// # Errors
/// What to answer instead of what was written.
pub(crate) fn install<T: Counting>(
    call: &Call<'_, T>,
    txn: &mut Txn,
    edited: Edited,
    out: &mut dyn Reply,
) -> Result<(), CmdError> {
    let slot = RefCell::new(Some(edited));
    let call = Call { edited: Some(&slot), ..*call };
    match call.run_held(txn, out)? {
        None => Ok(()),
        // Time stood still for it, and its shards were held.
        Some(_) => Err(error::INTERNAL),
    }
}
