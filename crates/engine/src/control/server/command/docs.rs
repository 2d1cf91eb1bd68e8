//! COMMAND DOCS: summaries in our own words, arguments from the grammar.

use base::grammar::{Arg, Kind};
use base::{Args, CmdError, Command, Reply, Spec};
use wire::RespWriter;

use super::info::simples;
use super::{COMMAND, commands};
use crate::control::{Act, Control};
use crate::table::{Entry, Table};

/// Documents commands.
pub struct CommandDocs<'a> {
    names: &'a [&'a [u8]],
}

impl<'a> Command<'a> for CommandDocs<'a> {
    const SPEC: Spec = Spec {
        name: "command|docs",
        since: "7.0.0",
        summary: "Documents commands; all of them without arguments.",
        complexity: "O(N) in the number of commands documented",
        grammar: "[command-name:string...]",
        tips: &["nondeterministic_output_order"],
        ..COMMAND
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Ok(CommandDocs { names: args.rest() })
    }
}

impl Act for CommandDocs<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let table = &control.engine.table;
        let entries: Vec<&Entry> = match self.names {
            [] => commands(table).collect(),
            // Unknown names are left out.
            names => names.iter().filter_map(|name| table.by_name(name)).collect(),
        };
        out.map(entries.len());
        for entry in entries {
            write(table, entry, out);
        }
        Ok(())
    }
}

/// The name, then the documentation, subcommands within.
fn write(table: &Table, entry: &Entry, out: &mut dyn Reply) {
    let spec = entry.spec;
    let facts = [
        ("summary", spec.summary),
        ("since", spec.since),
        ("group", spec.group.name()),
        ("complexity", spec.complexity),
    ];
    let facts: Vec<_> = facts.into_iter().filter(|(_, text)| !text.is_empty()).collect();
    out.bulk(entry.name().as_bytes());
    let (arguments, children) = (&entry.arguments, &entry.children);
    out.map(facts.len() + usize::from(!arguments.is_empty()) + usize::from(!children.is_empty()));
    for (name, text) in facts {
        out.bulk(name.as_bytes());
        out.bulk(text.as_bytes());
    }
    if !arguments.is_empty() {
        out.bulk(b"arguments");
        write_arguments(arguments, out);
    }
    if !children.is_empty() {
        out.bulk(b"subcommands");
        out.map(children.len());
        for &child in children {
            write(table, &table.entries()[child], out);
        }
    }
}

fn write_arguments(args: &[Arg], out: &mut dyn Reply) {
    out.array(args.len());
    for arg in args {
        write_argument(arg, out);
    }
}

fn write_argument(arg: &Arg, out: &mut dyn Reply) {
    let (kind, key, inner): (&str, Option<usize>, Option<&[Arg]>) = match &arg.kind {
        Kind::String => ("string", None, None),
        Kind::Integer => ("integer", None, None),
        Kind::Double => ("double", None, None),
        Kind::Key(spec) => ("key", Some(*spec), None),
        Kind::Pattern => ("pattern", None, None),
        Kind::UnixTime => ("unix-time", None, None),
        Kind::PureToken => ("pure-token", None, None),
        Kind::OneOf(args) => ("oneof", None, Some(args)),
        Kind::Block(args) => ("block", None, Some(args)),
    };
    let flags = [
        (arg.optional, "optional"),
        (arg.multiple, "multiple"),
        (arg.multiple_token, "multiple_token"),
    ];
    let flags: Vec<&str> = flags.iter().filter(|(set, _)| *set).map(|(_, name)| *name).collect();
    let optional = [key.is_some(), arg.token.is_some(), !flags.is_empty(), inner.is_some()];
    out.map(2 + optional.iter().filter(|there| **there).count());
    out.bulk(b"name");
    out.bulk(arg.name.as_bytes());
    out.bulk(b"type");
    out.bulk(kind.as_bytes());
    if let Some(spec) = key {
        out.bulk(b"key_spec_index");
        out.count(spec);
    }
    if let Some(token) = &arg.token {
        out.bulk(b"token");
        out.bulk(token.as_bytes());
    }
    if !flags.is_empty() {
        out.bulk(b"flags");
        simples(&flags, out);
    }
    if let Some(args) = inner {
        out.bulk(b"arguments");
        write_arguments(args, out);
    }
}
