//! `kvist import falkordb`: graphs come from a running server over its own commands. Kvist has the
//! same commands, so it is one to import from; FalkorDB is another, where `KVIST_FALKORDB` names a
//! folder with its `redis-server` and `falkordb.so`.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::time::Duration;

use client::{Connection, Options, Value};
use testkit::folder::Folder;
use testkit::server::{Log, Process, Program};

use crate::compared::{kvist, serve, stop};
use crate::server::Server;

pub(crate) const MAKE: &[&str] = &[
    "UNWIND range(1, 2500) AS i CREATE (:Person {name: 'p' + i, age: i % 90, x: i / 8.0})",
    "MATCH (a:Person), (b:Person) WHERE b.age = a.age + 1 AND a.age < 3 \
     CREATE (a)-[:KNOWS {since: a.age, w: 0.5}]->(b)",
    "MATCH (a:Person {name: 'p1'}) CREATE (a)-[:SELF]->(a), (a)-[:SELF {n: 1}]->(a)",
    "CREATE (:A:B:`odd name-1` {l: [1, 'two', true, [2.5]], t: 'Ärger', big: 9223372036854775807, \
     p: point({latitude: 1.5, longitude: -2.25}), v: vecf32([1, 2.5]), d: date('2024-02-29'), \
     h: localtime('10:20:30'), b: localdatetime('2024-02-29T10:20:30'), u: duration('PT4H')})",
    // Numbers without nodes.
    "MATCH (n:Person) WHERE n.age = 50 DETACH DELETE n",
    "CREATE INDEX FOR (n:Person) ON (n.name, n.age)",
    "CREATE INDEX FOR ()-[r:KNOWS]->() ON (r.since)",
];

pub(crate) const QUESTIONS: &[&str] = &[
    "MATCH (n:Person) RETURN count(n), toInteger(sum(n.age)), sum(n.x), min(n.name)",
    "MATCH (a)-[r:KNOWS]->(b) RETURN count(r), toInteger(sum(r.since)), toInteger(sum(b.age))",
    "MATCH (a)-[r:SELF]->(b) RETURN a.name, b.name, r.n ORDER BY r.n",
    "MATCH (n:A) RETURN labels(n), n.l, n.t, n.big, n.p, n.v, n.d, n.h, n.b, n.u",
    "MATCH (n) RETURN count(n)",
    "MATCH (n:Person {name: 'p77'}) RETURN n.age, n.x",
];

pub(crate) fn asked(port: u16, words: &[&str]) -> Value {
    let options =
        Options { timeout: Some(Duration::from_secs(60)), ..Options::tcp("127.0.0.1", port) };
    Connection::open(&options).unwrap().call(words.iter().copied()).unwrap()
}

pub(crate) fn rows(port: u16, graph: &str, query: &str) -> Value {
    let Value::Array(mut parts) = asked(port, &["GRAPH.QUERY", graph, query, "--compact"]) else {
        panic!("{query}")
    };
    if parts.len() == 3 { parts.swap_remove(1) } else { parts.swap_remove(0) }
}

/// All texts of a reply.
pub(crate) fn texts(value: &Value) -> String {
    match value {
        Value::Bulk(bytes) | Value::Simple(bytes) => {
            format!("{} ", String::from_utf8_lossy(bytes))
        }
        Value::Array(values) => values.iter().map(texts).collect(),
        _ => String::new(),
    }
}

/// Makes the graphs on a server, imports them, and asks both the same.
fn comes_over(port: u16) {
    let folder = Folder::new("falkordb");
    for query in MAKE {
        rows(port, "first", query);
    }
    let unique = "GRAPH.CONSTRAINT CREATE first UNIQUE NODE Person PROPERTIES 1 name";
    asked(port, &unique.split(' ').collect::<Vec<_>>());
    rows(port, "second", "CREATE (:Only {i: 1})");
    rows(port, "empty", "RETURN 1");
    testkit::wait::until("the constraint holds", || {
        let all = texts(&rows(port, "first", "CALL db.constraints()"));
        all.contains("OPERATIONAL") && !all.contains("CONSTRUCTION")
    });
    let (from, dir) = (format!("127.0.0.1:{port}"), folder.at("data"));
    let import =
        |more: &[&str]| kvist(&[&["import", "falkordb", &from, "--dir", &dir], more].concat());
    // Twice: the second time there is a data directory, and the same graphs are replaced.
    let (done, said) = import(&["--graph", "first"]);
    assert!(done && said.contains("Saved 1 keys"), "{said}");
    let (done, said) = import(&[]);
    assert!(done && said.contains("Saved 3 keys"), "{said}");
    assert!(said.contains("3 indexed properties, 1 constraints"), "{said}");
    let (done, said) = import(&["--graph", "none"]);
    assert!(!done && said.contains("Invalid graph operation on empty key"), "{said}");
    let server = serve(&folder, &[]);
    for query in QUESTIONS {
        assert_eq!(rows(server.port, "first", query), rows(port, "first", query), "{query}");
    }
    let find = "MATCH (n:Person {name: 'p7'}) RETURN n";
    let plan = texts(&asked(server.port, &["GRAPH.EXPLAIN", "first", find]));
    assert!(plan.contains("Node By Index Scan"), "{plan}");
    let twice = Connection::open(&Options::tcp("127.0.0.1", server.port)).unwrap().call([
        "GRAPH.QUERY",
        "first",
        "CREATE (:Person {name: 'p7'})",
    ]);
    assert!(twice.is_err(), "{twice:?}");
    let only = "MATCH (n:Only) RETURN n.i";
    assert_eq!(rows(server.port, "second", only), rows(port, "second", only));
    stop(server);
}

#[test]
fn graphs_come_from_kvist() {
    let server = Server::start(&[]);
    comes_over(server.port);
    // Rows beyond a limit are asked for page by page.
    asked(server.port, &["FLUSHALL"]);
    asked(server.port, &["GRAPH.CONFIG", "SET", "RESULTSET_SIZE", "700"]);
    comes_over(server.port);
}

/// FalkorDB, if it is there.
pub(crate) fn falkordb(dir: &Folder) -> Option<Process> {
    let program = Program::falkordb()?;
    let process = Process::start_until(
        |port| {
            let mut command = program.on(port, dir.path());
            command.args(&program.extra).args(["--save", ""]);
            Process::start(command, port, Log::Discarded)
        },
        |process| process.state() == testkit::server::State::Ready,
        Duration::from_secs(30),
    );
    Some(process.unwrap())
}

#[test]
fn graphs_come_from_falkordb() {
    let folder = Folder::new("peer");
    let Some(mut process) = falkordb(&folder) else {
        return testkit::skip::because(
            "FalkorDB is not here: set KVIST_FALKORDB to a folder with its redis-server and \
             falkordb.so to import graphs from it",
        );
    };
    comes_over(process.port());
    process.kill();
}
