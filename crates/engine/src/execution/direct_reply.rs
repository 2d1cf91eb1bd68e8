//! Replies that are not encoded: a door inside the process has them written into values of its own.
//!
//! Data commands of the embedded engine write to one; what else it runs goes through RESP bytes.

use base::Reply;

/// A reply whose values go straight to the caller. It is written while the command runs, and taken
/// back if that fails half-way, or if the reply becomes too long.
///
/// Shards are locked meanwhile: it must not wait for anything, nor call back.
pub trait DirectReply: Reply {
    /// Forgets everything written so far.
    fn clear(&mut self);
}
