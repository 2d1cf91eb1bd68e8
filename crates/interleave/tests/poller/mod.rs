//! What epoll and its waker are to a worker: a wake-up is remembered until it is waited for.

use sync::{Condvar, Mutex};

/// A poller that sees nothing but wake-ups.
#[derive(Default)]
pub struct Poller {
    woken: Mutex<bool>,
    changed: Condvar,
}

#[allow(dead_code)] // each program of tests uses a part
impl Poller {
    /// Wakes who waits, or will.
    pub fn wake(&self) {
        *self.woken.lock() = true;
        self.changed.notify_one();
    }

    /// Waits until woken.
    pub fn wait(&self) {
        let mut woken = self.woken.lock();
        while !*woken {
            self.changed.wait(&mut woken);
        }
        *woken = false;
    }

    /// Whether it would not wait; takes the wake-up.
    pub fn look(&self) -> bool {
        std::mem::take(&mut *self.woken.lock())
    }
}
