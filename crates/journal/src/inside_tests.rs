//! What is opened by its names, and what is not.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::fs;
use std::io::Read;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;

use rustix::fs::{CWD, FileType, mknodat};
use testkit::folder::Folder;

use super::*;

#[test]
fn no_link_is_followed_and_nothing_is_waited_for() {
    let folder = Folder::new("inside");
    fs::create_dir_all(folder.path().join("deep/er")).unwrap();
    fs::write(folder.path().join("deep/er/file"), "text").unwrap();
    symlink("deep", folder.path().join("link")).unwrap();
    symlink("file", folder.path().join("deep/er/same")).unwrap();
    mknodat(CWD, folder.path().join("pipe"), FileType::Fifo, Mode::RWXU, 0).unwrap();
    let _socket = UnixListener::bind(folder.path().join("socket")).unwrap();
    let mut text = String::new();
    let file = open_inside(folder.path(), Path::new("deep/er/file")).unwrap();
    file.unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(text, "text");
    for path in [
        "",
        ".",
        "deep",
        "none",
        "deep/er/file/none",
        "deep/er/same",
        "link/er/file",
        "pipe",
        "socket",
        "deep/../deep/er/file",
        "/etc/passwd",
    ] {
        assert!(open_inside(folder.path(), Path::new(path)).unwrap().is_none(), "{path}");
    }
    assert!(open_inside(&folder.path().join("none"), Path::new("file")).unwrap().is_none());
}
