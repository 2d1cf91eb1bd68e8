//! Guides that name a function of a file: `` `server/tests/grpc.rs: lists_are_whole` ``.
//!
//! A test that is renamed or goes away leaves a guide that sends its readers nowhere.

use std::path::Path;

use super::Finding;

const RULE: &str = "quoted";

/// Looks for each function that a guide names in a file under `crates`. `read` gives a file's text,
/// `None` if there is none of that path.
pub fn check(path: &str, text: &str, read: impl Fn(&str) -> Option<String>) -> Vec<Finding> {
    if Path::new(path).extension().is_none_or(|extension| extension != "md") {
        return Vec::new();
    }
    let mut findings = Vec::new();
    // Every second stretch between backticks is code.
    let (mut line, mut is_code) = (1, false);
    for stretch in text.split('`') {
        if let Some((file, names)) = stretch.split_once(".rs:").filter(|_| is_code) {
            let file = format!("{file}.rs");
            let source = read(&format!("crates/{file}")).or_else(|| read(&file));
            let missing = names.split(',').map(str::trim).find(|name| {
                let is_there = |text: &str| {
                    text.contains(&format!("fn {name}(")) || text.contains(&format!("fn {name}<"))
                };
                !source.as_deref().is_some_and(is_there)
            });
            if let Some(name) = missing {
                let text = match source {
                    Some(_) => format!("{file} has no function `{name}`: write its whole name"),
                    None => format!("there is no file {file}, neither here nor under `crates`"),
                };
                findings.push(Finding { path: path.to_owned(), line, rule: RULE, size: 1, text });
            }
        }
        line += stretch.matches('\n').count();
        is_code = !is_code;
    }
    findings
}

#[cfg(test)]
#[path = "quoted_tests.rs"]
mod tests;
