//! CLIENT REPLY.

use std::sync::atomic::Ordering;

use base::{Args, CmdError, Command, Reply, Spec, error};
use wire::RespWriter;

use super::OWN;
use crate::control::{Act, Control, one_of};

/// Turns replies on or off, or skips the next one.
pub struct ClientReply {
    mode: Mode,
}

#[derive(Clone, Copy)]
enum Mode {
    On,
    Off,
    Skip,
}

impl<'a> Command<'a> for ClientReply {
    const SPEC: Spec = Spec {
        name: "client|reply",
        since: "3.2.0",
        summary: "Says whether this connection wants replies.",
        grammar: "on_off_skip=(ON | OFF | SKIP)",
        ..OWN
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let words = [("ON", Mode::On), ("OFF", Mode::Off), ("SKIP", Mode::Skip)];
        Ok(ClientReply { mode: one_of(&mut args, &words).ok_or(error::SYNTAX)? })
    }
}

impl Act for ClientReply {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let (replies, client) = (&mut control.session.replies, &control.session.client);
        match self.mode {
            Mode::On => {
                replies.on();
                client.state.silent.store(false, Ordering::Relaxed);
                out.ok();
            }
            Mode::Off => {
                replies.off();
                client.state.silent.store(true, Ordering::Relaxed);
            }
            Mode::Skip => replies.skip_next(),
        }
        Ok(())
    }
}
