//! FUNCTION: libraries of functions.

use std::sync::Arc;

use base::{Args, CmdError, Command, Flag, InFile, LibraryChange, Locks, Reply, Spec, glob};
use rdb::Encoder;
use script::{Function, Library};
use wire::RespWriter;

use super::script::kill;
use super::{SCRIPTING, check_on, sent};
use crate::control::help::{HELP, help};
use crate::control::{Act, Control, acts, bare, container};
use crate::engine::entry::Action;
use crate::scripting::{Catalog, Change, Changed, LOAD_TIMEOUT, limits};
use crate::scripts::Known;

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
    let mut rows = acts![
        FunctionDelete,
        FunctionDump,
        FunctionFlush,
        FunctionHelp,
        FunctionKill,
        FunctionList,
        FunctionLoad,
        FunctionRestore,
        FunctionStats,
    ];
    rows.push(container(&CONTAINER));
    rows
}

/// What changes the libraries. Inside a transaction it holds every shard, as do those that look.
const CHANGES: Spec = Spec {
    since: "7.0.0",
    flags: &[Flag::Write, Flag::NoScript],
    tips: &["request_policy:all_shards", "response_policy:all_succeeded"],
    behaviour: SCRIPTING.behaviour.locks(|_| Locks::Each),
    ..SCRIPTING
};

sent! {
    /// Takes a library away.
    FunctionDelete, Spec {
        name: "function|delete",
        summary: "Deletes a library and its functions.",
        complexity: "O(1)",
        grammar: "library-name:string",
        behaviour: CHANGES.behaviour.in_file(InFile::Libraries(LibraryChange::Delete)),
        ..CHANGES
    }, |control, argv, out| change(control, LibraryChange::Delete, argv, out);
    /// Takes all libraries away.
    FunctionFlush, Spec {
        name: "function|flush",
        summary: "Deletes all libraries.",
        complexity: "O(N) in the number of functions",
        grammar: "[async=(ASYNC | SYNC)]",
        behaviour: CHANGES.behaviour.in_file(InFile::Libraries(LibraryChange::Flush)),
        ..CHANGES
    }, |control, argv, out| change(control, LibraryChange::Flush, argv, out);
    /// Adds a library.
    FunctionLoad, Spec {
        name: "function|load",
        summary: "Adds a library of functions, and answers with its name.",
        complexity: "That of the library's own code",
        grammar: "[REPLACE] function-code:string",
        flags: &[Flag::Write, Flag::DenyOom, Flag::NoScript],
        behaviour: CHANGES.behaviour.in_file(InFile::Libraries(LibraryChange::Load)),
        ..CHANGES
    }, |control, argv, out| {
        check_on(control)?;
        change(control, LibraryChange::Load, argv, out)
    };
    /// Adds the libraries of a payload.
    FunctionRestore, Spec {
        name: "function|restore",
        summary: "Adds the libraries of what FUNCTION DUMP has answered.",
        complexity: "O(N) in the number of functions",
        grammar: "serialized-value:string [policy=(FLUSH | APPEND | REPLACE)]",
        flags: &[Flag::Write, Flag::DenyOom, Flag::NoScript],
        behaviour: CHANGES.behaviour.in_file(InFile::Libraries(LibraryChange::Restore)),
        ..CHANGES
    }, |control, argv, out| {
        check_on(control)?;
        change(control, LibraryChange::Restore, argv, out)
    };
}

fn change(
    control: &mut Control<'_>,
    change: LibraryChange,
    argv: &[&[u8]],
    out: &mut RespWriter<'_>,
) -> Result<(), CmdError> {
    let change = Change::parse(change, argv)?;
    let Control { engine, txn, context, session, in_exec, .. } = control;
    let may = || {
        // Asked again now that the shard is held: see `execution/pause.rs`.
        *in_exec
            || !engine.run.request_flags.now().paused()
            || !engine.is_script_paused(session, false, context.now)
    };
    let mut vm = context.interpreters.take(limits(&context.config));
    let timeout = Some(LOAD_TIMEOUT);
    let changed = Catalog { engine, txn, vm: &mut vm, timeout, may: &may }.change(change);
    context.interpreters.put(vm);
    context.tell_interpreters();
    match changed? {
        Changed::Done => out.ok(),
        Changed::Loaded(name) => out.bulk(name.as_bytes()),
        Changed::Postponed => {
            session.wait.postponed = true;
            return Ok(());
        }
    }
    context.counters.changes.add(1);
    Ok(())
}

impl Control<'_> {
    /// The libraries there are. What is answered is durable when they are.
    pub(super) fn libraries(&mut self) -> Arc<Known> {
        let Control { engine, txn, context, in_exec, .. } = self;
        Arc::clone(match *in_exec {
            true => context.interpreters.libraries_in_exec(&engine.scripts.functions),
            false => context.interpreters.libraries(&engine.scripts.functions, txn),
        })
    }
}

bare! {
    /// Answers with all libraries in one payload.
    FunctionDump,
    Spec {
        name: "function|dump",
        since: "7.0.0",
        summary: "Answers with bytes from which FUNCTION RESTORE makes all libraries again.",
        complexity: "O(N) in the number of functions",
        behaviour: SCRIPTING.behaviour.locks(CHANGES.behaviour.cost.locks),
        ..SCRIPTING
    }
}

impl Act for FunctionDump<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let compress = control.context.config.persistence.rdbcompression;
        let known = control.libraries();
        let codes = known.libraries.iter().map(|library| library.code());
        let mut encoder = Encoder::new(rdb::Limits::default(), compress);
        out.bulk(&rdb::dump_functions(&mut encoder, codes));
        Ok(())
    }
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

/// Tells of libraries.
pub struct FunctionList<'a> {
    pattern: Option<&'a [u8]>,
    with_code: bool,
}

impl<'a> Command<'a> for FunctionList<'a> {
    const SPEC: Spec = Spec {
        name: "function|list",
        since: "7.0.0",
        summary: "Lists libraries and their functions.",
        complexity: "O(N) in the number of functions",
        grammar: "[LIBRARYNAME library-name-pattern:string] [WITHCODE]",
        tips: &["nondeterministic_output_order"],
        behaviour: SCRIPTING.behaviour.locks(CHANGES.behaviour.cost.locks),
        ..SCRIPTING
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let mut list = FunctionList { pattern: None, with_code: false };
        while args.left() > 0 {
            if !list.with_code && args.token("WITHCODE") {
                list.with_code = true;
            } else if list.pattern.is_none() && args.token("LIBRARYNAME") {
                let missing = || CmdError::new("ERR library name argument was not given");
                list.pattern = Some(args.next().map_err(|_| missing())?);
            } else {
                return Err(CmdError::quoting("ERR Unknown argument ", args.next()?, ""));
            }
        }
        Ok(list)
    }
}

impl Act for FunctionList<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let known = control.libraries();
        let is_meant = |library: &&Arc<Library>| {
            let name = library.name().as_bytes();
            self.pattern.is_none_or(|pattern| glob::matches_ignore_case(pattern, name))
        };
        let libraries: Vec<_> = known.libraries.iter().filter(is_meant).collect();
        out.array(libraries.len());
        for library in libraries {
            out.map(3 + usize::from(self.with_code));
            out.bulk(b"library_name");
            out.bulk(library.name().as_bytes());
            out.bulk(b"engine");
            out.bulk(b"LUA");
            out.bulk(b"functions");
            out.array(library.functions().len());
            library.functions().iter().for_each(|function| list_function(function, out));
            if self.with_code {
                out.bulk(b"library_code");
                out.bulk(library.code());
            }
        }
        Ok(())
    }
}

fn list_function(function: &Function, out: &mut RespWriter<'_>) {
    out.map(3);
    out.bulk(b"name");
    out.bulk(function.name.as_bytes());
    out.bulk(b"description");
    match &function.description {
        Some(description) => out.bulk(description),
        None => out.null(),
    }
    out.bulk(b"flags");
    let flags = function.flags.names();
    out.set(flags.len());
    flags.iter().for_each(|flag| out.simple(flag));
}

bare! {
    /// Tells what runs, and what there is.
    FunctionStats,
    Spec {
        name: "function|stats",
        since: "7.0.0",
        summary: "Tells which function runs, and how many there are.",
        complexity: "O(1)",
        flags: &[Flag::NoScript, Flag::AllowBusy],
        tips: &[
            "nondeterministic_output",
            "request_policy:all_shards",
            "response_policy:special",
        ],
        ..SCRIPTING
    }
}

impl Act for FunctionStats<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let engine = control.engine;
        let runs = engine.scripts.runs.all();
        let longest = runs.iter().filter(|run| run.is_function()).min_by_key(|run| run.since);
        if let (None, Some(script)) = (longest, engine.scripts.runs.busy()) {
            return Err(script.busy_reply());
        }
        // Without a look at a shard: this is asked while a function holds all of them.
        let known = engine.scripts.functions.known();
        out.map(2);
        out.bulk(b"running_script");
        match longest {
            None => out.null(),
            Some(run) => {
                out.map(3);
                out.bulk(b"name");
                out.bulk(run.name.as_bytes());
                out.bulk(b"command");
                out.array(run.command.len());
                run.command.iter().for_each(|word| out.bulk(word));
                out.bulk(b"duration_ms");
                out.int(i64::try_from(run.since.elapsed().as_millis()).unwrap_or(i64::MAX));
            }
        }
        out.bulk(b"engines");
        out.map(1);
        out.bulk(b"LUA");
        out.map(2);
        out.bulk(b"libraries_count");
        out.count(known.libraries.len());
        out.bulk(b"functions_count");
        out.count(known.libraries.functions());
        Ok(())
    }
}
