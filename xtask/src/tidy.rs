//! `cargo xtask tidy`: the project's rules that neither rustfmt nor clippy know.
//!
//! Every finding is one line, `FILE:LINE: RULE: what is wrong and what to do`. The rules are in
//! [`rules`]; they look at text whose strings and comments were told apart from code by
//! [`crate::source`]. What several files must agree on has a file of its own ([`dependencies`],
//! [`names`], [`quoted`]); so have the words that are not used ([`words`]).
//! Exceptions stand in `tidy.allow` ([`allow`]): each with its size and its reason, and each must
//! be given up or lowered as soon as it can be, so that the list only shrinks.

mod allow;
mod dependencies;
mod names;
mod quoted;
mod rules;
mod twins;
mod unreached;
mod words;

use std::path::Path;
use std::process::Command;

/// Something a rule objects to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Relative to the top of the repository.
    pub path: String,
    /// Counted from 1.
    pub line: usize,
    /// The rule's name, as `tidy.allow` writes it.
    pub rule: &'static str,
    /// What an exception is measured by: lines for rules about length, 1 for each offence
    /// otherwise.
    pub size: usize,
    /// What is wrong, and what to do.
    pub text: String,
}

/// Checks every file git knows of or could be told of.
///
/// # Errors
/// The findings, one to a line; or why the repository cannot be read.
pub fn run(root: &Path, words: &[String]) -> Result<(), String> {
    if let Some(word) = words.first() {
        return Err(format!("xtask tidy: takes no words, got '{word}'"));
    }
    let mut findings = Vec::new();
    let (mut files, mut about_dependencies) = (0, Vec::new());
    let (mut about_names, mut about_tests) = (Vec::new(), Vec::new());
    let paths = files_of(root)?;
    findings.extend(twins::check(root, &paths));
    for path in paths {
        // A tracked file that was deleted, and files that are not text, have nothing to check.
        let Ok(text) = std::fs::read_to_string(root.join(&path)) else { continue };
        files += 1;
        findings.extend(rules::check(&path, &text));
        let read = |path: &str| std::fs::read_to_string(root.join(path)).ok();
        findings.extend(quoted::check(&path, &text, read));
        if unreached::is_about(&path) {
            about_tests.push((path.clone(), text.clone()));
        }
        if dependencies::is_about(&path) {
            about_dependencies.push((path, text));
        } else if names::is_about(&path) {
            about_names.push((path, text));
        }
    }
    findings.extend(dependencies::check(&about_dependencies));
    findings.extend(names::check(&about_names));
    findings.extend(unreached::check(&about_tests));
    let listed = std::fs::read_to_string(root.join(allow::FILE)).unwrap_or_default();
    let (mut findings, excused) = allow::apply(&listed, findings);
    if findings.is_empty() {
        println!("tidy: {files} files, no findings, {excused} exceptions");
        return Ok(());
    }
    findings.sort_by(|a, b| (&a.path, a.line, a.rule).cmp(&(&b.path, b.line, b.rule)));
    let mut text = String::new();
    for finding in &findings {
        let Finding { path, line, rule, text: what, .. } = finding;
        text.push_str(&format!("{path}:{line}: {rule}: {what}\n"));
    }
    Err(format!("{text}tidy: {files} files, {} findings", findings.len()))
}

/// The files of the repository, tracked or about to be, without what git ignores.
pub fn files_of(root: &Path) -> Result<Vec<String>, String> {
    let output = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .map_err(|error| format!("xtask tidy: git is needed to list the files: {error}"))?;
    if !output.status.success() {
        let why = String::from_utf8_lossy(&output.stderr);
        return Err(format!("xtask tidy: git ls-files failed: {}", why.trim()));
    }
    let listed = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut paths: Vec<String> =
        listed.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect();
    paths.sort();
    paths.dedup();
    Ok(paths)
}
