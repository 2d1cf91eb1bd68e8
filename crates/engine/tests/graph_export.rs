//! GRAPH.EXPORT and GRAPH.IMPORT: texts of graphs, part by part, however they come.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::collections::BTreeSet;

use kvist_engine::State;
use testkit::folder::Folder;

use crate::graphs::{ask, nothing_left, open, until};
use crate::test_client::{TestClient, engine, engine_with};

/// A reply.
#[derive(Clone, Debug, PartialEq)]
enum Answer {
    Text(String),
    List(Vec<Answer>),
}

impl Answer {
    fn read(text: &str) -> Answer {
        Answer::next(&mut &*format!("{text}\r\n"))
    }

    fn next(text: &mut &str) -> Answer {
        let (line, rest) = text.split_once("\r\n").unwrap();
        *text = rest;
        let count = || line[1..].parse::<usize>().unwrap();
        match &line[..1] {
            "*" => Answer::List((0..count()).map(|_| Answer::next(text)).collect()),
            "$" => {
                // Of the last one the line breaks at its end have been taken.
                let count = count();
                let (word, rest) = text.split_at(count.min(text.len()));
                *text = rest.get(2..).unwrap_or_default();
                Answer::Text(if word.len() < count {
                    word.replace("\r\n", "\n")
                } else {
                    word.to_owned()
                })
            }
            _ => Answer::Text(line.to_owned()),
        }
    }

    fn text(&self) -> &str {
        let Answer::Text(text) = self else { panic!("{self:?}") };
        text
    }

    fn list(&self) -> &[Answer] {
        let Answer::List(list) = self else { panic!("{self:?}") };
        list
    }
}

/// The reply to words that may be anything.
fn say(client: &mut TestClient, words: &[&str]) -> String {
    let mut bytes = format!("*{}\r\n", words.len());
    words.iter().for_each(|word| bytes.push_str(&format!("${}\r\n{word}\r\n", word.len())));
    match client.feed(&bytes) {
        (_, State::Blocked) => client.answered(),
        (reply, _) => reply.trim_end().to_owned(),
    }
}

/// A part: the next cursor, and its pieces.
fn part(client: &mut TestClient, line: &str) -> (String, Vec<Answer>) {
    let reply = client.ask(line);
    assert!(reply.starts_with("*2"), "{line}: {reply}");
    let answer = Answer::read(&reply);
    let [cursor, pieces] = answer.list() else { panic!("{reply}") };
    (cursor.text().to_owned(), pieces.list().to_vec())
}

/// All parts of a graph.
fn parts(client: &mut TestClient, key: &str, rest: &str) -> Vec<Vec<Answer>> {
    let (mut parts, mut cursor) = (Vec::new(), "0".to_owned());
    loop {
        let (next, pieces) = part(client, &format!("GRAPH.EXPORT {key} CURSOR {cursor} {rest}"));
        parts.push(pieces);
        if next == "0" {
            return parts;
        }
        cursor = next;
    }
}

/// Imports a part; the last reply.
fn import(client: &mut TestClient, key: &str, part: &[Answer]) -> String {
    let mut words = vec!["GRAPH.IMPORT", key, "FORMAT", "CYPHER"];
    words.extend(part.iter().map(Answer::text));
    if words.len() == 4 {
        words.push("");
    }
    say(client, &words)
}

fn import_all(client: &mut TestClient, key: &str, parts: &[Vec<Answer>]) {
    for part in parts {
        let reply = import(client, key, part);
        assert!(reply.contains("nodes created"), "{reply}: {part:?}");
    }
}

/// 300 people, of whom each knows the next and one more, some gaps, an index and a constraint.
const MAKE: &[&str] = &[
    "GRAPH.QUERY g \"UNWIND range(0, 319) AS i CREATE (:Person {i: i, name: 'it\\\\'s ' + i, at: \
     date({year: 1800 + i})})\"",
    "GRAPH.QUERY g \"MATCH (a:Person), (b:Person) WHERE b.i = a.i + 1 OR b.i = a.i / 2 CREATE \
     (a)-[:KNOWS {by: a.i}]->(b)\"",
    "GRAPH.QUERY g \"MATCH (a:Person) WHERE a.i % 16 = 3 DETACH DELETE a\"",
    "GRAPH.QUERY g \"CREATE INDEX FOR (n:Person) ON (n.i)\"",
    "GRAPH.CONSTRAINT CREATE g UNIQUE NODE Person PROPERTIES 1 i",
];

const SUM: &str = "\"MATCH (n:Person) WITH count(n) AS nodes, sum(n.i) AS sum MATCH \
                   (a)-[r:KNOWS]->(b) RETURN nodes, sum, count(r), sum(a.i * r.by), sum(b.i * \
                   r.by), max(a.name), max(a.at)\"";

fn make(client: &mut TestClient) {
    for line in MAKE {
        let reply = client.ask(line);
        assert!(!reply.starts_with('-'), "{line}: {reply}");
    }
}

fn sum(client: &mut TestClient, key: &str) -> String {
    ask(client, &format!("GRAPH.RO_QUERY {key} {SUM}")).replace("execution: 1", "execution: 0")
}

#[test]
fn a_graph_is_what_its_text_says_however_it_is_cut() {
    let mut client = TestClient::new(&engine());
    make(&mut client);
    for count in ["", "COUNT 1000000", "COUNT 100", "COUNT 7"] {
        let parts = parts(&mut client, "g", count);
        assert_eq!(parts.len() == 1, count.len() > 10, "{count}");
        import_all(&mut client, "h", &parts);
        assert_eq!(sum(&mut client, "h"), sum(&mut client, "g"), "{count}");
        for procedure in ["indexes", "constraints"] {
            let mut all = |key| {
                let call = format!("CALL db.{procedure}() YIELD label, properties");
                let said = ask(&mut client, &format!("GRAPH.RO_QUERY {key} \"{call}\""));
                said.replace("execution: 1", "execution: 0")
            };
            assert_eq!(all("h"), all("g"));
        }
        let twin = client.ask("GRAPH.QUERY h \"CREATE (:Person {i: 5})\"");
        assert!(twin.contains("unique constraint violation"), "{twin}");
        client.ask("DEL h");
    }
    nothing_left(&mut client);
}

#[test]
fn an_export_sees_one_version_whatever_is_written_meanwhile() {
    let mut client = TestClient::new(&engine());
    make(&mut client);
    let before = sum(&mut client, "g");
    let (mut cursor, pieces) = part(&mut client, "GRAPH.EXPORT g COUNT 50");
    let mut parts = vec![pieces];
    let mut round = 0;
    while cursor != "0" {
        let write = format!(
            "GRAPH.QUERY g \"MATCH (n:Person) WHERE n.i % 7 = {} DETACH DELETE n\"",
            round % 7
        );
        client.ask(&write);
        client.ask(&format!("GRAPH.QUERY g \"CREATE (:Person {{i: {}}})\"", 1000 + round));
        if round == 3 {
            client.ask("DEL g");
        }
        let line = format!("GRAPH.EXPORT g CURSOR {cursor} COUNT 50");
        let (next, pieces) = part(&mut client, &line);
        if next != "0" {
            // A reply that was lost is asked for again.
            assert_eq!(part(&mut client, &line), (next.clone(), pieces.clone()));
        }
        (cursor, round) = (next, round + 1);
        parts.push(pieces);
    }
    assert!(round > 3);
    client.ask("DEL g");
    import_all(&mut client, "h", &parts);
    assert_eq!(sum(&mut client, "h"), before);
    nothing_left(&mut client);
}

#[test]
fn tables_are_read_back() {
    let mut client = TestClient::new(&engine());
    make(&mut client);
    let parts = parts(&mut client, "g", "FORMAT CSV COUNT 100");
    let mut kinds = BTreeSet::new();
    for piece in parts.iter().flatten() {
        let [kind, name, text] = piece.list() else { panic!("{piece:?}") };
        kinds.insert(kind.text().to_owned());
        if kind.text() == "NODES" {
            assert_eq!(name.text(), "Person");
            assert!(text.text().starts_with(":ID,i:LONG,name:STRING,at:CYPHER\n"));
        }
        let words = ["GRAPH.IMPORT", "h", "FORMAT", "CSV", kind.text(), name.text(), text.text()];
        let reply = say(&mut client, &words);
        assert!(reply.contains("nodes created"), "{reply}: {piece:?}");
    }
    assert_eq!(kinds.len(), 3);
    assert_eq!(client.ask("GRAPH.IMPORT h FORMAT CSV END"), ":0");
    assert_eq!(sum(&mut client, "h"), sum(&mut client, "g"));
    let marked = ask(&mut client, "GRAPH.RO_QUERY h \"MATCH (n:_import) RETURN count(n)\"");
    assert!(marked.contains("*1 *1 :0"), "{marked}");
    nothing_left(&mut client);
}

/// The tables of FalkorDB's loader, with what its headers may say.
#[test]
fn tables_of_others_are_read() {
    let mut client = TestClient::new(&engine());
    for (words, reply) in [
        (
            ["NODES", "User:Admin", "name:ID(User),rank:INT,x:IGNORE\nann,1,z\n\"b, ob\",,z\n"],
            "2 nodes created, 0 relationships created",
        ),
        (
            ["NODES", "Page", ":ID,size,ok\n7,1.5,True\n8,big,\n"],
            "2 nodes created, 0 relationships created",
        ),
        (
            [
                "RELATIONSHIPS",
                "READ",
                ":START_ID(User),:END_ID,l:ARRAY\nann,7,\"[1, 'a', False]\"\n\"b, ob\",8,\n",
            ],
            "0 nodes created, 2 relationships created",
        ),
    ] {
        let [kind, name, text] = words;
        let said = say(&mut client, &["graph.import", "g", "format", "csv", kind, name, text]);
        assert!(said.ends_with(reply), "{said}");
    }
    assert_eq!(client.ask("GRAPH.IMPORT g FORMAT CSV END"), ":0");
    let reply = ask(
        &mut client,
        "GRAPH.RO_QUERY g \"MATCH (a:Admin)-[r:READ]->(b) RETURN a.name, a.rank, r.l, b.size, \
         b.ok, labels(b) ORDER BY a.name\"",
    );
    let found = "*6 $3 ann :1 $13 [1, a, false] $3 1.5 $4 true $6 [Page] *6 $5 b, ob $-1 $-1 $3 \
                 big $-1 $6 [Page]";
    assert!(reply.contains(found), "{reply}");
    nothing_left(&mut client);
}

/// Lines are looked at one by one: an id that is there twice does not make up for one that is not.
#[test]
fn a_wrong_line_of_a_table_is_named() {
    let mut client = TestClient::new(&engine());
    let mut import = |kind: &str, name: &str, text: &str| {
        say(&mut client, &["GRAPH.IMPORT", "g", "FORMAT", "CSV", kind, name, text])
    };
    let nodes = ":ID(A)\n1\n2\n\"x\"\n";
    assert!(import("NODES", "A", nodes).contains("3 nodes created"));
    // The id of a space is none of another, nor of none.
    assert!(import("NODES", "B", ":ID\nA.1\n1\n1.A.1\n").contains("3 nodes created"));
    for (kind, text, wrong) in [
        ("NODES", ":ID\n7\n8\n7\n", "line 4: a node with this :ID is there already"),
        ("NODES", ":ID\n7\n007\n", "line 3: a node with this :ID is there already"),
        ("NODES", ":ID(A)\n7\n\"x\"\n", "line 3: a node with this :ID is there already"),
        ("RELATIONSHIPS", ":START_ID,:END_ID\n1,1\n1,2\n", "line 3: no table has had a node"),
        ("RELATIONSHIPS", ":START_ID,:END_ID(A)\nA.2,1\n", "with this :START_ID"),
    ] {
        let said = import(kind, "N", text);
        assert!(said.starts_with("-ERR ") && said.contains(wrong), "{text}: {said}");
    }
    let edges = ":START_ID(A),:END_ID\n1,A.1\nx,1\n";
    assert!(import("RELATIONSHIPS", "TO", edges).contains("2 relationships created"));
    // By statements an id can come to be there twice; no table makes relationships with it.
    client.ask("GRAPH.QUERY g \"MATCH (n:B) WHERE n._import = 1 CREATE (:_import {_import: 1})\"");
    let twice = ":START_ID,:END_ID\n1,A.1\n5,A.1\n";
    let words = ["GRAPH.IMPORT", "g", "FORMAT", "CSV", "RELATIONSHIPS", "TO", twice];
    let said = say(&mut client, &words);
    assert!(said.contains("line 2: several nodes have this :START_ID"), "{said}");
    assert_eq!(client.ask("GRAPH.IMPORT g FORMAT CSV END"), ":0");
}

/// The error of a graph that is not there, and none is made.
#[test]
fn the_end_of_an_import_makes_no_graph() {
    let mut client = TestClient::new(&engine());
    let said = client.ask("GRAPH.IMPORT none FORMAT CSV END");
    assert_eq!(said, client.ask("GRAPH.CONSTRAINT DROP none UNIQUE NODE A PROPERTIES 1 x"));
    assert!(said.starts_with("-ERR Invalid graph operation"), "{said}");
    assert_eq!(client.ask("EXISTS none"), ":0");
    let said = client.ask("GRAPH.EXPORT none CURSOR x");
    assert!(said.contains("a cursor is a number"), "{said}");
}

#[test]
fn nonsense_changes_nothing() {
    let mut client = TestClient::new(&engine_with("graph-query-memory 4mb"));
    make(&mut client);
    let digest = client.ask("DEBUG DIGEST");
    let long = format!("CREATE (:A {{x: '{}'}})", "x".repeat(5 << 20));
    let nested = format!("RETURN {}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let twin = "CREATE (:Person {i: 5});";
    for text in [
        "CREATE (:A); CREATE (:B",
        "CREATE (:A); MATCH (n:Person {i: 5}) DELETE n",
        "CREATE (:A); RETURN 1 / 0;",
        "CREATE (:A); RETURN 'no end;",
        "CREATE (:A); GRAPH.CONSTRAINT CREATE graph UNIQUE NODE A PROPERTIES 1",
        "CREATE (:A); GRAPH.CONSTRAINT CREATE graph UNIQUE NODE A PROPERTIES 1 nothing",
        "CREATE (:A); GRAPH.CONSTRAINT CREATE graph MANDATORY NODE A PROPERTIES 1 a",
        "CREATE (:A); LOAD CSV FROM 'file://x' AS row CREATE ()",
        "\0\u{1}\u{2}",
        twin,
        &long,
        &nested,
        &"[".repeat(1000),
    ] {
        let reply =
            say(&mut client, &["GRAPH.IMPORT", "g", "FORMAT", "CYPHER", "CREATE (:Z)", text]);
        let shown: String = text.chars().take(80).collect();
        assert!(reply.starts_with("-ERR "), "{shown}: {reply}");
        assert!(reply.ends_with("nothing of the part was made"), "{shown}: {reply}");
        assert_eq!(client.ask("DEBUG DIGEST"), digest, "{shown}");
        let other =
            say(&mut client, &["GRAPH.IMPORT", "new", "FORMAT", "CYPHER", "RETURN 1/0", text]);
        assert!(other.starts_with('-'), "{shown}: {other}");
        assert_eq!(client.ask("EXISTS new"), ":0", "{shown}");
    }
    let second =
        say(&mut client, &["GRAPH.IMPORT", "g", "FORMAT", "CYPHER", "RETURN 1;;", "RETURN x"]);
    assert!(second.starts_with("-ERR statement 2: "), "{second}");
    for words in [
        ["NODES", "A", ""],
        ["NODES", "A", "x:LONG\n1\n"],
        ["NODES", "A", ":ID,x:WORD\n1,1\n"],
        ["NODES", "A", ":ID,:LONG\n1,1\n"],
        ["NODES", "A", ":ID,x:LONG\n1,1\n2\n"],
        ["NODES", "A", ":ID,x:LONG\n1,1\n2,b\n"],
        ["NODES", "A", ":ID,x:CYPHER\n1,1\n2,1 y=2\n"],
        ["NODES", "A", ":ID,x:CYPHER\n1,1\n2,1 value=2\n"],
        ["NODES", "A", ":ID,x:CYPHER\n1,1\n2,1 MATCH (n) DELETE n\n"],
        ["NODES", "A", ":ID,x:CYPHER\n1,{a: 1}\n"],
        ["NODES", "A", ":ID,x:STRING\n1,\"a\n"],
        ["NODES", "A", ":ID,x\n,1\n"],
        ["NODES", "A", ":ID,_import:LONG\n1,1\n"],
        ["NODES", "A:_import", ":ID\n1\n"],
        ["NODES", "Person", ":ID,i:LONG\n1,5\n"],
        ["RELATIONSHIPS", "TO", ":START_ID,:END_ID\n1,2\n"],
        ["RELATIONSHIPS", "TO", ":ID\n1\n"],
        ["SCHEMA", "", "CREATE INDEX FOR (n:A) ON (n.x); RETURN 1/0"],
    ] {
        let [kind, name, text] = words;
        let reply = say(&mut client, &["GRAPH.IMPORT", "g", "FORMAT", "CSV", kind, name, text]);
        assert!(reply.starts_with("-ERR "), "{text}: {reply}");
        assert_eq!(client.ask("DEBUG DIGEST"), digest, "{text}: {reply}");
    }
    let labels = ":".repeat((64 << 10) + 1);
    for kind in ["NODES", "RELATIONSHIPS"] {
        let words = ["GRAPH.IMPORT", "g", "FORMAT", "CSV", kind, &labels, ":ID\n1\n"];
        assert!(say(&mut client, &words).ends_with("longer than 64 KiB"), "{kind}");
    }
    for line in [
        "GRAPH.IMPORT g",
        "GRAPH.IMPORT g CYPHER x",
        "GRAPH.IMPORT g FORMAT",
        "GRAPH.IMPORT g FORMAT XML x",
        "GRAPH.IMPORT g FORMAT CYPHER",
        "GRAPH.IMPORT g FORMAT CSV",
        "GRAPH.IMPORT g FORMAT CSV END END",
        "GRAPH.IMPORT g FORMAT CSV NODES A",
        "GRAPH.IMPORT g FORMAT CSV NODES A x y",
        "GRAPH.IMPORT g FORMAT CYPHER \"\\xff\"",
        "GRAPH.IMPORT g FORMAT CSV NODES \"\\xff\" :ID",
        "GRAPH.IMPORT g FORMAT CSV NODES A \":ID,\\xff\\n\"",
        "GRAPH.EXPORT",
        "GRAPH.EXPORT none",
        "GRAPH.EXPORT g FORMAT",
        "GRAPH.EXPORT g FORMAT XML",
        "GRAPH.EXPORT g COUNT 0",
        "GRAPH.EXPORT g COUNT -1",
        "GRAPH.EXPORT g COUNT x",
        "GRAPH.EXPORT g CURSOR",
        "GRAPH.IMPORT none FORMAT CSV END",
        "GRAPH.EXPORT g CURSOR x",
        "GRAPH.EXPORT g CURSOR -1",
        "GRAPH.EXPORT g CURSOR 1",
        "GRAPH.EXPORT g CURSOR 9223372036854775807",
        "GRAPH.EXPORT g CURSOR 99999999999999999999",
        "GRAPH.EXPORT g WORD",
    ] {
        let reply = client.ask(line);
        assert!(reply.starts_with('-'), "{line}: {reply}");
        assert_eq!(client.ask("DEBUG DIGEST"), digest, "{line}: {reply}");
    }
    client.ask("SET text x");
    for line in [
        "GRAPH.EXPORT text",
        "GRAPH.IMPORT text FORMAT CYPHER x",
        "GRAPH.IMPORT text FORMAT CSV END",
    ] {
        assert!(client.ask(line).starts_with("-WRONGTYPE"), "{line}");
    }
    nothing_left(&mut client);
}

/// A cursor is of its key, its database and its format, and ends with its time.
#[test]
fn cursors_are_of_what_they_were_made_for() {
    let engine = engine();
    let mut client = TestClient::new(&engine);
    make(&mut client);
    client.ask("GRAPH.COPY g h");
    let (cursor, _) = part(&mut client, "GRAPH.EXPORT g COUNT 10");
    let no = "-ERR there is no such cursor";
    for line in [
        format!("GRAPH.EXPORT h CURSOR {cursor}"),
        format!("GRAPH.EXPORT g CURSOR {cursor} FORMAT CSV"),
        format!("GRAPH.EXPORT g CURSOR {}", cursor.parse::<u64>().unwrap() + (1 << 35)),
    ] {
        assert!(client.ask(&line).starts_with(no), "{line}");
    }
    client.ask("SELECT 1");
    assert!(client.ask(&format!("GRAPH.EXPORT g CURSOR {cursor}")).starts_with(no));
    client.ask("SELECT 0");
    part(&mut client, &format!("GRAPH.EXPORT g CURSOR {cursor}"));
    // A place that no part ended at is one all the same.
    part(&mut client, &format!("GRAPH.EXPORT g CURSOR {}", cursor.parse::<u64>().unwrap() + 1));
    assert!(engine.store.leases.end_overdue(u64::MAX));
    assert!(client.ask(&format!("GRAPH.EXPORT g CURSOR {cursor}")).starts_with(no));
    nothing_left(&mut client);
    // So many are kept.
    for _ in 0..200 {
        part(&mut client, "GRAPH.EXPORT g COUNT 10");
    }
    assert_eq!(engine.store.leases.len(), base::Leases::MOST);
    let shown = client.ask("INFO stats");
    assert!(shown.contains("\r\ngraph_exports:64\r\n"), "{shown}");
    engine.store.leases.end_overdue(u64::MAX);
    nothing_left(&mut client);
}

/// What a lease keeps is bounded as what other readers keep is.
#[test]
fn an_export_that_keeps_too_much_is_given_up() {
    let engine = engine_with("query-kept-memory 100kb");
    let mut client = TestClient::new(&engine);
    client.ask("GRAPH.QUERY g \"UNWIND range(1, 20000) AS i CREATE (:A {i: 'some text ' + i})\"");
    let (cursor, _) = part(&mut client, "GRAPH.EXPORT g COUNT 10");
    client.ask("GRAPH.QUERY g \"MATCH (n:A) SET n.i = 'other ' + n.i\"");
    until(|| engine.store.leases.end_overdue(0));
    let reply = client.ask(&format!("GRAPH.EXPORT g CURSOR {cursor}"));
    assert!(reply.starts_with("-ERR there is no such cursor"), "{reply}");
    nothing_left(&mut client);
    part(&mut client, "GRAPH.EXPORT g COUNT 10");
    engine.store.leases.end_overdue(u64::MAX);
    nothing_left(&mut client);
}

#[test]
fn parts_are_journalled_and_come_every_way() {
    let folder = Folder::new("engine");
    let lines = "appendonly yes\nsave \"\"";
    let engine = open(folder.path(), lines);
    let mut client = TestClient::new(&engine);
    make(&mut client);
    let all = parts(&mut client, "g", "COUNT 100");
    import_all(&mut client, "h", &all);
    client.ask("MULTI");
    for part in &all {
        assert_eq!(import(&mut client, "in-exec", part), "+QUEUED");
    }
    client.ask("GRAPH.EXPORT in-exec COUNT 100000");
    let reply = Answer::read(&client.ask("EXEC"));
    let exported = reply.list().last().unwrap().list()[1].list().to_vec();
    import_all(&mut client, "again", &[exported]);
    for part in &all {
        let call = "return redis.call('graph.import', KEYS[1], 'FORMAT', 'CYPHER', unpack(ARGV))";
        let mut words = vec!["EVAL", call, "1", "in-script"];
        words.extend(part.iter().map(Answer::text));
        let reply = say(&mut client, &words);
        assert!(reply.contains("nodes created"), "{reply}");
    }
    let call = "local c = redis.call('graph.export', KEYS[1], 'COUNT', 10)[1] return \
                #redis.call('graph.export', KEYS[1], 'CURSOR', c, 'COUNT', 100000)[2]";
    let reply = say(&mut client, &["EVAL", call, "1", "in-script"]);
    assert!(reply.starts_with(':') && reply != ":0", "{reply}");
    let sums: Vec<String> = ["g", "h", "in-exec", "again", "in-script"]
        .iter()
        .map(|key| sum(&mut client, key))
        .collect();
    assert!(sums.iter().all(|other| *other == sums[0]), "{sums:?}");
    let digest = client.ask("DEBUG DIGEST");
    engine.store.log().sync().unwrap();
    engine.close_data_dir();
    let engine = open(folder.path(), lines);
    let mut client = TestClient::new(&engine);
    assert_eq!(client.ask("DEBUG DIGEST"), digest);
    engine.close_data_dir();
}

#[test]
fn rights_and_bounds_hold() {
    let engine = engine_with("graph-query-memory 4mb");
    let (mut client, mut reader) = (TestClient::new(&engine), TestClient::new(&engine));
    make(&mut client);
    let (cursor, _) = part(&mut client, "GRAPH.EXPORT g COUNT 10");
    assert_eq!(client.ask("ACL SETUSER reader on nopass %R~g %RW~own +@graph"), "+OK");
    assert_eq!(reader.ask("AUTH reader any"), "+OK");
    let all = parts(&mut reader, "g", "COUNT 100");
    import_all(&mut reader, "own", &all);
    for refused in [
        "GRAPH.IMPORT g FORMAT CYPHER x".to_owned(),
        "GRAPH.IMPORT other FORMAT CYPHER x".to_owned(),
        "GRAPH.EXPORT other".to_owned(),
        format!("GRAPH.EXPORT other CURSOR {cursor}"),
    ] {
        assert!(reader.ask(&refused).starts_with("-NOPERM"), "{refused}");
    }
    // A text that is larger than what a part may keep.
    let large = "x".repeat(3 << 20);
    let reply = say(
        &mut client,
        &["GRAPH.IMPORT", "big", "FORMAT", "CSV", "NODES", "A", &format!(":ID,x\n1,{large}\n")],
    );
    assert!(reply.contains("mem consumption exceeded"), "{reply}");
    client.ask("CONFIG SET graph-query-memory 64mb");
    let reply = say(
        &mut client,
        &[
            "GRAPH.IMPORT",
            "big",
            "FORMAT",
            "CSV",
            "NODES",
            "A",
            &format!(":ID,x\n1,{large}\n2,{large}\n"),
        ],
    );
    assert!(reply.contains("2 nodes created"), "{reply}");
    let all = parts(&mut client, "big", "");
    assert!(all.len() > 1, "a part ends behind what is large");
    client.ask("CONFIG SET graph-query-memory 2mb");
    let reply = client.ask("GRAPH.EXPORT big");
    assert!(reply.contains("mem consumption exceeded"), "{reply}");
    client.ask("CONFIG SET graph-query-memory 64mb");
    client.ask("CONFIG SET max-reply-size 2mb");
    let reply = client.ask("GRAPH.EXPORT big");
    assert!(reply.starts_with("-ERR"), "{reply}");
    engine.store.leases.end_overdue(u64::MAX);
    nothing_left(&mut client);
}

#[test]
fn a_part_that_runs_long_is_ended() {
    let engine = engine();
    let (mut client, mut other) = (TestClient::new(&engine), TestClient::new(&engine));
    make(&mut client);
    let digest = client.ask("DEBUG DIGEST");
    let endless = "UNWIND range(1, 99999) AS a UNWIND range(1, 99999) AS b UNWIND range(1, 999) \
                   AS c RETURN sum(c)";
    let line = format!("GRAPH.IMPORT g FORMAT CYPHER \"CREATE (:A); {endless}\"\r\n");
    assert_eq!(client.feed(&line).1, State::Blocked);
    let id = |other: &mut TestClient| {
        let told = ask(other, "GRAPH.INFO RunningQueries");
        told.split("$2 Id :").nth(1).map(str::to_owned)
    };
    until(|| id(&mut other).is_some());
    let told = ask(&mut other, "GRAPH.INFO");
    let text = format!("GRAPH.IMPORT g FORMAT CYPHER CREATE (:A); {endless}");
    let shown = format!("$10 Graph name $1 g $5 Query ${} {text} ", text.len());
    assert!(told.contains(&shown), "{told}");
    let id = id(&mut other).unwrap();
    assert_eq!(other.ask(&format!("GRAPH.KILL {id}")), "+OK");
    assert_eq!(client.answered(), "-ERR the statement was ended by GRAPH.KILL");
    assert_eq!(other.ask("DEBUG DIGEST"), digest);
    other.ask("CONFIG SET graph-timeout 20");
    let reply = client.ask(line.trim_end());
    assert!(reply.contains("Query timed out"), "{reply}");
    assert_eq!(other.ask("DEBUG DIGEST"), digest);
    nothing_left(&mut other);
}
