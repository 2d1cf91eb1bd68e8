//! What happens once: building the index. And what a page of a large database takes.

use std::fmt::Write as _;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use super::Options;
use crate::client::{Client, Reply, encode};
use crate::keyvalue::progress;
use crate::peer::{Peer, Processors};
use crate::process;
use crate::report::median;

/// Pages asked for.
const PAGES: u64 = 2000;

/// A field of the line that INFO has about the index of database 0.
pub(super) fn figure(client: &mut Client, name: &str) -> io::Result<f64> {
    let line = client.info("range_index_db0")?.unwrap_or_default();
    let fields = line.split(',').filter_map(|field| field.split_once('='));
    let found = fields.into_iter().find(|(field, _)| *field == name);
    Ok(found.and_then(|(_, value)| value.parse().ok()).unwrap_or(f64::NAN))
}

/// Lets the index go, and waits until it has.
pub(super) fn drop_index(client: &mut Client) -> io::Result<()> {
    set(client, "no")?;
    let deadline = Instant::now() + Duration::from_secs(20);
    while client.info("range_index_db0")?.is_some() {
        if Instant::now() > deadline {
            return Err(io::Error::other("the index does not go"));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    set(client, "auto")
}

fn set(client: &mut Client, keeping: &str) -> io::Result<()> {
    match client.call(&[b"CONFIG", b"SET", b"range-index", keeping.as_bytes()])? {
        Reply::Text(_) => Ok(()),
        other => Err(io::Error::other(format!("CONFIG SET range-index: {other:?}"))),
    }
}

/// Counts all keys by the index, which is built if it is missing.
pub(super) fn count(client: &mut Client) -> io::Result<i64> {
    match client.call(&[b"RANGE.COUNT", b"-", b"+"])? {
        Reply::Int(count) => Ok(count),
        other => Err(io::Error::other(format!("RANGE.COUNT: {other:?}"))),
    }
}

/// Processor seconds of a server, those of threads that have ended included: in ticks of 10 ms.
fn all_threads(peer: &Peer) -> io::Result<f64> {
    process::user_system_seconds(peer.pid).map(|(user, system)| user + system)
}

/// How long the first query takes, and what the index takes then.
pub(super) fn table(peer: &Peer, options: &Options) -> io::Result<String> {
    let mut client = Client::connect(&peer.addr)?;
    let (mut waited, mut used) = (Vec::new(), Vec::new());
    for round in 0..options.rounds {
        progress(round, options.rounds, "first query");
        drop_index(&mut client)?;
        let cpu = all_threads(peer)?;
        let begun = Instant::now();
        let counted = count(&mut client)?;
        waited.push(begun.elapsed().as_secs_f64() * 1e3);
        used.push((all_threads(peer)? - cpu) * 1e3);
        if u64::try_from(counted) != Ok(options.keys) {
            return Err(io::Error::other(format!("{counted} keys are counted")));
        }
    }
    progress(options.rounds, options.rounds, "first query");
    let each = figure(&mut client, "bytes")? / options.keys as f64;
    let (waited, used) = (median(waited), median(used));
    Ok(format!(
        "\n* the first query over {} keys takes {waited:.0} ms ({used:.0} ms of processor time); \
         the index takes {each:.1} B/key\n",
        options.keys
    ))
}

/// Pages of fifty keys of a large database, as one client sees them.
pub(super) fn pages(program: &Path, options: &Options) -> io::Result<String> {
    let peer = Peer::kvist(program, 1, Processors::First)?;
    let mut client = Client::connect(&peer.addr)?;
    for first in (0..options.large).step_by(1000) {
        let mut bytes = Vec::new();
        let end = (first + 1000).min(options.large);
        for n in first..end {
            encode(&[b"SET", format!("account:{n:09}").as_bytes(), b"1"], &mut bytes);
        }
        client.send(&bytes)?;
        for _ in first..end {
            client.read()?;
        }
        let number = |n: u64| usize::try_from(n).unwrap_or(0);
        progress(number(end), number(options.large), "a large database");
    }
    let begun = Instant::now();
    count(&mut client)?;
    let first = begun.elapsed().as_secs_f64() * 1e3;
    let each = figure(&mut client, "bytes")? / options.large as f64;
    let mut took = Vec::new();
    for n in 0..PAGES {
        // Spread over all of it.
        let prefix = format!("account:{:07}", n * 7919 % (options.large / 100));
        let words: [&[u8]; 6] = [b"PREFIX", prefix.as_bytes(), b"CURSOR", b"0", b"LIMIT", b"50"];
        let begun = Instant::now();
        let page = client.call(&words)?;
        took.push(begun.elapsed().as_secs_f64() * 1e3);
        let Reply::List(parts) = page else { return Err(io::Error::other("no page")) };
        if !matches!(parts.as_slice(), [_, Reply::List(names)] if names.len() == 50) {
            return Err(io::Error::other(format!("a page of {prefix} is {parts:?}")));
        }
    }
    took.sort_by(f64::total_cmp);
    let at = |part: usize| took[took.len() * part / 100];
    let mut text = String::new();
    let _ = writeln!(
        text,
        "* a page of 50 among {} keys: {:.3} ms (p50), {:.3} ms (p99); the first query took \
         {first:.0} ms, the index takes {each:.1} B/key",
        options.large,
        at(50),
        at(99)
    );
    Ok(text)
}
