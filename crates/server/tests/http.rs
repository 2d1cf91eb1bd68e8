//! The HTTP port: every route, the shapes NeuroIndex has, figures, and what both ports see of it.

#![allow(clippy::unwrap_used)] // a test says why by failing

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};
use wire::Value;

use crate::server::{bulk, eventually, text};
use crate::web::Web;

/// What a request or its answer is about decides where it is worked on.
#[test]
fn what_is_about_large_values_delays_no_other_request() {
    let long = "x".repeat(400 << 10);
    let body = format!("{{\"value\":\"{long}\"}}");
    let bulk = format!("{{\"records\":[{{\"key\":\"a\",\"value\":\"{long}\"}}]}}");
    let ttl = format!("{{\"ttl_ms\":100000{}}}", " ".repeat(400 << 10));
    let document = format!("{{\"a\":\"{long}\"}}");
    for (request, body) in [
        ("GET /api/v1/records/large", ""),
        ("GET /api/v1/records/document", ""),
        ("GET /api/v1/records/range?start=large&end=large", ""),
        ("GET /api/v1/aggregations/count?username_contains=x", ""),
        ("POST /api/v1/records/other", &body),
        ("POST /api/v1/records/bulk", &bulk),
        ("POST /api/v1/ttl/small", &ttl),
        ("DELETE /api/v1/records/large", ""),
    ] {
        let web = Web::start(&[]);
        let mut redis = web.server.connect();
        redis.ask(&["MSET", "large", &long, "small", "v"]);
        redis.ask(&["JSON.SET", "document", "$", &document]);
        for (request, body) in [
            ("GET /api/v1/records/small", ""),
            ("POST /api/v1/records/small", "{\"value\":1}"),
            ("POST /api/v1/records/bulk", "{\"records\":[{\"key\":\"b\",\"value\":\"1\"}]}"),
            ("GET /api/v1/records/range?start=small&end=small", ""),
            ("GET /api/v1/ttl/large", ""),
        ] {
            assert_eq!(web.ask(request, body).status, 200, "{request}");
        }
        assert!(!web.server.has_thread("http-heavy"), "before {request}");
        let page = web.ask(request, body);
        assert!(page.status / 100 == 2, "{request}: {}", page.status);
        assert!(web.server.has_thread("http-heavy"), "{request}");
        if request.ends_with("/large") && request.starts_with("GET") {
            assert_eq!(page.json()["value"], json!(long));
        }
    }
}

#[test]
fn records_are_set_read_and_deleted() {
    let web = Web::start(&[]);
    let mut redis = web.server.connect();
    let mut http = web.connect();
    for (sent, stored, read) in [
        (r#""plain""#, "plain", json!("plain")),
        (r#""""#, "", json!("")),
        (r#""caf\u00e9 \n\"""#, "café \n\"", json!("café \n\"")),
        (r#"{ "a": [1.50, null] }"#, r#"{ "a": [1.50, null] }"#, json!({"a": [1.5, null]})),
        ("17", "17", json!(17)),
        (r#""17""#, "17", json!(17)),
        ("true", "true", json!(true)),
        ("null", "null", Json::Null),
        (r#""{not json""#, "{not json", json!("{not json")),
    ] {
        let page = http.ask("POST /api/v1/records/k", &format!("{{\"value\":{sent}}}"));
        assert_eq!((page.status, page.json()), (200, json!({"key": "k", "success": true})));
        assert_eq!(redis.ask(&["GET", "k"]), bulk(stored), "{sent}");
        let page = http.ask("GET /api/v1/records/k", "");
        assert_eq!((page.status, page.json()), (200, json!({"key": "k", "value": read})));
    }
    // Bytes that are no text, in keys and values.
    redis.ask(&["SETRANGE", "raw", "1", "x"]);
    let page = http.ask("PUT /api/v1/records/%FF%00/", "{}");
    assert_eq!(page.status, 404);
    let page = http.ask("PUT /api/v1/records/%FF%00", r#"{"value_base64":"/wA="}"#);
    assert_eq!(page.json(), json!({"key_base64": "/wA=", "success": true}));
    let page = http.ask("GET /api/v1/records/%FF%00", "");
    assert_eq!(page.json(), json!({"key_base64": "/wA=", "value_base64": "/wA="}));
    assert_eq!(http.ask("GET /api/v1/records/raw", "").json()["value"], json!("\0x"));
    // A delete always succeeds, and takes whatever is there.
    for _ in 0..2 {
        let page = http.ask("DELETE /api/v1/records/k", "");
        assert_eq!((page.status, page.body.len()), (204, 0));
    }
    let page = http.ask("GET /api/v1/records/k", "");
    assert_eq!(
        (page.status, page.json()),
        (404, json!({"error": "Record not found", "status": 404}))
    );
    // Other types.
    redis.ask(&["RPUSH", "list", "a"]);
    redis.ask(&["JSON.SET", "document", "$", r#"{"a":1}"#]);
    let page = http.ask("GET /api/v1/records/list", "");
    assert_eq!((page.status, &page.json()["status"]), (409, &json!(409)));
    let page = http.ask("GET /api/v1/records/document", "");
    assert_eq!(page.json(), json!({"key": "document", "value": {"a": 1}}));
}

#[test]
fn bodies_that_are_wrong() {
    let web = Web::start(&[]);
    let mut http = web.connect();
    for (path, body, status, error) in [
        ("POST /api/v1/records/k", "{", 400, "not JSON"),
        ("POST /api/v1/records/k", "", 400, "not JSON"),
        ("POST /api/v1/records/k", "[1]", 422, "an object"),
        ("POST /api/v1/records/k", "{}", 422, "either value or value_base64"),
        ("POST /api/v1/records/k", r#"{"value":1,"value_base64":"AA=="}"#, 422, "either"),
        ("POST /api/v1/records/k", r#"{"value_base64":"A"}"#, 422, "base64"),
        ("POST /api/v1/records/k", r#"{"valu":1}"#, 422, "unknown field"),
        ("POST /api/v1/records/k", r#"{"value":"\ud800"}"#, 422, "string"),
        ("POST /api/v1/records/bulk", "{}", 422, "records is required"),
        ("POST /api/v1/records/bulk", r#"{"records":{}}"#, 422, "an array"),
        (
            "POST /api/v1/records/bulk",
            r#"{"records":[{"key":"a","value":1},{"key":2,"value":1}]}"#,
            422,
            "record 1: key must be a string",
        ),
        ("POST /api/v1/ttl/k", "{}", 400, "ttl_ms or ttl_seconds is required"),
        ("POST /api/v1/ttl/k", r#"{"ttl_ms":0}"#, 422, "above 0"),
        ("POST /api/v1/ttl/k", r#"{"ttl_ms":-1}"#, 422, "above 0"),
        ("POST /api/v1/ttl/k", r#"{"ttl_ms":1.5}"#, 422, "above 0"),
        ("POST /api/v1/ttl/k", r#"{"ttl_ms":1,"ttl_seconds":1}"#, 422, "exclude"),
        ("POST /api/v1/ttl/k", r#"{"ttl_seconds":9223372036854775807}"#, 422, "too long"),
        ("POST /api/v1/ttl/k", r#"{"ttl_ms":9223372036854775807}"#, 422, "too long"),
        ("POST /api/v1/ttl/k", r#"{"ttl_ms":5}"#, 404, "Record not found"),
        ("GET /api/v1/records/range?limit=x", "", 400, "limit"),
        ("GET /api/v1/records/range?limit=-1", "", 400, "limit"),
        ("GET /api/v1/records/range?start=%zz", "", 400, "percent"),
        ("GET /api/v1/records/range?ts=1", "", 400, "unknown parameter"),
        ("GET /api/v1/records/%zz", "", 400, "percent"),
        ("GET /nowhere", "", 404, "no such path"),
        ("POST /api/v1/sql", r#"{"query":"SELECT 1"}"#, 501, "not do that yet"),
        ("GET /api/v1/tags/a", "", 501, "not do that yet"),
        ("GET /ws", "", 501, "not do that yet"),
        ("PATCH /api/v1/ttl/k", "", 405, "no such method"),
    ] {
        let page = http.ask(path, body);
        let said = page.json();
        assert_eq!(
            (page.status, said["status"].as_u64()),
            (status, Some(u64::from(status))),
            "{path} {body} {said}"
        );
        assert!(said["error"].as_str().unwrap().contains(error), "{path} {body}: {said}");
        assert_eq!(said.as_object().unwrap().len(), 2);
        if page.header("connection") == Some("close") {
            http = web.connect();
        }
    }
    let allowed = http.ask("PATCH /api/v1/ttl/k", "");
    assert_eq!(allowed.header("allow"), Some("GET, POST, DELETE, HEAD"));
    // Nothing of a bulk that is wrong was set.
    assert_eq!(web.server.connect().ask(&["DBSIZE"]).as_i64(), Some(0));
}

#[test]
fn many_records_ranges_and_counts() {
    let web = Web::start(&[]);
    let mut http = web.connect();
    let record =
        |n: usize| json!({"key": format!("user:{n:05}"), "value": {"username": format!("u{n}")}});
    let records: Vec<Json> = (0..2500).map(record).collect();
    let page = http.ask("POST /api/v1/records/bulk", &json!({"records": records}).to_string());
    assert_eq!(page.json(), json!({"inserted": 2500, "failed": []}));
    let all = http.ask("GET /api/v1/records/range", "").json();
    assert_eq!((&all["total"], &all["results"]), (&json!(2500), &json!(records)));
    let range = "start=user:00010&end=user:01009";
    let some = http.ask(&format!("GET /api/v1/records/range?{range}&limit=3"), "").json();
    assert_eq!((&some["total"], &some["results"]), (&json!(1000), &json!(records[10..13])));
    let none = http.ask(&format!("GET /api/v1/records/range?{range}&limit=0"), "").json();
    assert_eq!(none, json!({"results": [], "total": 1000}));
    let filter = "username_contains=u12";
    let few = http.ask(&format!("GET /api/v1/records/range?{range}&{filter}&limit=2"), "").json();
    assert_eq!((&few["total"], &few["results"]), (&json!(11), &json!([records[12], records[120]])));
    for (query, count) in [("", 2500), (range, 1000), (filter, 111), ("start=z", 0)] {
        let page = http.ask(&format!("GET /api/v1/aggregations/count?{query}"), "");
        assert_eq!(page.json(), json!({"count": count}), "{query}");
    }
    let inverted = http.ask("GET /api/v1/records/range?start=b&end=a", "").json();
    assert_eq!(inverted, json!({"results": [], "total": 0}));
    // Values of other types are none; keys that are no text are in base64.
    let mut redis = web.server.connect();
    redis.ask(&["FLUSHALL"]);
    redis.ask(&["RPUSH", "a", "x"]);
    http.ask("PUT /api/v1/records/%FF", r#"{"value":1}"#);
    let page = http.ask("GET /api/v1/records/range", "").json();
    let results = json!([{"key": "a", "value": null}, {"key_base64": "/w==", "value": 1}]);
    assert_eq!(page, json!({"results": results, "total": 2}));
    redis.ask(&["CONFIG", "SET", "range-index", "no"]);
    assert_eq!(http.ask("GET /api/v1/records/range", "").status, 501);
    assert_eq!(http.ask("GET /api/v1/aggregations/count", "").status, 501);
}

#[test]
fn deadlines() {
    let web = Web::start(&[]);
    let (mut http, mut redis) = (web.connect(), web.server.connect());
    redis.ask(&["SET", "k", "v"]);
    assert_eq!(http.ask("GET /api/v1/ttl/k", "").json(), json!({"key": "k", "ttl_ms": -1}));
    let page = http.ask("POST /api/v1/ttl/k", r#"{"ttl_seconds":100}"#);
    assert_eq!(page.json(), json!({"key": "k", "ttl_ms": 100_000}));
    let left = http.ask("GET /api/v1/ttl/k", "").json()["ttl_ms"].as_i64().unwrap();
    assert!((1..=100_000).contains(&left));
    for _ in 0..2 {
        let page = http.ask("DELETE /api/v1/ttl/k", "");
        assert_eq!(page.json(), json!({"key": "k", "ttl_ms": -1}));
    }
    // Less than a second is not for ever.
    http.ask("POST /api/v1/ttl/k", r#"{"ttl_ms":1}"#);
    eventually("the end of the key", || {
        (http.ask("GET /api/v1/ttl/k", "").status == 404).then_some(())
    });
    assert_eq!(http.ask("DELETE /api/v1/ttl/k", "").status, 404);
}

#[test]
fn what_the_server_says_of_itself() {
    let web = Web::start(&["--shards", "8"]);
    let mut http = web.connect();
    web.server.connect().ask(&["MSET", "a", "1", "b", "2"]);
    let root = http.ask("GET /", "").json();
    assert_eq!((&root["name"], &root["documentation"]), (&json!("Kvist"), &json!("/openapi.json")));
    assert!(root["endpoints"].as_array().unwrap().contains(&json!("GET /api/v1/records/{key}")));
    for path in ["/health", "/ready"] {
        let page = http.ask(&format!("GET {path}"), "");
        assert_eq!((page.status, page.text().as_str()), (200, "OK\n"));
        let page = http.ask(&format!("HEAD {path}"), "");
        assert_eq!((page.status, page.header("content-length")), (200, Some("3")));
    }
    // Its health is the same for every client, whatever it holds.
    let health = http.ask("GET /api/v1/health", "");
    assert_eq!((health.status, health.json()), (200, json!({"status": "healthy"})));
    let stats = http.ask("GET /api/v1/stats", "").json();
    assert_eq!(stats, json!({"total_keys": 2, "shards": 8, "memory_mb": stats["memory_mb"]}));
    assert!(stats["memory_mb"].is_u64());
    // The document names every route, and no other.
    let document = http.ask("GET /openapi.json", "").json();
    let operations = document["paths"].as_object().unwrap().iter().flat_map(|(path, methods)| {
        let methods = methods.as_object().unwrap().keys();
        methods.map(move |method| json!(format!("{} {path}", method.to_uppercase())))
    });
    let (mut told, mut known) =
        (operations.collect::<Vec<_>>(), root["endpoints"].as_array().unwrap().clone());
    let key = |value: &Json| value.to_string();
    told.sort_by_key(key);
    known.sort_by_key(key);
    assert_eq!(told, known);
}

/// The samples of a page of metrics, checked for order and form.
fn samples(page: &str) -> BTreeMap<String, f64> {
    let (mut samples, mut metrics, mut current) = (BTreeMap::new(), Vec::new(), String::new());
    for line in page.lines() {
        if let Some(rest) = line.strip_prefix("# TYPE ") {
            let (name, kind) = rest.split_once(' ').unwrap();
            assert!(["counter", "gauge", "histogram", "summary"].contains(&kind), "{line}");
            assert!(!metrics.contains(&name.to_owned()), "{name} twice");
            metrics.push(name.to_owned());
            current = name.to_owned();
        } else if !line.starts_with("# HELP ") {
            let (name, value) = line.rsplit_once(' ').unwrap();
            assert!(name.starts_with(&current), "{line} under {current}");
            let value = value.parse().unwrap_or_else(|_| panic!("{line}"));
            assert!(samples.insert(name.to_owned(), value).is_none(), "{name} twice");
        }
    }
    samples
}

#[test]
fn figures_are_true() {
    let web = Web::start(&[]);
    let (mut http, mut redis) = (web.connect(), web.server.connect());
    for n in 0..50 {
        redis.ask(&["SET", &format!("k{n}"), "v"]);
    }
    redis.ask(&["PEXPIRE", "k1", "100000000"]);
    redis.ask(&["GET", "k1"]);
    redis.ask(&["GET", "nothing"]);
    redis.ask(&["LPUSH", "k1", "x"]);
    redis.ask(&["NOSUCH\"\\"]);
    http.ask("PUT /api/v1/records/h", r#"{"value":1}"#);
    http.ask("GET /api/v1/records/h", "");
    let page = http.ask("GET /metrics", "");
    assert_eq!(page.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    let figures = samples(&page.text());
    for (name, value) in [
        ("redis_up", 1.0),
        ("redis_db_keys{db=\"db0\"}", 51.0),
        ("redis_db_keys{db=\"db15\"}", 0.0),
        ("redis_db_keys_expiring{db=\"db0\"}", 1.0),
        ("redis_commands_total{cmd=\"set\"}", 51.0),
        ("redis_commands_failed_calls_total{cmd=\"lpush\"}", 1.0),
        ("redis_errors_total{err=\"WRONGTYPE\"}", 1.0),
        ("redis_keyspace_hits_total", 2.0),
        ("redis_keyspace_misses_total", 1.0),
        ("redis_connected_clients", 2.0),
        ("redis_config_maxclients", 10_000.0),
        ("kvist_command_duration_seconds_count{cmd=\"set\"}", 51.0),
        ("kvist_command_duration_seconds_bucket{cmd=\"set\",le=\"+Inf\"}", 51.0),
        ("kvist_http_connections", 1.0),
        ("kvist_ready", 1.0),
        (
            r#"kvist_http_requests_total{method="PUT",route="/api/v1/records/{key}",status="2xx"}"#,
            1.0,
        ),
    ] {
        assert_eq!(figures.get(name), Some(&value), "{name}");
    }
    let buckets: Vec<f64> = figures
        .iter()
        .filter(|(name, _)| name.starts_with("kvist_command_duration_seconds_bucket{cmd=\"set\""))
        .map(|(_, value)| *value)
        .collect();
    assert_eq!(buckets.len(), 22);
    let sum = figures["kvist_command_duration_seconds_sum{cmd=\"set\"}"];
    let told = figures["redis_commands_duration_seconds_total{cmd=\"set\"}"];
    assert!((sum - told).abs() <= told / 20.0 + 1e-5, "{sum} {told}");
    assert!(figures["redis_memory_used_bytes"] > 1000.0);
    let page = http.ask("GET /api/v1/metrics", "");
    let figures = samples(&page.text());
    assert_eq!(figures["neuroindex_keys_total"], 51.0);
    assert_eq!(figures["neuroindex_operations_total{operation=\"set\"}"], 51.0);
    assert_eq!(figures["neuroindex_operations_total{operation=\"get\"}"], 3.0);
    assert_eq!(figures["neuroindex_errors_total"], 2.0);
}

/// `SETB` and `GETB` are names for `SET` and `GET`, and journals know the latter.
#[test]
fn names_of_neuroindex() {
    let mut web = Web::start(&["--appendonly", "yes", "--appendfsync", "always"]);
    let mut redis = web.server.connect();
    redis.ask(&["SETB", "k", "\0v"]);
    assert_eq!(redis.ask(&["getb", "k"]), bulk("\0v"));
    assert_eq!(text(&redis.ask(&["SETB", "k"])), "ERR wrong number of arguments for 'set' command");
    redis.ask(&["MULTI"]);
    redis.ask(&["SETB", "m", "1"]);
    redis.ask(&["EXEC"]);
    redis.ask(&["EVAL", "return redis.call('setb', KEYS[1], '2')", "1", "e"]);
    redis.ask(&["ACL", "SETUSER", "u", "on", "nopass", "~*", "+@all", "-set"]);
    redis.ask(&["AUTH", "u", "x"]);
    assert!(text(&redis.ask(&["SETB", "k", "x"])).starts_with("NOPERM"));
    let dir = web.server.dir().display().to_string();
    web.server.signal("KILL");
    web.server.ended();
    let again = Web::start(&["--appendonly", "yes", "--dir", &dir]);
    let mut redis = again.server.connect();
    for (key, value) in [("k", "\0v"), ("m", "1"), ("e", "2")] {
        assert_eq!(redis.ask(&["GET", key]), bulk(value));
    }
}

#[test]
fn trouble_with_the_disk_is_told() {
    let web = Web::start(&["--save", "3600 1"]);
    let (mut http, mut redis) = (web.connect(), web.server.connect());
    redis.ask(&["SET", "k", "v"]);
    // A file where the directory has to be: nothing can be saved.
    std::fs::write(web.server.dir(), "").unwrap();
    redis.ask(&["BGSAVE"]);
    let why = eventually("the trouble", || {
        let page = http.ask("GET /ready", "");
        (page.status == 503).then(|| page.text())
    });
    assert!(why.starts_with("MISCONF writes are refused"), "{why}");
    let page = http.ask("GET /api/v1/health", "");
    assert_eq!((page.status, &page.json()["status"]), (503, &json!("troubled")));
    let page = http.ask("PUT /api/v1/records/k", r#"{"value":1}"#);
    assert_eq!((page.status, page.header("retry-after")), (503, Some("1")));
    assert_eq!(http.ask("GET /api/v1/records/k", "").status, 200);
    assert!(http.ask("GET /metrics", "").text().contains("\nkvist_ready 0\n"));
    std::fs::remove_file(web.server.dir()).unwrap();
    // That a save has failed is known before it is over, and until then no other may begin.
    let begun = |reply: Value| reply.as_error().is_none().then_some(());
    eventually("another save", || begun(redis.ask(&["BGSAVE"])));
    eventually("the end of it", || (http.ask("GET /ready", "").status == 200).then_some(()));
}

/// Counting may take long: it does not delay other clients, however many count.
#[test]
fn counting_delays_no_other_client() {
    let web = Web::start(&[]);
    let mut redis = web.server.connect();
    web.server.hold_shard(&mut redis);
    std::thread::scope(|scope| {
        let paths = ["/api/v1/aggregations/count", "/api/v1/records/range"];
        let counts: Vec<_> =
            paths.repeat(4).into_iter().map(|path| scope.spawn(|| web.get(path))).collect();
        // All of them count, or wait for their turn, before another request is sent.
        let mut look = web.server.connect();
        eventually("4 counts", || (web.server.asking(&mut look, "range.count") == 4).then_some(()));
        eventually("all clients", || (web.clients(&mut look) == 8).then_some(()));
        for path in ["/health", "/ready"] {
            assert_eq!(web.get(path).status, 200, "{path}");
        }
        assert_eq!(web.server.asking(&mut look, "range.count"), 4, "none has been answered");
        web.server.release_shard(&mut redis);
        for count in counts {
            let page = count.join().unwrap();
            assert_eq!(page.status, 200, "{}", page.text());
        }
    });
}

/// A request whose write the disk cannot confirm is told so, and later ones what they see.
#[test]
fn a_write_that_the_disk_cannot_confirm_is_told() {
    let web = Web::start(&["--appendonly", "yes", "--appendfsync", "always"]);
    let mut http = web.connect();
    assert_eq!(http.ask("PUT /api/v1/records/k", r#"{"value":1}"#).status, 200);
    if !web.server.limit("--fsize=0:unlimited") {
        return;
    }
    let page = http.ask("PUT /api/v1/records/k", r#"{"value":2}"#);
    let said = page.text();
    assert!(page.status == 503 && said.contains("not known to be durable"), "{said}");
    let page = http.ask("GET /api/v1/records/k", "");
    assert!(page.status == 200 && page.text().contains('2'), "{}", page.text());
    assert!(web.server.limit("--fsize=unlimited:unlimited"));
    eventually("writes again", || {
        (http.ask("PUT /api/v1/records/k", r#"{"value":3}"#).status == 200).then_some(())
    });
}
