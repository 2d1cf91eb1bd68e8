//! Bytes in, bytes out: whatever way a client cuts its requests and takes its replies.

// In a test a panic is how a failure is told.
#![allow(clippy::unwrap_used)]

use std::io::Write;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use wire::Value;

use crate::server::{
    self, Client, PATIENCE, Server, Socket, bulk, eventually, ok, temporary, text,
};

#[test]
fn a_request_may_come_byte_by_byte() {
    let server = Server::start(&[]);
    let mut client = server.connect();
    let mut request = wire::request(["SET", "key", "value\r\nwith a line break"]);
    request.extend(b"PING\r\n");
    request.extend(wire::request(["GET", "key"]));
    for byte in request {
        client.send(&[byte]);
    }
    assert_eq!(client.hear(), ok());
    assert_eq!(client.hear(), Value::Simple(b"PONG".to_vec()));
    assert_eq!(client.hear(), bulk("value\r\nwith a line break"));
}

#[test]
fn ten_thousand_commands_in_one_go() {
    let server = Server::start(&[]);
    let mut client = server.connect();
    let mut requests = Vec::new();
    for n in 0..10_000 {
        wire::encode(&mut requests, ["SET", &format!("key:{n}"), &format!("value:{n}")]);
        wire::encode(&mut requests, ["GET", &format!("key:{n}")]);
    }
    let tcp = client.tcp().try_clone().unwrap();
    let writer = std::thread::spawn(move || (&tcp).write_all(&requests).unwrap());
    for n in 0..10_000 {
        assert_eq!(client.hear(), ok());
        assert_eq!(client.hear(), bulk(format!("value:{n}")));
    }
    writer.join().unwrap();
}

#[test]
fn any_time_between_probes_lets_clients_in() {
    let server = Server::start(&["--tcp-keepalive", "2147483647"]);
    let mut client = server.connect();
    assert_eq!(client.ask(&["CONFIG", "SET", "tcp-keepalive", "32768"]), ok());
    assert_eq!(server.connect().ask(&["PING"]), Value::Simple(b"PONG".to_vec()));
    let kept = client.ask(&["CONFIG", "GET", "tcp-keepalive"]);
    assert_eq!(kept, Value::Array(vec![bulk("tcp-keepalive"), bulk("32768")]));
}

/// What is small must not wait for the acknowledgement of what went before: with Nagle's algorithm
/// and a peer that acknowledges late, each of these rounds would take 40 ms, but for the first,
/// which the kernel acknowledges at once. On a busy machine any may take as long, so many quick
/// ones in a row are waited for: where every second round stalls, or half of them by chance, so
/// many never come.
#[test]
fn small_replies_do_not_stall() {
    let server = Server::start(&[]);
    let (mut client, mut other) = (server.connect(), server.connect());
    let batch = wire::request(["INCR", "n"]).repeat(10);
    let (mut quick, mut longest, mut round) = ([0; 2], [0; 2], 0);
    let deadline = Instant::now() + 3 * PATIENCE;
    while longest.iter().any(|rounds| *rounds < 20) {
        assert!(Instant::now() < deadline, "of {round} rounds so many in a row: {longest:?}");
        let first = round < 50;
        let mut count = |way: usize, start: Instant| {
            let is_quick = !first && start.elapsed() < Duration::from_millis(35);
            quick[way] = if is_quick { quick[way] + 1 } else { 0 };
            longest[way] = quick[way].max(longest[way]);
        };
        let start = Instant::now();
        client.send(&batch);
        for n in 1..=10 {
            assert_eq!(client.hear(), Value::Int(round * 10 + n));
        }
        count(0, start);
        let start = Instant::now();
        // One send that is answered in two: the second when another client has pushed.
        let mut requests = wire::request(["ECHO", "x"]);
        wire::encode(&mut requests, ["BLPOP", "list", "0"]);
        client.send(&requests);
        assert_eq!(client.hear(), bulk("x"));
        assert_eq!(other.ask(&["RPUSH", "list", "y"]), Value::Int(1));
        assert_eq!(client.hear(), Value::Array(vec![bulk("list"), bulk("y")]));
        count(1, start);
        round += 1;
    }
}

/// Without a pipeline a request costs what its system calls cost: one read and one write, however
/// many clients there are. A read more, which finds nothing, would cost a tenth of it.
#[test]
fn a_request_that_comes_alone_costs_one_read_and_one_write() {
    for options in [&["--io-threads", "1"], &["--io-threads", "2"]] {
        let server = Server::start(options);
        let mut asking = server.connect();
        let mut clients: Vec<Client> = (0..20).map(|_| server.connect()).collect();
        clients
            .iter_mut()
            .for_each(|client| assert_eq!(client.ask(&["SET", "key", "value"]), ok()));
        let mut calls =
            |what: &str| server.info(&mut asking, what).parse::<u64>().expect("a number");
        let before = [calls("total_reads_processed"), calls("total_writes_processed")];
        for _ in 0..50 {
            // All of them at once, and one by one.
            clients.iter_mut().for_each(|client| client.send(&wire::request(["GET", "key"])));
            clients.iter_mut().for_each(|client| assert_eq!(client.hear(), bulk("value")));
            for client in &mut clients {
                assert_eq!(client.ask(&["GET", "key"]), bulk("value"));
            }
        }
        let after = [calls("total_reads_processed"), calls("total_writes_processed")];
        // Two INFO among them.
        assert_eq!([after[0] - before[0], after[1] - before[1]], [2002, 2002], "{options:?}");
    }
}

#[test]
fn what_one_protocol_writes_every_other_reads() {
    let path = temporary("all");
    let server = Server::start(&["--unixsocket", path.to_str().unwrap()]);
    let mut resp2 = server.connect();
    let mut resp3 = Client::new(Socket::Unix(UnixStream::connect(&path).unwrap()));
    resp3.ask(&["HELLO", "3"]);
    let mut inline = server.connect();
    inline.send(b"SET inline 1\r\n");
    assert_eq!(inline.hear(), ok());
    assert_eq!(resp2.ask(&["SET", "resp2", "2"]), ok());
    assert_eq!(resp3.ask(&["SET", "resp3", "3"]), ok());
    for (key, value) in [("inline", "1"), ("resp2", "2"), ("resp3", "3")] {
        assert_eq!(resp2.ask(&["GET", key]), bulk(value));
        assert_eq!(resp3.ask(&["GET", key]), bulk(value));
        inline.send(format!("GET {key}\r\n").as_bytes());
        assert_eq!(inline.hear(), bulk(value));
    }
}

#[test]
fn values_of_ten_megabytes() {
    let server = Server::start(&[]);
    let mut client = server.connect();
    let value: Vec<u8> = (0..10_000_000u32).map(|n| (n.wrapping_mul(7919) >> 8) as u8).collect();
    let mut requests = wire::request([&b"SET"[..], b"big", &value]);
    wire::encode(&mut requests, ["STRLEN", "big"]);
    wire::encode(&mut requests, ["GET", "big"]);
    wire::encode(&mut requests, ["PING"]);
    // In pieces of awkward lengths.
    for piece in requests.chunks(77_777) {
        client.send(piece);
    }
    assert_eq!(client.hear(), ok());
    assert_eq!(client.hear(), Value::Int(10_000_000));
    assert!(client.hear() == bulk(&value), "the value came back changed");
    assert_eq!(client.hear(), Value::Simple(b"PONG".to_vec()));
    // Nothing of it stays in the connection: 26 bytes are this very request.
    let list = client.ask(&["CLIENT", "LIST"]);
    let list = String::from_utf8(list.as_bytes().unwrap().to_vec()).unwrap();
    assert!(list.contains(" qbuf=26 qbuf-free=0 ") && list.contains(" obl=0 "), "{list}");
}

#[test]
fn an_announced_length_takes_no_memory() {
    let server = Server::start(&[]);
    let mut other = server.connect();
    let before: u64 = server.info(&mut other, "used_memory").parse().unwrap();
    let mut clients: Vec<Client> = (0..50).map(|_| server.connect()).collect();
    for client in &mut clients {
        client.send(b"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$500000000\r\n");
        client.send(&[b'x'; 100_000]);
    }
    let qbuf = |list: &str| list.matches("name=").count();
    eventually("all of it", || {
        let list = other.ask(&["CLIENT", "LIST"]);
        let list = String::from_utf8(list.as_bytes().unwrap().to_vec()).unwrap();
        let filled = list.lines().filter(|line| line.contains(" qbuf=100032 ")).count();
        (qbuf(&list) == 51 && filled == 50).then_some(())
    });
    let after: u64 = server.info(&mut other, "used_memory").parse().unwrap();
    assert!(after - before < 50 * 400_000, "{before} -> {after}");
    drop(clients);
    eventually("the memory's return", || {
        let now: u64 = server.info(&mut other, "used_memory").parse().unwrap();
        (now < before + 100_000).then_some(())
    });
}

#[test]
fn a_client_that_has_said_its_last_hears_its_replies() {
    let server = Server::start(&[]);
    let mut client = server.connect();
    let value = "v".repeat(3_000_000);
    assert_eq!(client.ask(&["SET", "k", &value]), ok());
    for _ in 0..5 {
        client.say(&["GET", "k"]);
    }
    client.tcp().shutdown(Shutdown::Write).unwrap();
    for _ in 0..5 {
        assert_eq!(client.hear(), bulk(&value));
    }
    assert_eq!(client.try_hear(), None);
}

#[test]
fn clients_that_vanish_are_forgotten() {
    let server = Server::start(&[]);
    let mut watcher = server.connect();
    let mut gone: Vec<Client> = (0..20).map(|_| server.connect()).collect();
    for (n, client) in gone.iter_mut().enumerate() {
        match n % 4 {
            0 => client.send(b"*2\r\n$3\r\nGET\r\n$100\r\nhalf"),
            1 => client.say(&["BLPOP", "nothing", "0"]),
            2 => client.say(&["SUBSCRIBE", "news"]),
            _ => client.say(&["WATCH", "k"]),
        }
    }
    eventually("blocked clients", || {
        (server.info(&mut watcher, "blocked_clients") == "5").then_some(())
    });
    drop(gone);
    eventually("their end", || {
        let clients = server.info(&mut watcher, "connected_clients") == "1";
        let blocked = server.info(&mut watcher, "blocked_clients") == "0";
        (clients && blocked).then_some(())
    });
    // The element is not given to a client that has gone.
    assert_eq!(watcher.ask(&["RPUSH", "nothing", "x"]), Value::Int(1));
    assert_eq!(watcher.ask(&["LLEN", "nothing"]), Value::Int(1));
    assert_eq!(watcher.ask(&["PUBLISH", "news", "x"]), Value::Int(0));
}

/// What CLIENT LIST shows of a client in some of its fields.
fn listed<const N: usize>(asking: &mut Client, id: &str, fields: [&str; N]) -> [usize; N] {
    let Value::Bulk(line) = asking.ask(&["CLIENT", "LIST", "ID", id]) else { panic!("no list") };
    let line = String::from_utf8(line).unwrap();
    fields.map(|field| {
        let text =
            line.split_whitespace().find_map(|pair| pair.strip_prefix(field)?.strip_prefix('='));
        text.unwrap_or_else(|| panic!("{field} in {line}")).parse().unwrap()
    })
}

#[test]
fn client_list_tells_what_a_client_takes() {
    let server = Server::start(&[]);
    let mut asking = server.connect();
    let fields = ["qbuf", "argv-mem", "multi-mem", "rbs", "obl", "oll", "omem"];
    let Value::Bulk(own) = asking.ask(&["CLIENT", "INFO"]) else { panic!("no line") };
    // As Redis shows it: the request itself is 26 bytes long, its words are 10.
    let own = String::from_utf8(own).unwrap();
    assert!(own.contains(" multi=-1 qbuf=26 qbuf-free="), "{own}");
    assert!(own.contains(" argv-mem=10 multi-mem=0 "), "{own}");

    let mut queueing = server.connect();
    let id = queueing.id();
    assert_eq!(listed(&mut asking, &id, fields), [0; 7]);
    queueing.ask(&["MULTI"]);
    queueing.ask(&["SET", "k", &"v".repeat(5000)]);
    let [queued] = listed(&mut asking, &id, ["multi-mem"]);
    assert!((5000..6000).contains(&queued), "{queued}");
    queueing.ask(&["EXEC"]);
    assert_eq!(listed(&mut asking, &id, fields), [0; 7]);

    let mut halting = server.connect();
    let id = halting.id();
    halting.send(b"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$9000\r\nbegin");
    eventually("half a request", || {
        let [kept, free, total] = listed(&mut asking, &id, ["qbuf", "qbuf-free", "tot-mem"]);
        (kept == 32 && total > kept + free).then_some(())
    });

    let mut slow = server.connect();
    let id = slow.id();
    slow.send(&wire::request(["ECHO", &"v".repeat(1_000_000)]).repeat(20));
    eventually("replies that wait", || {
        let [first, room, pieces, behind, peak, total] =
            listed(&mut asking, &id, ["obl", "rbs", "oll", "omem", "rbp", "tot-mem"]);
        let plausible = room >= first && peak >= room && total >= room + behind;
        (plausible && first > 0 && pieces > 0 && behind > 0).then_some(())
    });
    for _ in 0..20 {
        slow.hear();
    }
    // What was written is told after the last write of a turn: it may have been read before that.
    eventually("nothing that waits", || (listed(&mut asking, &id, fields) == [0; 7]).then_some(()));
}

#[test]
fn a_slow_reader_is_cut_off_at_the_hard_limit() {
    let server = Server::start(&["--client-output-buffer-limit", "normal", "8mb", "0", "0"]);
    let mut other = server.connect();
    assert_eq!(other.ask(&["SET", "k", &"v".repeat(1_000_000)]), ok());
    let mut slow = server.connect();
    let requests = wire::request(["GET", "k"]).repeat(100);
    slow.send(&requests);
    server.logged("overcoming of output buffer limits");
    slow.closed();
    assert_eq!(other.ask(&["PING"]), Value::Simple(b"PONG".to_vec()));
}

#[test]
fn a_slow_reader_is_cut_off_when_it_stays_over_the_soft_limit() {
    let server = Server::start(&["--client-output-buffer-limit", "normal", "0", "1mb", "1"]);
    let mut other = server.connect();
    assert_eq!(other.ask(&["SET", "k", &"v".repeat(1_000_000)]), ok());
    // One that reads in time stays.
    let mut reader = server.connect();
    reader.send(&wire::request(["GET", "k"]).repeat(30));
    for _ in 0..30 {
        reader.hear();
    }
    let mut slow = server.connect();
    slow.send(&wire::request(["GET", "k"]).repeat(30));
    server.logged("overcoming of output buffer limits");
    assert_eq!(reader.ask(&["PING"]), Value::Simple(b"PONG".to_vec()));
}

#[test]
fn a_slow_subscriber_is_cut_off() {
    let server = Server::start(&["--client-output-buffer-limit", "pubsub", "1mb", "0", "0"]);
    let mut slow = server.connect();
    slow.ask(&["SUBSCRIBE", "news"]);
    let mut publisher = server.connect();
    let message = "m".repeat(100_000);
    eventually("the subscriber's end", || {
        (publisher.ask(&["PUBLISH", "news", &message]) == Value::Int(0)).then_some(())
    });
    server.logged("overcoming of output buffer limits");
}

#[test]
fn an_endless_request_is_cut_off() {
    let server = Server::start(&["--client-query-buffer-limit", "1mb"]);
    let mut client = server.connect();
    let mut request = b"*2\r\n$3\r\nGET\r\n$100000000\r\n".to_vec();
    request.resize(2_000_000, b'x');
    // The server may close while this is being sent.
    let _ = client.tcp().write_all(&request);
    server.logged("reached max query buffer length");
    client.closed();
}

#[test]
fn a_broken_protocol_is_told_and_closed() {
    let server = Server::start(&[]);
    let mut client = server.connect();
    client.send(b"PING\r\n*1\r\n!oops\r\nPING\r\n");
    assert_eq!(client.hear(), Value::Simple(b"PONG".to_vec()));
    assert_eq!(client.hear(), Value::Error(b"ERR Protocol error: expected '$', got '!'".to_vec()));
    assert_eq!(client.try_hear(), None);
}

#[test]
fn quit_is_answered_before_the_end() {
    let server = Server::start(&[]);
    let mut client = server.connect();
    client.send(b"PING\r\nQUIT\r\nPING\r\n");
    assert_eq!(client.hear(), Value::Simple(b"PONG".to_vec()));
    assert_eq!(client.hear(), ok());
    assert_eq!(client.try_hear(), None);
}

#[test]
fn a_thousand_clients() {
    crowd(1000);
}

#[test]
#[ignore = "needs 20,000 open files"]
fn ten_thousand_clients() {
    crowd(9900);
}

fn crowd(size: usize) {
    let server = Server::start(&[]);
    let mut clients: Vec<Client> = (0..size).map(|_| server.connect()).collect();
    for (n, client) in clients.iter_mut().enumerate() {
        client.say(&["SET", &format!("k{n}"), &n.to_string()]);
        client.say(&["GET", &format!("k{n}")]);
    }
    for (n, client) in clients.iter_mut().enumerate() {
        assert_eq!(client.hear(), ok());
        assert_eq!(client.hear(), bulk(n.to_string()));
    }
    let connected = server.info(&mut clients[0], "connected_clients");
    assert_eq!(connected, size.to_string());
    let mut first = clients.swap_remove(0);
    drop(clients);
    eventually("their end", || (server.info(&mut first, "connected_clients") == "1").then_some(()));
}

#[test]
fn unix_sockets_work_like_tcp() {
    let path = temporary("socket");
    // A file left by a server that is no more is not in the way.
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    let text = path.to_str().unwrap();
    let mut server = Server::start(&["--unixsocket", text, "--unixsocketperm", "700"]);
    let mode =
        std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&path).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o700);
    let mut client = Client::new(Socket::Unix(UnixStream::connect(&path).unwrap()));
    assert_eq!(client.ask(&["SET", "k", "v"]), ok());
    assert_eq!(server.connect().ask(&["GET", "k"]), bulk("v"));
    let list = client.ask(&["CLIENT", "LIST"]);
    let list = String::from_utf8(list.as_bytes().unwrap().to_vec()).unwrap();
    assert!(list.contains(&format!("addr={text}:0 laddr={text}:0 ")), "{list}");
    // A second server does not steal a socket in use.
    let mut second = Server::launch(server::free_port(), &["--unixsocket", text]);
    assert_eq!(second.ended().code(), Some(1));
    second.logged("Address already in use");
    assert_eq!(client.ask(&["PING"]), Value::Simple(b"PONG".to_vec()));
    server.signal("TERM");
    assert!(server.ended().success());
    assert!(!path.exists());
}

#[test]
fn more_than_maxclients_are_refused() {
    let server = Server::start(&["--maxclients", "10"]);
    let mut clients: Vec<Client> = (0..10).map(|_| server.connect()).collect();
    for client in &mut clients {
        assert_eq!(client.ask(&["PING"]), Value::Simple(b"PONG".to_vec()));
    }
    let mut eleventh = server.connect();
    assert_eq!(eleventh.hear(), Value::Error(b"ERR max number of clients reached".to_vec()));
    assert_eq!(eleventh.try_hear(), None);
    assert_eq!(server.info(&mut clients[0], "rejected_connections"), "1");
    clients.pop();
    eventually("room", || {
        let mut client = server.connect();
        client.send(b"PING\r\n");
        client.try_hear().filter(|reply| *reply == Value::Simple(b"PONG".to_vec()))
    });
    // The limit follows the configuration.
    assert_eq!(clients[0].ask(&["CONFIG", "SET", "maxclients", "20"]), ok());
    let more: Vec<Client> = (0..5).map(|_| server.connect()).collect();
    for mut client in more {
        assert_eq!(client.ask(&["PING"]), Value::Simple(b"PONG".to_vec()));
    }
}

#[test]
fn idle_clients_are_closed_but_not_waiting_ones() {
    let server = Server::start(&["--timeout", "1"]);
    let mut waiting = server.connect();
    waiting.say(&["BLPOP", "list", "0"]);
    let mut listening = server.connect();
    listening.ask(&["SUBSCRIBE", "news"]);
    let mut idle = server.connect();
    let start = Instant::now();
    idle.ask(&["PING"]);
    idle.closed();
    assert!(start.elapsed() > Duration::from_secs(1));
    let mut other = server.connect();
    assert_eq!(other.ask(&["RPUSH", "list", "x"]), Value::Int(1));
    assert_eq!(waiting.hear(), Value::Array(vec![bulk("list"), bulk("x")]));
    assert_eq!(other.ask(&["PUBLISH", "news", "x"]), Value::Int(1));
}

#[test]
fn new_connections_do_not_wait_for_a_thread_that_is_busy() {
    // One on each thread: that which accepts, and the other.
    for at in [0, 1] {
        let server = Server::start(&["--io-threads", "2", "--enable-debug-command", "yes"]);
        let mut clients = [server.connect(), server.connect()];
        for client in &mut clients {
            assert_eq!(client.ask(&["PING"]), Value::Simple(b"PONG".to_vec()));
        }
        let id = clients[at].id();
        // Longer than any client here waits for an answer.
        clients[at].say(&["DEBUG", "SLEEP", "100"]);
        // A client that connects before it has begun may be its thread's already.
        eventually("the sleep", || {
            let line = text(&clients[1 - at].ask(&["CLIENT", "LIST", "ID", &id]));
            line.contains("cmd=debug").then_some(())
        });
        for _ in 0..8 {
            assert_eq!(server.connect().ask(&["PING"]), Value::Simple(b"PONG".to_vec()));
        }
        assert_eq!(clients[at].unread(Duration::ZERO), 0, "it sleeps");
    }
}
