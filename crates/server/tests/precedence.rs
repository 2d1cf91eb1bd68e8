//! Who receives a message: every client whose subscription was sent before it, on whichever thread.
//! And in which order a listener hears what others push and what it asked for itself.

// In a test a panic is how a failure is told.
#![allow(clippy::unwrap_used)]

use std::time::{Duration, Instant};

use wire::Value;

use crate::server::{Client, Server, bulk, eventually, ok, text};

const THREADS: &[&str] = &["--io-threads", "4"];
/// How long a request is kept at most for a thread that serves something long.
const PATIENCE: Duration = Duration::from_millis(100);

/// Connections that have been taken in, several to a thread.
fn connections(server: &Server) -> Vec<Client> {
    let mut clients: Vec<Client> = (0..8).map(|_| server.connect()).collect();
    for client in &mut clients {
        client.ask(&["PING"]);
    }
    clients
}

/// Has one of `listeners` after the other subscribe without waiting, then something said over
/// another connection that `publishes` to the channel, and checks which clients received it when.
fn subscribe_and_publish(
    server: &Server,
    mut publishes: impl FnMut(&mut Client, &str) -> i64,
    (one, none): (&str, &str),
) {
    let mut listeners = connections(server);
    let mut publishers = connections(server);
    let mut late = 0;
    for turn in 0..40 {
        for (n, listener) in listeners.iter_mut().enumerate() {
            let channel = format!("c{turn}-{n}");
            listener.say(&[one, &channel]);
            let publisher = &mut publishers[(turn + 3 * n) % 8];
            let begun = Instant::now();
            let heard = publishes(publisher, &channel) == 1;
            // A busy machine may keep the listener's thread from running for as long as is waited.
            assert!(heard || begun.elapsed() >= PATIENCE, "turn {turn}, listener {n}");
            late += usize::from(!heard);
            listener.say(&[none, &channel]);
            let kinds: Vec<Value> = (0..2 + usize::from(heard))
                .map(|_| match listener.hear() {
                    Value::Array(words) => words[0].clone(),
                    other => panic!("{other:?}"),
                })
                .collect();
            let message = if one == "SSUBSCRIBE" { "smessage" } else { "message" };
            let (one, none) = (one.to_lowercase(), none.to_lowercase());
            let message = heard.then(|| bulk(message));
            let wanted: Vec<Value> =
                [Some(bulk(one)), message, Some(bulk(none))].into_iter().flatten().collect();
            assert_eq!(kinds, wanted);
        }
    }
    assert!(late < 80, "of 320 messages so many were waited for in vain: {late}");
}

fn number(value: Value) -> i64 {
    match value {
        Value::Int(number) => number,
        Value::Array(values) => number(values.last().unwrap().clone()),
        other => panic!("{other:?}"),
    }
}

const CHANNELS: (&str, &str) = ("SUBSCRIBE", "UNSUBSCRIBE");

#[test]
fn a_subscription_that_was_sent_before_a_message_hears_it() {
    let server = Server::start(THREADS);
    let publish =
        |publisher: &mut Client, channel: &str| number(publisher.ask(&["PUBLISH", channel, "m"]));
    subscribe_and_publish(&server, publish, CHANNELS);
    let publish =
        |publisher: &mut Client, channel: &str| number(publisher.ask(&["SPUBLISH", channel, "m"]));
    subscribe_and_publish(&server, publish, ("SSUBSCRIBE", "SUNSUBSCRIBE"));
}

#[test]
fn so_it_does_if_a_transaction_or_a_script_publishes() {
    let server = Server::start(THREADS);
    let publish = |publisher: &mut Client, channel: &str| {
        assert_eq!(publisher.ask(&["MULTI"]), ok());
        publisher.ask(&["SET", "k", channel]);
        publisher.ask(&["PUBLISH", channel, "m"]);
        number(publisher.ask(&["EXEC"]))
    };
    subscribe_and_publish(&server, publish, CHANNELS);
    // Another script each time: that it publishes is not known before it does.
    let mut count = 0;
    let publish = |publisher: &mut Client, channel: &str| {
        count += 1;
        let script = format!(
            "redis.call('INCR', KEYS[1]) return redis.call('publish', ARGV[1], 'm') -- {}",
            count % 100
        );
        number(publisher.ask(&["EVAL", &script, "1", "n", channel]))
    };
    subscribe_and_publish(&server, publish, CHANNELS);
    // One that was taken back and ran again has run once.
    let ran = server.connect().ask(&["GET", "n"]);
    assert_eq!(ran, bulk("320"));
}

#[test]
fn requests_in_one_batch_are_all_answered_in_order() {
    let server = Server::start(THREADS);
    let mut listeners = connections(&server);
    let mut publisher = server.connect();
    for (n, listener) in listeners.iter_mut().enumerate() {
        listener.say(&["SUBSCRIBE", "c"]);
        for text in ["1", "2", "3"] {
            publisher.say(&["ECHO", text]);
            publisher.say(&["PUBLISH", "c", text]);
        }
        for text in ["1", "2", "3"] {
            assert_eq!(publisher.hear(), bulk(text));
            assert_eq!(number(publisher.hear()), i64::try_from(n).unwrap() + 1);
        }
    }
    for (n, listener) in listeners.iter_mut().enumerate() {
        listener.hear();
        for turn in n..8 {
            for text in ["1", "2", "3"] {
                let message = vec![bulk("message"), bulk("c"), bulk(text)];
                assert_eq!(listener.hear(), Value::Array(message), "listener {n}, turn {turn}");
            }
        }
    }
}

#[test]
fn a_message_is_delivered_after_its_publisher_has_gone() {
    let server = Server::start(THREADS);
    let mut listener = server.connect();
    listener.ask(&["SUBSCRIBE", "c"]);
    for _ in 0..100 {
        let mut others = connections(&server);
        // Keeps threads at work.
        others.iter_mut().for_each(|other| other.say(&["PING"]));
        let mut publisher = others.pop().unwrap();
        publisher.say(&["PUBLISH", "c", "m"]);
        drop(publisher);
        assert_eq!(listener.hear(), Value::Array(vec![bulk("message"), bulk("c"), bulk("m")]));
    }
}

#[test]
fn what_stands_behind_a_blocked_request_holds_no_message_up() {
    let server = Server::start(THREADS);
    let mut blocked = connections(&server);
    for client in &mut blocked {
        client.say(&["BLPOP", "never", "0"]);
        client.say(&["PING"]);
    }
    let mut publisher = server.connect();
    publisher.ask(&["PING"]);
    let mut quick = 0;
    // Where each waits, none is quick; on a busy machine some are not.
    eventually("twenty messages that do not wait", || {
        let begun = Instant::now();
        assert_eq!(publisher.ask(&["PUBLISH", "c", "m"]), Value::Int(0));
        quick += usize::from(begun.elapsed() < PATIENCE);
        (quick >= 20).then_some(())
    });
}

#[test]
fn a_long_script_elsewhere_holds_up_one_message_and_that_not_for_long() {
    let server = Server::start(THREADS);
    let mut listener = server.connect();
    listener.ask(&["SUBSCRIBE", "c"]);
    let mut others = connections(&server);
    let (script, others) = others.split_first_mut().unwrap();
    script.say(&["EVAL", "while true do end", "0"]);
    for other in others.iter_mut() {
        other.say(&["PUBLISH", "c", "m"]);
    }
    // While it runs.
    for _ in 0..5 {
        listener.hear();
    }
    let mut admin = server.connect();
    eventually("the end", || (admin.ask(&["SCRIPT", "KILL"]) == ok()).then_some(()));
    assert!(text(&script.hear()).contains("killed"));
    for other in others {
        assert_eq!(other.hear(), Value::Int(1));
    }
}

#[test]
fn a_script_that_waits_is_shown_once_to_monitors() {
    let server = Server::start(THREADS);
    let mut others = connections(&server);
    let mut monitor = server.connect();
    monitor.ask(&["MONITOR"]);
    let script = "return redis.call('publish', KEYS[1], ARGV[1])";
    for n in 0..100 {
        let number = n.to_string();
        // Keeps threads at work, so that some of the scripts have to wait.
        others.iter_mut().skip(1).for_each(|other| other.say(&["ECHO", &number]));
        others[0].ask(&["EVAL", script, "1", "c", &number]);
        others.iter_mut().skip(1).for_each(|other| assert_eq!(other.hear(), bulk(&number)));
    }
    others[0].ask(&["ECHO", "end"]);
    let mut shown = 0;
    loop {
        let Value::Simple(line) = monitor.hear() else { panic!("no line") };
        let line = String::from_utf8(line).unwrap();
        shown += usize::from(line.contains("\"EVAL\""));
        if line.ends_with("\"ECHO\" \"end\"") {
            break;
        }
    }
    assert_eq!(shown, 100);
}

#[test]
fn a_client_that_waits_for_others_is_as_any() {
    let server = Server::start(THREADS);
    let mut admin = server.connect();
    // Blocked in the kernel of the door: CLIENT PAUSE and its end meet the same request.
    let mut publishers = connections(&server);
    assert_eq!(admin.ask(&["CLIENT", "PAUSE", "60000", "WRITE"]), ok());
    publishers.iter_mut().for_each(|publisher| publisher.say(&["PUBLISH", "c", "m"]));
    assert_eq!(admin.ask(&["CLIENT", "UNPAUSE"]), ok());
    for publisher in &mut publishers {
        assert_eq!(publisher.hear(), Value::Int(0));
        assert_eq!(publisher.ask(&["PING"]), Value::Simple(b"PONG".to_vec()));
    }
}
