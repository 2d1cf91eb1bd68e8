//! How other threads reach a worker: a queue and a waker.
//!
//! A worker is woken once for all that is posted until it looks. A worker that posts while it
//! handles its own connections collects the wake-ups and sends them when that connection's turn is
//! over ([`wake_others`]), so a pipeline of ten thousand `PUBLISH` wakes a listener's thread once;
//! what it posts to itself needs no wake-up at all.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use engine::{ClientId, Mailbox, Message};
use parking_lot::Mutex;

use crate::slab::Place;
use crate::stream::Stream;

/// Something handed to a worker.
pub enum Letter {
    /// A connection that is the worker's from now on.
    Connection(Stream, engine::Origin),
    /// Something for one of its clients.
    Message(Place, Message),
}

/// A worker's queue.
pub struct Inbox {
    letters: Mutex<Vec<Letter>>,
    /// There is something in the queue, or there was a moment ago.
    posted: AtomicBool,
    /// The worker holds replies back until the disk has what they tell.
    pub waits_for_disk: AtomicBool,
    waker: mio::Waker,
}

thread_local! {
    /// The inbox of the worker this thread is, and the inboxes it has yet to wake.
    static SEAT: RefCell<Seat> = const { RefCell::new(Seat { own: None, to_wake: Vec::new() }) };
}

struct Seat {
    own: Option<Arc<Inbox>>,
    to_wake: Vec<Arc<Inbox>>,
}

impl Inbox {
    /// An empty inbox that wakes a poller.
    #[must_use]
    pub fn new(waker: mio::Waker) -> Self {
        Inbox {
            letters: Mutex::new(Vec::new()),
            posted: AtomicBool::new(false),
            waits_for_disk: AtomicBool::new(false),
            waker,
        }
    }

    /// Puts a letter in the queue.
    pub fn post(self: &Arc<Self>, letter: Letter) {
        self.letters.lock().push(letter);
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
        std::mem::swap(&mut *self.letters.lock(), into);
    }

    /// Whether there may be letters.
    #[inline]
    pub fn has_letters(&self) -> bool {
        self.posted.load(Ordering::Acquire)
    }

    /// Makes this thread the worker that owns this inbox.
    pub fn take_seat(self: &Arc<Self>) {
        SEAT.with_borrow_mut(|seat| seat.own = Some(Arc::clone(self)));
    }
}

/// Sends the wake-ups this worker has collected.
#[inline]
pub fn wake_others() {
    SEAT.with_borrow_mut(|seat| seat.to_wake.drain(..).for_each(|inbox| inbox.wake()));
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
