//! COMMAND GETKEYS, COMMAND GETKEYSANDFLAGS: where the keys of a request are.

use base::{Args, CmdError, Command, Flag, KeyFlag, Reply, Spec, Start};
use wire::RespWriter;

use super::COMMAND;
use super::info::{key_flags, simples};
use crate::control::{Act, Control};
use crate::engine::key_facts::{flags, positions};

/// The words of the request that is asked about may be those of `AUTH`, or of any other.
fn secret(_: &[&[u8]], at: usize) -> bool {
    at > 2
}

/// Lists the keys of a request.
pub struct CommandGetKeys<'a> {
    request: &'a [&'a [u8]],
}

impl<'a> Command<'a> for CommandGetKeys<'a> {
    const SPEC: Spec = Spec {
        name: "command|getkeys",
        summary: "Lists the keys of a request.",
        complexity: "O(N) in the number of arguments",
        arity: -4,
        behaviour: COMMAND.behaviour.secret(secret),
        ..COMMAND
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Ok(CommandGetKeys { request: args.rest() })
    }
}

impl Act for CommandGetKeys<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let keys = keys(control, self.request)?;
        out.array(keys.len());
        for (key, _) in keys {
            out.bulk(key);
        }
        Ok(())
    }
}

/// Lists the keys of a request and what it does with them.
pub struct CommandGetKeysAndFlags<'a> {
    request: &'a [&'a [u8]],
}

impl<'a> Command<'a> for CommandGetKeysAndFlags<'a> {
    const SPEC: Spec = Spec {
        name: "command|getkeysandflags",
        since: "7.0.0",
        summary: "Lists the keys of a request and what is done with them.",
        complexity: "O(N) in the number of arguments",
        arity: -4,
        behaviour: COMMAND.behaviour.secret(secret),
        ..COMMAND
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Ok(CommandGetKeysAndFlags { request: args.rest() })
    }
}

impl Act for CommandGetKeysAndFlags<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let keys = keys(control, self.request)?;
        out.array(keys.len());
        for (key, flags) in keys {
            out.array(2);
            out.bulk(key);
            simples(&key_flags(flags), out);
        }
        Ok(())
    }
}

/// A key of a request, and what is done with it.
type Found<'a> = (&'a [u8], &'static [KeyFlag]);

fn keys<'a>(control: &Control<'_>, request: &[&'a [u8]]) -> Result<Vec<Found<'a>>, CmdError> {
    let entry = control.engine.table.find(request);
    // A container is no command where it has been given a subcommand it does not have.
    let entry = entry.filter(|entry| entry.naming.children.is_empty() || request.len() < 2);
    let entry = entry.ok_or(CmdError::new("ERR Invalid command specified"))?;
    let specs = entry.spec.keys;
    if specs.iter().all(|key| key.flags.contains(&KeyFlag::NotKey)) {
        return Err(CmdError::new("ERR The command has no key arguments"));
    }
    if !entry.accepts(request.len()) {
        return Err(CmdError::new("ERR Invalid number of arguments specified for command"));
    }
    let invalid = || CmdError::new("ERR Invalid arguments specified for command");
    let mut found = Vec::new();
    for key in specs {
        // PFMERGE without sources runs, but Redis calls it invalid here.
        if matches!(key.start, Start::Index(first) if first >= request.len()) {
            return Err(invalid());
        }
        let positions = match positions(entry, key, request) {
            Some(positions) => positions,
            // EVAL may be about no key, and a number of keys that does not fit is none to Redis.
            None if entry.has(Flag::NoMandatoryKeys) => continue,
            None => return Err(invalid()),
        };
        let flags = flags(entry, key, request);
        found.extend(positions.into_iter().map(|at| (request[at], flags)));
    }
    if found.is_empty() && !entry.has(Flag::NoMandatoryKeys) {
        return Err(invalid());
    }
    Ok(found)
}
