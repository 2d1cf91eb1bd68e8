//! All a connection does, with TLS on it: long requests and replies, slow readers, waiting, pushes,
//! copies of the dataset.

// In a test a panic is how a failure is told.
#![allow(clippy::unwrap_used)]

use std::io::{Read, Write};

use rustls::version;
use wire::Value;

use crate::secured::{Pki, Secured};
use crate::server::{Client, PATIENCE, bulk, eventually, ok, text};

const MB: usize = 1 << 20;

/// Bytes that are no two times the same in a row of 64 KiB.
fn pattern(length: usize) -> Vec<u8> {
    (0..length).map(|at| (at ^ (at >> 8) ^ (at >> 16)).to_le_bytes()[0]).collect()
}

fn set(client: &mut Client, key: &str, value: &[u8]) {
    let request = wire::request([b"SET".as_slice(), key.as_bytes(), value]);
    client.send(&request);
    assert_eq!(client.hear(), ok());
}

#[test]
fn long_requests_and_replies_come_whole() {
    let pki = Pki::new();
    let mut server = pki.start(&[]);
    for versions in [&[&version::TLS12][..], &[&version::TLS13]] {
        let mut client = server.connect_as(&pki.context("ca.crt", None, versions));
        for length in [0, 1, 16_383, 16_384, 16_385, 65_535, 65_536, 65_537, 262_144, 20 * MB] {
            let value = pattern(length);
            set(&mut client, "k", &value);
            assert!(server.admin.ask(&["GET", "k"]) == bulk(&value), "{length}");
            assert!(client.ask(&["GET", "k"]) == bulk(&value), "{length}");
        }
    }
    server.alone();
}

#[test]
fn many_requests_at_once_are_answered_in_order() {
    let pki = Pki::new();
    let server = pki.start(&[]);
    let mut client = server.connect();
    let mut requests = Vec::new();
    for n in 0..30_000 {
        wire::encode(&mut requests, ["ECHO", &n.to_string()]);
    }
    client.send(&requests);
    for n in 0..30_000 {
        assert_eq!(client.hear(), bulk(n.to_string()));
    }
    // Each in a record of its own, some empty.
    for n in 0..1000 {
        client.send(&wire::request(["ECHO", &n.to_string()]));
        client.send(b"");
    }
    for n in 0..1000 {
        assert_eq!(client.hear(), bulk(n.to_string()));
    }
}

#[test]
fn replies_that_are_not_read_wait_once() {
    let pki = Pki::new();
    let mut server = pki.start(&[]);
    let value = pattern(64 * MB);
    set(&mut server.admin, "big", &value);
    let mut slow = server.stream(&server.context);
    slow.sock.set_read_timeout(Some(PATIENCE)).unwrap();
    slow.write_all(b"PING\r\n").unwrap();
    slow.read_exact(&mut [0; 7]).unwrap();
    let before = server.number("used_memory_rss");
    slow.write_all(b"GET big\r\nPING\r\n").unwrap();
    let waiting = |server: &mut Secured| {
        let list = text(&server.admin.ask(&["CLIENT", "LIST"]));
        let sizes = list.split_whitespace().filter_map(|field| field.strip_prefix("tot-mem="));
        sizes.filter_map(|size| size.parse::<usize>().ok()).max().unwrap()
    };
    eventually("a reply that waits", || (waiting(&mut server) > 50 * MB).then_some(()));
    // What waits is the reply; encrypted is what goes to the kernel at the moment.
    let took = server.number("used_memory_rss").saturating_sub(before);
    assert!(took < 100 * MB as u64, "{took} bytes");
    // Others are served meanwhile.
    let mut other = server.connect();
    assert_eq!(other.ask(&["PING"]), Value::Simple(b"PONG".to_vec()));
    let mut head = vec![0; format!("${}\r\n", value.len()).len()];
    slow.read_exact(&mut head).unwrap();
    let mut got = vec![0; value.len()];
    slow.read_exact(&mut got).unwrap();
    assert!(got == value);
    let mut tail = [0; 9];
    slow.read_exact(&mut tail).unwrap();
    assert_eq!(&tail, b"\r\n+PONG\r\n");
    eventually("an empty buffer", || (waiting(&mut server) < MB).then_some(()));
    // Limits count what waits.
    assert_eq!(server.set(&["client-output-buffer-limit", "normal 1mb 0 0"]), "OK");
    slow.write_all(b"GET big\r\n").unwrap();
    drop(other);
    server.alone();
    let mut rest = Vec::new();
    assert!(slow.read_to_end(&mut rest).is_err() || rest.len() < value.len());
}

#[test]
fn clients_wait_and_are_told() {
    let pki = Pki::new();
    let mut server = pki.start(&[]);
    // Several, so that both threads have some.
    let mut waiting: Vec<Client> = (0..4).map(|_| server.connect()).collect();
    for (n, client) in waiting.iter_mut().enumerate() {
        let mut requests = wire::request(["BLPOP", &format!("list{n}"), "0"]);
        wire::encode(&mut requests, ["PING", "one"]);
        client.send(&requests);
    }
    eventually("blocking", || (server.number("blocked_clients") == 4).then_some(()));
    for (n, client) in waiting.iter_mut().enumerate() {
        client.say(&["PING", "two"]);
        assert_eq!(server.admin.ask(&["RPUSH", &format!("list{n}"), "x"]), Value::Int(1));
        assert_eq!(client.hear(), Value::Array(vec![bulk(format!("list{n}")), bulk("x")]));
        assert_eq!(client.hear(), bulk("one"));
        assert_eq!(client.hear(), bulk("two"));
    }
    for client in &mut waiting {
        client.ask(&["SUBSCRIBE", "news"]);
    }
    for n in 0..500 {
        assert_eq!(server.admin.ask(&["PUBLISH", "news", &n.to_string()]), Value::Int(4));
    }
    for client in &mut waiting {
        for n in 0..500 {
            let expected = vec![bulk("message"), bulk("news"), bulk(n.to_string())];
            assert_eq!(client.hear(), Value::Array(expected));
        }
    }
    let mut monitor = server.connect();
    assert_eq!(monitor.ask(&["MONITOR"]), ok());
    server.admin.ask(&["GET", "seen"]);
    assert!(text(&monitor.hear()).contains("\"GET\" \"seen\""));
    // A client that leaves while it waits takes nothing along.
    let mut leaves = server.connect();
    leaves.say(&["BLPOP", "list", "0"]);
    eventually("blocking", || (server.number("blocked_clients") == 1).then_some(()));
    drop(leaves);
    eventually("its leaving", || (server.number("blocked_clients") == 0).then_some(()));
    assert_eq!(server.admin.ask(&["RPUSH", "list", "x"]), Value::Int(1));
    let killed = waiting[0].tcp().local_addr().unwrap().to_string();
    assert_eq!(server.admin.ask(&["CLIENT", "KILL", &killed]), ok());
    // It is told that this was meant.
    assert_eq!(waiting[0].try_hear(), None);
    drop((waiting, monitor));
    server.alone();
}

#[test]
fn requests_may_come_with_the_end_of_the_handshake() {
    let pki = Pki::new();
    let server = pki.start(&[]);
    for versions in [&[&version::TLS12][..], &[&version::TLS13]] {
        let context = pki.context("ca.crt", None, versions);
        let mut stream = server.stream(&context);
        stream.sock.set_read_timeout(Some(PATIENCE)).unwrap();
        let requests = b"PING\r\n".repeat(10_000);
        // Kept until the handshake is over.
        stream.conn.writer().write_all(&requests).unwrap();
        let mut flight = Vec::new();
        while stream.conn.is_handshaking() {
            stream.conn.write_tls(&mut flight).unwrap();
            stream.sock.write_all(&flight).unwrap();
            flight.clear();
            while stream.conn.is_handshaking() && !stream.conn.wants_write() {
                stream.conn.read_tls(&mut stream.sock).unwrap();
                stream.conn.process_new_packets().unwrap();
            }
        }
        while stream.conn.wants_write() {
            stream.conn.write_tls(&mut flight).unwrap();
        }
        // At once, so that nothing happens at the socket afterwards.
        stream.sock.write_all(&flight).unwrap();
        let mut replies = vec![0; 7 * 10_000];
        stream.read_exact(&mut replies).unwrap();
        assert!(replies.chunks(7).all(|reply| reply == b"+PONG\r\n"));
    }
}

#[test]
fn a_client_that_quits_gets_everything_first() {
    let pki = Pki::new();
    let mut server = pki.start(&[]);
    let value = pattern(24 * MB);
    set(&mut server.admin, "big", &value);
    for versions in [&[&version::TLS12][..], &[&version::TLS13]] {
        let mut stream = server.stream(&pki.context("ca.crt", None, versions));
        stream.sock.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(b"GET big\r\nQUIT\r\n").unwrap();
        eventually("a reply that waits", || {
            let list = text(&server.admin.ask(&["CLIENT", "LIST"]));
            list.lines().any(|line| line.contains("cmd=quit")).then_some(())
        });
        let mut all = Vec::new();
        stream.read_to_end(&mut all).unwrap();
        let head = format!("${}\r\n", value.len());
        assert_eq!(all.len(), head.len() + value.len() + b"\r\n+OK\r\n".len());
        assert!(all[head.len()..].starts_with(&value) && all.ends_with(b"+OK\r\n"));
    }
    server.alone();
}

#[test]
fn a_farewell_is_answered() {
    let pki = Pki::new();
    let mut server = pki.start(&[]);
    for versions in [&[&version::TLS12][..], &[&version::TLS13]] {
        let context = pki.context("ca.crt", None, versions);
        for together in [true, false] {
            let mut stream = server.stream(&context);
            stream.sock.set_read_timeout(Some(PATIENCE)).unwrap();
            stream.write_all(b"PING\r\n").unwrap();
            stream.read_exact(&mut [0; 7]).unwrap();
            stream.conn.writer().write_all(b"PING\r\n").unwrap();
            if !together {
                stream.flush().unwrap();
            }
            // The socket itself stays open.
            stream.conn.send_close_notify();
            stream.flush().unwrap();
            let mut rest = Vec::new();
            stream.read_to_end(&mut rest).unwrap();
            assert_eq!(rest, b"+PONG\r\n");
        }
    }
    server.alone();
}

#[test]
fn copies_of_the_dataset_are_secret_too() {
    let pki = Pki::new();
    let mut server = pki.start(&["--rdbcompression", "no"]);
    let value = pattern(24 * MB);
    set(&mut server.admin, "big", &value);
    for versions in [&[&version::TLS12][..], &[&version::TLS13]] {
        let mut client = server.connect_as(&pki.context("ca.crt", None, versions));
        assert_eq!(client.ask(&["REPLCONF", "rdb-only", "1"]), ok());
        client.say(&["SYNC"]);
        let copy = client.hear_copy();
        assert!(copy.starts_with(b"REDIS") && copy.len() > value.len());
        let at = copy.windows(1000).position(|part| part == &value[..1000]).unwrap();
        assert!(copy[at..at + value.len()] == value);
        // Nothing follows but the farewell.
        assert_eq!(client.try_hear(), None);
    }
    // One that is killed on the way.
    let mut client = server.connect();
    assert_eq!(client.ask(&["REPLCONF", "rdb-only", "1"]), ok());
    let id = client.id();
    client.say(&["SYNC"]);
    eventually("the first byte", || client.tcp().peek(&mut [0]).ok());
    assert_eq!(server.admin.ask(&["CLIENT", "KILL", "ID", &id]), Value::Int(1));
    server.alone();
}
