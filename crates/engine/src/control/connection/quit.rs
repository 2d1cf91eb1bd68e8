//! QUIT.

use base::{Args, CmdError, Command, InTransaction, Property, Reply, Spec};
use wire::RespWriter;

use super::INTRODUCTION;
use crate::control::{Act, Control};

/// Says goodbye: the connection is closed once the replies so far are sent.
pub struct Quit;

impl<'a> Command<'a> for Quit {
    const SPEC: Spec = Spec {
        name: "quit",
        summary: "Closes the connection.",
        // Redis lets anything follow.
        arity: -1,
        behaviour: INTRODUCTION
            .behaviour
            .properties(&[Property::OfSession, Property::AllowedWhileSubscribed])
            .transaction(InTransaction::Ends),
        ..INTRODUCTION
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
