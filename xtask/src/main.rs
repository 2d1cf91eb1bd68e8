//! The chores of the repository, as a program: `cargo xtask TASK`.
//!
//! Each task is one module with a `run` and one line in [`TASKS`]. Tasks use the standard library
//! only where they can, so that the first `cargo xtask` of a fresh clone compiles in a moment, and
//! they never change a file unless changing it is their purpose and their name says so.
#![forbid(unsafe_code)]

mod gen_docs;
mod shape;
mod source;
mod tidy;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// A chore: its words behind the name in, a text for the user out if it fails.
struct Task {
    name: &'static str,
    summary: &'static str,
    run: fn(root: &Path, words: &[String]) -> Result<(), String>,
}

/// Every task, in the order `cargo xtask` lists them.
const TASKS: &[Task] = &[
    Task {
        name: "gen",
        summary: "render the documents that come from the source; --check only compares",
        run: gen_docs::run,
    },
    Task {
        name: "shape",
        summary: "print the structure: circles of imports, large structs, spread methods",
        run: shape::run,
    },
    Task {
        name: "tidy",
        summary: "check the rules of the house that neither rustfmt nor clippy know",
        run: tidy::run,
    },
];

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let Some((name, rest)) = words.split_first() else {
        print!("{}", usage());
        return ExitCode::SUCCESS;
    };
    if matches!(name.as_str(), "help" | "-h" | "--help") {
        print!("{}", usage());
        return ExitCode::SUCCESS;
    }
    let Some(task) = TASKS.iter().find(|task| task.name == name) else {
        eprint!("xtask: no task is called '{name}'\n\n{}", usage());
        return ExitCode::from(2);
    };
    match (task.run)(&root(), rest) {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            eprintln!("{text}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> String {
    let mut text = String::from("Usage: cargo xtask TASK [WORDS]\n\nTasks:\n");
    for task in TASKS {
        text.push_str(&format!("  {:<8} {}\n", task.name, task.summary));
    }
    text
}

/// The top of the repository: the folder that holds this package's folder. Known at build time,
/// so that a task does the same from whatever folder it is called.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}
