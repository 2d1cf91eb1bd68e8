//! The range report: keys in the order of their names, beside what people do without it: a sorted
//! set of all names, kept by hand and read with `ZRANGEBYLEX`; `SCAN MATCH`; `KEYS`.
//!
//! All servers hold the same keys and the same sorted set, and must answer with the same names
//! before anything is timed. What concerns Kvist alone (building the index, what it takes, what it
//! costs writers) stands below the table.

mod once;
mod walks;
mod writes;

use std::io;
use std::path::{Path, PathBuf};

use crate::client::{Client, Reply, encode};
use crate::keyvalue::{fill, progress, start_peers};
use crate::load::{self, Load, Shape};
use crate::peer::{self, Peer};
use crate::report::{Cell, Report};

/// What to measure.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    rounds: usize,
    keys: u64,
    /// Keys of the database whose pages are timed.
    large: u64,
    /// Writes of a run.
    writes: u64,
    /// Divides the requests of each range.
    part: u64,
    peers: Vec<(String, String)>,
    out: PathBuf,
}

impl Options {
    /// Reads the command line behind `range`.
    pub fn parse(args: &[String]) -> Result<Self, String> {
        let mut options = Options {
            rounds: 5,
            keys: 1_000_000,
            large: 10_000_000,
            writes: 1_000_000,
            part: 1,
            peers: Vec::new(),
            out: PathBuf::from("bench/out"),
        };
        let mut rest = args.iter();
        while let Some(flag) = rest.next() {
            if flag == "--quick" {
                (options.rounds, options.part) = (1, 10);
                (options.keys, options.large, options.writes) = (50_000, 100_000, 100_000);
                continue;
            }
            let value = rest.next().ok_or_else(|| format!("{flag} needs a value"))?;
            let number = || value.parse::<u64>().map_err(|_| format!("{flag}: not a number"));
            match flag.as_str() {
                "--rounds" => options.rounds = usize::try_from(number()?).unwrap_or(1).max(1),
                "--keys" => options.keys = number()?.max(20_000),
                "--large" => options.large = number()?.max(20_000),
                "--writes" => options.writes = number()?.max(1000),
                "--out" => options.out = PathBuf::from(value),
                "--peer" => options.peers.push(peer::named(value)?),
                other => return Err(format!("unknown option '{other}'")),
            }
        }
        Ok(options)
    }
}

/// How many clients ask at a time.
const SHAPE: Shape = Shape { clients: 16, pipeline: 1 };
/// The sorted set of all names.
const NAMES: &str = "names";

/// A request in two forms: with an index, and as one does without.
struct Subject {
    name: &'static str,
    requests: u64,
    ours: String,
    theirs: String,
    /// Kvist, too, does it as one does without.
    both: bool,
}

impl Subject {
    fn words(&self, peer: usize) -> Vec<String> {
        let command = if peer == 0 && !self.both { &self.ours } else { &self.theirs };
        command.split(' ').map(str::to_owned).collect()
    }
}

fn subjects(keys: u64) -> Vec<Subject> {
    let mut subjects = Vec::new();
    for (keys, requests, name, both) in [
        (100, 20_000, "range of 100", "ZRANGEBYLEX of 100"),
        (1000, 4000, "range of 1000", "ZRANGEBYLEX of 1000"),
        (10_000, 500, "range of 10000", "ZRANGEBYLEX of 10000"),
    ] {
        for (name, both) in [(name, false), (both, true)] {
            let ours = format!("RANGE [key:__rand_int__ + LIMIT {keys}");
            let theirs = format!("ZRANGEBYLEX {NAMES} [key:__rand_int__ + LIMIT 0 {keys}");
            subjects.push(Subject { name, requests, ours, theirs, both });
        }
    }
    // All keys but the last two digits: a hundred.
    let prefix = format!("key:{:010}", keys / 200);
    for (name, both) in [("prefix of 100, or KEYS", false), ("KEYS", true)] {
        let (ours, theirs) = (format!("PREFIX {prefix}"), format!("KEYS {prefix}*"));
        subjects.push(Subject { name, requests: 40, ours, theirs, both });
    }
    subjects
}

/// Runs the report.
pub(crate) fn run(program: &Path, options: &Options) -> io::Result<()> {
    load::is_possible()?;
    let peers = start_peers(program, 1, &options.peers)?;
    let mut report = Report::new("range", &peers);
    let mut notes = String::new();
    for (at, peer) in peers.iter().enumerate() {
        let mut client = Client::connect(&peer.addr)?;
        fill(&mut client, &peer.name, 0, options.keys)?;
        if at == 0 {
            notes += &once::table(peer, options)?;
        }
        notes += &list_names(&mut client, peer, options.keys)?;
    }
    let subjects = subjects(options.keys);
    for subject in &subjects {
        measure(subject, &peers, options, &mut report)?;
    }
    notes += &walks::table(&peers, options)?;
    notes += &writes::table(&peers[0], options)?;
    drop(peers);
    notes += &once::pages(program, options)?;
    report.notes = notes;
    report.write(&options.out)?;
    println!("{}", report.markdown());
    println!("written to {}", options.out.display());
    Ok(())
}

/// Puts all names into the sorted set; what it takes.
fn list_names(client: &mut Client, peer: &Peer, keys: u64) -> io::Result<String> {
    let used = |client: &mut Client| -> io::Result<f64> {
        Ok(client.info("used_memory")?.and_then(|text| text.parse().ok()).unwrap_or(0.0))
    };
    let before = used(client)?;
    for first in (0..keys).step_by(500) {
        let names: Vec<String> =
            (first..(first + 500).min(keys)).map(|n| format!("key:{n:012}")).collect();
        let mut words: Vec<&[u8]> = vec![b"ZADD", NAMES.as_bytes()];
        names.iter().for_each(|name| words.extend([b"0", name.as_bytes()]));
        let mut bytes = Vec::new();
        encode(&words, &mut bytes);
        client.send(&bytes)?;
        if let Reply::Error(text) = client.read()? {
            return Err(io::Error::other(format!("{}: ZADD: {text}", peer.name)));
        }
    }
    // Some servers report memory with a delay of one background round.
    std::thread::sleep(std::time::Duration::from_millis(300));
    let each = (used(client)? - before) / keys as f64;
    Ok(format!("* {}: a sorted set of the names takes {each:.1} B/key\n", peer.name))
}

/// Times one subject, each round on one server after the other.
fn measure(
    subject: &Subject,
    peers: &[Peer],
    options: &Options,
    report: &mut Report,
) -> io::Result<()> {
    let mut wanted = None;
    for (number, peer) in peers.iter().enumerate() {
        let words: Vec<String> = subject.words(number);
        let words: Vec<String> =
            words.iter().map(|word| word.replace("__rand_int__", "000000012345")).collect();
        let words: Vec<&[u8]> = words.iter().map(String::as_bytes).collect();
        let mut answer = Client::connect(&peer.addr)?.call(&words)?;
        if let Reply::List(names) = &mut answer {
            // KEYS has no order, and knows the sorted set by its name, too.
            names.sort_by_cached_key(|name| format!("{name:?}"));
        }
        if *wanted.get_or_insert_with(|| answer.clone()) != answer {
            let text = format!("{} answers {} differently", peer.name, subject.name);
            return Err(io::Error::other(text));
        }
    }
    let requests = (subject.requests / options.part).max(10);
    for round in 0..options.rounds {
        progress(round, options.rounds, subject.name);
        for (number, peer) in peers.iter().enumerate() {
            let words = subject.words(number);
            let load = Load::Command { name: subject.name, words: &words };
            // So that each range has its keys behind it.
            let from = options.keys - 10_000;
            for sample in load::run(peer, &load, SHAPE, requests, from)? {
                report.cells.push(Cell { peer: number, shape: SHAPE, sample });
            }
        }
    }
    progress(options.rounds, options.rounds, subject.name);
    Ok(())
}

#[cfg(test)]
#[path = "range_tests.rs"]
mod tests;
