//! SHUTDOWN.

use std::sync::atomic::Ordering;

use base::{Args, CmdError, Command, Flag, Spec, error};
use wire::RespWriter;

use super::SERVER;
use crate::control::{Act, Control, acts};
use crate::table::Action;

/// The row of this command.
pub(super) fn rows() -> Vec<(&'static Spec, Action)> {
    acts![Shutdown]
}

/// Stops the server. There is nothing to save and nobody to wait for.
pub struct Shutdown {
    abort: bool,
}

impl<'a> Command<'a> for Shutdown {
    const SPEC: Spec = Spec {
        name: "shutdown",
        summary: "Stops the server.",
        complexity: "O(1)",
        grammar: "[nosave_save=(NOSAVE | SAVE)] [NOW @7.0.0] [FORCE @7.0.0] [ABORT @7.0.0]",
        flags: &[
            Flag::Admin,
            Flag::NoScript,
            Flag::Loading,
            Flag::Stale,
            Flag::NoMulti,
            Flag::AllowBusy,
        ],
        history: &[("7.0.0", "`NOW`, `FORCE`, `ABORT`.")],
        ..SERVER
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let (mut abort, mut save, mut no_save, mut other) = (false, false, false, false);
        while let Some(option) = args.take() {
            match option.to_ascii_uppercase().as_slice() {
                b"SAVE" => save = true,
                b"NOSAVE" => no_save = true,
                b"NOW" | b"FORCE" => other = true,
                b"ABORT" => abort = true,
                _ => return Err(error::SYNTAX),
            }
        }
        if (abort && (save || no_save || other)) || (save && no_save) {
            return Err(error::SYNTAX);
        }
        Ok(Shutdown { abort })
    }
}

impl Act for Shutdown {
    fn act(self, control: &mut Control<'_>, _: &mut RespWriter<'_>) -> Result<(), CmdError> {
        if self.abort {
            // A shutdown is over before anybody could take it back.
            return Err(CmdError::new("ERR No shutdown in progress."));
        }
        tracing::info!(client = control.session.client.origin.addr, "a client asked to shut down");
        control.engine.stopping.store(true, Ordering::Release);
        // Without a reply: the closing of the connection is the answer.
        control.session.closing = true;
        Ok(())
    }
}
