//! What a monitor hears of the same requests here and of a redis-server: the same lines, but for
//! times and addresses.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use testkit::oracle;

use crate::test_client::{TestClient, engine};

const SCRIPT: &[&[&str]] = &[
    &["PING"],
    &["set", "a", "b"],
    &["NOSUCH", "x"],
    &["GET"],
    &["GET", "a\"b\\c\n\r\t\x07\x08\x00\x7fe'"],
    &["MULTI"],
    &["SELECT", "2"],
    &["GET", "a"],
    &["CONFIG", "GET", "x"],
    &["AUTH", "secret"],
    &["EXEC"],
    &["MULTI"],
    &["NOSUCH"],
    &["EXEC"],
    &["MULTI"],
    &["SET", "a", "1"],
    &["DISCARD"],
    &["EXEC"],
    &["AUTH", "secret"],
    &["AUTH", "default", "secret"],
    &["HELLO", "2", "AUTH", "default", "secret", "SETNAME", "me"],
    &["HELLO", "3"],
    &["HELLO", "2"],
    &["CONFIG", "SET", "requirepass", ""],
    &["CONFIG", "GET", "timeout"],
    &["ACL", "WHOAMI"],
    &["ACL", "SETUSER", "x", ">secret"],
    &["SLOWLOG", "LEN"],
    &["LATENCY", "LATEST"],
    &["CLIENT", "LIST"],
    &["CLIENT", "GETNAME"],
    &["CLIENT", "REPLY", "SKIP"],
    &["ECHO", "nobody"],
    &["WATCH", "a"],
    &["UNWATCH"],
    &["LPUSH", "a", "1"],
    &["DEL", "a"],
    &["OBJECT", "ENCODING", "a"],
    &["MEMORY", "USAGE", "a"],
    &["COMMAND", "COUNT"],
    &["CLUSTER", "INFO"],
    &["READONLY"],
    &["FAILOVER", "ABORT"],
    &["ROLE"],
    &["WAIT", "0", "0"],
    &["PUBLISH", "a", "b"],
    &["SUBSCRIBE", "a"],
    &["PING"],
    &["UNSUBSCRIBE"],
    &["LASTSAVE"],
    &["MIGRATE", "127.0.0.1", "1", "nosuch", "0", "10", "AUTH", "secret"],
    &["MIGRATE", "127.0.0.1", "1", "", "0", "10", "AUTH2", "me", "secret", "KEYS", "auth", "b"],
    &["BLPOP", "nolist", "0.01"],
    &["RESET"],
    &["SELECT", "0"],
    &["ECHO", "end"],
];

/// A line without its time and the address in it.
fn plain(line: &str) -> String {
    let (_, rest) = line.split_once(" [").unwrap();
    let (place, words) = rest.split_once(']').unwrap();
    format!("[{}]{}", place.split(' ').next().unwrap(), words.trim_end())
}

fn theirs(oracle: &oracle::Oracle) -> Vec<String> {
    let connect = || -> TcpStream {
        let stream = oracle.connect();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream
    };
    let (mut monitor, mut client) = (connect(), connect());
    monitor.write_all(b"MONITOR\r\n").unwrap();
    let mut lines = BufReader::new(monitor).lines().map(Result::unwrap);
    assert_eq!(lines.next().unwrap(), "+OK");
    for request in SCRIPT {
        client.write_all(&wire::request(*request)).unwrap();
    }
    let mut heard = Vec::new();
    for line in lines {
        heard.push(plain(&line));
        if line.ends_with("\"ECHO\" \"end\"") {
            break;
        }
    }
    // Read what was answered, so that the connection ends in peace.
    client.set_read_timeout(Some(Duration::from_millis(10))).unwrap();
    let _ = client.read(&mut [0; 1 << 16]);
    heard
}

fn ours() -> Vec<String> {
    let engine = engine();
    let (mut monitor, mut client) = (TestClient::new(&engine), TestClient::new(&engine));
    assert_eq!(monitor.ask("MONITOR"), "+OK");
    let mut out = Vec::new();
    for request in SCRIPT {
        let mut bytes = wire::request(*request);
        client.worker.feed(&mut client.session, &mut bytes, &mut out);
        // No other client feeds its list.
        client.worker.give_up(&mut client.session, &mut out);
    }
    monitor.pushed().iter().map(|line| plain(line)).collect()
}

#[test]
fn monitors_hear_what_those_of_redis_hear() {
    let Some(oracle) = oracle::Oracle::start(&[]) else { return };
    let (ours, theirs) = (ours(), theirs(&oracle));
    for (own, their) in ours.iter().zip(&theirs) {
        assert_eq!(own, their);
    }
    assert_eq!(ours.len(), theirs.len(), "{:?}", ours.last());
}
