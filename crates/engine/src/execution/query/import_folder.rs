//! The folder whose files statements may read (`graph-import-folder`).
//!
//! A path may not lead out of it, neither by `..` nor by links. What it would lead to there is not
//! told: a file outside is answered as one that is not there. Only plain files are opened, as
//! others may keep a thread waiting. Who may write in the folder may change it meanwhile: what is
//! opened is what the path led to, from the folder on and by no link any more.

use std::io::Read;
use std::path::Path;

use base::{CmdError, error};
use journal::open_inside;

const MISSING: CmdError = CmdError::new("ERR there is no such file in graph-import-folder");

/// Opens a file of the folder.
///
/// # Errors
/// There is no folder, no such file in it, or it cannot be opened.
pub(crate) fn open(folder: Option<&Path>, path: &str) -> Result<Box<dyn Read>, CmdError> {
    let folder = folder.ok_or(error::NO_IMPORTS)?.canonicalize().map_err(|_| MISSING)?;
    let path = folder.join(path).canonicalize().map_err(|_| MISSING)?;
    let inside = path.strip_prefix(&folder).map_err(|_| MISSING)?;
    if !path.is_file() {
        return Err(MISSING);
    }
    let file = open_inside(&folder, inside);
    let file = file.map_err(|error| CmdError::owned(format!("ERR it cannot be read: {error}")))?;
    Ok(Box::new(file.ok_or(MISSING)?))
}

#[cfg(test)]
#[path = "import_folder_tests.rs"]
mod tests;
