//! Files of tests that no program of tests is built of.
//!
//! The tests of a crate from outside are one program, `tests/all.rs`, that names their files. One
//! that it does not name is not compiled, and the tests in it are not missed.

use std::collections::BTreeSet;

use super::Finding;

const RULE: &str = "unreached";

/// Whether a file says something about which files are built.
pub fn is_about(path: &str) -> bool {
    path.ends_with("/Cargo.toml") || path.contains("/tests/") && path.ends_with(".rs")
}

/// Looks for a `mod` that names each file of tests. The files are pairs of path and text.
pub fn check(files: &[(String, String)]) -> Vec<Finding> {
    let mods: BTreeSet<(&str, &str)> =
        files.iter().flat_map(|(path, text)| named(path, text)).collect();
    let unreached = files.iter().filter(|(path, _)| path.ends_with(".rs"));
    let unreached = unreached.filter(|(path, _)| !is_root(path, files) && !is_named(path, &mods));
    unreached
        .map(|(path, _)| Finding {
            path: path.clone(),
            line: 1,
            rule: RULE,
            size: 1,
            text: "no program of tests has it: name it in `tests/all.rs`, or in its parent"
                .to_owned(),
        })
        .collect()
}

/// The modules a file names, each with the crate that names it.
fn named<'a>(path: &'a str, text: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
    let lines = text.lines().map(|line| line.trim_start().trim_start_matches("pub "));
    let names = lines.filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'));
    names.map(move |name| (crate_of(path), name))
}

/// The folder of a crate, by the path of a file in it.
fn crate_of(path: &str) -> &str {
    path.split_once("/tests/").map_or(path, |(folder, _)| folder)
}

/// Whether cargo builds a program of this file.
fn is_root(path: &str, files: &[(String, String)]) -> bool {
    let Some((folder, name)) = path.split_once("/tests/") else { return true };
    let Some(name) = name.strip_suffix(".rs").filter(|name| !name.contains('/')) else {
        return false;
    };
    let manifest = files.iter().find(|(path, _)| *path == format!("{folder}/Cargo.toml"));
    let text = manifest.map_or("", |(_, text)| text);
    !text.contains("\nautotests = false\n")
        || text.contains(&format!("[[test]]\nname = \"{name}\"\n"))
}

/// Whether a `mod` names this file; one in the folder of tests itself is named by its own crate,
/// those below it other crates may have as well.
fn is_named(path: &str, mods: &BTreeSet<(&str, &str)>) -> bool {
    let Some((folder, below)) = path.split_once("/tests/") else { return true };
    let module = below.strip_suffix("/mod.rs").or(below.strip_suffix(".rs")).unwrap_or(below);
    match module.rsplit_once('/') {
        None if !below.contains('/') => mods.contains(&(folder, module)),
        None => mods.iter().any(|(_, name)| *name == module),
        Some((_, module)) => mods.iter().any(|(_, name)| *name == module),
    }
}

#[cfg(test)]
#[path = "unreached_tests.rs"]
mod tests;
