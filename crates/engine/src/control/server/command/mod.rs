//! COMMAND: what the table knows, told to clients.

pub(super) mod describe;
mod docs;
mod getkeys;
mod info;
mod list;

use base::{Category, CmdError, Group, Locks, Reply, Spec};
use wire::RespWriter;

use self::docs::CommandDocs;
use self::getkeys::{CommandGetKeys, CommandGetKeysAndFlags};
use self::info::{CommandAll, CommandInfo};
use self::list::CommandList;
use super::SERVER;
use crate::control::help::{HELP, help};
use crate::control::{Act, Control, acts, bare};
use crate::engine::entry::{Action, Entry};
use crate::engine::table::Table;

/// What the family has in common.
const COMMAND: Spec = Spec {
    group: Group::Server,
    since: "2.8.13",
    categories: &[Category::Connection],
    behaviour: SERVER.behaviour.locks(|_| Locks::Nothing),
    ..SERVER
};

help! {
    /// COMMAND HELP.
    CommandHelp,
    Spec {
        name: "command|help",
        group: Group::Server,
        since: "5.0.0",
        categories: &[Category::Connection],
        ..HELP
    }
}

/// The rows of this family.
pub(super) fn rows() -> Vec<(&'static Spec, Action)> {
    acts![
        CommandAll,
        CommandCount,
        CommandDocs,
        CommandGetKeys,
        CommandGetKeysAndFlags,
        CommandHelp,
        CommandInfo,
        CommandList,
    ]
}

bare! {
    /// Counts the commands, without subcommands.
    CommandCount,
    Spec {
        name: "command|count",
        summary: "Counts the commands.",
        ..COMMAND
    }
}

impl Act for CommandCount<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        out.count(commands(&control.engine.table).count());
        Ok(())
    }
}

/// Every command that clients can call and that is not a subcommand.
fn commands(table: &Table) -> impl Iterator<Item = &Entry> {
    table.callable().filter(|entry| entry.naming.parent.is_none())
}
