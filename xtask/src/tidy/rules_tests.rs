//! Each rule fires on what it is for, and on nothing near it.

use super::check;

fn rules(path: &str, text: &str) -> Vec<(&'static str, usize)> {
    check(path, text).into_iter().map(|finding| (finding.rule, finding.line)).collect()
}

const ROOT: &str = "//! A crate.\n#![forbid(unsafe_code)]\n";

#[test]
fn a_clean_file_has_no_findings() {
    assert_eq!(rules("crates/a/src/lib.rs", ROOT), []);
    assert_eq!(rules("crates/a/src/b.rs", "//! A file.\n\nfn f() {}\n"), []);
}

#[test]
fn header_must_say_something() {
    assert_eq!(rules("a.rs", "fn f() {}\n"), [("header", 1)]);
    assert_eq!(rules("a.rs", "//!\n//! late\n"), [("header", 1)]);
    assert_eq!(rules("a.rs", ""), [("header", 1)]);
    assert_eq!(rules("a.py", "print()\n"), []);
}

#[test]
fn columns_are_characters() {
    assert_eq!(rules("a.rs", &format!("//! a\n// {}\n", "é".repeat(97))), []);
    assert_eq!(rules("a.rs", &format!("//! a\n// {}\n", "é".repeat(98))), [("columns", 2)]);
}

#[test]
fn names_must_say_what_is_inside() {
    assert_eq!(rules("crates/helpers/src/x.rs", "//! x\n"), [("name", 1)]);
    assert_eq!(rules("tests/utils.py", ""), [("name", 1)]);
    assert_eq!(rules("docs/commonplace.md", ""), []);
}

#[test]
fn unsafe_has_one_home() {
    let text = "//! x\n// unsafe\nfn f() { unsafe { g() } }\n";
    assert_eq!(rules("crates/a/src/b.rs", text), [("unsafe", 3)]);
    assert_eq!(rules("crates/table/src/b.rs", text), []);
    assert_eq!(rules("crates/a/src/lib.rs", "//! x\n"), [("forbid-unsafe", 1)]);
}

#[test]
fn local_paths_are_found_in_any_text() {
    let text = format!("a\nsee {}x\n", concat!("/wo", "rk/"));
    assert_eq!(rules("README.md", &text), [("local-path", 2)]);
    assert_eq!(rules("Cargo.lock", &text), []);
}

#[test]
fn lengths_count_code_only() {
    let body = "    a();\n    // why\n\n".repeat(69);
    assert_eq!(
        rules("a.rs", &format!("//! x\nfn f() {{\n{}}}\n", &body)),
        [("function-length", 2)]
    );
    let body = "    a();\n    // why\n\n".repeat(68);
    assert_eq!(rules("a.rs", &format!("//! x\nfn f() {{\n{body}}}\n")), []);
    let long = format!("//! x\n{}", "const A: u8 = 1;\n".repeat(501));
    assert_eq!(rules("a.rs", &long), [("file-length", 1)]);
    assert_eq!(rules("a_tests.rs", &long), []);
    assert_eq!(rules("crates/a/tests/a.rs", &long), []);
}

#[test]
fn a_skip_must_be_seen() {
    let text = "//! x\nfn f() {\n    eprintln!(\"SKIPPED: no redis-server\");\n}\n";
    assert_eq!(rules("crates/a/tests/b.rs", text), [("silent-skip", 3)]);
    assert_eq!(rules("crates/a/src/b.rs", text), []);
    let text = "//! x\nfn f() {\n    println!(\"{skipped}\");\n}\n";
    assert_eq!(rules("crates/a/tests/b.rs", text), []);
}

#[test]
fn private_words_are_found_in_names_and_comments() {
    let rules_of = |text: &str| rules("crates/a/src/b.rs", &format!("//! x\n{text}\n"));
    assert_eq!(rules_of("fn take_seat() {}"), [("word", 2)]);
    assert_eq!(rules_of("struct OpenLane;"), [("word", 2)]);
    assert_eq!(rules_of("fn f() {} // the Keeper does it"), [("word", 2)]);
    assert_eq!(rules_of("fn f() -> &'static str { \"news\" }"), []);
    assert_eq!(rules_of("// planes, parties and surveyors"), []);
    assert_eq!(rules("crates/table/src/b.rs", "//! 16 lanes\n"), []);
}

#[test]
fn private_words_are_found_in_the_prose_of_documents() {
    let rules_of = |text: &str| rules("docs/b.md", text);
    assert_eq!(rules_of("# Lanes\n\nA client's *seat*.\n"), [("word", 1), ("word", 3)]);
    assert_eq!(rules_of("The channel `news`, \"news\" and third-party code.\n"), []);
    assert_eq!(rules_of("```sh\nSUBSCRIBE news\n```\nnews\n"), [("word", 4)]);
}

#[test]
fn comments_name_what_acts() {
    let rules_of = |text: &str| rules("crates/a/src/b.rs", &format!("//! x\n{text}\n"));
    assert_eq!(rules_of("/// For whoever reads it.\nfn f() {}"), [("word", 2)]);
    assert_eq!(rules_of("fn f() {} // Somebody else has it."), [("word", 2)]);
    assert_eq!(rules_of("fn f() -> &'static str { \"somebody\" }"), []);
}
