//! CLIENT REPLY.

use base::{Args, CmdError, Command, Reply, Spec, error};
use wire::RespWriter;

use super::CLIENT;
use crate::control::{Act, Control, one_of};
use crate::session::Replies;

/// Turns replies on or off, or skips the next one.
pub struct ClientReply {
    replies: Replies,
}

impl<'a> Command<'a> for ClientReply {
    const SPEC: Spec = Spec {
        name: "client|reply",
        since: "3.2.0",
        summary: "Says whether this connection wants replies.",
        grammar: "on_off_skip=(ON | OFF | SKIP)",
        ..CLIENT
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let words = [("ON", Replies::On), ("OFF", Replies::Off), ("SKIP", Replies::SkipNext)];
        Ok(ClientReply { replies: one_of(&mut args, &words).ok_or(error::SYNTAX)? })
    }
}

impl Act for ClientReply {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let session = &mut control.session;
        match self.replies {
            // Skipping one of many that are off anyway changes nothing.
            Replies::SkipNext if session.replies == Replies::Off => {}
            replies => session.replies = replies,
        }
        if self.replies == Replies::On {
            out.ok();
        }
        Ok(())
    }
}
