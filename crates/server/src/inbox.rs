//! How other threads reach a worker: a queue (`queue.rs`) and a waker.
//!
//! A worker is woken once for all that is posted until it looks. A worker that posts while it
//! handles its own connections collects the wake-ups and sends them when that connection's turn is
//! over ([`wake_others`]), so a pipeline of ten thousand `PUBLISH` wakes a listener's thread once;
//! what it posts to itself needs no wake-up at all. It never waits with wake-ups in hand, wherever
//! they were collected: [`wait`] is the only way for it to do so.
//!
//! One request can post to ten thousand clients, and a worker takes requests faster than another
//! takes letters. So whoever posts to an inbox that is crowded serves no further requests before
//! that inbox has been looked into ([`is_crowding`]); letters it goes on reading, so two workers
//! that crowd each other both go on.

use std::cell::RefCell;
use std::io;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use engine::{ClientId, Mailbox, Message};
use journal::DiskWaiter;

use crate::queue::{Item, Most, Queue, Sleeper, Wakeups};
use crate::slab::Place;
use crate::stream::Stream;
use crate::turns::Back;

/// Something handed to a worker.
pub enum Letter {
    /// A connection that is the worker's from now on.
    Connection(Stream, engine::Origin),
    /// Something for one of its clients.
    Message(Place, Message),
    /// One of its connections, from the thread that had it while a script took long.
    Back(Box<Back>),
}

/// An inbox with more letters than this is crowded.
const MANY: usize = 256 << 10;
/// And so is one whose letters are longer than this, all in all.
const LONG: usize = 64 << 20;

impl Item for Letter {
    /// Bytes in it. A message to many counts for each, though they share it: some may be the last.
    fn bytes(&self) -> usize {
        match self {
            Letter::Message(_, Message::Push(bytes)) => bytes.len(),
            Letter::Message(_, Message::Unblocked { reply, .. }) => reply.len(),
            _ => 0,
        }
    }

    fn is_newcomer(&self) -> bool {
        matches!(self, Letter::Connection(..))
    }
}

/// A worker's queue and its waker.
pub struct Inbox {
    queue: Queue<Letter>,
    /// The worker holds replies back until the disk has what they tell.
    pub waits_for_disk: DiskWaiter,
    waker: mio::Waker,
}

thread_local! {
    /// Whom this thread has yet to wake.
    static WAKEUPS: RefCell<Wakeups<Inbox>> = const { RefCell::new(Wakeups::new()) };
}

impl Deref for Inbox {
    type Target = Queue<Letter>;

    fn deref(&self) -> &Queue<Letter> {
        &self.queue
    }
}

impl Sleeper for Inbox {
    fn wake(&self) {
        Inbox::wake(self);
    }

    fn is_crowded(&self) -> bool {
        self.queue.is_crowded()
    }
}

impl Inbox {
    /// An empty inbox that wakes a poller.
    #[must_use]
    pub fn new(waker: mio::Waker) -> Self {
        let queue = Queue::new(Most { letters: MANY, bytes: LONG });
        Inbox { queue, waits_for_disk: DiskWaiter::default(), waker }
    }

    /// Puts a letter in the queue.
    pub fn post(self: &Arc<Self>, letter: Letter) {
        let posted = self.queue.post(letter);
        if posted.first || posted.crowds {
            WAKEUPS.with_borrow_mut(|wakeups| wakeups.note(self, posted));
        }
    }

    /// Makes the worker look around: for letters, or for the order to stop.
    pub fn wake(&self) {
        if let Err(error) = self.waker.wake() {
            tracing::error!(%error, "could not wake a worker");
        }
    }

    /// Makes this thread the worker that owns this inbox.
    pub fn take_seat(self: &Arc<Self>) {
        WAKEUPS.with_borrow_mut(|wakeups| wakeups.take_seat(self));
    }
}

/// This thread is no worker any more: those it has yet to wake are woken, and from now on at once.
pub fn leave_seat() {
    WAKEUPS.with_borrow_mut(Wakeups::leave_seat);
}

/// Whether this thread has posted to an inbox that is still crowded.
#[inline]
#[must_use]
pub fn is_crowding() -> bool {
    WAKEUPS.with_borrow_mut(Wakeups::is_crowding)
}

/// Sends the wake-ups this worker has collected.
#[inline]
pub fn wake_others() {
    WAKEUPS.with_borrow_mut(Wakeups::wake_others);
}

/// Waits for events, as workers do: those to whom this thread has posted anything know of it.
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
    pub place: Place,
}

impl Mailbox for Address {
    fn post(&self, _: ClientId, message: Message) {
        self.inbox.post(Letter::Message(self.place, message));
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
    fn nobody_waits_before_those_it_has_posted_to_are_woken() {
        let place = Slab::<()>::new().next_place().unwrap();
        let ((mut own_poll, own), (mut poll, other)) = (inbox(), inbox());
        own.take_seat();
        other.post(Letter::Message(place, Message::Kill));
        let mut events = mio::Events::with_capacity(4);
        poll.poll(&mut events, Some(Duration::ZERO)).unwrap();
        assert!(events.is_empty(), "it is woken when there is time");
        wait(&mut own_poll, &mut events, Duration::ZERO).unwrap();
        poll.poll(&mut events, Some(Duration::ZERO)).unwrap();
        assert!(!events.is_empty());
    }

    #[test]
    fn who_crowds_an_inbox_is_told_until_it_is_emptied() {
        let place = Slab::<()>::new().next_place().unwrap();
        let message: Arc<[u8]> = vec![b'm'; 1 << 20].into();
        let push = || Letter::Message(place, Message::Push(Arc::clone(&message)));
        let kill = || Letter::Message(place, Message::Kill);
        let ((_poll, long), (_other, many)) = (inbox(), inbox());
        for _ in 0..LONG >> 20 {
            assert!(!is_crowding());
            long.post(push());
        }
        assert!(!is_crowding());
        long.post(push());
        assert!(is_crowding());
        // It is what this thread has posted that counts.
        assert!(!std::thread::spawn(is_crowding).join().unwrap());
        long.take(&mut Vec::new());
        assert!(!is_crowding());
        (0..=MANY).for_each(|_| many.post(kill()));
        assert!(is_crowding());
        many.take(&mut Vec::new());
        assert!(!is_crowding());
        long.post(push());
        assert!(!is_crowding());
    }

    #[test]
    fn who_crowds_two_inboxes_is_told_until_both_are_emptied() {
        let place = Slab::<()>::new().next_place().unwrap();
        let ((_poll, one), (_other, two)) = (inbox(), inbox());
        for inbox in [&one, &two] {
            (0..=MANY).for_each(|_| inbox.post(Letter::Message(place, Message::Kill)));
        }
        one.take(&mut Vec::new());
        assert!(is_crowding());
        two.take(&mut Vec::new());
        assert!(!is_crowding());
    }
}
