//! What a call takes, from its head until the client has taken its answer.
//!
//! ```text
//!   request ─► reply of the engine ─► message ─► frames ─► the other end
//!   Meter      reply                             counted as they are, and with them the call
//! ```
//!
//! Messages become frames only when there is room for some at the other end, so a client that takes
//! nothing has replies wait here.

use std::sync::Arc;

use bytes::Bytes;
use engine::{ClientMemory, CountedBytes, Engine, Origin};
use parking_lot::Mutex;

/// Bytes that a call takes beside what it asks and what it is answered.
const CALL: usize = 3 << 10;

/// Counts what a call takes.
#[derive(Clone)]
pub struct CallMemory {
    call: Arc<ClientMemory>,
    /// The last reply of the engine to it.
    reply: Arc<Mutex<ClientMemory>>,
}

impl CallMemory {
    /// A call of the connection that comes from there.
    pub fn new(engine: &Engine, origin: &Origin) -> Self {
        let call = ClientMemory::new(&engine.memory.buffers, origin).beside(CALL);
        CallMemory { reply: Arc::new(Mutex::new(call.beside(0))), call: Arc::new(call) }
    }

    /// What is counted for the same connection.
    pub fn memory(&self) -> &ClientMemory {
        &self.call
    }

    /// The engine has answered a request of it.
    pub fn answered(&self, bytes: usize) {
        self.reply.lock().set(bytes);
    }

    /// Bytes of its answer: they count, and so does the call, until they are dropped.
    pub fn frame(&self, bytes: Bytes) -> Bytes {
        let bytes = CountedBytes::new(bytes, &self.call);
        Bytes::from_owner(AnswerBytes { bytes, _call: Arc::clone(&self.call) })
    }
}

/// Bytes of an answer, and the call that they are of.
struct AnswerBytes {
    bytes: CountedBytes<Bytes>,
    _call: Arc<ClientMemory>,
}

impl AsRef<[u8]> for AnswerBytes {
    fn as_ref(&self) -> &[u8] {
        self.bytes.as_ref()
    }
}
