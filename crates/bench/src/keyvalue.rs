//! The key-value report: redis-benchmark's tests in several shapes, and memory per key.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use crate::client::{Client, Reply, encode};
use crate::load::{self, Load, Sample, Shape};
use crate::peer::{self, Peer, Processors, find};
use crate::process;
use crate::report::{Cell, KeyGroup, Memory, Report};

/// Tests that redis-benchmark runs when it is not told which.
const ALL: &str = "ping_inline,ping_mbulk,set,get,incr,lpush,rpush,lpop,rpop,sadd,hset,spop,zadd,\
                   zpopmin,lrange_100,lrange_300,lrange_500,lrange_600,mset";

/// What to measure.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    rounds: usize,
    requests: u64,
    keys: u64,
    tests: Vec<String>,
    shapes: Vec<Shape>,
    threads: usize,
    peers: Vec<(String, String)>,
    out: PathBuf,
}

impl Options {
    /// Reads the command line behind `keyvalue`.
    pub fn parse(args: &[String]) -> Result<Self, String> {
        let mut options = Options {
            rounds: 5,
            requests: 400_000,
            keys: 1_000_000,
            tests: list("set,get"),
            shapes: shapes("50:1,50:16,50:100")?,
            threads: 1,
            peers: Vec::new(),
            out: PathBuf::from("bench/out"),
        };
        let mut rest = args.iter();
        while let Some(flag) = rest.next() {
            if flag == "--quick" {
                options.rounds = 1;
                options.requests = 20_000;
                options.keys = 10_000;
                continue;
            }
            let value = rest.next().ok_or_else(|| format!("{flag} needs a value"))?;
            let number = || value.parse::<u64>().map_err(|_| format!("{flag}: not a number"));
            let count = || value.parse::<usize>().map_err(|_| format!("{flag}: not a number"));
            match flag.as_str() {
                "--rounds" => options.rounds = count()?.max(1),
                "--requests" => options.requests = number()?.max(1000),
                "--keys" => options.keys = number()?.max(1),
                "--tests" if value == "all" => options.tests = list(ALL),
                "--tests" => options.tests = list(value),
                "--shapes" => options.shapes = shapes(value)?,
                "--threads" => options.threads = count()?.max(1),
                "--out" => options.out = PathBuf::from(value),
                "--peer" => options.peers.push(peer::named(value)?),
                other => return Err(format!("unknown option '{other}'")),
            }
        }
        Ok(options)
    }
}

/// A list separated by commas.
pub(crate) fn list(text: &str) -> Vec<String> {
    text.split(',').map(|t| t.trim().to_owned()).filter(|t| !t.is_empty()).collect()
}

/// Shapes, separated by commas.
pub(crate) fn shapes(text: &str) -> Result<Vec<Shape>, String> {
    let shape = |part: String| {
        let (clients, pipeline) = part.split_once(':')?;
        Some(Shape { clients: clients.parse().ok()?, pipeline: pipeline.parse().ok()? })
    };
    let read: Option<Vec<Shape>> = list(text).into_iter().map(shape).collect();
    read.ok_or_else(|| "--shapes wants CLIENTS:PIPELINE[,…]".to_owned())
}

/// Runs the report.
pub(crate) fn run(program: &Path, options: &Options) -> io::Result<()> {
    load::is_possible()?;
    let peers = start_peers(program, options.threads, &options.peers)?;
    let mut report = Report::new("keyvalue", &peers);
    let mut memory = Vec::new();
    for peer in &peers {
        check_answers(peer)?;
        memory.push(load_keys(peer, options.keys)?);
    }
    report.kinds.push(KeyGroup { title: "values of 100 bytes".to_owned(), memory });
    let total = options.shapes.len() * options.tests.len() * options.rounds;
    let mut done = 0;
    for &shape in &options.shapes {
        let requests = if shape.pipeline == 1 { options.requests / 10 } else { options.requests };
        for test in &options.tests {
            for _ in 0..options.rounds {
                done += 1;
                progress(done, total, &format!("{test} {shape}"));
                for (number, peer) in peers.iter().enumerate() {
                    let samples =
                        load::run(peer, &Load::Test(test), shape, requests, options.keys)?;
                    record(&mut report, number, shape, samples);
                }
            }
        }
    }
    report.write(&options.out)?;
    println!("{}", report.markdown());
    println!("written to {}", options.out.display());
    Ok(())
}

fn record(report: &mut Report, peer: usize, shape: Shape, samples: Vec<Sample>) {
    for sample in samples {
        report.cells.push(Cell { peer, shape, sample });
    }
}

/// Starts Kvist and whatever is installed, and connects to servers that run already.
pub(crate) fn start_peers(
    program: &Path,
    threads: usize,
    running: &[(String, String)],
) -> io::Result<Vec<Peer>> {
    start_on(program, threads, Processors::First, running)
}

/// The same, on one processor or all.
pub(crate) fn start_on(
    program: &Path,
    threads: usize,
    processors: Processors,
    running: &[(String, String)],
) -> io::Result<Vec<Peer>> {
    let mut peers = vec![Peer::kvist(program, threads, processors)?];
    for name in ["redis-server", "valkey-server"] {
        match find(name) {
            Some(file) => {
                let name = name.trim_end_matches("-server");
                peers.push(Peer::redis(name, &file, processors)?);
            }
            None => println!("SKIP: {name} not found; install it to compare with it"),
        }
    }
    for (name, addr) in running {
        peers.push(Peer::running(name, addr)?);
    }
    Ok(peers)
}

/// A wrong answer is not worth timing.
fn check_answers(peer: &Peer) -> io::Result<()> {
    let mut client = Client::connect(&peer.addr)?;
    let bulk = |text: &str| Reply::Bytes(Some(text.as_bytes().to_vec()));
    let checks: [(&[&str], Reply); 7] = [
        (&["SET", "bench:check", "value"], Reply::Text("OK".to_owned())),
        (&["GET", "bench:check"], bulk("value")),
        (&["GET", "bench:missing"], Reply::Bytes(None)),
        (&["INCR", "bench:number"], Reply::Int(1)),
        (&["INCR", "bench:number"], Reply::Int(2)),
        (&["DEL", "bench:check", "bench:number"], Reply::Int(2)),
        (&["DBSIZE"], Reply::Int(0)),
    ];
    for (words, expected) in checks {
        let words: Vec<&[u8]> = words.iter().map(|w| w.as_bytes()).collect();
        let answer = client.call(&words)?;
        if answer != expected {
            let shown = words.iter().map(|w| String::from_utf8_lossy(w)).collect::<Vec<_>>();
            return Err(io::Error::other(format!(
                "{} answered {answer:?} to {shown:?}; expected {expected:?}",
                peer.name
            )));
        }
    }
    Ok(())
}

/// Loads keys of 16 bytes with values of 100 bytes, as redis-benchmark names them.
fn load_keys(peer: &Peer, keys: u64) -> io::Result<Memory> {
    weigh(peer, keys, |client| fill(client, &peer.name, 0, keys))
}

/// What so many keys take, loaded into an empty server.
pub(crate) fn weigh(
    peer: &Peer,
    keys: u64,
    load: impl FnOnce(&mut Client) -> io::Result<()>,
) -> io::Result<Memory> {
    let mut client = Client::connect(&peer.addr)?;
    let used = |client: &mut Client| -> io::Result<u64> {
        Ok(client.info("used_memory")?.and_then(|v| v.parse().ok()).unwrap_or(0))
    };
    let (used_before, rss_before) = (used(&mut client)?, process::resident_bytes(peer.pid)?);
    load(&mut client)?;
    let count = client.call(&[b"DBSIZE"])?;
    if count != Reply::Int(i64::try_from(keys).unwrap_or(i64::MAX)) {
        return Err(io::Error::other(format!("{} holds {count:?} keys", peer.name)));
    }
    // Some servers report memory with a delay of one background round.
    std::thread::sleep(std::time::Duration::from_millis(300));
    let per_key = |before: u64, after: u64| after.saturating_sub(before) as f64 / keys as f64;
    Ok(Memory {
        used: per_key(used_before, used(&mut client)?),
        resident: per_key(rss_before, process::resident_bytes(peer.pid)?),
    })
}

/// Writes the keys of these numbers, of 16 bytes with values of 100 bytes.
pub(crate) fn fill(client: &mut Client, name: &str, from: u64, to: u64) -> io::Result<()> {
    const BATCH: u64 = 1000;
    let value = vec![b'x'; 100];
    let mut next = from;
    while next < to {
        let end = (next + BATCH).min(to);
        let mut bytes = Vec::new();
        for key in next..end {
            encode(&[b"SET", format!("key:{key:012}").as_bytes(), &value], &mut bytes);
        }
        client.send(&bytes)?;
        for _ in next..end {
            if client.read()? != Reply::Text("OK".to_owned()) {
                return Err(io::Error::other(format!("{name} refused a key")));
            }
        }
        next = end;
        let number = |n: u64| usize::try_from(n).unwrap_or(0);
        progress(number(next), number(to), &format!("loading {name}"));
    }
    Ok(())
}

/// Shows on a terminal how far something has come.
pub(crate) fn progress(done: usize, total: usize, what: &str) {
    let mut err = io::stderr();
    if err.is_terminal() {
        // A progress line that cannot be written is no reason to stop.
        let _ = write!(err, "\r\x1b[K[{done}/{total}] {what}");
        if done == total {
            let _ = write!(err, "\r\x1b[K");
        }
        let _ = err.flush();
    }
}

#[cfg(test)]
#[path = "keyvalue_tests.rs"]
mod tests;
