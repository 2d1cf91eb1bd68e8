//! Indexes and constraints of graphs, through commands: replies, transactions, recovery.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::path::Path;
use std::sync::Arc;

use kvist_engine::Engine;
use kvist_engine::persistence::Reason;
use testkit::folder::Folder;

use crate::data_dir;
use crate::graphs::{ask, check, nothing_left};
use crate::test_client::{TestClient, engine};

fn open(dir: &Path) -> Arc<Engine> {
    data_dir::open(dir, "appendonly yes\nsave \"\"").unwrap().0
}

#[test]
fn they_are_made_and_kept() {
    let folder = Folder::new("graph-indexes");
    let mut engine = open(folder.path());
    let mut client = TestClient::new(&engine);
    client.ask("GRAPH.QUERY g \"UNWIND range(1, 3000) AS i CREATE (:L {a: i, b: i % 7})\"");
    check(
        &mut client,
        &[
            (
                "GRAPH.QUERY g 'CREATE INDEX FOR (n:L) ON (n.a, n.b)'",
                "*1 *3 $18 Indices created: 2 $19 Cached execution: 0 time",
            ),
            ("GRAPH.QUERY g 'CREATE INDEX ON :L(b)'", "-Attribute 'b' is already indexed"),
            (
                "GRAPH.QUERY g 'DROP INDEX ON :L(c)'",
                "-ERR Unable to drop index on :L(c): no such index.",
            ),
            (
                "GRAPH.RO_QUERY g 'DROP INDEX ON :L(a)'",
                "-graph.RO_QUERY is to be executed only on read-only queries",
            ),
            ("GRAPH.EXPLAIN g 'DROP INDEX ON :L(a)'", "*1 $10 Drop Index"),
            ("GRAPH.PROFILE g 'DROP INDEX ON :L(a)'", "-Can't profile index operations."),
            ("GRAPH.CONSTRAINT CREATE g UNIQUE NODE L PROPERTIES 1 a", "+PENDING"),
            ("GRAPH.CONSTRAINT create g mandatory node L properties 1 b", "+PENDING"),
            (
                "GRAPH.CONSTRAINT CREATE g UNIQUE NODE L PROPERTIES 1 a",
                "-Constraint already exists",
            ),
            (
                "GRAPH.CONSTRAINT CREATE g UNIQUE NODE L PROPERTIES 1 b",
                "-unique constraint violation on node of type L",
            ),
            (
                "GRAPH.CONSTRAINT CREATE new UNIQUE NODE L PROPERTIES 1 b",
                "-missing supporting exact-match index",
            ),
            ("EXISTS new", ":0"),
            (
                "GRAPH.CONSTRAINT DROP new UNIQUE NODE L PROPERTIES 1 b",
                "-ERR Invalid graph operation on empty key",
            ),
            (
                "GRAPH.CONSTRAINT DROP g UNIQUE NODE L PROPERTIES 1 b",
                "-Unable to drop constraint, no such constraint.",
            ),
            ("GRAPH.CONSTRAINT X g X X L P 0 b", "-Invalid constraint operation"),
            ("GRAPH.CONSTRAINT DROP g X X L P 0 b", "-Invalid constraint type"),
            ("GRAPH.CONSTRAINT DROP g UNIQUE X L P 0 b", "-Invalid constraint entity type"),
            ("GRAPH.CONSTRAINT DROP g UNIQUE NODE L P 0 b", "-missing PROPERTIES argument"),
            (
                "GRAPH.CONSTRAINT DROP g UNIQUE NODE L PROPERTIES 0 b",
                "-Number of properties must be an integer between 1 and 255",
            ),
            (
                "GRAPH.CONSTRAINT DROP g UNIQUE NODE L PROPERTIES 2 b",
                "-Number of properties doesn't match property count",
            ),
            (
                "GRAPH.CONSTRAINT DROP g UNIQUE NODE L PROPERTIES 2 b b",
                "-Properties cannot contain duplicates",
            ),
            ("GRAPH.CONSTRAINT DROP g UNIQUE NODE '' PROPERTIES 1 b", "-Label name  is invalid"),
            (
                "GRAPH.QUERY g 'CREATE (:Gone), (:L {a: 1, b: 1})'",
                "-unique constraint violation on node of type L",
            ),
            (
                "GRAPH.QUERY g 'MATCH (n:L {a: 7}) SET n.b = null'",
                "-mandatory constraint violation: node with label L missing property b",
            ),
            ("SET s x", "+OK"),
            (
                "GRAPH.CONSTRAINT CREATE s UNIQUE NODE L PROPERTIES 1 a",
                "-WRONGTYPE Operation against a key holding the wrong kind of value",
            ),
        ],
    );
    // In a transaction and a script as well, where a statement that fails leaves no trace either.
    for line in [
        "MULTI",
        "GRAPH.QUERY t 'CREATE INDEX ON :L(a)'",
        "GRAPH.CONSTRAINT CREATE t UNIQUE NODE L PROPERTIES 1 a",
        "GRAPH.QUERY t 'CREATE (:L {a: 1})'",
        "GRAPH.QUERY t 'CREATE (:L {a: 1})'",
    ] {
        client.ask(line);
    }
    let done = ask(&mut client, "EXEC");
    assert!(done.contains("+PENDING"), "{done}");
    assert!(done.contains("-unique constraint violation on node of type L"), "{done}");
    let script = "EVAL \"return redis.call('GRAPH.CONSTRAINT', 'DROP', KEYS[1], 'UNIQUE', 'NODE', \
                  'L', 'PROPERTIES', '1', 'a')\" 1 t";
    assert_eq!(ask(&mut client, script), "+OK");
    let counted = ask(&mut client, "GRAPH.QUERY t 'MATCH (n) RETURN count(n)'");
    assert!(counted.contains(" :1 "), "{counted}");
    // Whatever was made is there when the journal was read, and when a snapshot was.
    drop(client);
    for round in 0..2 {
        engine.store.log().sync().unwrap();
        engine.close_data_dir();
        engine = open(folder.path());
        let mut client = TestClient::new(&engine);
        let plan = "GRAPH.EXPLAIN g 'MATCH (n:L {a: 5}) RETURN n'";
        assert!(ask(&mut client, plan).contains("Node By Index Scan | (n:L)"), "{round}");
        let failed = ask(&mut client, "GRAPH.QUERY g 'CREATE (:Gone), (:L {a: 1, b: 1})'");
        assert_eq!(failed, "-unique constraint violation on node of type L", "{round}");
        let counted = ask(&mut client, "GRAPH.QUERY g 'MATCH (n) RETURN count(n)'");
        assert!(counted.contains(" :3000 "), "{round}: {counted}");
        engine.save(Reason::Save, true).unwrap();
    }
    engine.close_data_dir();
}

/// A look-up of few nodes that hold much is written by another thread than the one that serves
/// clients.
#[test]
fn a_look_up_of_large_nodes_is_not_answered_at_once() {
    let engine = engine();
    let mut client = TestClient::new(&engine);
    let long = "reduce(s = 'ab', x IN range(1, 16) | s + s)";
    client
        .ask(&format!("GRAPH.QUERY g \"CREATE (:L {{a: 1, t: {long}}}), (:L {{a: 2, t: 'x'}})\""));
    client.ask("GRAPH.QUERY g 'CREATE INDEX ON :L(a)'");
    for (text, is_short) in [
        ("MATCH (n:L {a: 2}) RETURN n", true),
        ("MATCH (n:L {a: 1}) RETURN n", false),
        ("MATCH (n:L {a: 1}) RETURN [n]", false),
        ("MATCH (n:L {a: 1}) RETURN n.a", true),
    ] {
        let (reply, _) = client.feed(&format!("GRAPH.RO_QUERY g \"{text}\" --compact\r\n"));
        assert_eq!(!reply.is_empty(), is_short, "{text}: {reply:.100}");
        if !is_short {
            assert!(client.answered().len() > 100_000, "{text}");
        }
    }
}

/// What is answered at once has been answered when it was fed.
#[test]
fn a_look_up_is_answered_at_once() {
    let engine = engine();
    let (mut client, mut other) = (TestClient::new(&engine), TestClient::new(&engine));
    other.ask("GRAPH.QUERY g \"UNWIND range(0, 2999) AS i CREATE (:L {a: i, b: i % 7})\"");
    other.ask("GRAPH.QUERY g 'CREATE INDEX ON :L(a, b)'");
    client.ask("HELLO 3");
    client.ask("CLIENT TRACKING ON");
    for (text, is_short) in [
        ("MATCH (n:L {a: 8}) RETURN n.b", true),
        ("CYPHER x=8 MATCH (n:L {a: $x}) WHERE n.b > 0 RETURN n.b + 0", true),
        ("MATCH (n:L) WHERE id(n) IN [8] RETURN n.b ORDER BY n.b LIMIT 5", true),
        ("MATCH (n:L) WHERE n.a > 7 AND n.a < 9 RETURN sum(n.b)", true),
        ("MATCH (n:L {a: 8})-[*0..0]-() RETURN n.b", true),
        // Too many, or what may be, and what is refused.
        ("MATCH (n:L) WHERE n.b = 1 RETURN min(n.b)", false),
        ("MATCH (n:L) WHERE n.a >= 0 RETURN min(n.b) + 1", false),
        ("MATCH (n:L {a: 8}) UNWIND [1] AS x RETURN n.b", false),
        ("RETURN 1", false),
    ] {
        for command in ["GRAPH.QUERY", "GRAPH.RO_QUERY"] {
            let (reply, _) = client.feed(&format!("{command} g \"{text}\"\r\n"));
            assert_eq!(!reply.is_empty(), is_short, "{text}: {reply}");
            let reply = if is_short { reply } else { client.answered() };
            assert!(reply.contains("\r\n:1\r\n"), "{text}: {reply}");
            if is_short {
                // It has read the key, as far as it is told of it: a command that may write is not.
                other.ask("GRAPH.QUERY g 'CREATE (:Other)'");
                let told = client.pushed().concat().matches("invalidate").count();
                assert_eq!(told, usize::from(command == "GRAPH.RO_QUERY"), "{text}");
            }
        }
    }
    // What ends at run time, and other names.
    let divided = client.ask("GRAPH.QUERY g 'MATCH (n:L {a: 8}) RETURN 1 / (n.b - 1)'");
    assert_eq!(divided, "-Division by zero");
    let other = client.ask("GRAPH.QUERY g 'MATCH (n:L {a: 8}) RETURN n.b' VERSION 7");
    assert!(other.starts_with("*2\r\n-version mismatch"), "{other}");
    client.ask("CONFIG RESETSTAT");
    client.ask("GRAPH.RO_QUERY g 'MATCH (n:L {a: 8}) RETURN n.b'");
    assert!(client.ask("INFO stats").contains("keyspace_hits:1\r\n"));
}

/// An index that is read while what it holds is about to change.
#[test]
fn many_that_an_index_finds_are_changed_by_it() {
    let mut client = TestClient::new(&engine());
    client.ask("GRAPH.QUERY g 'UNWIND range(1, 20000) AS i CREATE (:L {a: i, b: 0})'");
    client.ask("GRAPH.QUERY g 'CREATE INDEX ON :L(a, b)'");
    let plan = ask(&mut client, "GRAPH.EXPLAIN g 'MATCH (n:L) WHERE n.a <= 5000 RETURN n'");
    assert!(plan.contains("Node By Index Scan | (n:L)"), "{plan}");
    for (text, told) in [
        ("MATCH (n:L) WHERE n.a <= 5000 SET n.a = n.a + 1, n.b = 1", "Properties set: 10000"),
        ("MATCH (n:L) WHERE n.a <= 5001 AND n.b = 1 DELETE n", "Nodes deleted: 5000"),
        ("MATCH (n:L) WHERE n.a > 19000 WITH n LIMIT 3000 CREATE (:L {a: -n.a})", "created: 1000"),
        ("MATCH (n:L) WHERE n.a < 0 REMOVE n:L", "Labels removed: 1000"),
        ("UNWIND range(1, 3000) AS i MERGE (:L {a: i})", "Nodes created: 3000"),
        ("DROP INDEX ON :L(a)", "Indices deleted: 1"),
    ] {
        let reply = ask(&mut client, &format!("GRAPH.QUERY g '{text}'"));
        assert!(reply.contains(told), "{text}: {reply}");
        nothing_left(&mut client);
    }
    client.ask("GRAPH.DELETE g");
    nothing_left(&mut client);
}
