//! What is written: batches that a client sends, and reads while a writer is at work.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Instant;

use super::ask::Asker;
use super::reads::latencies;
use super::rows::{Rows, Unit};
use super::seed::Seed;
use super::sides::Side;
use super::{AHEAD, Options, answers};
use crate::keyvalue::progress;
use crate::process;

/// The key of the graph that is written to.
const WRITTEN: &str = "written";
/// Rows of a statement.
const ROWS: u64 = 1000;
/// Statements of a round.
const BATCHES: u64 = 10;
/// How far ahead we are to be with what is written.
const TWICE: f64 = 0.5;

/// A batch that is written: what is asked for each row of `$rows`, and whether rows are new.
struct Batch {
    name: &'static str,
    statement: &'static str,
    new: bool,
}

const BATCHED: [Batch; 5] = [
    Batch {
        name: "CREATE of nodes",
        statement: "UNWIND $rows AS row CREATE (:Made {id: row.id, name: row.name, age: row.age, \
                    score: row.score})",
        new: true,
    },
    Batch {
        name: "CREATE of edges",
        statement: "UNWIND $rows AS row MATCH (a:Made {id: row.id}), (b:Made {id: row.other}) \
                    CREATE (a)-[:LINKS {weight: row.score}]->(b)",
        new: false,
    },
    Batch {
        name: "MERGE of what is there",
        statement: "UNWIND $rows AS row MERGE (p:Made {id: row.id}) SET p.age = row.age",
        new: false,
    },
    Batch {
        name: "MERGE of what is new",
        statement: "UNWIND $rows AS row MERGE (p:Made {id: row.id}) SET p.name = row.name",
        new: true,
    },
    Batch {
        name: "SET of all properties",
        statement: "UNWIND $rows AS row MATCH (p:Made {id: row.id}) SET p += row",
        new: false,
    },
];

/// The rows of a statement, as a client sends them.
fn list(from: u64) -> String {
    let row = |id: u64| {
        let other = id / 2;
        let (age, score) = (id % 100, id % 1000);
        format!("{{id: {id}, other: {other}, name: 'Person_{id}', age: {age}, score: {score}.5}}")
    };
    (from..from + ROWS).map(row).collect::<Vec<_>>().join(", ")
}

/// Times batches, and that all have left the same behind.
pub(super) fn batches(sides: &[Side], options: &Options, rows: &mut Rows) -> io::Result<()> {
    for side in sides {
        let mut asker = Asker::connect(&side.peer.addr)?;
        asker.rows(WRITTEN, "CREATE INDEX FOR (p:Made) ON (p.id)")?;
    }
    let mut next = 0;
    for batch in &BATCHED {
        progress(0, 1, batch.name);
        for _ in 0..options.rounds {
            let first = if batch.new { next } else { 0 };
            next += if batch.new { BATCHES * ROWS } else { 0 };
            for (number, side) in sides.iter().enumerate() {
                let mut asker = Asker::connect(&side.peer.addr)?;
                let before = process::cpu_seconds(side.peer.pid)?;
                for at in 0..BATCHES {
                    let list = list(first + at * ROWS);
                    asker.rows(WRITTEN, &format!("CYPHER rows=[{list}] {}", batch.statement))?;
                }
                let each =
                    (process::cpu_seconds(side.peer.pid)? - before) / (BATCHES * ROWS) as f64;
                rows.add(number, batch.name, (Unit::CpuMicros, TWICE), each * 1e6);
            }
        }
    }
    for statement in [
        "MATCH (p:Made) RETURN count(p), sum(p.id), sum(p.age), sum(p.score)",
        "MATCH (a:Made)-[r:LINKS]->(b:Made) RETURN count(r), sum(a.id), sum(b.id), sum(r.weight)",
    ] {
        answers::compare(sides, WRITTEN, statement)?;
    }
    single(sides, options, rows)?;
    for side in sides {
        let mut asker = Asker::connect(&side.peer.addr)?;
        asker.rows(WRITTEN, "MATCH (p:Made) RETURN count(p)")?;
    }
    Ok(())
}

/// Times statements that make one node each.
fn single(sides: &[Side], options: &Options, rows: &mut Rows) -> io::Result<()> {
    let count = options.requests / 10;
    for _ in 0..options.rounds {
        for (number, side) in sides.iter().enumerate() {
            let mut asker = Asker::connect(&side.peer.addr)?;
            let before = process::cpu_seconds(side.peer.pid)?;
            for id in 0..count {
                asker.rows(WRITTEN, &format!("CYPHER id={id} CREATE (:One {{id: $id}})"))?;
            }
            let each = (process::cpu_seconds(side.peer.pid)? - before) / count.max(1) as f64;
            rows.add(number, "CREATE of one node", (Unit::CpuMicros, TWICE), each * 1e6);
        }
    }
    answers::compare(sides, WRITTEN, "MATCH (p:One) RETURN count(p), sum(p.id)")
}

/// Look-ups and hops while nothing else is done, and while another connection writes batches.
pub(super) fn beside(
    sides: &[Side],
    seed: Seed,
    options: &Options,
    rows: &mut Rows,
) -> io::Result<()> {
    for _ in 0..options.rounds {
        for (number, side) in sides.iter().enumerate() {
            progress(0, 1, "reads beside a writer");
            let (_, idle) = latencies(side, seed, options.requests / 4)?;
            rows.add(number, "reads, p99 with nothing else", (Unit::Millis, AHEAD), idle);
            let ended = AtomicBool::new(false);
            let (busy, written) = thread::scope(|scope| {
                let writer = scope.spawn(|| write_until(side, &ended));
                let busy = latencies(side, seed, options.requests / 4);
                ended.store(true, Ordering::Relaxed);
                (busy, writer.join())
            });
            let (_, busy) = busy?;
            rows.add(number, "reads, p99 beside a writer", (Unit::Millis, AHEAD), busy);
            let each = written.map_err(|_| io::Error::other("the writer failed"))??;
            rows.add(number, "a batch of 1000 beside reads", (Unit::Millis, TWICE), each);
        }
    }
    Ok(())
}

/// Writes batches to the graph that others read, and takes them away again; milliseconds for each.
fn write_until(side: &Side, ended: &AtomicBool) -> io::Result<f64> {
    let mut asker = Asker::connect(&side.peer.addr)?;
    let (start, mut count) = (Instant::now(), 0);
    while count == 0 || !ended.load(Ordering::Relaxed) {
        let list = list(count * ROWS);
        let create = "UNWIND $rows AS row CREATE (:Beside {id: row.id, name: row.name})";
        asker.rows(super::sides::GRAPH, &format!("CYPHER rows=[{list}] {create}"))?;
        count += 1;
    }
    let each = start.elapsed().as_secs_f64() * 1e3 / count as f64;
    asker.rows(super::sides::GRAPH, "MATCH (n:Beside) DELETE n")?;
    Ok(each)
}
