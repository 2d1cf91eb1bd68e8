//! CLIENT NO-EVICT, CLIENT NO-TOUCH: what a client wants to be spared, or to spare others.

use std::sync::atomic::Ordering;

use base::{Args, CmdError, Command, Reply, Spec, error};
use wire::RespWriter;

use super::{ADMIN, OWN};
use crate::control::{Act, Control, one_of};

/// Reads `ON` or `OFF`.
fn switch(args: &mut Args<'_>) -> Result<bool, CmdError> {
    one_of(args, &[("ON", true), ("OFF", false)]).ok_or(error::SYNTAX)
}

/// Spares the connection when memory for clients runs out.
pub struct ClientNoEvict {
    on: bool,
}

impl<'a> Command<'a> for ClientNoEvict {
    const SPEC: Spec = Spec {
        name: "client|no-evict",
        since: "7.0.0",
        summary: "Says whether this connection may be closed to save memory.",
        grammar: "enabled=(ON | OFF)",
        flags: ADMIN,
        ..OWN
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(ClientNoEvict { on: switch(&mut args)? })
    }
}

impl Act for ClientNoEvict {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        control.session.client.state.no_evict.store(self.on, Ordering::Relaxed);
        out.ok();
        Ok(())
    }
}

/// Leaves the access times of keys alone. Newer than Redis 7.0; tools send it.
pub struct ClientNoTouch {
    on: bool,
}

impl<'a> Command<'a> for ClientNoTouch {
    const SPEC: Spec = Spec {
        name: "client|no-touch",
        since: "7.2.0",
        summary: "Says whether this connection's reads count as use of a key.",
        grammar: "enabled=(ON | OFF)",
        ..OWN
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(ClientNoTouch { on: switch(&mut args)? })
    }
}

impl Act for ClientNoTouch {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        control.session.client.state.no_touch.store(self.on, Ordering::Relaxed);
        out.ok();
        Ok(())
    }
}
