//! Queues of edits: those of one key are worked at one after the other, in the order in which they
//! came.
//!
//! A queue is there as long as one of its edits runs or waits. It holds no thread while it waits
//! for one: the thread that has ended an edit sends the next to the pool, behind what waits there.

use std::collections::{HashMap, VecDeque};

use parking_lot::Mutex;

/// The key that a queue is of: its database and its name.
pub(crate) type QueueKey = (usize, Box<[u8]>);

/// All queues.
pub(crate) struct EditQueues<P>(Mutex<Inner<P>>);

struct Inner<P> {
    numbers: u64,
    waiting: HashMap<QueueKey, VecDeque<(u64, P)>>,
}

impl<P> Default for EditQueues<P> {
    fn default() -> Self {
        EditQueues(Mutex::new(Inner { numbers: 0, waiting: HashMap::new() }))
    }
}

impl<P> EditQueues<P> {
    /// Joins a queue; `make` learns whether there was none. The number to leave it by, and whether
    /// the caller has to see to it that the queue moves.
    pub fn join(&self, queue: &QueueKey, make: impl FnOnce(bool) -> P) -> (u64, bool) {
        let mut inner = self.0.lock();
        inner.numbers += 1;
        let (number, is_new) = (inner.numbers, !inner.waiting.contains_key(queue));
        inner.waiting.entry(queue.clone()).or_default().push_back((number, make(is_new)));
        (number, is_new)
    }

    /// The next of a queue, which stays until it is over.
    pub fn next(&self, queue: &QueueKey) -> Option<P> {
        Some(self.0.lock().waiting.get_mut(queue)?.pop_front()?.1)
    }

    /// Whether a queue has come to its end, and is no more.
    pub fn is_over(&self, queue: &QueueKey) -> bool {
        let mut inner = self.0.lock();
        let is_over = inner.waiting.get(queue).is_none_or(VecDeque::is_empty);
        if is_over {
            inner.waiting.remove(queue);
        }
        is_over
    }

    /// Takes all of a queue: nothing moves it any more.
    pub fn close(&self, queue: &QueueKey) -> Vec<P> {
        let all = self.0.lock().waiting.remove(queue).unwrap_or_default();
        all.into_iter().map(|(_, pending)| pending).collect()
    }

    /// Takes one out of its queue, if it has not begun.
    pub fn leave(&self, queue: &QueueKey, number: u64) -> Option<P> {
        let mut inner = self.0.lock();
        let waiting = inner.waiting.get_mut(queue)?;
        let at = waiting.iter().position(|(other, _)| *other == number)?;
        waiting.remove(at).map(|(_, pending)| pending)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_moves_in_order_and_ends_when_it_is_empty() {
        let (queues, queue): (EditQueues<u8>, QueueKey) =
            (EditQueues::default(), (0, Box::from(&b"k"[..])));
        let (_, first) = queues.join(&queue, u8::from);
        let (second, again) = queues.join(&queue, |is_new| 2 + u8::from(is_new));
        let (_, third) = queues.join(&queue, |_| 4);
        assert_eq!((first, again, third), (true, false, false));
        assert!(queues.join(&(1, Box::from(&b"k"[..])), |_| 9).1, "another database");
        assert_eq!(queues.next(&queue), Some(1));
        assert!(!queues.is_over(&queue));
        assert_eq!((queues.leave(&queue, second), queues.leave(&queue, second)), (Some(2), None));
        assert_eq!((queues.next(&queue), queues.next(&queue)), (Some(4), None));
        assert!(!queues.join(&queue, |_| 5).1, "one of it may still run");
        assert!(!queues.is_over(&queue));
        assert_eq!(queues.close(&queue), [5]);
        assert!(queues.is_over(&queue));
        assert!(queues.join(&queue, |_| 6).1);
    }
}
