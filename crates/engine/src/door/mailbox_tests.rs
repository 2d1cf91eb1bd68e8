//! Messages are heard once each, by a task that waits for them or comes later.

// In a test a panic is how a failure is told.
#![allow(clippy::unwrap_used)]

use std::pin::pin;
use std::sync::atomic::AtomicUsize;
use std::task::Wake;

use super::*;

/// Counts how often its task was woken.
#[derive(Default)]
struct Woken(AtomicUsize);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl Woken {
    fn times(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// Looks once at what is waited for.
fn look<F: Future>(waited: F, woken: &Arc<Woken>) -> Option<F::Output> {
    let waker = Waker::from(Arc::clone(woken));
    match pin!(waited).poll(&mut Context::from_waker(&waker)) {
        Poll::Ready(output) => Some(output),
        Poll::Pending => None,
    }
}

fn queue() -> (Arc<CloseSignal>, MessageQueue) {
    let close_signal = Arc::new(CloseSignal::default());
    (Arc::clone(&close_signal), MessageQueue::new(close_signal))
}

#[test]
fn a_message_wakes_the_task_that_waits_once() {
    let ((_, queue), woken) = (queue(), Arc::new(Woken::default()));
    assert!(look(queue.next(), &woken).is_none());
    queue.post(1, Message::Resume);
    assert_eq!(woken.times(), 1);
    assert!(matches!(look(queue.next(), &woken), Some(Message::Resume)));
    queue.post(1, Message::Resume);
    assert_eq!(woken.times(), 1, "nothing waited");
    assert!(look(queue.next(), &woken).is_some(), "it is there for a task that comes later");
    assert!(look(queue.next(), &woken).is_none());
}

#[test]
fn that_pauses_end_is_not_gathered_while_no_request_runs() {
    let ((_, queue), woken) = (queue(), Arc::new(Woken::default()));
    let unblocked = || Message::Unblocked { ticket: 7, reply: vec![b'x'].into() };
    (0..1000).for_each(|_| queue.post(1, Message::Resume));
    queue.post(1, unblocked());
    queue.post(1, Message::Resume);
    let mut heard = Vec::new();
    while let Some(message) = look(queue.next(), &woken) {
        heard.push(matches!(message, Message::Resume));
    }
    assert_eq!(heard, [true, false, true]);
    queue.post(1, unblocked());
    queue.clear();
    assert!(look(queue.next(), &woken).is_none(), "it came for a request that is over");
}

#[test]
fn the_order_to_close_reaches_the_connection_and_stays() {
    let ((close, queue), woken) = (queue(), Arc::new(Woken::default()));
    assert!(look(close.ended(), &woken).is_none());
    queue.post(1, Message::Kill);
    assert_eq!((woken.times(), close.is_over()), (1, true));
    assert!(look(close.ended(), &woken).is_some() && look(close.ended(), &woken).is_some());
    assert!(look(queue.next(), &woken).is_none(), "it is not for the session");
}

#[test]
fn room_is_asked_of_the_connection_each_time_anew() {
    let ((close, queue), woken) = (queue(), Arc::new(Woken::default()));
    queue.post(1, Message::MakeRoom);
    assert!(look(close.must_make_room(), &woken).is_none(), "no session makes room");
    close.post(1, Message::MakeRoom);
    assert_eq!(woken.times(), 1);
    assert!(look(close.must_make_room(), &woken).is_some());
    assert!(look(close.must_make_room(), &woken).is_none());
}
