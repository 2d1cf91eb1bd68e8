//! Clients that wait: blocked requests, pushed messages, and what stands behind them.

// In a test a panic is how a failure is told.
#![allow(clippy::unwrap_used)]

use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use socket2::SockRef;
use wire::Value;

use crate::server::{Client, Server, Socket, bulk, eventually, ok, temporary};

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

/// So it is with a statement that runs, whatever stands behind it.
#[test]
fn a_statement_ends_when_its_client_leaves() {
    const LONG: &str = "UNWIND range(1, 100000) AS x UNWIND range(1, 100000) AS y
                        WITH x, y WHERE x = -y RETURN x";
    let server = Server::start(&["--query-threads", "2"]);
    let mut other = server.connect();
    for behind in [vec![], b"*1".to_vec(), wire::request(["PING"]).repeat(10_000)] {
        for is_reset in [false, true] {
            let mut client = server.connect();
            client.say(&["GRAPH.QUERY", "g", LONG]);
            blocked(&server, &mut other, "1");
            client.send(&behind);
            if is_reset {
                SockRef::from(client.tcp()).set_linger(Some(Duration::ZERO)).unwrap();
            }
            drop(client);
            blocked(&server, &mut other, "0");
        }
    }
}

#[test]
fn what_another_thread_works_at_is_answered_though_no_more_is_sent() {
    let server = Server::start(&[]);
    let mut client = server.connect();
    let mut requests = wire::request(["SAVE"]);
    wire::encode(&mut requests, ["SET", "k", "v"]);
    client.send(&requests);
    client.tcp().shutdown(std::net::Shutdown::Write).unwrap();
    assert_eq!((client.hear(), client.hear()), (ok(), ok()));
    client.closed();
    assert_eq!(server.connect().ask(&["GET", "k"]), bulk("v"));
}

/// A connection that breaks takes along what has not begun for it; one that has only said its last
/// is answered.
#[test]
fn what_waits_for_a_thread_goes_when_its_connection_breaks() {
    let (folder, path) = (temporary("breaks"), temporary("breaks-socket"));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("kvist.conf");
    std::fs::write(&file, "").unwrap();
    let server = Server::start(&[file.to_str().unwrap(), "--unixsocket", path.to_str().unwrap()]);
    let mut other = server.connect();
    std::fs::remove_file(&file).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&file).status().unwrap().success());
    let mut ask = |mut client: Client, count| {
        client.say(&["CONFIG", "REWRITE"]);
        eventually("the request", || {
            (server.asking(&mut other, "config|rewrite") == count).then_some(())
        });
        client
    };
    // As many as there are threads for files, each of which has one.
    let begun: Vec<Client> = (1..=4).map(|n| ask(server.connect(), n)).collect();
    let listening = ask(server.connect(), 5);
    let reset = ask(server.connect(), 6);
    let closed = ask(Client::new(Socket::Unix(UnixStream::connect(&path).unwrap())), 7);
    listening.tcp().shutdown(std::net::Shutdown::Write).unwrap();
    SockRef::from(reset.tcp()).set_linger(Some(Duration::ZERO)).unwrap();
    drop((reset, closed));
    eventually("their end", || (server.info(&mut other, "connected_clients") == "6").then_some(()));
    // Waits until it is read.
    std::fs::write(&file, "").unwrap();
    for mut client in begun.into_iter().chain([listening]) {
        assert_eq!(client.hear(), ok());
    }
    let _ = (std::fs::remove_dir_all(&folder), std::fs::remove_file(&path));
}

/// Whatever becomes of the connection it came by.
#[test]
fn a_shutdown_goes_on_when_its_connection_breaks() {
    let mut server = Server::start(&[]);
    let mut client = server.connect();
    assert_eq!(client.ask(&["SET", "k", "v"]), ok());
    client.say(&["SHUTDOWN", "SAVE"]);
    SockRef::from(client.tcp()).set_linger(Some(Duration::ZERO)).unwrap();
    // Not before it has been read: what a reset finds unread is lost.
    eventually("the request", || server.log().contains("asked to shut down").then_some(()));
    drop(client);
    assert!(server.ended().success());
}

/// Requests that add to a list, so many bytes of them at least; and how many they are.
fn pushes(bytes: usize) -> (Vec<u8>, usize) {
    let one = wire::request(["RPUSH", "behind", "1"]);
    let count = bytes / one.len() + 1;
    (one.repeat(count), count)
}

#[test]
fn a_waiting_client_that_leaves_much_behind_is_gone_with_it() {
    let server = Server::start(&[]);
    let mut other = server.connect();
    // More than the sockets' buffers have room for, so that the end is not seen without reading on.
    let (requests, _) = pushes(12 << 20);
    for first in [["BLPOP", "list", "0"], ["SET", "list", "x"]] {
        let is_paused = first[0] == "SET";
        if is_paused {
            assert_eq!(other.ask(&["CLIENT", "PAUSE", "1000000", "WRITE"]), ok());
        }
        let mut leaving = server.connect();
        leaving.say(&first);
        leaving.send(&requests);
        drop(leaving);
        eventually("the client to be gone", || {
            (server.info(&mut other, "connected_clients") == "1").then_some(())
        });
        if is_paused {
            assert_eq!(other.ask(&["CLIENT", "UNPAUSE"]), ok());
        }
        assert_eq!(other.ask(&["RPUSH", "list", "x"]), Value::Int(1));
        assert_eq!(other.ask(&["LPOP", "list"]), bulk("x"));
        assert_eq!(other.ask(&["EXISTS", "behind"]), Value::Int(0));
    }
}

#[test]
fn what_comes_behind_a_request_that_waits_runs_in_its_order_when_it_has_ended() {
    let server = Server::start(&[]);
    let (mut other, mut client) = (server.connect(), server.connect());
    let (requests, count) = pushes(3 << 20);
    // One that is much longer than a read, in the middle.
    let long = "x".repeat(1 << 20);
    client.say(&["BLPOP", "list", "0"]);
    client.send(&requests);
    client.say(&["SET", "long", &long]);
    client.say(&["BLPOP", "list", "0"]);
    client.say(&["RPUSH", "behind", "1"]);
    blocked(&server, &mut other, "1");
    assert_eq!(other.ask(&["RPUSH", "list", "x"]), Value::Int(1));
    assert_eq!(client.hear(), Value::Array(vec![bulk("list"), bulk("x")]));
    for n in 1..=count {
        assert_eq!(client.hear().as_i64(), Some(i64::try_from(n).unwrap()));
    }
    assert_eq!(client.hear(), ok());
    assert_eq!(other.ask(&["STRLEN", "long"]), Value::Int(1 << 20));
    assert_eq!(other.ask(&["RPUSH", "list", "y"]), Value::Int(1));
    assert_eq!(client.hear(), Value::Array(vec![bulk("list"), bulk("y")]));
    assert_eq!(client.hear().as_i64(), Some(i64::try_from(count + 1).unwrap()));
}

#[test]
fn more_behind_a_request_that_waits_than_a_client_may_send_closes_it() {
    let server = Server::start(&["--client-query-buffer-limit", "1mb"]);
    let (mut other, mut client) = (server.connect(), server.connect());
    client.say(&["BLPOP", "list", "0"]);
    blocked(&server, &mut other, "1");
    let (requests, _) = pushes(3 << 20);
    let socket = client.tcp().try_clone().unwrap();
    // It is closed in the middle.
    let _ = std::io::Write::write_all(&mut &socket, &requests);
    eventually("the client to be gone", || {
        (server.info(&mut other, "connected_clients") == "1").then_some(())
    });
    assert_eq!(other.ask(&["EXISTS", "behind"]), Value::Int(0));
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
