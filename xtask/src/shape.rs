//! `cargo xtask shape`: the structure of the crates in figures: circles of imports among a crate's
//! modules, structs with many fields, and in how many files one type's methods stand.
//!
//! A module here is one of a crate's first level, with all below it. It imports another where its
//! code, tests left out, names something of the other by a path from the crate's root; what the
//! root hands on counts as its module's. The modules of a folder are looked at in the same way, so
//! that no folder hides a circle. Modules that import one another, directly or by way of
//! others, are a circle: none of them can be read, tested or taken out alone.

mod circles;
mod imports;

use std::collections::BTreeMap;
use std::path::Path;

use crate::source::{Source, is_name};

/// More than so many fields are several things in one struct.
const FIELDS: usize = 15;
/// More than so many modules in a circle are none.
const CIRCLE: usize = 5;
/// The types whose methods are looked for, and in how many files they may stand.
const SPREAD: [(&str, usize); 1] = [("Txn", 6)];

/// A crate's files: path below `src`, and what is in it.
type Files = BTreeMap<String, Source>;

/// Prints the figures.
///
/// # Errors
/// The repository cannot be read, or there are words.
pub fn run(root: &Path, words: &[String]) -> Result<(), String> {
    if let Some(word) = words.first() {
        return Err(format!("xtask shape: takes no words, got '{word}'"));
    }
    let mut crates: BTreeMap<String, Files> = BTreeMap::new();
    for path in crate::tidy::files_of(root)? {
        let Some((name, below)) = source_of_a_crate(&path) else { continue };
        let Ok(text) = std::fs::read_to_string(root.join(&path)) else { continue };
        crates.entry(name.to_owned()).or_default().insert(below.to_owned(), Source::new(&text));
    }
    print!("{}", report(&crates));
    Ok(())
}

/// The crate's name and the path below its `src`, of code that is not a test.
fn source_of_a_crate(path: &str) -> Option<(&str, &str)> {
    let (name, below) = path.strip_prefix("crates/")?.split_once("/src/")?;
    (below.ends_with(".rs") && !below.ends_with("_tests.rs")).then_some((name, below))
}

fn report(crates: &BTreeMap<String, Files>) -> String {
    let mut text = format!("circles of imports (at most {CIRCLE} modules)\n");
    for (name, files) in crates {
        for circle in circles::of(&imports::of(files)) {
            text.push_str(&format!("  {name}: {} of {}\n", circle.len(), modules(files)));
            text.push_str(&format!("    {}\n", circle.join(" ")));
        }
    }
    text.push_str(&format!("circles of more than {CIRCLE} within a module's folder\n"));
    for (name, files) in crates {
        for (folder, files) in imports::folders(files) {
            let circles = circles::of(&imports::of_folder(&folder, &files));
            for circle in circles.iter().filter(|circle| circle.len() > CIRCLE) {
                text.push_str(&format!(
                    "  {name}/{folder}: {} of {}\n    {}\n",
                    circle.len(),
                    modules(&files),
                    circle.join(" ")
                ));
            }
        }
    }
    text.push_str(&format!("structs of more than {FIELDS} fields\n"));
    for (name, files) in crates {
        for (path, source) in files {
            for (called, fields) in structs(source).into_iter().filter(|(_, n)| *n > FIELDS) {
                text.push_str(&format!("  {called}: {fields}, in crates/{name}/src/{path}\n"));
            }
        }
    }
    for (called, most) in SPREAD {
        text.push_str(&format!("files with methods of {called} (at most {most})\n"));
        for (name, files) in crates {
            let found = files.values().filter(|source| implements(source, called)).count();
            if found > 0 {
                text.push_str(&format!("  {name}: {found}\n"));
            }
        }
    }
    text
}

/// How many modules of the first level there are.
fn modules(files: &Files) -> usize {
    let mut names: Vec<&str> = files.keys().filter_map(|path| imports::module(path)).collect();
    names.dedup();
    names.len()
}

/// The structs with named fields, and how many they have.
fn structs(source: &Source) -> Vec<(String, usize)> {
    let code = imports::code(source);
    let mut found = Vec::new();
    for (at, _) in code.match_indices("struct ") {
        if code[..at].ends_with(is_name) {
            continue;
        }
        let rest = &code[at + "struct ".len()..];
        let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        let Some(begin) = rest.find(['{', ';', '(']).filter(|&n| rest[n..].starts_with('{')) else {
            continue;
        };
        found.push((rest[..end].to_owned(), fields(&rest[begin + 1..])));
    }
    found
}

/// The fields behind a struct's opening brace.
fn fields(body: &str) -> usize {
    let (mut depth, mut count, mut before) = (0_usize, 0, ' ');
    for (at, c) in body.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            '}' if depth == 0 => break,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ':' if depth == 0 && before != ':' && !body[at + 1..].starts_with(':') => count += 1,
            _ => {}
        }
        before = c;
    }
    count
}

/// Whether a file has methods of a type, its own or a trait's.
fn implements(source: &Source, called: &str) -> bool {
    let code = imports::code(source);
    code.lines().filter(|line| line.starts_with("impl")).any(|line| {
        let of = line.rsplit(" for ").next().unwrap_or(line);
        of.split(|c| !is_name(c)).any(|word| word == called)
            && (line.contains(" for ") || !of.contains(&format!("<{called}>")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(those: &[(&str, &str)]) -> Files {
        those.iter().map(|(path, text)| ((*path).to_owned(), Source::new(text))).collect()
    }

    #[test]
    fn a_circle_is_told_with_its_members() {
        let there = files(&[
            ("lib.rs", "mod a;\nmod b;\nmod c;\npub use b::{Thing, Other};\n"),
            ("a.rs", "use crate::{Thing, c::x};\n"),
            ("b.rs", "use super::a;\nfn f() { crate::b::own() }\n"),
            (
                "c/mod.rs",
                "// crate::a\nuse self::deep::y;\n#[cfg(test)]\nmod t { use crate::a; }\n",
            ),
            ("c/deep.rs", "use super::x;\n"),
        ]);
        let crates = BTreeMap::from([("one".to_owned(), there)]);
        let text = report(&crates);
        assert!(text.contains("  one: 2 of 3\n    a b\n"), "{text}");
    }

    #[test]
    fn paths_lead_up_and_out() {
        let there = files(&[
            ("lib.rs", "mod a;\nmod b;\n"),
            ("a/mod.rs", "mod deep;\n"),
            ("a/deep.rs", "use super::super::b::z;\n"),
            ("b.rs", "pub fn z() { crate::a::w() }\n"),
        ]);
        assert_eq!(circles::of(&imports::of(&there)), [["a", "b"]]);
    }

    #[test]
    fn a_folder_hides_no_circle() {
        let there = files(&[
            ("lib.rs", "mod a;\n"),
            ("a/mod.rs", "mod b;\nmod c;\nuse self::b::z;\n"),
            ("a/b.rs", "use super::c::w;\n"),
            ("a/c.rs", "use crate::a::b::z;\n"),
        ]);
        let folders = imports::folders(&there);
        assert_eq!(circles::of(&imports::of_folder("a", &folders["a"])), [["b", "c"]]);
        assert_eq!(circles::of(&imports::of(&there)).len(), 0);
    }

    #[test]
    fn fields_are_counted() {
        let source = Source::new(
            "pub struct A<T: Copy> where T: Send {\n\
             pub(crate) x: std::u8, y: fn(a: u8), z: [u8; 3] }\nstruct B(u8);\nstruct C;\n",
        );
        assert_eq!(structs(&source), [("A".to_owned(), 3)]);
        // One that only tests have hides none of the others.
        let source = Source::new(
            "struct A {\n x: u8,\n #[cfg(test)]\n pub(crate) t: fn(u8, B<u8, u8>) -> u8,\n \
             y: u8,\n z: u8,\n}\nfn f() {}\n",
        );
        assert_eq!(structs(&source), [("A".to_owned(), 3)]);
    }

    #[test]
    fn methods_are_found_of_any_kind() {
        let has = |text: &str| implements(&Source::new(text), "Txn");
        assert!(has("impl Txn {}") && has("impl<T> Host for Txn {}") && has("impl crate::Txn {}"));
        assert!(
            !has("impl Txns {}") && !has("impl Host<Txn> for Other {}") && !has("// impl Txn {}")
        );
    }
}
