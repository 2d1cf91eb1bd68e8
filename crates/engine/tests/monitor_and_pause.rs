//! Who monitors sees what runs; who is paused runs later, in order.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::sync::Arc;

use kvist_engine::{Engine, Message, State};

use crate::test_client::{TestClient, engine, engine_with};

/// The time at which clients begin.
const START: u64 = 1_000_000;

/// The lines posted to a monitor, without their times.
fn heard(client: &TestClient) -> Vec<String> {
    client.pushed().iter().map(|line| timeless(line)).collect()
}

fn timeless(line: &str) -> String {
    let (time, rest) = line.split_once(' ').unwrap();
    assert!(time.starts_with('+') && time.len() > 8, "{line}");
    rest.trim_end().to_owned()
}

fn monitor(engine: &Arc<Engine>) -> TestClient {
    let mut client = TestClient::new(engine);
    assert_eq!(client.ask("MONITOR"), "+OK");
    client
}

#[test]
fn a_monitor_sees_what_ran_and_nothing_else() {
    let engine = engine();
    let monitor = monitor(&engine);
    let mut other = TestClient::new(&engine);
    for line in ["SET a \"b\\n\"", "NOSUCH", "GET", "CONFIG GET x", "LPUSH a 1", "AUTH x"] {
        other.ask(line);
    }
    let expected = ["[0 ] \"SET\" \"a\" \"b\\n\"", "[0 ] \"LPUSH\" \"a\" \"1\""];
    let heard = heard(&monitor);
    assert_eq!(heard[..2], expected);
    assert_eq!(heard[2..], ["[0 ] \"AUTH\" \"(redacted)\""]);
}

#[test]
fn a_password_is_hidden_whatever_its_command_is_called() {
    let engine = engine_with("rename-command AUTH enter\nrename-command ACL users");
    let monitor = monitor(&engine);
    let mut other = TestClient::new(&engine);
    for line in ["enter x", "MULTI", "enter y z", "EXEC", "CONFIG SET slowlog-log-slower-than 0"] {
        other.ask(line);
    }
    let hidden = ["[0 ] \"enter\" \"(redacted)\"", "[0 ] \"enter\" \"(redacted)\" \"(redacted)\""];
    let heard = heard(&monitor);
    assert_eq!(heard[..1], hidden[..1]);
    assert_eq!(heard[2..3], hidden[1..]);
    other.ask("users SETUSER u on >p");
    let log = other.ask("SLOWLOG GET 1");
    assert!(log.contains("(redacted)") && !log.contains(">p"), "{log}");
}

#[test]
fn a_transaction_is_seen_when_it_runs() {
    let engine = engine();
    let monitor = monitor(&engine);
    let mut other = TestClient::new(&engine);
    other.feed("MULTI\r\nSELECT 2\r\nSET a 1\r\nCONFIG GET x\r\n");
    assert_eq!(heard(&monitor), ["[0 ] \"MULTI\""]);
    other.ask("EXEC");
    let expected = ["[2 ] \"SELECT\" \"2\"", "[2 ] \"SET\" \"a\" \"1\"", "[2 ] \"EXEC\""];
    assert_eq!(heard(&monitor), expected);
}

#[test]
fn a_blocked_request_is_seen_once_when_it_blocks() {
    let engine = engine();
    let monitor = monitor(&engine);
    let (mut waiting, mut other) = (TestClient::new(&engine), TestClient::new(&engine));
    assert_eq!(waiting.feed("BLPOP q 0\r\n").1, State::Blocked);
    assert_eq!(heard(&monitor), ["[0 ] \"BLPOP\" \"q\" \"0\""]);
    other.ask("RPUSH q x");
    assert_eq!(heard(&monitor), ["[0 ] \"RPUSH\" \"q\" \"x\""]);
}

#[test]
fn a_monitor_sees_itself_behind_its_replies_until_it_stops() {
    let engine = engine();
    let mut one = monitor(&engine);
    let reply = one.ask("PING");
    let (pong, line) = reply.split_once("\r\n").unwrap();
    assert_eq!((pong, timeless(line).as_str()), ("+PONG", "[0 ] \"PING\""));
    assert_eq!(one.ask("GET a"), "-ERR Replica can't interact with the keyspace");
    assert_eq!(one.ask("MONITOR"), "");
    assert_eq!(one.ask("RESET"), "+RESET");
    assert_eq!(one.ask("PING"), "+PONG");
    let mut other = TestClient::new(&engine);
    other.ask("PING");
    assert!(heard(&one).is_empty());
    assert_eq!(one.ask("GET a"), "$-1");
}

#[test]
fn silence_and_leaving_end_what_a_monitor_hears() {
    let engine = engine();
    let (mut silent, mut leaving) = (monitor(&engine), monitor(&engine));
    let mut other = TestClient::new(&engine);
    silent.ask("CLIENT REPLY OFF");
    assert_eq!(heard(&leaving), ["[0 ] \"CLIENT\" \"REPLY\" \"OFF\""]);
    other.ask("PING");
    assert!(heard(&silent).is_empty());
    assert_eq!(heard(&leaving), ["[0 ] \"PING\""]);
    leaving.worker.disconnect(&mut leaving.session);
    other.ask("PING");
    assert!(heard(&leaving).is_empty());
}

/// Goes on at time `now` as a door does when a pause is over.
fn resume(client: &mut TestClient, now: u64) -> (String, State) {
    client.worker.begin(now);
    client.feed("")
}

#[test]
fn paused_writes_run_in_order_when_the_time_is_up() {
    let engine = engine();
    let (mut other, mut writer) = (TestClient::new(&engine), TestClient::new(&engine));
    assert_eq!(other.ask("CLIENT PAUSE 100 WRITE"), "+OK");
    assert_eq!(
        writer.feed("GET a\r\nSET a 1\r\nAPPEND a 2\r\n"),
        ("$-1\r\n".into(), State::Paused)
    );
    assert_eq!(other.ask("GET a"), "$-1");
    assert!(other.ask("INFO clients").contains("blocked_clients:1\r\n"));
    // The door kept what is behind the request that waits.
    assert_eq!(resume(&mut writer, START + 99), (String::new(), State::Paused));
    assert_eq!(resume(&mut writer, START + 100), ("+OK\r\n".into(), State::Open));
    assert_eq!(writer.ask("APPEND a 2"), ":2");
    assert!(other.ask("INFO clients").contains("blocked_clients:0\r\n"));
}

#[test]
fn a_pause_is_prolonged_and_widened_but_never_shortened() {
    let engine = engine();
    let (mut first, mut second) = (TestClient::new(&engine), TestClient::new(&engine));
    first.ask("CLIENT PAUSE 500 WRITE");
    assert_eq!(first.ask("CLIENT PAUSE 10 WRITE"), "+OK");
    assert_eq!(engine.waits.pauses.until(), START + 500);
    assert_eq!(first.ask("CLIENT PAUSE 0 ALL"), "+OK");
    assert_eq!(first.ask("PING"), "+PONG");
    assert_eq!(first.ask("CLIENT PAUSE 9223372036854775807 ALL"), "+OK");
    assert_eq!(first.ask("CLIENT PAUSE 10 ALL"), "+OK");
    assert_eq!(second.feed("PING\r\n").1, State::Paused);
    assert_eq!(resume(&mut second, START + 499).1, State::Paused);
    assert_eq!(resume(&mut second, START + 500).0, "+PONG\r\n");
    // The next pause knows nothing of this one.
    first.worker.begin(START + 600);
    first.ask("CLIENT PAUSE 10 WRITE");
    assert_eq!(first.ask("PING"), "+PONG");
}

#[test]
fn unpause_tells_everybody_who_waits() {
    let engine = engine();
    let (mut other, mut writer) = (TestClient::new(&engine), TestClient::new(&engine));
    other.ask("CLIENT PAUSE 100000 WRITE");
    assert_eq!(writer.feed("MULTI\r\nSET a 1\r\n"), ("+OK\r\n".into(), State::Paused));
    assert_eq!(other.ask("CLIENT UNPAUSE"), "+OK");
    let told = writer.messages.take(writer.session.client.id);
    assert!(matches!(told[..], [Message::Resume]));
    assert_eq!(resume(&mut writer, START).0, "+QUEUED\r\n");
    other.ask("CLIENT PAUSE 100000 WRITE");
    assert_eq!(writer.feed("EXEC\r\n").1, State::Paused);
    other.ask("CLIENT UNPAUSE");
    assert_eq!(resume(&mut writer, START).0, "*1\r\n+OK\r\n");
    // One who only reads is not kept.
    other.ask("CLIENT PAUSE 100000 WRITE");
    assert_eq!(other.feed("MULTI\r\nGET a\r\nEXEC\r\n").0, "+OK\r\n+QUEUED\r\n*1\r\n$1\r\n1\r\n");
}

#[test]
fn a_transaction_that_pauses_runs_to_its_end() {
    let engine = engine();
    let mut client = TestClient::new(&engine);
    let (replies, state) =
        client.feed("MULTI\r\nCLIENT PAUSE 50 ALL\r\nSET a 1\r\nEXEC\r\nGET a\r\n");
    assert_eq!(replies, "+OK\r\n+QUEUED\r\n+QUEUED\r\n*2\r\n+OK\r\n+OK\r\n");
    assert_eq!(state, State::Paused);
    assert_eq!(resume(&mut client, START + 50).0, "$1\r\n1\r\n");
}

#[test]
fn the_dataset_stands_still_while_paused() {
    let engine = engine();
    let (mut other, mut client) = (TestClient::new(&engine), TestClient::new(&engine));
    client.ask("SET a 1 PX 10");
    other.ask("CLIENT PAUSE 100 WRITE");
    client.worker.begin(START + 20);
    assert_eq!(client.ask("GET a"), "$-1");
    assert_eq!(client.ask("DBSIZE"), ":1");
    assert_eq!(client.ask("WATCH a"), "+OK");
    assert_eq!(engine.store.expired(), 0);
    client.worker.begin(START + 100);
    assert_eq!(client.ask("GET a"), "$-1");
    assert_eq!(client.ask("DBSIZE"), ":0");
    assert_eq!(engine.store.expired(), 1);
}

#[test]
fn errors_are_told_at_once_and_monitors_are_not_paused() {
    let engine = engine();
    let (mut monitor, mut client) = (monitor(&engine), TestClient::new(&engine));
    client.ask("CLIENT PAUSE 100 ALL");
    assert_eq!(client.feed("NOSUCH\r\nGET\r\n").1, State::Open);
    assert!(monitor.ask("PING").starts_with("+PONG"));
    // Nothing was heard of what has not run.
    assert_eq!(client.feed("PING\r\n").1, State::Paused);
    assert_eq!(heard(&monitor).len(), 0);
    assert_eq!(resume(&mut client, START + 100).0, "+PONG\r\n");
    assert_eq!(heard(&monitor), ["[0 ] \"PING\""]);
}

#[test]
fn a_client_that_leaves_waits_no_longer() {
    let engine = engine();
    let (mut other, mut client) = (TestClient::new(&engine), TestClient::new(&engine));
    other.ask("CLIENT PAUSE 100 WRITE");
    assert_eq!(client.feed("SET a 1\r\n").1, State::Paused);
    assert_eq!(engine.waits.pauses.waiting(), 1);
    client.worker.disconnect(&mut client.session);
    assert_eq!(engine.waits.pauses.waiting(), 0);
}

/// Words of inline requests are unquoted where they lie, so what stands behind a request that waits
/// must not have been decoded.
#[test]
fn quoted_requests_behind_one_that_waits_are_read_as_they_came() {
    let engine = engine();
    let (mut other, mut client) = (TestClient::new(&engine), TestClient::new(&engine));
    let mut input = b"*3\r\n$5\r\nBLPOP\r\n$1\r\nq\r\n$1\r\n0\r\nSET \"a b\" \"c d\"\r\n".to_vec();
    let before = input.clone();
    let mut out = Vec::new();
    let fed = client.worker.feed(&mut client.session, &mut input, &mut out);
    assert_eq!(fed.state, State::Blocked);
    assert_eq!(input, before);
    assert!(client.worker.give_up(&mut client.session, &mut out));
    other.ask("CLIENT PAUSE 100 WRITE");
    // One that waits itself is kept by its words.
    assert_eq!(client.feed("SET \"a b\" \"c d\"\r\n").1, State::Paused);
    assert_eq!(resume(&mut client, START + 100).0, "+OK\r\n");
    assert_eq!(client.ask("GET \"a b\""), "$3\r\nc d");
}

#[test]
fn nothing_is_evicted_while_paused() {
    let engine = engine_with("maxmemory-policy allkeys-random\nlatency-monitor-threshold 1\n");
    let mut client = TestClient::new(&engine);
    for n in 0..1000 {
        client.ask(&format!("SET key:{n} {}", "x".repeat(100)));
    }
    client.ask("CLIENT PAUSE 100 WRITE");
    client.ask("CONFIG SET maxmemory 20000");
    client.worker.begin(START + 50);
    assert_eq!(client.ask("DBSIZE"), ":1000");
    client.worker.begin(START + 100);
    assert_ne!(client.ask("DBSIZE"), ":1000");
}

#[test]
fn a_request_that_is_denied_is_not_told_of() {
    let engine = engine();
    let monitor = monitor(&engine);
    let mut client = TestClient::new(&engine);
    client.ask("ACL SETUSER reader on nopass ~* +get");
    client.ask("AUTH reader x");
    assert!(heard(&monitor).iter().all(|line| line.contains("(redacted)")));
    assert!(client.ask("SET a 1").starts_with("-NOPERM"));
    client.ask("GET a");
    assert_eq!(heard(&monitor), ["[0 ] \"GET\" \"a\""]);
}
