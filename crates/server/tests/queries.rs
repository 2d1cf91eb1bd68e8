//! Queries through the ports of a server: commands on rings, the type to copy from, which only
//! builds for tests have. `RING.GATE` holds them up.

// In a test a panic is how a failure is told.
#![allow(clippy::unwrap_used)]
#![cfg(debug_assertions)]

use std::time::Duration;

use grpc::generated::kvist as pb;
use grpc::generated::kvist::value::Kind;
use tonic::Code::DeadlineExceeded;
use wire::Value;

use crate::calls::{Calls, bytes, refused};
use crate::server::{Client, Server, bulk, eventually, ok};

const OPTIONS: &[&str] = &["--example-commands", "yes", "--query-threads", "1"];

/// A ring of two words, and a closed gate.
fn set_up(client: &mut Client) {
    assert_eq!(client.ask(&["RING.PUSH", "k", "9", "a"]), Value::Int(1));
    assert_eq!(client.ask(&["RING.PUSH", "k", "9", "b"]), Value::Int(2));
    assert_eq!(client.ask(&["RING.GATE", "CLOSE", "g"]), ok());
}

/// How many queries have come to the gate.
fn entries(client: &mut Client) -> i64 {
    match client.ask(&["RING.GATE", "ENTERED", "g"]) {
        Value::Int(count) => count,
        other => panic!("{other:?}"),
    }
}

/// Waits until so many queries have come to the gate.
fn entered(client: &mut Client, count: i64) {
    eventually("a query", || (entries(client) == count).then_some(()));
}

/// Waits until nothing of any query is left.
fn nothing_left(server: &Server, client: &mut Client) {
    for field in ["blocked_clients", "mem_query_versions"] {
        eventually(field, || (server.info(client, field) == "0").then_some(()));
    }
}

#[test]
fn a_query_is_answered_in_order_while_others_go_on() {
    let server = Server::start(OPTIONS);
    let (mut client, mut other) = (server.connect(), server.connect());
    set_up(&mut other);
    let mut requests = wire::request(["RING.SCAN", "k", "g"]);
    wire::encode(&mut requests, ["RING.WORDS", "k"]);
    client.send(&requests);
    entered(&mut other, 1);
    client.say(&["PING"]);
    // Both threads serve others meanwhile, of the same key too.
    for _ in 0..4 {
        assert_eq!(server.connect().ask(&["RING.PUSH", "k", "1", "c"]), Value::Int(1));
    }
    assert_ne!(server.info(&mut other, "mem_query_versions"), "0");
    other.ask(&["RING.GATE", "OPEN", "g"]);
    assert_eq!(client.hear(), Value::Array(vec![bulk("a"), bulk("b")]));
    assert_eq!(client.hear(), Value::Array(vec![bulk("c")]));
    assert_eq!(client.hear(), Value::Simple(b"PONG".to_vec()));
    nothing_left(&server, &mut other);
}

#[test]
fn a_query_ends_with_its_connection() {
    let server = Server::start(OPTIONS);
    let mut other = server.connect();
    set_up(&mut other);
    for way in ["leaves", "says its last", "is killed"] {
        // The second waits for the thread that the first has. When the first ends it may get that
        // thread, and come to the gate, before its own end is seen.
        let before = entries(&mut other);
        let (mut running, mut queued) = (server.connect(), server.connect());
        let ids = [running.id(), queued.id()];
        running.say(&["RING.SCAN", "k", "g"]);
        entered(&mut other, before + 1);
        queued.say(&["RING.SCAN", "k", "g"]);
        eventually("two", || (server.info(&mut other, "blocked_clients") == "2").then_some(()));
        other.ask(&["RING.PUSH", "k", "2", way]);
        match way {
            "leaves" => drop((running, queued)),
            "says its last" => {
                for client in [&running, &queued] {
                    client.tcp().shutdown(std::net::Shutdown::Write).unwrap();
                }
                running.closed();
                queued.closed();
            }
            _ => {
                for id in ids {
                    assert_eq!(other.ask(&["CLIENT", "KILL", "ID", &id]), Value::Int(1));
                }
                running.closed();
                queued.closed();
            }
        }
        nothing_left(&server, &mut other);
    }
    other.ask(&["RING.GATE", "OPEN", "g"]);
    let last = Value::Array(vec![bulk("says its last"), bulk("is killed")]);
    assert_eq!(other.ask(&["RING.SCAN", "k", "g"]), last);
}

#[test]
fn a_server_ends_though_queries_run() {
    for way in ["SHUTDOWN", "TERM"] {
        let mut server = Server::start(OPTIONS);
        let (mut running, mut queued) = (server.connect(), server.connect());
        let mut other = server.connect();
        set_up(&mut other);
        running.say(&["RING.SCAN", "k", "g"]);
        entered(&mut other, 1);
        queued.say(&["RING.SCAN", "k", "g"]);
        match way {
            "SHUTDOWN" => other.say(&["SHUTDOWN", "NOSAVE"]),
            signal => server.signal(signal),
        }
        assert!(server.ended().success(), "{way}");
    }
}

/// In a transaction, and where a request is served that has waited, a query holds its keys: as a
/// script that takes too long, it keeps neither the clients of its thread nor what ends it.
#[test]
fn a_query_with_keys_in_hand_keeps_no_thread_from_others() {
    let more: &[&str] = &["--io-threads", "1", "--busy-reply-threshold", "50"];
    let server = Server::start(&[OPTIONS, more].concat());
    let mut other = server.connect();
    other.ask(&["RING.GATE", "CLOSE", "g"]);
    for served in [false, true] {
        for way in ["SCRIPT KILL", "CLIENT KILL", "opens"] {
            other.ask(&["DEL", "k"]);
            let (mut client, mut feeder) = (server.connect(), server.connect());
            let id = client.id();
            if served {
                client.say(&["RING.WAIT", "k", "g"]);
                eventually("a wait", || {
                    (server.info(&mut other, "blocked_clients") == "1").then_some(())
                });
                feeder.say(&["RING.PUSH", "k", "9", "a"]);
            } else {
                client.ask(&["MULTI"]);
                client.ask(&["RING.PUSH", "k", "9", "a"]);
                client.ask(&["RING.SCAN", "k", "g"]);
                client.say(&["EXEC"]);
            }
            // The only thread is handed over, and those that want the key do not wait.
            eventually("busy", || {
                let reply = other.ask(&["RING.WORDS", "k"]);
                matches!(reply, Value::Error(text) if text.starts_with(b"BUSY")).then_some(())
            });
            assert_eq!(other.ask(&["PING"]), Value::Simple(b"PONG".to_vec()));
            match way {
                "CLIENT KILL" => {
                    assert_eq!(other.ask(&["CLIENT", "KILL", "ID", &id]), Value::Int(1));
                }
                "opens" => assert_eq!(other.ask(&["RING.GATE", "OPEN", "g"]), ok()),
                _ => assert_eq!(other.ask(&["SCRIPT", "KILL"]), ok()),
            }
            if served {
                assert_eq!(feeder.hear(), Value::Int(1), "{way}");
            }
            match way {
                "CLIENT KILL" => client.closed(),
                way => {
                    let mut reply = client.hear();
                    if !served {
                        let Value::Array(mut all) = reply else { panic!("{reply:?}") };
                        reply = all.pop().unwrap();
                    }
                    match reply {
                        Value::Array(words) => assert_eq!((way, words.len()), ("opens", 1)),
                        other => assert!(matches!((way, other), ("SCRIPT KILL", Value::Error(_)))),
                    }
                    assert_eq!(client.ask(&["PING"]), Value::Simple(b"PONG".to_vec()));
                }
            }
            other.ask(&["RING.GATE", "CLOSE", "g"]);
            let words = eventually("no longer busy", || match other.ask(&["RING.WORDS", "k"]) {
                Value::Array(words) => Some(words),
                _ => None,
            });
            assert_eq!(words, [bulk("a")], "{way}");
        }
    }
    nothing_left(&server, &mut other);
}

/// A batch runs on behind a query, and answers in order.
#[test]
fn a_batch_with_queries_is_answered_in_order() {
    let calls = Calls::start(OPTIONS);
    let mut other = calls.server.connect();
    set_up(&mut other);
    let execute = |words: &[&str]| {
        let words = words.iter().map(|word| bytes(word)).collect();
        let execute = pb::ExecuteRequest { words, database: 0 };
        pb::Operation { kind: Some(pb::operation::Kind::Execute(execute)) }
    };
    let operations = vec![
        execute(&["PING", "1"]),
        execute(&["RING.SCAN", "k", "g"]),
        execute(&["RING.PUSH", "k", "9", "c"]),
        execute(&["RING.SCAN", "k", "g"]),
        execute(&["PING", "2"]),
    ];
    let mut kvist = calls.kvist();
    let batch = pb::BatchRequest { id: 7, operations };
    let call = calls.spawn(async move {
        let mut answers = kvist.batch(tokio_stream::iter([batch])).await.unwrap().into_inner();
        answers.message().await.unwrap().unwrap()
    });
    let mut beside = calls.kvist();
    eventually("a query", || {
        calls.execute(&mut beside, "PING").unwrap();
        (other.ask(&["RING.GATE", "ENTERED", "g"]) == Value::Int(1)).then_some(())
    });
    other.ask(&["RING.GATE", "OPEN", "g"]);
    let answer = calls.run(call).unwrap();
    let count = |result: pb::OperationResult| match result.kind {
        Some(pb::operation_result::Kind::Execute(done)) => {
            match done.reply.and_then(|it| it.kind) {
                Some(Kind::List(list)) => list.items.len(),
                _ => 0,
            }
        }
        other => panic!("{other:?}"),
    };
    let counts: Vec<usize> = answer.results.into_iter().map(count).collect();
    assert_eq!(counts, [0, 2, 0, 3, 0]);
    nothing_left(&calls.server, &mut other);
}

#[test]
fn calls_wait_for_queries_and_end_them() {
    let calls = Calls::start(OPTIONS);
    let mut other = calls.server.connect();
    set_up(&mut other);
    let words = || ["RING.SCAN", "k", "g"].map(bytes).to_vec();
    let request = move || pb::ExecuteRequest { words: words(), database: 0 };
    let mut kvist = calls.kvist();
    let mut hurried = tonic::Request::new(request());
    hurried.set_timeout(Duration::from_millis(100));
    assert_eq!(refused(calls.run(kvist.execute(hurried))).0, DeadlineExceeded);
    nothing_left(&calls.server, &mut other);
    let mut patient = calls.kvist();
    let call = calls.spawn(async move { patient.execute(request()).await });
    // Others on the same connection go on.
    eventually("a call", || {
        calls.execute(&mut kvist, "PING").unwrap();
        (calls.server.info(&mut other, "blocked_clients") == "1").then_some(())
    });
    assert_eq!(other.ask(&["DEL", "k"]), Value::Int(1));
    other.ask(&["RING.GATE", "OPEN", "g"]);
    let reply = calls.run(call).unwrap().unwrap().into_inner().reply.unwrap().kind;
    let Some(Kind::List(list)) = reply else { panic!("{reply:?}") };
    assert_eq!(list.items.len(), 2);
    nothing_left(&calls.server, &mut other);
}
