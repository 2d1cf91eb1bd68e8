//! `LOAD CSV` through commands: every way in, without its file afterwards, and algorithms of which
//! only statements on an engine can tell how they end.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::fs;

use testkit::folder::Folder;

use crate::data_dir;
use crate::graphs::nothing_left;
use crate::test_client::{TestClient, engine, engine_with};

const LOAD: &str = "LOAD CSV WITH HEADERS FROM 'file://people.csv' AS row";

/// The first value of the first row.
fn value(client: &mut TestClient, line: &str) -> String {
    let reply = client.ask(line);
    reply.split("\r\n").nth(6).map_or(reply.clone(), str::to_owned)
}

#[test]
fn files_are_read_every_way_in() {
    let folder = Folder::new("graph-files");
    fs::write(folder.join("people.csv"), "name,age\nAda,36\nBob,\n").unwrap();
    let data = Folder::new("graph-files-data");
    let lines =
        format!("appendonly yes\nsave \"\"\ngraph-import-folder \"{}\"", folder.path().display());
    let engine = data_dir::open(data.path(), &lines).unwrap().0;
    let mut client = TestClient::new(&engine);
    let make = format!("{LOAD} CREATE (:P {{name: row.name, age: toInteger(row.age)}})");
    let ask = |client: &mut TestClient, line: &str| {
        let reply = client.ask(line);
        assert!(!reply.contains("-ERR") && !reply.starts_with('-'), "{line}: {reply}");
        reply
    };
    ask(&mut client, &format!("GRAPH.QUERY g \"{make}\""));
    ask(&mut client, "MULTI");
    ask(&mut client, &format!("GRAPH.QUERY g \"{make}\""));
    ask(&mut client, "EXEC");
    let script = format!("return redis.call('graph.query', KEYS[1], \\\"{make}\\\")");
    ask(&mut client, &format!("EVAL \"{script}\" 1 g"));
    let count = "GRAPH.RO_QUERY g \"MATCH (n:P) RETURN count(n)\"";
    assert_eq!(value(&mut client, count), ":6");
    let read = format!("GRAPH.RO_QUERY g \"{LOAD} RETURN count(row.age)\"");
    assert_eq!(value(&mut client, &read), ":1");
    nothing_left(&mut client);
    let digest = client.ask("DEBUG DIGEST");
    engine.store.log().sync().unwrap();
    engine.close_data_dir();
    // The journal has what was made, so the file is not asked for again.
    fs::remove_file(folder.join("people.csv")).unwrap();
    let engine = data_dir::open(data.path(), &lines).unwrap().0;
    let mut client = TestClient::new(&engine);
    assert_eq!(client.ask("DEBUG DIGEST"), digest);
    let reply = client.ask(&format!("GRAPH.QUERY g \"{make}\""));
    assert_eq!(
        reply,
        "-Error opening CSV URI: file://people.csv: there is no such file in graph-import-folder"
    );
    assert_eq!(value(&mut client, count), ":6");
    engine.close_data_dir();
}

#[test]
fn no_file_is_read_unless_a_folder_is_named() {
    let mut client = TestClient::new(&engine());
    let reply = client.ask(&format!("GRAPH.QUERY g \"{LOAD} RETURN row\""));
    assert!(reply.contains("the directive 'graph-import-folder' is not set"), "{reply}");
    let reply = client.ask("CONFIG SET graph-import-folder /");
    assert!(reply.starts_with("-ERR"), "{reply}");
    assert_eq!(client.ask("EXISTS g"), ":0");
}

#[test]
fn an_algorithm_ends_with_its_time_and_its_memory() {
    let mut client = TestClient::new(&engine_with("graph-query-memory 2mb"));
    client.ask("GRAPH.QUERY g \"UNWIND range(1, 60) AS n CREATE (:N {n: n})\"");
    client
        .ask("GRAPH.QUERY g \"MATCH (a:N), (b:N) WHERE a.n <> b.n CREATE (a)-[:T {w: -1}]->(b)\"");
    let paths = "MATCH (a:N {n: 1}), (b:N {n: 2}) CALL algo.SPpaths({sourceNode: a, targetNode: b, \
                 weightProp: 'w'}) YIELD path RETURN count(path)";
    let reply = client.ask(&format!("GRAPH.RO_QUERY g \"{paths}\" TIMEOUT 50"));
    assert_eq!(reply, "-Query timed out");
    let many = "UNWIND range(1, 9999) AS i CALL algo.WCC() YIELD node RETURN node";
    let reply = client.ask(&format!("GRAPH.RO_QUERY g \"{many}\""));
    assert!(reply.starts_with("-Query's mem consumption exceeded capacity"), "{reply}");
    nothing_left(&mut client);
}
