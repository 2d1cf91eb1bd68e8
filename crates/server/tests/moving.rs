//! MIGRATE: to redis-server, from it, and between two of ours; errors as Redis tells them; writers
//! in between lose nothing, and no client waits for a target that does not answer.
//!
//! `KVIST_SEED` repeats a run.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::atomic::{AtomicBool, Ordering};

use base::Rng;
use testkit::oracle::Oracle;
use wire::Value;

use crate::compared::{fill, rng};
use crate::server::{Client, Server, Socket, eventually, ok, text};

fn connect(oracle: &Oracle) -> Client {
    Client::new(Socket::Tcp(oracle.connect()))
}

fn port(oracle: &Oracle) -> String {
    oracle.connect().peer_addr().unwrap().port().to_string()
}

fn debugging() -> Server {
    Server::start(&["--enable-debug-command", "yes"])
}

fn say(client: &mut Client, line: &str) -> Value {
    let words: Vec<&str> =
        line.split(' ').map(|word| if word == "''" { "" } else { word }).collect();
    client.ask(&words)
}

/// What is asked of both sources; `P` is the port of each one's target.
const LINES: &[&str] = &[
    "MIGRATE 127.0.0.1 P k 0",
    "MIGRATE 127.0.0.1 P nokey 0 5000",
    "SET k v",
    "MIGRATE 127.0.0.1 P k x 5000",
    "MIGRATE 127.0.0.1 P k 0 x",
    "MIGRATE 127.0.0.1 P k 0 5000 FOO",
    "MIGRATE 127.0.0.1 P k 0 5000 AUTH",
    "MIGRATE 127.0.0.1 P k 0 5000 AUTH2 x",
    "MIGRATE 127.0.0.1 P k 0 5000 KEYS a b",
    "MIGRATE 127.0.0.1 P '' 0 5000 KEYS",
    "MIGRATE 127.0.0.1 P '' 0 5000",
    "MIGRATE 127.0.0.1 1 k 0 5000",
    "MIGRATE 127.0.0.1 x k 0 5000",
    "MIGRATE 127.0.0.1 P k 0 5000 COPY",
    "MIGRATE 127.0.0.1 P k 0 5000 copy",
    "MIGRATE 127.0.0.1 P k 0 5000",
    "MIGRATE 127.0.0.1 P k 0 5000 REPLACE",
    "EXISTS k",
    "MIGRATE 127.0.0.1 P k 0 0",
    "RPUSH l 1 2 3",
    "MIGRATE 127.0.0.1 P l 3 -1",
    "EXISTS l",
    "SET k v",
    "MIGRATE 127.0.0.1 P k 4 5000 AUTH secret",
    "MIGRATE 127.0.0.1 P k 4 5000 AUTH2 nobody wrong",
    "MSET a 1 b 2 c 3",
    "MIGRATE 127.0.0.1 P b 0 5000 COPY",
    "MIGRATE 127.0.0.1 P '' 0 5000 KEYS a b nokey c",
    "EXISTS a",
    "EXISTS b",
    "EXISTS c",
    "MIGRATE 127.0.0.1 P '' 0 5000 KEYS x y",
    "MIGRATE 127.0.0.1 P '' 0 5000 REPLACE KEYS b y",
    "SET t v EX 10000",
    "MIGRATE 127.0.0.1 P t 0 5000",
    "COMMAND GETKEYS MIGRATE h 1 '' 0 1 KEYS a b",
    "COMMAND GETKEYS MIGRATE h 1 k 0 1",
    "COMMAND GETKEYS MIGRATE h 1 k 0 1 KEYS a",
    "COMMAND GETKEYS MIGRATE h 1 '' 0 1 AUTH KEYS KEYS a",
    "RESTORE-ASKING r 0 x",
];

#[test]
fn only_a_server_of_this_protocol_confirms() {
    let server = Server::start(&[]);
    let mut client = server.connect();
    for answer in ["HTTP/1.1 400 Bad Request\r\n\r\n", "$2\r\nOK\r\n", "+HELLO\r\n+HELLO\r\n"] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let target = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut asked = [0; 512];
            let _ = stream.read(&mut asked);
            let _ = stream.write_all(answer.as_bytes());
            // Until it has been read.
            let _ = stream.read(&mut asked);
        });
        client.ask(&["SET", "k", "v"]);
        let reply = say(&mut client, &format!("MIGRATE 127.0.0.1 {port} k 0 20000"));
        assert_eq!(text(&reply), "IOERR error or timeout reading to target instance", "{answer:?}");
        assert_eq!(say(&mut client, "EXISTS k"), Value::Int(1), "{answer:?}");
        target.join().unwrap();
    }
}

#[test]
fn replies_are_those_of_redis() {
    let Some(theirs) = Oracle::start(&[]) else { return };
    let (Some(a), Some(b)) = (Oracle::start(&[]), Oracle::start(&[])) else { return };
    let server = Server::start(&[]);
    let (mut ours, mut theirs) = (server.connect(), connect(&theirs));
    let (to_a, to_b) = (port(&a), port(&b));
    for line in LINES {
        let left = say(&mut ours, &line.replace(" P ", &format!(" {to_a} ")));
        let right = say(&mut theirs, &line.replace(" P ", &format!(" {to_b} ")));
        assert_eq!(left, right, "{line}");
    }
    let (mut a, mut b) = (connect(&a), connect(&b));
    for line in ["DBSIZE", "GET k", "GET b", "EXISTS a", "GET c", "GET t"] {
        assert_eq!(say(&mut a, line), say(&mut b, line), "{line}");
    }
    assert!(say(&mut a, "TTL t").as_i64().is_some_and(|ttl| (9000..=10000).contains(&ttl)));
}

/// Moves every key of a server, some at a time.
fn move_all(from: &mut Client, rng: &mut Rng, to: &str) {
    for db in 0..4 {
        let db = db.to_string();
        from.ask(&["SELECT", &db]);
        let Value::Array(keys) = from.ask(&["KEYS", "*"]) else { panic!("no keys") };
        let keys: Vec<Vec<u8>> =
            keys.iter().map(|key| key.as_bytes().unwrap_or_default().to_vec()).collect();
        let mut rest = keys.as_slice();
        while !rest.is_empty() {
            let count = 1 + rng.below(150);
            let (some, others) = rest.split_at(count.min(rest.len()));
            rest = others;
            let mut words: Vec<&[u8]> =
                vec![b"MIGRATE", b"127.0.0.1", to.as_bytes(), b"", db.as_bytes(), b"20000"];
            words.push(b"KEYS");
            words.extend(some.iter().map(Vec::as_slice));
            from.send(&wire::request(&words));
            assert_eq!(from.hear(), ok());
        }
        assert_eq!(from.ask(&["DBSIZE"]).as_i64(), Some(0));
    }
}

#[test]
fn everything_moves_to_redis_and_back_and_between_ours() {
    let Some(redis) = Oracle::start(&["--enable-debug-command", "yes"]) else { return };
    let (first, second, mut rng) = (debugging(), debugging(), rng());
    let mut client = first.connect();
    fill(&mut client, &mut rng, 2000);
    let digest = |client: &mut Client| {
        let value = client.ask(&["DEBUG", "DIGEST"]);
        String::from_utf8_lossy(value.as_bytes().unwrap()).into_owned()
    };
    let wanted = digest(&mut client);
    move_all(&mut client, &mut rng, &second.port.to_string());
    let mut other = second.connect();
    assert_eq!(digest(&mut other), wanted);
    move_all(&mut other, &mut rng, &port(&redis));
    let mut theirs = connect(&redis);
    assert_eq!(digest(&mut theirs), wanted);
    move_all(&mut theirs, &mut rng, &first.port.to_string());
    assert_eq!(digest(&mut client), wanted);
}

/// Ends a writer, also when the test fails.
struct Raise<'a>(&'a AtomicBool);

impl Drop for Raise<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn no_write_is_lost_on_the_way() {
    const KEYS: usize = 300;
    let (source, target) = (Server::start(&[]), Server::start(&[]));
    let to = target.port.to_string();
    let done = AtomicBool::new(false);
    let counted: u64 = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..2)
            .map(|n| {
                let (source, done) = (&source, &done);
                scope.spawn(move || {
                    let (mut rng, mut client) = (Rng::new(n + 1), source.connect());
                    let mut counted = 0;
                    while !done.load(Ordering::Relaxed) {
                        let key = format!("n:{}", rng.below(KEYS));
                        client.ask(&["INCR", &key]);
                        counted += 1;
                    }
                    counted
                })
            })
            .collect();
        let end = Raise(&done);
        let mut client = source.connect();
        for n in 0..KEYS {
            let key = format!("n:{n}");
            // What is not there yet comes in a moment, and what changes too often later.
            eventually("a move", || {
                let moved =
                    client.ask(&["MIGRATE", "127.0.0.1", &to, &key, "0", "20000", "REPLACE"]);
                (moved == ok()).then_some(())
            });
        }
        drop(end);
        writers.into_iter().map(|writer| writer.join().unwrap()).sum()
    });
    let mut sum = 0;
    for server in [&source, &target] {
        let mut client = server.connect();
        for n in 0..KEYS {
            let value = client.ask(&["GET", &format!("n:{n}")]);
            let text = value.as_bytes().map(|text| std::str::from_utf8(text).unwrap().to_owned());
            sum += text.map_or(0, |text| text.parse::<u64>().unwrap());
        }
    }
    assert_eq!(sum, counted);
}

#[test]
fn a_target_that_does_not_answer_delays_no_client() {
    let server = Server::start(&[]);
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let to = silent.local_addr().unwrap().port().to_string();
    let mut waiting: Vec<Client> = (0..20).map(|_| server.connect()).collect();
    let number = waiting[0].id();
    for client in &mut waiting {
        client.ask(&["SET", "k", "v"]);
        client.say(&["MIGRATE", "127.0.0.1", &to, "k", "0", "600000"]);
    }
    let (first, _) = silent.accept().unwrap();
    // On both threads, with the very key that is on its way.
    for n in 0..6 {
        let mut client = server.connect();
        assert_eq!(client.ask(&["APPEND", "k", "x"]).as_i64(), Some(n + 2));
        assert_eq!(client.ask(&["CLIENT", "UNBLOCK", &number]).as_i64(), Some(0));
    }
    // A disconnected client is gone; the others get an error when the target is closed.
    drop(waiting.pop());
    drop((first, silent));
    for client in &mut waiting {
        let reply = client.hear();
        let text = text(&reply);
        assert!(text.starts_with("IOERR error or timeout "), "{text}");
    }
    let mut client = server.connect();
    assert_eq!(client.ask(&["STRLEN", "k"]).as_i64(), Some(7));
    // To itself: never deleted, as it is the same key.
    let own = server.port.to_string();
    let reply = client.ask(&["MIGRATE", "127.0.0.1", &own, "k", "0", "20000", "REPLACE"]);
    assert!(text(&reply).starts_with("TRYAGAIN"), "{reply:?}");
    assert_eq!(client.ask(&["STRLEN", "k"]).as_i64(), Some(7));
    assert_eq!(client.ask(&["MIGRATE", "127.0.0.1", &own, "k", "5", "20000"]), ok());
    assert_eq!(client.ask(&["EXISTS", "k"]).as_i64(), Some(0));
    for words in [&["MULTI"][..], &["MIGRATE", "h", "1", "k", "0", "1"]] {
        client.ask(words);
    }
    let Value::Array(replies) = client.ask(&["EXEC"]) else { panic!("no replies") };
    assert_eq!(text(&replies[0]), "ERR MIGRATE cannot run inside a transaction");
}
