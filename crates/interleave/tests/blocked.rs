//! Clients that wait for keys: a client that can be served is, once, in the order they came, by
//! whichever thread feeds the key or runs deferred serves; however else a wait may end at the same
//! moment.
//!
//! The store is the real one, whole: locks, queues, claims, deferred serves, and the order of
//! serving (`store/src/serving.rs`). What stands for the engine is a register of requests and what
//! they do: a key is a string, a byte of it an element.

// In a test a panic is how a failure is told.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::sync::Arc;

use base::{Deadline, Keyspace, Kind, Strings};
use kvist_interleave::{ALL_WAIT, explore, must_fail};
use shuttle::thread;
use store::{
    Failed, Notification, NotificationSink, Options, Queued, Scope, Store, Touched, Txn, Waiter,
    Waiters, serve_noted, serve_ready,
};
use sync::{Condvar, Mutex};

/// Which rule is broken.
#[derive(Clone, Copy, PartialEq)]
enum Broken {
    Nothing,
    /// The thread that fed a key does not look at deferred serves.
    FeedsAndGoes,
    /// A key that was fed while its waiter was tried for another is not looked at.
    ForgetsMissed,
    /// Who gives up claims nothing.
    LeavesUnclaimed,
    /// Who ends a wait from outside claims nothing.
    EndsUnclaimed,
    /// A client looks at its key and stands in the queue under two holds of the lock.
    LooksThenWaits,
}

/// How a client waits.
#[derive(Clone, Copy, Default)]
struct Wait {
    /// For which keys.
    keys: &'static [usize],
    /// Where the element goes: `BLMOVE`.
    to: Option<usize>,
    /// How many elements must be there.
    least: usize,
    /// It may give up at any time.
    gives_up: bool,
    /// It may go at any time.
    goes: bool,
}

/// What ends a wait: an element, or none.
#[derive(Default)]
struct Inbox {
    posted: Mutex<Option<Option<u8>>>,
    arrived: Condvar,
}

impl Inbox {
    fn post(&self, reply: Option<u8>) {
        let mut posted = self.posted.lock();
        assert!(posted.is_none(), "a wait has ended twice");
        *posted = Some(reply);
        self.arrived.notify_one();
    }

    fn wait(&self) -> Option<u8> {
        let mut posted = self.posted.lock();
        loop {
            if let Some(reply) = *posted {
                return reply;
            }
            self.arrived.wait(&mut posted);
        }
    }
}

struct Request {
    waiter: Arc<Waiter>,
    wait: Wait,
    inbox: Inbox,
}

#[derive(Default)]
struct Register {
    tickets: u64,
    by_ticket: BTreeMap<u64, Arc<Request>>,
    /// Who could not leave its queues.
    leaving: Vec<Arc<Request>>,
    /// Elements that have reached who wanted them, and tickets in the order they were served.
    taken: Vec<u8>,
    served: Vec<u64>,
    /// Clients that are done.
    done: usize,
}

struct System {
    store: Arc<Store>,
    register: Mutex<Register>,
    blocked: Condvar,
    broken: Broken,
}

const NAMES: [&[u8]; 3] = [b"a", b"b", b"c"];

impl System {
    fn touched(&self, key: usize) -> Touched {
        let hash = self.store.hasher().hash(NAMES[key]);
        Touched { db: 0, hash, key: NAMES[key].into() }
    }

    fn shard(&self, key: usize) -> usize {
        self.store.shard_of(self.touched(key).hash)
    }

    fn elements(&self, txn: &Txn, key: usize) -> Vec<u8> {
        let key = base::Key { bytes: NAMES[key], hash: self.touched(key).hash };
        txn.string(key).unwrap().map(<[u8]>::to_vec).unwrap_or_default()
    }

    fn put(&self, txn: &mut Txn, key: usize, elements: &[u8]) {
        let key = base::Key { bytes: NAMES[key], hash: self.touched(key).hash };
        if elements.is_empty() {
            txn.remove(key, false);
        } else {
            txn.set_string(key, elements, Deadline::Clear);
        }
    }

    /// Takes an element, if there are as many as are wanted.
    fn take(&self, txn: &mut Txn, wait: &Wait, key: usize) -> Option<u8> {
        let elements = self.elements(txn, key);
        if elements.len() < wait.least.max(1) {
            return None;
        }
        self.put(txn, key, &elements[1..]);
        if let Some(to) = wait.to {
            let mut there = self.elements(txn, to);
            there.push(elements[0]);
            self.put(txn, to, &there);
        }
        txn.publish_changes();
        Some(elements[0])
    }

    fn txn(self: &Arc<Self>) -> Txn {
        let mut txn = Txn::new(Arc::clone(&self.store), 1);
        txn.begin(1_700_000_000_000);
        txn.hurry();
        txn
    }

    /// As a request runs; again and again while a shard is not to be had.
    fn run<R>(&self, txn: &mut Txn, keys: &[usize], mut work: impl FnMut(&mut Txn) -> R) -> R {
        let mut shards: Vec<usize> = keys.iter().map(|&key| self.shard(key)).collect();
        shards.sort_unstable();
        shards.dedup();
        let result = loop {
            let scope =
                if shards.len() == 1 { Scope::One(shards[0]) } else { Scope::Many(&shards) };
            match txn.with(&self.store, scope, &mut work) {
                Ok(result) => break result,
                Err(Failed::Busy) => sync::thread::yield_now(),
                Err(Failed::Panicked(text)) => panic!("{text}"),
            }
        };
        if self.broken != Broken::FeedsAndGoes {
            serve_noted(self, &self.store, txn);
        }
        result
    }

    fn feed(self: &Arc<Self>, key: usize, elements: &[u8]) {
        let mut txn = self.txn();
        self.run(&mut txn, &[key], |txn| {
            let mut all = self.elements(txn, key);
            all.extend_from_slice(elements);
            self.put(txn, key, &all);
            txn.publish_changes();
            serve_ready(&**self, txn);
        });
    }

    /// A client's request, from its first look to the end of its wait.
    fn client(self: &Arc<Self>, wait: Wait) {
        let mut txn = self.txn();
        let keys: Vec<usize> = wait.keys.iter().copied().chain(wait.to).collect();
        let taken = self.run(&mut txn, &keys, |txn| {
            let taken = wait.keys.iter().find_map(|&key| self.take(txn, &wait, key));
            serve_ready(&**self, txn);
            match taken {
                Some(element) => Ok(element),
                None if self.broken == Broken::LooksThenWaits => Err(None),
                None => Err(Some(self.block(txn, wait))),
            }
        });
        let taken = taken.map_err(|request| {
            request.unwrap_or_else(|| self.run(&mut txn, &keys, |txn| self.block(txn, wait)))
        });
        let element = match taken {
            Ok(element) => Some(element),
            Err(request) => self.wait(&mut txn, &request),
        };
        let mut register = self.register.lock();
        register.taken.extend(element.filter(|_| wait.to.is_none()));
        register.done += 1;
    }

    /// Under the locks of its keys.
    fn block(&self, txn: &mut Txn, wait: Wait) -> Arc<Request> {
        let mut register = self.register.lock();
        register.tickets += 1;
        let ticket = register.tickets;
        let needs = wait.to.map(|to| self.shard(to)).into_iter().collect();
        let waiter = Arc::new(Waiter::new(ticket, Kind::String, needs));
        let request = Arc::new(Request { waiter, wait, inbox: Inbox::default() });
        register.by_ticket.insert(ticket, Arc::clone(&request));
        drop(register);
        for &key in wait.keys {
            txn.held.add_waiter(self.touched(key).hash, NAMES[key], &self.queued(&request));
        }
        self.blocked.notify_all();
        request
    }

    fn queued(&self, request: &Request) -> Queued {
        let alike = [request.wait.least as u8, request.wait.to.map_or(9, |to| to as u8)];
        Queued::new(&request.waiter, &alike)
    }

    fn wait(&self, txn: &mut Txn, request: &Arc<Request>) -> Option<u8> {
        let claims = self.broken != Broken::LeavesUnclaimed;
        if request.wait.goes {
            // What it is served now is lost with its connection, as in Redis.
            let _ = request.waiter.claim();
            self.leave(txn, request);
            return None;
        }
        if request.wait.gives_up && (!claims || request.waiter.claim_overdue()) {
            self.leave(txn, request);
            return None;
        }
        let reply = request.inbox.wait();
        self.leave(txn, request);
        reply
    }

    /// As `leave_queues` of the engine's `block.rs`.
    fn leave(&self, txn: &mut Txn, request: &Arc<Request>) {
        self.register.lock().by_ticket.remove(&request.waiter.ticket);
        let places = request.wait.keys.iter().map(|&key| (NAMES[key], self.queued(request)));
        if !store::leave_queues(txn, &self.store, 0, places) {
            self.register.lock().leaving.push(Arc::clone(request));
        }
    }

    /// `CLIENT UNBLOCK`, of the client that came first.
    fn unblock(&self) {
        let first = self.register.lock().by_ticket.values().next().cloned();
        if let Some(request) = first
            && (self.broken == Broken::EndsUnclaimed || request.waiter.claim())
        {
            request.inbox.post(None);
        }
    }

    /// The thread of the background, while there are so many clients.
    fn keep(self: &Arc<Self>, clients: usize) {
        let mut txn = self.txn();
        while self.register.lock().done < clients {
            self.store.to_serve.retry_put_off();
            serve_noted(&**self, &self.store, &mut txn);
            let leaving = std::mem::take(&mut self.register.lock().leaving);
            leaving.iter().for_each(|request| self.leave(&mut txn, request));
            sync::thread::yield_now();
        }
    }
}

impl Waiters for System {
    type Blocked = Request;
    type Reply = Option<u8>;

    fn look_at(&self, ticket: u64) -> Option<Arc<Request>> {
        self.register.lock().by_ticket.get(&ticket).cloned()
    }

    fn concerns(&self, request: &Request, kind: Option<Kind>) -> bool {
        kind == Some(request.waiter.kind)
    }

    fn try_again(
        &self,
        txn: &mut Txn,
        request: &Request,
        key: &Touched,
        _: Option<Kind>,
    ) -> Option<Option<u8>> {
        let key = NAMES.iter().position(|name| **name == *key.key).unwrap();
        let element = self.take(txn, &request.wait, key)?;
        self.register.lock().served.push(request.waiter.ticket);
        Some(Some(element))
    }

    fn too_late(&self, _: &Request) -> Option<u8> {
        None
    }

    fn keys(&self, request: &Request) -> Vec<Touched> {
        if self.broken == Broken::ForgetsMissed {
            return Vec::new();
        }
        request.wait.keys.iter().map(|&key| self.touched(key)).collect()
    }

    fn end(&self, request: &Request, reply: Option<u8>) {
        if let Some(element) = reply.filter(|_| request.wait.goes && request.wait.to.is_none()) {
            self.register.lock().taken.push(element);
        }
        request.inbox.post(reply);
    }
}

/// Runs deferred serves when a shard is locked.
struct Payer(std::sync::Weak<System>);

impl NotificationSink for Payer {
    fn deliver(&self, _: Vec<Notification>, _: u64, _: &mut Vec<u8>) {}

    fn serve(&self, txn: &mut Txn) {
        if let Some(system) = self.0.upgrade() {
            serve_ready(&*system, txn);
        }
    }
}

#[derive(Clone, Copy, Default)]
struct Case {
    clients: &'static [Wait],
    /// Which elements are put where, by a thread each.
    feeds: &'static [(usize, &'static [u8])],
    /// Another client ends a wait.
    unblocks: bool,
    /// A script that takes long has the shard of this key.
    script: Option<usize>,
    /// Keys are fed when all clients wait.
    in_order: bool,
}

/// What a thread does.
type Work = Box<dyn FnOnce(&Arc<System>) + Send>;

fn model(case: Case, broken: Broken) {
    let store =
        Arc::new(Store::new(Options { shards: 16, databases: 1, hashing: base::Hashing::new(7) }));
    let (register, blocked) = (Mutex::default(), Condvar::default());
    let system = Arc::new(System { store, register, blocked, broken });
    assert!((0..2).all(|key| (key + 1..3).all(|other| system.shard(key) != system.shard(other))));
    system.store.set_notification_sink(Box::new(Payer(Arc::downgrade(&system))));
    let mut threads = Vec::new();
    let mut start = |work: Work| {
        let system = Arc::clone(&system);
        threads.push(thread::spawn(move || work(&system)));
    };
    for &wait in case.clients {
        start(Box::new(move |system| system.client(wait)));
    }
    if case.in_order {
        let mut register = system.register.lock();
        while register.by_ticket.len() < case.clients.len() {
            system.blocked.wait(&mut register);
        }
    }
    if let Some(key) = case.script {
        let clients = case.clients.len();
        start(Box::new(move |system| system.keep(clients)));
        start(Box::new(move |system| {
            let shard = system.shard(key);
            let run = |txn: &mut Txn| (txn.held.obstruct(), sync::thread::yield_now());
            let _ = system.txn().with(&system.store, Scope::One(shard), run);
        }));
    }
    for &(key, elements) in case.feeds {
        start(Box::new(move |system| system.feed(key, elements)));
    }
    if case.unblocks {
        start(Box::new(|system| system.unblock()));
    }
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    check(&system, case);
}

/// Nothing is lost and nothing is there twice; who came first was served first.
fn check(system: &Arc<System>, case: Case) {
    let mut txn = system.txn();
    let mut all = std::mem::take(&mut system.register.lock().taken);
    for key in 0..NAMES.len() {
        all.extend(system.run(&mut txn, &[key], |txn| system.elements(txn, key)));
    }
    all.sort_unstable();
    let mut fed: Vec<u8> = case.feeds.iter().flat_map(|(_, all)| all.iter().copied()).collect();
    fed.sort_unstable();
    assert_eq!(all, fed, "an element is lost, or there twice");
    let served = &system.register.lock().served;
    assert!(!case.in_order || served.is_sorted(), "served in another order: {served:?}");
    assert!(!system.store.locks.is_obstructed(), "a mark has outlasted its lock");
}

const POP: Wait = Wait { keys: &[0], to: None, least: 1, gives_up: false, goes: false };
const MOVE: Wait = Wait { to: Some(1), ..POP };

/// As many elements as clients, one after another.
const IN_ORDER: Case = Case {
    clients: &[POP, POP, POP],
    feeds: &[(0, &[1]), (0, &[2, 3])],
    unblocks: false,
    script: None,
    in_order: true,
};
/// A wait may end in all ways at once.
const ENDS: Case = Case {
    clients: &[Wait { gives_up: true, ..POP }, POP, Wait { goes: true, ..POP }],
    feeds: &[(0, &[1, 2]), (0, &[3])],
    unblocks: true,
    script: None,
    in_order: false,
};
/// Elements go where another client waits, through a shard that the feeder does not hold.
const MOVES: Case = Case {
    clients: &[MOVE, Wait { keys: &[1], ..POP }, MOVE],
    feeds: &[(0, &[1]), (0, &[2])],
    unblocks: false,
    script: None,
    in_order: false,
};
/// One waits for two keys, and the first to be fed does not suffice.
const MISSED: Case = Case {
    clients: &[Wait { keys: &[0, 1], least: 2, ..POP }],
    feeds: &[(0, &[1]), (1, &[2, 3])],
    unblocks: false,
    script: None,
    in_order: true,
};

/// Its time is up while it is tried in vain.
const LATE: Case = Case {
    clients: &[Wait { least: 2, gives_up: true, ..POP }],
    feeds: &[(0, &[1])],
    ..IN_ORDER_NOT_AWAITED
};

#[test]
fn who_is_tried_in_vain_when_its_time_is_up_waits_no_longer() {
    explore(2000, || model(LATE, Broken::Nothing));
}

#[test]
fn who_came_first_is_served_first() {
    explore(2000, || model(IN_ORDER, Broken::Nothing));
}

#[test]
fn however_waits_end_nothing_is_lost() {
    explore(3000, || model(ENDS, Broken::Nothing));
}

#[test]
fn what_is_owed_is_paid() {
    explore(3000, || model(MOVES, Broken::Nothing));
}

#[test]
fn a_script_that_holds_what_is_owed_ends_no_wait() {
    explore(2000, || model(Case { script: Some(1), ..MOVES }, Broken::Nothing));
    explore(1000, || model(Case { script: Some(0), ..ENDS }, Broken::Nothing));
}

#[test]
fn keys_fed_while_another_is_tried_are_looked_at() {
    explore(3000, || model(MISSED, Broken::Nothing));
}

#[test]
fn deferred_serves_that_are_never_run_are_seen() {
    must_fail(ALL_WAIT, || model(MOVES, Broken::FeedsAndGoes));
}

#[test]
fn a_missed_key_is_seen() {
    must_fail(ALL_WAIT, || model(MISSED, Broken::ForgetsMissed));
}

#[test]
fn leaving_without_a_claim_is_seen() {
    must_fail("an element is lost, or there twice", || model(ENDS, Broken::LeavesUnclaimed));
}

#[test]
fn ending_a_wait_without_a_claim_is_seen() {
    must_fail("a wait has ended twice", || model(ENDS, Broken::EndsUnclaimed));
}

#[test]
fn looking_before_waiting_is_seen() {
    must_fail(ALL_WAIT, || model(IN_ORDER_NOT_AWAITED, Broken::LooksThenWaits));
}

const IN_ORDER_NOT_AWAITED: Case = Case { in_order: false, ..IN_ORDER };
