//! What is known of the script that runs.

use std::ptr::NonNull;
use std::time::Instant;

use base::Protocol;

use crate::Host;

/// The script that runs, and its host.
#[derive(Default)]
pub struct Run {
    /// Who runs commands, while a script runs.
    pub host: Option<NonNull<dyn Host>>,
    /// The protocol of replies to this script, `redis.setresp`.
    pub protocol: Protocol,
    /// Whether the host has ended the script.
    pub killed: bool,
    /// Whether the script catches errors itself, where it is now.
    pub catching: bool,
    /// When the host is asked next.
    pub clock: Clock,
}

/// When the host is asked whether to go on.
#[derive(Default)]
pub struct Clock {
    /// Steps until the host is asked.
    pub steps: u32,
    /// Instructions between two calls of the hook.
    pub interval: u32,
    /// When the hook was last called, and when the host was last asked, once the hook was.
    pub hooked: Option<Instant>,
    pub asked: Option<Instant>,
}

impl Run {
    /// A script begins: after so many steps its host is asked, after so many instructions the hook
    /// is called.
    pub fn begin(&mut self, steps: u32, interval: u32) {
        (self.killed, self.catching) = (false, false);
        self.clock = Clock { steps, interval, hooked: None, asked: None };
    }
}
