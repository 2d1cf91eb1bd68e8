//! COMMAND and COMMAND INFO.

use base::{Args, CmdError, Command, Find, KeyFlag, KeySpec, Reply, Spec, Start};
use wire::RespWriter;

use super::describe::{flags, legacy_range};
use super::{COMMAND, commands};
use crate::control::{Act, Control};
use crate::engine::categories::categories;
use crate::engine::entry::Entry;
use crate::engine::table::Table;

/// Describes every command.
pub struct CommandAll;

impl<'a> Command<'a> for CommandAll {
    const SPEC: Spec = Spec {
        name: "command",
        summary: "Describes every command.",
        complexity: "O(N) in the number of commands",
        arity: -1,
        tips: &["nondeterministic_output_order"],
        ..COMMAND
    };

    fn parse(_: Args<'a>) -> Result<Self, CmdError> {
        Ok(CommandAll)
    }
}

impl Act for CommandAll {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        write_all(&control.engine.table, out);
        Ok(())
    }
}

/// Describes commands.
pub struct CommandInfo<'a> {
    names: &'a [&'a [u8]],
}

impl<'a> Command<'a> for CommandInfo<'a> {
    const SPEC: Spec = Spec {
        name: "command|info",
        summary: "Describes commands; all of them without arguments.",
        complexity: "O(N) in the number of commands described",
        grammar: "[command-name:string...]",
        tips: &["nondeterministic_output_order"],
        history: &[("7.0.0", "Without names it describes every command.")],
        ..COMMAND
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Ok(CommandInfo { names: args.rest() })
    }
}

impl Act for CommandInfo<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let table = &control.engine.table;
        if self.names.is_empty() {
            write_all(table, out);
            return Ok(());
        }
        out.array(self.names.len());
        for name in self.names {
            match table.by_name(name) {
                Some(entry) => write(table, entry, out),
                None => out.null(),
            }
        }
        Ok(())
    }
}

fn write_all(table: &Table, out: &mut dyn Reply) {
    out.array(commands(table).count());
    for entry in commands(table) {
        write(table, entry, out);
    }
}

/// One command, its subcommands within.
fn write(table: &Table, entry: &Entry, out: &mut dyn Reply) {
    let range = legacy_range(entry.spec);
    out.array(10);
    out.bulk(entry.name().as_bytes());
    out.int(i64::from(entry.syntax.arity));
    simples(&flags(entry), out);
    out.int(range.first);
    out.int(range.last);
    out.int(range.step);
    let categories = categories(entry);
    out.set(categories.len());
    for category in categories {
        out.simple(&format!("@{category}"));
    }
    out.set(entry.spec.tips.len());
    for tip in entry.spec.tips {
        out.bulk(tip.as_bytes());
    }
    out.set(entry.spec.keys.len());
    for key in entry.spec.keys {
        write_key_spec(key, out);
    }
    match entry.naming.children.len() {
        0 => out.set(0),
        count => out.array(count),
    }
    for &child in &entry.naming.children {
        write(table, &table.entries()[child], out);
    }
}

/// A set of status lines.
pub(super) fn simples(words: &[&str], out: &mut dyn Reply) {
    out.set(words.len());
    for word in words {
        out.simple(word);
    }
}

/// The names of key flags, in Redis's order.
pub(super) fn key_flags(flags: &[KeyFlag]) -> Vec<&'static str> {
    KeyFlag::ALL.iter().filter(|flag| flags.contains(flag)).map(|flag| flag.name()).collect()
}

fn write_key_spec(key: &KeySpec, out: &mut dyn Reply) {
    let count = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
    out.map(3);
    out.bulk(b"flags");
    simples(&key_flags(key.flags), out);
    out.bulk(b"begin_search");
    match key.start {
        Start::Index(index) => {
            write_method("index", 1, out);
            pair("index", count(index), out);
        }
        Start::Keyword { word, from, .. } => {
            write_method("keyword", 2, out);
            out.bulk(b"keyword");
            out.bulk(word.as_bytes());
            pair("startfrom", i64::from(from), out);
        }
        Start::Unknown => write_method("unknown", 0, out),
    }
    out.bulk(b"find_keys");
    match key.find {
        Find::Range { last, step, limit } => {
            write_method("range", 3, out);
            pair("lastkey", i64::from(last), out);
            pair("keystep", count(step), out);
            pair("limit", count(limit), out);
        }
        Find::Count { index, first, step } => {
            write_method("keynum", 3, out);
            pair("keynumidx", count(index), out);
            pair("firstkey", count(first), out);
            pair("keystep", count(step), out);
        }
        Find::Unknown => write_method("unknown", 0, out),
    }
}

/// Opens `{type: name, spec: {…}}` with so many pairs to follow.
fn write_method(name: &str, pairs: usize, out: &mut dyn Reply) {
    out.map(2);
    out.bulk(b"type");
    out.bulk(name.as_bytes());
    out.bulk(b"spec");
    out.map(pairs);
}

fn pair(name: &str, value: i64, out: &mut dyn Reply) {
    out.bulk(name.as_bytes());
    out.int(value);
}
