//! Commands about sessions and the server itself: the same shape as data commands, another host.

mod connection;
mod transaction;

use base::{Args, CmdError, Spec};
use store::Txn;
use wire::RespWriter;

use crate::engine::Engine;
use crate::session::Session;
use crate::table::Action;
use crate::worker::Seat;

/// What a control command may use.
pub struct Control<'c> {
    /// What all workers share.
    pub engine: &'c Engine,
    /// The seat at the store. Inside `EXEC` it holds the transaction's shards already.
    pub txn: &'c mut Txn,
    /// The thread's own.
    pub seat: &'c mut Seat,
    /// Who asks.
    pub session: &'c mut Session,
    /// Whether it runs inside `EXEC`.
    pub in_exec: bool,
}

/// Parses and runs one control command.
pub type ControlRun =
    for<'a, 'c> fn(&mut Control<'c>, Args<'a>, &mut RespWriter<'_>) -> Result<(), CmdError>;

/// The behaviour of a control command. Unlike data commands these may write several replies
/// (`SUBSCRIBE`) or none (`CLIENT REPLY OFF`).
pub trait Act {
    /// Does the work and writes the reply.
    ///
    /// # Errors
    /// What the client sees instead of a reply.
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError>;
}

/// The rows of a family of control commands.
macro_rules! acts {
    ($($command:ident),* $(,)?) => {
        vec![$({
            fn run<'a>(
                control: &mut $crate::control::Control<'_>,
                args: base::Args<'a>,
                out: &mut wire::RespWriter<'_>,
            ) -> Result<(), base::CmdError> {
                let command = <$command<'a> as base::Command<'a>>::parse(args)?;
                $crate::control::Act::act(command, control, out)
            }
            static SPEC: base::Spec = <$command<'static> as base::Command<'static>>::SPEC;
            (&SPEC, $crate::table::Action::Control(run))
        }),*]
    };
}
pub(crate) use acts;

/// Every control command. A new family is one line here.
pub(crate) fn rows() -> Vec<(&'static Spec, Action)> {
    let mut rows = Vec::new();
    rows.extend(connection::rows());
    rows.extend(transaction::rows());
    rows
}
