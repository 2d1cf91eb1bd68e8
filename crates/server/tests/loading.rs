//! While the dataset is read, every door says so; once it is there, no more.
//!
//! What is read is a FIFO, so that it takes exactly as long as the test wants.

// In a test a panic is how a failure is told.
#![allow(clippy::unwrap_used)]

use grpc::generated::kvist as pb;
use serde_json::json;
use tonic::Code::Unavailable;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

use crate::calls::{Calls, bytes, refused};
use crate::every_way::slow::{LENGTH, READING, Slow};
use crate::server::{READY, Server, bulk, eventually, ok, text};
use crate::web::Web;

#[test]
fn http_is_ready_when_the_dataset_is_there() {
    let mut slow = Slow::new();
    let web = Web::start_until(READING, &slow.args());
    let loading = "LOADING Redis is loading the dataset in memory";
    let mut http = web.connect();
    for _ in 0..3 {
        let page = http.ask("GET /ready", "");
        assert_eq!((page.status, page.text()), (503, format!("{loading}\n")));
        assert_eq!(http.ask("HEAD /ready", "").status, 503);
    }
    // It lives, and says what keeps it.
    assert_eq!(http.ask("GET /health", "").status, 200);
    let page = http.ask("GET /api/v1/health", "");
    assert_eq!((page.status, &page.json()["status"]), (503, &json!("loading")));
    assert_eq!(http.ask("GET /api/v1/records/k", "").status, 503);
    let mut redis = web.server.connect();
    assert_eq!(text(&redis.ask(&["GET", "k"])), loading);
    assert!(!web.server.log().contains(READY));

    slow.end();
    // On the connection that was there before.
    eventually("readiness", || (http.ask("GET /ready", "").status == 200).then_some(()));
    assert_eq!(http.ask("GET /ready", "").text(), "OK\n");
    assert_eq!(http.ask("GET /api/v1/health", "").json()["status"], json!("healthy"));
    assert_eq!(redis.ask(&["GET", "k"]), bulk("v".repeat(LENGTH)));
    web.server.logged(READY);
}

#[test]
fn nothing_is_saved_while_only_a_part_has_been_read() {
    let mut slow = Slow::new();
    let options = [&slow.args()[..], &["--enable-debug-command", "yes"]].concat();
    let server = Server::start_until(READING, &options);
    let mut client = server.connect();
    for request in ["DEBUG RELOAD", "DEBUG LOADAOF", "SAVE", "BGSAVE", "BGREWRITEAOF"] {
        let words: Vec<&str> = request.split(' ').collect();
        let reply = text(&client.ask(&words));
        assert!(reply.starts_with("LOADING "), "{request}: {reply}");
    }
    // Neither by a change of what is kept.
    assert_eq!(client.ask(&["CONFIG", "SET", "appendonly", "yes"]), ok());
    assert_eq!(client.ask(&["CONFIG", "SET", "appendonly", "no"]), ok());
    assert!(!slow.folder.join("MANIFEST").exists(), "nothing is kept of a part");
    slow.end();
    eventually("the key", || (client.ask(&["GET", "k"]) == bulk("v".repeat(LENGTH))).then_some(()));
    assert_eq!(client.ask(&["DEBUG", "RELOAD"]), ok());
}

#[test]
fn grpc_serves_when_the_dataset_is_there() {
    let mut slow = Slow::new();
    let calls = Calls::start_until(READING, &slow.args());
    let mut kvist = calls.kvist();
    let get = || pb::GetRequest { key: bytes("k"), database: 0 };
    let (code, said) = refused(calls.run(kvist.get(get())));
    assert_eq!((code, said.starts_with("LOADING ")), (Unavailable, true), "{said}");
    let mut probe = HealthClient::new(calls.line());
    let mut is = |status: ServingStatus| {
        let answer = calls.run(probe.check(HealthCheckRequest::default())).unwrap();
        answer.into_inner().status == i32::from(status)
    };
    // It is looked at now and then.
    eventually("the news", || is(ServingStatus::NotServing).then_some(()));

    slow.end();
    eventually("readiness", || is(ServingStatus::Serving).then_some(()));
    let found = calls.run(kvist.get(get())).unwrap().into_inner();
    assert_eq!(found.value.map(|value| value.len()), Some(LENGTH));
}

#[test]
fn a_server_that_is_stopped_while_it_loads_ends_at_once_and_well() {
    for word in ["TERM", "INT", "SHUTDOWN", "SHUTDOWN SAVE"] {
        let slow = Slow::new();
        let mut server = Server::start_until(READING, &slow.args());
        let mut waiting = server.connect();
        if word.starts_with("SHUTDOWN") {
            waiting.say(&word.split(' ').collect::<Vec<_>>());
        } else {
            server.signal(word);
        }
        waiting.closed();
        // What it reads is not at its end yet, and nothing is wrong with it.
        let ended = server.ended();
        assert!(ended.success(), "{word}: {ended}");
        server.logged("while the dataset is read");
        assert!(!server.log().contains("error"), "{word}: {}", server.log());
        assert!(!slow.folder.join("MANIFEST").exists(), "{word}: nothing is kept of a part");
    }
}
