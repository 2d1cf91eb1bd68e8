//! What statements cost from text to rows, without a server: loading by `UNWIND`, scans, groups,
//! hops, look-ups.
//!
//! `cargo bench -p kvist-graph --bench statements -- [PERSONS] [WORD]`, default two millions: the
//! graph of `kvist-bench graph`. With a word only what has it in its name is timed, ten times as
//! often. Every count of rows is checked. What is short is the best of some runs, of what is long
//! only the time of the processor counts.

use std::hint::black_box;
use std::time::{Duration, Instant};

use testkit::processor;

use kvist_graph::cypher::NoProcedures;
use kvist_graph::query::{self, Answer, NoInterrupt, Prepared, Settings};
use kvist_graph::storage::Graph;
use kvist_graph::temporal::Clock;
use kvist_graph::value::Map;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Rows that a statement of the load makes.
const BATCH: usize = 50_000;

fn run(graph: &mut Graph, text: &str) -> Answer {
    let clock = Clock::default();
    let set = |parameters| Settings {
        parameters,
        clock: &clock,
        seed: 1,
        memory: 8 << 30,
        interrupt: &NoInterrupt,
        profile: false,
    };
    let none = Map::default();
    let (parameters, body) = query::parameters(text, &set(&none)).expect("a header");
    let prepared = Prepared::compile(&text[body as usize..], &NoProcedures);
    let prepared = prepared.unwrap_or_else(|error| panic!("{text}: {error}"));
    let answer = match prepared.writes() {
        true => query::write(graph, &prepared, &set(&parameters)),
        false => query::read(graph, &prepared, &set(&parameters)),
    };
    drop(graph.take_changes());
    answer.unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// How long a statement takes, at best.
fn best(runs: usize, graph: &mut Graph, text: &str) -> (Answer, Duration) {
    let timed = (0..runs).map(|_| {
        let start = Instant::now();
        let answer = black_box(run(graph, text));
        (answer, start.elapsed())
    });
    timed.min_by_key(|(_, took)| *took).expect("a run")
}

fn load(graph: &mut Graph, persons: usize) {
    run(graph, "CREATE INDEX FOR (p:Person) ON (p.id)");
    let batches = || (0..persons).step_by(BATCH).map(|at| (at, (at + BATCH).min(persons) - 1));
    let timed = |graph: &mut Graph, name: &str, make: &dyn Fn(usize, usize) -> String| {
        let (before, start) = (graph.memory(), processor::used());
        for (first, last) in batches() {
            run(graph, &make(first, last));
        }
        let nanos = (processor::used() - start).as_secs_f64() * 1e9 / persons as f64;
        let bytes = (graph.memory() - before) as f64 / persons as f64;
        println!("{name}: {nanos:.0} ns and {bytes:.1} B each");
    };
    timed(graph, "persons", &|first, last| {
        format!(
            "UNWIND range({first}, {last}) AS i CREATE (:Person {{id: i, name: 'Person_' + \
             toString(i), age: i % 100, score: toFloat(i % 1000) / 10}})"
        )
    });
    for (kind, key, times, plus) in [
        ("KNOWS", "weight: toFloat(a.id % 100) / 100", 7, 13),
        ("FOLLOWS", "since: 2000 + a.id % 25", 31, 97),
    ] {
        timed(graph, kind, &|first, last| {
            format!(
                "MATCH (a:Person) WHERE a.id >= {first} AND a.id <= {last} \
                 MATCH (b:Person {{id: ({times} * a.id + {plus}) % {persons}}}) \
                 CREATE (a)-[:{kind} {{{key}}}]->(b)"
            )
        });
    }
    println!("in all {:.1} MB", graph.memory() as f64 / 1e6);
}

/// What is read: a name, a statement, and how many rows it has.
fn reads(persons: usize) -> Vec<(&'static str, String, usize)> {
    let nodes = "MATCH (p:Person) RETURN p.id, p.name, p.age, p.score";
    let two = "MATCH (a:Person)-[:KNOWS]->(b:Person)-[:FOLLOWS]->(c:Person) RETURN";
    let edges = "MATCH (a:Person)-[r:KNOWS]->(b:Person) RETURN";
    let few = persons.min(100_000);
    vec![
        ("nodes 100k", format!("{nodes} LIMIT 100000"), few),
        ("nodes all", nodes.to_owned(), persons),
        ("edges 100k", format!("{edges} a.name, b.name, r.weight LIMIT 100000"), few),
        ("edges all", format!("{edges} a.id, b.id"), persons),
        ("two hops 100k", format!("{two} a.id, b.id, c.id LIMIT 100000"), few),
        ("two hops counted", format!("{two} count(*)"), 1),
        ("group by age", "MATCH (p:Person) RETURN p.age, count(*), avg(p.score)".to_owned(), 100),
        ("group by half", "MATCH (p:Person) RETURN p.id / 2, max(p.score)".to_owned(), persons / 2),
        ("filter", "MATCH (p:Person) WHERE p.age = 7 RETURN count(p)".to_owned(), 1),
        ("filter float", "MATCH (p:Person) WHERE p.score > 99.0 RETURN count(*)".to_owned(), 1),
        ("top", "MATCH (p:Person) RETURN p.name ORDER BY p.score DESC LIMIT 10".to_owned(), 10),
        ("distinct", "MATCH (p:Person) RETURN DISTINCT p.age".to_owned(), 100),
        ("edge sum", format!("{edges} sum(r.weight)"), 1),
    ]
}

/// What is asked of one person, again and again.
const POINTS: [(&str, &str); 6] = [
    ("look-up", "MATCH (p:Person {id: $id}) RETURN p.name"),
    ("one hop", "MATCH (p:Person {id: $id})-->(x) RETURN count(x)"),
    ("two hops", "MATCH (p:Person {id: $id})-->()-->(x) RETURN count(x)"),
    ("three hops", "MATCH (p:Person {id: $id})-->()-->()-->(x) RETURN count(x)"),
    ("up to four", "MATCH (p:Person {id: $id})-[:KNOWS|FOLLOWS*1..4]->(x) RETURN count(x)"),
    ("distinct names", "MATCH (p:Person {id: $id})-->()-->(x) RETURN DISTINCT x.name"),
];

/// A list of maps as a client sends it.
fn list(from: usize, count: usize) -> String {
    let row = |id| format!("{{id:{id},name:'Person_{id}',age:{},score:{}.5}}", id % 100, id % 10);
    (from..from + count).map(row).collect::<Vec<_>>().join(",")
}

fn writes(graph: &mut Graph, persons: usize, wants: &dyn Fn(&str) -> bool) {
    let rows = 1000;
    let subjects = [
        (
            "CREATE of nodes",
            "UNWIND $rows AS row CREATE (:Made {id: row.id, name: row.name, \
          age: row.age, score: row.score})",
        ),
        ("CREATE of nodes by maps", "UNWIND $rows AS row CREATE (p:Made2) SET p = row"),
        (
            "CREATE of edges",
            "UNWIND $rows AS row MATCH (a:Person {id: row.id % 1000}), \
          (b:Person {id: row.age}) CREATE (a)-[:MADE {weight: row.score}]->(b)",
        ),
        (
            "MERGE of new",
            "UNWIND $rows AS row MERGE (p:Made3 {id: row.id}) \
          SET p.name = row.name",
        ),
        (
            "MERGE of old",
            "UNWIND $rows AS row MERGE (p:Person {id: row.id % 1000}) \
          SET p.age = row.age",
        ),
    ];
    run(graph, "CREATE INDEX FOR (p:Made3) ON (p.id)");
    for (name, text) in subjects.into_iter().filter(|subject| wants(subject.0)) {
        let rounds = 20;
        let start = processor::used();
        for round in 0..rounds {
            let from = persons + round * rows;
            run(graph, &format!("CYPHER rows=[{}] {text}", list(from, rows)));
        }
        let each = (processor::used() - start).as_secs_f64() * 1e9 / (rounds * rows) as f64;
        println!("{name}: {each:.0} ns each");
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let persons = words.iter().find_map(|word| word.parse().ok()).unwrap_or(2_000_000);
    let only = words.iter().find(|word| word.parse::<usize>().is_err());
    let wants = |name: &str| only.is_none_or(|only| name.contains(only.as_str()));
    let mut graph = Graph::default();
    load(&mut graph, persons);
    let runs = if only.is_some() { 30 } else { 5 };
    for (name, text, rows) in reads(persons).into_iter().filter(|read| wants(read.0)) {
        let (answer, took) = best(runs, &mut graph, &text);
        assert_eq!(answer.rows().count(), rows, "{text}");
        println!("{name}: {:.2} ms", took.as_secs_f64() * 1e3);
    }
    for (name, text) in POINTS.into_iter().filter(|point| wants(point.0)) {
        let (times, mut took) = (2000, Duration::MAX);
        for _ in 0..runs {
            let start = processor::used();
            for number in 0..times {
                let id = number * 7919 % persons;
                black_box(run(&mut graph, &format!("CYPHER id={id} {text}")));
            }
            took = took.min(processor::used() - start);
        }
        println!("{name}: {:.2} µs, compiled each time", took.as_secs_f64() * 1e6 / times as f64);
    }
    writes(&mut graph, persons, &wants);
}
