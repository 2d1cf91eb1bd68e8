//! FUNCTION: libraries of functions.

use base::{CmdError, Flag, Spec};
use wire::RespWriter;

use super::SCRIPTING;
use super::script::kill;
use crate::control::help::{HELP, help};
use crate::control::{Act, Control, acts, bare, container};
use crate::table::Action;

static CONTAINER: Spec = Spec {
    name: "function",
    since: "7.0.0",
    summary: "Manages libraries of functions.",
    complexity: "Depends on subcommand.",
    flags: &[],
    categories: &[],
    ..SCRIPTING
};

help! {
    /// FUNCTION HELP.
    FunctionHelp,
    Spec {
        name: "function|help",
        group: SCRIPTING.group,
        since: "7.0.0",
        categories: SCRIPTING.categories,
        ..HELP
    }
}

/// The rows of this family.
pub(super) fn rows() -> Vec<(&'static Spec, Action)> {
    let mut rows = acts![FunctionHelp, FunctionKill];
    rows.push(container(&CONTAINER));
    rows
}

bare! {
    /// Ends the functions that run and have not written.
    FunctionKill,
    Spec {
        name: "function|kill",
        since: "7.0.0",
        summary: "Ends functions that run and have not written yet.",
        complexity: "O(1)",
        flags: &[Flag::NoScript, Flag::AllowBusy],
        tips: &["request_policy:all_shards", "response_policy:one_succeeded"],
        ..SCRIPTING
    }
}

impl Act for FunctionKill<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        kill(control, true, out)
    }
}
