//! A plain file of a folder, opened from the folder on, one name after the other.
//!
//! Another process that may write in the folder can put a link where a file was at any moment. What
//! has been found out about a path is worth nothing then: each step is looked at as it is taken.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Component, Path};

use rustix::fs::{Mode, OFlags, open, openat};
use rustix::io::Errno;

/// Opens a plain file for reading: `inside` are the names that lead from the folder to it. `None`
/// if there is none by them, be it that one of them is a link. Waits for nothing but the disk.
///
/// # Errors
/// It is there, and cannot be opened.
pub fn open_inside(folder: &Path, inside: &Path) -> io::Result<Option<File>> {
    let file = match steps(folder, inside) {
        Ok(Some(file)) => File::from(file),
        // What a link answers differs between systems; what has no reader is no plain file.
        Ok(None) | Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::MLINK | Errno::NXIO) => {
            return Ok(None);
        }
        Err(error) => return Err(error.into()),
    };
    Ok(file.metadata()?.is_file().then_some(file))
}

fn steps(folder: &Path, inside: &Path) -> Result<Option<OwnedFd>, Errno> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    let mut at = open(folder, flags | OFlags::DIRECTORY, Mode::empty())?;
    let mut names = inside.components().peekable();
    while let Some(name) = names.next() {
        let Component::Normal(name) = name else { return Ok(None) };
        // A pipe would keep who opens it waiting for one who writes.
        let kind = if names.peek().is_some() { OFlags::DIRECTORY } else { OFlags::NONBLOCK };
        at = openat(&at, name, flags | kind | OFlags::NOFOLLOW, Mode::empty())?;
    }
    Ok(Some(at))
}

#[cfg(test)]
#[path = "inside_tests.rs"]
mod tests;
