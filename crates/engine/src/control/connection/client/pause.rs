//! CLIENT PAUSE, CLIENT UNPAUSE: see `execution/pause.rs`.

use base::{Args, CmdError, Command, Locks, Reply, RunTime, Spec, error, num};
use store::Scope;
use wire::RespWriter;

use super::{ADMIN, CLIENT};
use crate::control::{Act, Control, bare, misused, one_of};

/// Makes requests wait.
pub struct ClientPause {
    /// Milliseconds.
    time: u64,
    all: bool,
}

impl<'a> Command<'a> for ClientPause {
    const SPEC: Spec = Spec {
        name: "client|pause",
        since: "2.9.50",
        summary: "Makes the requests of all connections wait, or those that change something.",
        complexity: "O(1)",
        grammar: "timeout:integer [mode=(WRITE | ALL) @6.2.0]",
        flags: ADMIN,
        // Nothing is half-way when it answers.
        behaviour: CLIENT.behaviour.locks(|_| Locks::Every).run_time(RunTime::Short),
        history: &[("6.2.0", "`WRITE` and `ALL`; it no longer touches replicas.")],
        ..CLIENT
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        if args.left() > 2 {
            return Err(misused(args.argv()));
        }
        let time = args.next()?;
        let all = match args.left() {
            0 => true,
            _ => one_of(&mut args, &[("WRITE", false), ("ALL", true)])
                .ok_or(CmdError::new("ERR CLIENT PAUSE mode must be WRITE or ALL"))?,
        };
        let time = num::parse_i64(time)
            .ok_or(CmdError::new("ERR timeout is not an integer or out of range"))?;
        let time = u64::try_from(time).map_err(|_| error::TIMEOUT_NEGATIVE)?;
        Ok(ClientPause { time, all })
    }
}

impl Act for ClientPause {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let Control { engine, txn, context, in_exec, .. } = control;
        let now = context.now;
        // Redis's clock is a signed number; past its end there is no pause.
        let until = now.checked_add(self.time).filter(|&until| i64::try_from(until).is_ok());
        let until = until.unwrap_or(0);
        if *in_exec {
            // The transaction holds every shard.
            engine.pause(now, until, self.all);
        } else {
            txn.with(&engine.store, Scope::All, |_| engine.pause(now, until, self.all))
                .map_err(|failed| engine.instead(&failed))?;
        }
        out.ok();
        Ok(())
    }
}

bare! {
    /// Lets requests run again.
    ClientUnpause,
    Spec {
        name: "client|unpause",
        since: "6.2.0",
        summary: "Ends CLIENT PAUSE.",
        complexity: "O(N) in the number of connections that wait",
        flags: ADMIN,
        ..CLIENT
    }
}

impl Act for ClientUnpause<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        control.engine.unpause();
        out.ok();
        Ok(())
    }
}
