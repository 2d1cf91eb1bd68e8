//! ECHO.

use base::{Args, Behaviour, Category, CmdError, Command, Flag, Group, Locks, Reply, Spec};
use wire::RespWriter;

use crate::control::{Act, Control};

/// Answers its argument.
pub struct Echo<'a> {
    message: &'a [u8],
}

impl<'a> Command<'a> for Echo<'a> {
    const SPEC: Spec = Spec {
        name: "echo",
        group: Group::Connection,
        summary: "Answers the given message.",
        grammar: "message:string",
        flags: &[Flag::Loading, Flag::Stale, Flag::Fast],
        categories: &[Category::Connection],
        behaviour: Behaviour::NEW.locks(|_| Locks::Nothing),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(Echo { message: args.next()? })
    }
}

impl Act for Echo<'_> {
    fn act(self, _: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        out.bulk(self.message);
        Ok(())
    }
}
