//! The graph report: two million persons and four million relationships, the queries of
//! pyrsedis's report over them, look-ups and hops, batches that are written, memory and a restart,
//! beside FalkorDB where it is.
//!
//! Both are told the same statements, and must answer with the same rows before anything is timed:
//! FalkorDB with no bound on its rows, which is 10,000 in its image. What one query costs is the
//! processor time of the server's process; answers are read without being kept. Both servers have
//! all processors, with as many threads as they take by themselves.

mod answers;
mod ask;
mod reads;
mod rows;
mod seed;
mod sides;
mod writes;

use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use self::ask::Asker;
use self::rows::{Rows, Unit};
use self::seed::Seed;
use self::sides::{Falkor, GRAPH, Side};
use crate::client::Client;
use crate::keyvalue::{list, progress};
use crate::{peer, process};

/// A third of what a peer takes: how far ahead we are to be.
const AHEAD: f64 = 1.0 / 3.0;

/// Names FalkorDB, as `--falkordb` does.
const VARIABLE: &str = "KVIST_FALKORDB";

/// The parts there are.
const PARTS: [&str; 5] = ["large", "points", "writes", "beside", "restart"];

/// What to measure.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    rounds: usize,
    scale: f64,
    requests: u64,
    parts: Vec<String>,
    falkor: Option<Falkor>,
    peers: Vec<(String, String)>,
    out: PathBuf,
}

impl Options {
    /// Reads the command line behind `graph`.
    pub fn parse(args: &[String]) -> Result<Self, String> {
        let mut options = Options {
            rounds: 5,
            scale: 1.0,
            requests: 20_000,
            parts: PARTS.map(str::to_owned).to_vec(),
            falkor: std::env::var(VARIABLE).ok().map(|it| Falkor::named(&it)).transpose()?,
            peers: Vec::new(),
            out: PathBuf::from("bench/out"),
        };
        let mut rest = args.iter();
        while let Some(flag) = rest.next() {
            if flag == "--quick" {
                (options.rounds, options.scale, options.requests) = (1, 0.005, 500);
                continue;
            }
            let value = rest.next().ok_or_else(|| format!("{flag} needs a value"))?;
            let number = || value.parse::<u64>().map_err(|_| format!("{flag}: not a number"));
            match flag.as_str() {
                "--rounds" => options.rounds = usize::try_from(number()?).unwrap_or(1).max(1),
                "--scale" => {
                    let scale = value.parse::<f64>().ok().filter(|it| *it > 0.0 && *it <= 100.0);
                    options.scale = scale.ok_or("--scale wants a number up to 100")?;
                }
                "--requests" => options.requests = number()?.max(100),
                "--parts" => options.parts = list(value),
                "--falkordb" => options.falkor = Some(Falkor::named(value)?),
                "--out" => options.out = PathBuf::from(value),
                "--peer" => options.peers.push(peer::named(value)?),
                other => return Err(format!("unknown option '{other}'")),
            }
        }
        match options.parts.iter().find(|part| !PARTS.contains(&part.as_str())) {
            Some(part) => Err(format!("no part '{part}'; there are {}", PARTS.join(", "))),
            None => Ok(options),
        }
    }

    fn wants(&self, part: &str) -> bool {
        self.parts.iter().any(|wanted| wanted == part)
    }
}

/// Runs the report.
pub(crate) fn run(program: &Path, options: &Options) -> io::Result<()> {
    let mut sides = vec![Side::kvist(program)?];
    match &options.falkor {
        Some(falkor) => sides.push(Side::falkordb(falkor)?),
        None => println!(
            "SKIP: FalkorDB is not named; give --falkordb FOLDER, or {VARIABLE}, to compare \
             with it"
        ),
    }
    for (name, addr) in &options.peers {
        sides.push(Side::running(name, addr)?);
    }
    let seed = Seed::new(options.scale);
    let names = sides.iter().map(|side| format!("{} {}", side.peer.name, side.peer.version));
    let mut rows = Rows::new(names.collect());
    let persons = seed.persons;
    rows.notes += &format!("* {persons} persons, and as many relationships of each of two types\n");
    for (number, side) in sides.iter().enumerate() {
        load(side, number, seed, &mut rows)?;
    }
    for statement in [
        "MATCH (p:Person) RETURN count(p), sum(p.id), sum(p.score)",
        "MATCH (a)-[r:KNOWS]->(b) RETURN count(r), sum(b.id), sum(r.weight)",
        "MATCH (a)-[r:FOLLOWS]->(b) RETURN count(r), sum(b.id), sum(r.since)",
    ] {
        answers::compare(&sides, GRAPH, statement)?;
    }
    if options.wants("large") {
        reads::large(&sides, seed, options, &mut rows)?;
    }
    if options.wants("points") {
        reads::points(&sides, seed, options, &mut rows)?;
    }
    if options.wants("writes") {
        writes::batches(&sides, options, &mut rows)?;
    }
    if options.wants("beside") {
        writes::beside(&sides, seed, options, &mut rows)?;
    }
    if options.wants("restart") {
        restart(&mut sides, seed, options, &mut rows)?;
    }
    rows.write(&options.out)?;
    println!("{}", rows.markdown());
    println!("written to {}", options.out.display());
    Ok(())
}

/// Loads the graph, and says what that took and what it takes.
fn load(side: &Side, number: usize, seed: Seed, rows: &mut Rows) -> io::Result<()> {
    let pid = side.peer.pid;
    let mut client = Client::connect(&side.peer.addr)?;
    let used = |client: &mut Client| -> io::Result<f64> {
        Ok(client.info("used_memory")?.and_then(|text| text.parse().ok()).unwrap_or(0.0))
    };
    let before = (used(&mut client)?, process::resident_bytes(pid)?);
    let mut asker = Asker::connect(&side.peer.addr)?;
    asker.rows(GRAPH, Seed::index())?;
    // FalkorDB builds indexes beside: an empty one is there at once.
    std::thread::sleep(std::time::Duration::from_millis(200));
    for (name, statements) in [
        ("load: persons", seed.nodes()),
        ("load: KNOWS", seed.knows()),
        ("load: FOLLOWS", seed.follows()),
    ] {
        let (cpu, start) = (process::cpu_seconds(pid)?, Instant::now());
        for (at, statement) in statements.iter().enumerate() {
            progress(at, statements.len(), &format!("{} {name}", side.peer.name));
            asker.rows(GRAPH, statement)?;
        }
        progress(statements.len(), statements.len(), name);
        let cpu = process::cpu_seconds(pid)? - cpu;
        rows.add(number, name, (Unit::CpuMillis, 0.5), cpu * 1e3);
        rows.add(number, name, (Unit::Millis, 0.5), start.elapsed().as_secs_f64() * 1e3);
    }
    // Some servers report memory with a delay of one background round.
    std::thread::sleep(std::time::Duration::from_millis(500));
    let resident = process::resident_bytes(pid)?.saturating_sub(before.1) as f64;
    rows.add(number, "memory, own account", (Unit::Bytes, 0.5), used(&mut client)? - before.0);
    rows.add(number, "memory, resident", (Unit::Bytes, 0.5), resident);
    Ok(())
}

/// Saves, kills and starts again; what it takes until the first answer.
fn restart(sides: &mut [Side], seed: Seed, options: &Options, rows: &mut Rows) -> io::Result<()> {
    let statement = format!("MATCH (p:Person {{id: {}}})-->(x) RETURN x.id", seed.persons / 2);
    for round in 0..options.rounds.min(3) {
        for (number, side) in sides.iter_mut().enumerate() {
            progress(round, options.rounds, "restart");
            let Some(took) = side.restart(&statement)? else { continue };
            // Threads that loaded may have ended: only the process still counts theirs.
            let (user, system) = process::user_system_seconds(side.peer.pid)?;
            let cpu = user + system;
            rows.add(number, "restart", (Unit::Millis, 0.5), took.as_secs_f64() * 1e3);
            rows.add(number, "restart", (Unit::CpuMillis, 0.5), cpu * 1e3);
        }
    }
    answers::compare(sides, GRAPH, "MATCH (a)-[r]->(b) RETURN count(r), sum(a.id), sum(b.id)")
}

#[cfg(test)]
#[path = "graph_tests.rs"]
mod tests;
