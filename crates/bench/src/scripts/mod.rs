//! The scripts report: what `EVAL`, `EVALSHA` and `FCALL` cost, from a single command to documents
//! taken apart, beside the plain command; and whether two scripts use two processors.
//!
//! All servers must answer every measured command alike before it is timed. A server without
//! scripts has `no scripts` in its column.

mod parallel;
mod subjects;

use std::io;
use std::path::{Path, PathBuf};

use self::subjects::{LIBRARY, Needs, SOURCES, Subject};
use crate::client::Client;
use crate::families::fill;
use crate::json::documents::load_all;
use crate::keyvalue::{self, list, progress, shapes, start_peers};
use crate::load::{self, Load, Shape};
use crate::peer::{self, Peer};
use crate::report::{Cell, Report};
use crate::scripting::{self, NO_FUNCTIONS, NO_SCRIPTS};

/// Keys that single reads and writes are spread over.
const KEYS: u64 = 100_000;

/// What to measure.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    rounds: usize,
    /// Divides the requests of each subject.
    part: u64,
    only: Vec<String>,
    shapes: Vec<Shape>,
    documents: PathBuf,
    peers: Vec<(String, String)>,
    out: PathBuf,
}

impl Options {
    /// Reads the command line behind `scripts`.
    pub fn parse(args: &[String]) -> Result<Self, String> {
        let mut options = Options {
            rounds: 5,
            part: 1,
            only: Vec::new(),
            shapes: shapes("50:1,50:16")?,
            documents: PathBuf::from("../shared/data/json"),
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
            match flag.as_str() {
                "--rounds" => {
                    let rounds = value.parse::<usize>();
                    options.rounds = rounds.map_err(|_| format!("{flag}: not a number"))?.max(1);
                }
                "--tests" => options.only = list(value),
                "--shapes" => options.shapes = shapes(value)?,
                "--documents" => options.documents = PathBuf::from(value),
                "--out" => options.out = PathBuf::from(value),
                "--peer" => options.peers.push(peer::named(value)?),
                other => return Err(format!("unknown option '{other}'")),
            }
        }
        Ok(options)
    }

    /// Whether the name of a test has one of the chosen words in it.
    fn wants(&self, test: &str) -> bool {
        let test = test.to_ascii_lowercase();
        self.only.is_empty()
            || self.only.iter().any(|word| test.contains(&word.to_ascii_lowercase()))
    }
}

/// A server, and what it knows.
struct Side<'p> {
    peer: &'p Peer,
    scripts: bool,
    functions: bool,
}

impl Side<'_> {
    /// Why a subject cannot be measured, if it cannot.
    fn gap(&self, needs: Needs) -> Option<&'static str> {
        match needs {
            Needs::Nothing => None,
            Needs::Scripts => (!self.scripts).then_some(NO_SCRIPTS),
            Needs::Functions => (!self.functions).then_some(NO_FUNCTIONS),
        }
    }
}

/// Runs the report.
pub(crate) fn run(program: &Path, options: &Options) -> io::Result<()> {
    load::is_possible()?;
    let documents = load_all(&options.documents)?;
    let peers = start_peers(program, 1, &options.peers)?;
    let (mut sides, mut digests) = (Vec::new(), None);
    for peer in &peers {
        let loaded = scripting::load(peer, &SOURCES)?;
        let functions = scripting::load_library(peer, LIBRARY)?;
        if loaded.is_none() {
            println!("{} {}: {NO_SCRIPTS}", peer.name, peer.version);
        }
        sides.push(Side { peer, scripts: loaded.is_some(), functions });
        digests = digests.or(loaded);
        keyvalue::fill(&mut Client::connect(&peer.addr)?, &peer.name, 0, KEYS)?;
    }
    let digests = digests.unwrap_or_else(|| vec![String::new(); SOURCES.len()]);
    let mut report = Report::new("scripts", &peers);
    let subjects = subjects::all(&documents, &digests);
    for subject in subjects.iter().filter(|subject| options.wants(&subject.name)) {
        measure(subject, &sides, options, &mut report)?;
    }
    drop(peers);
    if options.wants("two at once") {
        report.notes = parallel::table(program, options)?;
    }
    report.write(&options.out)?;
    println!("{}", report.markdown());
    println!("written to {}", options.out.display());
    Ok(())
}

/// Times one subject, each round on one server after the other.
fn measure(
    subject: &Subject,
    sides: &[Side<'_>],
    options: &Options,
    report: &mut Report,
) -> io::Result<()> {
    for (number, side) in sides.iter().enumerate() {
        match side.gap(subject.needs) {
            Some(why) => report.cannot(number, &subject.name, why),
            None => check(subject, side.peer)?,
        }
    }
    let total = options.shapes.len() * options.rounds;
    for (at, &shape) in options.shapes.iter().enumerate() {
        let faster = if shape.pipeline > 1 { 4 } else { 1 };
        let requests = (subject.requests * faster / 4 / options.part).max(100);
        for round in 0..options.rounds {
            progress(at * options.rounds + round, total, &subject.name);
            for (number, side) in sides.iter().enumerate() {
                if side.gap(subject.needs).is_some() {
                    continue;
                }
                let load = Load::Command { name: &subject.name, words: &subject.command };
                for sample in load::run(side.peer, &load, shape, requests, KEYS)? {
                    report.cells.push(Cell { peer: number, shape, sample });
                }
            }
        }
    }
    progress(total, total, &subject.name);
    Ok(())
}

/// Makes the values of a subject. A wrong answer is not worth timing.
fn check(subject: &Subject, peer: &Peer) -> io::Result<()> {
    let mut client = Client::connect(&peer.addr)?;
    fill(&mut client, &peer.name, &subject.prepare)?;
    let number = |word: &String| word.replace(subjects::RANDOM, "000000000000");
    let words: Vec<String> = subject.command.iter().map(number).collect();
    let words: Vec<&[u8]> = words.iter().map(String::as_bytes).collect();
    let answer = client.call(&words)?;
    if subject.answer.as_ref().is_none_or(|wanted| *wanted == answer) {
        return Ok(());
    }
    let (name, wanted) = (&subject.name, &subject.answer);
    Err(io::Error::other(format!("{}: {name}: {answer:?}; expected {wanted:?}", peer.name)))
}

#[cfg(test)]
#[path = "scripts_tests.rs"]
mod tests;
