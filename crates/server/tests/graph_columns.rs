//! Rows of graphs as columns: the same values as in JSON, in every way in, and never more than a
//! reply may be.
#![allow(clippy::unwrap_used)] // a test says why by failing

use columns::graph::GraphRows;
use wire::Value;

use crate::server::{Client, Server, text};

/// The parts of a reply as rows, and the lines about the statement.
fn read(reply: Value) -> (GraphRows, Vec<Value>) {
    let Value::Array(mut parts) = reply else { panic!("{reply:?}") };
    let Some(Value::Array(lines)) = parts.pop() else { panic!("lines") };
    let Value::Array(names) = parts.remove(0) else { panic!("names") };
    let names = names.iter().map(text).collect();
    let parts: Vec<&[u8]> = parts.iter().map(|part| part.as_bytes().unwrap()).collect();
    (GraphRows::read(names, &parts).unwrap(), lines)
}

fn columns(client: &mut Client, query: &str) -> GraphRows {
    // What asks for columns may ask for less where there are none.
    read(client.ask(&["GRAPH.QUERY", "g", query, "--compact", "--columns"])).0
}

/// The rows of a query as texts of JSON.
fn json(client: &mut Client, query: &str) -> Vec<String> {
    match client.ask(&["GRAPH.QUERY", "g", query, "--json"]) {
        Value::Array(mut parts) if parts.len() == 3 => match parts.swap_remove(1) {
            Value::Array(rows) => rows.iter().map(text).collect(),
            other => panic!("{query}: {other:?}"),
        },
        other => panic!("{query}: {other:?}"),
    }
}

const MADE: &str = "UNWIND range(0, 4999) AS i CREATE (a:A:B {i: i, name: 'n' + toString(i % 7)})\
                    -[:R {w: i / 2.0}]->(:C {i: i, at: localdatetime('2024-02-29T01:02:03.4')})";

const QUERIES: [&str; 21] = [
    "MATCH (n) RETURN n ORDER BY id(n)",
    "MATCH (n) RETURN id(n), n.i, n.name, n.at, n.i % 2 = 0 ORDER BY id(n)",
    "MATCH (a)-[r]->(b) RETURN a, r, b, [a, {r: r}] ORDER BY a.i LIMIT 500",
    "MATCH p = (a)-[r]->(b) WHERE a.i < 5 RETURN p, nodes(p), relationships(p) ORDER BY a.i",
    "MATCH (a:A) OPTIONAL MATCH (a)-[r]->(x:A) RETURN r, x, null, count(*) LIMIT 9",
    "MATCH (n:Nobody) RETURN n, n.x",
    "UNWIND [] AS x RETURN x",
    "UNWIND [1, null, -9223372036854775808] AS x RETURN x, x * 1.5, x > 1",
    "UNWIND ['', 'é', null, 'x', '🜚'] AS x RETURN x",
    "UNWIND range(1, 20000) AS x RETURN toString(x), toString(x % 300), toString(x % 3)",
    "UNWIND range(1, 300) AS x RETURN CASE WHEN x > 1 THEN toString(x % 2) END",
    "UNWIND [1, 'x', 1.5, true, null, [1, [2, {a: null}]], {b: []}] AS x RETURN x",
    "UNWIND [date('2024-02-29'), null, date('-0044-03-15')] AS x RETURN x",
    "UNWIND [localtime('12:34:56.789012345'), null] AS x RETURN x",
    "UNWIND [time('12:34:56.789012345-03:30'), null] AS x RETURN x",
    "UNWIND [localdatetime('2024-02-29T12:00:00.000000001'), null] AS x RETURN x",
    "UNWIND [datetime('2024-02-29T12:00+02:00'), null, datetime({year: 2024, \
     timezone: 'Europe/Stockholm'}), datetime('2024-02-29T12:00:00.1Z')] AS x RETURN x",
    "UNWIND [duration('P1Y2M3DT4H5M6.000000007S'), null, duration('-P1DT0.5S')] AS x RETURN x",
    "UNWIND [point({latitude: 48.1, longitude: -0.1}), null] AS x RETURN x, vecf32([0.1, 0.5])",
    "RETURN [datetime('2024-02-29T12:00:00.000000001[Asia/Tokyo]'), duration('P1M')], 0.0 / 0.0",
    "RETURN 1 AS `a b`, 'x' AS `é`",
];

#[test]
fn columns_are_the_rows_of_json() {
    let server = Server::start(&["--io-threads", "2"]);
    for protocol in ["2", "3"] {
        let mut client = server.connect();
        client.ask(&["HELLO", protocol]);
        client.ask(&["GRAPH.QUERY", "g", "MATCH (n) DELETE n"]);
        client.ask(&["GRAPH.QUERY", "g", MADE]);
        for query in QUERIES {
            let (rows, expected) = (columns(&mut client, query), json(&mut client, query));
            assert_eq!(rows.rows(), expected.len(), "{query}");
            for (at, row) in expected.iter().enumerate() {
                assert_eq!(rows.json(at), *row, "{query}, row {at}");
            }
            let table = rows.to_table();
            assert_eq!((table.rows(), table.names()), (expected.len(), rows.names()), "{query}");
        }
    }
}

#[test]
fn columns_have_no_more_rows_than_other_replies() {
    let server = Server::start(&[]);
    let mut client = server.connect();
    client.ask(&["GRAPH.QUERY", "g", MADE]);
    for most in ["0", "1", "3", "4999", "-1"] {
        client.ask(&["GRAPH.CONFIG", "SET", "RESULTSET_SIZE", most]);
        for query in QUERIES {
            let (rows, expected) = (columns(&mut client, query), json(&mut client, query));
            assert_eq!(rows.rows(), expected.len(), "{most}, {query}");
            for (at, row) in expected.iter().enumerate() {
                assert_eq!(rows.json(at), *row, "{most}, {query}, row {at}");
            }
        }
    }
}

#[test]
fn what_has_no_rows_has_lines_alone() {
    let server = Server::start(&[]);
    let mut client = server.connect();
    let reply = client.ask(&["GRAPH.QUERY", "g", "CREATE (:A)", "--columns"]);
    let Value::Array(parts) = reply else { panic!("{reply:?}") };
    let [Value::Array(lines)] = &parts[..] else { panic!("{parts:?}") };
    assert_eq!(text(&lines[0]), "Labels added: 1");
    let (rows, lines) =
        read(client.ask(&["GRAPH.QUERY", "g", "CREATE (n:A {x: 1}) RETURN n", "--columns"]));
    assert_eq!(rows.json(0), r#"[{"id":1,"labels":["A"],"properties":{"x":1}}]"#);
    assert!(lines.len() > 2, "{lines:?}");
    // What the statement itself has deleted.
    let query = "MATCH (n:A {x: 1}) DELETE n RETURN n";
    let (rows, _) = read(client.ask(&["GRAPH.QUERY", "g", query, "--columns"]));
    assert!(rows.json(0).ends_with(r#""labels":[],"properties":{}}]"#), "{}", rows.json(0));
}

#[test]
fn columns_come_in_transactions_and_scripts_too() {
    let server = Server::start(&[]);
    let mut client = server.connect();
    client.ask(&["GRAPH.QUERY", "g", MADE]);
    let query = "MATCH (a)-[r]->(b) RETURN a, r.w, b.at ORDER BY a.i";
    let expected = json(&mut client, query);
    let check = |rows: GraphRows| {
        assert_eq!(rows.rows(), expected.len());
        assert_eq!(rows.json(4_321), expected[4_321]);
    };
    client.ask(&["MULTI"]);
    client.ask(&["GRAPH.RO_QUERY", "g", query, "--columns"]);
    let Value::Array(mut replies) = client.ask(&["EXEC"]) else { panic!() };
    check(read(replies.remove(0)).0);
    let script = "return redis.call('GRAPH.RO_QUERY', KEYS[1], ARGV[1], '--columns')";
    check(read(client.ask(&["EVAL", script, "1", "g", query])).0);
}

#[test]
fn columns_are_no_longer_than_a_reply_may_be() {
    let server = Server::start(&["--max-reply-size", "1mb"]);
    let mut client = server.connect();
    client.ask(&["GRAPH.QUERY", "g", "CREATE (:A)"]);
    for query in [
        "UNWIND range(1, 1000000) AS x RETURN x",
        "UNWIND range(1, 300000) AS x RETURN 'text ' + toString(x)",
        "UNWIND range(1, 300000) AS x RETURN [x, 'y']",
        // The same large value in many rows.
        "WITH range(1, 2000) AS l UNWIND range(1, 300000) AS x RETURN l",
    ] {
        let fits = query.replace("1000000)", "10000)").replace("300000)", "50)");
        assert!(columns(&mut client, &fits).rows() >= 50, "{fits}");
        for ask in [&["GRAPH.QUERY", "g", query, "--columns"][..], &["MULTI"]] {
            let mut reply = client.ask(ask);
            if ask == ["MULTI"] {
                client.ask(&["GRAPH.QUERY", "g", query, "--columns"]);
                reply = client.ask(&["EXEC"]);
            }
            let error = String::from_utf8_lossy(reply.as_error().expect(query)).into_owned();
            assert!(error.contains("max-reply-size"), "{error}");
        }
        // The connection is as good as before.
        assert_eq!(columns(&mut client, "RETURN 1").json(0), "[1]");
    }
}
