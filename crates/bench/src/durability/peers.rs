//! Servers with a directory that outlives them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use testkit::port::free_port;

use crate::client::{Client, Reply};
use crate::peer::{Peer, Processors};

/// How long a server may take to load or to save.
pub(super) const PATIENCE: Duration = Duration::from_secs(300);

/// When the journal is forced to disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Policy {
    /// There is no journal.
    Off,
    /// `appendfsync everysec`.
    EverySecond,
    /// `appendfsync always`.
    Always,
}

impl Policy {
    /// Its name in the tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "no journal",
            Self::EverySecond => "everysec",
            Self::Always => "always",
        }
    }
}

/// A program that can be started on a directory.
#[derive(Clone, Debug)]
pub(super) struct Program {
    /// Its name in the tables.
    pub name: String,
    path: PathBuf,
}

impl Program {
    /// A program under this name.
    pub fn new(name: &str, path: &Path) -> Self {
        Self { name: name.to_owned(), path: path.to_owned() }
    }

    /// Starts it and does not wait.
    pub fn spawn(&self, dir: &Path, policy: Policy, processors: Processors) -> io::Result<Peer> {
        let dir_text = dir.to_string_lossy().into_owned();
        let mut args = Vec::new();
        if !self.path.to_string_lossy().ends_with("-server") {
            args.extend(["serve", "--io-threads", "1", "--grpc-port", "0", "--http-port", "0"]);
        }
        args.extend(["--bind", "127.0.0.1", "--save", "", "--dir", &dir_text]);
        match policy {
            Policy::Off => args.extend(["--appendonly", "no"]),
            on => args.extend(["--appendonly", "yes", "--appendfsync", on.name()]),
        }
        Peer::spawn((&self.name, &self.path), processors, &args, free_port(), dir)
    }

    /// Starts it on processor 0 and waits until it serves.
    pub fn start(&self, dir: &Path, policy: Policy) -> io::Result<Peer> {
        self.start_on(dir, policy, Processors::First).map(|(peer, _)| peer)
    }

    /// Starts it and waits until it serves; says how long that took.
    pub fn start_on(
        &self,
        dir: &Path,
        policy: Policy,
        processors: Processors,
    ) -> io::Result<(Peer, Duration)> {
        let begin = Instant::now();
        let mut peer = self.spawn(dir, policy, processors)?;
        peer.wait_until_serving(PATIENCE)?;
        let took = begin.elapsed();
        // A journal rewritten in the middle of a run would be measured with it.
        let mut client = Client::connect(&peer.addr)?;
        client.call(&[b"CONFIG", b"SET", b"auto-aof-rewrite-percentage", b"0"])?;
        Ok((peer, took))
    }
}

/// A directory of ours, removed when dropped.
pub(super) struct Home(PathBuf);

static HOMES: AtomicU32 = AtomicU32::new(0);

impl Home {
    /// Makes one.
    pub fn new(place: &Path) -> io::Result<Self> {
        let number = HOMES.fetch_add(1, Ordering::Relaxed);
        let dir = place.join(format!("kvist-durability-{}-{number}", std::process::id()));
        fs::create_dir_all(&dir)?;
        Ok(Self(dir))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        // What cannot be removed does no harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Sends a command that must not be refused.
pub(super) fn order(client: &mut Client, words: &[&[u8]]) -> io::Result<Reply> {
    let reply = client.call(words)?;
    if let Reply::Error(text) = &reply {
        let sent: Vec<_> = words.iter().map(|word| String::from_utf8_lossy(word)).collect();
        return Err(io::Error::other(format!("{} is refused: {text}", sent.join(" "))));
    }
    Ok(reply)
}

/// The number of keys.
pub(super) fn size(client: &mut Client) -> io::Result<u64> {
    match order(client, &[b"DBSIZE"])? {
        Reply::Int(count) => Ok(u64::try_from(count).unwrap_or(0)),
        other => Err(io::Error::other(format!("DBSIZE answered {other:?}"))),
    }
}

/// Waits until fields of INFO have these values.
pub(super) fn wait_for(client: &mut Client, fields: &[(&str, &str)]) -> io::Result<()> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let mut all = true;
        for (field, wanted) in fields {
            all &= client.info(field)?.as_deref() == Some(*wanted);
        }
        if all {
            return Ok(());
        }
        if Instant::now() > deadline {
            return Err(io::Error::other(format!("INFO never says {fields:?}")));
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}
