//! CLIENT UNBLOCK.

use base::{Args, CmdError, Command, Reply, Spec};
use wire::RespWriter;

use super::{ADMIN, CLIENT};
use crate::control::{Act, Control, misused, one_of};
use crate::execution::block;

/// Ends the wait of another connection.
pub struct ClientUnblock {
    id: Option<u64>,
    with_error: bool,
}

impl<'a> Command<'a> for ClientUnblock {
    const SPEC: Spec = Spec {
        name: "client|unblock",
        since: "5.0.0",
        summary: "Ends the wait of a blocked connection.",
        complexity: "O(log N) in the number of connections",
        grammar: "client-id:integer [timeout_error=(TIMEOUT | ERROR)]",
        flags: ADMIN,
        ..CLIENT
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        if args.left() > 2 {
            return Err(misused(args.argv()));
        }
        let mut reason = args.clone();
        reason.next()?;
        let with_error = match reason.left() {
            0 => false,
            _ => one_of(&mut reason, &[("TIMEOUT", false), ("ERROR", true)])
                .ok_or(CmdError::new("ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR"))?,
        };
        Ok(ClientUnblock { id: u64::try_from(args.integer()?).ok(), with_error })
    }
}

impl Act for ClientUnblock {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let client = self.id.and_then(|id| control.engine.clients.get(id));
        let ended = client.is_some_and(|client| {
            block::unblock_from_outside(control.engine, &client, self.with_error)
        });
        out.int(i64::from(ended));
        Ok(())
    }
}
