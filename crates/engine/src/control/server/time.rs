//! TIME.

use std::time::{SystemTime, UNIX_EPOCH};

use base::{CmdError, Flag, Reply, Spec};
use wire::RespWriter;

use super::SERVER;
use crate::control::{Act, Control, acts, bare};
use crate::engine::entry::Action;

/// The row of this command.
pub(super) fn rows() -> Vec<(&'static Spec, Action)> {
    acts![Time]
}

bare! {
    /// Answers the time in seconds and microseconds.
    Time,
    Spec {
        name: "time",
        since: "2.6.0",
        summary: "Answers the server's clock: seconds, and microseconds of the second.",
        flags: &[Flag::Loading, Flag::Stale, Flag::Fast],
        tips: &["nondeterministic_output"],
        ..SERVER
    }
}

impl Act for Time<'_> {
    fn act(self, _: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        // The batch's time has milliseconds only.
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        out.array(2);
        out.bulk(now.as_secs().to_string().as_bytes());
        out.bulk(now.subsec_micros().to_string().as_bytes());
        Ok(())
    }
}
