//! What a script asks of the program that runs it.

use base::{CmdError, Reply};

/// Why a command of a script did not run to its end.
#[derive(Clone, Debug)]
pub enum Refusal {
    /// It is answered with this error, instead of whatever was written before.
    Error(CmdError),
    /// The script is to end here, whatever it tries, as if it had never been called: its host will
    /// run it again, or not at all.
    Abandon,
    /// The script is to end here, whatever it tries, as when [`Host::interrupted`] says so: the
    /// command took so long that the host has looked at the clock itself.
    End,
}

impl From<CmdError> for Refusal {
    fn from(error: CmdError) -> Self {
        Refusal::Error(error)
    }
}

/// Runs commands for a script. The engine is one; tests have small ones.
///
/// A host must not run another script on the same [`crate::Vm`].
pub trait Host {
    /// Runs a command, as `redis.call` and `redis.pcall` do, and writes exactly one reply: that of
    /// the command, in the protocol of `out`. The words are borrowed from the script.
    ///
    /// # Errors
    /// The command failed or may not run (the text with its code word), or the script must end.
    fn call(&mut self, words: &[&[u8]], out: &mut dyn Reply) -> Result<(), Refusal>;

    /// The client is answered with this error, or it stands within the answer: the script raised or
    /// returned it. `counted` if it comes from a command, which has seen it already.
    fn note_error(&mut self, text: &[u8], counted: bool);

    /// `redis.log`: a level from 0 (debug) to 3 (warning) and a line without end.
    fn log(&mut self, level: u8, text: &[u8]);

    /// `redis.acl_check_cmd`: whether the user may run this; `None` if there is no such command.
    fn may(&mut self, words: &[&[u8]]) -> Option<bool>;

    /// Asked after 100,000 instructions or as much other work, and at the latest some milliseconds
    /// after it was asked before: whether the script is to end here. Once true, the script ends,
    /// whatever it tries.
    fn interrupted(&mut self) -> bool;

    /// `redis.set_repl`: what becomes of the effects of the commands that follow, as the sum of 1
    /// (to the journal) and 2 (to replicas).
    fn set_repl(&mut self, flags: u8);
}
