//! What a walk over the whole database costs that looks for a hundred keys: `SCAN MATCH`.

use std::fmt::Write as _;
use std::io;
use std::time::Instant;

use super::Options;
use crate::client::{Client, Reply};
use crate::keyvalue::progress;
use crate::peer::Peer;
use crate::process;

/// How many keys are asked for at a time.
const COUNTS: [u64; 3] = [10, 1000, 10_000];

/// A table of walks.
pub(super) fn table(peers: &[Peer], options: &Options) -> io::Result<String> {
    let mut text = String::from("\n| a hundred keys by |");
    for peer in peers {
        let _ = write!(text, " {}: ms, CPU ms |", peer.name);
    }
    text += "\n|---|";
    text += &"---|".repeat(peers.len());
    let pattern = format!("key:{:010}*", options.keys / 200);
    for (at, count) in COUNTS.into_iter().enumerate() {
        progress(at, COUNTS.len(), "SCAN");
        let _ = write!(text, "\n| SCAN MATCH COUNT {count} |");
        for peer in peers {
            let (took, used) = walk(peer, &pattern, count)?;
            let _ = write!(text, " {took:.1}, {used:.1} |");
        }
    }
    progress(COUNTS.len(), COUNTS.len(), "SCAN");
    text += "\n\n";
    Ok(text)
}

/// Milliseconds that a walk takes, and processor time of the server.
fn walk(peer: &Peer, pattern: &str, count: u64) -> io::Result<(f64, f64)> {
    let mut client = Client::connect(&peer.addr)?;
    let count = count.to_string();
    let (mut cursor, mut found) = (b"0".to_vec(), 0);
    let cpu = process::cpu_seconds(peer.pid)?;
    let begun = Instant::now();
    loop {
        let words: [&[u8]; 6] =
            [b"SCAN", &cursor, b"MATCH", pattern.as_bytes(), b"COUNT", count.as_bytes()];
        let Reply::List(parts) = client.call(&words)? else {
            return Err(io::Error::other(format!("{}: no page of SCAN", peer.name)));
        };
        let [Reply::Bytes(Some(next)), Reply::List(names)] = parts.as_slice() else {
            return Err(io::Error::other(format!("{}: SCAN answers {parts:?}", peer.name)));
        };
        found += names.len();
        if next == b"0" {
            break;
        }
        cursor.clone_from(next);
    }
    let took = begun.elapsed().as_secs_f64() * 1e3;
    if found != 100 {
        return Err(io::Error::other(format!("{}: SCAN finds {found} keys", peer.name)));
    }
    Ok((took, (process::cpu_seconds(peer.pid)? - cpu) * 1e3))
}
