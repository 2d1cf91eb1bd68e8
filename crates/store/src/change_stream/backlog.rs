//! Changes on their way to another thread: a queue for each shard, bounded together.
//!
//! Writers never wait. A batch that would take all that waits beyond the reader's backlog limit is
//! left out, and what was left out is one [`Gap`](ChangeEvent::Gap) at its place in the queue. It
//! grows with each further batch until one fits again: so the reader learns which numbers it has
//! missed, between what came before and what comes after. The limit is one sum over all shards: a
//! share for each would be less than one change, where there are many.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use sync::atomic::{AtomicUsize, Ordering};
use sync::{Condvar, Mutex};

use super::{ChangeBatch, ChangeConsumer};
use crate::Shard;

/// What a batch takes beside its changes: itself, its counts, its place in a queue and that of a
/// gap behind it.
pub(super) const OVERHEAD: usize =
    size_of::<ChangeBatch>() + 2 * size_of::<usize>() + 2 * size_of::<ChangeEvent>();

/// What a reader of changes has next.
#[derive(Debug)]
pub enum ChangeEvent {
    /// Changes of a shard, which follow those before.
    Batch(Arc<ChangeBatch>),
    /// Changes of a shard that were beyond the backlog limit.
    Gap {
        /// The shard.
        shard: usize,
        /// The number of the first that is missing.
        first: u64,
        /// The number of the last.
        last: u64,
    },
}

/// The queue of one shard.
#[derive(Debug, Default)]
struct Queue(VecDeque<ChangeEvent>);

impl Queue {
    /// Adds to the gap at its end, or begins one.
    fn miss(&mut self, shard: usize, first: u64, last: u64) {
        match self.0.back_mut() {
            Some(ChangeEvent::Gap { last: end, .. }) => *end = last,
            _ => self.0.push_back(ChangeEvent::Gap { shard, first, last }),
        }
    }
}

/// Which queues have something.
#[derive(Default)]
struct Filled {
    /// The numbers of shards whose queues are not empty, each once.
    shards: VecDeque<usize>,
    /// Nothing more will come.
    ended: bool,
}

/// The queues of one reader, and what waits in them.
pub(crate) struct Backlog {
    queues: Box<[Mutex<Queue>]>,
    /// Bytes of batches in all of them, at most.
    limit: usize,
    /// And now.
    bytes: AtomicUsize,
    filled: Mutex<Filled>,
    /// There is one more, or there will be none.
    more: Condvar,
}

impl Backlog {
    /// One queue for each of so many shards.
    pub fn new(shards: usize, limit: usize) -> Self {
        Backlog {
            queues: (0..shards).map(|_| Mutex::default()).collect(),
            limit,
            bytes: AtomicUsize::new(0),
            filled: Mutex::default(),
            more: Condvar::new(),
        }
    }

    /// What is next in any shard, shards in turn; none if nothing comes in time, or ever. One
    /// thread asks at a time: two would not know in which order what they got was.
    pub fn next(&self, timeout: Duration) -> Option<ChangeEvent> {
        let until = Instant::now().checked_add(timeout);
        loop {
            let number = self.next_filled(until)?;
            let mut queue = self.queues[number].lock();
            let event = queue.0.pop_front();
            if !queue.0.is_empty() {
                self.filled.lock().shards.push_back(number);
            }
            if let Some(ChangeEvent::Batch(batch)) = &event {
                self.bytes.fetch_sub(batch.bytes(), Ordering::Relaxed);
            }
            if event.is_some() {
                return event;
            }
        }
    }

    fn next_filled(&self, until: Option<Instant>) -> Option<usize> {
        let mut filled = self.filled.lock();
        loop {
            if let Some(number) = filled.shards.pop_front() {
                return Some(number);
            }
            if filled.ended {
                return None;
            }
            match until {
                None => self.more.wait(&mut filled),
                Some(until) => {
                    let left = until.saturating_duration_since(Instant::now());
                    if left.is_zero() || self.more.wait_for(&mut filled, left).timed_out() {
                        return filled.shards.pop_front();
                    }
                }
            }
        }
    }

    /// Whether all has been read, and nothing more will come.
    pub fn is_over(&self) -> bool {
        let filled = self.filled.lock();
        filled.ended && filled.shards.is_empty()
    }

    /// Takes so many bytes of the limit; whether they are to be had.
    fn take(&self, bytes: usize) -> bool {
        let taken = |now: usize| now.checked_add(bytes).filter(|&all| all <= self.limit);
        self.bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, taken).is_ok()
    }

    /// Adds something to the queue of a shard.
    fn add(&self, shard: usize, add: impl FnOnce(&mut Queue)) {
        let mut queue = self.queues[shard].lock();
        let was_empty = queue.0.is_empty();
        add(&mut queue);
        if was_empty {
            // Under the queue's lock: whichever finds it filled finds its number, too.
            self.filled.lock().shards.push_back(shard);
            self.more.notify_one();
        }
    }
}

impl ChangeConsumer for Backlog {
    fn changed(&self, _: &Shard, batch: &Arc<ChangeBatch>) {
        self.add(batch.shard, |queue| match self.take(batch.bytes()) {
            true => queue.0.push_back(ChangeEvent::Batch(Arc::clone(batch))),
            false => queue.miss(batch.shard, batch.first, batch.last()),
        });
    }

    fn missed(&self, shard: &Shard, first: u64, last: u64) {
        let shard = shard.number();
        self.add(shard, |queue| queue.miss(shard, first, last));
    }

    fn backlog_limit(&self) -> usize {
        self.limit
    }

    fn ended(&self) {
        self.filled.lock().ended = true;
        self.more.notify_all();
    }
}
