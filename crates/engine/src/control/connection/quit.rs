//! QUIT.

use base::{Args, Category, CmdError, Command, Flag, Group, Locks, Reply, Spec};
use wire::RespWriter;

use crate::control::{Act, Control};

/// Says goodbye: the connection is closed once the replies so far are sent.
pub struct Quit;

impl<'a> Command<'a> for Quit {
    const SPEC: Spec = Spec {
        name: "quit",
        group: Group::Connection,
        summary: "Closes the connection.",
        // Redis lets anything follow.
        arity: -1,
        flags: &[
            Flag::NoScript,
            Flag::Loading,
            Flag::Stale,
            Flag::Fast,
            Flag::NoAuth,
            Flag::AllowBusy,
        ],
        categories: &[Category::Connection],
        locks: |_| Locks::Nothing,
        ..Spec::NEW
    };

    fn parse(_: Args<'a>) -> Result<Self, CmdError> {
        Ok(Quit)
    }
}

impl Act for Quit {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        control.session.closing = true;
        out.ok();
        Ok(())
    }
}
