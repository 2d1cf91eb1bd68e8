//! Whether work on a project goes on.

use std::time::Duration;

use base::{CmdError, Pace, Reply};

/// The pace of what is answered at once: it goes on.
pub(super) struct AtOnce;

impl Pace for AtOnce {
    fn go_on(&mut self, _: &dyn Reply, _: usize) -> Result<(), CmdError> {
        Ok(())
    }

    fn elapsed(&self) -> Duration {
        Duration::ZERO
    }
}

/// Does work that asks whether it goes on and knows no errors of commands: that of the pace, if it
/// was to end.
///
/// # Errors
/// It is to end.
pub(super) fn watched<T>(
    pace: &mut dyn Pace,
    out: &dyn Reply,
    work: impl FnOnce(&mut dyn FnMut(usize) -> bool) -> T,
) -> Result<T, CmdError> {
    let mut ended = None;
    let done = work(&mut |holds| match pace.go_on(out, holds) {
        Ok(()) => true,
        Err(error) => {
            ended = Some(error);
            false
        }
    });
    ended.map_or(Ok(done), Err)
}
