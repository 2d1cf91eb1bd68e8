//! The families report: the processor time of heavier commands of each type, and the memory that
//! values of each type take while they are small.
//!
//! All servers get the same values, built from numbers, and must answer every measured command
//! alike before it is timed.

mod subjects;
mod values;

use std::io;
use std::path::{Path, PathBuf};

use self::subjects::{SUBJECTS, Subject};
use self::values::KINDS;
use crate::client::{Client, Reply, encode};
use crate::keyvalue::{list, progress, start_peers, weigh};
use crate::load::{self, Load, Shape};
use crate::peer::{self, Peer};
use crate::report::{Cell, KeyGroup, Report};

/// What to measure.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    rounds: usize,
    /// Divides the requests of each subject and the keys of each kind.
    part: u64,
    only: Vec<String>,
    shape: Shape,
    peers: Vec<(String, String)>,
    out: PathBuf,
}

impl Options {
    /// Reads the command line behind `families`.
    pub fn parse(args: &[String]) -> Result<Self, String> {
        let mut options = Options {
            rounds: 5,
            part: 1,
            only: Vec::new(),
            shape: Shape { clients: 50, pipeline: 16 },
            peers: Vec::new(),
            out: PathBuf::from("bench/out"),
        };
        let mut rest = args.iter();
        while let Some(flag) = rest.next() {
            if flag == "--quick" {
                options.rounds = 1;
                options.part = 20;
                continue;
            }
            let value = rest.next().ok_or_else(|| format!("{flag} needs a value"))?;
            let number = || value.parse::<u32>().map_err(|_| format!("{flag}: not a number"));
            match flag.as_str() {
                "--rounds" => options.rounds = number()?.max(1) as usize,
                "--pipeline" => options.shape.pipeline = number()?.max(1),
                "--tests" => options.only = list(value),
                "--out" => options.out = PathBuf::from(value),
                "--peer" => options.peers.push(peer::named(value)?),
                other => return Err(format!("unknown option '{other}'")),
            }
        }
        let known = |name: &String| {
            name == "memory" || SUBJECTS.iter().any(|s| s.name.eq_ignore_ascii_case(name))
        };
        match options.only.iter().find(|name| !known(name)) {
            Some(name) => {
                let names: Vec<&str> = SUBJECTS.iter().map(|s| s.name).collect();
                Err(format!("no test '{name}'; there are memory, {}", names.join(", ")))
            }
            None => Ok(options),
        }
    }

    fn wants(&self, test: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|name| name.eq_ignore_ascii_case(test))
    }
}

/// Runs the report.
pub(crate) fn run(program: &Path, options: &Options) -> io::Result<()> {
    load::is_possible()?;
    let peers = start_peers(program, 1, &options.peers)?;
    let mut report = Report::new("families", &peers);
    if options.wants("memory") {
        for kind in KINDS {
            report.kinds.push(weigh_kind(kind, &peers, options)?);
        }
    }
    for subject in SUBJECTS.iter().filter(|subject| options.wants(subject.name)) {
        measure(subject, &peers, options, &mut report)?;
    }
    report.write(&options.out)?;
    println!("{}", report.markdown());
    println!("written to {}", options.out.display());
    Ok(())
}

/// Times one subject, each round on one server after the other.
fn measure(
    subject: &Subject,
    peers: &[Peer],
    options: &Options,
    report: &mut Report,
) -> io::Result<()> {
    let words = list_of(subject.command);
    for peer in peers {
        let mut client = Client::connect(&peer.addr)?;
        fill(&mut client, &peer.name, &(subject.prepare)())?;
    }
    compare(subject, peers, &words)?;
    let requests = (subject.requests / options.part).max(100);
    for round in 0..options.rounds {
        progress(round, options.rounds, subject.name);
        for (number, peer) in peers.iter().enumerate() {
            let load = Load::Command { name: subject.name, words: &words };
            for sample in load::run(peer, &load, options.shape, requests, 1_000_000)? {
                report.cells.push(Cell { peer: number, shape: options.shape, sample });
            }
        }
    }
    progress(options.rounds, options.rounds, subject.name);
    Ok(())
}

/// Servers that do not answer alike do not do the same work.
fn compare(subject: &Subject, peers: &[Peer], words: &[String]) -> io::Result<()> {
    if !subject.repeatable {
        return Ok(());
    }
    let mut answers = Vec::new();
    for peer in peers {
        let words: Vec<&[u8]> = words.iter().map(String::as_bytes).collect();
        let mut answer = Client::connect(&peer.addr)?.call(&words)?;
        if let (Reply::List(items), true) = (&mut answer, subject.unordered) {
            items.sort_by_cached_key(|item| format!("{item:?}"));
        }
        if let Reply::Error(message) = &answer {
            return Err(io::Error::other(format!("{}: {}: {message}", peer.name, subject.name)));
        }
        answers.push(answer);
    }
    match peers.iter().zip(&answers).find(|(_, answer)| **answer != answers[0]) {
        None => Ok(()),
        Some((peer, answer)) => Err(io::Error::other(format!(
            "{} and {} answer {} differently: {:?} and {answer:?}",
            peers[0].name, peer.name, subject.name, answers[0]
        ))),
    }
}

/// What one key of a kind takes on each server.
fn weigh_kind(kind: &values::Of, peers: &[Peer], options: &Options) -> io::Result<KeyGroup> {
    let keys = (kind.keys / options.part).max(10);
    let mut memory = Vec::new();
    for peer in peers {
        let mut client = Client::connect(&peer.addr)?;
        expect_ok(&client.call(&[b"FLUSHALL"])?, &peer.name)?;
        memory.push(weigh(peer, keys, |client| {
            for first in (0..keys).step_by(100) {
                progress(first as usize, keys as usize, kind.title);
                let commands: Vec<Vec<String>> =
                    (first..(first + 100).min(keys)).flat_map(kind.commands).collect();
                fill(client, &peer.name, &commands)?;
            }
            progress(keys as usize, keys as usize, kind.title);
            Ok(())
        })?);
        expect_ok(&client.call(&[b"FLUSHALL"])?, &peer.name)?;
    }
    Ok(KeyGroup { title: kind.title.to_owned(), memory })
}

/// Sends commands in batches; none may fail.
pub(crate) fn fill(client: &mut Client, name: &str, commands: &[Vec<String>]) -> io::Result<()> {
    for batch in commands.chunks(200) {
        let mut bytes = Vec::new();
        for words in batch {
            let words: Vec<&[u8]> = words.iter().map(String::as_bytes).collect();
            encode(&words, &mut bytes);
        }
        client.send(&bytes)?;
        for words in batch {
            if let Reply::Error(message) = client.read()? {
                let command = words.first().map_or("", String::as_str);
                return Err(io::Error::other(format!("{name}: {command}: {message}")));
            }
        }
    }
    Ok(())
}

fn expect_ok(reply: &Reply, name: &str) -> io::Result<()> {
    if *reply == Reply::Text("OK".to_owned()) {
        return Ok(());
    }
    Err(io::Error::other(format!("{name} answered {reply:?}")))
}

/// A command's words, separated by blanks.
fn list_of(command: &str) -> Vec<String> {
    command.split(' ').map(str::to_owned).collect()
}
