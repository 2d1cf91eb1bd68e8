//! Where threads sit down at the engine.
//!
//! A seat has what only one thread may use at a time: counters, a lane of the journal, interpreters
//! for scripts. Each thread goes to the same one every time, and finds it free unless more threads
//! than there are seats are at work; so taking one is a lock that nobody else wants. A seat is made
//! when it is first taken. Who waits (for a key, for the disk) gets up meanwhile.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use engine::{Engine, Worker};
use parking_lot::{MappedMutexGuard, Mutex, MutexGuard};

use crate::party::Party;

/// How many threads can be at work at a time without waiting for each other's seats.
const SEATS: usize = 64;

/// A seat.
pub(crate) struct Seat {
    pub worker: Worker,
    /// The client for requests that belong into no session.
    pub own: Option<Box<Party>>,
}

/// A lock with a cache line of its own.
#[repr(align(128))]
#[derive(Default)]
struct Place(Mutex<Option<Box<Seat>>>);

/// All seats.
pub(crate) struct Seats {
    places: Box<[Place]>,
    chance: u64,
    made: AtomicU64,
}

/// A seat that is taken.
pub(crate) type Taken<'s> = MappedMutexGuard<'s, Seat>;

thread_local! {
    /// Which place this thread goes to.
    static PLACE: Cell<usize> = const { Cell::new(usize::MAX) };
}

static NEXT: AtomicUsize = AtomicUsize::new(0);

fn place() -> usize {
    PLACE.with(|place| {
        if place.get() == usize::MAX {
            place.set(NEXT.fetch_add(1, Ordering::Relaxed) % SEATS);
        }
        place.get()
    })
}

impl Seats {
    pub fn new(chance: u64) -> Self {
        Seats {
            places: (0..SEATS).map(|_| Place::default()).collect(),
            chance,
            made: AtomicU64::new(0),
        }
    }

    /// Sits down.
    pub fn take(&self, engine: &Arc<Engine>) -> Taken<'_> {
        let first = place();
        let guard = self.places[first].0.try_lock().or_else(|| self.elsewhere(first));
        let guard = guard.unwrap_or_else(|| self.places[first].0.lock());
        MutexGuard::map(guard, |seat| &mut **seat.get_or_insert_with(|| self.seat(engine)))
    }

    #[cold]
    fn seat(&self, engine: &Arc<Engine>) -> Box<Seat> {
        let seed = self.chance.wrapping_add(self.made.fetch_add(1, Ordering::Relaxed));
        Box::new(Seat { worker: Worker::new(engine, seed), own: None })
    }

    #[cold]
    fn elsewhere(&self, first: usize) -> Option<MutexGuard<'_, Option<Box<Seat>>>> {
        (1..SEATS).find_map(|step| self.places[(first + step) % SEATS].0.try_lock())
    }

    /// Waits for everybody to get up, and takes the seats away.
    pub fn clear(&self) {
        for place in &self.places {
            let seat = place.0.lock().take();
            if let Some(mut seat) = seat
                && let Some(mut party) = seat.own.take()
            {
                seat.worker.disconnect(&mut party.session);
            }
        }
    }
}
