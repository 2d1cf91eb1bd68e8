//! FT.CONFIG: the settings of indexes by RediSearch's names. Those that can be changed are
//! directives, which `CONFIG` has by their own names; the others say how it is.

use base::{CmdError, Flag, Reply, Spec};
use config::QuerySettings;
use wire::RespWriter;

use super::{READS, UNKNOWN};
use crate::control::server::change_settings;
use crate::control::{acts, container, worded};
use crate::engine::entry::Action;

const NO_OPTION: CmdError = CmdError::new("Invalid option");
const FIXED: CmdError = CmdError::new("Not modifiable at runtime");

/// The rows of this file.
pub(super) fn rows() -> Vec<(&'static Spec, Action)> {
    let mut rows = acts![FtConfigGet, FtConfigHelp, FtConfigSet];
    rows.push(container(&CONTAINER));
    rows
}

static CONTAINER: Spec = Spec {
    name: "ft.config",
    summary: "Shows the settings of secondary indexes by RediSearch's names, and changes them.",
    complexity: "Depends on subcommand.",
    flags: &[],
    categories: &[],
    ..READS
};

/// What a setting is here.
enum Kind {
    /// A directive.
    Directive(&'static str, fn(&QuerySettings) -> u64),
    /// It is always this.
    Always(&'static str),
}

use Kind::{Always, Directive};

/// A setting: its name, what it is, what it means.
type Setting = (&'static str, Kind, &'static str);

const SETTINGS: &[Setting] = &[
    (
        "TIMEOUT",
        Directive("search-timeout", |queries| queries.search_timeout),
        "Milliseconds that a query may run; 0 is no limit",
    ),
    (
        "DEFAULT_DIALECT",
        Directive("search-default-dialect", |queries| queries.search_dialect.into()),
        "The dialect of queries that name none",
    ),
    ("ON_TIMEOUT", Always("fail"), "A query that takes too long ends with an error"),
    ("MINPREFIX", Always("2"), "Letters that a prefix has at least"),
    ("MAXPREFIXEXPANSIONS", Always("unlimited"), "Words that a pattern stands for at most"),
    ("MAXEXPANSIONS", Always("unlimited"), "Words that a pattern stands for at most"),
    ("MAXSEARCHRESULTS", Always("1000000"), "Rows that FT.SEARCH answers at most"),
    ("MAXAGGREGATERESULTS", Always("unlimited"), "Rows that FT.AGGREGATE answers at most"),
    ("CURSOR_MAX_IDLE", Always("300000"), "Milliseconds that a cursor is kept unread at most"),
    ("CURSOR_READ_SIZE", Always("1000"), "Rows that FT.CURSOR READ answers unless it says"),
    ("NOGC", Always("true"), "Indexes are edited in place: there is nothing to collect"),
    ("SAFEMODE", Always("true"), "A write is indexed when it is acknowledged"),
];

fn find(name: &[u8]) -> Result<&'static Setting, CmdError> {
    let is_it = |(other, ..): &&Setting| name.eq_ignore_ascii_case(other.as_bytes());
    SETTINGS.iter().find(is_it).ok_or(NO_OPTION)
}

/// Those of a name, or all.
fn named(name: &[u8]) -> Result<Vec<&'static Setting>, CmdError> {
    match name {
        b"*" => Ok(SETTINGS.iter().collect()),
        name => Ok(vec![find(name)?]),
    }
}

fn value(kind: &Kind, queries: &QuerySettings) -> String {
    match kind {
        Directive(_, value) => value(queries).to_string(),
        Always(value) => (*value).to_owned(),
    }
}

worded! {
    /// Shows settings.
    FtConfigGet, Spec {
        name: "ft.config|get",
        summary: "Shows a setting of secondary indexes by RediSearch's name, or all of them.",
        complexity: "O(N) in the number of settings",
        grammar: "option:string",
        ..READS
    }, |control, words, out| {
        let config = control.engine.config();
        let found = named(words.first().ok_or(UNKNOWN)?)?;
        put_table(out, found.len());
        for (name, kind, _) in found {
            put_name(out, name, 2);
            out.bulk(value(kind, &config.queries).as_bytes());
        }
        Ok(())
    }
}

worded! {
    /// Tells what settings mean.
    FtConfigHelp, Spec {
        name: "ft.config|help",
        summary: "Tells what a setting of secondary indexes means, or all of them.",
        complexity: "O(N) in the number of settings",
        grammar: "option:string",
        ..READS
    }, |control, words, out| {
        let config = control.engine.config();
        let found = named(words.first().ok_or(UNKNOWN)?)?;
        put_table(out, found.len());
        for (name, kind, help) in found {
            let value = value(kind, &config.queries);
            put_name(out, name, 5);
            if out.protocol() == base::Protocol::Resp3 {
                out.map(2);
            }
            for text in ["Description", help, "Value", &value] {
                out.bulk(text.as_bytes());
            }
        }
        Ok(())
    }
}

worded! {
    /// Changes a setting.
    FtConfigSet, Spec {
        name: "ft.config|set",
        summary: "Changes a setting of secondary indexes by RediSearch's name.",
        complexity: "O(1)",
        grammar: "option:string value:string",
        categories: &[],
        flags: &[Flag::Admin, Flag::NoScript, Flag::Loading, Flag::Stale],
        ..READS
    }, |control, words, out| {
        let &[name, text] = words else { return Err(UNKNOWN) };
        let (_, kind, _) = find(name)?;
        let Directive(directive, _) = kind else { return Err(FIXED) };
        change_settings(control, &[(directive.as_bytes(), text)])
            .map_err(|_| CmdError::new("Could not convert argument to expected type"))?;
        out.ok();
        Ok(())
    }
}

/// A map in RESP3, a list of lists in RESP2.
fn put_table(out: &mut RespWriter<'_>, count: usize) {
    match out.protocol() {
        base::Protocol::Resp2 => out.array(count),
        base::Protocol::Resp3 => out.map(count),
    }
}

fn put_name(out: &mut RespWriter<'_>, name: &str, words: usize) {
    if out.protocol() == base::Protocol::Resp2 {
        out.array(words);
    }
    out.bulk(name.as_bytes());
}
