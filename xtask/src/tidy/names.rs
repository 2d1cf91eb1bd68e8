//! No command is known by its name but where it is declared.
//!
//! What the engine and the doors must know of a command is in its `Spec`; a name that is compared
//! somewhere else is forgotten when a command like it is added, and a typo in it is found by
//! no check. The names are read from the declarations (`name: "…"` of the specs), so the rule knows
//! every command there is. Requests that are made (`call("get", …)`) are no comparisons.

use std::collections::BTreeSet;

use super::Finding;
use super::rules::is_test_file;
use crate::source::Source;

const RULE: &str = "command-name";
/// Where commands are declared.
const DECLARED: &[&str] = &["crates/commands/src/", "crates/engine/src/control/"];
/// The crates that find commands in the table: who asks there asks the spec.
const ASKING: &[&str] = &[
    "crates/engine/src/",
    "crates/grpc/src/",
    "crates/http/src/",
    "crates/kvist/src/",
    "crates/server/src/",
    "crates/store/src/",
];
/// What asks for the name of an entry or a spec, to compare it.
const NAMES: &[&str] = &["entry.name()", "command.name()", "spec.name"];
/// What compares the text before it.
const COMPARES: &[&str] = &["==", "!=", ".starts_with(", ".ends_with(", ".contains("];

/// Whether the rule looks at a file.
pub fn is_about(path: &str) -> bool {
    let starts = |homes: &[&str]| homes.iter().any(|home| path.starts_with(home));
    path.ends_with(".rs") && (starts(DECLARED) || starts(ASKING)) && !is_test_file(path)
}

/// The comparisons; `files` are paths and texts of all that the rule is about.
pub fn check(files: &[(String, String)]) -> Vec<Finding> {
    let is_declared = |path: &str| DECLARED.iter().any(|home| path.starts_with(home));
    let (declaring, asking): (Vec<_>, Vec<_>) = files.iter().partition(|f| is_declared(&f.0));
    let names: BTreeSet<&str> = declaring.iter().flat_map(|(_, text)| declared(text)).collect();
    let mut found = Vec::new();
    // The table finds commands by their names: nothing else does.
    for (path, text) in asking.into_iter().filter(|f| !f.0.ends_with("engine/src/engine/table.rs"))
    {
        let source = Source::new(text);
        let lines: Vec<(&str, &str)> =
            source.code.iter().map(String::as_str).zip(text.lines()).collect();
        let listed = |line: usize| lines.get(line).is_some_and(|line| is_list(*line, &names));
        for (at, &line) in lines.iter().enumerate().filter(|(at, _)| !source.is_test[*at]) {
            // A name alone on its line may be any word, unless it stands among others.
            let is_alone = !line.0.contains('[');
            let in_list = listed(at)
                && (!is_alone || listed(at + 1) || at.checked_sub(1).is_some_and(listed));
            let what = compared(line, &names).or(in_list.then(|| "a list of commands".into()));
            found.extend(what.map(|what| Finding {
                path: path.clone(),
                line: at + 1,
                rule: RULE,
                size: 1,
                text: format!("{what} is compared: a fact about a command belongs to its Spec"),
            }));
        }
    }
    found
}

/// The names of the specs in a file.
fn declared(text: &str) -> impl Iterator<Item = &str> {
    text.split("name: \"").skip(1).filter_map(|rest| rest.split('"').next())
}

/// What a line compares: the name of an entry, or a text that is the name of a command.
fn compared(line: (&str, &str), names: &BTreeSet<&str>) -> Option<String> {
    let asks = NAMES.iter().find(|name| asks_for(line.0, name)).map(|name| format!("`{name}`"));
    asks.or_else(|| {
        let is_name = |text: &Text<'_>| names.contains(text.inside.trim_end_matches('|'));
        let found = texts(line).into_iter().find(|text| is_name(text) && text.is_compared());
        found.map(|text| format!("the command `{}`", text.inside))
    })
}

/// Whether what a line lists is names of commands.
fn is_list(line: (&str, &str), names: &BTreeSet<&str>) -> bool {
    let texts = texts(line);
    let is_item = |text: &&Text<'_>| {
        let list = text.before.trim_end_matches(['"', ',', ' ']);
        let begins = list.is_empty() || list.ends_with('[');
        begins && (text.after.is_empty() || text.after.starts_with([',', ']']))
    };
    let mut items = texts.iter().filter(is_item).peekable();
    items.peek().is_some() && items.all(|item| !item.is_bytes && names.contains(&*item.inside))
}

/// Whether the name of an entry stands in a comparison.
fn asks_for(code: &str, name: &str) -> bool {
    code.match_indices(name).any(|(at, _)| {
        let (before, after) = (code[..at].trim_end(), code[at + name.len()..].trim_start());
        // What it is called on: `request.entry`, `&entry`.
        let before = before.trim_end_matches(|c: char| c.is_alphanumeric() || "_.&*".contains(c));
        let before = before.trim_end();
        COMPARES.iter().any(|compares| after.starts_with(compares))
            || (after.starts_with('{') && code.trim_start().contains("match "))
            || ["==", "!=", "matches!(", "contains(", "binary_search("]
                .iter()
                .any(|compares| before.ends_with(compares))
    })
}

/// A text among code: what stands before and behind it, and inside.
struct Text<'a> {
    before: &'a str,
    after: &'a str,
    inside: String,
    is_bytes: bool,
}

/// The texts of a line. In `code` each of their characters is a quotation mark.
fn texts<'a>((code, whole): (&'a str, &str)) -> Vec<Text<'a>> {
    let shown: Vec<char> = whole.chars().collect();
    let mut found = Vec::new();
    let mut rest = 0;
    while let Some(begin) = code[rest..].find('"').map(|at| rest + at) {
        let length = code[begin..].bytes().take_while(|byte| *byte == b'"').count();
        let first = code[..begin].chars().count();
        let inside: String = shown.iter().skip(first).take(length).collect();
        rest = begin + length;
        let (before, after) = (&code[..begin], &code[rest..]);
        if let Some(inside) = inside.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
            let is_bytes = before.ends_with('b');
            let before = before.strip_suffix('b').unwrap_or(before).trim_end();
            let text = Text { before, after: after.trim_start(), inside: inside.into(), is_bytes };
            found.push(text);
        }
    }
    found
}

impl Text<'_> {
    /// Whether it stands beside an operator that compares, or in a pattern.
    fn is_compared(&self) -> bool {
        let before = self.before.trim_end_matches(['&', '*', '[', '.', ']', ' ']);
        let compares = ["==", "!=", "matches!(", "starts_with(", "ends_with(", "contains("];
        let of_before = ["strip_prefix(", "eq_ignore_ascii_case(", "|"];
        compares.iter().chain(&of_before).any(|compares| before.ends_with(compares))
            || ["==", "!=", "|", "=>", "if "].iter().any(|then| self.after.starts_with(then))
            // In a pattern of several parts, or the first pattern of a `matches!`.
            || (self.after.starts_with(')') && before.contains("matches!("))
            || (self.after.starts_with([',', ')']) && self.after.contains("=>"))
    }
}

#[cfg(test)]
#[path = "names_tests.rs"]
mod tests;
