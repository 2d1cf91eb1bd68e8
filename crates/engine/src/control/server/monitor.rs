//! MONITOR: see `execution/monitor.rs`.

use base::{CmdError, Property, Reply, Spec};
use wire::RespWriter;

use super::{ADMIN, SERVER};
use crate::control::{Act, Control, acts, bare};
use crate::engine::entry::Action;

/// The row of this command.
pub(super) fn rows() -> Vec<(&'static Spec, Action)> {
    acts![Monitor]
}

bare! {
    /// Tells the connection of every command that runs.
    Monitor,
    Spec {
        name: "monitor",
        summary: "Shows this connection every command that any connection runs.",
        complexity: "",
        flags: ADMIN,
        behaviour: SERVER.behaviour.properties(&[Property::OfSession, Property::Streams]),
        ..SERVER
    }
}

impl Act for Monitor<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        if control.in_exec {
            // Redis's word for a client whose requests must not wait for anything.
            let text = "ERR MONITOR isn't allowed for DENY BLOCKING client";
            return Err(CmdError::new(text));
        }
        let Control { engine, session, .. } = control;
        // A client that monitors already gets no answer.
        if engine.notify.monitors.join(&engine.run.request_flags, session) {
            out.ok();
        }
        Ok(())
    }
}
