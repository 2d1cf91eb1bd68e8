//! Is the page of dependencies true?
//!
//! Each row of its table names libraries and the crates that use them: those whose `Cargo.toml` has
//! one of them among its dependencies, or what it is built with. What only tests use is named by
//! hand, but has to have a row.

use std::collections::{BTreeMap, BTreeSet};

use super::Finding;

/// The page.
const PAGE: &str = "docs/dependencies.md";

/// By the name of a library: the crates that use it, and whether it is more than tests that do.
type Uses = BTreeMap<String, BTreeMap<String, bool>>;

/// Whether a file is the page, or one that it is about.
pub fn is_about(path: &str) -> bool {
    path == PAGE || path.ends_with("Cargo.toml")
}

/// What the page says wrongly; `files` are paths and texts of all that is about it.
pub fn check(files: &[(String, String)]) -> Vec<Finding> {
    let Some((_, page)) = files.iter().find(|(path, _)| path == PAGE) else { return Vec::new() };
    let uses = uses(files);
    let (mut found, mut named) = (Vec::new(), BTreeSet::new());
    for (at, line) in page.lines().enumerate() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, libraries, users, ..] = cells.as_slice() else { continue };
        let libraries: Vec<&str> = libraries.split('`').skip(1).step_by(2).collect();
        let users: BTreeSet<&str> = users.split(", ").collect();
        let wanted: BTreeSet<&str> = libraries
            .iter()
            .filter_map(|library| uses.get(*library))
            .flat_map(|by| by.iter().filter(|(_, runs)| **runs).map(|(name, _)| name.as_str()))
            .collect();
        named.extend(libraries);
        // Without the word about tests, which stands beside the crates or alone.
        let said: BTreeSet<&str> =
            users.into_iter().filter(|word| !word.starts_with("tests")).collect();
        if !wanted.is_empty() && wanted != said {
            let list = Vec::from_iter(wanted).join(", ");
            found.push(finding(at + 1, format!("used by: {list}; write that")));
        }
    }
    for (library, by) in uses.iter().filter(|(library, _)| !named.contains(library.as_str())) {
        let list = by.keys().cloned().collect::<Vec<_>>().join(", ");
        found.push(finding(
            1,
            format!("`{library}` (used by {list}) has no row; say why it is there"),
        ));
    }
    found
}

fn finding(line: usize, text: String) -> Finding {
    Finding { path: PAGE.to_owned(), line, rule: "dependencies", size: 1, text }
}

/// Which crates use which dependencies that are not ours.
fn uses(files: &[(String, String)]) -> Uses {
    let mut ours = BTreeSet::new();
    let manifests = || files.iter().filter(|(path, _)| path.ends_with("Cargo.toml"));
    let root = manifests().find(|(path, _)| path == "Cargo.toml").map_or("", |(_, text)| text);
    for line in root.lines().filter(|line| line.contains("path = ")) {
        ours.extend(line.split_whitespace().next());
    }
    let mut uses = Uses::new();
    for (path, text) in manifests().filter(|(path, _)| path != "Cargo.toml") {
        let folder = path.trim_end_matches("/Cargo.toml");
        let user = folder.strip_prefix("crates/").unwrap_or(folder);
        let mut section = "";
        for line in text.lines() {
            if line.starts_with('[') {
                section = line.trim_matches(['[', ']']);
                continue;
            }
            let name = line.split(['.', ' ', '=']).next().unwrap_or_default();
            let known = name.is_empty() || name.starts_with('#') || ours.contains(name);
            if !section.ends_with("dependencies") || known || line.contains("path = ") {
                continue;
            }
            let runs = section != "dev-dependencies" && !user.starts_with("interleave");
            let by = uses.entry(name.to_owned()).or_default();
            *by.entry(user.to_owned()).or_default() |= runs;
        }
    }
    uses
}

#[cfg(test)]
#[path = "dependencies_tests.rs"]
mod tests;
