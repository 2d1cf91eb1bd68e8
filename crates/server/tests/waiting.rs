//! Clients that wait: blocked requests, pushed messages, and what stands behind them.

// In a test a panic is how a failure is told.
#![allow(clippy::unwrap_used)]

use std::time::{Duration, Instant};

use wire::Value;

use crate::server::{Client, Server, bulk, eventually, ok};

/// Waits until so many clients are blocked.
fn blocked(server: &Server, other: &mut Client, count: &str) {
    eventually("blocking", || (server.info(other, "blocked_clients") == count).then_some(()));
}

#[test]
fn a_blocked_request_is_answered_before_later_ones() {
    let server = Server::start(&[]);
    // Several, so that both threads have some.
    let mut waiting: Vec<Client> = (0..4).map(|_| server.connect()).collect();
    let mut other = server.connect();
    for (n, client) in waiting.iter_mut().enumerate() {
        let mut requests = wire::request(["BLPOP", &format!("list{n}"), "0"]);
        wire::encode(&mut requests, ["PING", "one"]);
        client.send(&requests);
    }
    blocked(&server, &mut other, "4");
    for (n, client) in waiting.iter_mut().enumerate() {
        // Comes while it is blocked, and must wait too.
        client.say(&["PING", "two"]);
        assert_eq!(other.ask(&["RPUSH", &format!("list{n}"), "x"]), Value::Int(1));
        assert_eq!(client.hear(), Value::Array(vec![bulk(format!("list{n}")), bulk("x")]));
        assert_eq!(client.hear(), bulk("one"));
        assert_eq!(client.hear(), bulk("two"));
    }
}

#[test]
fn waits_end_in_time_and_in_order() {
    let server = Server::start(&[]);
    let mut client = server.connect();
    let start = Instant::now();
    client.say(&["BLPOP", "list", "0.25"]);
    client.say(&["BLPOP", "list", "0.05"]);
    client.say(&["PING"]);
    assert_eq!(client.hear(), Value::NullArray);
    let first = start.elapsed();
    assert_eq!(client.hear(), Value::NullArray);
    let second = start.elapsed();
    assert_eq!(client.hear(), Value::Simple(b"PONG".to_vec()));
    assert!(first >= Duration::from_millis(249), "{first:?}");
    assert!(second >= Duration::from_millis(298), "{second:?}");
}

#[test]
fn a_blocked_client_that_leaves_takes_nothing_along() {
    let server = Server::start(&[]);
    let mut other = server.connect();
    let mut leaving = server.connect();
    leaving.say(&["BLPOP", "list", "0"]);
    blocked(&server, &mut other, "1");
    // Its last words are unread when it leaves.
    leaving.say(&["PING"]);
    drop(leaving);
    blocked(&server, &mut other, "0");
    assert_eq!(other.ask(&["RPUSH", "list", "x"]), Value::Int(1));
    assert_eq!(other.ask(&["LPOP", "list"]), bulk("x"));
}

#[test]
fn a_client_can_be_unblocked_and_killed_by_another() {
    let server = Server::start(&[]);
    let mut other = server.connect();
    let mut client = server.connect();
    let id = client.id();
    client.say(&["BLPOP", "list", "0"]);
    blocked(&server, &mut other, "1");
    assert_eq!(other.ask(&["CLIENT", "UNBLOCK", &id, "ERROR"]), Value::Int(1));
    let error = client.hear();
    assert!(error.as_error().unwrap().starts_with(b"UNBLOCKED"), "{error:?}");
    client.say(&["BLPOP", "list", "0"]);
    blocked(&server, &mut other, "1");
    assert_eq!(other.ask(&["CLIENT", "KILL", "ID", &id]), Value::Int(1));
    assert_eq!(client.try_hear(), None);
    blocked(&server, &mut other, "0");
}

#[test]
fn messages_reach_all_listeners_in_order() {
    let server = Server::start(&[]);
    let mut listeners: Vec<Client> = (0..6).map(|_| server.connect()).collect();
    for client in &mut listeners {
        client.ask(&["SUBSCRIBE", "news"]);
    }
    let mut publisher = server.connect();
    let mut requests = Vec::new();
    for n in 0..5000 {
        wire::encode(&mut requests, ["PUBLISH", "news", &n.to_string()]);
    }
    publisher.send(&requests);
    for _ in 0..5000 {
        assert_eq!(publisher.hear(), Value::Int(6));
    }
    for client in &mut listeners {
        for n in 0..5000 {
            let message = vec![bulk("message"), bulk("news"), bulk(n.to_string())];
            assert_eq!(client.hear(), Value::Array(message));
        }
    }
}

#[test]
fn a_message_to_oneself_comes_before_the_reply() {
    let server = Server::start(&[]);
    let mut client = server.connect();
    client.ask(&["HELLO", "3"]);
    client.ask(&["SUBSCRIBE", "news"]);
    client.say(&["PUBLISH", "news", "x"]);
    let push = Value::Push(vec![bulk("message"), bulk("news"), bulk("x")]);
    assert_eq!(client.hear(), push);
    assert_eq!(client.hear(), Value::Int(1));
}

#[test]
fn replies_switched_off_are_not_sent() {
    let server = Server::start(&[]);
    let mut client = server.connect();
    client.say(&["CLIENT", "REPLY", "OFF"]);
    client.say(&["SET", "k", "v"]);
    client.say(&["CLIENT", "REPLY", "ON"]);
    assert_eq!(client.hear(), ok());
    assert_eq!(client.ask(&["GET", "k"]), bulk("v"));
}
