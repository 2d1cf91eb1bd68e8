//! Control commands that concern several clients, or whose replies are our own.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::sync::Arc;
use std::sync::atomic::Ordering;

use kvist_engine::{Message, State};

use crate::test_client::{self, TestClient, engine};

#[test]
fn messages_reach_listeners_in_their_protocol() {
    let engine = engine();
    let (mut old, mut new, mut sender) =
        (TestClient::new(&engine), TestClient::new(&engine), TestClient::new(&engine));
    new.ask("HELLO 3");
    old.ask("SUBSCRIBE news");
    new.ask("PSUBSCRIBE n?ws");
    new.ask("SSUBSCRIBE news");
    assert_eq!(sender.ask("PUBLISH news hi"), ":2");
    assert_eq!(old.pushed().concat(), "*3\r\n$7\r\nmessage\r\n$4\r\nnews\r\n$2\r\nhi\r\n");
    let expected = ">4\r\n$8\r\npmessage\r\n$4\r\nn?ws\r\n$4\r\nnews\r\n$2\r\nhi\r\n";
    assert_eq!(new.pushed().concat(), expected);
    assert_eq!(sender.ask("SPUBLISH news ho"), ":1");
    assert_eq!(new.pushed().concat(), ">3\r\n$8\r\nsmessage\r\n$4\r\nnews\r\n$2\r\nho\r\n");
    assert_eq!(old.pushed().concat(), "");
    new.worker.disconnect(&mut new.session);
    old.ask("UNSUBSCRIBE");
    assert_eq!(sender.ask("PUBLISH news hi"), ":0");
    assert_eq!(sender.ask("SPUBLISH news hi"), ":0");
    assert_eq!(sender.ask("PUBSUB CHANNELS"), "*0");
}

#[test]
fn a_publisher_that_listens_gets_the_message_before_the_reply() {
    let engine = engine();
    let mut client = TestClient::new(&engine);
    client.ask("HELLO 3");
    client.ask("SUBSCRIBE a");
    let expected = ">3\r\n$7\r\nmessage\r\n$1\r\na\r\n$2\r\nhi\r\n:1";
    assert_eq!(client.ask("PUBLISH a hi"), expected);
    assert_eq!(client.pushed().concat(), "");
}

#[test]
fn killed_clients_are_told_and_gone() {
    let engine = engine();
    let (mut killer, victim, mut listener) =
        (TestClient::new(&engine), TestClient::new(&engine), TestClient::new(&engine));
    listener.ask("SUBSCRIBE a");
    assert_eq!(killer.ask("CLIENT KILL TYPE pubsub"), ":1");
    assert!(matches!(listener.messages.take(3)[..], [Message::Kill]));
    assert_eq!(killer.ask(&format!("CLIENT KILL ID {}", victim.session.client.id)), ":1");
    assert!(matches!(victim.messages.take(2)[..], [Message::Kill]));
    assert_eq!(killer.ask("CLIENT LIST").lines().filter(|l| l.starts_with("id=")).count(), 1);
    let (reply, state) = killer.feed("CLIENT KILL ID 1 SKIPME no\r\n");
    assert_eq!((reply.as_str(), state), (":1\r\n", State::Closing));
}

#[test]
fn client_list_tells_the_truth() {
    let engine = engine();
    let (mut client, mut other) = (TestClient::new(&engine), TestClient::new(&engine));
    other.ask("CLIENT SETNAME bob");
    other.ask("SELECT 2");
    other.ask("HELLO 3");
    other.ask("SUBSCRIBE a b");
    other.ask("SSUBSCRIBE s");
    other.ask("CLIENT NO-EVICT on");
    let line = client.ask("CLIENT LIST ID 2");
    let fields = line.lines().nth(1).unwrap();
    assert!(fields.starts_with("id=2 addr= laddr= fd=0 name=bob age=0 idle=0 flags=Pe db=2 "));
    assert!(fields.contains(" sub=2 psub=0 ssub=1 multi=-1 "));
    assert!(fields.ends_with(" events=r cmd=client|no-evict user=default redir=-1 resp=3"));
    other.ask("CLIENT SETINFO LIB-NAME tester");
    assert!(client.ask("CLIENT LIST ID 2").ends_with(" resp=3 lib-name=tester lib-ver="));
    assert!(client.ask("CLIENT INFO").contains(" cmd=client|info "));
    let refused = "-ERR lib-ver cannot contain spaces, newlines or special characters.";
    assert_eq!(client.ask("CLIENT SETINFO LIB-VER 'a b'"), refused);
}

#[test]
fn shutdown_stops_the_engine_without_a_word() {
    let engine = engine();
    let mut client = TestClient::new(&engine);
    assert_eq!(client.feed("SHUTDOWN NOSAVE\r\n"), (String::new(), State::Closing));
    assert!(engine.run.stopping.load(Ordering::Acquire));
}

#[test]
fn saving_where_nothing_can_be_written_is_an_error() {
    let engine = engine();
    let mut client = TestClient::new(&engine);
    assert_eq!(client.feed("SAVE\r\n"), (String::new(), State::Blocked));
    assert!(client.answered().starts_with("-ERR "));
    assert_eq!(client.ask("LASTSAVE"), ":1000");
}

#[test]
fn slow_requests_are_logged_without_passwords() {
    let engine = engine();
    let mut client = TestClient::new(&engine);
    client.ask("CONFIG SET slowlog-log-slower-than 0");
    client.ask("SLOWLOG RESET");
    client.ask("CLIENT SETNAME bob");
    client.ask("AUTH default secret");
    let log = client.ask("SLOWLOG GET 1");
    assert!(log.contains("$4\r\nAUTH\r\n$10\r\n(redacted)\r\n$10\r\n(redacted)\r\n"), "{log}");
    assert!(log.ends_with("$3\r\nbob") && !log.contains("secret"), "{log}");
}

#[test]
fn a_setting_holds_for_the_rest_of_the_batch() {
    let engine = engine();
    let mut client = TestClient::new(&engine);
    let batch = "CONFIG SET requirepass a\r\nRESET\r\nPING\r\nAUTH b\r\nAUTH a\r\nPING\r\n";
    let expected = "+OK\r\n+RESET\r\n-NOAUTH Authentication required.\r\n\
                    -WRONGPASS invalid username-password pair or user is disabled.\r\n\
                    +OK\r\n+PONG\r\n";
    assert_eq!(client.feed(batch).0, expected);
}

/// What was decoded together with the request that changes something is decoded anew.
#[test]
fn a_setting_holds_for_how_the_rest_of_the_batch_is_read() {
    let engine = engine();
    let mut client = TestClient::new(&engine);
    let long = format!("*2\r\n$4\r\nECHO\r\n${}\r\n", (1 << 20) + 1);
    let shrink = "CONFIG SET proto-max-bulk-len 1mb\r\n";
    let broken = "+OK\r\n-ERR Protocol error: invalid bulk length\r\n";
    let heard = client.feed(&format!("{shrink}{long}"));
    assert_eq!(heard, (broken.to_owned(), State::Closing));
    let mut client = TestClient::new(&engine);
    let grow = "CONFIG SET proto-max-bulk-len 2mb\r\n";
    let heard = client.feed(&format!("PING\r\n{grow}{long}"));
    assert_eq!(heard, ("+PONG\r\n+OK\r\n".to_owned(), State::Open));
    let mut client = TestClient::new(&engine);
    let heard =
        client.feed("MULTI\r\nCONFIG SET proto-max-bulk-len 1mb\r\nEXEC\r\n*1\r\n$1048577\r\n");
    assert_eq!(heard.1, State::Closing, "{heard:?}");
    // Clients that are unauthenticated again may send little.
    let mut client = TestClient::new(&engine);
    let heard = client.feed("CONFIG SET requirepass a\r\nRESET\r\nPING\r\n*11\r\n");
    assert!(heard.0.ends_with("unauthenticated multibulk length\r\n"), "{heard:?}");
    let mut client = TestClient::new(&engine);
    client.feed("CONFIG SET slowlog-log-slower-than 0\r\nSLOWLOG RESET\r\nSET a 1\r\nSET b 2\r\n");
    assert_eq!(client.ask("SLOWLOG GET").matches("SET").count(), 3, "with the RESET");
}

/// What becomes of a transaction that changes how long its reply may become.
#[test]
fn a_limit_of_replies_holds_from_where_it_is_set() {
    let engine = engine();
    let long = "x".repeat(2 << 20);
    let mut client = TestClient::new(&engine);
    client.ask(&format!("SET long {long}"));
    let closes = |class: &str| format!("CONFIG SET client-output-buffer-limit \"{class} 1mb 0 0\"");
    let off =
        "CONFIG SET max-reply-size 1gb client-output-buffer-limit \"normal 0 0 0 pubsub 0 0 0\"";
    let small = "CONFIG SET max-reply-size 1mb";
    let (normal, pubsub) = (closes("normal"), closes("pubsub"));
    let (kept, refused, closed) = ("xx\r\n", "-ERR the reply would be longer", "");
    for (before, inside, outcome) in [
        (off, &[small, "GET long"][..], refused),
        (off, &["GET long", small], kept),
        (off, &["GET long", small, "PING"], refused),
        (small, &[off, "GET long"], kept),
        (small, &["GET long", off, "GET long"], refused),
        (off, &[&*normal, "GET long"], closed),
        (&*normal, &[off, "GET long"], kept),
        // It is the limit that was broken that says what follows.
        (&*normal, &["GET long", off, small], closed),
        (&*normal, &["GET long", "CLIENT REPLY OFF"], closed),
        // Of another class than before.
        (&*pubsub, &["GET long", "SUBSCRIBE c"], kept),
        (&*pubsub, &["SUBSCRIBE c", "GET long"], closed),
        // What is sent to no client is not too long.
        (&*normal, &["CLIENT REPLY OFF", "GET long", "CLIENT REPLY ON"], "+OK\r\n"),
    ] {
        let mut client = TestClient::new(&engine);
        client.ask(off);
        client.ask(before);
        client.ask("MULTI");
        inside.iter().for_each(|line| assert_eq!(client.ask(line), "+QUEUED", "{line}"));
        let (reply, state) = client.feed("EXEC\r\n");
        let shown = &reply[..reply.len().min(200)];
        if outcome == closed {
            assert_eq!((shown, state), ("", State::Closing), "{before}: {inside:?}");
        } else {
            assert_ne!(state, State::Closing, "{before}: {inside:?}");
            let found = reply.contains(outcome) && reply.contains("xx") == (outcome == kept);
            assert!(found, "{before}: {inside:?}: {shown}");
        }
    }
}

/// Whether reads count as uses of keys.
#[test]
fn what_a_transaction_says_about_uses_holds_from_there() {
    let engine = test_client::engine_with("enable-debug-command yes");
    let mut client = TestClient::new(&engine);
    for (inside, idle) in [
        (&["GET k"][..], ":0"),
        (&["CLIENT NO-TOUCH ON", "GET k", "CLIENT NO-TOUCH OFF"], ":100"),
        (&["CLIENT NO-TOUCH ON", "CLIENT NO-TOUCH OFF", "GET k"], ":0"),
        (&["DEBUG OBJECT k", "GET k"], ":0"),
    ] {
        client.worker.begin(1_000_000);
        client.ask("SET k v");
        client.worker.begin(1_100_000);
        client.ask("MULTI");
        inside.iter().for_each(|line| assert_eq!(client.ask(line), "+QUEUED"));
        client.ask("EXEC");
        assert_eq!(client.ask("OBJECT IDLETIME k"), idle, "{inside:?}");
    }
}

#[test]
fn info_has_what_monitoring_reads() {
    let engine = engine();
    let mut client = TestClient::new(&engine);
    client.ask("SET a b");
    client.ask("SET c d EX 1000");
    client.ask("GET a");
    client.ask("GET nosuch");
    client.ask("GET");
    let text = client.ask("INFO everything");
    for field in [
        "redis_version:7.0.15\r\n",
        "redis_mode:standalone\r\n",
        "connected_clients:1\r\n",
        "blocked_clients:0\r\n",
        "maxmemory_policy:noeviction\r\n",
        "aof_enabled:0\r\n",
        "role:master\r\n",
        "keyspace_hits:1\r\n",
        "keyspace_misses:1\r\n",
        "errorstat_ERR:count=1\r\n",
        "cmdstat_get:calls=2,",
        ",rejected_calls=1,failed_calls=0\r\n",
        "cluster_enabled:0\r\n",
        "\r\n\r\n# Keyspace\r\ndb0:keys=2,expires=1,avg_ttl=1000000",
    ] {
        assert!(text.contains(field), "{field} is not in\n{text}");
    }
    let short = client.ask("INFO");
    assert!(short.contains("# Server") && !short.contains("# Commandstats"));
    let two = client.ask("INFO keyspace SERVER");
    assert!(two.contains("# Server") && two.contains("# Keyspace") && !two.contains("# CPU"));
    // Inside a transaction the shards are held already.
    client.ask("MULTI");
    client.ask("INFO keyspace");
    assert!(client.ask("EXEC").contains("keys=2"));
}

#[test]
fn the_average_time_to_live_is_estimated() {
    let engine = engine();
    let mut client = TestClient::new(&engine);
    client.ask("SELECT 3");
    for number in 1..=4000 {
        client.ask(&format!("SET key:{number} x EX {number}"));
        client.ask(&format!("SET other:{number} x"));
    }
    let text = client.ask("INFO keyspace");
    let average = text.split("db3:keys=8000,expires=4000,avg_ttl=").nth(1).unwrap();
    let average: f64 = average.trim_end().parse().unwrap();
    assert!((average - 2_000_500.0).abs() < 200_000.0, "{average}");
}

#[test]
fn how_long_commands_take_is_kept_as_a_histogram() {
    let engine = engine();
    let mut client = TestClient::new(&engine);
    client.feed("SET a 1\r\nSET a 2\r\nSET a 3\r\n");
    client.ask("MULTI");
    client.ask("SET a 4");
    client.ask("EXEC");
    client.ask("CLIENT ID");
    let set = client.ask("LATENCY HISTOGRAM set nosuch");
    assert!(set.starts_with("*2\r\n$3\r\nset\r\n*4\r\n$5\r\ncalls\r\n:4\r\n"), "{set}");
    assert!(set.ends_with("\r\n:4"), "the last step counts all of them: {set}");
    let histogram = client.ask("LATENCY HISTOGRAM client");
    assert!(histogram.starts_with("*2\r\n$9\r\nclient|id\r\n"), "{histogram}");
    assert!(client.ask("LATENCY HISTOGRAM").starts_with("*10\r\n"));
    let text = client.ask("INFO latencystats");
    let line = text.lines().find(|line| line.contains("usec_set:p50=")).unwrap();
    assert!(line.contains(",p99=") && line.contains(",p99.9="), "{line}");
    client.ask("CONFIG SET latency-tracking no latency-tracking-info-percentiles 90");
    client.ask("CONFIG RESETSTAT");
    client.ask("SET a 1");
    assert_eq!(client.ask("LATENCY HISTOGRAM set"), "*0");
    assert!(!client.ask("INFO latencystats").contains("usec_set"));
    client.ask("CONFIG SET latency-tracking yes");
    client.ask("SET a 1");
    assert!(client.ask("INFO latencystats").contains("usec_set:p90="));
}

#[test]
fn help_comes_from_the_table() {
    let engine = engine();
    let mut client = TestClient::new(&engine);
    let text = client.ask("CONFIG HELP");
    assert!(text.starts_with("*11\r\n+CONFIG <subcommand> [<arg> [value] [opt] ...]. "));
    assert!(text.contains("+SET <parameter> <value> [<parameter> <value> ...]\r\n+    "), "{text}");
    assert!(client.ask("CLIENT HELP").contains("+UNBLOCK <client-id> [(TIMEOUT|ERROR)]\r\n"));
}

#[test]
fn docs_nest_arguments_and_subcommands() {
    let engine = engine();
    let mut client = TestClient::new(&engine);
    let select = client.ask("COMMAND DOCS select nosuch");
    assert!(select.starts_with("*2\r\n$6\r\nselect\r\n*10\r\n$7\r\nsummary\r\n"));
    let tail = "$9\r\narguments\r\n*1\r\n*4\r\n$4\r\nname\r\n$5\r\nindex\r\n$4\r\ntype\r\n\
                $7\r\ninteger";
    assert!(select.ends_with(tail), "{select}");
    assert!(client.ask("COMMAND DOCS config").contains("$11\r\nsubcommands\r\n*10\r\n"));
    let reply = client.ask("COMMAND DOCS");
    assert!(reply.starts_with(&format!("*{}\r\n", 2 * count(&engine))));
    assert_eq!(client.ask("COMMAND COUNT"), format!(":{}", count(&engine)));
    assert!(client.ask("COMMAND").starts_with(&format!("*{}\r\n", count(&engine))));
}

fn count(engine: &Arc<kvist_engine::Engine>) -> usize {
    engine.table.entries().iter().filter(|entry| entry.naming.parent.is_none()).count()
}

#[test]
fn lolwut_and_doctor_speak_our_own_words() {
    let engine = engine();
    let mut client = TestClient::new(&engine);
    assert!(client.ask("LOLWUT").contains("Kvist ver. "));
    assert!(client.ask("LOLWUT VERSION 5").contains("speaks Redis 7.0.15"));
    assert!(client.ask("LATENCY DOCTOR").contains("latency-monitor-threshold"));
    assert!(client.ask("MEMORY DOCTOR").contains("too little"));
}
