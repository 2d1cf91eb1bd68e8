//! What is read: rows by the million, and a person and those around, again and again.

use std::io;
use std::time::{Duration, Instant};

use super::ask::{Asker, query};
use super::rows::{Rows, Unit};
use super::seed::Seed;
use super::sides::{GRAPH, Side};
use super::{AHEAD, Options, answers};
use crate::client::{Client, Reply, encode};
use crate::keyvalue::progress;
use crate::process;
use crate::report::median;

/// Requests that are sent at a time where many are.
const PIPELINE: u64 = 16;

/// The hash that a look-up is compared with.
const HASH: &str = "person";

/// What is asked of a person: a name, and a statement with `$id`.
const POINTS: [(&str, &str); 9] = [
    ("look-up by index", "MATCH (p:Person {id: $id}) RETURN p.id, p.name, p.age, p.score"),
    ("1 hop", "MATCH (p:Person {id: $id})-[:KNOWS]->(x) RETURN x.name"),
    ("1 hop back", "MATCH (p:Person {id: $id})<-[:KNOWS]-(x) RETURN x.name"),
    ("2 hops", "MATCH (p:Person {id: $id})-->()-->(x) RETURN x.id"),
    ("3 hops", "MATCH (p:Person {id: $id})-->()-->()-->(x) RETURN x.id"),
    ("3 hops, distinct", "MATCH (p:Person {id: $id})-->()-->()-->(x) RETURN DISTINCT x.age"),
    ("up to 4 hops", "MATCH (p:Person {id: $id})-[:KNOWS*1..4]->(x) RETURN x.id"),
    ("range of 100", "MATCH (p:Person) WHERE p.id >= $id AND p.id < $id + 100 RETURN p.name"),
    ("EXISTS", "MATCH (p:Person {id: $id}) WHERE (p)-[:KNOWS]->(:Person) RETURN p.id"),
];

/// What is asked of all persons, and how far we are to be ahead.
const WHOLE: [(&str, &str); 5] = [
    ("2 hops counted", "MATCH (:Person)-[:KNOWS]->(:Person)-[:FOLLOWS]->(x) RETURN count(x)"),
    ("filter by age", "MATCH (p:Person) WHERE p.age = 42 RETURN count(p)"),
    ("DISTINCT age", "MATCH (p:Person) RETURN DISTINCT p.age"),
    ("top 10", "MATCH (p:Person) RETURN p.score, p.id ORDER BY p.score DESC, p.id LIMIT 10"),
    ("sum over edges", "MATCH (:Person)-[r:KNOWS]->(:Person) RETURN sum(r.weight), count(r)"),
];

/// Times the queries of the report, and those on all persons.
pub(super) fn large(
    sides: &[Side],
    seed: Seed,
    options: &Options,
    rows: &mut Rows,
) -> io::Result<()> {
    let whole = WHOLE.iter().map(|(name, statement)| (*name, (*statement).to_owned(), None));
    let named = seed.queries().into_iter().map(|one| (one.name, one.statement, Some(one.rows)));
    for (name, statement, expected) in named.chain(whole) {
        progress(0, 1, name);
        match expected {
            Some(expected) if expected > 100 => count(sides, &statement, expected)?,
            _ => answers::compare(sides, GRAPH, &statement)?,
        }
        for _ in 0..options.rounds {
            for (number, side) in sides.iter().enumerate() {
                let mut asker = Asker::connect(&side.peer.addr)?;
                let (before, start) = (process::cpu_seconds(side.peer.pid)?, Instant::now());
                asker.rows(GRAPH, &statement)?;
                let wall = start.elapsed();
                let cpu = process::cpu_seconds(side.peer.pid)? - before;
                rows.add(number, name, (Unit::CpuMillis, AHEAD), cpu * 1e3);
                rows.add(number, name, (Unit::Millis, AHEAD), wall.as_secs_f64() * 1e3);
            }
        }
    }
    Ok(())
}

/// That all rows come, from each.
fn count(sides: &[Side], statement: &str, expected: u64) -> io::Result<()> {
    for side in sides {
        let came = Asker::connect(&side.peer.addr)?.rows(GRAPH, statement)?;
        if came != expected {
            let text = format!("{}: {came} rows of {expected}: {statement}", side.peer.name);
            return Err(io::Error::other(text));
        }
    }
    Ok(())
}

/// Times what is asked of single persons, and `HGETALL` of as much.
pub(super) fn points(
    sides: &[Side],
    seed: Seed,
    options: &Options,
    rows: &mut Rows,
) -> io::Result<()> {
    let asked = |statement: &str, id: u64| format!("CYPHER id={id} {statement}");
    for (name, statement) in POINTS {
        progress(0, 1, name);
        for id in [0, 1, seed.persons / 2, seed.persons - 1] {
            answers::compare(sides, GRAPH, &asked(statement, id))?;
        }
        for round in 0..options.rounds {
            for (number, side) in sides.iter().enumerate() {
                let request = |n: u64| query(GRAPH, &asked(statement, seed.drawn(n)));
                let first = round as u64 * options.requests;
                let each = burst(side, options.requests, |n| request(first + n))?;
                rows.add(number, name, (Unit::CpuMicros, AHEAD), each * 1e6);
            }
        }
    }
    hashes(sides, options, rows)
}

/// What a hash of the same fields costs on the same server, beside a look-up.
fn hashes(sides: &[Side], options: &Options, rows: &mut Rows) -> io::Result<()> {
    let words = [
        &["HSET", HASH, "id", "7", "name", "Person_7", "age", "7", "score", "0.7"][..],
        &["HGETALL", HASH],
    ]
    .map(|words| {
        let words: Vec<&[u8]> = words.iter().map(|word| word.as_bytes()).collect();
        let mut bytes = Vec::new();
        encode(&words, &mut bytes);
        bytes
    });
    for _ in 0..options.rounds {
        for (number, side) in sides.iter().enumerate() {
            let mut client = Client::connect(&side.peer.addr)?;
            client.send(&words[0])?;
            if let Reply::Error(text) = client.read()? {
                return Err(io::Error::other(format!("{}: HSET: {text}", side.peer.name)));
            }
            let each = burst(side, options.requests, |_| words[1].clone())?;
            rows.add(number, "HGETALL of the same", (Unit::CpuMicros, 1.0), each * 1e6);
        }
    }
    Ok(())
}

/// Sends so many requests, some at a time; processor seconds of the server for each.
fn burst(side: &Side, requests: u64, request: impl Fn(u64) -> Vec<u8>) -> io::Result<f64> {
    let mut asker = Asker::connect(&side.peer.addr)?;
    let before = process::cpu_seconds(side.peer.pid)?;
    for first in (0..requests).step_by(usize::try_from(PIPELINE).unwrap_or(1)) {
        let some = first..(first + PIPELINE).min(requests);
        let bytes: Vec<Vec<u8>> = some.clone().map(&request).collect();
        let bytes: Vec<&[u8]> = bytes.iter().map(Vec::as_slice).collect();
        asker.send(&bytes)?;
        asker.pass(i64::try_from(some.end - some.start).unwrap_or(0))?;
    }
    Ok((process::cpu_seconds(side.peer.pid)? - before) / requests as f64)
}

/// How long single look-ups take, one after the other: the median and the 99th of a hundred.
pub(super) fn latencies(side: &Side, seed: Seed, requests: u64) -> io::Result<(f64, f64)> {
    let mut asker = Asker::connect(&side.peer.addr)?;
    let mut took = Vec::new();
    for number in 0..requests {
        let (_, statement) = POINTS[usize::try_from(number % 4).unwrap_or(0)];
        let id = seed.drawn(number);
        let start = Instant::now();
        asker.rows(GRAPH, &format!("CYPHER id={id} {statement}"))?;
        took.push(start.elapsed());
    }
    let millis = |took: &Duration| took.as_secs_f64() * 1e3;
    let mut all: Vec<f64> = took.iter().map(millis).collect();
    all.sort_by(f64::total_cmp);
    let last = all.get(all.len() * 99 / 100).copied().unwrap_or(f64::NAN);
    Ok((median(all), last))
}
