//! What clients are told without asking: keyspace events and stale copies, over real sockets.

// In a test a panic is how a failure is told.
#![allow(clippy::unwrap_used)]

use wire::Value;

use crate::server::{Client, Server, bulk, eventually, ok};

fn words(words: &[&str]) -> Vec<Value> {
    words.iter().map(bulk).collect()
}

/// A connection that speaks RESP3.
fn resp3(server: &Server) -> Client {
    let mut client = server.connect();
    client.ask(&["HELLO", "3"]);
    client
}

#[test]
fn events_come_in_order_and_from_cron_too() {
    let server = Server::start(&["--notify-keyspace-events", "KEA"]);
    let mut listener = server.connect();
    listener.ask(&["PSUBSCRIBE", "__keyevent@*"]);
    let mut writer = server.connect();
    assert_eq!(writer.ask(&["SET", "k", "v", "PX", "5"]), ok());
    for (event, key) in [("set", "k"), ("expire", "k"), ("expired", "k")] {
        let channel = format!("__keyevent@0__:{event}");
        let message = words(&["pmessage", "__keyevent@*", &channel, key]);
        assert_eq!(listener.hear(), Value::Array(message));
    }
}

#[test]
fn copies_are_told_stale_across_threads() {
    let server = Server::start(&[]);
    let mut writer = server.connect();
    // Several, so that both threads have some.
    let mut readers: Vec<Client> = (0..6).map(|_| resp3(&server)).collect();
    for (n, reader) in readers.iter_mut().enumerate() {
        let mode = if n % 2 == 0 { "NOLOOP" } else { "BCAST" };
        assert_eq!(reader.ask(&["CLIENT", "TRACKING", "on", mode]), ok());
        assert_eq!(reader.ask(&["GET", "k"]), Value::Null);
    }
    assert_eq!(writer.ask(&["SET", "k", "1"]), ok());
    for reader in &mut readers {
        let notice = vec![bulk("invalidate"), Value::Array(vec![bulk("k")])];
        assert_eq!(reader.hear(), Value::Push(notice));
        assert_eq!(reader.ask(&["PING"]), Value::Simple(b"PONG".to_vec()));
    }
    assert_eq!(writer.ask(&["FLUSHALL"]), ok());
    for reader in &mut readers {
        assert_eq!(reader.hear(), Value::Push(vec![bulk("invalidate"), Value::Null]));
    }
}

#[test]
fn a_client_that_does_not_read_its_notices_is_cut_off() {
    let server = Server::start(&["--client-output-buffer-limit", "pubsub", "1mb", "0", "0"]);
    let mut writer = server.connect();
    let mut slow = resp3(&server);
    assert_eq!(slow.ask(&["CLIENT", "TRACKING", "on", "BCAST"]), ok());
    let key = "k".repeat(100_000);
    eventually("the slow reader's end", || {
        assert_eq!(writer.ask(&["SET", &key, "v"]), ok());
        (server.info(&mut writer, "tracking_clients") == "0").then_some(())
    });
    server.logged("overcoming of output buffer limits");
    slow.closed();
}

/// Replies to its requests are limited as for any client, not as pushed messages.
#[test]
fn long_replies_do_not_count_as_notices() {
    let server = Server::start(&["--client-output-buffer-limit", "pubsub", "100kb", "0", "0"]);
    let mut writer = server.connect();
    assert_eq!(writer.ask(&["SET", "k", &"v".repeat(5_000_000)]), ok());
    let mut reader = resp3(&server);
    assert_eq!(reader.ask(&["CLIENT", "TRACKING", "on"]), ok());
    for _ in 0..4 {
        reader.say(&["GET", "k"]);
    }
    reader.say(&["PING"]);
    // Its output is full of replies when it is told.
    assert_eq!(writer.ask(&["APPEND", "k", "x"]), Value::Int(5_000_001));
    let mut heard = Vec::new();
    loop {
        match reader.hear() {
            Value::Simple(pong) if pong == b"PONG" => break,
            value => heard.push(value),
        }
    }
    let values = heard.iter().filter(|value| matches!(value, Value::Bulk(_)));
    assert_eq!(values.count(), 4);
}
