//! Serving the clients that wait for a key when it is fed: in which order, and which are passed
//! over.
//!
//! ```text
//!   key fed ─► heads of its queues, by ticket ─► gone? out of the queue, the next
//!                                               ├► needs more shards? deferred, and all behind it
//!                                               └► claimed ─► tried ─► served, the next
//!                                                                └──► let go of, and all behind it
//! ```
//!
//! A request is served under the locks of the thread that fed the key and before they are released,
//! so that no request can take the element in between. What it is and how it runs, its owner knows
//! ([`Waiters`]).

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use base::{Databases, Kind, Types};

use crate::{Failed, LetGo, Queued, Scope, Store, Touched, Txn};

/// Who keeps the requests that wait.
pub trait Waiters {
    /// Such a request.
    type Blocked;
    /// What ends its wait.
    type Reply;

    /// The request with this ticket, unless it has left.
    fn look_at(&self, ticket: u64) -> Option<Arc<Self::Blocked>>;
    /// Whether it ends its wait that a key holds this.
    fn concerns(&self, blocked: &Self::Blocked, kind: Option<Kind>) -> bool;
    /// Tries it for a key that holds a value of this kind; none if it waits on.
    fn try_again(
        &self,
        txn: &mut Txn,
        blocked: &Self::Blocked,
        key: &Touched,
        kind: Option<Kind>,
    ) -> Option<Self::Reply>;
    /// What it gets whose time is up.
    fn too_late(&self, blocked: &Self::Blocked) -> Self::Reply;
    /// The keys that it waits for.
    fn keys(&self, blocked: &Self::Blocked) -> Vec<Touched>;
    /// Ends its wait.
    fn end(&self, blocked: &Self::Blocked, reply: Self::Reply);
}

/// Serves the blocked requests that the changes just published can feed, longest waiting first.
/// Runs under the locks of the request that made the changes.
pub fn serve_ready<W: Waiters>(waiters: &W, txn: &mut Txn) {
    let here = txn.db();
    let mut ready = txn.changes.take_ready();
    while !ready.is_empty() {
        for key in ready {
            serve_key(waiters, txn, &key);
        }
        // Serving may have fed other keys: BLMOVE pushes where another client waits.
        ready = txn.changes.take_ready();
    }
    txn.select(here);
}

/// Looks at the keys that went by their deadline or with a whole database, or have deferred serves
/// for clients that wait for them. The caller holds no shard.
pub fn serve_noted<W: Waiters>(waiters: &W, store: &Store, txn: &mut Txn) {
    // Serving may leave more: who waits behind needs other shards, or who is fed by it does.
    loop {
        let keys = store.to_serve.take();
        if keys.is_empty() {
            return;
        }
        for key in keys {
            let shard = store.shard_of(key.hash);
            let again = key.clone();
            // A panic while serving is contained there; a client that waits is served by the next
            // request.
            let done = txn.with_deferred_served(store, shard, |txn| {
                txn.changes.note_ready(key);
                serve_ready(waiters, txn);
            });
            if matches!(done, Err(Failed::Busy)) {
                store.to_serve.put_off(again);
            }
        }
    }
}

/// Serves those who wait for a key, longest waiting first. In each of its queues it looks at those
/// that it serves and at one more.
fn serve_key<W: Waiters>(waiters: &W, txn: &mut Txn, key: &Touched) {
    // Queues differ in what they wait for, so few are served by the same feeding.
    let mut heads: Vec<Option<Queued>> = txn.held.heads(key).into_iter().map(Some).collect();
    let by_ticket = |(at, one): (usize, &Option<Queued>)| {
        one.as_ref().map(|one| Reverse((one.waiter.ticket, at)))
    };
    let mut order: BinaryHeap<_> = heads.iter().enumerate().filter_map(by_ticket).collect();
    while let Some(Reverse((_, at))) = order.pop() {
        let Some(one) = heads[at].take() else { continue };
        // Asked before it leaves: its place says who is next.
        let next = txn.held.behind(key, &one);
        if serve_one(waiters, txn, key, &one)
            && let Some(next) = next
        {
            order.push(Reverse((next.waiter.ticket, at)));
            heads[at] = Some(next);
        }
    }
}

/// Serves one who waits, if that can be done. `false`: nor can those behind it in its queue.
fn serve_one<W: Waiters>(waiters: &W, txn: &mut Txn, key: &Touched, one: &Queued) -> bool {
    let waiter = &one.waiter;
    txn.select(key.db);
    let kind = txn.kind(base::Key { bytes: &key.key, hash: key.hash });
    let Some(blocked) = waiters.look_at(waiter.ticket) else {
        // It has left while this queue could not be had.
        txn.held.remove_waiter(key.db, key.hash, &key.key, one);
        return true;
    };
    if !waiters.concerns(&blocked, kind) {
        return false;
    }
    if kind == Some(waiter.kind) && !txn.held.holds_all(&waiter.needs) {
        txn.held.defer(key, &waiter.needs);
        return false;
    }
    if !waiter.claim_fed() {
        return true;
    }
    let reply = match waiters.try_again(txn, &blocked, key, kind) {
        Some(reply) => reply,
        None => match waiter.release_claim() {
            LetGo::Waits => return false,
            LetGo::Missed => {
                // Another of its keys was fed meanwhile: the thread that did that has passed it
                // over.
                waiters.keys(&blocked).into_iter().for_each(|key| txn.store().to_serve.note(key));
                return false;
            }
            LetGo::Overdue => waiters.too_late(&blocked),
        },
    };
    txn.held.remove_waiter(key.db, key.hash, &key.key, one);
    waiters.end(&blocked, reply);
    true
}

/// Takes a request that waits no longer out of its queues. `false` if an overdue request holds a
/// shard: until it has been taken out there, too, it is passed over.
pub fn leave_queues<'k>(
    txn: &mut Txn,
    store: &Store,
    db: usize,
    places: impl Iterator<Item = (&'k [u8], Queued)>,
) -> bool {
    let mut left = true;
    for (key, queued) in places {
        let hash = store.hasher().hash(key);
        let scope = Scope::One(store.shard_of(hash));
        let leave = |txn: &mut Txn| txn.held.remove_waiter(db, hash, key, &queued);
        left &= !matches!(txn.with(store, scope, leave), Err(Failed::Busy));
    }
    left
}
