//! What is to be sent to a client and was not sent yet.

use base::Millis;

use super::buffer::Output;
use crate::held::Withheld;

/// A connection's way out.
#[derive(Default)]
pub(super) struct Outgoing {
    /// What the kernel has not taken.
    pub(super) output: Output,
    /// Whether its replies wait for the disk.
    pub(super) withheld: Withheld,
    /// What is there is sent, then the connection is closed; requests are ignored.
    pub(super) closing: bool,
    /// Bytes pushed to it since it last had no output.
    pub(super) pushed: usize,
    /// Since when it has been over the soft limit.
    pub(super) over_soft_since: Option<Millis>,
}
