//! A flusher without a thread: a thread that needs one of its rounds runs it itself.
//!
//! What the thread does between two waits is a round of the writer, and here nothing else runs. A
//! simulation decides when; a thread that waits for the flusher, to begin a segment or to sync,
//! makes the round that answers. So all that happens, happens in one thread and in an order that is
//! chosen.

use std::fmt;
use std::io;
use std::sync::Arc;

use sync::Mutex;

use crate::flusher::{Flusher, Place, Writer};
use crate::log::{Log, Service};

/// Makes a round when called.
pub(crate) struct Stepped {
    /// Not here while it makes a round.
    writer: Mutex<Option<Writer>>,
    _service: Service,
}

impl fmt::Debug for Stepped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stepped")
    }
}

impl Flusher {
    /// As [`Flusher::start`], but without a thread: see [`Log::flush_round`].
    #[must_use]
    pub fn stepped(log: &Arc<Log>, place: Place, on_durable: impl Fn() + Send + 'static) -> Self {
        let writer = Mutex::new(Some(Writer::new(log, place, on_durable)));
        let stepped = Stepped { writer, _service: Service::begin(log) };
        *log.stepped.lock() = Some(Arc::new(stepped));
        Flusher { log: Arc::clone(log), thread: None }
    }
}

impl Log {
    /// One round of a flusher without a thread: what was appended is written, and synced if that is
    /// due; what was asked is answered. `false` if there is no such flusher.
    ///
    /// # Errors
    /// Such a round is being made: this is called from the disk in the middle of it.
    pub fn flush_round(&self) -> io::Result<bool> {
        let Some(stepped) = self.stepped.lock().clone() else { return Ok(false) };
        let busy = || io::Error::other("a round of the flusher within a round of the flusher");
        let taken = stepped.writer.lock().take();
        let mut writer = taken.ok_or_else(busy)?;
        let woken = self.wakeup.lock().take();
        writer.round(woken);
        *stepped.writer.lock() = Some(writer);
        Ok(true)
    }

    /// The last round of a flusher without a thread, if there is one.
    pub(crate) fn last_round(&self) {
        let Some(stepped) = self.stepped.lock().take() else { return };
        if let Some(mut writer) = stepped.writer.lock().take() {
            let woken = self.wakeup.lock().take();
            writer.round(woken);
        }
    }
}
