//! DEBUG: looking inside the server and bending it, for tests of it or its clients.
//!
//! Only `enable-debug-command` opens it (see `execution/gate.rs`). Every subcommand is a
//! [`Subcommand`] in a list: name, help, number of arguments, behaviour. What exists in Redis to
//! exercise a part that this server does not have is accepted and does nothing, so that test suites
//! run; what would crash the server on purpose is refused (`refused.rs`).
//!
//! The command locks nothing beforehand: each subcommand takes what it needs through [`holding`],
//! and inside `EXEC` every shard is held already.

mod dataset;
mod keys;
mod protocol;
mod refused;
mod switches;
mod tables;

use base::{Args, CmdError, Command, Flag, Key, Locks, Reply, Spec};
use store::{Scope, Txn};
use wire::RespWriter;

use super::SERVER;
use crate::control::{Act, Behaviour, Control, acts, misused};
use crate::engine::entry::Action;

/// The row of this command.
pub(super) fn rows() -> Vec<(&'static Spec, Action)> {
    acts![Debug]
}

/// One subcommand.
struct Subcommand {
    /// Its name, in upper case.
    name: &'static str,
    /// How its arguments are shown in `DEBUG HELP`.
    arguments: &'static str,
    /// What `DEBUG HELP` says of it, line by line.
    help: &'static [&'static str],
    /// Fewest and most arguments.
    words: (usize, usize),
    run: Behaviour,
}

/// All of them, by topic. A new topic is one line here.
const TOPICS: &[&[Subcommand]] =
    &[dataset::LIST, keys::LIST, protocol::LIST, switches::LIST, tables::LIST];

/// Looks inside the server, or bends it.
pub struct Debug<'a> {
    argv: &'a [&'a [u8]],
    words: &'a [&'a [u8]],
}

impl<'a> Command<'a> for Debug<'a> {
    const SPEC: Spec = Spec {
        name: "debug",
        summary: "Looks inside the server or bends it, for tests.",
        complexity: "Depends on subcommand.",
        arity: -2,
        flags: &[
            Flag::Admin,
            Flag::NoScript,
            Flag::Loading,
            Flag::Stale,
            Flag::Protected,
            Flag::SysCmd,
        ],
        // Only asked for a transaction: alone, every subcommand takes what it needs.
        behaviour: SERVER.behaviour.locks(|_| Locks::Every),
        ..SERVER
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Ok(Debug { argv: args.argv(), words: args.rest() })
    }
}

impl Act for Debug<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let [name, arguments @ ..] = self.words else { return Err(misused(self.argv)) };
        if name.eq_ignore_ascii_case(b"HELP") && arguments.is_empty() {
            help(out);
            return Ok(());
        }
        let mut all = TOPICS.iter().copied().flatten();
        let found = all.find(|sub| name.eq_ignore_ascii_case(sub.name.as_bytes()));
        let found = found.filter(|sub| (sub.words.0..=sub.words.1).contains(&arguments.len()));
        let missing = || refused::refusal(name).unwrap_or_else(|| misused(self.argv));
        let found = found.ok_or_else(missing)?;
        // Looking is no use of a key.
        control.txn.keep_access(true);
        control.txn.lookups.count(false, false);
        (found.run)(control, arguments, out)
    }
}

fn help(out: &mut RespWriter<'_>) {
    let all = || TOPICS.iter().copied().flatten();
    out.array(3 + all().map(|sub| 1 + sub.help.len()).sum::<usize>());
    out.simple("DEBUG <subcommand> [<arg> [value] [opt] ...]. Subcommands are:");
    for sub in all() {
        out.simple(format!("{} {}", sub.name, sub.arguments).trim_end());
        sub.help.iter().for_each(|line| out.simple(&format!("    {line}")));
    }
    out.simple("HELP");
    out.simple("    This text.");
}

/// Runs `work` while holding `scope`: inside `EXEC` that is held already.
fn holding<R>(
    control: &mut Control<'_>,
    scope: Scope<'_>,
    work: impl FnOnce(&mut Txn) -> R,
) -> Result<R, CmdError> {
    if control.in_exec {
        return Ok(work(control.txn));
    }
    let engine = control.engine;
    control.txn.with(&engine.store, scope, work).map_err(|failed| engine.instead(&failed))
}

/// Runs `work` on one key, which must exist.
fn on_key<R>(
    control: &mut Control<'_>,
    name: &[u8],
    work: impl FnOnce(&mut Txn, Key<'_>) -> Result<R, CmdError>,
) -> Result<R, CmdError> {
    let store = &control.engine.store;
    let key = store.hasher().key(name);
    let scope = Scope::One(store.shard_of(key.hash));
    holding(control, scope, |txn| {
        if base::Types::kind(txn, key).is_none() {
            return Err(CmdError::new("ERR no such key"));
        }
        work(txn, key)
    })?
}
