//! Bytes that are put together, in buffers that are kept from call to call.

use super::Open;

/// Room of buffers that is kept between calls.
pub const KEPT: usize = 1 << 20;

/// Texts and results.
#[derive(Default)]
pub struct Buffers {
    /// A message being put together.
    pub text: Vec<u8>,
    /// The result of an encoder, or a string being decoded.
    pub result: Vec<u8>,
    /// Bytes that results of encoders may take.
    pub limit: usize,
}

impl Buffers {
    /// Whether this many more bytes would make an encoder's result too long.
    #[inline]
    pub fn is_full(&self, more: usize) -> bool {
        self.result.len().saturating_add(more) > self.limit
    }

    /// Gives the room of an unusually long result back.
    #[inline]
    pub fn tidy(&mut self) {
        if self.result.capacity() > KEPT {
            self.result = Vec::new();
        }
    }
}

/// The command being called.
#[derive(Default)]
pub struct Command {
    /// Its words. Empty between calls.
    pub words: Vec<&'static [u8]>,
    /// Numbers among them, as text.
    pub digits: Vec<u8>,
    /// Aggregates of its reply that are not complete.
    pub open: Vec<Open>,
}
