//! Replies that wait for the disk, and the connections of one worker that have some.
//!
//! ```text
//!   a turn ─► withheld? ─► listed ─► asked for ─► the worker sleeps ─► woken ─► looked at again
//!               (decided once)                                          │
//!                    ▲                                                  └─► sent
//!                    └───────────────── not yet ◄───────────────────────┘
//! ```
//!
//! Whether replies are withheld is decided where they are not sent, and only that decision puts
//! their connection on the list, from which alone they are sent later. Between the two the disk may
//! catch up; a second decision would then find nothing to wait for, and the replies would never be
//! sent.

use std::collections::VecDeque;

use journal::DiskWaiter;

/// What a connection knows about its replies.
#[derive(Debug, Default)]
pub struct Withheld {
    /// Some were not sent because the disk does not have yet what they tell.
    withheld: bool,
    /// It is on the list.
    listed: bool,
}

impl Withheld {
    /// Decides about new replies; `true` if they are not to be sent. Those that were withheld
    /// before go first, so new ones join them.
    #[inline]
    pub fn join(&mut self, must_hold: bool) -> bool {
        self.withheld |= must_hold;
        self.withheld
    }

    /// Decides anew about all of them; `true` if they are not to be sent.
    #[inline]
    pub fn decide(&mut self, must_hold: bool) -> bool {
        self.withheld = must_hold;
        must_hold
    }

    /// As [`decide`](Self::decide), for a connection that was taken from the list.
    pub fn look_again(&mut self, must_hold: bool) -> bool {
        self.listed = false;
        self.decide(must_hold)
    }

    /// Whether it is on the list.
    pub fn is_listed(&self) -> bool {
        self.listed
    }
}

/// The connections of a worker whose replies wait for the disk.
#[derive(Debug)]
pub struct HeldReplies<P> {
    places: VecDeque<P>,
    /// The epoch of the journal that was last asked to be made durable.
    asked: u64,
}

impl<P: Copy> HeldReplies<P> {
    /// None.
    pub fn new() -> Self {
        HeldReplies { places: VecDeque::new(), asked: 0 }
    }

    /// The turn of a connection is over: lists it if its replies were withheld.
    #[inline]
    pub fn note(&mut self, key: P, replies: &mut Withheld) {
        if replies.withheld && !replies.listed {
            replies.listed = true;
            self.places.push_back(key);
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Takes the first from the list.
    pub fn take(&mut self) -> Option<P> {
        self.places.pop_front()
    }

    /// Those on the list have been looked at, and wait for epochs up to `latest`: `flush` asks the
    /// disk for it, unless it has been asked. Before [`is_due`](Self::is_due) is asked and the
    /// worker sleeps, so that a later sync wakes it.
    pub fn rest(&mut self, latest: u64, waiter: &DiskWaiter, flush: impl FnOnce()) {
        if latest > self.asked {
            self.asked = latest;
            flush();
        }
        waiter.set(!self.places.is_empty());
    }

    /// Whether one of them need not wait any more: then the worker must not sleep.
    pub fn is_due(&self, must_hold: impl Fn(P) -> bool) -> bool {
        self.places.iter().any(|&key| !must_hold(key))
    }
}
