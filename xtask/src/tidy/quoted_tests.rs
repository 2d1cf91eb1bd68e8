//! Guides against a made-up file.

use super::check;

fn found(guide: &str) -> Vec<String> {
    let file = |path: &str| {
        let text = "#[test]\nfn lists_are_whole() {}\nfn take<T>(what: T) {}\n".to_owned();
        (path == "crates/a/tests/lists.rs").then_some(text)
    };
    let found = check("docs/guide.md", guide, file);
    found.into_iter().map(|found| format!("{}: {}", found.line, found.text)).collect()
}

#[test]
fn functions_that_are_there_may_be_named() {
    assert!(found("See `a/tests/lists.rs: lists_are_whole`, or `a/tests/lists.rs`.").is_empty());
    assert!(found("`a/tests/lists.rs:\n  lists_are_whole, take`").is_empty());
    assert!(found("A file.rs: nothing.").is_empty());
}

#[test]
fn functions_and_files_that_are_gone_are_found() {
    let text = "a/tests/lists.rs has no function `lists_are`: write its whole name";
    assert_eq!(found("One\n`two`\n`a/tests/lists.rs: lists_are`"), [format!("3: {text}")]);
    let text = "there is no file a/keys.rs, neither here nor under `crates`";
    assert_eq!(found("`a/keys.rs: get`"), [format!("1: {text}")]);
}
