//! GRAPH.KILL: ends a statement that runs or waits.
//!
//! Its client is answered an error. What the statement has done so far is dropped where it runs,
//! when it next asks whether to go on: nothing of it stays.

use base::{Args, CmdError, Command, Reply, Spec, error};
use wire::RespWriter;

use super::ADMIN;
use super::info::is_statement;
use crate::control::{Act, Control};
use crate::execution::block;

const NOT_THERE: CmdError = CmdError::new(
    "ERR there is no such statement; GRAPH.INFO tells the ids of those that run or wait",
);

/// It is answered already, or becomes the graph at this moment: from there on nothing ends it, so
/// that none is told it has ended which then takes effect. Where others have changed the graph it
/// may go on all the same, and can be ended again.
const AT_ITS_END: CmdError = CmdError::new(
    "ERR the statement is at its end, and takes effect; if GRAPH.INFO still tells it, try again",
);

/// Ends a statement.
pub struct GraphKill {
    id: u64,
}

impl<'a> Command<'a> for GraphKill {
    const SPEC: Spec = Spec {
        name: "graph.kill",
        summary: "Ends a running or waiting statement on a graph; nothing of it stays.",
        complexity: "O(1)",
        grammar: "id:integer",
        ..ADMIN
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(GraphKill { id: u64::try_from(args.integer()?).map_err(|_| NOT_THERE)? })
    }
}

impl Act for GraphKill {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let engine = control.engine;
        let waiting = engine.waits.blocked.get(self.id);
        let waiting = waiting.filter(|blocked| is_statement(engine, blocked));
        let has_ended = waiting.as_ref().is_some_and(|blocked| {
            block::end_from_outside(engine, blocked, |writer| {
                writer.error_bytes(error::STATEMENT_KILLED.bytes());
            })
        });
        // One that runs with shards in hand ends by itself, whether its client waits or not.
        if !has_ended && !engine.scripts.runs.kill_query(self.id) {
            return Err(if waiting.is_some() { AT_ITS_END } else { NOT_THERE });
        }
        out.ok();
        Ok(())
    }
}
