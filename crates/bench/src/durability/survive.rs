//! The kill: a client writes and counts what is acknowledged, the server is killed with signal 9,
//! started again, and asked for all of it.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use super::peers::{Policy, Program};
use crate::client::{Client, Reply, encode};
use crate::peer::Peer;

/// How long is written before the kill: longer than what `everysec` may forget.
const WRITING: Duration = Duration::from_millis(2600);
/// What `everysec` may forget: a second, and a flush.
const FORGIVEN: Duration = Duration::from_secs(2);
const BATCH: u64 = 16;

/// What a kill came to.
#[derive(Clone, Debug)]
pub(super) struct Survival {
    /// Writes acknowledged.
    pub acked: u64,
    /// Those that were there after the restart.
    pub found: u64,
    /// How long before the kill the oldest missing one was acknowledged.
    pub forgot: Duration,
    /// Whether that is as promised.
    pub kept: bool,
}

/// Writes, kills and counts. The server's directory is as the kill left it, but for the restart.
pub(super) fn check(
    program: &Program,
    mut peer: Peer,
    dir: &Path,
    policy: Policy,
) -> io::Result<Survival> {
    let addr = peer.addr.clone();
    let writer = std::thread::spawn(move || write(&addr));
    std::thread::sleep(WRITING);
    let killed = Instant::now();
    peer.kill();
    let acks = writer.join().map_err(|_| io::Error::other("the writer panicked"))??;
    drop(peer);
    let peer = program.start(dir, policy)?;
    let mut client = Client::connect(&peer.addr)?;
    let (mut found, mut forgot) = (0, Duration::ZERO);
    for (batch, at) in (0..).zip(&acks) {
        let there = count(&mut client, batch * BATCH)?;
        found += there;
        if there < BATCH {
            forgot = forgot.max(killed.saturating_duration_since(*at));
        }
    }
    let acked = u64::try_from(acks.len()).unwrap_or(0) * BATCH;
    let kept = match policy {
        Policy::Off => true,
        Policy::EverySecond => forgot <= FORGIVEN,
        Policy::Always => found == acked,
    };
    Ok(Survival { acked, found, forgot, kept: kept && acked > 0 })
}

/// Writes until the server is gone; returns when each batch was acknowledged.
fn write(addr: &str) -> io::Result<Vec<Instant>> {
    let mut client = Client::connect(addr)?;
    let mut acks = Vec::new();
    loop {
        let mut bytes = Vec::new();
        let first = u64::try_from(acks.len()).unwrap_or(0) * BATCH;
        for number in first..first + BATCH {
            let key = format!("survive:{number}");
            encode(&[b"SET", key.as_bytes(), number.to_string().as_bytes()], &mut bytes);
        }
        if client.send(&bytes).is_err() {
            return Ok(acks);
        }
        for _ in 0..BATCH {
            match client.read() {
                Ok(Reply::Text(_)) => {}
                Ok(other) => return Err(io::Error::other(format!("SET answered {other:?}"))),
                Err(_) => return Ok(acks),
            }
        }
        acks.push(Instant::now());
    }
}

/// How many keys of a batch have the right value.
fn count(client: &mut Client, first: u64) -> io::Result<u64> {
    let keys: Vec<String> = (first..first + BATCH).map(|n| format!("survive:{n}")).collect();
    let mut words: Vec<&[u8]> = vec![b"MGET"];
    words.extend(keys.iter().map(|key| key.as_bytes()));
    let Reply::List(values) = client.call(&words)? else {
        return Err(io::Error::other("MGET gave no list"));
    };
    let right = |(number, value): &(u64, Reply)| {
        *value == Reply::Bytes(Some(number.to_string().into_bytes()))
    };
    let there = (first..).zip(values).filter(right).count();
    Ok(u64::try_from(there).unwrap_or(0))
}
