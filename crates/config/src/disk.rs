//! The only place that touches the file system: reading a configuration file, and finding those an
//! `include` pattern names. Nothing is ever written.

use std::io;
use std::path::{Path, PathBuf};

use base::glob;

/// Reads a configuration file whole.
///
/// # Errors
/// Those of the system.
pub(crate) fn read_conf_file(path: &Path) -> io::Result<Vec<u8>> {
    std::fs::read(path)
}

/// The files a pattern names, in order of name; none is no error. `*`, `?` and `[…]` may stand in
/// every part of the path, and match a leading dot only if the pattern has it.
pub(crate) fn matching_files(pattern: &str) -> Vec<PathBuf> {
    let mut found = vec![PathBuf::from(if pattern.starts_with('/') { "/" } else { "" })];
    for part in pattern.split('/').filter(|part| !part.is_empty()) {
        found = if is_pattern(part) {
            found.iter().flat_map(|dir| matching_in(dir, part)).collect()
        } else {
            found.into_iter().map(|dir| dir.join(part)).collect()
        };
    }
    found.retain(|path| path.exists() && !path.is_dir());
    found
}

/// Whether a path has a character that makes it a pattern.
pub(crate) fn is_pattern(path: &str) -> bool {
    path.contains(['*', '?', '['])
}

fn matching_in(dir: &Path, pattern: &str) -> Vec<PathBuf> {
    let listed = if dir.as_os_str().is_empty() { Path::new(".") } else { dir };
    let Ok(entries) = std::fs::read_dir(listed) else { return Vec::new() };
    let mut names: Vec<_> = entries
        .flatten()
        .map(|entry| entry.file_name())
        .filter(|name| {
            let name = name.to_string_lossy();
            let dotted_alike = !name.starts_with('.') || pattern.starts_with('.');
            dotted_alike && glob::matches(pattern.as_bytes(), name.as_bytes())
        })
        .collect();
    names.sort();
    names.into_iter().map(|name| dir.join(name)).collect()
}
