//! Which of a crate's modules name which others.

use std::collections::{BTreeMap, BTreeSet};

use super::Files;
use crate::source::{Source, is_name};

/// For each of a crate's modules the others that it names.
pub fn of(files: &Files) -> BTreeMap<String, BTreeSet<String>> {
    within(files, "crate::")
}

/// The modules that have others below them, each with those for files: what the folder's own file
/// has is the root.
pub fn folders(files: &Files) -> BTreeMap<String, Files> {
    let mut folders: BTreeMap<String, Files> = BTreeMap::new();
    for (path, source) in files {
        let Some((folder, below)) = path.split_once('/') else { continue };
        let below = if below == "mod.rs" { "lib.rs" } else { below };
        folders.entry(folder.to_owned()).or_default().insert(below.to_owned(), source.clone());
    }
    folders
}

/// The same as [`of`] for what lies in one module's folder.
pub fn of_folder(folder: &str, files: &Files) -> BTreeMap<String, BTreeSet<String>> {
    within(files, &format!("crate::{folder}::"))
}

/// `root` is how paths from the root begin.
fn within(files: &Files, root: &str) -> BTreeMap<String, BTreeSet<String>> {
    let modules: BTreeSet<&str> = files.keys().filter_map(|path| module(path)).collect();
    let handed_on = handed_on(files, &modules);
    let mut imports: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (path, source) in files {
        let Some(own) = module(path) else { continue };
        let named = imports.entry(own.to_owned()).or_default();
        for name in named_at_root(&code(source), root, depth(path)) {
            let found = modules.get(name.as_str()).copied();
            let found = found.or_else(|| handed_on.get(&name).map(String::as_str));
            named.extend(found.filter(|found| *found != own).map(str::to_owned));
        }
    }
    imports
}

/// The module of the first level that a file is part of; none for the root.
pub fn module(path: &str) -> Option<&str> {
    let first = path.split('/').next().unwrap_or(path);
    let name = first.strip_suffix(".rs").unwrap_or(first);
    (!matches!(name, "lib" | "main")).then_some(name)
}

/// A file's code, comments, strings and tests left out.
pub fn code(source: &Source) -> String {
    let lines = source.code.iter().zip(&source.is_test).filter(|(_, is_test)| !**is_test);
    lines.map(|(line, _)| line.as_str()).collect::<Vec<_>>().join("\n")
}

/// How many `super` lead from a file to the root.
fn depth(path: &str) -> usize {
    let folders = path.matches('/').count();
    if path.ends_with("/mod.rs") { folders } else { folders + 1 }
}

/// What the root hands on of its modules: name, and the module it is of.
fn handed_on(files: &Files, modules: &BTreeSet<&str>) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for root in ["lib.rs", "main.rs"] {
        let Some(source) = files.get(root) else { continue };
        for statement in code(source).split(';') {
            let Some((_, path)) = statement.split_once("use ") else { continue };
            let path = path.trim();
            let path = path.strip_prefix("self::").unwrap_or(path);
            let (first, rest) = path.split_once("::").unwrap_or((path, ""));
            if modules.contains(first) {
                for name in words(rest) {
                    found.insert(name.to_owned(), first.to_owned());
                }
            }
        }
    }
    found
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c| !is_name(c)).filter(|word| !word.is_empty())
}

/// The first names of all paths from the root: behind `root` and behind as many `super::` as
/// lead there.
fn named_at_root(code: &str, root: &str, depth: usize) -> Vec<String> {
    let up = "super::".repeat(depth);
    let mut names = Vec::new();
    for begin in [root, up.as_str()] {
        for (at, _) in code.match_indices(begin) {
            let is_end_of_other = code[..at].ends_with(|c| is_name(c) || c == ':');
            if !is_end_of_other {
                first_names(&code[at + begin.len()..], &mut names);
            }
        }
    }
    names
}

/// The name that a path goes on with, or each of those in braces.
fn first_names(path: &str, into: &mut Vec<String>) {
    let Some(group) = path.strip_prefix('{') else {
        into.extend(words(path).next().map(str::to_owned));
        return;
    };
    let (mut depth, mut begins) = (0_usize, true);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => return,
            '}' => depth -= 1,
            ',' if depth == 0 => begins = true,
            c if begins && !c.is_whitespace() => {
                begins = false;
                into.extend(words(&group[at..]).next().map(str::to_owned));
            }
            _ => {}
        }
    }
}
