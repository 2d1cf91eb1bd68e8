//! GRAPH.CONFIG: the settings of graphs by FalkorDB's names. They are directives, which `CONFIG`
//! has by their own names; what is no directive here is told, and stays as it is.

use std::borrow::Cow;

use base::{Args, CmdError, Command, Property, Reply, Spec};
use config::QuerySettings;
use wire::RespWriter;

use super::{ADMIN, GRAPH};
use crate::background::PLACES;
use crate::control::help::{HELP, help};
use crate::control::server::change_settings;
use crate::control::{Act, Control, acts, container};
use crate::engine::entry::Action;

const UNKNOWN: CmdError = CmdError::new("Unknown configuration field");
const FIXED: CmdError = CmdError::new("This configuration parameter cannot be set at run-time");
const OUTDATED: CmdError = CmdError::new(
    "The TIMEOUT configuration parameter is deprecated. Please set TIMEOUT_MAX and \
     TIMEOUT_DEFAULT instead",
);
const ABOVE_MAX: CmdError = CmdError::new(
    "TIMEOUT_DEFAULT configuration parameter cannot be set to a value higher than TIMEOUT_MAX",
);
const BELOW_DEFAULT: CmdError = CmdError::new(
    "TIMEOUT_MAX configuration parameter cannot be set to a value lower than TIMEOUT_DEFAULT",
);

/// So many bytes are no limit.
const NO_LIMIT: usize = 1 << 62;
/// Statements that a thread keeps prepared.
const PREPARED: i64 = 256;

static CONTAINER: Spec = Spec {
    name: "graph.config",
    summary: "Shows the settings of graphs by FalkorDB's names, and changes them.",
    complexity: "Depends on subcommand.",
    flags: &[],
    // Who may use what is in a category may use all of a container in it.
    categories: &[],
    ..GRAPH
};

help! {
    /// GRAPH.CONFIG HELP.
    GraphConfigHelp,
    Spec {
        name: "graph.config|help",
        group: GRAPH.group,
        since: GRAPH.since,
        categories: GRAPH.categories,
        ..HELP
    }
}

/// The rows of this family.
pub(super) fn rows() -> Vec<(&'static Spec, Action)> {
    let mut rows = acts![GraphConfigGet, GraphConfigHelp, GraphConfigSet];
    rows.push(container(&CONTAINER));
    rows
}

/// What a setting says.
#[derive(Clone)]
enum Value {
    Int(i64),
    Bool(bool),
    Text(Cow<'static, str>),
}

/// What a setting is here.
enum Kind {
    /// A directive.
    Directive(&'static str, fn(&QuerySettings) -> Value),
    /// It is as it was at the start.
    AtStart(fn(&QuerySettings) -> Value),
    /// It is always the same.
    Always(Value),
}

use Kind::{Always, AtStart, Directive};

/// All of them, in FalkorDB's order.
const SETTINGS: &[(&str, Kind)] = &[
    ("TIMEOUT", Directive("graph-timeout", |queries| millis(queries.graph_timeout))),
    ("TIMEOUT_DEFAULT", Directive("graph-timeout", |queries| millis(queries.graph_timeout))),
    ("TIMEOUT_MAX", Directive("graph-timeout-max", |queries| millis(queries.graph_timeout_max))),
    ("CACHE_SIZE", Always(Value::Int(PREPARED))),
    ("ASYNC_DELETE", Always(Value::Bool(true))),
    ("OMP_THREAD_COUNT", Always(Value::Int(1))),
    ("THREAD_COUNT", AtStart(|queries| int(queries.threads))),
    (
        "RESULTSET_SIZE",
        Directive("graph-resultset-size", |queries| queries.graph_rows.map_or(Value::Int(-1), int)),
    ),
    ("VKEY_MAX_ENTITY_COUNT", Always(Value::Int(100_000))),
    ("MAX_QUEUED_QUERIES", Always(Value::Int(PLACES as i64))),
    (
        "QUERY_MEM_CAPACITY",
        Directive("graph-query-memory", |queries| match queries.graph_memory {
            NO_LIMIT.. => Value::Int(0),
            bytes => int(bytes),
        }),
    ),
    ("DELTA_MAX_PENDING_CHANGES", Always(Value::Int(10_000))),
    ("NODE_CREATION_BUFFER", Always(Value::Int(16_384))),
    ("CMD_INFO", Always(Value::Bool(true))),
    ("MAX_INFO_QUERIES", Always(Value::Int(1000))),
    ("EFFECTS_THRESHOLD", Always(Value::Int(300))),
    ("BOLT_PORT", Always(Value::Int(65_535))),
    ("DELAY_INDEXING", Always(Value::Bool(false))),
    (
        "IMPORT_FOLDER",
        AtStart(|queries| {
            let folder = queries.graph_import_folder.as_deref();
            Value::Text(
                folder.map_or(Cow::Borrowed(""), |folder| {
                    folder.to_string_lossy().into_owned().into()
                }),
            )
        }),
    ),
    ("TEMP_FOLDER", Always(Value::Text(Cow::Borrowed("")))),
];

fn millis(time: Option<std::time::Duration>) -> Value {
    Value::Int(time.map_or(0, |time| i64::try_from(time.as_millis()).unwrap_or(i64::MAX)))
}

fn int(number: usize) -> Value {
    Value::Int(i64::try_from(number).unwrap_or(i64::MAX))
}

fn find(name: &[u8]) -> Result<&'static (&'static str, Kind), CmdError> {
    let is_it = |(other, _): &&(&str, Kind)| name.eq_ignore_ascii_case(other.as_bytes());
    SETTINGS.iter().find(is_it).ok_or(UNKNOWN)
}

impl Kind {
    fn value(&self, queries: &QuerySettings) -> Value {
        match self {
            Directive(_, value) | AtStart(value) => value(queries),
            Always(value) => value.clone(),
        }
    }
}

impl Value {
    fn write(self, name: &str, out: &mut RespWriter<'_>) {
        out.array(2);
        out.bulk(name.as_bytes());
        match self {
            Value::Int(number) => out.int(number),
            Value::Bool(is_so) => out.boolean(is_so),
            Value::Text(text) => out.bulk(text.as_bytes()),
        }
    }

    /// Whether this is how a client says it.
    fn is_said(&self, text: &[u8]) -> bool {
        match self {
            Value::Int(number) => base::num::parse_i64(text) == Some(*number),
            Value::Bool(true) => text.eq_ignore_ascii_case(b"yes"),
            Value::Bool(false) => text.eq_ignore_ascii_case(b"no"),
            Value::Text(own) => own.as_bytes() == text,
        }
    }
}

/// Tells a setting, or all.
pub struct GraphConfigGet<'a> {
    name: &'a [u8],
}

impl<'a> Command<'a> for GraphConfigGet<'a> {
    const SPEC: Spec = Spec {
        name: "graph.config|get",
        summary: "Shows a setting of graphs by FalkorDB's name, or all of them.",
        grammar: "name:string",
        ..GRAPH
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(GraphConfigGet { name: args.next()? })
    }
}

impl Act for GraphConfigGet<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let config = control.engine.config();
        if self.name == b"*" {
            out.array(SETTINGS.len());
            SETTINGS.iter().for_each(|(name, kind)| kind.value(&config.queries).write(name, out));
            return Ok(());
        }
        let (name, kind) = find(self.name)?;
        kind.value(&config.queries).write(name, out);
        Ok(())
    }
}

/// Changes settings: all of them, or none.
pub struct GraphConfigSet<'a> {
    pairs: Vec<(&'a [u8], &'a [u8])>,
}

impl<'a> Command<'a> for GraphConfigSet<'a> {
    const SPEC: Spec = Spec {
        name: "graph.config|set",
        summary: "Changes settings of graphs by FalkorDB's names, all of them or none.",
        complexity: "O(N) in the number of settings given",
        grammar: "name_value={name:string value:string} ...",
        behaviour: ADMIN.behaviour.properties(&[Property::ChangesListeners]),
        ..ADMIN
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let mut pairs = Vec::with_capacity(args.left() / 2);
        while let Some(name) = args.take() {
            let value = args.take().ok_or_else(|| base::error::wrong_arity("graph.config|set"))?;
            pairs.push((name, value));
        }
        Ok(GraphConfigSet { pairs })
    }
}

impl Act for GraphConfigSet<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let config = control.engine.config();
        let mut pairs: Vec<(&str, Vec<u8>)> = Vec::with_capacity(self.pairs.len());
        let mut times = Times::of(&config.queries);
        for (name, text) in self.pairs {
            let (name, kind) = find(name)?;
            match *kind {
                Directive(directive, _) => {
                    let text = directive_text(name, text, &mut times)?;
                    // The last of several is the one that counts.
                    pairs.retain(|(other, _)| *other != directive);
                    pairs.push((directive, text));
                }
                _ if kind.value(&config.queries).is_said(text) => {}
                _ => return Err(FIXED),
            }
        }
        times.check()?;
        let said: Vec<_> =
            pairs.iter().map(|(name, text)| (name.as_bytes(), text.as_slice())).collect();
        if !said.is_empty() {
            change_settings(control, &said).map_err(|_| {
                let (name, text) = pairs.first().map_or(("", &b""[..]), |(n, t)| (*n, t));
                refused(name, text)
            })?;
        }
        out.ok();
        Ok(())
    }
}

fn refused(name: &str, text: &[u8]) -> CmdError {
    CmdError::quoting(&format!("Failed to set config value {name} to "), text, "")
}

/// Milliseconds that statements may take, as all pairs together make them; 0 is no limit.
struct Times {
    most: i64,
    usual: i64,
    /// There was one before.
    had_most: bool,
    says_most: bool,
    says_usual: bool,
}

impl Times {
    fn of(queries: &QuerySettings) -> Self {
        let millis = |time: Option<std::time::Duration>| match millis(time) {
            Value::Int(millis) => millis,
            _ => 0,
        };
        let (most, usual) = (millis(queries.graph_timeout_max), millis(queries.graph_timeout));
        Times { most, usual, had_most: most > 0, says_most: false, says_usual: false }
    }

    /// Whether the usual time, if one of the two was said, is within the longest.
    fn check(&self) -> Result<(), CmdError> {
        match (self.says_usual, self.says_most) {
            (false, false) => Ok(()),
            _ if self.most == 0 || self.usual <= self.most => Ok(()),
            (true, _) => Err(ABOVE_MAX),
            (false, true) => Err(BELOW_DEFAULT),
        }
    }
}

/// What the directive is to say, where FalkorDB's setting is to say this. Times are noted, as they
/// are checked when all are known.
fn directive_text(name: &str, text: &[u8], times: &mut Times) -> Result<Vec<u8>, CmdError> {
    let fails = || refused(name, text);
    let number = base::num::parse_i64(text).ok_or_else(fails)?;
    let said = match name {
        "RESULTSET_SIZE" => number.max(-1),
        "QUERY_MEM_CAPACITY" if number == 0 => NO_LIMIT as i64,
        "TIMEOUT" if times.had_most => return Err(OUTDATED),
        _ => number,
    };
    let most = match name {
        "RESULTSET_SIZE" => -1..=1 << 40,
        "QUERY_MEM_CAPACITY" => 64 << 10..=1 << 62,
        _ => 0..=1 << 31,
    };
    if !most.contains(&said) {
        return Err(fails());
    }
    match name {
        "TIMEOUT_MAX" => (times.most, times.says_most) = (said, true),
        "TIMEOUT" | "TIMEOUT_DEFAULT" => (times.usual, times.says_usual) = (said, true),
        _ => {}
    }
    Ok(said.to_string().into_bytes())
}
