//! The commands as methods of the Python package: code and stubs.
//!
//! A method that redis-py has comes from the table (`data/python/*.methods`, notation in `table`),
//! every other command of the catalogue from its grammar, and what a method does from its
//! command's spec. So no command can be without a method, and no method without a description.

mod code;
mod derive;
mod keys;
mod stubs;
mod table;
mod template;

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::path::PathBuf;

use base::grammar;
use engine::{Action, Entry};
use stubs::Gives;
use table::{Method, MethodKind};

use crate::Document;

/// The tables of the commands, in the order of the methods.
const TABLES: &[&str] = &[
    include_str!("../../data/python/keys.methods"),
    include_str!("../../data/python/hashes.methods"),
    include_str!("../../data/python/lists.methods"),
    include_str!("../../data/python/zsets.methods"),
    include_str!("../../data/python/streams.methods"),
    include_str!("../../data/python/arrays.methods"),
    include_str!("../../data/python/scripting.methods"),
    include_str!("../../data/python/server.methods"),
    include_str!("../../data/python/acl.methods"),
    include_str!("../../data/python/cluster.methods"),
];
/// The table of the methods of `json()`.
const JSON: &str = include_str!("../../data/python/json.methods");
/// The table of the methods of `vset()`.
const VECTORS: &str = include_str!("../../data/python/vectors.methods");
/// The tables of the methods of filters, sketches and digests, each behind a line that begins with
/// `==`: the name of the class and what it is.
const FILTERS: &str = include_str!("../../data/python/filters.methods");

/// Commands that are no methods here, because they are about a connection's state (transactions,
/// subscriptions, replication), are written by hand (`_composed.py`), or are for developers of
/// servers.
const ELSEWHERE: &[&str] = &[
    "bitfield",
    "discard",
    "exec",
    "monitor",
    "multi",
    "pfdebug",
    "pfselftest",
    "psubscribe",
    "punsubscribe",
    "replconf",
    "restore-asking",
    "shutdown",
    "ssubscribe",
    "subscribe",
    "sunsubscribe",
    "unsubscribe",
    "unwatch",
    "watch",
];

/// Methods with what they do.
pub(crate) struct Class {
    pub(crate) name: &'static str,
    pub(crate) doc: &'static str,
    pub(crate) methods: Vec<(Method, Option<Doc>)>,
}

/// What a docstring says.
pub(crate) struct Doc {
    pub(crate) summary: String,
    /// Usage, cost, versions.
    pub(crate) more: String,
}

/// The modules of the package that are generated.
pub(crate) fn render(table: &engine::Table) -> Result<Vec<Document>, String> {
    let entries: Vec<&Entry> = table.entries().iter().collect();
    let is_json = |entry: &&Entry| entry.spec.name.starts_with("json.");
    let (of_json, others): (Vec<&Entry>, Vec<&Entry>) = entries.into_iter().partition(is_json);
    let commands = Class {
        name: "Commands",
        doc: "The commands of the catalogue as methods.",
        methods: methods(&TABLES.concat(), &others, "")?,
    };
    let json = Class {
        name: "JsonCommands",
        doc: "The commands of JSON documents as methods.",
        methods: methods(JSON, &of_json, "json.")?,
    };
    let vectors = Class {
        name: "VectorSetCommands",
        doc: "The commands of vector sets as methods.",
        methods: methods(VECTORS, &[], "")?,
    };
    let with_pipeline = "\n\nclass PipelineCommands(Commands[S]):\n    \
        \"\"\"The same methods on a pipeline, which answers itself.\"\"\"\n\n    __slots__ = ()\n";
    let asynchronous = "class AsyncCommands(Commands[S]):\n    \
        \"\"\"The same methods on a client whose `execute_command` is a coroutine.\"\"\"\n\n    \
        __slots__ = ()\n\n\n\
        class AsyncPipelineCommands(PipelineCommands[S]):\n    \
        \"\"\"The same methods on a pipeline of such a client.\"\"\"\n\n    __slots__ = ()\n";
    let mut documents = vec![
        (place("_commands.py"), module(&(code::class(&commands) + with_pipeline))),
        stub(
            "_commands.pyi",
            &commands,
            &[("Commands", Gives::Reply), ("PipelineCommands", Gives::Pipeline)],
        ),
        (place("_async_commands.py"), module(asynchronous)),
        stub(
            "_async_commands.pyi",
            &commands,
            &[("AsyncCommands", Gives::Coroutine), ("AsyncPipelineCommands", Gives::Pipeline)],
        ),
    ];
    let json_kinds =
        [("AsyncJsonCommands", Gives::Coroutine), ("JsonPipelineCommands", Gives::Pipeline)];
    documents.extend(by_itself("_json_commands", &[(&json, json_kinds.to_vec())]));
    let vector_kinds = vec![("AsyncVectorSetCommands", Gives::Coroutine)];
    documents.extend(by_itself("_vector_commands", &[(&vectors, vector_kinds)]));
    let filters = filters()?;
    let asynchronous: Vec<String> =
        filters.iter().map(|class| format!("Async{}", class.name)).collect();
    let kinds = asynchronous.iter().map(|name| vec![(name.as_str(), Gives::Coroutine)]);
    let filters: Vec<Kinds<'_>> = filters.iter().zip(kinds).collect();
    documents.extend(by_itself("_filter_commands", &filters));
    documents.push((place("_key_specs.py"), keys::module(table, NOTICE)));
    Ok(documents)
}

fn place(name: &str) -> PathBuf {
    PathBuf::from(format!("python/kvist/{name}"))
}

fn stub(name: &str, class: &Class, kinds: &[(&str, Gives)]) -> Document {
    let classes = kinds.iter().map(|(name, gives)| stubs::class(class, name, *gives));
    (place(name), stub_module(&classes.collect::<Vec<_>>().join("\n")))
}

/// The classes of the table of filters.
fn filters() -> Result<Vec<Class>, String> {
    let mut classes = Vec::new();
    for section in FILTERS.split("\n== ").skip(1) {
        let (head, table) = section.split_once('\n').unwrap_or((section, ""));
        let (name, doc) = head.split_once(' ').ok_or("python: a class without a description")?;
        classes.push(Class { name, doc, methods: methods(table, &[], "")? });
    }
    Ok(classes)
}

/// A class and the other kinds of it.
type Kinds<'a> = (&'a Class, Vec<(&'a str, Gives)>);

/// Classes of methods of objects of their own, with other kinds of them, in one module.
fn by_itself(module_name: &str, classes: &[Kinds<'_>]) -> [Document; 2] {
    let mut text = Vec::new();
    let mut stub = Vec::new();
    for (class, kinds) in classes {
        text.push(code::class(class));
        stub.push(stubs::class(class, class.name, Gives::Reply));
        for (name, gives) in kinds {
            text.push(format!(
                "class {name}({}[S]):\n    \"\"\"The same methods; the stubs say what they \
                 give.\"\"\"\n\n    __slots__ = ()\n",
                class.name
            ));
            stub.push(stubs::class(class, name, *gives));
        }
    }
    let code = (place(&format!("{module_name}.py")), module(&text.join("\n\n")));
    [code, (place(&format!("{module_name}.pyi")), stub_module(&stub.join("\n")))]
}

/// The methods of a table, then those derived from the entries that it leaves out.
fn methods(
    text: &str,
    entries: &[&Entry],
    prefix: &str,
) -> Result<Vec<(Method, Option<Doc>)>, String> {
    let rows = table::read(text)?.methods;
    let by_name: HashMap<&str, &Entry> = entries.iter().map(|e| (e.spec.name, *e)).collect();
    let mut taken: HashSet<String> = HashSet::new();
    let mut covered: HashSet<String> = HashSet::new();
    let mut done = Vec::new();
    for row in rows {
        if !taken.insert(row.name.clone()) {
            return Err(format!("python: two methods are called {}", row.name));
        }
        let doc = doc_of(&row, &by_name)?;
        if let MethodKind::Call(call) = &row.kind {
            covered.extend(call.spec_name());
        }
        done.push((row, doc));
    }
    for entry in entries {
        let name = entry.spec.name;
        let method = derive::method_name(name.strip_prefix(prefix).unwrap_or(name));
        let left_out = ELSEWHERE.contains(&name) || matches!(entry.action, Action::Container);
        if left_out || covered.contains(name) || taken.contains(&method) {
            continue;
        }
        let call = derive::call(name, &entry.syntax.arguments);
        let doc = Some(from_spec(entry));
        done.push((Method { name: method, kind: MethodKind::Call(Box::new(call)) }, doc));
    }
    Ok(done)
}

fn doc_of(row: &Method, by_name: &HashMap<&str, &Entry>) -> Result<Option<Doc>, String> {
    let MethodKind::Call(call) = &row.kind else { return Ok(None) };
    if let Some(summary) = &call.doc {
        return Ok(Some(Doc { summary: summary.clone(), more: String::new() }));
    }
    let entry = call.spec_name().and_then(|name| by_name.get(name.as_str()).copied());
    let entry = entry.ok_or_else(|| format!("python: nothing says what {} does", row.name))?;
    Ok(Some(from_spec(entry)))
}

fn from_spec(entry: &Entry) -> Doc {
    let spec = entry.spec;
    let name = spec.name.replace('|', " ").to_ascii_uppercase();
    let usage = format!("{name} {}", grammar::usage(&entry.syntax.arguments));
    let mut more = format!("``{}``", usage.trim_end());
    let cost = spec.complexity.trim_end_matches('.');
    let _ = write!(more, " since {}. {cost}.", spec.since);
    if let Some(deprecated) = spec.deprecated {
        let _ = write!(more, " Deprecated since {}: use {}.", deprecated.since, deprecated.instead);
    }
    Doc { summary: spec.summary.to_owned(), more }
}

const NOTICE: &str = "Generated by `make gen` from the specs of the commands and the tables in\n\
    crates/reference/data/python; do not edit.";

/// Where the names that generated code uses come from.
const CODE_NAMES: &[(&str, &[&str])] = &[
    ("collections.abc", &["Mapping"]),
    ("typing", &["Generic"]),
    ("._commands", &["Commands", "PipelineCommands"]),
    ("._json_values", &["FPHAType", "decoded_keys"]),
    (
        "._acl",
        &[
            "acl_categories",
            "acl_channels",
            "acl_commands",
            "acl_hashes",
            "acl_keys",
            "acl_passwords",
            "acl_selectors",
        ],
    ),
    (
        "._words",
        &[
            "AGGREGATES",
            "REFERENCES",
            "UNITS",
            "at_milliseconds",
            "at_seconds",
            "attribute_text",
            "claiming",
            "expiry",
            "flat",
            "in_milliseconds",
            "in_seconds",
            "is_int_within",
            "listed",
            "patterns",
            "sought_words",
            "targets",
            "turned",
            "vector_words",
        ],
    ),
    (".exceptions", &["DataError"]),
    (".typing", &["S"]),
];

/// Where the names that stubs use come from.
const STUB_NAMES: &[(&str, &[&str])] = &[
    ("collections.abc", &["Callable", "Iterable", "Mapping", "Sequence"]),
    ("datetime", &["datetime"]),
    ("typing", &["Any", "Generic", "Literal", "Self", "overload"]),
    ("._filter_infos", &["BFInfo", "CFInfo", "CMSInfo", "TDigestInfo", "TopKInfo"]),
    ("._json_values", &["FPHAType", "JsonType", "PathT"]),
    (
        ".typing",
        &[
            "AbsExpiryT",
            "AnyFieldT",
            "AnyKeyT",
            "ArrayAggregateOperations",
            "ArrayPredicateCombinator",
            "ArrayPredicateType",
            "BitfieldOffsetT",
            "ChannelT",
            "ConsumerT",
            "DataPersistOptions",
            "EncodableT",
            "ExpiryT",
            "FieldT",
            "GroupT",
            "HashDataPersistOptions",
            "HotkeysMetricsTypes",
            "KeyT",
            "KeysT",
            "Number",
            "PatternT",
            "QuantizationOptions",
            "S",
            "ScoreCastT",
            "ScriptTextT",
            "StreamIdT",
            "T",
            "TargetNodesT",
            "TimeoutSecT",
            "ZScoreBoundT",
        ],
    ),
];

fn module(classes: &str) -> String {
    let imports = imports(classes, CODE_NAMES);
    format!("\"\"\"Commands as methods.\n\n{NOTICE}\n\"\"\"\n\n{imports}\n\n{classes}")
}

fn stub_module(classes: &str) -> String {
    let builtins = if classes.contains("builtins.") { "import builtins\n" } else { "" };
    let imports = imports(classes, STUB_NAMES);
    format!("\"\"\"Commands as methods.\n\n{NOTICE}\n\"\"\"\n\n{builtins}{imports}\n{classes}")
}

/// Imports of the names that stand in a text.
fn imports(text: &str, names: &[(&str, &[&str])]) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let words: HashSet<&str> = text.split(|c| !is_part(c)).collect();
    let defined = |name: &&&str| !text.contains(&format!("class {name}("));
    let mut lines = String::new();
    for (module, names) in names {
        let used = names.iter().filter(|name| words.contains(**name)).filter(defined);
        let used: Vec<String> = used.map(|name| (*name).to_owned()).collect();
        if !used.is_empty() {
            let line = format!("from {module} import {}", used.join(", "));
            let short = line.chars().count() <= 100;
            let lead = format!("from {module} import (");
            let long = || code::wrapped(&lead, &used, ")", 100).join("\n");
            if module.starts_with('.') && !lines.contains("\nfrom .") {
                lines.push('\n');
            }
            lines += &if short { line } else { long() };
            lines.push('\n');
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_method_or_a_reason() {
        let table = engine::command_table().unwrap();
        for name in ELSEWHERE {
            assert!(table.by_name(name.as_bytes()).is_some(), "no command is called {name}");
        }
        let documents = render(&table).unwrap();
        assert!(documents.iter().all(|(_, text)| !text.contains("\n\n\n\n")));
    }

    #[test]
    fn only_what_is_used_is_imported() {
        let text = imports("class S(Generic): x(flat(y))", CODE_NAMES);
        assert_eq!(text, "from typing import Generic\n\nfrom ._words import flat\n");
    }
}
