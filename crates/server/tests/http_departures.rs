//! Peers of the HTTP port that go while they are answered: what runs for them ends, whatever they
//! have sent behind it. One that only says its last is answered for as long as it listens.

#![allow(clippy::unwrap_used)] // a test says why by failing

use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use rustls::pki_types::ServerName;
use rustls::{ClientConnection, StreamOwned};
use serde_json::json;
use socket2::SockRef;

use crate::secured::Pki;
use crate::server::{Client, PATIENCE, eventually, ok};
use crate::web::{Browser, Web};

const STATEMENT: &str = "POST /api/v1/graph/g/query";
/// A statement that no test waits for.
const LONG: &str = "{\"query\": \"UNWIND range(1, 100000) AS x UNWIND range(1, 100000) AS y \
                    WITH x, y WHERE x = -y RETURN x\"}";
/// What stands behind a request: nothing, a byte, a request.
const BEHIND: [&str; 3] = ["", "G", "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"];

/// Waits until so many statements run or wait.
fn running(web: &Web, redis: &mut Client, count: &str) {
    let is_so = |redis: &mut Client| web.server.info(redis, "blocked_clients") == count;
    eventually(&format!("{count} statements"), || is_so(redis).then_some(()));
}

#[test]
fn what_runs_for_a_peer_ends_when_it_goes() {
    let web = Web::start(&["--query-threads", "2"]);
    let mut redis = web.server.connect();
    // The last is more than the port reads ahead.
    let behind = || BEHIND.map(str::to_owned).into_iter().chain([BEHIND[2].repeat(2000)]);
    let mut peers = Vec::new();
    for behind in behind() {
        for way in ["is closed", "is reset", "says its last"] {
            let mut http = web.connect();
            http.say(STATEMENT, LONG);
            http.send(&behind);
            peers.push((way, http));
        }
    }
    running(&web, &mut redis, "12");
    for (way, http) in &peers {
        let socket = http.socket.get_ref();
        match *way {
            "is reset" => SockRef::from(socket).set_linger(Some(Duration::ZERO)).unwrap(),
            "says its last" => socket.shutdown(Shutdown::Write).unwrap(),
            _ => {}
        }
    }
    let (mut listening, gone): (Vec<_>, Vec<_>) =
        peers.into_iter().partition(|(way, _)| *way == "says its last");
    drop(gone);
    running(&web, &mut redis, "0");
    for (_, http) in &mut listening {
        assert_eq!(http.closed(), b"");
    }
    eventually("their end", || (web.clients(&mut redis) == 0).then_some(()));
}

#[test]
fn so_it_is_over_tls() {
    let pki = Pki::new();
    let (certificate, key) = (pki.path("server.crt"), pki.path("server.key"));
    let tls = ["--http-tls", "yes", "--tls-auth-clients", "no"];
    let files = ["--tls-cert-file", &certificate, "--tls-key-file", &key];
    let web = Web::start(&[&tls[..], &files].concat());
    let mut redis = web.server.connect();
    let context = pki.context("ca.crt", None, rustls::ALL_VERSIONS);
    let connect = |behind| {
        let name = ServerName::try_from("localhost").unwrap();
        let socket = TcpStream::connect(("127.0.0.1", web.port)).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        let tls = ClientConnection::new(context.clone(), name).unwrap();
        let mut http = Browser::new(StreamOwned::new(tls, socket));
        assert_eq!(http.ask("GET /health", "").status, 200);
        http.say(STATEMENT, LONG);
        http.send(behind);
        http
    };
    let peers = BEHIND.map(connect);
    running(&web, &mut redis, "3");
    drop(peers);
    running(&web, &mut redis, "0");
}

/// A statement is not all that waits or runs for long.
#[test]
fn what_waits_for_a_peer_ends_when_it_goes() {
    let web = Web::start(&[]);
    let mut redis = web.server.connect();
    assert_eq!(redis.ask(&["CLIENT", "PAUSE", "1000000", "WRITE"]), ok());
    let connect = |behind| {
        let mut http = web.connect();
        http.say("PUT /api/v1/records/k", r#"{"value":1}"#);
        http.send(behind);
        http
    };
    let peers = BEHIND.map(connect);
    eventually("waits", || web.server.has_blocked(3).then_some(()));
    drop(peers);
    eventually("their end", || (web.clients(&mut redis) == 0).then_some(()));
    redis.ask(&["CLIENT", "UNPAUSE"]);
    assert_eq!(redis.ask(&["DBSIZE"]).as_i64(), Some(0));
}

#[test]
fn a_peer_that_has_said_its_last_is_answered_while_it_listens() {
    let web = Web::start(&[]);
    let mut redis = web.server.connect();
    for n in 0..1000 {
        redis.ask(&["SET", &format!("k{n:05}"), &"x".repeat(20_000)]);
    }
    let get = |path: &str| format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    let mut http = web.connect();
    // Longer than what the system takes at once.
    let range = get("/api/v1/records/range");
    http.send([get("/health"), range.clone(), range, get("/health")].concat());
    http.socket.get_ref().shutdown(Shutdown::Write).unwrap();
    assert_eq!(http.hear().status, 200);
    let first = http.hear();
    assert_eq!(first.json()["total"], json!(1000));
    assert_eq!(http.hear().body, first.body);
    assert_eq!(http.hear().text(), "OK\n");
    assert_eq!(http.closed(), b"");
}
