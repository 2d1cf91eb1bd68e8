//! SCRIPT: the scripts a server knows, and those that run.

use base::{Args, CmdError, Command, Flag, InFile, Property, Reply, Spec};
use wire::RespWriter;

use super::{SCRIPTING, check_on};
use crate::control::help::{HELP, help};
use crate::control::{Act, Control, acts, bare, container, one_of};
use crate::engine::entry::Action;
use crate::scripting::limits;
use crate::scripts::Kill;

static CONTAINER: Spec = Spec {
    name: "script",
    since: "2.6.0",
    summary: "Manages scripts.",
    complexity: "Depends on subcommand.",
    flags: &[],
    categories: &[],
    ..SCRIPTING
};

help! {
    /// SCRIPT HELP.
    ScriptHelp,
    Spec {
        name: "script|help",
        group: SCRIPTING.group,
        since: "5.0.0",
        categories: SCRIPTING.categories,
        ..HELP
    }
}

/// The rows of this family.
pub(super) fn rows() -> Vec<(&'static Spec, Action)> {
    let mut rows =
        acts![ScriptDebug, ScriptExists, ScriptFlush, ScriptHelp, ScriptKill, ScriptLoad];
    rows.push(container(&CONTAINER));
    rows
}

/// Asks for the debugger, which there is none of.
pub struct ScriptDebug {
    wanted: bool,
}

impl<'a> Command<'a> for ScriptDebug {
    const SPEC: Spec = Spec {
        name: "script|debug",
        since: "3.2.0",
        summary: "Sets how scripts are debugged; only NO is possible.",
        complexity: "O(1)",
        grammar: "mode=(YES | SYNC | NO)",
        ..SCRIPTING
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let wanted = one_of(&mut args, &[("no", false), ("yes", true), ("sync", true)]);
        let wanted = wanted.ok_or(CmdError::new("ERR Use SCRIPT DEBUG YES/SYNC/NO"))?;
        Ok(ScriptDebug { wanted })
    }
}

impl Act for ScriptDebug {
    fn act(self, _: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        if self.wanted {
            return Err(CmdError::new("ERR this server has no debugger for scripts"));
        }
        out.ok();
        Ok(())
    }
}

/// Tells which scripts are known.
pub struct ScriptExists<'a> {
    digests: &'a [&'a [u8]],
}

impl<'a> Command<'a> for ScriptExists<'a> {
    const SPEC: Spec = Spec {
        name: "script|exists",
        since: "2.6.0",
        summary: "Tells of each digest whether the server knows its script.",
        complexity: "O(N) in the number of digests",
        grammar: "sha1:string...",
        tips: &["request_policy:all_shards", "response_policy:agg_logical_and"],
        behaviour: SCRIPTING.behaviour.properties(&[Property::AllowedInScriptsByDebug]),
        ..SCRIPTING
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Ok(ScriptExists { digests: args.rest() })
    }
}

impl Act for ScriptExists<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        out.array(self.digests.len());
        for digest in self.digests {
            let digest = <[u8; 40]>::try_from(*digest);
            let known = digest.is_ok_and(|digest| {
                control
                    .engine
                    .scripts
                    .cache
                    .get(&digest.map(|byte| byte.to_ascii_lowercase()))
                    .is_some()
            });
            out.int(i64::from(known));
        }
        Ok(())
    }
}

/// Forgets all scripts.
pub struct ScriptFlush;

impl<'a> Command<'a> for ScriptFlush {
    const SPEC: Spec = Spec {
        name: "script|flush",
        since: "2.6.0",
        summary: "Forgets all scripts.",
        complexity: "O(N) in the number of scripts",
        grammar: "[async=(ASYNC | SYNC) @6.2.0]",
        history: &[("6.2.0", "`ASYNC` and `SYNC`.")],
        tips: &["request_policy:all_nodes", "response_policy:all_succeeded"],
        behaviour: SCRIPTING.behaviour.in_file(InFile::Scripts),
        ..SCRIPTING
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let modes = [("async", ()), ("sync", ())];
        if (args.left() > 0 && one_of(&mut args, &modes).is_none()) || args.left() > 0 {
            return Err(CmdError::new("ERR SCRIPT FLUSH only support SYNC|ASYNC option"));
        }
        Ok(ScriptFlush)
    }
}

impl Act for ScriptFlush {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        control.engine.scripts.cache.flush();
        out.ok();
        Ok(())
    }
}

bare! {
    /// Ends the scripts that run and have not written.
    ScriptKill,
    Spec {
        name: "script|kill",
        since: "2.6.0",
        summary: "Ends scripts that run and have not written yet.",
        complexity: "O(1)",
        flags: &[Flag::NoScript, Flag::AllowBusy],
        tips: &["request_policy:all_shards", "response_policy:one_succeeded"],
        ..SCRIPTING
    }
}

impl Act for ScriptKill<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        kill(control, false, out)
    }
}

/// Ends what runs: functions or scripts.
pub(super) fn kill(
    control: &mut Control<'_>,
    functions: bool,
    out: &mut RespWriter<'_>,
) -> Result<(), CmdError> {
    match control.engine.scripts.runs.kill(functions) {
        Kill::Done => {
            out.ok();
            Ok(())
        }
        Kill::Unkillable => Err(CmdError::new(
            "UNKILLABLE Sorry the script already executed write commands against the dataset. You \
             can either wait the script termination or kill the server in a hard way using the \
             SHUTDOWN NOSAVE command.",
        )),
        Kill::Other => match control.engine.scripts.runs.all().first() {
            Some(running) => Err(running.busy_reply()),
            None => Err(NOTHING_RUNS),
        },
        Kill::Nothing => Err(NOTHING_RUNS),
    }
}

const NOTHING_RUNS: CmdError = CmdError::new("NOTBUSY No scripts in execution right now.");

/// Makes a script known.
pub struct ScriptLoad<'a> {
    body: &'a [u8],
}

impl<'a> Command<'a> for ScriptLoad<'a> {
    const SPEC: Spec = Spec {
        name: "script|load",
        since: "2.6.0",
        summary: "Makes a script known and answers with its digest.",
        complexity: "O(N) in the length of the script",
        grammar: "script:string",
        flags: &[Flag::NoScript, Flag::Stale],
        tips: &["request_policy:all_nodes", "response_policy:all_succeeded"],
        behaviour: SCRIPTING.behaviour.in_file(InFile::Scripts),
        ..SCRIPTING
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(ScriptLoad { body: args.next()? })
    }
}

impl Act for ScriptLoad<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        check_on(control)?;
        let context = &mut *control.context;
        let limits = limits(&context.config);
        let added = context.interpreters.add(
            &control.engine.scripts.cache,
            self.body,
            (context.now, true, limits),
        );
        context.tell_interpreters();
        let cached = added?;
        out.bulk(cached.script.digest());
        Ok(())
    }
}
