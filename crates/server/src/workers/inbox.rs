//! How other threads reach a worker: a queue (`queue.rs`) and a waker.
//!
//! A worker is woken once for all messages that are posted until it looks. A worker that posts
//! while it handles its own connections collects the wake-ups and sends them when that connection's
//! turn is over ([`wake_others`]), so a pipeline of ten thousand `PUBLISH` wakes a subscriber's
//! thread once; messages to itself need no wake-up at all. It never waits with wake-ups unsent: all
//! its waits go through [`wait`].
//!
//! Backpressure: one request can post to ten thousand clients, and a worker handles requests faster
//! than another reads messages. So a worker that has posted to an inbox over its limit serves no
//! further requests before that inbox has been read ([`must_back_off`]). It goes on reading
//! messages, so two workers that fill each other's inboxes both make progress.

use std::cell::RefCell;
use std::io;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use engine::{ClientId, Mailbox, Message};
use journal::DiskWaiter;

use super::queue::{Item, Queue, QueueLimits, Sleeper, Wakeups};
use crate::connection::{ReturnedConnection, Stream};
use crate::slab::ConnectionKey;

/// Something handed to a worker.
pub enum InboxMessage {
    /// A connection that is the worker's from now on.
    Connection(Stream, engine::Origin),
    /// Something for one of its clients.
    Message(ConnectionKey, Message),
    /// One of its connections, returned by the thread that ran its long script.
    Returned(Box<ReturnedConnection>),
}

/// An inbox with more messages than this is over its limit.
const MANY: usize = 256 << 10;
/// And so is one whose messages are longer than this, all in all.
const LONG: usize = 64 << 20;

impl Item for InboxMessage {
    /// Bytes in it. A message to many counts for each, though they share it: some may be the last.
    fn bytes(&self) -> usize {
        match self {
            InboxMessage::Message(_, Message::Push(bytes)) => bytes.len(),
            InboxMessage::Message(_, Message::Unblocked { reply, .. }) => reply.len(),
            _ => 0,
        }
    }

    fn is_new_connection(&self) -> bool {
        matches!(self, InboxMessage::Connection(..))
    }
}

/// A worker's queue and its waker.
pub struct Inbox {
    queue: Queue<InboxMessage>,
    /// The worker holds replies back until the disk has what they tell.
    pub waits_for_disk: DiskWaiter,
    waker: mio::Waker,
}

thread_local! {
    /// Workers that this thread has yet to wake.
    static WAKEUPS: RefCell<Wakeups<Inbox>> = const { RefCell::new(Wakeups::new()) };
}

impl Deref for Inbox {
    type Target = Queue<InboxMessage>;

    fn deref(&self) -> &Queue<InboxMessage> {
        &self.queue
    }
}

impl Sleeper for Inbox {
    fn wake(&self) {
        Inbox::wake(self);
    }

    fn is_over_limit(&self) -> bool {
        self.queue.is_over_limit()
    }
}

impl Inbox {
    /// An empty inbox that wakes a poller.
    #[must_use]
    pub fn new(waker: mio::Waker) -> Self {
        let queue = Queue::new(QueueLimits { messages: MANY, bytes: LONG });
        Inbox { queue, waits_for_disk: DiskWaiter::default(), waker }
    }

    /// Puts a message in the queue.
    pub fn post(self: &Arc<Self>, message: InboxMessage) {
        let posted = self.queue.post(message);
        if posted.first || posted.over_limit {
            WAKEUPS.with_borrow_mut(|wakeups| wakeups.note(self, posted));
        }
    }

    /// Wakes the worker to look for messages and for the order to stop.
    pub fn wake(&self) {
        if let Err(error) = self.waker.wake() {
            tracing::error!(%error, "could not wake a worker");
        }
    }

    /// Makes this thread the worker that owns this inbox.
    pub fn attach_thread(self: &Arc<Self>) {
        WAKEUPS.with_borrow_mut(|wakeups| wakeups.attach_thread(self));
    }
}

/// This thread is no longer a worker: pending wake-ups are sent now, and later ones at once.
pub fn detach_thread() {
    WAKEUPS.with_borrow_mut(Wakeups::detach_thread);
}

/// Whether this thread has posted to an inbox that is still over its limit.
#[inline]
#[must_use]
pub fn must_back_off() -> bool {
    WAKEUPS.with_borrow_mut(Wakeups::must_back_off)
}

/// Sends the wake-ups this worker has collected.
#[inline]
pub fn wake_others() {
    WAKEUPS.with_borrow_mut(Wakeups::wake_others);
}

/// Waits for events, after sending all pending wake-ups.
///
/// # Errors
/// The poller fails.
pub fn wait(poll: &mut mio::Poll, events: &mut mio::Events, most: Duration) -> io::Result<()> {
    wake_others();
    poll.poll(events, Some(most))
}

/// One connection's address: its worker and its place there.
pub struct Address {
    /// The worker's inbox.
    pub inbox: Arc<Inbox>,
    /// The connection's place in the worker's slab.
    pub key: ConnectionKey,
}

impl Mailbox for Address {
    fn post(&self, _: ClientId, message: Message) {
        self.inbox.post(InboxMessage::Message(self.key, message));
    }
}

#[cfg(test)]
mod tests {
    // In a test a panic is how a failure is told.
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::slab::Slab;

    fn inbox() -> (mio::Poll, Arc<Inbox>) {
        let poll = mio::Poll::new().unwrap();
        let waker = mio::Waker::new(poll.registry(), mio::Token(0)).unwrap();
        (poll, Arc::new(Inbox::new(waker)))
    }

    /// What is posted while no connection has its turn, such as when room is made.
    #[test]
    fn no_worker_waits_before_it_has_sent_its_wakeups() {
        let key = Slab::<()>::new().next_key().unwrap();
        let ((mut own_poll, own), (mut poll, other)) = (inbox(), inbox());
        own.attach_thread();
        other.post(InboxMessage::Message(key, Message::Kill));
        let mut events = mio::Events::with_capacity(4);
        poll.poll(&mut events, Some(Duration::ZERO)).unwrap();
        assert!(events.is_empty(), "it is woken when there is time");
        wait(&mut own_poll, &mut events, Duration::ZERO).unwrap();
        poll.poll(&mut events, Some(Duration::ZERO)).unwrap();
        assert!(!events.is_empty());
    }

    #[test]
    fn a_thread_that_overfills_an_inbox_backs_off_until_it_is_emptied() {
        let key = Slab::<()>::new().next_key().unwrap();
        let message: Arc<[u8]> = vec![b'm'; 1 << 20].into();
        let push = || InboxMessage::Message(key, Message::Push(Arc::clone(&message)));
        let kill = || InboxMessage::Message(key, Message::Kill);
        let ((_poll, long), (_other, many)) = (inbox(), inbox());
        for _ in 0..LONG >> 20 {
            assert!(!must_back_off());
            long.post(push());
        }
        assert!(!must_back_off());
        long.post(push());
        assert!(must_back_off());
        // It is what this thread has posted that counts.
        assert!(!std::thread::spawn(must_back_off).join().unwrap());
        long.take(&mut Vec::new());
        assert!(!must_back_off());
        (0..=MANY).for_each(|_| many.post(kill()));
        assert!(must_back_off());
        many.take(&mut Vec::new());
        assert!(!must_back_off());
        long.post(push());
        assert!(!must_back_off());
    }

    #[test]
    fn a_thread_that_overfills_two_inboxes_backs_off_until_both_are_emptied() {
        let key = Slab::<()>::new().next_key().unwrap();
        let ((_poll, one), (_other, two)) = (inbox(), inbox());
        for inbox in [&one, &two] {
            (0..=MANY).for_each(|_| inbox.post(InboxMessage::Message(key, Message::Kill)));
        }
        one.take(&mut Vec::new());
        assert!(must_back_off());
        two.take(&mut Vec::new());
        assert!(!must_back_off());
    }
}
