//! DEBUG: refused, as a Redis that was not told otherwise refuses it.

use base::{Args, CmdError, Command, Spec};
use wire::RespWriter;

use super::{ADMIN, SERVER};
use crate::control::{Act, Control, acts};
use crate::table::Action;

/// The row of this command.
pub(super) fn rows() -> Vec<(&'static Spec, Action)> {
    acts![Debug]
}

/// Looks inside the server. Nothing of it is offered.
pub struct Debug;

impl<'a> Command<'a> for Debug {
    const SPEC: Spec = Spec {
        name: "debug",
        summary: "Refuses to look inside the server.",
        complexity: "Depends on subcommand.",
        arity: -2,
        flags: ADMIN,
        ..SERVER
    };

    fn parse(_: Args<'a>) -> Result<Self, CmdError> {
        Ok(Debug)
    }
}

impl Act for Debug {
    fn act(self, _: &mut Control<'_>, _: &mut RespWriter<'_>) -> Result<(), CmdError> {
        Err(CmdError::new(
            "ERR DEBUG command not allowed. If the enable-debug-command option is set to \
             \"local\", you can run it from a local connection, otherwise you need to set this \
             option in the configuration file, and then restart the server.",
        ))
    }
}
