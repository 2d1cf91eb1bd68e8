//! The JSON report: the rows of RedisJSON's own, beside plain strings of the same bytes.
//!
//! Five documents from 380 bytes to 40 kB: each is fetched and stored whole, and by a path to a
//! scalar in it. The same bytes as a plain string show what a document costs beyond its transport,
//! and eight scripts what applications without `JSON.*` do: they keep documents as text or as
//! MessagePack. A server that does not know `JSON.*` is measured with strings and scripts, one that
//! does not know `EVAL` has `no scripts` in its column. A server with RedisJSON is given by
//! address.

mod columns;
pub(crate) mod documents;
mod memory;
mod rows;
mod scripts;
mod speed;

use std::io;
use std::path::{Path, PathBuf};

use self::documents::load_all;
use self::rows::{Row, Way};
use self::scripts::{Digests, SOURCES};
use crate::client::{Client, Reply};
use crate::keyvalue::{progress, shapes, start_peers};
use crate::load::{self, Load, Shape};
use crate::peer::{self, Peer};
use crate::report::{Cell, Report};
use crate::scripting::{self, NO_SCRIPTS};

/// What to measure.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    rounds: usize,
    /// Requests per run of a small value, without pipelining; fewer of a large one.
    requests: u64,
    /// How many copies of a document are weighed.
    copies: u64,
    /// How long parsing and writing are timed, in milliseconds each.
    speed: u64,
    shapes: Vec<Shape>,
    documents: PathBuf,
    peers: Vec<(String, String)>,
    out: PathBuf,
}

impl Options {
    /// Reads the command line behind `json`.
    pub fn parse(args: &[String]) -> Result<Self, String> {
        let mut options = Options {
            rounds: 5,
            requests: 100_000,
            copies: 10_000,
            speed: 500,
            shapes: shapes("16:1,16:16")?,
            documents: PathBuf::from("../shared/data/json"),
            peers: Vec::new(),
            out: PathBuf::from("bench/out"),
        };
        let mut rest = args.iter();
        while let Some(flag) = rest.next() {
            if flag == "--quick" {
                options.rounds = 1;
                options.requests = 2000;
                options.copies = 200;
                options.speed = 20;
                continue;
            }
            let value = rest.next().ok_or_else(|| format!("{flag} needs a value"))?;
            let number = || value.parse::<u64>().map_err(|_| format!("{flag}: not a number"));
            match flag.as_str() {
                "--rounds" => {
                    options.rounds = usize::try_from(number()?.max(1)).unwrap_or(usize::MAX);
                }
                "--requests" => options.requests = number()?.max(1000),
                "--copies" => options.copies = number()?.max(1),
                "--shapes" => options.shapes = shapes(value)?,
                "--documents" => options.documents = PathBuf::from(value),
                "--out" => options.out = PathBuf::from(value),
                "--peer" => options.peers.push(peer::named(value)?),
                other => return Err(format!("unknown option '{other}'")),
            }
        }
        Ok(options)
    }
}

/// A server, and whether it knows documents and scripts.
struct Side<'p> {
    peer: &'p Peer,
    documents: bool,
    scripts: bool,
}

impl Side<'_> {
    /// Why a row cannot be measured, if it cannot.
    fn gap(&self, way: Way) -> Option<&'static str> {
        match way {
            Way::String => None,
            Way::Document => (!self.documents).then_some("no documents"),
            Way::Text | Way::MessagePack => (!self.scripts).then_some(NO_SCRIPTS),
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
        if loaded.is_none() {
            println!("{} {}: {NO_SCRIPTS}", peer.name, peer.version);
        }
        sides.push(Side { peer, documents: knows_documents(peer)?, scripts: loaded.is_some() });
        digests = digests.or(loaded.map(Digests));
    }
    if sides.iter().skip(1).all(|side| !side.documents) {
        println!("No peer knows JSON.*; give one with --peer NAME=HOST:PORT");
    }
    let mut report = Report::new("json", &peers);
    for document in &documents {
        memory::weigh_all(document, &sides, options, &mut report)?;
    }
    let mut rows = Vec::new();
    for document in &documents {
        rows.extend(rows::of(document, digests.as_ref()).map_err(io::Error::other)?);
    }
    for (at, row) in rows.iter().enumerate() {
        progress(at, rows.len(), &row.name);
        measure(row, &sides, options, &mut report)?;
    }
    progress(rows.len(), rows.len(), "done");
    report.notes = columns::tables(&rows, &sides, &report, options);
    report.notes += &speed::table(&documents, options.speed)?;
    report.write(&options.out)?;
    println!("{}", report.markdown());
    println!("written to {}", options.out.display());
    Ok(())
}

/// Whether it knows documents; it is empty afterwards.
fn knows_documents(peer: &Peer) -> io::Result<bool> {
    let mut client = Client::connect(&peer.addr)?;
    let answer = client.call(&[b"JSON.SET", b"bench", b".", b"{}"])?;
    client.call(&[b"FLUSHALL"])?;
    Ok(answer == Reply::Text("OK".to_owned()))
}

/// Times one row, each round on one server after the other.
fn measure(
    row: &Row,
    sides: &[Side<'_>],
    options: &Options,
    report: &mut Report,
) -> io::Result<()> {
    for (number, side) in sides.iter().enumerate() {
        if let Some(why) = side.gap(row.way) {
            report.cannot(number, &row.name, why);
        }
    }
    for &shape in &options.shapes {
        let requests = row.requests(options.requests, shape.pipeline);
        for _ in 0..options.rounds {
            for (number, side) in sides.iter().enumerate() {
                if side.gap(row.way).is_some() {
                    continue;
                }
                prepare(row, side.peer)?;
                let load = Load::Command { name: &row.name, words: &row.command };
                for sample in load::run(side.peer, &load, shape, requests, 1_000_000)? {
                    report.cells.push(Cell { peer: number, shape, sample });
                }
            }
        }
    }
    Ok(())
}

/// Brings the values of a row to what they should be, and looks whether its command works.
fn prepare(row: &Row, peer: &Peer) -> io::Result<()> {
    let mut client = Client::connect(&peer.addr)?;
    let mut ask = |words: &[String]| {
        // What stands here instead of a random number is a number, too.
        let words: Vec<String> =
            words.iter().map(|word| word.replace(rows::RANDOM, "000000000000")).collect();
        let words: Vec<&[u8]> = words.iter().map(String::as_bytes).collect();
        client.call(&words)
    };
    let failed = |what: &str| io::Error::other(format!("{}: {}: {what}", peer.name, row.name));
    for words in row.prepare.iter().chain([&row.command]) {
        match ask(words)? {
            Reply::Error(message) => return Err(failed(&message)),
            Reply::Bytes(None) => return Err(failed("there is nothing")),
            _ => {}
        }
    }
    match &row.proof {
        None => Ok(()),
        Some((words, answer)) => answer.check(&ask(words)?).map_err(|what| failed(&what)),
    }
}

#[cfg(test)]
#[path = "json_tests.rs"]
mod tests;
