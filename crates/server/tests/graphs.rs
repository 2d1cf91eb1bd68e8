//! Graphs over sockets: what was acknowledged is there after a kill; writers and readers at once.
#![allow(clippy::unwrap_used)] // a test says why by failing

use testkit::folder::Folder;
use wire::Value;

use crate::server::{Client, Server, text};

fn start(dir: &Folder) -> Server {
    let args = ["--appendonly", "yes", "--appendfsync", "always", "--dir", dir.text()];
    Server::start(&[&args[..], &["--enable-debug-command", "yes"]].concat())
}

/// The rows of a query.
fn rows(client: &mut Client, key: &str, query: &str) -> Vec<Value> {
    let reply = client.ask(&["GRAPH.QUERY", key, query]);
    match reply {
        Value::Array(mut parts) if parts.len() == 3 => match parts.swap_remove(1) {
            Value::Array(rows) => rows,
            other => panic!("{query}: {other:?}"),
        },
        other => panic!("{query}: {other:?}"),
    }
}

fn number(client: &mut Client, key: &str, query: &str) -> i64 {
    match &rows(client, key, query)[..] {
        [Value::Array(row)] => row[0].as_i64().unwrap(),
        other => panic!("{query}: {other:?}"),
    }
}

fn write(client: &mut Client, key: &str, query: &str) {
    let reply = client.ask(&["GRAPH.QUERY", key, query]);
    assert!(reply.as_error().is_none(), "{query}: {reply:?}");
}

#[test]
fn a_graph_that_was_acknowledged_survives_a_kill() {
    let dir = Folder::missing("graphs");
    let mut server = start(&dir);
    let mut client = server.connect();
    write(&mut client, "g", "CREATE (:A {x: 1})-[:R {w: 0.5}]->(:B {name: 'b', l: [1, 2]})");
    write(&mut client, "g", "UNWIND range(1, 5000) AS i CREATE (:Item {i: i})");
    write(&mut client, "h", "RETURN 1");
    write(&mut client, "g", "CREATE INDEX FOR (n:Item) ON (n.i)");
    write(&mut client, "g", "CREATE INDEX FOR ()-[r:R]->() ON (r.w)");
    let words = "GRAPH.CONSTRAINT CREATE g UNIQUE NODE Item PROPERTIES 1 i";
    assert_eq!(text(&client.ask(&words.split(' ').collect::<Vec<_>>())), "PENDING");
    for round in 0..5 {
        let digest = text(&client.ask(&["DEBUG", "DIGEST"]));
        server.signal("KILL");
        server.ended();
        server = start(&dir);
        client = server.connect();
        assert_eq!(text(&client.ask(&["DEBUG", "DIGEST"])), digest, "{round}");
        assert_eq!(number(&mut client, "g", "MATCH (n) RETURN count(n)"), 5002 + round);
        // The index is there, and true, and so is the constraint.
        let plan = client.ask(&["GRAPH.EXPLAIN", "g", "MATCH (n:Item {i: 7}) RETURN n"]);
        let Value::Array(lines) = plan else { panic!("{plan:?}") };
        let by_index = |line: &Value| text(line).contains("Node By Index Scan | (n:Item)");
        assert!(lines.iter().any(by_index), "{lines:?}");
        assert_eq!(number(&mut client, "g", "MATCH (n:Item) WHERE n.i < 7 RETURN count(n)"), 6);
        assert_eq!(number(&mut client, "g", "MATCH ()-[r:R {w: 0.5}]->() RETURN count(r)"), 1);
        let twice = client.ask(&["GRAPH.QUERY", "g", "CREATE (:Item {i: 7})"]);
        assert!(twice.as_error().is_some(), "{twice:?}");
        write(&mut client, "g", "CREATE (:More)");
        if round == 2 {
            assert!(client.ask(&["SAVE"]).as_error().is_none());
        }
    }
}

#[test]
fn many_write_to_a_graph_and_read_it_at_once() {
    let server = Server::start(&["--query-threads", "3"]);
    write(&mut server.connect(), "g", "CREATE (:Start)");
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let mut client = server.connect();
            scope.spawn(move || {
                for at in 0..50 {
                    write(&mut client, "g", &format!("CREATE (:W {{of: {writer}, at: {at}}})"));
                }
            });
        }
        for _ in 0..2 {
            let mut client = server.connect();
            scope.spawn(move || {
                let mut before = 0;
                while before < 201 {
                    let now = number(&mut client, "g", "MATCH (n) RETURN count(n)");
                    assert!(now >= before, "{now} after {before}");
                    before = now;
                }
            });
        }
    });
    let mut client = server.connect();
    let found = rows(&mut client, "g", "MATCH (n:W) RETURN DISTINCT n.of, n.at");
    assert_eq!(found.len(), 200);
}
