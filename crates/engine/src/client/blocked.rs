//! Blocked requests: who waits, and how a wait ends.
//!
//! A request that blocks is remembered whole, with a place in a queue of each key it waits for, or
//! without keys where another thread works at it. The first to claim its [`Waiter`] (feeder,
//! query, timeout, `CLIENT UNBLOCK`, disconnect) ends the wait. How requests begin to wait and give
//! up is in `execution/block.rs` and
//! `execution/query/mod.rs`, how they are served in `execution/serving.rs`.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use base::{Handler, Millis, Protocol, Reply, Resume};
use hashbrown::HashMap;
use journal::wall_clock;
use parking_lot::Mutex;
use store::{Queued, Txn, Waiter};
use wire::RespWriter;

use super::held::PostedReply;
use super::session::Session;
use super::{Client, Message, words_memory};

/// Bytes that the place of a request at a key takes beside the key's name, about: the key may have
/// none but this one, and has queues.
const PLACE: usize = 850;

/// A request that waits.
pub struct Blocked {
    /// Its place in the queues.
    pub waiter: Arc<Waiter>,
    /// When it gives up.
    pub until: Option<Millis>,
    /// Its reply is not wanted: `CLIENT REPLY`.
    pub(crate) silent: bool,
    pub(crate) client: Arc<Client>,
    pub(crate) protocol: Protocol,
    pub(crate) entry: usize,
    pub(crate) run: Handler<Txn>,
    pub(crate) argv: Vec<Vec<u8>>,
    pub(crate) db: usize,
    /// Positions of the keys it waits for, ascending.
    pub(crate) keys: Vec<usize>,
    /// Those of them that stand in a queue: the first of each name, by name.
    pub(crate) places: Vec<usize>,
    pub(crate) resume: Option<Resume>,
    /// How long it ran, in nanoseconds: before it waited, and when it was served.
    pub(crate) took: AtomicU64,
    /// How the wait ended, for the statistics.
    pub(crate) end: End,
    /// What ends the wait.
    pub(crate) awaits: Awaits,
    /// Lets go of what another thread has for it, if its client goes before.
    pub(crate) withdraw: Mutex<Option<Withdraw>>,
    /// Since when it waits, and since when another thread works at it.
    pub(crate) times: Times,
}

/// Since when a request waits, and since when another thread works at it.
pub(crate) struct Times {
    /// By the clock on the wall.
    pub came: Millis,
    pub since: Instant,
    pub begun: OnceLock<Instant>,
}

impl Times {
    /// It waits from now on.
    pub fn now() -> Self {
        Times { came: wall_clock(), since: Instant::now(), begun: OnceLock::new() }
    }
}

/// What ends a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Awaits {
    /// A key that is fed.
    Keys,
    /// A query, which another thread runs for as long as its client waits.
    Query,
    /// Another thread, which does its part in any case.
    Elsewhere,
}

/// How a query has ended.
pub(crate) struct QueryEnd {
    pub reply: Vec<u8>,
    pub took: Duration,
    /// It has failed, and the reply says why.
    pub failed: bool,
    /// The reply is too long to be sent.
    pub too_long: bool,
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
pub(crate) struct End {
    pub(crate) served: AtomicBool,
    pub(crate) failed: AtomicBool,
    /// The reply tells of nothing that a crash could take back, and waits for no disk.
    pub(crate) at_once: AtomicBool,
    /// What of the reply is not wanted has been left out: all of it is sent.
    pub(crate) whole: AtomicBool,
    /// The session ends with it.
    pub(crate) gone: AtomicBool,
    /// The reply is longer than it may be.
    pub(crate) too_long: AtomicBool,
}

/// Every blocked request, by ticket.
#[derive(Default)]
pub struct BlockedRequests {
    pub(crate) tickets: AtomicU64,
    by_ticket: Mutex<HashMap<u64, Arc<Blocked>>>,
    /// Those that wait no longer and stand in a queue all the same: see `leave_at_last` in
    /// `execution/block.rs`.
    pub(crate) leaving: Mutex<Vec<Arc<Blocked>>>,
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

    /// Those for which another thread works at a query, or will.
    pub(crate) fn queries(&self) -> Vec<Arc<Blocked>> {
        let is_query = |blocked: &&Arc<Blocked>| blocked.awaits == Awaits::Query;
        let mut all: Vec<_> = self.by_ticket.lock().values().filter(is_query).cloned().collect();
        all.sort_by_key(|blocked| blocked.waiter.ticket);
        all
    }

    /// A number that no other request has.
    pub(crate) fn number(&self) -> u64 {
        self.tickets.fetch_add(1, Ordering::Relaxed) + 1
    }

    pub(crate) fn insert(&self, blocked: &Arc<Blocked>) {
        if blocked.until.is_some() {
            self.timed.fetch_add(1, Ordering::Relaxed);
        }
        self.by_ticket.lock().insert(blocked.waiter.ticket, Arc::clone(blocked));
    }

    pub(crate) fn remove(&self, ticket: u64) {
        let gone = self.by_ticket.lock().remove(&ticket);
        if gone.is_some_and(|blocked| blocked.until.is_some()) {
            self.timed.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl Blocked {
    /// Makes `session` wait for what another thread does for it. Neither time nor other clients end
    /// that wait: it stands in no queue and has no ticket that could be asked for.
    pub(crate) fn elsewhere(requests: &BlockedRequests, session: &mut Session) -> Arc<Self> {
        Self::without_keys(requests, session, Awaits::Elsewhere, (0, Vec::new()))
    }

    /// Makes `session` wait for the query that a request has begun: one that others see, and that
    /// they can end.
    pub(crate) fn for_query(
        requests: &BlockedRequests,
        session: &mut Session,
        request: (usize, Vec<Vec<u8>>),
    ) -> Arc<Self> {
        let blocked = Self::for_edit(requests, session, request);
        // What it has seen was noted when it began: it sees nothing later.
        blocked.end_at_once();
        blocked
    }

    /// The same of an edit, which has changed something when it ends.
    pub(crate) fn for_edit(
        requests: &BlockedRequests,
        session: &mut Session,
        request: (usize, Vec<Vec<u8>>),
    ) -> Arc<Self> {
        let blocked = Self::without_keys(requests, session, Awaits::Query, request);
        requests.insert(&blocked);
        session.client.state.blocked.store(blocked.waiter.ticket, Ordering::Relaxed);
        session.client.bytes.waiting.store(words_memory(&blocked.argv), Ordering::Relaxed);
        blocked
    }

    fn without_keys(
        requests: &BlockedRequests,
        session: &mut Session,
        awaits: Awaits,
        (entry, argv): (usize, Vec<Vec<u8>>),
    ) -> Arc<Self> {
        fn never(
            _: &mut Txn,
            _: base::Args<'_>,
            _: &mut dyn Reply,
        ) -> Result<base::Effect, base::CmdError> {
            Err(base::error::INTERNAL)
        }
        let ticket = requests.number();
        let blocked = Arc::new(Blocked {
            waiter: Arc::new(Waiter::new(ticket, base::Kind::String, Vec::new())),
            until: None,
            silent: session.replies.silent(),
            client: Arc::clone(&session.client),
            protocol: session.protocol,
            entry,
            run: never,
            argv,
            db: session.db,
            keys: Vec::new(),
            places: Vec::new(),
            resume: None,
            took: AtomicU64::new(0),
            end: End::default(),
            awaits,
            withdraw: Mutex::new(None),
            times: Times::now(),
        });
        session.blocked = Some(Arc::clone(&blocked));
        blocked
    }

    /// The words of its request, its name first.
    pub(crate) fn words(&self) -> Vec<&[u8]> {
        self.argv.iter().map(Vec::as_slice).collect()
    }

    /// The first of each name among these positions, by name. A request may name a million keys,
    /// and one of them a million times: it has one place there.
    pub(crate) fn places_of(argv: &[&[u8]], keys: &[usize]) -> Vec<usize> {
        let mut places = keys.to_vec();
        places.sort_unstable_by_key(|&at| (argv[at], at));
        places.dedup_by_key(|at| argv[*at]);
        places
    }

    /// The keys it waits for, and its place at each.
    pub(crate) fn places(&self) -> impl Iterator<Item = (&[u8], Queued)> {
        self.places
            .iter()
            .map(|&at| (self.argv[at].as_slice(), Queued::new(&self.waiter, self.alike(at))))
    }

    /// Bytes that its places take, about.
    pub(crate) fn places_memory(&self) -> usize {
        let place = |&at: &usize| PLACE + self.argv[at].len() + self.alike(at).len();
        let behind = self.resume.as_ref().map_or(0, |resume| words_memory(&resume.behind));
        self.places.iter().map(place).sum::<usize>() + behind
    }

    /// The name of its queue at the key at this position.
    fn alike(&self, position: usize) -> &[u8] {
        let Some(resume) = &self.resume else { return b"" };
        match &resume.alike {
            Some(alike) => alike,
            None => self.behind(resume, position),
        }
    }

    /// The word behind the key at this position, in the request with which it goes on.
    pub(crate) fn behind<'r>(&self, resume: &'r Resume, position: usize) -> &'r [u8] {
        let at = self.keys.binary_search(&position).ok();
        at.and_then(|at| resume.behind.get(at)).map_or(b"", |word| word)
    }

    /// Whether it waits for keys, rather than for another thread that works at it and ends the wait
    /// when it is done.
    #[must_use]
    pub fn waits_for_keys(&self) -> bool {
        self.awaits == Awaits::Keys
    }

    /// Whether another thread works at it, a query, or will.
    pub(crate) fn is_query(&self) -> bool {
        self.awaits == Awaits::Query
    }

    /// Whether another thread works at it that comes to an end by itself, whether it is waited for
    /// or not.
    #[must_use]
    pub fn ends_by_itself(&self) -> bool {
        self.awaits == Awaits::Elsewhere
    }

    /// Whether its client still waits.
    pub(crate) fn is_wanted(&self) -> bool {
        !self.waiter.is_claimed()
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
        self.times.begun.get_or_init(Instant::now);
        self.withdraw.lock().take().is_some()
    }

    /// Withdraws its request if it has not begun, and tells the client's thread to close its
    /// connection; whether it was so.
    pub(crate) fn give_way(&self) -> bool {
        let withdraw = {
            let mut withdraw = self.withdraw.lock();
            match withdraw.take() {
                Some(Withdraw::Request(by)) if self.waiter.claim() => by,
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

    /// Withdraws its request if it has not begun. The wait has ended.
    pub(crate) fn withdraw_request(&self) {
        let withdraw = self.withdraw.lock().take();
        if let Some(Withdraw::Request(by)) = withdraw {
            by();
        }
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

    /// Posts what a query has come to, if its client still waits. `claimed`: the caller has claimed
    /// it.
    pub(crate) fn end_query(&self, ended: QueryEnd, claimed: bool) {
        if claimed || self.waiter.claim() {
            self.took(ended.took);
            self.end.too_long.store(ended.too_long, Ordering::Relaxed);
            self.end_with(ended.reply, ended.failed);
        }
    }

    /// Its reply will tell of nothing that a crash could take back.
    pub(crate) fn end_at_once(&self) {
        self.end.at_once.store(true, Ordering::Relaxed);
    }

    /// Ends the wait of a client that waits for another thread, if it still does.
    pub(crate) fn answer(&self, write: impl FnOnce(&mut RespWriter<'_>)) {
        let mut reply = Vec::new();
        write(&mut RespWriter::new(&mut reply, self.protocol));
        // Nothing that could panic lies between the claim and the message that ends the wait.
        if self.waiter.claim() {
            self.post(reply);
        }
    }

    /// The same with all of a reply; `gone`: the session ends behind it.
    pub(crate) fn answer_whole(&self, reply: Vec<u8>, gone: bool) {
        if self.waiter.claim() {
            self.end.whole.store(true, Ordering::Relaxed);
            self.end.gone.store(gone, Ordering::Relaxed);
            self.post(reply);
        }
    }

    /// Posts a reply: it counts from here on until it is taken.
    pub(crate) fn post(&self, reply: Vec<u8>) {
        let reply = PostedReply::new(&self.client, reply);
        let message = Message::Unblocked { ticket: self.waiter.ticket, reply };
        self.client.mailbox.post(self.client.id, message);
    }
}
