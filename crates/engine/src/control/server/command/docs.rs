//! COMMAND DOCS: prose in our own words, arguments from the grammar.

use base::grammar::{Arg, Kind};
use base::{Args, CmdError, Command, Flag, Reply, Spec};
use wire::RespWriter;

use super::info::simples;
use super::{COMMAND, commands};
use crate::control::identity::Module;
use crate::control::{Act, Control};
use crate::engine::entry::Entry;
use crate::engine::table::Table;

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
    let (arguments, children) = (&entry.syntax.arguments, &entry.naming.children);
    let module = Module::of(spec.group).map(|module| module.name);
    let mut facts = vec![
        ("summary", spec.summary),
        ("since", spec.since),
        ("group", if module.is_some() { "module" } else { spec.group.name() }),
        ("complexity", spec.complexity),
        ("module", module.unwrap_or_default()),
    ];
    facts.retain(|(_, text)| !text.is_empty());
    let doc_flags =
        [(spec.deprecated.is_some(), "deprecated"), (entry.has(Flag::SysCmd), Flag::SysCmd.name())];
    let doc_flags = present(&doc_flags);
    let lists = [doc_flags.len(), spec.history.len(), arguments.len(), children.len()];
    let lists = lists.iter().filter(|len| **len > 0).count();
    out.bulk(entry.name().as_bytes());
    out.map(facts.len() + lists + 2 * usize::from(spec.deprecated.is_some()));
    for (name, text) in facts {
        fact(name, text, out);
    }
    if !doc_flags.is_empty() {
        out.bulk(b"doc_flags");
        simples(&doc_flags, out);
    }
    if let Some(deprecated) = spec.deprecated {
        fact("deprecated_since", deprecated.since, out);
        fact("replaced_by", deprecated.instead, out);
    }
    if !spec.history.is_empty() {
        out.bulk(b"history");
        out.set(spec.history.len());
        for (version, change) in spec.history {
            out.array(2);
            out.bulk(version.as_bytes());
            out.bulk(change.as_bytes());
        }
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
        Kind::Pattern(spec) => ("pattern", *spec, None),
        Kind::UnixTime => ("unix-time", None, None),
        Kind::PureToken => ("pure-token", None, None),
        Kind::OneOf(args) => ("oneof", None, Some(args)),
        Kind::Block(args) => ("block", None, Some(args)),
    };
    let flags = present(&[
        (arg.optional, "optional"),
        (arg.multiple, "multiple"),
        (arg.multiple_token, "multiple_token"),
    ]);
    let texts =
        [("token", &arg.token), ("since", &arg.since), ("deprecated_since", &arg.deprecated)];
    let optional = [key.is_some(), !flags.is_empty(), inner.is_some()];
    let optional = optional.iter().filter(|there| **there).count();
    out.map(2 + optional + texts.iter().filter(|(_, text)| text.is_some()).count());
    fact("name", &arg.name, out);
    fact("type", kind, out);
    if let Some(spec) = key {
        out.bulk(b"key_spec_index");
        out.count(spec);
    }
    for (name, text) in texts {
        if let Some(text) = text {
            fact(name, text, out);
        }
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

/// One pair of texts of a map.
fn fact(name: &str, text: &str, out: &mut dyn Reply) {
    out.bulk(name.as_bytes());
    out.bulk(text.as_bytes());
}

/// The words that apply.
fn present(words: &[(bool, &'static str)]) -> Vec<&'static str> {
    words.iter().filter(|(applies, _)| *applies).map(|(_, word)| *word).collect()
}
