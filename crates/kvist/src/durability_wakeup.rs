//! Where threads wait until the disk has what their replies confirm.
//!
//! ```text
//!   a thread that waits                  after a sync
//!   lock                                 …something has become durable…
//!   durable? no ─► wait (unlocks)        lock, unlock: threads that checked now wait
//!                                        wake all
//! ```

use std::time::Duration;

use sync::{Condvar, Mutex, MutexGuard};

/// Woken when something has become durable.
#[derive(Default)]
pub(crate) struct DurabilityWakeup {
    lock: Mutex<()>,
    woken: Condvar,
}

impl DurabilityWakeup {
    /// Wakes all waiting threads.
    pub fn wake_all(&self) {
        drop(self.lock.lock());
        self.woken.notify_all();
    }

    /// Waits as long as it `must`. Whenever it is woken in vain, or has waited for a slice of time,
    /// `look` says whether to go on; it is told whether the slice is over, and may take its time.
    pub fn wait<E>(
        &self,
        slice: Duration,
        must: impl Fn() -> bool,
        mut look: impl FnMut(bool) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut guard = self.lock.lock();
        while must() {
            let over = self.woken.wait_for(&mut guard, slice).timed_out();
            if must() {
                MutexGuard::unlocked(&mut guard, || look(over))?;
            }
        }
        Ok(())
    }
}
