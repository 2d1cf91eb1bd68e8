//! `BACKUP name`: a data directory of its own under `backups/`, whole and of one moment.
//!
//! ```text
//!   DIR/backups/NAME/   MANIFEST  snapshot-N.kvs  journal-N.log ...
//! ```
//!
//! It gets its name when every byte of it is durable, and is never touched again: it can be copied
//! at any time, and is removed by the administrator. A server is started on a copy of it as on any
//! data directory.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::dataset_copy::{DatasetCopy, ScratchDir};
use super::snapshot::Saved;
use crate::engine::Engine;

/// Where backups lie, in the data directory.
const BACKUPS: &str = "backups";
/// The longest name.
const NAME_MAX: usize = 128;

/// Whether a backup may be called so: one plain part of a path.
pub(crate) fn is_name(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    (1..=NAME_MAX).contains(&name.len()) && !name.starts_with('.') && name.bytes().all(plain)
}

impl Engine {
    /// Makes a backup and tells where it is. Waits for the disk, and for other saves, unless
    /// `is_unwanted` says that it need not.
    ///
    /// # Errors
    /// There is one of that name, the disk refuses, or the server ends.
    pub(crate) fn back_up(
        self: &Arc<Self>,
        name: &str,
        is_unwanted: &dyn Fn() -> bool,
    ) -> io::Result<(PathBuf, Saved)> {
        let turn = self.turn_to_copy(is_unwanted)?;
        let data_dir = self.writable_disk()?;
        let dir = data_dir.path();
        let to = dir.join(BACKUPS).join(name);
        let taken = || io::Error::other(format!("a backup named {name} exists already"));
        if to.symlink_metadata().is_ok() {
            return Err(taken());
        }
        // Not in a directory that was moved away: it would seem to be there again.
        match std::fs::DirBuilder::new().mode(0o700).create(dir.join(BACKUPS)) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        let scratch_dir = ScratchDir::open(dir)?;
        let DatasetCopy { disk, manifest, saved } = self.copy_dataset(&turn, &scratch_dir.path)?;
        manifest.write(&*disk)?;
        // A directory takes the place of an empty one at most, and never that of a full one.
        std::fs::rename(&scratch_dir.path, &to).map_err(|error| match error.kind() {
            ErrorKind::DirectoryNotEmpty | ErrorKind::AlreadyExists => taken(),
            _ => error,
        })?;
        sync_folder(&dir.join(BACKUPS))?;
        sync_folder(dir)?;
        drop(turn);
        tracing::info!("Backed up {} keys to {}", saved.keys, to.display());
        Ok((to, saved))
    }
}

fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::is_name;

    #[test]
    fn names_are_plain() {
        assert!(["a", "2026-11-21", "nightly_3.old"].into_iter().all(is_name));
        let long = "x".repeat(129);
        assert!(!["", ".", "..", ".a", "a/b", "a b", "ä", "a\n", &long].into_iter().any(is_name));
    }
}
