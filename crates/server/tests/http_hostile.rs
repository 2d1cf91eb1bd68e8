//! Peers of the HTTP port that are broken, slow, greedy or many.

#![allow(clippy::unwrap_used)] // a test says why by failing

use std::io::{Read, Write};

use serde_json::json;

use crate::server::{self, eventually};
use crate::web::{self, Web};

/// The server is well, and no other client is connected.
fn is_well(web: &Web) {
    let mut redis = web.server.connect();
    eventually("the others' end", || {
        (web.server.info(&mut redis, "connected_clients") == "1").then_some(())
    });
    assert_eq!(web.get("/health").status, 200);
}

#[test]
fn nonsense_is_refused_and_closed() {
    let web = Web::start(&[]);
    for nonsense in [
        "\0\0\0\0\r\n\r\n",
        "*1\r\n$4\r\nPING\r\n",
        "GET\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n",
        "GET / HTTP/1.1\r\nHost : x\r\n\r\n",
        "GET / HTTP/1.1\r\nA: \0\r\n\r\n",
        "GET /\u{7f} HTTP/1.1\r\n\r\n",
        "PUT /api/v1/records/k HTTP/1.1\r\nContent-Length: x\r\n\r\n",
        "PUT /api/v1/records/k HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
        "PUT /api/v1/records/k HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        "PUT /api/v1/records/k HTTP/1.1\r\n\
         Transfer-Encoding: gzip\r\n\r\n",
        "PUT /api/v1/records/k HTTP/1.1\r\n\
         Transfer-Encoding: chunked\r\n\r\nzz\r\n",
        "PUT /api/v1/records/k HTTP/1.1\r\n\
         Transfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n0\r\n\r\n",
        "PUT /api/v1/records/k HTTP/1.1\r\n\
         Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ] {
        let mut http = web.connect();
        http.send(nonsense);
        let said = String::from_utf8(http.closed()).unwrap();
        assert!(said.is_empty() || said.starts_with("HTTP/1.1 4"), "{nonsense:?}: {said}");
    }
    is_well(&web);
    assert_eq!(web.server.connect().ask(&["DBSIZE"]).as_i64(), Some(0));
}

/// A peer whose request is refused before its body has come is told that the connection ends: it
/// would send the next request, and lose it.
#[test]
fn a_refusal_before_the_body_says_that_it_closes() {
    let web = Web::start(&[]);
    for head in ["POST /nope", "DELETE /health", "GET /health", "PUT /api/v1/records/k?x=1"] {
        let mut http = web.connect();
        http.send(format!("{head} HTTP/1.1\r\nContent-Length: 10\r\n\r\n"));
        let said = String::from_utf8(http.closed()).unwrap().to_ascii_lowercase();
        assert!(said.contains("\r\nconnection: close\r\n"), "{head}: {said}");
    }
    // Where there is none, or it is there, it goes on.
    let mut http = web.connect();
    for body in ["", "a body", "", "another"] {
        http.say("POST /nope", body);
        let page = http.hear();
        assert_eq!((page.status, page.header("connection")), (404, None));
    }
    drop(http);
    is_well(&web);
}

#[test]
fn heads_have_an_end() {
    let web = Web::start(&[]);
    let long = "x".repeat(100_000);
    let many: String = (0..200).map(|n| format!("X-{n}: 1\r\n")).collect();
    for head in [
        format!("GET /{long} HTTP/1.1\r\n\r\n"),
        format!("GET / HTTP/1.1\r\nX: {long}\r\n\r\n"),
        format!("GET / HTTP/1.1\r\n{many}\r\n"),
    ] {
        let mut http = web.connect();
        // It may be closed before all of it was sent.
        let _ = http.socket.get_mut().write_all(head.as_bytes());
        let said = String::from_utf8(http.closed()).unwrap();
        assert!(said.is_empty() || said.starts_with("HTTP/1.1 4"), "{said}");
    }
    is_well(&web);
}

#[test]
fn bodies_have_an_end() {
    let web = Web::start(&["--proto-max-bulk-len", "1mb"]);
    let mut http = web.connect();
    http.say("PUT /api/v1/records/k\nContent-Length: 1200000", "");
    let page = http.hear();
    assert_eq!((page.status, page.json()["status"].as_u64()), (413, Some(413)));
    http.closed();
    // There is room for some JSON around a value, but not for a longer one.
    let long = "x".repeat((1 << 20) + 1);
    let mut other = web.connect();
    for (request, body) in [
        ("PUT /api/v1/records/k", format!(r#"{{"value":"{long}"}}"#)),
        ("POST /api/v1/graph/g/query", format!(r#"{{"query":"RETURN '{long}'"}}"#)),
    ] {
        assert_eq!(other.ask(request, &body).status, 413);
    }
    let longest = format!(r#"{{"value":"{}"}}"#, &long[1..]);
    assert_eq!(other.ask("PUT /api/v1/records/k", &longest).status, 200);
    drop(other);
    // The same without saying so first.
    let mut http = web.connect();
    http.say("PUT /api/v1/records/k\nTransfer-Encoding: chunked", "");
    let chunk = format!("10000\r\n{}\r\n", "x".repeat(0x10000));
    for _ in 0..20 {
        if http.socket.get_mut().write_all(chunk.as_bytes()).is_err() {
            break;
        }
    }
    let said = String::from_utf8(http.closed()).unwrap();
    assert!(said.is_empty() || said.starts_with("HTTP/1.1 413"), "{said}");
    // All bodies together have one too.
    web.server.connect().ask(&["CONFIG", "SET", "client-query-buffer-limit", "1mb"]);
    let half = format!("{{\"value\":\"{}\"}}", "x".repeat(700_000));
    let mut first = web.connect();
    first.say(&format!("PUT /api/v1/records/k\nContent-Length: {}", half.len()), "");
    first.send(&half[..half.len() - 1]);
    let mut redis = web.server.connect();
    eventually("the first half", || {
        let used: u64 = web.server.info(&mut redis, "mem_clients_normal").parse().unwrap();
        (used > 690_000).then_some(())
    });
    let mut second = web.connect();
    second.say(&format!("PUT /api/v1/records/k\nContent-Length: {}", half.len()), "");
    let _ = second.socket.get_mut().write_all(half.as_bytes());
    let said = String::from_utf8(second.closed()).unwrap();
    assert!(said.is_empty() || said.starts_with("HTTP/1.1 503"), "{said}");
    first.send("}");
    assert_eq!(first.hear().status, 200);
    drop((first, second, redis));
    is_well(&web);
}

#[test]
fn requests_come_in_any_pieces() {
    let web = Web::start(&[]);
    let mut http = web.connect();
    let request = "PUT /api/v1/records/k HTTP/1.1\r\nHost: localhost\r\n\
                   Transfer-Encoding: chunked\r\n\r\n\
                   5\r\n{\"val\r\n7;x=y\r\nue\": 17\r\n1\r\n}\r\n0\r\nTrailer: x\r\n\r\n";
    for byte in request.as_bytes() {
        http.send([*byte]);
    }
    assert_eq!(http.hear().status, 200);
    // Several at once are answered in their order.
    let get = |key: &str| format!("GET /api/v1/records/{key} HTTP/1.1\r\n\r\n");
    http.send([get("k"), get("none"), get("k")].concat());
    assert_eq!([http.hear().status, http.hear().status, http.hear().status], [200, 404, 200]);
    // Old ones are closed, and so is one that asks for it.
    http.send("GET /health HTTP/1.1\r\nConnection: close\r\n\r\n");
    assert!(String::from_utf8(http.closed()).unwrap().ends_with("OK\n"));
    let mut old = web.connect();
    old.send("GET /health HTTP/1.0\r\n\r\n");
    assert!(String::from_utf8(old.closed()).unwrap().ends_with("OK\n"));
    // A client that asks first whether to go on is answered.
    let mut asks = web.connect();
    asks.say("PUT /api/v1/records/k\nExpect: 100-continue\nContent-Length: 11", "");
    assert_eq!(asks.hear_head().status, 100);
    asks.send(r#"{"value":1}"#);
    assert_eq!(asks.hear().status, 200);
}

#[test]
fn a_thousand_slow_peers_delay_no_other_client() {
    let web = Web::start(&[]);
    let mut slow: Vec<_> = (0..1000).map(|_| web.connect()).collect();
    for (n, http) in slow.iter_mut().enumerate() {
        match n % 3 {
            0 => http.send("GET /health HT"),
            1 => http.send("PUT /api/v1/records/k HTTP/1.1\r\nContent-Length: 100\r\n\r\n{\"va"),
            _ => {}
        }
    }
    let mut redis = web.server.connect();
    eventually("all of them", || {
        let connected = web.server.info(&mut redis, "connected_clients");
        (connected == "1001").then_some(())
    });
    for n in 0..50 {
        let page = web.ask(&format!("PUT /api/v1/records/{n}"), r#"{"value":1}"#);
        assert_eq!(page.status, 200);
    }
    assert_eq!(redis.ask(&["DBSIZE"]).as_i64(), Some(50));
    drop((slow, redis));
    is_well(&web);
}

#[test]
fn a_client_that_does_not_read_a_long_answer_takes_no_memory() {
    let web = Web::start(&[]);
    let mut redis = web.server.connect();
    for n in 0..2000 {
        redis.ask(&["SET", &format!("k{n:05}"), &"x".repeat(20_000)]);
    }
    let used =
        |redis: &mut server::Client| web.server.info(redis, "used_memory").parse::<u64>().unwrap();
    let before = used(&mut redis);
    let mut lazy: Vec<_> = (0..10).map(|_| web.connect()).collect();
    for http in &mut lazy {
        http.send("GET /api/v1/records/range HTTP/1.1\r\n\r\n");
    }
    assert_eq!(web.get("/api/v1/records/k00001").status, 200);
    assert!(used(&mut redis) < before + (8 << 20));
    // One reads after all, and gets the whole.
    let page = lazy[3].hear();
    assert_eq!(page.json()["total"], json!(2000));
    // One goes in the middle.
    let mut some = [0; 100_000];
    lazy[4].socket.read_exact(&mut some).unwrap();
    drop((lazy, redis));
    is_well(&web);
}

#[test]
fn unauthenticated_connections_count_for_their_memory() {
    let web = Web::start(&["--requirepass", "secret", "--unauthenticated-memory", "1mb"]);
    let mut redis = web.server.connect();
    assert_eq!(redis.ask(&["AUTH", "secret"]), server::ok());
    let read = format!("GET /api/v1/records/k\nAuthorization: {}", web::basic("default", "secret"));
    let mut unauthenticated = vec![web.connect()];
    assert_eq!(unauthenticated[0].ask("GET /health", "").status, 200);
    // A client that has shown its password takes nothing of what unauthenticated clients may; until
    // then it does, so they come one by one.
    let known = (0..40).map(|_| {
        let mut http = web.connect();
        assert_eq!(http.ask(&read, "").status, 404);
        http
    });
    let mut known: Vec<_> = known.collect();
    for http in &mut known {
        // Once it is answered again, what its first request was charged has been given back.
        assert_eq!(http.ask(&read, "").status, 404);
    }
    unauthenticated.extend((1..32).map(|_| web.connect()));
    eventually("all of them", || (web.clients(&mut redis) == 40 + 32).then_some(()));
    // One more takes the place of the oldest.
    assert_eq!(web.get("/health").status, 200);
    unauthenticated[0].closed();
    unauthenticated.extend((0..100).map(|_| web.connect()));
    assert_eq!(known[39].ask(&read, "").status, 404);
    eventually("the end of the others", || (web.clients(&mut redis) == 40 + 32).then_some(()));
    assert_eq!(web.get("/health").status, 200);
    drop(unauthenticated);
    eventually("room", || (web.clients(&mut redis) == 40).then_some(()));
    eventually("an answer", || (web.ask(&read, "").status == 404).then_some(()));
}

#[test]
fn nothing_is_left_when_the_server_ends() {
    let mut web = Web::start(&[]);
    let mut idle = web.connect();
    idle.ask("GET /health", "");
    let mut half = web.connect();
    half.send("GET /hea");
    web.server.signal("TERM");
    assert!(web.server.ended().success());
    assert_eq!(idle.closed(), b"");
    half.closed();
}
