//! Whether another worker has yet to serve requests that have arrived: the protocol of
//! `precedence.rs`, without sockets and pollers.
//!
//! All accesses here are in one total order (`SeqCst`): the proof that nothing is missed compares
//! what two threads have each written and then read.

use std::collections::VecDeque;
use std::ops::Deref;

use base::Millis;
use smallvec::SmallVec;
use sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};

/// How long a request waits for other workers to serve what came before it.
pub const PATIENCE: Millis = 100;
/// A worker is stalled that has been in one round for so long.
const STALLED: Millis = 20;
/// No round: no worker has given up waiting.
const NEVER: u64 = u64::MAX;

/// What one worker says of its rounds.
#[derive(Debug)]
pub struct Rounds {
    /// How many have ended.
    ended: AtomicU64,
    /// It is not at rest: it serves, or will without waiting.
    busy: AtomicBool,
    /// When its last round began.
    since: AtomicU64,
    /// Another worker waits for a round of it to end.
    asked: AtomicBool,
    /// It keeps requests until others have served what came before them.
    waits: AtomicBool,
    /// How many rounds had ended when another worker stopped waiting for the next to end.
    given_up: AtomicU64,
}

impl Rounds {
    /// Of a worker that has not begun.
    pub fn new() -> Self {
        Rounds {
            ended: AtomicU64::new(0),
            busy: AtomicBool::new(false),
            since: AtomicU64::new(0),
            asked: AtomicBool::new(false),
            waits: AtomicBool::new(false),
            given_up: AtomicU64::new(NEVER),
        }
    }

    /// The worker serves what it has seen.
    pub fn begin(&self, now: Millis) {
        self.since.store(now, SeqCst);
        self.busy.store(true, SeqCst);
    }

    /// It has served all of it, though not what came since.
    pub fn end(&self) {
        self.ended.fetch_add(1, SeqCst);
    }

    /// How many have ended.
    pub fn ended(&self) -> u64 {
        self.ended.load(SeqCst)
    }

    /// Whether it serves something, or will without waiting.
    pub fn is_busy(&self) -> bool {
        self.busy.load(SeqCst)
    }

    /// Whether it is in the middle of a round that another worker has stopped waiting for.
    fn is_stuck(&self) -> bool {
        self.is_busy() && self.given_up.load(SeqCst) == self.ended()
    }

    /// Whether it has been in one round for so long that a new connection should go to another
    /// worker.
    pub fn is_stalled(&self, now: Millis) -> bool {
        self.is_busy() && now.saturating_sub(self.since.load(SeqCst)) > STALLED
    }
}

/// All workers, and what there is to know of them beside their rounds.
pub trait Workers {
    /// How many they are.
    fn count(&self) -> usize;
    /// The rounds of one.
    fn rounds_of(&self, number: usize) -> &Rounds;
    /// Whether there are connections that it has yet to take in.
    fn has_new_connections(&self, number: usize) -> bool;
    /// Whether a socket of one of these has something to read.
    fn has_arrivals(&self, which: &[usize]) -> bool;
    /// Makes it look around.
    fn wake(&self, number: usize);
    /// Some are not waited for any longer.
    fn lost_patience(&self);
}

/// Whether another worker than this has yet to serve something that has come to it.
pub fn others_first<W: Workers>(workers: &W, own: usize) -> bool {
    let others: SmallVec<[usize; 16]> = (0..workers.count())
        .filter(|&n| n != own)
        .filter(|&n| !workers.rounds_of(n).is_stuck())
        .collect();
    is_any_behind(workers, &others)
}

fn is_at_work<W: Workers>(workers: &W, number: usize) -> bool {
    workers.has_new_connections(number) || workers.rounds_of(number).is_busy()
}

/// Whether one of these has yet to serve something that has come.
fn is_any_behind<W: Workers>(workers: &W, which: &[usize]) -> bool {
    // At work is asked again after the look: what is not in a socket any more was taken from it by
    // a worker that was at work, and is so until it has served it.
    let at_work = || which.iter().any(|&n| is_at_work(workers, n));
    at_work() || workers.has_arrivals(which) || at_work()
}

/// A worker waits for something to do, or looks once more if it `rests` not. Workers that wait for
/// it are woken if they rest; one at work looks before it rests.
pub fn end_round<W: Workers>(workers: &W, number: usize, rests: bool) {
    let own = workers.rounds_of(number);
    if rests {
        own.busy.store(false, SeqCst);
    }
    if own.asked.swap(false, SeqCst) {
        let rests = |it: &Rounds| it.waits.load(SeqCst) && !it.is_busy();
        let others = (0..workers.count()).filter(|&n| rests(workers.rounds_of(n)));
        others.for_each(|n| workers.wake(n));
    }
}

/// A request that is kept.
struct DeferredRequest<P> {
    key: P,
    /// How many rounds of each worker must have ended.
    rounds: SmallVec<[u64; 16]>,
    until: Millis,
}

/// The requests that one worker keeps until others have served what came before them.
pub struct Deferred<P, W> {
    workers: W,
    own: usize,
    kept: VecDeque<DeferredRequest<P>>,
}

impl<P, W: Deref<Target: Workers + Sized>> Deferred<P, W> {
    /// Nothing, of the worker of this number.
    pub fn new(workers: W, own: usize) -> Self {
        Deferred { workers, own, kept: VecDeque::new() }
    }

    /// Until when the first is kept at most.
    pub fn until(&self) -> Option<Millis> {
        self.kept.front().map(|kept| kept.until)
    }

    /// Keeps the request of a connection. What has come to others until now goes first: all of it
    /// is served in a round that has not begun yet.
    pub fn keep(&mut self, key: P, now: Millis) {
        let workers = &*self.workers;
        let rounds = (0..workers.count()).map(|n| workers.rounds_of(n).ended() + 2).collect();
        self.kept.push_back(DeferredRequest { key, rounds, until: now + PATIENCE });
        workers.rounds_of(self.own).waits.store(true, SeqCst);
    }

    /// The next connection whose request may run.
    pub fn next(&mut self, now: Millis) -> Option<P> {
        if !self.is_due(now) {
            return None;
        }
        let key = self.kept.pop_front()?.key;
        if self.kept.is_empty() {
            self.workers.rounds_of(self.own).waits.store(false, SeqCst);
        }
        Some(key)
    }

    /// Whether there is one. If there is not, the worker that is waited for will wake this one.
    pub fn is_due(&self, now: Millis) -> bool {
        let workers = &*self.workers;
        let Some(first) = self.kept.front() else { return false };
        let late: SmallVec<[usize; 16]> = (0..workers.count())
            .filter(|&n| n != self.own && workers.rounds_of(n).ended() < first.rounds[n])
            .filter(|&n| !workers.rounds_of(n).is_stuck())
            .collect();
        // They are asked to tell before they are looked at: so they tell, or are seen.
        late.iter().for_each(|&n| workers.rounds_of(n).asked.store(true, SeqCst));
        if is_any_behind(workers, &late) {
            if now < first.until {
                // One at rest may leave unread on purpose what it has: a round of it will tell.
                let resting = late.iter().filter(|&&n| !is_at_work(workers, n));
                resting.for_each(|&n| workers.wake(n));
                return false;
            }
            workers.lost_patience();
            for &n in &late {
                let rounds = workers.rounds_of(n);
                rounds.given_up.store(rounds.ended(), SeqCst);
            }
        }
        true
    }
}
