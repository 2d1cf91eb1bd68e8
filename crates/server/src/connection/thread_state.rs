//! What a worker thread has for the connections that it serves, one after the other.

use base::Millis;
use engine::Worker;

use super::buffer::SMALL;

/// Bytes read in one turn of a connection.
pub const READ_MAX: usize = 256 << 10;

/// The state of a worker thread, used by the connection whose turn it is.
pub struct ThreadState {
    /// The context at the engine.
    pub worker: Worker,
    /// Where requests are read to: a kept rest of up to [`SMALL`] bytes, then [`READ_MAX`] new
    /// ones.
    pub(crate) read: Box<[u8]>,
    /// Where replies are written to.
    pub(crate) out: Vec<u8>,
    /// The time of this batch.
    pub now: Millis,
    /// A client has come to take more memory than before.
    pub grown: bool,
}

impl ThreadState {
    /// The state of a new thread, with its buffers.
    #[must_use]
    pub fn new(worker: Worker) -> Self {
        let read = vec![0; SMALL + READ_MAX].into_boxed_slice();
        ThreadState { worker, read, out: Vec::with_capacity(64 << 10), now: 0, grown: false }
    }

    /// If a client takes more memory than before: checks whether all together take too much.
    #[inline]
    pub fn evict_if_grown(&mut self) {
        if std::mem::take(&mut self.grown) {
            let ThreadState { worker, now, .. } = self;
            worker.engine.evict_clients(&worker.context.config, *now);
        }
    }
}
