//! A real directory: what goes past the system's memory and what goes through it is one file.
#![allow(clippy::unwrap_used)] // a test says why by failing

use testkit::folder::Folder;

use super::*;
use crate::blocks::{Blocks, End, ReadAhead};

fn folder(name: &str) -> (Folder, Directory) {
    let folder = Folder::missing(name);
    let directory = Directory::open(folder.path()).unwrap();
    (folder, directory)
}

#[test]
fn both_ways_lead_to_the_same_bytes() {
    let (folder, directory) = folder("ways");
    let file = directory.create("file").unwrap();
    file.reserve(1 << 20).unwrap();
    file.write_at(0, b"a header").unwrap();
    let (mut blocks, mut end) = (Blocks::default(), End::behind(b"a header"));
    let mut expected = b"a header".to_vec();
    for (n, size) in [100, 70_000, 5, 200_000, 4096, 90_000, 3].into_iter().enumerate() {
        let part: Vec<u8> = (0..size).map(|at| (at * 3 + n) as u8).collect();
        // What is there has just been read, so that it is in the page cache.
        let before = std::fs::read(folder.join("file")).unwrap();
        assert_eq!(before[..expected.len()], expected);
        end = blocks.write(&*file, &end, [&part[..]], 48).unwrap();
        expected.extend_from_slice(&part);
        assert_eq!(std::fs::read(folder.join("file")).unwrap()[..expected.len()], expected);
        let mut found = vec![0; expected.len()];
        let got = ReadAhead::new(&*file).read_at(0, &mut found).unwrap();
        assert_eq!((got, found == expected), (expected.len(), true), "{size}");
    }
    // As far as the file system can: nothing else was asked.
    let direct = {
        use std::os::unix::fs::OpenOptionsExt;
        let o_direct = i32::try_from(rustix::fs::OFlags::DIRECT.bits()).unwrap();
        let mut options = OpenOptions::new();
        let path = folder.join("file");
        let opened = options.read(true).custom_flags(o_direct).open(path);
        opened.is_ok()
    };
    assert!(direct || !file.read_from_disk());
    file.sync().unwrap();
}

#[test]
fn a_file_may_end_anywhere() {
    let (_folder, directory) = folder("ends");
    for len in [0_usize, 1, 4095, 4096, 4097, 300_000] {
        let file = directory.create("file").unwrap();
        file.write_at(0, &vec![7; len]).unwrap();
        let mut found = vec![0; 1 << 20];
        assert_eq!(ReadAhead::new(&*file).read_at(0, &mut found).unwrap(), len);
        assert!(found[..len].iter().all(|&byte| byte == 7) && found[len] == 0, "{len}");
    }
}

/// A name changes while a file is open, as that of a segment that is used again.
#[test]
fn a_renamed_file_is_still_the_one_that_is_written() {
    let (folder, directory) = folder("renamed");
    let file = directory.create("old").unwrap();
    directory.rename("old", "new").unwrap();
    let end = Blocks::default().write(&*file, &End::behind(&[]), [&[5; 100_000][..]], 0).unwrap();
    assert_eq!(end.offset, 100_000);
    assert_eq!(std::fs::read(folder.join("new")).unwrap()[..100_000], [5; 100_000]);
    assert!(!folder.join("old").exists());
}

/// Another user may have put a name there, to have something written where it leads, or to read.
#[test]
fn what_has_the_name_of_a_new_file_is_not_written_through() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let (folder, directory) = folder("links");
    let precious = folder.join("precious");
    std::fs::write(&precious, "precious").unwrap();
    std::fs::set_permissions(&precious, std::fs::Permissions::from_mode(0o644)).unwrap();
    symlink(&precious, folder.join("link")).unwrap();
    symlink(folder.join("missing"), folder.join("nowhere")).unwrap();
    std::fs::hard_link(&precious, folder.join("hard")).unwrap();
    for name in ["link", "nowhere", "hard", "new"] {
        let file = directory.create(name).unwrap();
        file.write_at(0, name.as_bytes()).unwrap();
        let about = folder.join(name).symlink_metadata().unwrap();
        assert!(about.is_file() && about.permissions().mode() & 0o777 == 0o600, "{name}");
        assert_eq!(std::fs::read(folder.join(name)).unwrap(), name.as_bytes());
    }
    assert_eq!(std::fs::read(&precious).unwrap(), b"precious");
    symlink(folder.join("missing"), folder.join("lock")).unwrap();
    assert!(directory.open_lock("lock").is_err());
    assert!(!folder.join("missing").exists());
}
