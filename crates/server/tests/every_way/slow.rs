//! A dataset that takes exactly as long to read as the test wants: a FIFO.

// Not every test uses all of it.
#![allow(dead_code)]

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::process::Command;

use crate::server::{eventually, temporary};

/// What a server says once it has begun to read such a dataset.
pub const READING: &str = "files of Redis";
/// More than the kernel keeps of unread bytes.
pub const LENGTH: usize = 256 << 10;

/// A data directory with an append-only file of Redis that is not at its end until [`Slow::end`].
pub struct Slow {
    /// Where it is.
    pub folder: PathBuf,
    feed: File,
}

impl Slow {
    /// One that is being written.
    pub fn new() -> Self {
        let folder = temporary("slow");
        let files = folder.join("appendonlydir");
        std::fs::create_dir_all(&files).unwrap();
        let name = "appendonly.aof.1.incr.aof";
        let manifest = format!("file {name} seq 1 type i\n");
        std::fs::write(files.join("appendonly.aof.manifest"), manifest).unwrap();
        let fifo = files.join(name);
        assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        // To read as well: then opening it does not wait, and it has no end while it is open.
        let mut options = OpenOptions::new();
        options.read(true).write(true).custom_flags(libc::O_NONBLOCK);
        let feed = options.open(&fifo).unwrap();
        Slow { folder, feed }
    }

    /// What a server is told of it.
    pub fn args(&self) -> [&str; 2] {
        ["--dir", self.folder.to_str().unwrap()]
    }

    /// Lets the server read to the end: the key `k`, and nothing else.
    pub fn end(&mut self) {
        let value = "v".repeat(LENGTH);
        let command = wire::request(&["SET", "k", &value]);
        let mut left = command.as_slice();
        // All of it is taken only once the server reads, and so has the other end open.
        eventually("the end of the dataset", || {
            match self.feed.write(left) {
                Ok(written) => left = &left[written..],
                Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock),
            }
            left.is_empty().then_some(())
        });
        self.feed = File::open("/dev/null").unwrap();
    }
}

impl Drop for Slow {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
