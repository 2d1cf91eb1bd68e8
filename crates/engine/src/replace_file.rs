//! Replacing a file as a whole: readers find the old text or the new one, never a part, whenever
//! the machine stops.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Puts `bytes` in the place of what `path` holds, or makes the file; durable when it returns. A
/// link stays one: what it points to is replaced. Permissions stay as they are; a new file is its
/// owner's alone, since passwords and data may be in it.
///
/// The new text is written beside the old one, so that renaming it is one step of the file system.
///
/// # Errors
/// Those of the system. The file is then as it was.
pub(crate) fn replace_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let target = match path.canonicalize() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_owned(),
        target => target?,
    };
    let beside = beside(&target);
    let written = create_new(&beside, &target)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&beside, &target));
    if let Err(error) = written {
        // What is left over is in the way of nothing; the first error is the one to tell.
        let _ = fs::remove_file(&beside);
        return Err(error);
    }
    // The new name is durable when the folder is.
    match target.parent() {
        Some(folder) => File::open(folder)?.sync_all(),
        None => Ok(()),
    }
}

/// A name in the same folder that is not used otherwise.
pub(crate) fn beside(target: &Path) -> PathBuf {
    let mut name = target.file_name().unwrap_or_default().to_owned();
    name.push(format!("-{}.tmp", std::process::id()));
    target.with_file_name(name)
}

/// Makes a file that was not there, to take the place of `like`: with the permissions of that, or
/// its owner's alone. Whatever has its name before, a link among others, is not written through.
pub(crate) fn create_new(path: &Path, like: &Path) -> io::Result<File> {
    let create = || OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    let file = create().or_else(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => {
            // It was left by a process of this number that was killed, or put there by hand.
            fs::remove_file(path)?;
            create()
        }
        _ => Err(error),
    })?;
    if let Ok(there) = fs::metadata(like) {
        file.set_permissions(there.permissions())?;
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use testkit::folder::Folder;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_made_or_replaced_and_nothing_is_left_over() {
        let folder = Folder::new("plain");
        let path = folder.join("a.conf");
        replace_file(&path, b"one").unwrap();
        replace_file(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(names(folder.path()), ["a.conf"]);
    }

    #[test]
    #[cfg(unix)]
    fn permissions_and_links_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = Folder::new("link");
        let (path, link) = (folder.join("a.conf"), folder.join("link.conf"));
        fs::write(&path, "one").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&path, &link).unwrap();
        replace_file(&link, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    }

    #[test]
    #[cfg(unix)]
    fn new_files_are_their_owners_and_links_in_the_way_lead_nowhere() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = Folder::new("owner");
        let (path, other) = (folder.join("a.conf"), folder.join("other"));
        fs::write(&other, "precious").unwrap();
        symlink(&other, beside(&path)).unwrap();
        replace_file(&path, b"one").unwrap();
        assert_eq!(fs::read(&other).unwrap(), b"precious");
        assert_eq!(fs::read(&path).unwrap(), b"one");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(fs::symlink_metadata(&path).unwrap().is_file());
    }

    #[test]
    fn what_cannot_be_replaced_stays_as_it_was() {
        let folder = Folder::new("failing");
        let path = folder.join("a.conf");
        fs::create_dir(&path).unwrap();
        assert!(replace_file(&path, b"text").is_err());
        assert_eq!(names(folder.path()), ["a.conf"]);
        fs::remove_dir_all(folder.path()).unwrap();
        let gone = replace_file(&path, b"text").unwrap_err();
        assert_eq!(gone.kind(), io::ErrorKind::NotFound);
    }
}
