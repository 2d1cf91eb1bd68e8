//! Messages between workers: each is read, in the order of who sent it, by the worker it was for,
//! and no loop that has some sleeps; also where a loop changes hands in the middle of a turn, where
//! a connection is dealt anew, and where workers overfill each other.
//!
//! The queue and its wake-ups are the real ones (`server/src/workers/queue.rs`); the rounds of a
//! loop are those of `server/src/event_loop`, in short.

// In a test a panic is how a failure is told.
#![allow(clippy::unwrap_used)]

#[path = "../../server/src/workers/queue.rs"]
#[allow(dead_code, missing_docs, unreachable_pub)]
mod queue;

use std::collections::VecDeque;
use std::sync::Arc;

use kvist_interleave::{ALL_WAIT, NO_END, explore, must_fail};
use queue::{Item, Queue, QueueLimits, Sleeper, Wakeups};
use shuttle::thread::{self, JoinHandle};
use sync::Mutex;

use crate::poller::Poller;

/// Which rule is broken.
#[derive(Clone, Copy, PartialEq)]
enum Broken {
    Nothing,
    /// A worker sleeps with wake-ups in hand.
    WakesLate,
    /// A thread that has handed its loop over takes itself for the worker.
    StaysWorker,
    /// A worker sleeps without a look at its own queue.
    NoLook,
    /// Who overfills another reads no messages, either.
    Deaf,
    /// Who overfills another goes on.
    Pushes,
}

/// From whom, and the how many-th of theirs for this worker; a connection has no sender.
struct InboxMessage(Option<(usize, usize)>);

impl Item for InboxMessage {
    fn bytes(&self) -> usize {
        1
    }

    fn is_new_connection(&self) -> bool {
        self.0.is_none()
    }
}

struct Inbox {
    queue: Queue<InboxMessage>,
    poller: Poller,
}

impl Sleeper for Inbox {
    fn wake(&self) {
        self.poller.wake();
    }

    fn is_over_limit(&self) -> bool {
        self.queue.is_over_limit()
    }
}

type Inboxes = Arc<Vec<Arc<Inbox>>>;

fn post(inboxes: &Inboxes, wakeups: &mut Wakeups<Inbox>, to: usize, message: InboxMessage) {
    let posted = inboxes[to].queue.post(message);
    if posted.first || posted.over_limit {
        wakeups.note(&inboxes[to], posted);
    }
}

/// How long queues may become.
const FEW: usize = 2;
/// Messages that a request sends to each worker, its own too.
const MESSAGES: usize = 2;

/// A worker's loop. One thread has it at a time.
struct Loop {
    number: usize,
    inboxes: Inboxes,
    /// Requests that it has yet to serve.
    requests: VecDeque<usize>,
    /// How many messages of each sender it has read.
    read: Vec<usize>,
    /// How many messages it is to read.
    expected: usize,
    /// Connections that all have taken in.
    joined: Arc<Mutex<usize>>,
    /// In the turn of which request it is handed over.
    hand_over: Option<usize>,
    /// Its clients send a request when all have told them of the one before.
    in_step: bool,
    /// How many messages it may find at a time.
    bound: usize,
    broken: Broken,
    threads: Arc<Mutex<Vec<JoinHandle<()>>>>,
}

impl Loop {
    fn is_done(&self) -> bool {
        self.requests.is_empty() && self.read.iter().sum::<usize>() == self.expected
    }

    fn read_messages(&mut self) {
        let mut messages = Vec::new();
        if self.inboxes[self.number].queue.has_messages() {
            self.inboxes[self.number].queue.take(&mut messages);
        }
        assert!(messages.len() <= self.bound, "no worker was held back");
        for InboxMessage(from) in messages {
            match from {
                None => *self.joined.lock() += 1,
                Some((from, nth)) => {
                    assert_eq!(nth, self.read[from], "in the order they were sent");
                    self.read[from] += 1;
                }
            }
        }
    }

    /// The next request, if it has come. Some are served before messages are read, some after.
    fn next_request(&self) -> Option<usize> {
        let next = self.requests.front().copied()?;
        let told = self.read[..self.inboxes.len()].iter().all(|&read| read >= next * MESSAGES);
        (told || !self.in_step).then_some(next)
    }

    /// Serves a request. The loop is gone if it was handed over; who has it goes on.
    fn turn(mut self, wakeups: &mut Wakeups<Inbox>, before: bool) -> Option<Self> {
        let Some(request) = self.next_request() else { return Some(self) };
        if (request % 2 == 0) != before
            || (wakeups.must_back_off() && self.broken != Broken::Pushes)
        {
            return Some(self);
        }
        self.requests.pop_front();
        for to in 0..self.inboxes.len() {
            for nth in request * MESSAGES..(request + 1) * MESSAGES {
                post(&self.inboxes, wakeups, to, InboxMessage(Some((self.number, nth))));
            }
        }
        if self.hand_over != Some(request) {
            if self.broken != Broken::WakesLate {
                wakeups.wake_others();
            }
            return Some(self);
        }
        let (inboxes, own, broken) = (Arc::clone(&self.inboxes), self.number, self.broken);
        // One message more: the connection whose turn it is comes back.
        self.hand_over = None;
        self.expected += 1;
        let threads = Arc::clone(&self.threads);
        let stand_in = thread::spawn(move || self.run());
        threads.lock().push(stand_in);
        if broken == Broken::StaysWorker {
            wakeups.wake_others();
        } else {
            wakeups.detach_thread();
        }
        post(&inboxes, wakeups, own, InboxMessage(Some((inboxes.len(), 0))));
        None
    }

    fn run(mut self) {
        let mut wakeups = Wakeups::new();
        let own = Arc::clone(&self.inboxes[self.number]);
        wakeups.attach_thread(&own);
        while !self.is_done() {
            match self.turn(&mut wakeups, true) {
                Some(own) => self = own,
                None => return,
            }
            if !(wakeups.must_back_off() && self.broken == Broken::Deaf) {
                self.read_messages();
            }
            match self.turn(&mut wakeups, false) {
                Some(own) => self = own,
                None => return,
            }
            let backlogged = wakeups.must_back_off();
            if self.is_done() || (self.next_request().is_some() && !backlogged) {
                continue;
            }
            if own.queue.has_messages() && self.broken != Broken::NoLook {
                continue;
            }
            if backlogged {
                // It looks again in a millisecond.
                wakeups.wake_others();
                thread::yield_now();
            } else {
                if self.broken != Broken::WakesLate {
                    wakeups.wake_others();
                }
                own.poller.wait();
            }
        }
        wakeups.detach_thread();
    }
}

#[derive(Clone, Copy)]
struct Case {
    workers: usize,
    requests: usize,
    in_step: bool,
    /// A worker hands its loop over.
    hands_over: bool,
    /// Connections come, and are dealt anew while they have not been taken in.
    new_connections: usize,
    broken: Broken,
}

fn model(case: Case) {
    let most =
        QueueLimits { messages: if case.in_step { usize::MAX } else { FEW }, bytes: 1 << 20 };
    let inbox = || Arc::new(Inbox { queue: Queue::new(most), poller: Poller::default() });
    let inboxes: Inboxes = Arc::new((0..case.workers).map(|_| inbox()).collect());
    let joined = Arc::new(Mutex::new(0));
    let threads = Arc::new(Mutex::new(Vec::new()));
    for number in 0..case.workers {
        let event_loop = Loop {
            number,
            inboxes: Arc::clone(&inboxes),
            requests: (0..case.requests).collect(),
            // Behind the workers stands who has handed its loop over.
            read: vec![0; case.workers + 1],
            expected: case.workers * case.requests * MESSAGES,
            joined: Arc::clone(&joined),
            in_step: case.in_step,
            bound: if case.in_step { usize::MAX } else { FEW + case.workers * MESSAGES },
            hand_over: (case.hands_over && number == 0).then_some(0),
            broken: case.broken,
            threads: Arc::clone(&threads),
        };
        let thread = thread::spawn(move || event_loop.run());
        threads.lock().push(thread);
    }
    let mut wakeups = Wakeups::new();
    for _ in 0..case.new_connections {
        post(&inboxes, &mut wakeups, 0, InboxMessage(None));
    }
    // Who looks after a worker that is in the middle of something long.
    if inboxes[0].queue.has_new_connections() {
        for new_connection in inboxes[0].queue.take_new_connections() {
            post(&inboxes, &mut wakeups, 1, new_connection);
        }
    }
    loop {
        let thread = threads.lock().pop();
        let Some(thread) = thread else { break };
        thread.join().unwrap();
    }
    // Loops may have ended before: what is left was not taken.
    let left: usize = inboxes.iter().map(|inbox| inbox.queue.take_new_connections().len()).sum();
    assert_eq!(*joined.lock() + left, case.new_connections, "a connection is lost, or there twice");
}

const PLAIN: Case = Case {
    workers: 2,
    requests: 3,
    in_step: true,
    hands_over: false,
    new_connections: 0,
    broken: Broken::Nothing,
};
/// Workers that send more than the others read.
const CROWDED: Case = Case { requests: 6, in_step: false, ..PLAIN };

#[test]
fn every_letter_is_read() {
    explore(3000, || model(PLAIN));
    explore(2000, || model(Case { workers: 3, new_connections: 2, ..PLAIN }));
}

#[test]
fn every_letter_is_read_by_who_has_the_loop() {
    explore(4000, || model(Case { hands_over: true, new_connections: 1, ..PLAIN }));
}

#[test]
fn no_connection_is_sent_much_more_than_it_reads() {
    explore(3000, || model(CROWDED));
}

#[test]
fn going_on_where_a_queue_is_crowded_is_seen() {
    must_fail("no worker was held back", || model(Case { broken: Broken::Pushes, ..CROWDED }));
}

#[test]
fn sleeping_with_wakeups_in_hand_is_seen() {
    must_fail(ALL_WAIT, || model(Case { broken: Broken::WakesLate, ..PLAIN }));
}

#[test]
fn a_thread_that_forgets_it_is_no_worker_any_more_is_seen() {
    must_fail(ALL_WAIT, || model(Case { hands_over: true, broken: Broken::StaysWorker, ..PLAIN }));
}

#[test]
fn sleeping_without_a_look_is_seen() {
    must_fail(ALL_WAIT, || model(Case { broken: Broken::NoLook, ..PLAIN }));
}

#[test]
fn two_that_crowd_each_other_and_read_nothing_are_seen() {
    must_fail(NO_END, || model(Case { broken: Broken::Deaf, ..CROWDED }));
}
