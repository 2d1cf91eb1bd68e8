//! Graphs: all that happens to values, and statements that read versions and change forks of them.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::path::Path;
use std::sync::Arc;

use kvist_engine::Engine;
use kvist_engine::persistence::Reason;
use kvist_engine::{Message, State};
use rdb::Value;
use testkit::folder::Folder;

use crate::data_dir;
use crate::test_client::{TestClient, engine, engine_with};

/// The reply without what differs from run to run.
pub(crate) fn ask(client: &mut TestClient, line: &str) -> String {
    timeless(&client.ask(line))
}

fn timeless(reply: &str) -> String {
    timeless_lines(reply, "\r\n").join(" ")
}

/// The lines of a reply, which end like this, with the time that a statement took left out.
pub(crate) fn timeless_lines<'a>(reply: &'a str, end: &str) -> Vec<&'a str> {
    let mut lines: Vec<&str> = Vec::new();
    for line in reply.split(end) {
        if line.starts_with("Query internal execution time: ") {
            lines.pop();
            lines.push("time");
        } else {
            lines.push(line);
        }
    }
    lines
}

pub(crate) fn check(client: &mut TestClient, asked: &[(&str, &str)]) {
    for (line, reply) in asked {
        assert_eq!(ask(client, line), *reply, "{line}");
    }
}

/// Two people who know each other.
const MAKE: &str = "GRAPH.QUERY g \"CREATE (:Person {name: 'Ada', age: 36, scores: [1, 2.5]})\
                    -[:KNOWS {since: 1840}]->(:Peer {name: 'Bob'})\"";
const COUNT: &str = "GRAPH.RO_QUERY g \"MATCH (n) RETURN count(n) AS n\"";

fn counted(count: usize) -> String {
    format!("*3 *1 $1 n *1 *1 :{count} *2 $19 Cached execution: 0 time")
}

/// How many nodes there are, whether or not the plan was known.
fn nodes(client: &mut TestClient, key: &str) -> String {
    let reply = ask(client, &format!("GRAPH.RO_QUERY {key} \"MATCH (n) RETURN count(n) AS n\""));
    let found = reply.strip_prefix("*3 *1 $1 n *1 *1 :").and_then(|rest| rest.split(' ').next());
    found.unwrap_or(&reply).to_owned()
}

/// One that has read this directory.
pub(crate) fn open(dir: &Path, lines: &str) -> Arc<Engine> {
    data_dir::open(dir, lines).unwrap().0
}

pub(crate) fn until(condition: impl FnMut() -> bool) {
    testkit::wait::until("what a test waits for", condition);
}

/// Nothing is left of any query, and all memory is counted.
#[track_caller]
pub(crate) fn nothing_left(client: &mut TestClient) {
    let engine = Arc::clone(&client.worker.engine);
    until(|| {
        drop(engine.store.take_trash());
        (engine.store.versions.living(), engine.store.versions.kept()) == (0, 0)
    });
    assert!(engine.waits.blocked.is_empty());
    client.worker.txn.report_memory();
    until(|| store::recount(&mut client.worker.txn.held) == engine.store.memory());
}

#[test]
fn statements_are_answered_as_falkordb_answers_them() {
    let mut client = TestClient::new(&engine());
    check(
        &mut client,
        &[
            ("GRAPH.RO_QUERY g \"RETURN 1\"", "-ERR Invalid graph operation on empty key"),
            ("GRAPH.QUERY g \"RETURN 1\"", "*3 *1 $1 1 *1 *1 :1 *2 $19 Cached execution: 1 time"),
            ("EXISTS g", ":1"),
            (
                MAKE,
                "*1 *6 $15 Labels added: 2 $16 Nodes created: 2 $17 Properties set: 5 $24 \
                 Relationships created: 1 $19 Cached execution: 0 time",
            ),
            (
                "GRAPH.QUERY g \"MATCH (a)-[r]->(b) RETURN a, r, b.name, a.scores\"",
                "*3 *4 $1 a $1 r $6 b.name $8 a.scores *1 *4 *3 *2 $2 id :0 *2 $6 labels *1 $6 \
                 Person *2 $10 properties *3 *2 $4 name $3 Ada *2 $3 age :36 *2 $6 scores $13 \
                 [1, 2.500000] *5 *2 $2 id :0 *2 $4 type $5 KNOWS *2 $8 src_node :0 *2 $9 \
                 dest_node :1 *2 $10 properties *1 *2 $5 since :1840 $3 Bob $13 [1, 2.500000] *2 \
                 $19 Cached execution: 0 time",
            ),
            (
                "GRAPH.QUERY g \"MATCH (a)-[r]->(b) RETURN a, r, b.name, a.scores\" --COMPACT",
                "*3 *4 *2 :1 $1 a *2 :1 $1 r *2 :1 $6 b.name *2 :1 $8 a.scores *1 *4 *2 :8 *3 :0 \
                 *1 :0 *3 *3 :0 :2 $3 Ada *3 :1 :3 :36 *3 :2 :6 *2 *2 :3 :1 *2 :5 $3 2.5 *2 :7 *5 \
                 :0 :0 :0 :1 *1 *3 :3 :3 :1840 *2 :2 $3 Bob *2 :6 *2 *2 :3 :1 *2 :5 $3 2.5 *2 $19 \
                 Cached execution: 1 time",
            ),
            (
                "GRAPH.QUERY g \"CYPHER x=0.1 y=\\\"z\\\" RETURN $x + 0.2 AS x, $y AS y, {k: null} \
                 AS m, true AS t\" --compact",
                "*3 *4 *2 :1 $1 x *2 :1 $1 y *2 :1 $1 m *2 :1 $1 t *1 *4 *2 :5 $3 0.3 *2 :2 $1 z \
                 *2 :10 *2 $1 k *2 :1 $-1 *2 :4 $4 true *2 $19 Cached execution: 0 time",
            ),
            (
                "GRAPH.RO_QUERY g \"CREATE (n)\"",
                "-graph.RO_QUERY is to be executed only on read-only queries",
            ),
            ("GRAPH.QUERY g \"RETURN 1 / 0\"", "-Division by zero"),
            ("GRAPH.QUERY g \"\"", "-Error: empty query."),
            ("GRAPH.QUERY g", "-ERR wrong number of arguments for 'graph.query' command"),
            ("GRAPH.QUERY g \"RETURN 1\" timeout", "-Failed to parse query timeout value"),
            ("GRAPH.QUERY g \"RETURN 1\" timeout -5", "-Failed to parse query timeout value"),
            ("GRAPH.QUERY g \"RETURN 1\" version x", "-Failed to parse graph version value"),
            ("GRAPH.EXPLAIN missing \"RETURN 1\"", "-ERR Invalid graph operation on empty key"),
            ("GRAPH.LIST", "*1 $1 g"),
            ("SET s v", "+OK"),
            (
                "GRAPH.QUERY s \"RETURN 1\"",
                "-WRONGTYPE Operation against a key holding the wrong kind of value",
            ),
            ("GRAPH.DELETE s", "-ERR Invalid graph operation on empty key"),
            ("GRAPH.COPY g s", "-destination key already exists"),
            ("GRAPH.COPY g h", "$2 OK"),
            ("GRAPH.COPY missing i", "-ERR Invalid graph operation on empty key"),
            ("GRAPH.DELETE g", "+OK"),
            ("GRAPH.DELETE g", "-ERR Invalid graph operation on empty key"),
            ("GRAPH.LIST", "*1 $1 h"),
        ],
    );
    assert_eq!(nodes(&mut client, "h"), "2");
    assert!(ask(&mut client, "GRAPH.EXPLAIN h \"MATCH (n) RETURN n\"").contains("Results"));
    let profile = ask(&mut client, "GRAPH.PROFILE h \"MATCH (n) RETURN n\"");
    assert!(profile.contains("Records produced: 2, Execution time: "), "{profile}");
    assert!(profile.ends_with(" ms"), "{profile}");
    let stale = ask(&mut client, "GRAPH.RO_QUERY h \"RETURN 1\" version 7");
    let current = stale.strip_prefix("*2 -version mismatch :").unwrap().to_owned();
    let fresh = ask(&mut client, &format!("GRAPH.RO_QUERY h \"RETURN 1\" version {current}"));
    assert!(fresh.starts_with("*3 "), "{fresh}");
    nothing_left(&mut client);
}

#[test]
fn rows_are_json_on_request() {
    let mut client = TestClient::new(&engine());
    ask(&mut client, MAKE);
    let mut row = |returned: &str| {
        let reply = ask(&mut client, &format!("GRAPH.QUERY g \"{returned}\" --json"));
        let (_, row) = reply.split_once(" *1 $").unwrap_or_else(|| panic!("{reply}"));
        let (_, row) = row.split_once(" *1 $").unwrap_or_else(|| panic!("{reply}"));
        let (length, rest) = row.split_once(' ').unwrap();
        rest[..length.parse::<usize>().unwrap()].to_owned()
    };
    let ada =
        r#"{"id":0,"labels":["Person"],"properties":{"name":"Ada","age":36,"scores":[1,2.5]}}"#;
    let bob = r#"{"id":1,"labels":["Peer"],"properties":{"name":"Bob"}}"#;
    let knows = r#"{"id":0,"type":"KNOWS","source":0,"target":1,"properties":{"since":1840}}"#;
    let nodes = row("MATCH (a)-[r]->(b) RETURN [a, r, b] AS all");
    assert_eq!(nodes.replace(' ', ""), format!("[[{ada},{knows},{bob}]]"));
    let path = row("MATCH p = (a)-->(b) RETURN p");
    assert_eq!(path, format!(r#"[{{"nodes":[{ada},{bob}],"relationships":[{knows}]}}]"#));
    let scalars = row("RETURN {a: [null, true, 0.1, 1e300, 2.0, 'é', 9223372036854775807, \
         0.0 / 0.0, 1.0 / 0.0]} AS all");
    assert_eq!(
        scalars,
        r#"[{"a":[null,true,0.1,1e300,2.0,"é",9223372036854775807,"NaN","Infinity"]}]"#
    );
    let others =
        row("RETURN [datetime('2024-02-29T01:02:03.000000004+02:00'), duration('P1M2DT0.5S'), \
         point({latitude: 1.5, longitude: -2}), vecf32([1, 0.5])] AS all");
    assert_eq!(
        others,
        "[[\"2024-02-29T01:02:03.000000004+02:00\",\"P1M2DT0.5S\",\
         {\"latitude\":1.5,\"longitude\":-2.0},[1.0,0.5]]]"
    );
    nothing_left(&mut client);
}

#[test]
fn commands_on_keys_take_graphs() {
    let mut client = TestClient::new(&engine_with("enable-debug-command yes"));
    client.ask(MAKE);
    check(
        &mut client,
        &[
            ("TYPE g", "+graphdata"),
            ("OBJECT ENCODING g", "$3 raw"),
            ("SCAN 0 TYPE graphdata", "*2 $1 0 *1 $1 g"),
            ("COPY g copy", ":1"),
            ("RENAME copy renamed", "+OK"),
            ("MOVE renamed 1", ":1"),
            ("PEXPIREAT g 9000000000000", ":1"),
            (
                "GRAPH.QUERY g \"CREATE ()\"",
                "*1 *3 $16 Nodes created: 1 $19 Cached execution: 0 time",
            ),
            ("PEXPIRETIME g", ":9000000000000"),
            ("SELECT 1", "+OK"),
        ],
    );
    assert_eq!(nodes(&mut client, "renamed"), "2");
    check(&mut client, &[("UNLINK renamed", ":1"), ("SELECT 0", "+OK")]);
    assert_eq!(nodes(&mut client, "g"), "3");
    let before = client.ask("MEMORY USAGE g");
    client.ask(&format!("GRAPH.QUERY g \"CREATE ({{text: '{}'}})\"", "x".repeat(9000)));
    assert_ne!(client.ask("MEMORY USAGE g"), before);
    // One without nodes is one all the same.
    client.ask("GRAPH.QUERY empty \"RETURN 1\"");
    assert_eq!(nodes(&mut client, "empty"), "0");
    assert_eq!(client.ask("DEL empty g"), ":2");
    nothing_left(&mut client);
}

#[test]
fn payloads_of_graphs_are_restored() {
    let mut client = TestClient::new(&engine_with("enable-debug-command yes"));
    client.ask(MAKE);
    client.ask("GRAPH.QUERY g \"CREATE (:Gone)\"");
    let raw = |client: &mut TestClient, words: &[&[u8]]| {
        let mut out = Vec::new();
        client.worker.execute(&mut client.session, words, &mut out);
        out
    };
    let reply = raw(&mut client, &[b"DUMP", b"g"]);
    let at = reply.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    let payload = &reply[at..reply.len() - 2];
    let Value::Module(module) = rdb::dump::decode(payload).unwrap() else { panic!("a module's") };
    assert_eq!((module.name().as_str(), module.version()), ("kvistgrph", 1));
    assert_eq!(raw(&mut client, &[b"RESTORE", b"again", b"0", payload]), b"+OK\r\n");
    assert_eq!(nodes(&mut client, "again"), "3");
    let digest = client.ask("DEBUG DIGEST-VALUE g");
    assert_eq!(client.ask("DEBUG DIGEST-VALUE again"), digest);
    client.ask("GRAPH.QUERY again \"CREATE ()\"");
    assert_ne!(client.ask("DEBUG DIGEST-VALUE again"), digest);
    let mut broken = payload.to_vec();
    broken[20] ^= 0x55;
    assert!(raw(&mut client, &[b"RESTORE", b"b", b"0", &broken]).starts_with(b"-"));
}

#[test]
fn graphs_are_recovered() {
    for (saved_before, saved_after) in [(false, false), (true, false), (false, true)] {
        let folder = Folder::new("engine");
        let lines = "appendonly yes\nsave \"\"";
        let engine = open(folder.path(), lines);
        let mut client = TestClient::new(&engine);
        client.ask(MAKE);
        client.ask("GRAPH.QUERY empty \"RETURN 1\"");
        if saved_before {
            engine.save(Reason::Save, true).unwrap();
        }
        for line in [
            "COPY g far DB 3",
            "RENAME g moved",
            "GRAPH.QUERY moved \"UNWIND range(1, 3000) AS i CREATE (:Item {i: i, t: 'x' + i})\"",
            "GRAPH.COPY moved second",
            "GRAPH.QUERY second \"CREATE (:New {at: rand()})\"",
            "EVAL \"return redis.call('graph.query', KEYS[1], 'CREATE (:FromScript)')\" 1 moved",
            "GRAPH.QUERY deleted \"CREATE ()\"",
            "GRAPH.DELETE deleted",
            "PEXPIREAT moved 9000000000000",
        ] {
            let reply = client.ask(line);
            assert!(!reply.starts_with('-'), "{line}: {reply}");
        }
        for line in ["MULTI", "GRAPH.QUERY moved \"CREATE (:InExec)\"", COUNT, "EXEC"] {
            client.ask(&line.replace(" g ", " moved "));
        }
        if saved_after {
            engine.save(Reason::Save, true).unwrap();
        }
        let (digest, keys) = (client.ask("DEBUG DIGEST"), client.ask("DBSIZE"));
        assert_eq!(keys, ":3");
        engine.store.log().sync().unwrap();
        engine.close_data_dir();
        let engine = open(folder.path(), lines);
        let mut client = TestClient::new(&engine);
        assert_eq!(client.ask("DEBUG DIGEST"), digest, "{saved_before}, {saved_after}");
        assert_eq!(nodes(&mut client, "moved"), "3004");
        assert_eq!(client.ask("DEBUG RELOAD"), "+OK");
        assert_eq!(client.ask("DEBUG DIGEST"), digest);
        // Ids go on as they would have.
        client.ask("GRAPH.QUERY moved \"CREATE (:Next)\"");
        assert_eq!(nodes(&mut client, "moved"), "3005");
        engine.close_data_dir();
    }
}

#[test]
fn a_large_graph_is_saved_part_by_part_and_read_again() {
    let folder = Folder::new("engine");
    let engine = open(folder.path(), "appendonly yes\nsave \"\"");
    engine.store.copy_in_chunks_from(64 << 10, 16 << 10);
    let mut client = TestClient::new(&engine);
    let make = "UNWIND range(1, 20000) AS i CREATE (:Item {i: i, text: 'number ' + i})";
    client.ask(&format!("GRAPH.QUERY g \"{make}\""));
    let digest = client.ask("DEBUG DIGEST");
    engine.save(Reason::Save, true).unwrap();
    nothing_left(&mut client);
    engine.store.log().sync().unwrap();
    engine.close_data_dir();
    let engine = open(folder.path(), "appendonly yes\nsave \"\"");
    let mut client = TestClient::new(&engine);
    assert_eq!(client.ask("DEBUG DIGEST"), digest);
    assert_eq!(nodes(&mut client, "g"), "20000");
    engine.close_data_dir();
}

#[test]
fn graphs_are_evicted() {
    let engine = engine_with("maxmemory 8mb\nmaxmemory-policy allkeys-lru");
    let mut client = TestClient::new(&engine);
    let text = "x".repeat(4000);
    for n in 0..3000 {
        client.worker.begin(1_000_000);
        let reply = client.ask(&format!("GRAPH.QUERY g:{n} \"CREATE ({{text: '{text}'}})\""));
        assert!(reply.starts_with("*1"), "{reply}");
    }
    let keys: usize = client.ask("DBSIZE")[1..].parse().unwrap();
    assert!((50..2500).contains(&keys), "{keys} keys");
}

#[test]
fn a_statement_that_fails_leaves_no_trace() {
    let mut client = TestClient::new(&engine_with("enable-debug-command yes"));
    client.ask(MAKE);
    let digest = client.ask("DEBUG DIGEST");
    let fails = "UNWIND [1, 0] AS x CREATE (:Half {v: 1 / x})";
    check(
        &mut client,
        &[
            (&format!("GRAPH.QUERY g \"{fails}\""), "-Division by zero"),
            (&format!("GRAPH.QUERY new \"{fails}\""), "-Division by zero"),
            ("EXISTS new", ":0"),
            ("MULTI", "+OK"),
            (&format!("GRAPH.QUERY g \"{fails}\""), "+QUEUED"),
            ("EXEC", "*1 -Division by zero"),
        ],
    );
    let script = format!("EVAL \"return redis.pcall('graph.query', KEYS[1], '{fails}')\" 1 g");
    assert!(client.ask(&script).starts_with("-Division by zero"));
    assert_eq!(client.ask("DEBUG DIGEST"), digest);
    nothing_left(&mut client);
}

#[test]
fn statements_run_in_transactions_and_scripts() {
    let engine = engine();
    let (mut client, mut other) = (TestClient::new(&engine), TestClient::new(&engine));
    client.ask(MAKE);
    for line in ["MULTI", "GRAPH.QUERY g \"CREATE ()\"", COUNT, "GRAPH.DELETE g", "EXISTS g"] {
        client.ask(line);
    }
    let counted = counted(3);
    let reply =
        format!("*4 *1 *3 $16 Nodes created: 1 $19 Cached execution: 0 time {counted} +OK :0");
    assert_eq!(ask(&mut client, "EXEC"), reply);
    let script = "EVAL \"redis.call('graph.query', KEYS[1], 'CREATE (:A)') local rows = \
                  redis.call('graph.ro_query', KEYS[1], 'MATCH (n:A) RETURN count(n)')[2] \
                  return rows[1][1]\" 1 g";
    assert_eq!(client.ask(script), ":1");
    assert_eq!(client.ask(script), ":2");
    // What a client watches has changed.
    for (changes, executes) in [(false, true), (true, false)] {
        client.ask("WATCH g");
        let statement = if changes { "CREATE ()" } else { "MATCH (n) RETURN n" };
        other.ask(&format!("GRAPH.QUERY g \"{statement}\""));
        client.ask("MULTI");
        client.ask("SET done yes");
        assert_eq!(client.ask("EXEC") == "*1\r\n+OK", executes, "{statement}");
    }
    nothing_left(&mut client);
}

#[test]
fn others_are_told_of_what_a_statement_changes() {
    let engine = engine_with("notify-keyspace-events KEA");
    let (mut client, mut other) = (TestClient::new(&engine), TestClient::new(&engine));
    other.ask("HELLO 3");
    other.ask("PSUBSCRIBE __keyevent*");
    other.ask("CLIENT TRACKING ON BCAST");
    other.pushed();
    client.ask(MAKE);
    let told = other.pushed().join("");
    assert!(told.contains("__keyevent@0__:graph.query"), "{told}");
    assert!(told.contains("invalidate"), "{told}");
    // One that changes nothing tells nothing, though it might have written.
    client.ask("GRAPH.QUERY g \"MATCH (n:Missing) CREATE (:Never)\"");
    client.ask("GRAPH.QUERY g \"MATCH (n) RETURN n\"");
    assert_eq!(other.pushed(), Vec::<String>::new());
    client.ask("GRAPH.DELETE g");
    assert!(other.pushed().join("").contains("__keyevent@0__:del"));
}

#[test]
fn changes_of_a_graph_are_made_whole_or_not_at_all() {
    let mut client = TestClient::new(&engine_with("enable-debug-command yes"));
    client.ask(MAKE);
    let digest = client.ask("DEBUG DIGEST");
    // A label that is there already, behind one that is not.
    check(
        &mut client,
        &[
            (
                "GRAPH.APPLY g \"\\x00\\x03New\\x00\\x06Person\"",
                "-ERR these are changes of another graph",
            ),
            ("GRAPH.APPLY g \"\\x00\\x03New\\xff\"", "-ERR these are no changes of a graph"),
            ("GRAPH.APPLY other \"\\x04\\x01\"", "-ERR these are changes of another graph"),
            ("EXISTS other", ":0"),
            ("GRAPH.APPLY other \"\\x00\\x03New\\x03\\x00\\x01\\x00\"", "+OK"),
        ],
    );
    assert_eq!(nodes(&mut client, "other"), "1");
    client.ask("DEL other");
    assert_eq!(client.ask("DEBUG DIGEST"), digest);
}

/// What the client's own thread does when it has been told something.
#[cfg(debug_assertions)]
pub(crate) fn told(client: &mut TestClient) -> String {
    until(|| !client.messages.is_empty(client.session.client.id));
    let mut out = Vec::new();
    for message in client.messages.take(client.session.client.id) {
        let Message::Unblocked { ticket, reply } = message else { panic!("{message:?}") };
        client.worker.unblock(&mut client.session, ticket, &reply, &mut out);
    }
    timeless(String::from_utf8(out).unwrap().trim_end())
}

/// The only thread for queries is held up, by a ring's gate: statements that write wait for it with
/// the forks that they have made.
#[cfg(debug_assertions)]
pub(crate) fn held_up(lines: &str, gate: &str) -> (Arc<Engine>, TestClient, TestClient) {
    let lines = format!("{lines}\nquery-threads 1\nenable-debug-command yes");
    hold_up(crate::rings::engine(crate::test_client::start(&lines)), gate)
}

/// The same of an engine that has one such thread.
#[cfg(debug_assertions)]
pub(crate) fn hold_up(engine: Arc<Engine>, gate: &str) -> (Arc<Engine>, TestClient, TestClient) {
    let (mut holder, mut other) = (TestClient::new(&engine), TestClient::new(&engine));
    other.ask(&format!("RING.GATE CLOSE {gate}"));
    other.ask("RING.PUSH k 1 x");
    assert_eq!(holder.feed(&format!("RING.SCAN k {gate}\r\n")).1, State::Blocked);
    until(|| other.ask(&format!("RING.GATE ENTERED {gate}")) == ":1");
    (engine, holder, other)
}

#[cfg(debug_assertions)]
#[test]
fn a_statement_begins_anew_where_its_graph_has_changed() {
    let written = "*1 *3 $16 Nodes created: 1 $19 Cached execution: 0 time";
    for (number, (meanwhile, after)) in [
        ("EVAL \"redis.call('graph.query', KEYS[1], 'CREATE ()')\" 1 g", "4"),
        ("DEL g", "1"),
        ("COPY g h", "3"),
        ("RENAME other g", "2"),
        ("PEXPIRE g 0", "1"),
        ("FLUSHALL", "1"),
        ("SAVE", "3"),
    ]
    .into_iter()
    .enumerate()
    {
        let gate = format!("anew{number}");
        let (engine, mut holder, mut other) = held_up("", &gate);
        let mut client = TestClient::new(&engine);
        let script = "EVAL \"redis.call('graph.query', KEYS[1], ARGV[1])\" 1";
        other.ask(&format!("{script} g \"CREATE (), ()\""));
        other.ask(&format!("{script} other \"CREATE ()\""));
        let one = "GRAPH.QUERY g \"UNWIND range(1, 1) AS i CREATE ()\"\r\n";
        assert_eq!(client.feed(one).1, State::Blocked);
        other.ask(meanwhile);
        other.ask(&format!("RING.GATE OPEN {gate}"));
        holder.answered();
        assert_eq!(told(&mut client), written, "{meanwhile}");
        assert_eq!(nodes(&mut other, "g"), after, "{meanwhile}");
        nothing_left(&mut other);
    }
}

#[cfg(debug_assertions)]
#[test]
fn a_statement_fails_where_its_key_holds_something_else_by_now() {
    let (engine, mut holder, mut other) = held_up("", "else");
    let mut client = TestClient::new(&engine);
    assert_eq!(client.feed("GRAPH.QUERY g \"CREATE ()\"\r\n").1, State::Blocked);
    other.ask("SET g text");
    other.ask("RING.GATE OPEN else");
    holder.answered();
    assert!(told(&mut client).starts_with("-WRONGTYPE"));
    assert_eq!(other.ask("GET g"), "$4\r\ntext");
    nothing_left(&mut other);
}

#[cfg(debug_assertions)]
#[test]
fn writers_of_a_graph_come_one_after_the_other() {
    let (engine, mut holder, mut other) = held_up("", "order");
    let mut clients: Vec<TestClient> = (0..8).map(|_| TestClient::new(&engine)).collect();
    for (number, client) in clients.iter_mut().enumerate() {
        let count = "MATCH (n) WITH count(n) AS c CREATE (m {at: c}) RETURN m.at";
        let fed = client.feed(&format!("GRAPH.QUERY g \"{count}\" TIMEOUT 0\r\n"));
        assert_eq!(fed.1, State::Blocked, "{number}");
    }
    // One that waits in the middle leaves.
    let mut gone = clients.remove(3);
    gone.worker.disconnect(&mut gone.session);
    other.ask("RING.GATE OPEN order");
    holder.answered();
    for (number, client) in clients.iter_mut().enumerate() {
        let reply = told(client);
        assert!(reply.contains(&format!(" *1 *1 :{number} ")), "{number}: {reply}");
    }
    assert_eq!(nodes(&mut other, "g"), "7");
    nothing_left(&mut other);
}

#[cfg(debug_assertions)]
#[test]
fn nothing_is_installed_while_writes_are_paused() {
    let (engine, mut holder, mut other) = held_up("", "paused");
    let mut client = TestClient::new(&engine);
    assert_eq!(client.feed("GRAPH.QUERY g \"CREATE ()\"\r\n").1, State::Blocked);
    // Far in the future, by whichever clock.
    assert_eq!(other.ask("CLIENT PAUSE 100000000000000 WRITE"), "+OK");
    other.ask("RING.GATE OPEN paused");
    holder.answered();
    // Meanwhile the thread serves those who read, and the next of the queue waits for its turn.
    let mut next = TestClient::new(&engine);
    let scan = "RING.SCAN k paused";
    assert_eq!(other.ask(scan), "*1\r\n$1\r\nx");
    for _ in 0..20 {
        assert_eq!(other.ask("EXISTS g"), ":0");
        assert_eq!(other.ask(scan), "*1\r\n$1\r\nx");
    }
    assert_eq!(other.ask("CLIENT UNPAUSE"), "+OK");
    let two = "GRAPH.QUERY g \"UNWIND range(1, 2) AS i CREATE ()\"\r\n";
    assert_eq!(next.feed(two).1, State::Blocked);
    assert!(told(&mut client).contains("Nodes created: 1"));
    assert!(told(&mut next).contains("Nodes created: 2"));
    assert_eq!(nodes(&mut other, "g"), "3");
    nothing_left(&mut other);
}

/// What was admitted while there was room is asked about again when its turn comes, and when the
/// pause is over that it waited for; what is behind it goes on.
#[cfg(debug_assertions)]
#[test]
fn an_edit_is_refused_if_the_memory_is_full_by_then() {
    for paused in [false, true] {
        let gate = format!("full-{paused}");
        let (engine, mut holder, mut other) = held_up("", &gate);
        other.ask("EVAL \"redis.call('graph.query', KEYS[1], 'CREATE ()')\" 1 g");
        let digest = other.ask("DEBUG DIGEST");
        let mut clients = [(); 3].map(|()| TestClient::new(&engine));
        let one = "GRAPH.QUERY g \"UNWIND range(1, 1) AS i CREATE ()\"\r\n";
        // The first has its fork, the others are yet to begin.
        for client in &mut clients {
            assert_eq!(client.feed(one).1, State::Blocked);
        }
        if paused {
            assert_eq!(other.ask("CLIENT PAUSE 100000000000000 WRITE"), "+OK");
            other.ask(&format!("RING.GATE OPEN {gate}"));
            holder.answered();
        }
        assert_eq!(other.ask("CONFIG SET maxmemory 1"), "+OK");
        match paused {
            true => assert_eq!(other.ask("CLIENT UNPAUSE"), "+OK"),
            false => {
                other.ask(&format!("RING.GATE OPEN {gate}"));
                holder.answered();
            }
        }
        for client in &mut clients {
            let refused = "-OOM command not allowed when used memory > 'maxmemory'.";
            assert_eq!(told(client), refused, "{paused}");
        }
        assert_eq!(other.ask("CONFIG SET maxmemory 0"), "+OK");
        assert_eq!(other.ask("DEBUG DIGEST"), digest, "{paused}");
        // With room for what is there, none is refused for what it is about to add.
        let limit = engine.used_memory() + (16 << 10);
        assert_eq!(other.ask(&format!("CONFIG SET maxmemory {limit}")), "+OK");
        let much = "GRAPH.QUERY g \"UNWIND range(1, 20000) AS i CREATE ({i: i})\"";
        let done = clients[0].ask(much);
        assert!(done.contains("Nodes created: 20000"), "{paused}: {done}");
        assert!(engine.used_memory() > limit, "{paused}");
        nothing_left(&mut other);
    }
}

/// A long statement is read where it runs, in the memory that it may have: not under the lock of
/// its key, where others would wait for it.
#[cfg(debug_assertions)]
#[test]
fn a_long_statement_is_read_beside_others() {
    let (engine, mut holder, mut other) = held_up("graph-query-memory 1mb", "long");
    let script = "EVAL \"redis.call('graph.query', KEYS[1], ARGV[1])\" 1";
    other.ask(&format!("{script} g \"CREATE ({{v: 1}})\""));
    let long = |text: &str| format!("{text} //{}", "x".repeat(5000));
    let lists = |count: usize| format!("RETURN size([{}1])", "11,".repeat(count));
    let mut waiting = Vec::new();
    for (command, text, begins) in [
        ("GRAPH.RO_QUERY", long("MATCH (n) RETURN n.v"), "*3 *1 $3 n.v"),
        ("GRAPH.QUERY", long("MATCH (n) RETURN n.v"), "*3 *1 $3 n.v"),
        ("GRAPH.QUERY", long("MATCH (n) SET n.v = 2"), "*1 *4 $17 Properties set: 1"),
        ("GRAPH.RO_QUERY", long("MATCH (n) SET n.v = 3"), "-graph.RO_QUERY is to be executed"),
        ("GRAPH.QUERY", long("MATCH (n) RETURN"), "-errMsg: Invalid input at end of input"),
        ("GRAPH.EXPLAIN", long("MATCH (n) RETURN n"), "*3 $7 Results"),
        ("GRAPH.EXPLAIN", long("MATCH (n) RETURN"), "-errMsg: Invalid input at end of input"),
        ("GRAPH.PROFILE", long("MATCH (n) RETURN n"), "*3 "),
        ("GRAPH.RO_QUERY", lists(1900), "*3 *1 "),
        ("GRAPH.RO_QUERY", lists(9000), "-Query is too long"),
        (
            "GRAPH.RO_QUERY",
            format!("CYPHER p=[{}1] RETURN 1", "1,".repeat(9000)),
            "-Query is too long",
        ),
    ] {
        let mut client = TestClient::new(&engine);
        let fed = client.feed(&format!("{command} g \"{text}\"\r\n"));
        assert_eq!(fed, (String::new(), State::Blocked), "{command} {text:.40}");
        waiting.push((client, command, text, begins));
    }
    other.ask("RING.GATE OPEN long");
    holder.answered();
    for (mut client, command, text, begins) in waiting {
        let reply = told(&mut client);
        assert!(reply.starts_with(begins), "{command} {text:.40}: {reply:.200}");
    }
    nothing_left(&mut other);
}

/// A row is a few ids, and each writes all that its node has: a reply is bounded while it is made.
#[test]
fn replies_about_large_nodes_are_bounded_while_they_are_made() {
    let mut client = TestClient::new(&engine_with("max-reply-size 1mb"));
    let made = "CREATE (:B {t: reduce(s = 'ab', x IN range(1, 15) | s + s)})";
    client.ask(&format!("GRAPH.QUERY g \"{made}\""));
    for text in [
        "MATCH (n:B) RETURN [x IN range(1, 100000) | n]",
        "MATCH (n:B) UNWIND range(1, 100000) AS x RETURN n",
        "MATCH p = (:B) UNWIND range(1, 100000) AS x RETURN p",
        "MATCH (n:B) RETURN {a: [x IN range(1, 100000) | n]}",
    ] {
        for form in ["--json", "--compact", ""] {
            let reply = client.ask(&format!("GRAPH.RO_QUERY g \"{text}\" {form}"));
            let is_text = form.is_empty() && !text.starts_with("MATCH (n:B) UNWIND");
            let said = "-ERR the reply would be longer than max-reply-size";
            assert!(reply.starts_with(said) || is_text, "{text} {form}: {reply:.100}");
        }
    }
    nothing_left(&mut client);
}

/// One that waits for the end of a pause goes with its client, and with the server.
#[cfg(debug_assertions)]
#[test]
fn what_waits_for_the_end_of_a_pause_ends_with_its_client() {
    let (engine, mut holder, mut other) = held_up("", "paused-left");
    let mut client = TestClient::new(&engine);
    assert_eq!(client.feed("GRAPH.QUERY g \"CREATE ()\"\r\n").1, State::Blocked);
    assert_eq!(other.ask("CLIENT PAUSE 100000000000000 WRITE"), "+OK");
    other.ask("RING.GATE OPEN paused-left");
    holder.answered();
    client.worker.disconnect(&mut client.session);
    assert_eq!(other.ask("CLIENT UNPAUSE"), "+OK");
    assert_eq!(other.ask("EXISTS g"), ":0");
    nothing_left(&mut other);
}

#[test]
fn a_statement_ends_with_its_time_and_its_memory() {
    let mut client = TestClient::new(&engine_with("graph-query-memory 2mb"));
    client.ask(MAKE);
    let endless = "UNWIND range(1, 9999) AS a UNWIND range(1, 9999) AS b UNWIND range(1, 99) AS c \
                   RETURN sum(c)";
    assert_eq!(
        client.ask(&format!("GRAPH.RO_QUERY g \"{endless}\" timeout 20")),
        "-Query timed out"
    );
    assert_eq!(client.ask("CONFIG SET graph-timeout 20"), "+OK");
    assert_eq!(client.ask(&format!("GRAPH.QUERY g \"{endless}\"")), "-Query timed out");
    let much = "UNWIND range(1, 9999) AS a UNWIND range(1, 99) AS b RETURN b, 'some text ' + a";
    let reply = client.ask(&format!("GRAPH.QUERY g \"{much}\" TIMEOUT 0"));
    assert!(reply.starts_with("-Query's mem consumption exceeded capacity"), "{reply}");
    let reply = client.ask(
        "GRAPH.QUERY g \"UNWIND range(1, 9999) AS a UNWIND range(1, 9999) AS b CREATE ({b: b})\"",
    );
    assert!(reply.starts_with("-Query"), "{reply}");
    assert_eq!(client.ask("CONFIG SET graph-timeout 0"), "+OK");
    assert_eq!(nodes(&mut client, "g"), "2");
    nothing_left(&mut client);
}

#[test]
fn a_reader_needs_the_right_to_read() {
    let engine = engine();
    let (mut client, mut reader) = (TestClient::new(&engine), TestClient::new(&engine));
    client.ask(MAKE);
    assert_eq!(client.ask("ACL SETUSER reader on nopass %R~g +@graph"), "+OK");
    assert_eq!(reader.ask("AUTH reader any"), "+OK");
    assert_eq!(nodes(&mut reader, "g"), "2");
    for refused in [
        "GRAPH.QUERY g \"MATCH (n) RETURN n\"",
        "GRAPH.PROFILE g \"RETURN 1\"",
        "GRAPH.DELETE g",
        "GRAPH.COPY g h",
        "GRAPH.RO_QUERY other \"RETURN 1\"",
    ] {
        assert!(reader.ask(refused).starts_with("-NOPERM"), "{refused}");
    }
    assert_eq!(client.ask("ACL SETUSER reader -@graph"), "+OK");
    assert!(reader.ask(COUNT).starts_with("-NOPERM"));
    nothing_left(&mut client);
}
