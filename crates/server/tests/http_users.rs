//! Users of the HTTP port; how its connections are listed, and closed from outside.

#![allow(clippy::unwrap_used)] // a test says why by failing

use std::net::TcpStream;
use std::time::{Duration, Instant};

use rustls::pki_types::ServerName;
use rustls::{ClientConnection, StreamOwned};
use serde_json::json;

use crate::secured::Pki;
use crate::server::{self, PATIENCE, eventually, text};
use crate::web::{Browser, Web, basic};

const PATHS: [&str; 3] = ["/api/v1/records/open", "/metrics", "/"];

/// What each kind of credentials is answered on a path.
fn statuses(web: &Web, path: &str, credentials: &[&str]) -> Vec<u16> {
    let ask = |credential: &&str| match *credential {
        "" => web.get(path).status,
        credential => web.ask(&format!("GET {path}\nAuthorization: {credential}"), "").status,
    };
    credentials.iter().map(ask).collect()
}

/// Pages have values with them, and who may see few keys may have to look at all for a page.
#[test]
fn pages_delay_no_other_request() {
    for rights in ["~zzz:*", "~*"] {
        let web = Web::start(&[]);
        let mut redis = web.server.connect();
        redis.ask(&["ACL", "SETUSER", "user", "on", ">p", rights, "+@all"]);
        let path = "/api/v1/records/range?username_contains=x";
        let page = web.ask(&format!("GET {path}\nAuthorization: {}", basic("user", "p")), "");
        assert_eq!((page.status, page.json()["total"].as_u64()), (200, Some(0)));
        assert!(web.server.has_thread("http-long"), "{rights}");
    }
}

#[test]
fn credentials() {
    let web = Web::start(&[]);
    let mut redis = web.server.connect();
    redis.ask(&["SET", "open", "1"]);
    redis.ask(&["ACL", "SETUSER", "reader", "on", ">r", "~open", "+get", "+info", "+json.get"]);
    redis.ask(&["ACL", "SETUSER", "anybody", "on", "nopass", "~*", "+@all"]);
    redis.ask(&["ACL", "SETUSER", "off", "off", ">o", "~*", "+@all"]);
    let (reader, wrong) = (basic("reader", "r"), basic("reader", "x"));
    let (anybody, off, default) = (basic("anybody", "?"), basic("off", "o"), basic("default", "d"));
    let all =
        ["", &reader, &wrong, &anybody, &off, &default, "Bearer t", "Bearer x", "Basic !", "x"];
    for path in PATHS {
        // The default user needs no password, and there is no token.
        assert_eq!(statuses(&web, path, &all), [200, 200, 401, 200, 401, 200, 200, 200, 401, 401]);
    }
    redis.ask(&["CONFIG", "SET", "http-token", "t"]);
    for path in PATHS {
        assert_eq!(statuses(&web, path, &all), [401, 200, 401, 401, 401, 401, 200, 401, 401, 401]);
    }
    redis.ask(&["CONFIG", "SET", "http-token", "", "requirepass", "d"]);
    for path in PATHS {
        assert_eq!(statuses(&web, path, &all), [401, 200, 401, 200, 401, 200, 401, 401, 401, 401]);
    }
    for path in ["/health", "/ready", "/api/v1/health", "/openapi.json"] {
        assert_eq!(web.get(path).status, 200);
    }
    let page = web.get("/api/v1/stats");
    let said = json!({"error": "Unauthorized", "message": "A user and its password are required"});
    assert_eq!(page.json(), said);
    assert_eq!(page.header("www-authenticate"), Some("Basic realm=\"kvist\", charset=\"UTF-8\""));
    redis.ask(&["AUTH", "d"]);
    redis.ask(&["CONFIG", "SET", "http-token", "t"]);
    let page = web.get("/api/v1/stats");
    let said = json!({"error": "Unauthorized", "message": "Valid Bearer token required"});
    assert_eq!(page.json(), said);
    assert_eq!(page.header("www-authenticate"), Some("Bearer realm=\"kvist\""));
    // Failures are in the log, with the user's name.
    assert!(
        format!("{:?}", redis.ask(&["ACL", "LOG"])).contains("reader") || {
            let log = redis.ask(&["ACL", "LOG"]);
            let words: Vec<String> = log
                .as_slice()
                .unwrap()
                .iter()
                .flat_map(|entry| entry.as_slice().unwrap())
                .map(text)
                .collect();
            words.contains(&"reader".to_owned())
        }
    );
}

/// An answer that is being sent breaks off when its user may not ask for it any more.
#[test]
fn answers_end_with_the_rights_to_them() {
    let web = Web::start(&[]);
    let mut redis = web.server.connect();
    let text = "x".repeat(400_000);
    // As many rows as are longer than what the system takes of an answer at once.
    let body = format!(
        r#"{{"query": "UNWIND range(1, 80) AS x RETURN $a", "parameters": {{"a": "{text}"}}}}"#
    );
    let rules = ["on", ">pw", "~*", "+@all"];
    let asks = format!("POST /api/v1/graph/g/query\nAuthorization: {}", basic("user", "pw"));
    for change in [&["off"][..], &["-@all"], &["-graph.query"], &["resetkeys"], &["<pw"], &[]] {
        redis.ask(&[&["ACL", "SETUSER", "user", "reset"], &rules[..]].concat());
        let mut http = web.connect();
        http.say(&asks, &body);
        assert_eq!(http.hear_head().status, 200);
        match change {
            [] => redis.ask(&["ACL", "DELUSER", "user"]),
            change => redis.ask(&[&["ACL", "SETUSER", "user"], change].concat()),
        };
        let said = http.closed();
        assert!(said.len() < 70 * text.len(), "{change:?}: {}", said.len());
    }
    // Another change is none to it.
    redis.ask(&[&["ACL", "SETUSER", "user", "reset"], &rules[..]].concat());
    let mut http = web.connect();
    http.say(&asks, &body);
    eventually("its turn", || (web.clients(&mut redis) == 1).then_some(()));
    redis.ask(&["ACL", "SETUSER", "user", "-get"]);
    assert_eq!(http.hear().json()["rows"].as_array().unwrap().len(), 80);
}

#[test]
fn each_request_has_the_rights_of_its_own_user() {
    let web = Web::start(&["--http-token", "secret", "--http-token-user", "writer"]);
    let mut redis = web.server.connect();
    redis.ask(&["ACL", "SETUSER", "writer", "on", ">w", "~w:*", "+set", "+get", "+del"]);
    redis.ask(&["ACL", "SETUSER", "reader", "on", ">r", "%R~*", "+get", "+ping"]);
    let mut http = web.connect();
    let mut ask = |request: &str, credential: &str, body: &str| {
        http.ask(&format!("{request}\nAuthorization: {credential}"), body).status
    };
    let reader = basic("reader", "r");
    let value = r#"{"value":1}"#;
    for _ in 0..2 {
        assert_eq!(ask("PUT /api/v1/records/w:1", "Bearer secret", value), 200);
        assert_eq!(ask("PUT /api/v1/records/x", "Bearer secret", value), 403);
        assert_eq!(ask("PUT /api/v1/records/w:1", &reader, value), 403);
        assert_eq!(ask("GET /api/v1/records/w:1", &reader, ""), 200);
        assert_eq!(ask("GET /metrics", &reader, ""), 403);
        assert_eq!(ask("GET /api/v1/stats", &reader, ""), 403);
        assert_eq!(ask("GET /api/v1/records/range", &reader, ""), 403);
        assert_eq!(ask("GET /api/v1/records/w:1", "Bearer other", ""), 401);
    }
    assert_eq!(http.ask("GET /api/v1/records/w:1", "").status, 401);
    redis.ask(&["ACL", "SETUSER", "writer", "off"]);
    let page = web.ask("GET /api/v1/records/w:1\nAuthorization: Bearer secret", "");
    assert_eq!(page.status, 401);
    // A command that was taken away is taken away here too.
    let renamed = Web::start(&["--rename-command", "GET", "fetch", "--rename-command", "SET", ""]);
    assert_eq!(renamed.get("/api/v1/records/k").status, 404);
    assert_eq!(renamed.ask("PUT /api/v1/records/k", value).status, 403);
}

#[test]
fn pages_of_other_sites_are_refused() {
    let web = Web::start(&[]);
    for (headers, status) in [
        ("Host: localhost:1", 200),
        ("Host: 127.0.0.1", 200),
        ("Host: [::1]:5", 200),
        ("Host: evil.example", 403),
        ("Origin: http://evil.example", 403),
        ("Origin: null", 403),
        ("Origin: http://127.0.0.1", 200),
    ] {
        assert_eq!(web.ask(&format!("GET /health\n{headers}"), "").status, status, "{headers}");
    }
    let page = web.get("/health");
    assert!(page.headers.iter().all(|(name, _)| !name.starts_with("access-control")));
    // A port with a token cannot be misused by a name that points here.
    web.server.connect().ask(&["CONFIG", "SET", "http-token", "t"]);
    assert_eq!(web.ask("GET /health\nHost: any.example", "").status, 200);
}

#[test]
fn clients_are_seen_and_counted() {
    let web = Web::start(&["--maxclients", "100"]);
    let mut redis = web.server.connect();
    let mut http = web.connect();
    http.ask("GET /api/v1/records/k", "");
    let list = text(&redis.ask(&["CLIENT", "LIST"]));
    let addr = http.socket.get_ref().local_addr().unwrap().to_string();
    let line = list.lines().find(|line| line.contains(&format!("addr={addr} "))).unwrap();
    assert!(line.contains(&format!("laddr=127.0.0.1:{} ", web.port)), "{line}");
    assert!(line.contains("cmd=get user=default"), "{line}");
    let before: u64 = web.server.info(&mut redis, "total_net_input_bytes").parse().unwrap();
    http.ask("PUT /api/v1/records/k", &format!("{{\"value\":\"{}\"}}", "x".repeat(100_000)));
    let after: u64 = web.server.info(&mut redis, "total_net_input_bytes").parse().unwrap();
    assert!(after - before > 100_000);
    // What is monitored.
    let mut monitor = web.server.connect();
    monitor.ask(&["MONITOR"]);
    http.ask("GET /api/v1/records/seen", "");
    assert!(text(&monitor.hear()).ends_with(&format!("[0 {addr}] \"get\" \"seen\"")));
    drop(monitor);
    // Ended from outside.
    redis.ask(&["CLIENT", "KILL", "ADDR", &addr]);
    assert_eq!(http.closed(), b"");
    // As many as there may be, of all ports together.
    redis.ask(&["CONFIG", "SET", "maxclients", "3"]);
    eventually("room", || (web.server.info(&mut redis, "connected_clients") == "1").then_some(()));
    let mut kept = [web.connect(), web.connect()];
    kept.iter_mut().for_each(|http| assert_eq!(http.ask("GET /health", "").status, 200));
    let mut more = web.connect();
    let page = more.ask("GET /health", "");
    assert_eq!(page.status, 503);
    assert!(page.text().contains("max number of clients reached"));
    more.closed();
    assert!(web.server.info(&mut redis, "rejected_connections") != "0");
    drop(kept);
    eventually("room again", || (web.get("/health").status == 200).then_some(()));
}

#[test]
fn pauses_and_the_disk_are_waited_for() {
    let web = Web::start(&["--appendonly", "yes", "--appendfsync", "always"]);
    let mut redis = web.server.connect();
    for n in 0..20 {
        let page = web.ask(&format!("PUT /api/v1/records/k{n}"), r#"{"value":1}"#);
        assert_eq!(page.status, 200);
    }
    redis.ask(&["CLIENT", "PAUSE", "1000000", "WRITE"]);
    assert_eq!(web.get("/api/v1/records/k1").status, 200);
    let mut http = web.connect();
    http.say("PUT /api/v1/records/k", r#"{"value":1}"#);
    http.socket.get_ref().set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    let early = std::io::Read::read(&mut http.socket, &mut [0]);
    assert!(early.is_err(), "it does not wait");
    http.socket.get_ref().set_read_timeout(Some(PATIENCE)).unwrap();
    redis.ask(&["CLIENT", "UNPAUSE"]);
    assert_eq!(http.hear().status, 200);
}

#[test]
fn over_tls() {
    let pki = Pki::new();
    let (cert, key, ca) = (pki.path("server.crt"), pki.path("server.key"), pki.path("ca.crt"));
    let web = Web::start(&[
        "--http-tls",
        "yes",
        "--tls-cert-file",
        &cert,
        "--tls-key-file",
        &key,
        "--tls-ca-cert-file",
        &ca,
        "--tls-auth-clients",
        "no",
    ]);
    let connect = || {
        let context = pki.context("ca.crt", None, rustls::ALL_VERSIONS);
        let name = ServerName::try_from("localhost").unwrap();
        let socket = TcpStream::connect(("127.0.0.1", web.port)).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        Browser::new(StreamOwned::new(ClientConnection::new(context, name).unwrap(), socket))
    };
    let mut http = connect();
    let value = format!("{{\"value\":\"{}\"}}", "x".repeat(300_000));
    assert_eq!(http.ask("PUT /api/v1/records/k", &value).status, 200);
    assert_eq!(http.ask("GET /api/v1/records/k", "").body.len(), 300_000 + 22);
    // Plain words are not understood, and closed.
    let mut plain = web.connect();
    plain.send("GET /health HTTP/1.1\r\n\r\n");
    plain.closed();
    // Another certificate from now on.
    let mut redis = web.server.connect();
    let second = (pki.path("second.crt"), pki.path("second.key"));
    let set = ["CONFIG", "SET", "tls-cert-file", &second.0, "tls-key-file", &second.1];
    assert_eq!(redis.ask(&set), server::ok());
    let mut http = connect();
    assert_eq!(http.ask("GET /health", "").status, 200);
    let seen = http.socket.get_ref().conn.peer_certificates().unwrap()[0].clone();
    let file = tls::pem::certificates(&second.0).unwrap();
    assert_eq!(seen, file[0]);
    let broken = ["CONFIG", "SET", "tls-cert-file", "/nonexistent"];
    assert!(text(&redis.ask(&broken)).contains("Unable to update TLS configuration"));
    assert_eq!(connect().ask("GET /health", "").status, 200);
}

#[test]
fn unauthenticated_clients_over_tls_count_for_what_tls_takes() {
    let pki = Pki::new();
    let (certificate, key) = (pki.path("server.crt"), pki.path("server.key"));
    let tls = ["--http-tls", "yes", "--tls-auth-clients", "no"];
    let files = ["--tls-cert-file", &certificate, "--tls-key-file", &key];
    let few = ["--requirepass", "secret", "--unauthenticated-memory", "1mb"];
    let web = Web::start(&[&tls[..], &files, &few].concat());
    let context = pki.context("ca.crt", None, rustls::ALL_VERSIONS);
    let mut unauthenticated = Vec::new();
    for _ in 0..40 {
        let name = ServerName::try_from("localhost").unwrap();
        let socket = TcpStream::connect(("127.0.0.1", web.port)).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        let tls = ClientConnection::new(context.clone(), name).unwrap();
        let mut http = Browser::new(StreamOwned::new(tls, socket));
        assert_eq!(http.ask("GET /health", "").status, 200);
        unauthenticated.push(http);
    }
    // 32 KiB for each, and 28 KiB for TLS: the oldest make room for the others.
    let mut redis = web.server.connect();
    assert_eq!(redis.ask(&["AUTH", "secret"]), server::ok());
    eventually("the end of the oldest", || {
        (web.clients(&mut redis) == (1 << 20) / (60 << 10)).then_some(())
    });
    assert_eq!(unauthenticated[39].ask("GET /health", "").status, 200);
}

#[test]
fn ports_that_are_taken() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let begun = Instant::now();
    let mut refused = server::Server::launch(server::free_port(), &["--http-port", &port]);
    assert!(!refused.ended().success());
    assert!(begun.elapsed() < PATIENCE);
    eventually("the reason", || {
        let words = format!("Could not listen on 127.0.0.1:{port}: Address already in use");
        refused.log().contains(&words).then_some(())
    });
}
