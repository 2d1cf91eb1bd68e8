//! The page of dependencies against made-up manifests.

use super::check;

fn says(page: &str) -> Vec<String> {
    let files = [
        ("Cargo.toml", "[workspace.dependencies]\nbase = { path = \"crates/base\" }\n"),
        (
            "crates/store/Cargo.toml",
            "[dependencies]\nbase.workspace = true\nitoa = \"1\"\n\n\
             [dev-dependencies]\nproptest = \"1\"\n",
        ),
        (
            "crates/lua/Cargo.toml",
            "[lints]\nworkspace = true\n\n[build-dependencies]\ncc = \"1\"\n",
        ),
        ("python/Cargo.toml", "[dependencies]\nitoa.workspace = true\n"),
        ("docs/dependencies.md", page),
    ];
    let files = files.map(|(path, text)| (path.to_owned(), text.to_owned()));
    check(&files).into_iter().map(|found| format!("{} {}", found.line, found.text)).collect()
}

#[test]
fn a_true_page_is_left_alone() {
    let rows = "| crate | used by | why |\n| --- | --- | --- |\n| `itoa` | store, python | x |\n\
                | `cc` | lua | x |\n| `proptest` | tests | x |\n| `ring` | rustls | x |\n";
    assert!(says(rows).is_empty(), "{:?}", says(rows));
}

#[test]
fn a_stale_row_and_a_missing_one_are_found() {
    let said = says("| `itoa` | store, wire | x |\n| `cc` | lua | x |\n");
    assert_eq!(said.len(), 2, "{said:?}");
    assert_eq!(said[0], "1 used by: python, store; write that");
    assert!(said[1].starts_with("1 `proptest` (used by store) has no row"));
}
