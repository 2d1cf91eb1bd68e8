//! When two replies count as the same: byte for byte, but for the commands listed here.
//!
//! Every exception has a reason: Redis itself promises no order, the answer holds a clock or a
//! process's own numbers. A rule must be as narrow as its reason: two `redis-server`s must agree
//! under it and nothing else should.

use std::collections::BTreeMap;

use crate::clocks;
use crate::command::{Command, escaped};
use crate::pair::cut;
use crate::resp::{Reply, Value};

/// How the replies of one command are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// The same bytes.
    Exact,
    /// The same elements in any order.
    Bag,
    /// The same pairs in any order, flat or as a map.
    Pairs,
    /// The same leaves in any order at every level: replies built from Redis's own hash tables.
    Deep,
    /// Numbers within so many milliseconds, or of the same sign.
    Millis,
    /// Numbers within a second.
    Seconds,
    /// Any two integers: identifiers and clocks.
    Integer,
    /// Any values of the same shape.
    Shape,
    /// HELLO: all but the identifier and the modules.
    Hello,
    /// CLIENT LIST and INFO: the same fields, and the ones that tell something equal.
    Clients,
    /// What is told of streams: times within so many milliseconds.
    Clocks,
    /// SORT: exact unless its own words leave the order open.
    Sort,
}

fn rule_of(command: &Command) -> Rule {
    let sub = command.upper(1);
    match (command.name().as_str(), sub.as_str()) {
        ("SMEMBERS" | "SUNION" | "SINTER" | "SDIFF" | "HKEYS" | "HVALS" | "KEYS", _) => Rule::Bag,
        ("HGETALL", _) => Rule::Pairs,
        ("COMMAND", "INFO" | "DOCS" | "LIST") | ("CONFIG", "GET") => Rule::Deep,
        ("PTTL" | "PEXPIRETIME", _) => Rule::Millis,
        ("TTL" | "EXPIRETIME", _) | ("OBJECT", "IDLETIME") => Rule::Seconds,
        ("CLIENT", "ID") | ("LASTSAVE", _) => Rule::Integer,
        ("CLIENT", "LIST" | "INFO") => Rule::Clients,
        ("TIME", _) => Rule::Shape,
        ("HELLO", _) => Rule::Hello,
        ("XPENDING", _) | ("XINFO", _) => Rule::Clocks,
        ("SORT" | "SORT_RO", _) => Rule::Sort,
        _ => Rule::Exact,
    }
}

/// What tells two replies apart, in words fit to group by; `None` when they count as the same.
/// `queued` are the commands of a transaction when this is its EXEC; `slack` is how many
/// milliseconds apart the two servers may have acted.
#[must_use]
pub fn difference(
    command: &Command,
    queued: &[Command],
    replies: [&Reply; 2],
    slack: i64,
) -> Option<String> {
    let [a, b] = replies;
    if a.raw == b.raw {
        return None;
    }
    let kind = if command.name() == "EXEC" {
        exec(queued, &a.value, &b.value, slack)
    } else {
        between(command, &a.value, &b.value, slack)
    };
    if kind.is_none() && a.value == b.value {
        return Some("same value, other bytes".to_owned());
    }
    kind
}

fn exec(queued: &[Command], a: &Value, b: &Value, slack: i64) -> Option<String> {
    match (a.items(), b.items()) {
        (Some(one), Some(two)) if one.len() == two.len() && one.len() == queued.len() => {
            let all = queued.iter().zip(one.iter().zip(two));
            all.into_iter().find_map(|(command, (a, b))| {
                let kind = between(command, a, b, slack)?;
                Some(format!("{} inside: {kind}", command.title()))
            })
        }
        _ if a == b => None,
        _ => Some(contrast(a, b)),
    }
}

fn between(command: &Command, a: &Value, b: &Value, slack: i64) -> Option<String> {
    if a == b {
        return None;
    }
    if a.error().is_some() || b.error().is_some() {
        return Some(contrast(a, b));
    }
    let same = match rule_of(command) {
        Rule::Exact => false,
        Rule::Bag => bag(a) == bag(b),
        Rule::Pairs => pairs(a) == pairs(b),
        Rule::Deep => deep(a) == deep(b),
        Rule::Millis => near(a, b, slack),
        Rule::Seconds => near(a, b, 1 + slack / 1000),
        Rule::Integer => a.integer().is_some() && b.integer().is_some(),
        Rule::Shape => same_shape(a, b),
        Rule::Hello => anonymous(a) == anonymous(b),
        Rule::Clients => clients(a) == clients(b),
        Rule::Clocks => clocks::alike(a, b, slack),
        Rule::Sort => sort(command, a, b),
    };
    if same { None } else { Some(contrast(a, b)) }
}

/// The elements sorted, with the type byte they came under.
fn bag(value: &Value) -> Option<(u8, Vec<Value>)> {
    let Value::Many { kind, items } = value else { return None };
    let mut items = items.clone();
    items.sort_unstable();
    Some((*kind, items))
}

fn pairs(value: &Value) -> Option<(u8, Vec<Vec<Value>>)> {
    let Value::Many { kind, items } = value else { return None };
    let mut all: Vec<Vec<Value>> = items.chunks(2).map(<[Value]>::to_vec).collect();
    all.sort_unstable();
    Some((*kind, all))
}

fn deep(value: &Value) -> Value {
    match value {
        Value::Many { kind, items } => {
            let mut items: Vec<Value> = items.iter().map(deep).collect();
            items.sort_unstable();
            Value::Many { kind: *kind, items }
        }
        other => other.clone(),
    }
}

/// Expiries: -1 and -2 are answers, not times.
#[must_use]
pub fn near(a: &Value, b: &Value, slack: i64) -> bool {
    match (a.integer(), b.integer()) {
        (Some(a), Some(b)) => a >= 0 && b >= 0 && a.abs_diff(b) <= slack.unsigned_abs(),
        _ => false,
    }
}

/// Whether two values differ in their leaves' contents at most.
#[must_use]
pub fn same_shape(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Many { kind: x, items: one }, Value::Many { kind: y, items: two }) => {
            x == y && one.len() == two.len() && one.iter().zip(two).all(|(a, b)| same_shape(a, b))
        }
        (Value::Line { kind: x, .. }, Value::Line { kind: y, .. })
        | (Value::Bulk { kind: x, .. }, Value::Bulk { kind: y, .. })
        | (Value::Nil { kind: x }, Value::Nil { kind: y }) => x == y,
        _ => false,
    }
}

/// What HELLO tells without the number of the connection, and without the modules: redis-server has
/// none, and what may be there is tested by itself.
fn anonymous(value: &Value) -> Value {
    let mut copy = value.clone();
    if let Value::Many { items, .. } = &mut copy {
        for pair in items.chunks_mut(2) {
            if let [name, number] = pair
                && name.bytes() == Some(b"id")
                && number.integer().is_some()
            {
                *number = Value::Line { kind: b':', text: b"0".to_vec() };
            } else if let [name, Value::Many { items, .. }] = pair
                && name.bytes() == Some(b"modules")
            {
                items.clear();
            }
        }
    }
    copy
}

/// Per client: the names of all fields, in order, and the values that do not depend on the process.
fn clients(value: &Value) -> Option<Vec<Vec<(String, String)>>> {
    const TELLING: [&str; 9] =
        ["name", "db", "sub", "psub", "ssub", "multi", "cmd", "user", "resp"];
    let text = String::from_utf8_lossy(value.bytes()?).into_owned();
    let line = |line: &str| {
        let fields = line.split(' ').map(|field| {
            let (name, value) = field.split_once('=').unwrap_or((field, ""));
            let value = if TELLING.contains(&name) { value } else { "" };
            (name.to_owned(), value.to_owned())
        });
        fields.collect::<Vec<_>>()
    };
    let mut all: Vec<_> = text.lines().map(line).collect();
    all.sort_unstable();
    Some(all)
}

/// SORT leaves the order open where BY names no pattern (a set is then not sorted at all), among
/// equals under BY … ALPHA, and among strings equal up to a NUL (`strcoll`). With LIMIT a part of
/// an open order can be any part, so only the number of elements is left to compare.
fn sort(command: &Command, a: &Value, b: &Value) -> bool {
    let by = command.args().iter().position(|arg| arg.eq_ignore_ascii_case(b"BY"));
    let unsorted = by
        .and_then(|at| command.args().get(at + 1))
        .is_some_and(|pattern| !pattern.contains(&b'*'));
    let ties = by.is_some() && command.has("ALPHA");
    let nul = |value: &Value| value.leaves().iter().any(|leaf| leaf.contains(&0));
    if !(unsorted || ties || command.has("ALPHA") && nul(a)) {
        return false;
    }
    if command.has("LIMIT") || command.has("GET") {
        return a.items().map(<[Value]>::len) == b.items().map(<[Value]>::len);
    }
    bag(a) == bag(b)
}

/// Two replies in words: what kind each is, and for errors their text with the particulars left
/// out.
fn contrast(a: &Value, b: &Value) -> String {
    match (a, b) {
        (Value::Many { kind: x, items: one }, Value::Many { kind: y, items: two }) if x == y => {
            if one.len() == two.len() {
                return "other elements".to_owned();
            }
            "other number of elements".to_owned()
        }
        _ => {
            let (a, b) = (class(a), class(b));
            if a == b { format!("other {a}") } else { format!("{a} / {b}") }
        }
    }
}

fn class(value: &Value) -> String {
    if let Some(text) = value.error() {
        return format!("error {}", general(text));
    }
    match value {
        Value::Line { kind: b'+', text } => format!("+{}", escaped(text)),
        Value::Line { kind: b':', .. } => "integer".to_owned(),
        Value::Line { kind: b',', .. } => "double".to_owned(),
        Value::Line { kind: b'#', .. } => "boolean".to_owned(),
        Value::Line { kind: b'_', .. } => "nil (_)".to_owned(),
        Value::Line { .. } => "big number".to_owned(),
        Value::Bulk { kind: b'$', .. } => "string".to_owned(),
        Value::Bulk { .. } => "verbatim".to_owned(),
        Value::Nil { kind: b'$' } => "nil ($-1)".to_owned(),
        Value::Nil { .. } => "nil (*-1)".to_owned(),
        Value::Many { kind: b'*', .. } => "array".to_owned(),
        Value::Many { kind: b'~', .. } => "set".to_owned(),
        Value::Many { kind: b'%', .. } => "map".to_owned(),
        Value::Many { .. } => "push".to_owned(),
    }
}

/// An error's text with what it quotes replaced, so that one mistake is one group.
#[must_use]
pub fn general(text: &[u8]) -> String {
    let text = escaped(text);
    let cut = text.find("with args beginning with").unwrap_or(text.len());
    let mut out = String::new();
    let mut quoted = false;
    for part in text[..cut].replace("\\'", "'").split('\'') {
        out.push_str(if quoted { "'…'" } else { part });
        quoted = !quoted;
    }
    let short: String = out.chars().take(90).collect();
    format!("\"{}\"", short.trim_end())
}

/// Both replies for the report: where order does not count, what only one of them holds.
#[must_use]
pub fn shown(command: &Command, replies: [&Reply; 2]) -> [String; 2] {
    let [a, b] = replies;
    let width = match rule_of(command) {
        Rule::Bag => 1,
        Rule::Pairs => 2,
        Rule::Deep => {
            let (a, b) = narrowed(deep(&a.value), deep(&b.value));
            return [surplus(&a, &b, 1), surplus(&b, &a, 1)];
        }
        _ => return cut([&a.raw, &b.raw]),
    };
    let same_type = |a: &Value, b: &Value| match (a, b) {
        (Value::Many { kind: x, .. }, Value::Many { kind: y, .. }) => x == y,
        _ => false,
    };
    if same_type(&a.value, &b.value) {
        [surplus(&a.value, &b.value, width), surplus(&b.value, &a.value, width)]
    } else {
        cut([&a.raw, &b.raw])
    }
}

/// The innermost place that holds the whole difference.
fn narrowed(a: Value, b: Value) -> (Value, Value) {
    let (Value::Many { items: one, .. }, Value::Many { items: two, .. }) = (&a, &b) else {
        return (a, b);
    };
    let mut apart: Vec<&Value> = one.iter().filter(|value| !two.contains(value)).collect();
    let mut there: Vec<&Value> = two.iter().filter(|value| !one.contains(value)).collect();
    match (apart.pop(), there.pop()) {
        (Some(x), Some(y))
            if apart.is_empty()
                && there.is_empty()
                && x.items().is_some()
                && y.items().is_some() =>
        {
            narrowed(x.clone(), y.clone())
        }
        _ => (a, b),
    }
}

/// How many elements (of `width` values) a reply has and which the other lacks.
#[must_use]
pub fn surplus(these: &Value, those: &Value, width: usize) -> String {
    let elements = |value: &Value| -> Vec<Vec<Value>> {
        value
            .items()
            .unwrap_or_default()
            .chunks(width)
            .map(|e| e.iter().map(deep).collect())
            .collect()
    };
    let mut left = elements(those);
    let mine = elements(these);
    let count = mine.len();
    let mut out = Vec::new();
    for element in mine {
        match left.iter().position(|other| *other == element) {
            Some(at) => {
                left.swap_remove(at);
            }
            None => element.iter().for_each(|value| value.encode(&mut out)),
        }
    }
    format!("{count} elements, only here: {}", cut([&out, b""])[0])
}

/// Counts how often each leaf occurs; membership tests use it.
#[must_use]
pub fn counts_of(leaves: &[Vec<u8>]) -> BTreeMap<&[u8], usize> {
    let mut counts = BTreeMap::new();
    for leaf in leaves {
        *counts.entry(leaf.as_slice()).or_default() += 1;
    }
    counts
}

#[cfg(test)]
#[path = "rules_tests.rs"]
mod tests;
