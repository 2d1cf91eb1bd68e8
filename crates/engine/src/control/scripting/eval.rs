//! EVAL, EVALSHA, and their forms that do not write.

use base::{CmdError, ScriptBy, Spec, error};
use wire::RespWriter;

use super::{RUNS, RUNS_READING, Words, check_on, sent};
use crate::control::{Control, acts};
use crate::engine::entry::Action;
use crate::scripting::{self, Code, Job, limits};
use crate::scripts::Cached;

const NO_SCRIPT: CmdError = CmdError::new("NOSCRIPT No matching script. Please use EVAL.");
const GRAMMAR: &str = "script:string numkeys:integer [key:key...] [arg:string...]";
const GRAMMAR_SHA: &str = "sha1:string numkeys:integer [key:key...] [arg:string...]";

/// The rows of this family.
pub(super) fn rows() -> Vec<(&'static Spec, Action)> {
    acts![Eval, EvalRo, EvalSha, EvalShaRo]
}

sent! {
    /// Runs a script.
    Eval, Spec {
        name: "eval",
        since: "2.6.0",
        summary: "Runs a script in Lua.",
        grammar: GRAMMAR,
        behaviour: RUNS.behaviour.script(ScriptBy::Source),
        ..RUNS
    }, |control, words, out| run(control, words, (by_body, false), out);
    /// Runs a script that does not write.
    EvalRo, Spec {
        name: "eval_ro",
        since: "7.0.0",
        summary: "Runs a script in Lua that changes nothing.",
        grammar: GRAMMAR,
        behaviour: RUNS_READING.behaviour.script(ScriptBy::Source),
        ..RUNS_READING
    }, |control, words, out| run(control, words, (by_body, true), out);
    /// Runs a script that is known already.
    EvalSha, Spec {
        name: "evalsha",
        since: "2.6.0",
        summary: "Runs a script that the server knows, by its digest.",
        grammar: GRAMMAR_SHA,
        behaviour: RUNS.behaviour.script(ScriptBy::Digest),
        ..RUNS
    }, |control, words, out| run(control, words, (by_digest, false), out);
    /// Runs a script that is known already and does not write.
    EvalShaRo, Spec {
        name: "evalsha_ro",
        since: "7.0.0",
        summary: "Runs a script that the server knows and that changes nothing, by its digest.",
        grammar: GRAMMAR_SHA,
        behaviour: RUNS_READING.behaviour.script(ScriptBy::Digest),
        ..RUNS_READING
    }, |control, words, out| run(control, words, (by_digest, true), out);
}

/// How the script of a request is found.
type Find = fn(&mut Control<'_>, &[u8]) -> Result<std::sync::Arc<Cached>, CmdError>;

fn by_body(control: &mut Control<'_>, body: &[u8]) -> Result<std::sync::Arc<Cached>, CmdError> {
    let context = &mut *control.context;
    let limits = limits(&context.config);
    context.interpreters.add(&control.engine.scripts.cache, body, (context.now, false, limits))
}

fn by_digest(control: &mut Control<'_>, word: &[u8]) -> Result<std::sync::Arc<Cached>, CmdError> {
    let mut digest = <[u8; 40]>::try_from(word).map_err(|_| NO_SCRIPT)?;
    digest.make_ascii_lowercase();
    control.context.interpreters.script(&control.engine.scripts.cache, &digest).ok_or(NO_SCRIPT)
}

fn run(
    control: &mut Control<'_>,
    all: &[&[u8]],
    (find, read_only): (Find, bool),
    out: &mut RespWriter<'_>,
) -> Result<(), CmdError> {
    control.tell_monitors(all);
    check_on(control)?;
    // A digest of the wrong length names nothing, whatever follows it.
    if find as usize == by_digest as Find as usize && all.get(1).is_some_and(|sha| sha.len() != 40)
    {
        return Err(NO_SCRIPT);
    }
    let words = Words::split(all, error::NOT_INTEGER)?;
    let cached = find(control, words.code)?;
    cached.note_use(control.context.now);
    let Words { all, keys, args, .. } = words;
    let job = Job { code: Code::Script(cached), argv: all, keys, args, read_only };
    scripting::run(control, &job, out)
}
