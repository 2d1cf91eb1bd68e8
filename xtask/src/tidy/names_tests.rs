//! The rule finds comparisons with names of commands, and nothing near them.

use super::{check, is_about};

/// The lines with findings of a file of the engine.
fn found(text: &str) -> Vec<usize> {
    let declared = |path: &str, text: &str| (path.to_owned(), text.to_owned());
    let files = [
        declared("crates/commands/src/string/get.rs", "Spec { name: \"get\", x }\n"),
        declared("crates/commands/src/string/set.rs", "Spec { name: \"set\", x }\n"),
        declared("crates/engine/src/control/client.rs", "name: \"client|id\"\nname: \"client\""),
        declared("crates/engine/src/x.rs", text),
    ];
    check(&files).into_iter().map(|finding| finding.line).collect()
}

#[test]
fn comparisons_are_found() {
    for line in [
        "if entry.name() == \"get\" {",
        "if \"get\" != name {",
        "match entry.name() {",
        "    \"get\" | \"other\" => true,",
        "    \"get\" if x => true,",
        "    (_, \"get\") => true,",
        "    (b\"get\", _) => true,",
        "matches!(entry.name(), \"other\")",
        "matches!(&name[..], b\"get\" | b\"other\")",
        "LIST.contains(&entry.name())",
        "LIST.binary_search(&request.entry.name())",
        "if spec.name.starts_with(\"x\") {",
        "name.starts_with(\"client|\")",
        "if is(0) && word.eq_ignore_ascii_case(b\"set\") {",
        "const LONG: &[&str] = &[\"get\", \"set\"];",
        "matches!(&name[..], b\"get\")",
        "    \"get\" => x, // whatever",
    ] {
        assert_eq!(found(line), [1], "{line}");
    }
}

#[test]
fn lists_are_found() {
    assert_eq!(found("const X: &[&str] = &[\n    \"get\",\n    \"set\",\n];"), [2, 3]);
    assert_eq!(found("x\n    (\"read\", &[\"get\", \"set\"]),"), [2]);
    assert_eq!(found("let x = [\"get\"];"), [1]);
}

#[test]
fn names_that_are_used_otherwise_are_not() {
    for line in [
        "let reply = caller.call(\"get\", &[key]);",
        "let words: &[&[u8]] = &[b\"get\", key];",
        "tracing::error!(command = entry.name(), \"it broke\");",
        "return Err(error::wrong_arity(entry.name()));",
        "Kind::Set => \"set\",",
        "// if entry.name() == \"get\"",
        "let place = Place { command: entry.name() };",
        "if name == \"other\" {",
        "let (caller, count) = call(caller, \"get\", &words);",
        "\"get\",\n\"other\",",
        "if option.eq_ignore_ascii_case(b\"GET\") {",
        "#[cfg(test)]\nmod tests { fn f() { assert!(name == \"get\"); } }",
    ] {
        assert_eq!(found(line), [0; 0], "{line}");
    }
}

#[test]
fn it_looks_where_commands_are_found() {
    for path in ["crates/engine/src/a.rs", "crates/http/src/b/c.rs", "crates/commands/src/d.rs"] {
        assert!(is_about(path), "{path}");
    }
    for path in ["crates/engine/tests/a.rs", "crates/http/src/b_tests.rs", "crates/bench/src/d.rs"]
    {
        assert!(!is_about(path), "{path}");
    }
}
