//! CLIENT TRACKING and its companions. Keys are not tracked yet: turning it on is refused, and
//! everything else answers as a connection that does not track.

use base::{Args, CmdError, Command, Reply, Spec, error};
use wire::RespWriter;

use super::CLIENT;
use crate::control::{Act, Control, bare, one_of};

/// Asks to be told when keys that were read change.
pub struct ClientTracking {
    on: bool,
}

impl<'a> Command<'a> for ClientTracking {
    const SPEC: Spec = Spec {
        name: "client|tracking",
        since: "6.0.0",
        summary: "Asks to be told when keys that were read change.",
        complexity: "O(1). Some options may introduce additional complexity.",
        grammar: "status=(ON | OFF) [REDIRECT client-id:integer] [PREFIX prefix:string+...] \
                  [BCAST] [OPTIN] [OPTOUT] [NOLOOP]",
        ..CLIENT
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let on = one_of(&mut args, &[("ON", true), ("OFF", false)]).ok_or(error::SYNTAX)?;
        Ok(ClientTracking { on })
    }
}

impl Act for ClientTracking {
    fn act(self, _: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        if self.on {
            return Err(CmdError::new("ERR client-side caching is not supported by this server"));
        }
        out.ok();
        Ok(())
    }
}

/// Decides whether the keys of the next request are tracked.
pub struct ClientCaching;

impl<'a> Command<'a> for ClientCaching {
    const SPEC: Spec = Spec {
        name: "client|caching",
        since: "6.0.0",
        summary: "Says whether the keys of the next request are to be tracked.",
        grammar: "mode=(YES | NO)",
        ..CLIENT
    };

    fn parse(_: Args<'a>) -> Result<Self, CmdError> {
        Ok(ClientCaching)
    }
}

impl Act for ClientCaching {
    fn act(self, _: &mut Control<'_>, _: &mut RespWriter<'_>) -> Result<(), CmdError> {
        Err(CmdError::new(
            "ERR CLIENT CACHING can be called only when the client is in tracking mode with \
             OPTIN or OPTOUT mode enabled",
        ))
    }
}

bare! {
    /// Answers where invalidations are sent instead.
    ClientGetRedir,
    Spec {
        name: "client|getredir",
        since: "6.0.0",
        summary: "Answers which connection gets this one's invalidations.",
        ..CLIENT
    }
}

impl Act for ClientGetRedir<'_> {
    fn act(self, _: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        out.int(-1);
        Ok(())
    }
}

bare! {
    /// Answers how keys are tracked.
    ClientTrackingInfo,
    Spec {
        name: "client|trackinginfo",
        since: "6.2.0",
        summary: "Answers how keys are tracked for this connection.",
        ..CLIENT
    }
}

impl Act for ClientTrackingInfo<'_> {
    fn act(self, _: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        out.map(3);
        out.bulk(b"flags");
        out.set(1);
        out.bulk(b"off");
        out.bulk(b"redirect");
        out.int(-1);
        out.bulk(b"prefixes");
        out.array(0);
        Ok(())
    }
}
