//! Over real sockets and several threads: a monitor sees all requests, a paused client waits for
//! the end whichever thread it is on.

// In a test a panic is how a failure is told.
#![allow(clippy::unwrap_used)]

use std::time::{Duration, Instant};

use wire::Value;

use crate::server::{self, Client, Server, Socket, bulk, eventually, ok};

/// The next line of a monitor without its time, its database and its client.
fn line(monitor: &mut Client) -> String {
    let heard = monitor.hear();
    let Value::Simple(bytes) = &heard else { panic!("{heard:?} is no line") };
    let line = String::from_utf8(bytes.clone()).unwrap();
    let (_, words) = line.split_once("] ").unwrap();
    words.to_owned()
}

#[test]
fn a_monitor_hears_every_thread_and_each_client_in_its_order() {
    let server = Server::start(&["--io-threads", "4"]);
    let mut monitor = server.connect();
    assert_eq!(monitor.ask(&["HELLO", "3"]).as_error(), None);
    assert_eq!(monitor.ask(&["MONITOR"]), ok());
    const CLIENTS: usize = 8;
    const EACH: usize = 500;
    let mut clients: Vec<Client> = (0..CLIENTS).map(|_| server.connect()).collect();
    for (number, client) in clients.iter_mut().enumerate() {
        let mut requests = Vec::new();
        for n in 0..EACH {
            wire::encode(&mut requests, ["SET", &format!("k{number}"), &n.to_string()]);
        }
        client.send(&requests);
    }
    for client in &mut clients {
        for _ in 0..EACH {
            assert_eq!(client.hear(), ok());
        }
    }
    let mut next = [0; CLIENTS];
    for _ in 0..CLIENTS * EACH {
        let heard = line(&mut monitor);
        let number = (0..CLIENTS).find(|n| heard.starts_with(&format!("\"SET\" \"k{n}\" ")));
        let number = number.unwrap_or_else(|| panic!("{heard}"));
        assert_eq!(heard, format!("\"SET\" \"k{number}\" \"{}\"", next[number]));
        next[number] += 1;
    }
    assert_eq!(monitor.ask(&["RESET"]), Value::Simple(b"RESET".to_vec()));
    clients[0].ask(&["PING"]);
    assert_eq!(monitor.ask(&["GET", "k0"]), bulk("499"));
}

#[test]
fn a_monitor_that_does_not_read_is_closed_at_its_limit() {
    let server = Server::start(&["--client-output-buffer-limit", "normal 1mb 0 0"]);
    let mut monitor = server.connect();
    let mut other = server.connect();
    let id = monitor.id();
    assert_eq!(monitor.ask(&["MONITOR"]), ok());
    let long = "x".repeat(100_000);
    // The kernel takes some megabytes before anything is kept.
    eventually("closing", || {
        other.ask(&["SET", "k", &long]);
        let list = other.ask(&["CLIENT", "LIST", "ID", &id]);
        list.as_bytes().unwrap().is_empty().then_some(())
    });
    assert_eq!(server.info(&mut other, "client_output_buffer_limit_disconnections"), "1");
    assert_eq!(other.ask(&["STRLEN", "k"]), Value::Int(100_000));
}

#[test]
fn a_unix_socket_is_told_by_its_path() {
    let path = server::temporary("monitored");
    let server = Server::start(&["--unixsocket", path.to_str().unwrap()]);
    let mut monitor = server.connect();
    assert_eq!(monitor.ask(&["MONITOR"]), ok());
    let socket = std::os::unix::net::UnixStream::connect(&path).unwrap();
    let mut client = Client::new(Socket::Unix(socket));
    client.ask(&["PING"]);
    let heard = monitor.hear();
    let Value::Simple(bytes) = &heard else { panic!("{heard:?}") };
    let text = String::from_utf8(bytes.clone()).unwrap();
    assert!(text.ends_with(&format!(" [0 unix:{}] \"PING\"", path.display())), "{text}");
}

/// Waits until so many clients wait.
fn waiting(server: &Server, other: &mut Client, count: &str) {
    eventually("waiting", || (server.info(other, "blocked_clients") == count).then_some(()));
}

#[test]
fn paused_clients_of_all_threads_go_on_in_their_order() {
    let server = Server::start(&["--io-threads", "4"]);
    let mut other = server.connect();
    assert_eq!(other.ask(&["CLIENT", "PAUSE", "600000", "WRITE"]), ok());
    let mut clients: Vec<Client> = (0..8).map(|_| server.connect()).collect();
    for (n, client) in clients.iter_mut().enumerate() {
        let key = format!("list{n}");
        let mut requests = wire::request(["PING"]);
        for word in ["a", "b", "c"] {
            wire::encode(&mut requests, ["RPUSH", &key, word]);
        }
        wire::encode(&mut requests, ["LRANGE", &key, "0", "-1"]);
        client.send(&requests);
        assert_eq!(client.hear(), Value::Simple(b"PONG".to_vec()));
    }
    waiting(&server, &mut other, "8");
    // Comes while the others wait.
    for client in &mut clients {
        client.say(&["ECHO", "last"]);
    }
    assert_eq!(other.ask(&["EXISTS", "list0"]), Value::Int(0));
    let list = other.ask(&["CLIENT", "LIST"]);
    let list = String::from_utf8(list.as_bytes().unwrap().to_vec()).unwrap();
    assert_eq!(list.matches(" flags=b ").count(), 8, "{list}");
    assert_eq!(other.ask(&["CLIENT", "UNPAUSE"]), ok());
    for client in &mut clients {
        for length in 1..=3 {
            assert_eq!(client.hear(), Value::Int(length));
        }
        assert_eq!(client.hear(), Value::Array(vec![bulk("a"), bulk("b"), bulk("c")]));
        assert_eq!(client.hear(), bulk("last"));
    }
    waiting(&server, &mut other, "0");
}

/// Processor time of the server in clock ticks.
fn ticks(server: &Server) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", server.id())).unwrap();
    let (_, behind) = stat.rsplit_once(") ").unwrap();
    let field = |at: usize| behind.split(' ').nth(at - 3).unwrap().parse::<u64>().unwrap();
    field(14) + field(15)
}

#[test]
fn a_pause_ends_by_itself_and_costs_no_processor_time() {
    let server = Server::start(&[]);
    let mut other = server.connect();
    let mut clients: Vec<Client> = (0..4).map(|_| server.connect()).collect();
    let start = Instant::now();
    let before = ticks(&server);
    assert_eq!(other.ask(&["CLIENT", "PAUSE", "1500", "ALL"]), ok());
    for client in &mut clients {
        client.say(&["PING"]);
        // One more event of the socket, which must not wake a thread again and again.
        client.say(&["PING"]);
    }
    other.say(&["CLIENT", "UNPAUSE"]);
    for client in &mut clients {
        assert_eq!(client.hear(), Value::Simple(b"PONG".to_vec()));
        assert_eq!(client.hear(), Value::Simple(b"PONG".to_vec()));
    }
    // All waited, including the one that would have ended it.
    assert!(start.elapsed() >= Duration::from_millis(1490), "{:?}", start.elapsed());
    assert_eq!(other.hear(), ok());
    // A worker that spins takes 100 ticks per second.
    let spent = ticks(&server) - before;
    assert!(spent < 75, "{spent} ticks in a pause of 1.5 s");
}

#[test]
fn a_client_that_disconnects_while_paused_changes_nothing() {
    let server = Server::start(&[]);
    let mut other = server.connect();
    assert_eq!(other.ask(&["CLIENT", "PAUSE", "600000", "WRITE"]), ok());
    let mut leaving = server.connect();
    leaving.say(&["SET", "k", "v"]);
    waiting(&server, &mut other, "1");
    drop(leaving);
    waiting(&server, &mut other, "0");
    assert_eq!(other.ask(&["CLIENT", "UNPAUSE"]), ok());
    assert_eq!(other.ask(&["EXISTS", "k"]), Value::Int(0));
}

/// Once PAUSE has answered, nothing changes: not even by a request that had begun before.
#[test]
fn nothing_changes_once_a_pause_has_been_answered() {
    let server = Server::start(&["--io-threads", "4"]);
    let mut other = server.connect();
    let mut writers: Vec<Client> = (0..4).map(|_| server.connect()).collect();
    let mut sent = 0;
    for round in 0..20 {
        for writer in &mut writers {
            let mut requests = Vec::new();
            for _ in 0..200 {
                wire::encode(&mut requests, ["INCR", "n"]);
            }
            writer.send(&requests);
            sent += 200;
        }
        assert_eq!(other.ask(&["CLIENT", "PAUSE", "600000", "WRITE"]), ok());
        let seen = other.ask(&["GET", "n"]);
        for _ in 0..20 {
            assert_eq!(other.ask(&["GET", "n"]), seen, "round {round}");
        }
        assert_eq!(other.ask(&["CLIENT", "UNPAUSE"]), ok());
        for writer in &mut writers {
            for _ in 0..200 {
                writer.hear();
            }
        }
    }
    assert_eq!(other.ask(&["GET", "n"]), bulk(sent.to_string()));
}

#[test]
fn memory_goes_back_and_the_allocator_speaks() {
    let server = Server::start(&[]);
    let mut client = server.connect();
    let text = client.ask(&["MEMORY", "MALLOC-STATS"]);
    assert!(text.as_bytes().unwrap().len() > 100, "{text:?}");
    let value = "x".repeat(1000);
    for n in 0..200 {
        let mut requests = Vec::new();
        for m in 0..200 {
            wire::encode(&mut requests, ["SET", &format!("k{n}:{m}"), &value]);
        }
        client.send(&requests);
        for _ in 0..200 {
            assert_eq!(client.hear(), ok());
        }
    }
    let resident = |server: &Server, client: &mut Client| -> u64 {
        server.info(client, "used_memory_rss").parse().unwrap()
    };
    let full = resident(&server, &mut client);
    client.ask(&["FLUSHALL"]);
    eventually("memory going back", || {
        assert_eq!(client.ask(&["MEMORY", "PURGE"]), ok());
        (resident(&server, &mut client) + (20 << 20) < full).then_some(())
    });
}
