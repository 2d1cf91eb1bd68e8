//! A client that has subscribed before something is published gets it, whichever worker has the one
//! connection and whichever the other; and a client that publishes is not kept for ever, though no
//! time passes here that would end it.
//!
//! The rounds and what workers ask of each other are the real ones
//! (`server/src/workers/rounds.rs`). A socket is a queue of requests; the turns are those of
//! `server/src/event_loop/run.rs`, in short.

// In a test a panic is how a failure is told.
#![allow(clippy::unwrap_used)]

#[path = "../../server/src/workers/rounds.rs"]
#[allow(dead_code, missing_docs, unreachable_pub)]
mod rounds;

use std::collections::VecDeque;
use std::sync::Arc;

use kvist_interleave::{ALL_WAIT, explore, must_fail};
use rounds::{Deferred, Rounds, Workers, end_round, others_first};
use shuttle::thread;
use sync::Mutex;
use sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};

use crate::poller::Poller;

/// Which rule is broken.
#[derive(Clone, Copy, PartialEq)]
enum Broken {
    Nothing,
    /// A worker does not say that it is at work.
    Hides,
    /// It rests without telling those who have asked.
    Silent,
    /// Who keeps a request rests without a last look.
    NoLastLook,
    /// Nothing is kept.
    Hurries,
}

#[derive(Clone, Copy)]
enum Request {
    Subscribe(usize),
    /// Tells those who have subscribed: this one must be among them.
    Publish(usize),
}

/// A worker's connections; what stands in a socket has not been read.
struct Worker {
    rounds: Rounds,
    poller: Poller,
    sockets: Vec<Mutex<VecDeque<Request>>>,
}

struct WorkerPool {
    workers: Vec<Worker>,
    subscribed: Vec<AtomicBool>,
    /// Requests that have yet to run.
    left: AtomicUsize,
    broken: Broken,
}

impl Workers for WorkerPool {
    fn count(&self) -> usize {
        self.workers.len()
    }

    fn rounds_of(&self, number: usize) -> &Rounds {
        &self.workers[number].rounds
    }

    fn has_new_connections(&self, _: usize) -> bool {
        false
    }

    fn has_arrivals(&self, which: &[usize]) -> bool {
        let mut sockets = which.iter().flat_map(|&n| &self.workers[n].sockets);
        sockets.any(|socket| !socket.lock().is_empty())
    }

    fn wake(&self, number: usize) {
        self.workers[number].poller.wake();
    }

    fn lost_patience(&self) {
        panic!("no time has passed");
    }
}

impl WorkerPool {
    /// A client sends something.
    fn send(&self, worker: usize, socket: usize, request: Request) {
        self.workers[worker].sockets[socket].lock().push_back(request);
        self.workers[worker].poller.wake();
    }

    fn run(&self, request: Request) {
        match request {
            Request::Subscribe(who) => self.subscribed[who].store(true, SeqCst),
            Request::Publish(who) => {
                assert!(self.subscribed[who].load(SeqCst), "who came before does not hear it");
            }
        }
        if self.left.fetch_sub(1, SeqCst) == 1 {
            (0..self.count()).for_each(|n| self.wake(n));
        }
    }

    /// The loop of a worker.
    fn serve(&self, own: usize) {
        let me = &self.workers[own];
        let mut waiting = Deferred::new(self, own);
        // The request that each connection keeps; what stands behind it is left unread.
        let mut kept: Vec<Option<Request>> = vec![None; me.sockets.len()];
        while self.left.load(SeqCst) > 0 {
            if self.broken != Broken::Hides {
                me.rounds.begin(0);
            }
            for (place, socket) in me.sockets.iter().enumerate() {
                while kept[place].is_none() {
                    let Some(request) = socket.lock().pop_front() else { break };
                    let publishes = matches!(request, Request::Publish(_));
                    let keeps = self.broken != Broken::Hurries;
                    if publishes && keeps && others_first(self, own) {
                        kept[place] = Some(request);
                        waiting.keep(place, 0);
                    } else {
                        self.run(request);
                    }
                }
            }
            let mut again = false;
            while let Some(place) = waiting.next(0) {
                self.run(kept[place].take().unwrap());
                // What stands behind it is read in the next round.
                again = true;
            }
            me.rounds.end();
            if self.broken != Broken::Silent {
                end_round(self, own, !again);
            }
            let due = waiting.is_due(0) && self.broken != Broken::NoLastLook;
            if !again && !due && self.left.load(SeqCst) > 0 {
                me.poller.wait();
            }
        }
    }
}

/// Clients, by what they send where, one after another: worker, socket, request.
type Clients = &'static [&'static [(usize, usize, Request)]];

fn model(clients: Clients, workers: usize, broken: Broken) {
    let worker = || Worker {
        rounds: Rounds::new(),
        poller: Poller::default(),
        sockets: (0..2).map(|_| Mutex::default()).collect(),
    };
    let pool = Arc::new(WorkerPool {
        workers: (0..workers).map(|_| worker()).collect(),
        subscribed: clients.iter().map(|_| AtomicBool::new(false)).collect(),
        left: AtomicUsize::new(clients.iter().map(|sent| sent.len()).sum()),
        broken,
    });
    let mut threads = Vec::new();
    for number in 0..workers {
        let pool = Arc::clone(&pool);
        threads.push(thread::spawn(move || pool.serve(number)));
    }
    for &sent in clients {
        let pool = Arc::clone(&pool);
        threads.push(thread::spawn(move || {
            sent.iter().for_each(|&(worker, socket, request)| pool.send(worker, socket, request));
        }));
    }
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

use Request::{Publish, Subscribe};

const ONE: Clients = &[&[(1, 0, Subscribe(0)), (0, 0, Publish(0))]];
/// Each publishes where the other has subscribed, with more behind it.
const CROSSED: Clients = &[
    &[(1, 0, Subscribe(0)), (0, 0, Publish(0)), (0, 0, Publish(0))],
    &[(0, 1, Subscribe(1)), (1, 1, Publish(1)), (1, 1, Subscribe(1))],
];
const THREE: Clients =
    &[&[(1, 0, Subscribe(0)), (2, 0, Publish(0))], &[(2, 1, Subscribe(1)), (0, 0, Publish(1))]];

#[test]
fn who_subscribed_before_hears_it() {
    explore(4000, || model(ONE, 2, Broken::Nothing));
}

#[test]
fn workers_that_wait_for_each_other_go_on() {
    explore(4000, || model(CROSSED, 2, Broken::Nothing));
    explore(3000, || model(THREE, 3, Broken::Nothing));
}

#[test]
fn a_worker_that_hides_is_seen() {
    must_fail("who came before does not hear it", || model(ONE, 2, Broken::Hides));
}

#[test]
fn a_worker_that_rests_in_silence_is_seen() {
    must_fail(ALL_WAIT, || model(CROSSED, 2, Broken::Silent));
}

#[test]
fn resting_without_a_last_look_is_seen() {
    must_fail(ALL_WAIT, || model(CROSSED, 2, Broken::NoLastLook));
}

#[test]
fn publishing_at_once_is_seen() {
    must_fail("who came before does not hear it", || model(ONE, 2, Broken::Hurries));
}
