//! Files of tests against made-up crates.

use super::check;

fn unreached(all: &str, files: &[&str]) -> Vec<String> {
    let manifest = "[package]\nname = \"a\"\nautotests = false\n\n[[test]]\nname = \"all\"\n";
    let mut texts = vec![
        ("crates/a/Cargo.toml".to_owned(), manifest.to_owned()),
        ("crates/a/tests/all.rs".to_owned(), all.to_owned()),
        ("crates/b/Cargo.toml".to_owned(), "[package]\nname = \"b\"\n".to_owned()),
    ];
    texts.extend(files.iter().map(|path| ((*path).to_owned(), String::new())));
    check(&texts).into_iter().map(|found| found.path).collect()
}

#[test]
fn a_file_that_nothing_names_is_found() {
    let found = unreached("mod keys;\n", &["crates/a/tests/keys.rs", "crates/a/tests/lists.rs"]);
    assert_eq!(found, ["crates/a/tests/lists.rs"]);
}

#[test]
fn folders_are_named_too() {
    let files = ["crates/a/tests/server/mod.rs", "crates/a/tests/client/mod.rs"];
    assert_eq!(unreached("pub mod server;\n", &files), ["crates/a/tests/client/mod.rs"]);
    let files = ["crates/a/tests/keys/samples.rs"];
    assert_eq!(unreached("mod keys;\n", &files), files);
}

#[test]
fn programs_that_cargo_finds_need_no_name() {
    assert!(unreached("", &["crates/b/tests/alone.rs"]).is_empty());
}
