//! GRAPH.BULK: pieces of a graph, all of each or nothing, however they come.
#![allow(clippy::unwrap_used)] // a test says why by failing

use testkit::folder::Folder;

use crate::graphs::{ask, check, nothing_left, open};
use crate::test_client::{TestClient, engine, engine_with};

/// A token: what it is about, and its rows.
fn token(name: &str, properties: &[&str], rows: &[&[u8]]) -> String {
    let mut bytes = [name.as_bytes(), &[0]].concat();
    bytes.extend(u32::try_from(properties.len()).unwrap().to_le_bytes());
    properties.iter().for_each(|name| bytes.extend([name.as_bytes(), &[0]].concat()));
    rows.iter().for_each(|row| bytes.extend_from_slice(row));
    said(&bytes)
}

/// Bytes as a word of a request.
fn said(bytes: &[u8]) -> String {
    let bytes: String = bytes.iter().map(|byte| format!("\\x{byte:02x}")).collect();
    format!("\"{bytes}\"")
}

fn text(text: &str) -> Vec<u8> {
    [&[3], text.as_bytes(), &[0]].concat()
}

fn integer(number: i64) -> Vec<u8> {
    [&[4][..], &number.to_le_bytes()].concat()
}

fn ends(from: u64, to: u64) -> Vec<u8> {
    [from.to_le_bytes(), to.to_le_bytes()].concat()
}

/// Three people, two of whom know each other.
fn people(key: &str) -> String {
    let list = [&[5][..], &2_i64.to_le_bytes(), &integer(7), &[1, 1]].concat();
    let rows: [&[u8]; 3] = [
        &[text("Ada"), integer(36)].concat(),
        &[text("Böb"), vec![2], 1.5_f64.to_le_bytes().to_vec()].concat(),
        &[vec![0], list].concat(),
    ];
    let nodes = token("Person:Peer", &["name", "age"], &rows);
    let edge = [ends(0, 1), integer(1840)].concat();
    let edges = token("KNOWS", &["since"], &[&edge, &[ends(2, 2), vec![0]].concat()]);
    format!("GRAPH.BULK {key} BEGIN 3 2 1 1 {nodes} {edges}")
}

const FOUND: &str = "*3 *4 $4 name $3 age $9 labels(n) $5 since *3 *4 $3 Ada :36 $14 \
                     [Person, Peer] :1840 *4 $4 Böb $3 1.5 $14 [Person, Peer] $-1 *4 $-1 $9 \
                     [7, true] $14 [Person, Peer] $-1 *2 $19 Cached execution: 0 time";
const FIND: &str = "GRAPH.RO_QUERY g \"MATCH (n) OPTIONAL MATCH (n)-[r:KNOWS]->() RETURN n.name AS \
                    name, n.age AS age, labels(n), r.since AS since ORDER BY id(n)\"";

#[test]
fn pieces_make_nodes_and_relationships() {
    let mut client = TestClient::new(&engine());
    let taken = "-Graph with name 'g' cannot be created, as key 'g' already exists.";
    check(
        &mut client,
        &[
            (&people("g"), "$32 3 nodes created, 2 edges created"),
            (FIND, FOUND),
            (&people("g"), taken),
        ],
    );
    // One more piece, of nodes without properties, and a relationship to a node of before.
    let (nodes, edges) = (token("Bare", &[], &[]), token("TO", &[], &[&ends(4, 0)]));
    let more = format!("GRAPH.BULK g 2 1 1 1 {nodes} {edges}");
    assert_eq!(client.ask(&more), "$32\r\n2 nodes created, 1 edges created");
    // The loader begins the token of a file anew in each piece.
    let bare = token("Bare", &[], &[]);
    let again = format!("GRAPH.BULK g 3 0 2 0 {bare} {bare}");
    assert_eq!(client.ask(&again), "$32\r\n3 nodes created, 0 edges created");
    let to = "GRAPH.RO_QUERY g \"MATCH (b:Bare)-[:TO]->(n) RETURN id(b), n.name\"";
    assert!(ask(&mut client, to).contains("*1 *2 :4 $3 Ada "));
    client.ask("SET text x");
    let other = people("text");
    assert!(client.ask(&other).contains("'text' cannot be created"));
    assert!(client.ask(&other.replace("BEGIN ", "")).starts_with("-WRONGTYPE"));
    let none = people("none").replace("BEGIN ", "");
    assert_eq!(client.ask(&none), "-ERR Invalid graph operation on empty key");
    assert_eq!(client.ask("EXISTS none"), ":0");
    nothing_left(&mut client);
}

#[test]
fn a_bad_piece_makes_nothing_and_loses_nothing() {
    let mut client = TestClient::new(&engine_with("graph-query-memory 4mb"));
    client.ask(&people("g"));
    client.ask("GRAPH.CONSTRAINT CREATE g MANDATORY NODE Peer PROPERTIES 1 q");
    client.ask("GRAPH.QUERY g \"CREATE INDEX FOR (n:U) ON (n.i)\"");
    client.ask("GRAPH.CONSTRAINT CREATE g UNIQUE NODE U PROPERTIES 1 i");
    let digest = client.ask("DEBUG DIGEST");
    let one = integer(1);
    let good = token("New", &["i"], &[&one]);
    let deep = [5, 1, 0, 0, 0, 0, 0, 0, 0].repeat(300);
    for (counts, tokens) in [
        ("1 0 1 0", token("New", &["i"], &[&one[..5]])),
        ("1 0 1 0", token("New", &["i"], &[b"\x09"])),
        ("1 0 1 0", token("New", &["i"], &[b"\x03abc"])),
        ("1 0 1 0", token("New", &["i"], &[b"\x03\xff\0"])),
        ("1 0 1 0", token("New", &["i"], &[b"\x05\xff\xff\xff\xff\xff\xff\xff\x7f"])),
        ("1 0 1 0", token("New", &["i"], &[&deep])),
        ("1 0 1 0", token("", &["i"], &[&one])),
        ("1 0 1 0", token("New", &[""], &[&one])),
        ("1 0 1 0", token("New", &[], &[&one])),
        ("1 0 1 0", said(b"")),
        ("1 0 1 0", said(b"New\0\xff\xff\xff\xff")),
        ("2 0 1 0", good.clone()),
        ("0 0 1 0", good.clone()),
        ("1 0 2 0", good.clone()),
        ("1 0 0 0", good.clone()),
        ("-1 0 1 0", good.clone()),
        ("5 0 2 0", format!("{} {}", token("A", &[], &[]), token("B", &[], &[]))),
        ("999999999999 0 1 0", token("A", &[], &[])),
        ("1 1 1 1", format!("{good} {}", token("TO", &[], &[&ends(0, 99)]))),
        ("1 1 1 1", format!("{good} {}", token("TO", &[], &[&ends(1 << 32, 0)]))),
        ("1 1 1 1", format!("{good} {}", token("TO", &[], &[&ends(0, 1)[..9]]))),
        ("2 0 1 0", token("U", &["i"], &[&one, &one])),
    ] {
        let reply = client.ask(&format!("GRAPH.BULK g {counts} {tokens}"));
        assert!(reply.starts_with('-'), "{counts}: {reply}");
        assert_eq!(client.ask("DEBUG DIGEST"), digest, "{counts}: {reply}");
    }
    let reply = client.ask(&format!("GRAPH.BULK new BEGIN 2 0 1 0 {good}"));
    assert_eq!(reply, "-ERR the piece has 1 nodes, and says that it has 2");
    assert_eq!(client.ask("EXISTS new"), ":0");
    assert_eq!(
        client.ask(&format!("GRAPH.BULK g 1 0 1 0 {good}")),
        "$32\r\n1 nodes created, 0 edges created"
    );
    nothing_left(&mut client);
}

#[test]
fn pieces_are_journalled_and_come_every_way() {
    let folder = Folder::new("engine");
    let lines = "appendonly yes\nsave \"\"";
    let engine = open(folder.path(), lines);
    let mut client = TestClient::new(&engine);
    client.ask(&people("g"));
    for line in ["MULTI", &people("in-exec"), "GRAPH.LIST", "EXEC"] {
        client.ask(line);
    }
    let script = people("KEYS");
    let token = script.split(' ').nth(7).unwrap();
    let call = "return redis.call('graph.bulk', KEYS[1], 'BEGIN', 3, 0, 1, 0, ARGV[1])";
    let reply = client.ask(&format!("EVAL \"{call}\" 1 in-script {token}"));
    assert_eq!(reply, "$32\r\n3 nodes created, 0 edges created");
    let digest = client.ask("DEBUG DIGEST");
    assert_eq!(client.ask("DBSIZE"), ":3");
    engine.store.log().sync().unwrap();
    engine.close_data_dir();
    let engine = open(folder.path(), lines);
    let mut client = TestClient::new(&engine);
    assert_eq!(client.ask("DEBUG DIGEST"), digest);
    check(&mut client, &[(FIND, FOUND)]);
    engine.close_data_dir();
}
