//! Statements that change little: they are done where they are asked, unless another statement is
//! at work on the graph.
#![allow(clippy::unwrap_used)] // a test says why by failing

use kvist_engine::State;
use testkit::folder::Folder;

use crate::graphs::{ask, nothing_left, open};
#[cfg(debug_assertions)]
use crate::graphs::{held_up, told};
use crate::test_client::{TestClient, engine};

fn query(text: &str) -> String {
    format!("GRAPH.QUERY g \"{text}\"\r\n")
}

/// What is done at once, and the same in a form of which that is not known.
const CHANGES: [(&str, &str); 9] = [
    ("CREATE (:P {id: 7, name: 'x'})", "UNWIND range(1, 1) AS i CREATE (:P {id: 7, name: 'x'})"),
    (
        "CYPHER id=8 CREATE (a:P {id: $id})-[:R {w: 1.5}]->(:Q:P {id: $id + 1})",
        "UNWIND range(8, 8) AS i CREATE (a:P {id: i})-[:R {w: 1.5}]->(:Q:P {id: i + 1})",
    ),
    (
        "UNWIND [{id: 20, s: null}, {id: 21, s: [1]}, {id: 22, s: true}] AS r \
         CREATE (:P {id: r.id, s: r.s})",
        "UNWIND range(20, 22) AS i CREATE (:P {id: i, s: CASE i WHEN 21 THEN [1] WHEN 22 THEN true \
         END})",
    ),
    (
        "MATCH (n:P {id: 7}) SET n.name = 'y', n.more = 2",
        "MATCH (n:P) WHERE n.id % 50 = 7 SET n.name = 'y', n.more = 2",
    ),
    (
        "MATCH (n:P {id: 7}) SET n:New REMOVE n.more",
        "MATCH (n:P) WHERE n.id % 50 = 7 SET n:New REMOVE n.more",
    ),
    (
        "MATCH (a:P {id: 7}), (b:P {id: 8}) CREATE (a)-[:R {w: 2}]->(b)",
        "MATCH (a:P), (b:P) WHERE a.id % 50 = 7 AND b.id % 50 = 8 CREATE (a)-[:R {w: 2}]->(b)",
    ),
    (
        "MERGE (n:P {id: 7}) ON CREATE SET n.made = 1 ON MATCH SET n.found = 1",
        "MATCH (n:P) WHERE n.id % 50 = 7 SET n.found = 1",
    ),
    (
        "MERGE (n:P {id: 30}) ON CREATE SET n.made = 1 ON MATCH SET n.found = 1",
        "UNWIND range(30, 30) AS i CREATE (:P {id: i, made: 1})",
    ),
    ("MATCH (n:P {id: 99}) SET n.none = 1", "MATCH (n:P) WHERE n.id % 100 = 99 SET n.none = 1"),
];

const ALL: &str = "GRAPH.RO_QUERY g \"MATCH (n) OPTIONAL MATCH (n)-[r]->(m) RETURN n, r, m.id\"";

#[test]
fn what_changes_little_is_done_where_it_is_asked() {
    let mut clients = [(); 2].map(|()| TestClient::new(&engine()));
    for client in &mut clients {
        client.ask("GRAPH.QUERY g \"CREATE INDEX FOR (n:P) ON (n.id)\"");
    }
    let [at_once, beside] = &mut clients;
    for (short, long) in CHANGES {
        let (reply, state) = at_once.feed(&query(short));
        assert_ne!(state, State::Blocked, "{short}");
        assert!(reply.starts_with("*1\r\n"), "{short}: {reply}");
        assert_eq!(beside.feed(&query(long)).1, State::Blocked, "{long}");
        beside.answered();
        assert_eq!(ask(at_once, ALL), ask(beside, ALL), "{short}");
        nothing_left(at_once);
    }
    // Rows are answered as well.
    let (reply, state) = at_once.feed(&query("CREATE (n:P {id: 40}) RETURN n.id"));
    assert_ne!(state, State::Blocked);
    assert!(reply.contains(":40\r\n"), "{reply}");
}

/// An error is that of any statement, and nothing is left of what failed.
#[test]
fn what_fails_at_once_fails_as_ever() {
    let mut client = TestClient::new(&engine());
    client.ask("GRAPH.QUERY g \"CREATE INDEX FOR (n:P) ON (n.id)\"");
    client.ask("GRAPH.CONSTRAINT CREATE g UNIQUE NODE P PROPERTIES 1 id");
    client.ask("GRAPH.QUERY g \"CREATE (:P {id: 1})\"");
    ask(&mut client, ALL);
    let before = ask(&mut client, ALL);
    for text in [
        "CREATE (:P {id: 1})",
        "CREATE (:P {id: 2}), (:P {id: 2})",
        "CREATE (:P {id: 3, m: {a: 1}})",
        "MATCH (n:P {id: 1}) SET n.id = 5, n.m = {a: 1}",
        "MERGE (:P {id: null})",
        "CREATE (:P {id: $missing})",
    ] {
        assert!(client.ask(query(text).trim_end()).starts_with('-'), "{text}");
        assert_eq!(ask(&mut client, ALL), before, "{text}");
    }
    nothing_left(&mut client);
}

#[test]
fn it_is_recorded_told_and_watched() {
    let folder = Folder::new("engine");
    let lines = "appendonly yes\nsave \"\"\nnotify-keyspace-events KEA";
    let engine = open(folder.path(), lines);
    let (mut client, mut other) = (TestClient::new(&engine), TestClient::new(&engine));
    client.ask("GRAPH.QUERY g \"CREATE INDEX FOR (n:P) ON (n.id)\"");
    other.ask("HELLO 3");
    other.ask("PSUBSCRIBE __keyevent*");
    other.pushed();
    client.ask("WATCH g");
    client.ask("MULTI");
    client.ask("PING");
    let mut writer = TestClient::new(&engine);
    assert_ne!(writer.feed(&query("CREATE (:P {id: 1, t: 'é'})")).1, State::Blocked);
    assert_eq!(client.ask("EXEC"), "*-1", "the graph has changed");
    assert!(other.pushed().join("").contains("__keyevent@0__:graph.query"));
    assert_ne!(writer.feed(&query("MATCH (n:P {id: 5}) SET n.t = 1")).1, State::Blocked);
    assert_eq!(other.pushed(), Vec::<String>::new(), "nothing has changed");
    let (digest, all) = (client.ask("DEBUG DIGEST"), ask(&mut client, ALL));
    engine.store.log().sync().unwrap();
    engine.close_data_dir();
    let engine = open(folder.path(), lines);
    let mut client = TestClient::new(&engine);
    assert_eq!((client.ask("DEBUG DIGEST"), ask(&mut client, ALL)), (digest, all));
    engine.close_data_dir();
}

/// What makes much of few words, or copies much, is done beside others.
#[test]
fn what_turns_out_to_be_much_is_done_beside_others() {
    let mut client = TestClient::new(&engine());
    client.ask("GRAPH.QUERY g \"CREATE INDEX FOR (n:P) ON (n.id)\"");
    for id in 10..50 {
        let text = id.to_string().repeat(16 << 10);
        let made = client.ask(&format!("GRAPH.QUERY g \"CREATE (:P {{id: {id}, t: '{text}'}})\""));
        assert!(made.contains("Nodes created: 1"), "{made:.100}");
    }
    assert_eq!(client.feed(&query("MATCH (n:P {id: 11}) SET n.t = 'short'")).1, State::Blocked);
    client.answered();
    assert_ne!(client.feed(&query("MATCH (n:P {id: 11}) SET n.u = 'short'")).1, State::Blocked);
    client.ask(
        "GRAPH.QUERY g \"MATCH (n:P {id: 11}) UNWIND range(1, 5000) AS i CREATE (n)-[:R]->()\"",
    );
    let hub = "MATCH (n:P {id: 11})-->(m) SET m.seen = 1";
    assert_eq!(client.feed(&query(hub)).1, State::Blocked);
    client.answered();
    let seen = ask(&mut client, "GRAPH.RO_QUERY g \"MATCH (m {seen: 1}) RETURN count(m)\"");
    assert!(seen.contains(" *1 *1 :5000 "), "{seen}");
    nothing_left(&mut client);
}

/// What nothing leads to is looked for among all, and of a graph with many names much is copied,
/// whatever changes.
#[test]
fn what_looks_little_is_done_beside_others() {
    let mut client = TestClient::new(&engine());
    client.ask("GRAPH.QUERY g \"CREATE INDEX FOR (n:P) ON (n.id)\"");
    client.ask("GRAPH.QUERY g \"UNWIND range(1, 5000) AS i CREATE (:P {id: i})\"");
    for text in ["MATCH (a:P {id: 1}), (b) RETURN count(b)", "MATCH (a:P {id: 1}), (b) SET a.x = 1"]
    {
        assert_eq!(client.feed(&query(text)).1, State::Blocked, "{text}");
        client.answered();
    }
    assert_ne!(client.feed(&query("MATCH (a:P {id: 1}) SET a.x = 2")).1, State::Blocked);
    for hundred in 0..12 {
        let names = (0..100).map(|at| format!("n{}: 1", hundred * 100 + at)).collect::<Vec<_>>();
        client.ask(&format!("GRAPH.QUERY g \"CREATE ({{{}}})\"", names.join(", ")));
    }
    assert_eq!(client.feed(&query("MATCH (a:P {id: 1}) SET a.x = 3")).1, State::Blocked);
    client.answered();
    nothing_left(&mut client);
}

/// What always ends at once is not tried each time, and is answered as ever.
#[test]
fn what_is_tried_in_vain_is_answered_as_ever() {
    let mut client = TestClient::new(&engine());
    client.ask("GRAPH.QUERY g \"CREATE INDEX FOR (n:P) ON (n.id)\"");
    client.ask(
        "GRAPH.QUERY g \"CREATE (:P {id: 1}) WITH 1 AS x UNWIND range(1, 5000) AS i \
         CREATE (:Q {i: i})\"",
    );
    client.ask("GRAPH.QUERY g \"CREATE (:P {id: 2})-[:R]->(:Q {i: 1})\"");
    client.ask("GRAPH.QUERY g \"MATCH (a:P {id: 1}), (q:Q) CREATE (a)-[:R]->(q)\"");
    let of =
        |id: u32| query(&format!("CYPHER id={id} MATCH (a:P {{id: $id}})-->(q) RETURN max(q.i)"));
    for _ in 0..10 {
        assert_eq!(client.feed(&of(1)).1, State::Blocked);
        assert!(client.answered().contains(":5000\r\n"));
    }
    // Of another node it is little, and that is found out.
    let mut tried = 0;
    while client.feed(&of(2)).1 == State::Blocked {
        assert!(client.answered().contains(":1\r\n"));
        tried += 1;
        assert!(tried < 100);
    }
    assert_ne!(client.feed(&of(2)).1, State::Blocked);
    nothing_left(&mut client);
}

/// Who changes a fork of the graph would have to begin anew: a short statement waits behind it.
#[cfg(debug_assertions)]
#[test]
fn it_waits_behind_what_is_at_work() {
    let (engine, mut holder, mut other) = held_up("", "at-once");
    let (mut first, mut second) = (TestClient::new(&engine), TestClient::new(&engine));
    other.ask("EVAL \"redis.call('graph.query', KEYS[1], 'CREATE ()')\" 1 g");
    assert_ne!(first.feed(&query("CREATE ()")).1, State::Blocked);
    assert_eq!(first.feed(&query("UNWIND range(1, 3) AS i CREATE ()")).1, State::Blocked);
    assert_eq!(second.feed(&query("CREATE () RETURN 1")).1, State::Blocked);
    other.ask("RING.GATE OPEN at-once");
    holder.answered();
    assert!(told(&mut first).contains("Nodes created: 3"));
    assert!(told(&mut second).contains("Nodes created: 1"));
    let count = ask(&mut other, "GRAPH.RO_QUERY g \"MATCH (n) RETURN count(n)\"");
    assert!(count.contains(" *1 *1 :6 "), "{count}");
    nothing_left(&mut other);
}
