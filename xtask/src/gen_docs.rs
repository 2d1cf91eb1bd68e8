//! Renders the documents that come from the source: `cargo xtask gen [--check]`.
//!
//! The rendering needs the whole server, so it is a program of its own; this module only runs it,
//! and the other chores stay quick to build.

use std::path::Path;
use std::process::Command;

/// Runs the renderer with `words` (`--check` or nothing).
pub fn run(root: &Path, words: &[String]) -> Result<(), String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .current_dir(root)
        .args(["run", "--quiet", "--locked", "--package", "kvist-reference", "--"])
        .args(words)
        .status()
        .map_err(|error| format!("cargo could not be run: {error}"))?;
    if status.success() { Ok(()) } else { Err("gen: failed".to_owned()) }
}
