//! Two scripts on different keys at once: how long they take together, compared with one alone, and
//! how many processors they use.

use std::fmt::Write as _;
use std::io;
use std::path::Path;
use std::time::Instant;

use super::Options;
use super::subjects::arithmetic;
use crate::client::{Client, Reply};
use crate::keyvalue::{progress, start_on};
use crate::peer::{Peer, Processors};
use crate::process;
use crate::report::median;
use crate::scripting::{self, NO_SCRIPTS};

const BUSY: &str = include_str!("busy.lua");
/// Turns of one script: a millisecond or so.
const TURNS: i64 = 50_000;
/// Scripts that each client runs, one after the other.
const RUNS: u64 = 200;

/// What a round gave.
struct Round {
    /// Milliseconds of one client alone, and of two at once.
    alone: f64,
    both: f64,
    /// Processors that two at once used, on average.
    processors: f64,
    /// Threads that ran or waited for a processor meanwhile: what a machine with nothing else to do
    /// would have given them.
    threads: f64,
}

/// The table. The servers have all processors here, as many as there are, and so does the load,
/// which sleeps nearly always.
pub(super) fn table(program: &Path, options: &Options) -> io::Result<String> {
    let peers = start_on(program, 2, Processors::All, &options.peers)?;
    let mut sides = Vec::new();
    for peer in &peers {
        sides.push((peer, scripting::load(peer, &[BUSY])?, Vec::new()));
    }
    let runs = (RUNS / options.part).max(10);
    for at in 0..options.rounds {
        progress(at, options.rounds, "two at once");
        for (peer, digests, rounds) in &mut sides {
            if let Some(digest) = digests.as_ref().and_then(|digests| digests.first()) {
                rounds.push(round(peer, digest, runs)?);
            }
        }
    }
    progress(options.rounds, options.rounds, "two at once");
    let count = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    // Writing to a string cannot fail.
    let mut text = String::new();
    let _ = write!(
        text,
        "\n| {runs} scripts of {TURNS} turns, {count} processors | one client alone, ms | two at \
         once, other keys, ms | ÷ | processors used | and wanted |\n|---|---|---|---|---|---|"
    );
    for (peer, _, rounds) in &sides {
        let _ = write!(text, "\n| {} {} |", peer.name, peer.version);
        if rounds.is_empty() {
            let _ = write!(text, " {NO_SCRIPTS} |  |  |  |  |");
            continue;
        }
        let part = |f: fn(&Round) -> f64| median(rounds.iter().map(f).collect());
        let (alone, both) = (part(|r| r.alone), part(|r| r.both));
        let (ratio, used) = (part(|r| r.both / r.alone), part(|r| r.processors));
        let wanted = part(|r| r.threads);
        let _ = write!(text, " {alone:.0} | {both:.0} | {ratio:.2} | {used:.2} | {wanted:.2} |");
    }
    text.push('\n');
    Ok(text)
}

fn round(peer: &Peer, digest: &str, runs: u64) -> io::Result<Round> {
    // One after the other, so that a server that hands them out in turn gives each to another
    // thread.
    let mut clients = [Client::connect(&peer.addr)?, Client::connect(&peer.addr)?];
    let start = Instant::now();
    work(&mut clients[0], peer, digest, "a", runs)?;
    let alone = start.elapsed().as_secs_f64();
    let before = (process::cpu_seconds(peer.pid)?, process::wanted_seconds(peer.pid)?);
    let start = Instant::now();
    let [first, second] = &mut clients;
    std::thread::scope(|scope| {
        let other = scope.spawn(|| work(second, peer, digest, "b", runs));
        work(first, peer, digest, "a", runs)?;
        other.join().map_err(|_| io::Error::other("a client failed"))?
    })?;
    let both = start.elapsed().as_secs_f64();
    let processors = (process::cpu_seconds(peer.pid)? - before.0) / both;
    let threads = (process::wanted_seconds(peer.pid)? - before.1) / both;
    Ok(Round { alone: alone * 1e3, both: both * 1e3, processors, threads })
}

/// Runs the script again and again.
fn work(client: &mut Client, peer: &Peer, digest: &str, key: &str, runs: u64) -> io::Result<()> {
    let turns = TURNS.to_string();
    let words = ["EVALSHA", digest, "1", key, &turns].map(str::as_bytes);
    let wanted = Reply::Int(arithmetic(TURNS));
    for _ in 0..runs {
        let answer = client.call(&words)?;
        if answer != wanted {
            let what = format!("{}: {answer:?}; expected {wanted:?}", peer.name);
            return Err(io::Error::other(what));
        }
    }
    Ok(())
}
