//! FCALL, FCALL_RO: functions of libraries.

use std::sync::Arc;

use base::{CmdError, ScriptBy, Spec};
use wire::RespWriter;

use super::{RUNS, RUNS_READING, Words, check_on, sent};
use crate::control::{Control, acts};
use crate::engine::entry::Action;
use crate::scripting::{self, Code, Job};

const GRAMMAR: &str = "function:string numkeys:integer [key:key...] [arg:string...]";
const NO_NUMBER: CmdError = CmdError::new("ERR Bad number of keys provided");
const NO_FUNCTION: CmdError = CmdError::new("ERR Function not found");

/// The rows of this family.
pub(super) fn rows() -> Vec<(&'static Spec, Action)> {
    acts![FCall, FCallRo]
}

sent! {
    /// Runs a function.
    FCall, Spec {
        name: "fcall",
        since: "7.0.0",
        summary: "Runs a function of a library.",
        grammar: GRAMMAR,
        behaviour: RUNS.behaviour.script(ScriptBy::Function),
        ..RUNS
    }, |control, words, out| run(control, words, false, out);
    /// Runs a function that does not write.
    FCallRo, Spec {
        name: "fcall_ro",
        since: "7.0.0",
        summary: "Runs a function of a library that changes nothing.",
        grammar: GRAMMAR,
        behaviour: RUNS_READING.behaviour.script(ScriptBy::Function),
        ..RUNS_READING
    }, |control, words, out| run(control, words, true, out);
}

fn run(
    control: &mut Control<'_>,
    all: &[&[u8]],
    read_only: bool,
    out: &mut RespWriter<'_>,
) -> Result<(), CmdError> {
    control.tell_monitors(all);
    check_on(control)?;
    let asked = all.get(1).copied().unwrap_or_default();
    let known = control.libraries();
    let library = known.libraries.function(asked).ok_or(NO_FUNCTION)?;
    let Words { all, keys, args, .. } = Words::split(all, NO_NUMBER)?;
    let name = library.function(asked).map(|function| &*function.name).ok_or(NO_FUNCTION)?;
    let code = Code::Function { library: Arc::clone(library), name, needs: known.needs(name) };
    scripting::run(control, &Job { code, argv: all, keys, args, read_only }, out)
}
