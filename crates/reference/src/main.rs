//! Renders the reference documents and the methods of the Python package from what the source
//! says: command specs, error texts, configuration. `--check` only tells whether the files are as
//! they would be written.
//!
//! Everything here is derived: to change a document, change the spec it comes from.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr)] // a program for the terminal

mod commands;
mod compatibility;
mod errors;
mod python;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// A rendered document: where it goes, relative to the repository, and its text.
type Document = (PathBuf, String);

fn main() -> ExitCode {
    let check = std::env::args().any(|arg| arg == "--check");
    match render().and_then(|documents| settle(&documents, check)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("reference: {message}");
            ExitCode::FAILURE
        }
    }
}

fn render() -> Result<Vec<Document>, String> {
    let table = engine::command_table()?;
    let mut documents = commands::render(&table);
    documents.push(compatibility::render(&table));
    documents.push(errors::render());
    documents.push((PathBuf::from("docs/reference/config.md"), config::reference_markdown()));
    documents.push((PathBuf::from("kvist.conf"), config::reference()));
    documents.extend(python::render(&table)?);
    Ok(documents)
}

/// Writes the documents, or compares them with what is there.
fn settle(documents: &[Document], check: bool) -> Result<(), String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut stale = Vec::new();
    for (place, text) in documents {
        let file = root.join(place);
        if std::fs::read_to_string(&file).is_ok_and(|old| old == *text) {
            continue;
        }
        if check {
            stale.push(place.display().to_string());
            continue;
        }
        let written = file
            .parent()
            .map_or(Ok(()), std::fs::create_dir_all)
            .and_then(|()| std::fs::write(&file, text));
        written.map_err(|error| format!("{}: {error}", place.display()))?;
        println!("wrote {}", place.display());
    }
    if stale.is_empty() {
        return Ok(());
    }
    Err(format!("not as the source says: {}; run `make gen` and commit", stale.join(", ")))
}
