//! The engine inside the test, and lines to it that are spoken to as sockets are.

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::time::Duration;

use kvist::{Channel, Error, Kvist, Protocol};

use crate::server::{Inside, PATIENCE, temporary};

/// An engine, with a directory that goes with it.
pub struct Engine {
    /// The engine.
    pub db: Kvist,
    dir: PathBuf,
}

impl Engine {
    /// Opens one with these options, as they are given to a server.
    pub fn open(options: &[&str]) -> Self {
        let dir = temporary("inside");
        let mut builder = Kvist::builder().set("save", "").set("appendonly", "no");
        for pair in options.chunks(2) {
            builder = builder.set(pair[0].trim_start_matches('-'), pair[1]);
        }
        Engine { db: builder.open(&dir).unwrap(), dir }
    }

    /// A session of bytes.
    pub fn line(&self) -> Line {
        Line {
            channel: self.db.channel(Protocol::Resp2).unwrap(),
            unread: Vec::new(),
            ended: false,
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.db.close();
        let _ = std::fs::remove_dir_all(&self.dir);
    }
}

/// A session of bytes.
pub struct Line {
    channel: Channel,
    unread: Vec<u8>,
    ended: bool,
}

impl Line {
    /// Takes what there is to read, waiting for the first of it up to so long.
    fn take(&mut self, within: Duration) {
        if self.ended || !self.unread.is_empty() && within.is_zero() && !self.has_more() {
            return;
        }
        let within = if self.unread.is_empty() { within } else { Duration::ZERO };
        match self.channel.replies(Some(within), &mut || false) {
            Ok(replies) => self.unread.extend_from_slice(replies.unwrap_or_default()),
            Err(Error::Closed) => self.ended = true,
            Err(error) => panic!("{error}"),
        }
    }

    fn has_more(&mut self) -> bool {
        self.channel.has_replies().unwrap_or(true)
    }
}

impl Inside for Line {
    fn replies(&mut self, within: Duration) -> usize {
        self.take(within);
        self.unread.len().max(usize::from(self.ended))
    }
}

impl Read for Line {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.take(PATIENCE);
        if self.unread.is_empty() && !self.ended {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let count = into.len().min(self.unread.len());
        into[..count].copy_from_slice(&self.unread[..count]);
        self.unread.drain(..count);
        Ok(count)
    }
}

impl Write for Line {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.channel.requests().extend_from_slice(bytes);
        // What is sent begins at once, whenever its reply is read.
        self.has_more();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
