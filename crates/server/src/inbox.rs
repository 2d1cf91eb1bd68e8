//! How other threads reach a worker: a queue and a waker.
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
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use engine::{ClientId, Mailbox, Message};
use journal::DiskWaiter;
use parking_lot::Mutex;

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

impl Letter {
    /// Bytes in it. A message to many counts for each, though they share it: some may be the last.
    fn len(&self) -> usize {
        match self {
            Letter::Message(_, Message::Push(bytes)) => bytes.len(),
            Letter::Message(_, Message::Unblocked { reply, .. }) => reply.len(),
            _ => 0,
        }
    }
}

#[derive(Default)]
struct Pile {
    letters: Vec<Letter>,
    /// Bytes in them.
    bytes: usize,
}

/// A worker's queue.
pub struct Inbox {
    pile: Mutex<Pile>,
    /// There is more in the queue than should be.
    crowded: AtomicBool,
    /// There is something in the queue, or there was a moment ago.
    posted: AtomicBool,
    /// A connection is among it, or was a moment ago.
    newcomers: AtomicBool,
    /// The worker holds replies back until the disk has what they tell.
    pub waits_for_disk: DiskWaiter,
    waker: mio::Waker,
}

thread_local! {
    /// The inbox of the worker this thread is, and the inboxes it has yet to wake.
    static SEAT: RefCell<Seat> =
        const { RefCell::new(Seat { own: None, to_wake: Vec::new(), crowding: None }) };
}

struct Seat {
    own: Option<Arc<Inbox>>,
    to_wake: Vec<Arc<Inbox>>,
    /// The crowded inbox that this thread has last posted to.
    crowding: Option<Arc<Inbox>>,
}

impl Inbox {
    /// An empty inbox that wakes a poller.
    #[must_use]
    pub fn new(waker: mio::Waker) -> Self {
        Inbox {
            pile: Mutex::default(),
            crowded: AtomicBool::new(false),
            posted: AtomicBool::new(false),
            newcomers: AtomicBool::new(false),
            waits_for_disk: DiskWaiter::default(),
            waker,
        }
    }

    /// Puts a letter in the queue.
    pub fn post(self: &Arc<Self>, letter: Letter) {
        let mut pile = self.pile.lock();
        if matches!(letter, Letter::Connection(..)) {
            self.newcomers.store(true, Ordering::SeqCst);
        }
        pile.bytes += letter.len();
        pile.letters.push(letter);
        if pile.letters.len() > MANY || pile.bytes > LONG {
            // Under the lock, as when it is lowered: it says what the pile is.
            self.crowded.store(true, Ordering::Release);
            SEAT.with_borrow_mut(|seat| {
                if seat.crowding.is_none() {
                    seat.crowding = Some(Arc::clone(self));
                }
            });
        }
        drop(pile);
        // The flag is raised after the push and lowered before the take, so a letter is either
        // taken by a look that has already begun or announced by this wake-up.
        if self.posted.swap(true, Ordering::AcqRel) {
            return;
        }
        let now = SEAT.with_borrow_mut(|seat| match &seat.own {
            None => true,
            Some(own) if Arc::ptr_eq(own, self) => false,
            Some(_) => {
                seat.to_wake.push(Arc::clone(self));
                false
            }
        });
        if now {
            self.wake();
        }
    }

    /// Makes the worker look around: for letters, or for the order to stop.
    pub fn wake(&self) {
        if let Err(error) = self.waker.wake() {
            tracing::error!(%error, "could not wake a worker");
        }
    }

    /// Takes all letters; an empty `into` is swapped in, so neither side allocates in the long run.
    pub fn take(&self, into: &mut Vec<Letter>) {
        debug_assert!(into.is_empty());
        self.posted.store(false, Ordering::Release);
        let mut pile = self.pile.lock();
        self.newcomers.store(false, Ordering::SeqCst);
        std::mem::swap(&mut pile.letters, into);
        pile.bytes = 0;
        self.crowded.store(false, Ordering::Release);
    }

    /// Takes the connections out that its worker has not taken in yet.
    pub fn take_newcomers(&self) -> Vec<Letter> {
        let mut pile = self.pile.lock();
        self.newcomers.store(false, Ordering::SeqCst);
        pile.letters.extract_if(.., |letter| matches!(letter, Letter::Connection(..))).collect()
    }

    /// Whether there may be letters.
    #[inline]
    pub fn has_letters(&self) -> bool {
        self.posted.load(Ordering::Acquire)
    }

    /// Whether there may be connections that the worker has yet to take in.
    pub fn has_newcomers(&self) -> bool {
        self.newcomers.load(Ordering::SeqCst)
    }

    /// Makes this thread the worker that owns this inbox.
    pub fn take_seat(self: &Arc<Self>) {
        SEAT.with_borrow_mut(|seat| seat.own = Some(Arc::clone(self)));
    }
}

/// This thread is no worker any more: those it has yet to wake are woken, and from now on at once.
pub fn leave_seat() {
    wake_others();
    SEAT.with_borrow_mut(|seat| seat.own = None);
}

/// Whether this thread has posted to an inbox that is still crowded.
#[inline]
#[must_use]
pub fn is_crowding() -> bool {
    SEAT.with_borrow_mut(|seat| match &seat.crowding {
        None => false,
        Some(inbox) if inbox.crowded.load(Ordering::Acquire) => true,
        Some(_) => {
            seat.crowding = None;
            false
        }
    })
}

/// Sends the wake-ups this worker has collected.
#[inline]
pub fn wake_others() {
    SEAT.with_borrow_mut(|seat| seat.to_wake.drain(..).for_each(|inbox| inbox.wake()));
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
}
