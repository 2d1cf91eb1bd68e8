//! Statements on graphs at the other ports: over HTTP with parameters of JSON, over gRPC as
//! commands.
#![allow(clippy::unwrap_used)] // a test says why by failing

use grpc::generated::kvist as pb;
use serde_json::{Value as Json, json};

use crate::calls::{Calls, bytes};
use crate::server::text;
use crate::web::Web;

const PATH: &str = "POST /api/v1/graph/people/query";

#[test]
fn statements_over_http() {
    let web = Web::start(&[]);
    let mut http = web.connect();
    let mut ask = |body: Json| {
        let page = http.ask(PATH, &body.to_string());
        (page.status, page.json())
    };
    let missing = json!({"query": "RETURN 1", "read_only": true});
    assert_eq!(ask(missing), (404, json!({"error": "Graph not found", "status": 404})));
    let (status, made) = ask(json!({"query": "CREATE (p:Person $of)-[:KNOWS]->(:Person)",
                                    "parameters": {"of": {"name": "Ada \"\u{0}\\ é", "n": 1.5}}}));
    assert_eq!((status, &made["columns"], &made["rows"]), (200, &json!([]), &json!([])));
    assert_eq!(made["statistics"]["nodes_created"], json!(2));
    assert_eq!(made["statistics"]["cached_execution"], json!(false));
    assert!(made["statistics"]["execution_time_ms"].is_number(), "{made}");
    let ada = json!({"id": 0, "labels": ["Person"],
                     "properties": {"name": "Ada \"\u{0}\\ é", "n": 1.5}});
    let knows = json!({"id": 0, "type": "KNOWS", "source": 0, "target": 1, "properties": {}});
    let (status, read) = ask(json!({"query": "MATCH (p:Person)-[k]->() RETURN p, k AS `k \"é\"`",
                                    "read_only": true, "timeout": 60000}));
    assert_eq!((status, &read["columns"]), (200, &json!(["p", "k \"é\""])));
    assert_eq!(read["rows"], json!([[ada, knows]]));
    let given = json!([null, true, -0.25, 1e300, i64::MIN, i64::MAX, "it's", [[], {}],
                       {"a b": {"c": "🜚"}, "d`e": [1]}]);
    let (_, back) = ask(json!({"query": "RETURN $x", "parameters": {"x": given}}));
    assert_eq!(back["rows"], json!([[given]]));
    for (body, status) in [
        (json!({"query": "RETRUN 1"}), 400),
        (json!({"query": "RETURN 1 / 0"}), 400),
        (json!({"query": "RETURN $missing"}), 400),
        (json!({"query": ""}), 400),
        (json!({"query": "CREATE (:A)", "read_only": true}), 400),
        (json!({"query": "UNWIND range(1, 100000000) AS x RETURN sum(x)", "timeout": 1}), 400),
        (json!({"query": "RETURN 1", "more": 1}), 422),
        (json!({"query": ["RETURN 1"]}), 422),
        (json!({"parameters": {}}), 422),
        (json!({"query": "RETURN 1", "parameters": {"": 1}}), 422),
    ] {
        let (said, page) = ask(body.clone());
        assert_eq!(said, status, "{body}: {page}");
        assert!(page["error"].is_string() && page["status"] == json!(status), "{page}");
    }
    // Parameters that are nested as deep as a request can have them end in an error alone.
    let deep = format!(
        "{{\"query\": \"RETURN $x\", \"parameters\": {{\"x\": {}{}}}}}",
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    let page = web.ask(PATH, &deep);
    assert_eq!(page.status, 400, "{}", page.text());
    let mut redis = web.server.connect();
    redis.ask(&["SET", "text", "x"]);
    let body = r#"{"query": "RETURN 1"}"#;
    assert_eq!(web.ask("POST /api/v1/graph/text/query", body).status, 409);
    assert_eq!(web.ask("GET /api/v1/graph/people/query", "").status, 405);
    assert_eq!(text(&redis.ask(&["TYPE", "people"])), "graphdata");
}

#[test]
fn many_rows_come_as_they_are_taken() {
    let web = Web::start(&["--max-reply-size", "8mb"]);
    let body = r#"{"query": "UNWIND range(1, 100000) AS x RETURN x, toString(x)"}"#;
    let page = web.ask("POST /api/v1/graph/g/query", body);
    assert_eq!(page.header("transfer-encoding"), Some("chunked"));
    let json = page.json();
    let rows = json["rows"].as_array().unwrap();
    assert_eq!((rows.len(), &rows[99_999]), (100_000, &json!([100_000, "100000"])));
    let body = r#"{"query": "UNWIND range(1, 1000000) AS x RETURN x, toString(x)"}"#;
    let page = web.ask("POST /api/v1/graph/g/query", body);
    assert_eq!(page.status, 413, "{}", page.text());
    // A peer that goes away in the middle harms no other.
    let mut gone = web.connect();
    gone.say(
        "POST /api/v1/graph/g/query",
        r#"{"query": "UNWIND range(1, 100000) AS x RETURN x, toString(x)"}"#,
    );
    drop(gone.hear_head());
    drop(gone);
    assert_eq!(web.ask("POST /api/v1/graph/g/query", r#"{"query": "RETURN 1"}"#).status, 200);
}

#[test]
fn rights_over_http_are_those_of_the_commands() {
    let web = Web::start(&[]);
    let mut redis = web.server.connect();
    redis.ask(&["GRAPH.QUERY", "people", "CREATE (:A)"]);
    let rule = "ACL SETUSER reader on >secret %R~people +graph.ro_query";
    redis.ask(&rule.split(' ').collect::<Vec<_>>());
    redis.ask(&["ACL", "SETUSER", "default", ">password"]);
    let as_reader = format!("{PATH}\nauthorization: {}", crate::web::basic("reader", "secret"));
    let status = |request: &str, body: Json| web.connect().ask(request, &body.to_string()).status;
    let read = json!({"query": "MATCH (n) RETURN n", "read_only": true});
    assert_eq!(status(&as_reader, read.clone()), 200);
    assert_eq!(status(&as_reader, json!({"query": "MATCH (n) RETURN n"})), 403);
    assert_eq!(status(&as_reader.replace("people", "others"), read.clone()), 403);
    assert_eq!(status(PATH, read), 401);
}

#[test]
fn statements_over_grpc_are_commands() {
    let calls = Calls::start(&[]);
    let mut client = calls.kvist();
    let mut run = |words: &[&str]| {
        let words = words.iter().map(|word| bytes(word)).collect();
        let said = calls.run(client.execute(pb::ExecuteRequest { words, database: 0 }));
        said.map(|said| said.into_inner().reply.unwrap())
    };
    run(&["GRAPH.QUERY", "g", "CREATE (:A {x: 1})-[:T]->(:B)"]).unwrap();
    let said = run(&["GRAPH.RO_QUERY", "g", "MATCH (n:A) RETURN n", "--json"]).unwrap();
    let shown = format!("{said:?}");
    assert!(
        shown.contains(r#"[{\"id\":0,\"labels\":[\"A\"],\"properties\":{\"x\":1}}]"#),
        "{shown}"
    );
    let said = run(&["GRAPH.RO_QUERY", "g", "CREATE (:C)"]);
    assert!(said.is_err(), "{said:?}");
}
