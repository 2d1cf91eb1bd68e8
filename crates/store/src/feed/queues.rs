//! Changes on their way to another thread: a bounded queue for each shard.
//!
//! Writers never wait. A batch that finds no room in its shard's queue is left out, and what was
//! left out is one [`Gap`](FeedItem::Gap) at its place in the queue, which grows with each further
//! batch until there is room again: so the reader learns which numbers it has missed, between what
//! came before and what comes after.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use sync::{Condvar, Mutex};

use super::{Batch, Subscriber};
use crate::Shard;

/// What a batch takes beside its changes: itself, its counts, its place in a queue and that of a
/// gap behind it.
pub(super) const OVERHEAD: usize =
    size_of::<Batch>() + 2 * size_of::<usize>() + 2 * size_of::<FeedItem>();

/// What a subscription has next.
#[derive(Debug)]
pub enum FeedItem {
    /// Changes of a shard, which follow those before.
    Changes(Arc<Batch>),
    /// Changes of a shard that found no room.
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
struct Queue {
    items: VecDeque<FeedItem>,
    /// Bytes of the batches in it.
    bytes: usize,
}

impl Queue {
    fn push(&mut self, batch: &Arc<Batch>, most: usize) {
        if self.bytes.saturating_add(batch.bytes()) <= most {
            self.bytes += batch.bytes();
            self.items.push_back(FeedItem::Changes(Arc::clone(batch)));
            return;
        }
        match self.items.back_mut() {
            Some(FeedItem::Gap { last, .. }) => *last = batch.last(),
            _ => self.items.push_back(FeedItem::Gap {
                shard: batch.shard,
                first: batch.first,
                last: batch.last(),
            }),
        }
    }

    fn pop(&mut self) -> Option<FeedItem> {
        let item = self.items.pop_front();
        if let Some(FeedItem::Changes(batch)) = &item {
            self.bytes -= batch.bytes();
        }
        item
    }
}

/// The queues of one subscription.
pub(crate) struct Queues {
    queues: Box<[Mutex<Queue>]>,
    /// Bytes of batches in each of them, at most.
    most: usize,
    /// The numbers of shards whose queues are not empty, each once.
    filled: Mutex<VecDeque<usize>>,
    /// There is one more.
    more: Condvar,
}

impl Queues {
    /// One for each of so many shards.
    pub fn new(shards: usize, most: usize) -> Self {
        Queues {
            queues: (0..shards).map(|_| Mutex::default()).collect(),
            most,
            filled: Mutex::default(),
            more: Condvar::new(),
        }
    }

    /// What is next in any shard, shards in turn; none if nothing comes in time. One thread asks at
    /// a time: two would not know in which order what they got was.
    pub fn next(&self, patience: Duration) -> Option<FeedItem> {
        let until = Instant::now().checked_add(patience);
        loop {
            let number = self.next_filled(until)?;
            let mut queue = self.queues[number].lock();
            let item = queue.pop();
            if !queue.items.is_empty() {
                self.filled.lock().push_back(number);
            }
            if item.is_some() {
                return item;
            }
        }
    }

    fn next_filled(&self, until: Option<Instant>) -> Option<usize> {
        let mut filled = self.filled.lock();
        loop {
            if let Some(number) = filled.pop_front() {
                return Some(number);
            }
            match until {
                None => self.more.wait(&mut filled),
                Some(until) => {
                    let left = until.saturating_duration_since(Instant::now());
                    if left.is_zero() || self.more.wait_for(&mut filled, left).timed_out() {
                        return filled.pop_front();
                    }
                }
            }
        }
    }
}

impl Subscriber for Queues {
    fn changed(&self, _: &Shard, batch: &Arc<Batch>) {
        let mut queue = self.queues[batch.shard].lock();
        let was_empty = queue.items.is_empty();
        queue.push(batch, self.most);
        if was_empty {
            // Under the queue's lock: whichever finds it filled finds its number, too.
            self.filled.lock().push_back(batch.shard);
            self.more.notify_one();
        }
    }
}
