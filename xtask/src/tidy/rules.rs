//! The rules, each with the reason it is there.
//!
//! A rule looks at one file and returns what it objects to; it must point at the line to change
//! and say what to do. Whether an exception was granted is not its business (see `allow`).

use super::Finding;
use super::words;
use crate::source::Source;

/// Lines of code a file may have: more than this no longer fits in a reader's head at once.
const FILE_LINES: usize = 500;
/// Lines of code a function may have: about one screen.
const FUNCTION_LINES: usize = 70;
/// Columns a line may have; rustfmt leaves long strings and comments as they are.
const COLUMNS: usize = 100;
/// Names that say nothing about what is inside, so that everything ends up inside.
const EMPTY_NAMES: &[&str] = &["utils", "util", "common", "helpers", "helper", "misc"];
/// The crates that may contain `unsafe`: the table of entries, three calls of the allocator, the
/// interpreter of scripts with the stack it is driven by, columns as other languages' libraries
/// take them, the allocator by which tests weigh what is alive, the module that redis-server calls,
/// and the vector instructions of distances.
const UNSAFE_HOMES: &[&str] = &[
    "crates/table/",
    "crates/allocator/",
    "crates/lua/",
    "crates/script/",
    "crates/columns/",
    "crates/testkit/",
    "crates/redis-module/",
    "crates/vector/",
];
/// Folders of one machine that have no meaning in another clone. Written in two halves so that this
/// file is not a finding itself.
const LOCAL_PATHS: &[&str] = &[concat!("/wo", "rk/"), concat!("/tmp", "/wt")];
/// Files whose text is not ours.
const NOT_OURS: &[&str] = &["Cargo.lock", "package-lock.json", "go.sum", "LICENSE"];

/// All that the rules object to in a file.
pub fn check(path: &str, text: &str) -> Vec<Finding> {
    let file_name = path.rsplit('/').next().unwrap_or(path);
    if NOT_OURS.contains(&file_name) {
        return Vec::new();
    }
    let mut found = Findings { path, list: Vec::new() };
    empty_names(path, &mut found);
    local_paths(text, &mut found);
    if file_name.ends_with(".rs") {
        header(text, &mut found);
        columns(text, &mut found);
        let source = Source::new(text);
        unsafe_code(path, text, &source, &mut found);
        silent_skips(path, text, &mut found);
        for (line, text) in words::check(path, text, &source) {
            found.push(line, "word", 1, text);
        }
        if !is_test_file(path) {
            lengths(&source, &mut found);
        }
    } else if file_name.ends_with(".md") && file_name != "THIRD-PARTY.md" {
        for (line, text) in words::check_prose(path, text) {
            found.push(line, "word", 1, text);
        }
    }
    found.list
}

struct Findings<'a> {
    path: &'a str,
    list: Vec<Finding>,
}

impl Findings<'_> {
    /// Notes a finding on a line counted from 0.
    fn push(&mut self, line: usize, rule: &'static str, size: usize, text: String) {
        self.list.push(Finding { path: self.path.to_owned(), line: line + 1, rule, size, text });
    }
}

/// Files that hold nothing but tests may be as long as the cases they list.
pub fn is_test_file(path: &str) -> bool {
    path.ends_with("_tests.rs")
        || path.ends_with("/tests.rs")
        || path.split('/').any(|part| part == "tests" || part == "fuzz")
}

/// Every file begins by saying what it is, why so, and what it must never do.
fn header(text: &str, found: &mut Findings<'_>) {
    let first = text.lines().next().unwrap_or_default();
    let says = first.strip_prefix("//!").map_or("", str::trim);
    if says.is_empty() {
        let text = "a file opens with `//!`: what it is, why so, what it must never do";
        found.push(0, "header", 1, text.to_owned());
    }
}

fn columns(text: &str, found: &mut Findings<'_>) {
    for (n, line) in text.lines().enumerate() {
        let width = line.chars().count();
        if width > COLUMNS {
            let text = format!("{width} columns, at most {COLUMNS}: break the line");
            found.push(n, "columns", 1, text);
        }
    }
}

fn empty_names(path: &str, found: &mut Findings<'_>) {
    for part in path.split('/') {
        let stem = part.split('.').next().unwrap_or(part);
        if EMPTY_NAMES.contains(&stem.to_ascii_lowercase().as_str()) {
            let text = format!("'{stem}' says nothing: name it after what is in it");
            found.push(0, "name", 1, text);
        }
    }
}

fn local_paths(text: &str, found: &mut Findings<'_>) {
    for (n, line) in text.lines().enumerate() {
        for local in LOCAL_PATHS.iter().filter(|local| line.contains(**local)) {
            let text = format!("'{local}' is a folder of one machine: use a path of the project");
            found.push(n, "local-path", 1, text);
        }
    }
}

/// What a passing test prints its harness swallows, so a test that is skipped must say so past it.
fn silent_skips(path: &str, text: &str, found: &mut Findings<'_>) {
    if !path.contains("/tests/") {
        return;
    }
    for (n, line) in text.lines().enumerate() {
        let said = line.split_once("println!(\"").map_or("", |(_, said)| said);
        if said.get(..4).is_some_and(|word| word.eq_ignore_ascii_case("skip")) {
            let text = "nobody sees this line: say it with `testkit::skip`".to_owned();
            found.push(n, "silent-skip", 1, text);
        }
    }
}

/// Unsafe code lives in few crates, where Miri and a safe twin watch it; every other crate forbids
/// it at its root, so that the compiler finds it even where this scanner is fooled.
fn unsafe_code(path: &str, text: &str, source: &Source, found: &mut Findings<'_>) {
    if UNSAFE_HOMES.iter().any(|home| path.starts_with(home)) {
        return;
    }
    for line in source.lines_with_word("unsafe") {
        let homes = UNSAFE_HOMES.join(", ");
        let text = format!("unsafe code belongs to {homes}, behind a safe interface");
        found.push(line, "unsafe", 1, text);
    }
    let is_root = path.ends_with("src/lib.rs") || path.ends_with("src/main.rs");
    if is_root && !text.contains("#![forbid(unsafe_code)]") {
        let text = "a crate's root says `#![forbid(unsafe_code)]`".to_owned();
        found.push(0, "forbid-unsafe", 1, text);
    }
}

fn lengths(source: &Source, found: &mut Findings<'_>) {
    let lines = source.lines_of_code(0, source.code.len());
    if lines > FILE_LINES {
        let text = format!("{lines} lines of code, at most {FILE_LINES}: divide by subject");
        found.push(0, "file-length", lines, text);
    }
    for (name, first, last) in source.functions() {
        let lines = source.lines_of_code(first, last);
        if lines > FUNCTION_LINES {
            let text = format!("`{name}` has {lines} lines of code, at most {FUNCTION_LINES}");
            found.push(first, "function-length", lines, text);
        }
    }
}

#[cfg(test)]
#[path = "rules_tests.rs"]
mod tests;
