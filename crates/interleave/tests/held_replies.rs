//! Replies under `appendfsync always`: every one is sent, and none before the disk has what it
//! tells.
//!
//! The journal with its thread is the real one, on a disk in memory; so are the list of those who
//! wait (`server/src/withheld_replies.rs`) and the words by which the two sides find each other
//! (`journal/src/durable.rs`). The turns of a worker are those of `server/src/event_loop/run.rs`,
//! in short.

// In a test a panic is how a failure is told.
#![allow(clippy::unwrap_used)]

#[path = "../../kvist/src/durability_wakeup.rs"]
#[allow(missing_docs)]
mod durability_wakeup;
#[path = "../../server/src/withheld_replies.rs"]
#[allow(dead_code, missing_docs)]
mod withheld_replies;

use std::sync::Arc;
use std::time::Duration;

use durability_wakeup::DurabilityWakeup;
use journal::{DiskWaiter, Flusher, Log, Place, Policy, WriteBuffer};
use kvist_interleave::{ALL_WAIT, explore, must_fail};
use shuttle::thread;
use withheld_replies::{HeldReplies, Withheld};

use crate::memory::Memory;
use crate::poller::Poller;

/// Which rule is broken.
#[derive(Clone, Copy, PartialEq)]
enum Broken {
    Nothing,
    /// Whether a reply waits is asked a second time when its connection is listed.
    AskedTwice,
    /// A worker sleeps without a last look at what is durable.
    NoLastLook,
    /// It says that it sleeps when it has looked.
    LooksFirst,
    /// Nothing is withheld.
    NotHeld,
}

const CONNECTIONS: usize = 2;

/// A client that sends one request at a time.
#[derive(Default)]
struct Connection {
    requests: usize,
    /// What its last request has put into the journal.
    record: [u8; 16],
    awaits: u64,
    output: bool,
    replies: Withheld,
}

struct Worker {
    number: usize,
    log: Arc<Log>,
    write_buffer: Arc<WriteBuffer>,
    poller: Arc<Poller>,
    waiter: Arc<DiskWaiter>,
    disk: Arc<Memory>,
    held: HeldReplies<usize>,
    connections: Vec<Connection>,
    broken: Broken,
}

impl Worker {
    fn must_hold(&self, place: usize) -> bool {
        let connection = &self.connections[place];
        self.broken != Broken::NotHeld
            && connection.output
            && connection.awaits > self.log.durable()
    }

    /// A request of a connection, and its reply.
    fn turn(&mut self, place: usize) {
        let connection = &mut self.connections[place];
        let name = (self.number * CONNECTIONS + place) * 16 + connection.requests;
        connection.record = [0x80 | name as u8; 16];
        connection.awaits = self.log.append(&self.write_buffer, &connection.record);
        connection.output = true;
        let must_hold = self.must_hold(place);
        if !self.connections[place].replies.join(must_hold) {
            self.send(place);
        }
        self.note(place);
    }

    fn note(&mut self, place: usize) {
        if self.broken == Broken::AskedTwice {
            let again = self.must_hold(place);
            self.connections[place].replies.decide(again);
        }
        self.held.note(place, &mut self.connections[place].replies);
    }

    fn send(&mut self, place: usize) {
        let connection = &mut self.connections[place];
        assert!(self.disk.has(&connection.record), "told, and a crash takes it back");
        connection.output = false;
        connection.requests -= 1;
    }

    /// As `release` in `event_loop/run.rs`.
    fn release(&mut self) {
        let count = self.held.len();
        if count == 0 {
            return;
        }
        let mut latest = 0;
        for _ in 0..count {
            let Some(place) = self.held.take() else { break };
            let must_hold = self.must_hold(place);
            if !self.connections[place].replies.look_again(must_hold) {
                self.send(place);
            }
            self.note(place);
            let held = &self.connections[place];
            latest = latest.max(if held.replies.is_listed() { held.awaits } else { 0 });
        }
        if self.broken == Broken::LooksFirst {
            if !self.held.is_due(|place| self.must_hold(place)) {
                self.held.rest(latest, &self.waiter, || self.log.flush_soon());
                self.poller.wait();
            }
            return;
        }
        self.held.rest(latest, &self.waiter, || self.log.flush_soon());
    }

    fn run(mut self) {
        while self.connections.iter().any(|connection| connection.requests > 0) {
            for place in 0..self.connections.len() {
                let connection = &self.connections[place];
                if connection.requests > 0 && !connection.output {
                    self.turn(place);
                }
            }
            self.release();
            let nothing = self.connections.iter().all(|it| it.requests == 0 || it.output);
            let due = self.held.is_due(|place| self.must_hold(place));
            let look = self.broken != Broken::NoLastLook;
            if nothing && !(due && look) && self.connections.iter().any(|it| it.output) {
                self.poller.wait();
            }
        }
    }
}

/// A journal on a disk in memory, and its thread.
fn journal(on_durable: impl Fn() + Send + 'static) -> (Arc<Log>, Arc<Memory>, Flusher) {
    let log = Log::new(Policy::Always);
    let disk = Arc::new(Memory::default());
    let place = Place {
        disk: Arc::clone(&disk) as Arc<dyn journal::Disk>,
        id: [1; 16],
        segment: 1,
        frame: 1,
        segment_size: 1 << 20,
        seed: 5,
    };
    let flusher = Flusher::start(&log, place, on_durable).unwrap();
    log.roll(false).unwrap();
    (log, disk, flusher)
}

/// Threads of a program that has the engine inside: each waits for its own requests.
fn embedded(callers: u8) {
    let wakeup = Arc::new(DurabilityWakeup::default());
    let woken = Arc::clone(&wakeup);
    let (log, disk, flusher) = journal(move || woken.wake_all());
    let call = |number: u8| {
        let (log, disk, wakeup) = (Arc::clone(&log), Arc::clone(&disk), Arc::clone(&wakeup));
        thread::spawn(move || {
            let write_buffer = log.open_write_buffer();
            for request in 0..2 {
                let record = [0x80 | (number * 4 + request); 16];
                let awaits = log.append(&write_buffer, &record);
                log.flush_soon();
                let must_hold = || awaits > log.durable();
                wakeup.wait(Duration::from_secs(1), must_hold, |_| Ok::<(), ()>(())).unwrap();
                assert!(disk.has(&record), "told, and a crash takes it back");
            }
        })
    };
    let threads: Vec<_> = (0..callers).map(call).collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    drop(flusher);
}

/// A caller that asks the journal to sync while it is closed is answered, one way or the other.
#[test]
fn no_caller_waits_for_a_journal_that_is_closed() {
    explore(400, || {
        let (log, _, flusher) = journal(|| ());
        let asking = Arc::clone(&log);
        let thread = thread::spawn(move || (0..2).map(|_| asking.sync().is_ok()).collect());
        drop(flusher);
        let answers: Vec<bool> = thread.join().unwrap();
        assert!(answers[0] || !answers[1], "closed is closed");
        assert!(log.sync().is_err());
    });
}

fn model(workers: usize, broken: Broken) {
    let sleepers: Vec<_> = (0..workers)
        .map(|_| (Arc::new(DiskWaiter::default()), Arc::new(Poller::default())))
        .collect();
    let to_wake = sleepers.clone();
    let (log, disk, flusher) = journal(move || {
        for (waiter, poller) in &to_wake {
            if waiter.take() {
                poller.wake();
            }
        }
    });
    let threads: Vec<_> = sleepers
        .into_iter()
        .enumerate()
        .map(|(number, (waiter, poller))| {
            let connection = || Connection { requests: 2, ..Connection::default() };
            let worker = Worker {
                number,
                write_buffer: log.open_write_buffer(),
                log: Arc::clone(&log),
                poller,
                waiter,
                disk: Arc::clone(&disk),
                held: HeldReplies::new(),
                connections: (0..CONNECTIONS).map(|_| connection()).collect(),
                broken,
            };
            thread::spawn(move || worker.run())
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    drop(flusher);
}

#[test]
fn every_reply_is_sent_and_none_too_early() {
    explore(4000, || model(2, Broken::Nothing));
    explore(2000, || model(3, Broken::Nothing));
}

#[test]
fn callers_inside_a_program_hear_of_what_is_durable() {
    explore(3000, || embedded(3));
}

#[test]
fn a_decision_made_twice_is_seen() {
    must_fail(ALL_WAIT, || model(2, Broken::AskedTwice));
}

#[test]
fn sleeping_without_a_last_look_is_seen() {
    must_fail(ALL_WAIT, || model(2, Broken::NoLastLook));
}

#[test]
fn looking_before_saying_so_is_seen() {
    must_fail(ALL_WAIT, || model(2, Broken::LooksFirst));
}

#[test]
fn telling_before_the_disk_has_it_is_seen() {
    must_fail("told, and a crash takes it back", || model(2, Broken::NotHeld));
}
