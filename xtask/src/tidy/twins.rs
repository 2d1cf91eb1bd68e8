//! Crates that are built a second time, for schedulers of tests: with the dependencies of the crate
//! whose files they are.
//!
//! Their manifests are written by hand, as nothing derives one from another. What one lacks is
//! found by the compiler; another version, or other features, only make the models run other code
//! than the program.

use std::collections::BTreeMap;
use std::path::Path;

use super::Finding;

const RULE: &str = "twin";
/// How a twin names the twin of a dependency.
const INTERLEAVED: &str = "-interleaved\"";

/// Compares the manifests that build the files of another crate with those of that crate.
pub fn check(root: &Path, paths: &[String]) -> Vec<Finding> {
    let manifests = paths.iter().filter(|path| path.ends_with("Cargo.toml"));
    let read = |path: &str| std::fs::read_to_string(root.join(path)).unwrap_or_default();
    let twins = manifests.filter_map(|path| {
        let text = read(path);
        let folder = path.strip_suffix("/Cargo.toml")?;
        let other = format!("{}/Cargo.toml", built_again(&text, folder)?);
        Some(differences(path, &text, &other, &read(&other)))
    });
    twins.flatten().collect()
}

/// The folder of the crate whose files a manifest in `folder` builds, if they are those of another.
fn built_again(manifest: &str, folder: &str) -> Option<String> {
    let path = manifest.lines().find_map(|line| line.strip_prefix("path = \"../"))?;
    let path = path.strip_suffix("/src/lib.rs\"")?;
    let mut parts: Vec<&str> = folder.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The dependencies of a manifest: where each stands, and what is said of it.
fn dependencies(manifest: &str) -> BTreeMap<&str, (usize, &str)> {
    let lines = manifest.lines().enumerate().skip_while(|(_, line)| *line != "[dependencies]");
    let lines = lines.skip(1).take_while(|(_, line)| !line.starts_with('['));
    let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|(at, line)| {
            let end = line.find(['.', ' ', '=']).unwrap_or(line.len());
            (&line[..end], (at + 1, &line[end..]))
        })
        .collect()
}

fn differences(path: &str, text: &str, other: &str, original: &str) -> Vec<Finding> {
    let (mine, theirs) = (dependencies(text), dependencies(original));
    let finding = |line: usize, what: String| Finding {
        path: path.to_owned(),
        line,
        rule: RULE,
        size: 1,
        text: what,
    };
    let mut findings = Vec::new();
    for (name, (_, said)) in &theirs {
        match mine.get(name) {
            None => findings.push(finding(1, format!("lacks '{name}', which {other} has"))),
            Some((_, own)) if own == said || own.contains(INTERLEAVED) => {}
            Some((line, _)) => {
                findings.push(finding(*line, format!("'{name}' is another than in {other}")));
            }
        }
    }
    for (name, (line, _)) in mine.iter().filter(|(name, _)| !theirs.contains_key(*name)) {
        findings.push(finding(*line, format!("has '{name}', which {other} has not")));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORIGINAL: &str = "[package]\nname = \"kvist-a\"\n\n[dependencies]\n\
                            base.workspace = true\n# Why.\nsync.workspace = true\nx = \"1.5\"\n\n\
                            [dev-dependencies]\ny = \"1\"\n";

    fn found(dependencies: &str) -> Vec<String> {
        let twin =
            format!("[lib]\npath = \"../../a/src/lib.rs\"\n\n[dependencies]\n{dependencies}");
        let found = differences("twin", &twin, "a", ORIGINAL);
        found.into_iter().map(|finding| format!("{}: {}", finding.line, finding.text)).collect()
    }

    #[test]
    fn a_twin_has_the_same_dependencies_or_their_twins() {
        let sync = "sync = { path = \"../sync\", package = \"kvist-sync-interleaved\" }\n";
        assert_eq!(found(&format!("base.workspace = true\nx = \"1.5\"\n{sync}")), [""; 0]);
        assert_eq!(
            found("base.workspace = true\nsync.workspace = true\nx = \"1.4\"\ny = \"1\"\n"),
            ["7: 'x' is another than in a", "8: has 'y', which a has not"]
        );
        assert_eq!(found(&format!("{sync}x = \"1.5\"")), ["1: lacks 'base', which a has"]);
    }

    #[test]
    fn files_of_the_same_build_are_recognised() {
        let twin = "[lib]\npath = \"../../store/src/lib.rs\"\n";
        let folder = built_again(twin, "crates/interleave/store");
        assert_eq!(folder.as_deref(), Some("crates/store"));
        assert_eq!(built_again("[lib]\nname = \"a\"\n", "crates/a"), None);
    }
}
