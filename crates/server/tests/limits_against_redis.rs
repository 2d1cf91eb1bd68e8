//! What one client may do and take, beside redis-server: the same connections say the same to both
//! and hear the same. From this machine, from elsewhere (another address of the loopback device, as
//! which only `127.0.0.1` counts), and over a Unix socket.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::net::{SocketAddr, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use socket2::{Domain, Type};
use testkit::oracle::Oracle;
use wire::Value;

use crate::server::{Client, Server, Socket, eventually, ok, temporary, text};

/// Both servers, started with the same options.
struct Both {
    ours: Server,
    theirs: Oracle,
    their_port: u16,
    socket: PathBuf,
}

/// Where a client is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum From {
    Here,
    Elsewhere,
    Unix,
}

impl Both {
    fn start(options: &[&str]) -> Option<Self> {
        let theirs = Oracle::start(options)?;
        let socket = temporary("both");
        let own = ["--unixsocket", socket.to_str().unwrap()];
        let ours = Server::start(&[&own[..], options].concat());
        let their_port = theirs.connect().peer_addr().unwrap().port();
        Some(Both { ours, theirs, their_port, socket })
    }

    /// A client of ours, and one of theirs.
    fn connect(&self, from: From) -> [Client; 2] {
        let their_socket = self.theirs.folder().join("socket");
        [(self.ours.port, &*self.socket), (self.their_port, &*their_socket)]
            .map(|(port, path)| Client::new(dial(from, port, path)))
    }

    /// Says the same to both, each line on the same connections; what they hear must be the same.
    fn say(&self, pair: &mut [Client; 2], lines: &[&str]) {
        for line in lines {
            let words: Vec<&str> = line.split(' ').collect();
            let [ours, theirs] = pair.each_mut().map(|client| client.ask(&words));
            assert_eq!(ours, theirs, "{line}");
        }
    }

    /// Sends the same bytes to both on new connections; all they hear must be the same.
    fn send(&self, bytes: &[u8], describe: &str) {
        let [ours, theirs] = self.connect(From::Here).map(|mut client| {
            // A server may close before it has read all.
            let _ = std::io::Write::write_all(&mut client.tcp(), bytes);
            let _ = client.tcp().shutdown(std::net::Shutdown::Write);
            let mut heard = Vec::new();
            while let Some(value) = client.try_hear() {
                heard.push(value);
            }
            heard
        });
        assert_eq!(ours, theirs, "{describe}");
    }
}

fn dial(from: From, port: u16, path: &Path) -> Socket {
    match from {
        From::Here => Socket::Tcp(TcpStream::connect(("127.0.0.1", port)).unwrap()),
        From::Unix => Socket::Unix(UnixStream::connect(path).unwrap()),
        From::Elsewhere => {
            let socket = socket2::Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
            socket.bind(&SocketAddr::from(([127, 0, 0, 2], 0)).into()).unwrap();
            socket.connect(&SocketAddr::from(([127, 0, 0, 1], port)).into()).unwrap();
            Socket::Tcp(socket.into())
        }
    }
}

#[test]
fn gates_open_when_they_should() {
    for gate in ["no", "yes", "local"] {
        let mut options = vec!["--protected-mode", "no"];
        for name in ["debug-command", "module-command", "protected-configs"] {
            options.push(match name {
                "debug-command" => "--enable-debug-command",
                "module-command" => "--enable-module-command",
                _ => "--enable-protected-configs",
            });
            options.push(gate);
        }
        let Some(both) = Both::start(&options) else { return };
        for from in [From::Here, From::Elsewhere, From::Unix] {
            let mut pair = both.connect(from);
            both.say(
                &mut pair,
                &[
                    "DEBUG SLEEP 0",
                    "DEBUG",
                    "MODULE LOAD /nosuch",
                    "MODULE LOADEX /nosuch",
                    "MODULE UNLOAD nosuch",
                    "CONFIG SET dir /",
                    "CONFIG SET dbfilename a/b",
                    "CONFIG SET dbfilename x.rdb",
                    "CONFIG SET maxmemory 1gb dir /",
                    "CONFIG GET maxmemory",
                    "CONFIG SET enable-debug-command yes",
                    "CONFIG SET unixsocketperm 700",
                    "MULTI",
                    "DEBUG SLEEP 0",
                    "EXEC",
                ],
            );
        }
    }
}

#[test]
fn protected_mode_is_that_of_redis() {
    let Some(both) = Both::start(&[]) else { return };
    let refused = || {
        let [ours, theirs] = both.connect(From::Elsewhere).map(|mut client| {
            let heard = client.hear();
            assert_eq!(client.try_hear(), None);
            heard
        });
        assert_eq!(ours, theirs);
    };
    refused();
    for from in [From::Here, From::Unix] {
        both.say(&mut both.connect(from), &["PING"]);
    }
    let mut admin = both.connect(From::Here);
    // A password of the default user lets every client connect; so does the directive.
    both.say(&mut admin, &["CONFIG SET requirepass secret"]);
    both.say(&mut both.connect(From::Elsewhere), &["PING", "AUTH secret", "PING"]);
    both.say(&mut admin, &["ACL SETUSER default nopass"]);
    refused();
    both.say(&mut admin, &["CONFIG SET protected-mode no"]);
    both.say(&mut both.connect(From::Elsewhere), &["PING"]);
    both.say(&mut admin, &["CONFIG SET protected-mode yes"]);
    refused();
}

#[test]
fn the_socket_has_the_mode_it_should() {
    for (option, expected) in [("700", 0o700), ("770", 0o770), ("777", 0o777), ("600", 0o600)] {
        let Some(both) = Both::start(&["--unixsocketperm", option]) else { return };
        for path in [&both.socket, &both.theirs.folder().join("socket")] {
            let mode = eventually("the socket", || std::fs::metadata(path).ok()).permissions();
            let mode = std::os::unix::fs::PermissionsExt::mode(&mode);
            assert_eq!(mode & 0o777, expected, "{}", path.display());
        }
    }
}

#[test]
fn too_many_clients_hear_why() {
    let Some(both) = Both::start(&["--maxclients", "5"]) else { return };
    let mut admin = both.connect(From::Here);
    both.say(&mut admin, &["PING"]);
    let others: Vec<_> = (0..4)
        .map(|_| {
            let mut pair = both.connect(From::Unix);
            both.say(&mut pair, &["PING"]);
            pair
        })
        .collect();
    let refused = || {
        let heard = both.connect(From::Here).map(|mut client| {
            let heard = client.hear();
            assert_eq!(client.try_hear(), None);
            heard
        });
        assert_eq!(heard[0], heard[1]);
    };
    refused();
    // Lowering it closes no connection.
    both.say(&mut admin, &["CONFIG SET maxclients 1", "CONFIG GET maxclients"]);
    refused();
    for mut pair in others {
        both.say(&mut pair, &["PING"]);
    }
    both.say(&mut admin, &["CONFIG SET maxclients 0", "CONFIG SET maxclients x"]);
    // More than there can be files: both say how many there can be, which differs a little.
    let [ours, theirs] = admin.each_mut().map(|client| {
        let said = text(&client.ask(&["CONFIG", "SET", "maxclients", "10000000"]));
        said.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned()
    });
    assert_eq!(ours, theirs);
    both.say(&mut admin, &["CONFIG GET maxclients"]);
}

#[test]
fn requests_may_be_as_long_as_in_redis() {
    let limits = ["--client-query-buffer-limit", "1mb", "--proto-max-bulk-len", "2mb"];
    let Some(both) = Both::start(&limits) else { return };
    for length in [900_000, 1_048_000, 1_048_576, 1_100_000, 1_500_000] {
        let request = wire::request(["SET", "k", &"v".repeat(length)]);
        both.send(&request, &format!("a value of {length}"));
    }
    let mut pair = both.connect(From::Here);
    // What is queued does not count; nor does how long a pipeline is.
    both.say(&mut pair, &["MULTI"]);
    let value = "v".repeat(100_000);
    for _ in 0..20 {
        both.say(&mut pair, &[&format!("SET k {value}")]);
    }
    both.say(&mut pair, &["DISCARD"]);
    let pipeline = wire::request(["SET", "k", &"v".repeat(1000)]).repeat(3000);
    for client in &mut pair {
        let tcp = client.tcp().try_clone().unwrap();
        let sent = pipeline.clone();
        let sender = std::thread::spawn(move || {
            std::io::Write::write_all(&mut &tcp, &sent).unwrap();
        });
        (0..3000).for_each(|_| assert_eq!(client.hear(), ok()));
        sender.join().unwrap();
    }
    for (bytes, what) in [
        (&b"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$2097153\r\n"[..], "a length over the limit"),
        (b"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$-5\r\n", "a negative length"),
        (b"*2147483648\r\n", "too many words"),
        (b"*-5\r\nPING\r\n", "a negative count"),
        (b"*1\r\n+4\r\nPING\r\n", "no dollar"),
        (b"PING 'a\r\n", "open quotes"),
    ] {
        both.send(bytes, what);
    }
    both.send(&[&b"PING "[..], &[b'x'; 70_000]].concat(), "an endless line");
    both.send(&[&b"*"[..], &[b'1'; 70_000]].concat(), "an endless count");
    both.send(&[&b"*1\r\n$"[..], &[b'1'; 70_000]].concat(), "an endless length");
    both.say(
        &mut pair,
        &[
            "SETRANGE k 2097152 x",
            "SETRANGE k 2097151 x",
            "APPEND k x",
            "CONFIG SET proto-max-bulk-len 100",
        ],
    );
}

/// Nothing is answered, and yet it is the request that those before it spoke of.
#[test]
fn a_request_without_words_counts_as_the_next_one() {
    let Some(both) = Both::start(&[]) else { return };
    for empty in ["\r\n", "\n", "  \r\n", "*0\r\n", "*-1\r\n", "*-7\r\n"] {
        let skip = "CLIENT REPLY SKIP\r\n";
        for (request, what) in [
            (format!("{skip}{empty}PING 1\r\nPING 2\r\n"), "one"),
            (format!("{skip}{empty}{empty}PING 1\r\nPING 2\r\n"), "two"),
            (format!("{empty}{skip}PING 1\r\n{empty}PING 2\r\n"), "one behind it"),
            (format!("MULTI\r\n{skip}{empty}EXEC\r\n{empty}PING 1\r\nPING 2\r\n"), "queued"),
            (format!("CLIENT REPLY OFF\r\n{empty}PING 1\r\nCLIENT REPLY ON\r\n"), "silence"),
        ] {
            both.send(request.as_bytes(), &format!("{what}: {}", empty.escape_debug()));
        }
        let optin = "HELLO 3\r\nCLIENT TRACKING ON OPTIN\r\nCLIENT CACHING YES\r\n";
        for request in [
            format!("{optin}{empty}CLIENT TRACKINGINFO\r\n"),
            format!("{optin}MULTI\r\n{empty}CLIENT TRACKINGINFO\r\nEXEC\r\n"),
            format!("{optin}{empty}GET k\r\nSET k v\r\n"),
        ] {
            // Numbers of clients differ.
            let heard = both.connect(From::Here).map(|mut client| {
                client.send(request.as_bytes());
                client.tcp().shutdown(std::net::Shutdown::Write).unwrap();
                std::iter::from_fn(|| client.try_hear()).skip(1).collect::<Vec<_>>()
            });
            assert_eq!(heard[0], heard[1], "{}", request.escape_debug());
        }
    }
}

#[test]
fn an_unauthenticated_client_may_send_little() {
    let Some(both) = Both::start(&["--requirepass", "secret"]) else { return };
    let long = "v".repeat(16_385);
    let auth = wire::request(["AUTH", "secret"]);
    let many = wire::request(["MSET", "a", "1", "b", "2", "c", "3", "d", "4", "e", "5"]);
    both.send(&many, "eleven words");
    both.send(&wire::request(["SET", "k", &long]), "a long word");
    both.send(&wire::request(["SET", "k", &long[1..]]), "a word just short enough");
    both.send(&[auth.clone(), many.clone()].concat(), "eleven words behind AUTH");
    both.send(&[auth, wire::request(["SET", "k", &long])].concat(), "a long word behind AUTH");
    both.send(b"*11\r\n", "eleven words announced");
    both.send(&[&b"PING "[..], long.as_bytes(), b"\r\n"].concat(), "a long line");
}

#[test]
fn silent_connections_are_closed_and_waiting_ones_stay() {
    let Some(both) = Both::start(&["--timeout", "1"]) else { return };
    let mut waiting = both.connect(From::Here);
    waiting.iter_mut().for_each(|client| client.say(&["BLPOP", "list", "0"]));
    let mut listening = both.connect(From::Unix);
    both.say(&mut listening, &["SUBSCRIBE news"]);
    // Redis looks after each client once a second; so do we.
    let begin = Instant::now();
    for mut silent in both.connect(From::Here) {
        silent.closed();
        assert!(begin.elapsed() > Duration::from_secs(1));
    }
    let mut pair = both.connect(From::Here);
    both.say(&mut pair, &["CONFIG SET timeout 0", "RPUSH list x", "PUBLISH news x"]);
    let [ours, theirs] = waiting.each_mut().map(Client::hear);
    assert_eq!(ours, theirs);
    let [ours, theirs] = listening.each_mut().map(Client::hear);
    assert_eq!(ours, theirs);
}

#[test]
fn keepalive_is_set_as_told() {
    let Some(both) = Both::start(&["--tcp-keepalive", "0"]) else { return };
    let mut admin = both.connect(From::Here);
    both.say(
        &mut admin,
        &["CONFIG GET tcp-keepalive", "CONFIG SET tcp-keepalive 60", "CONFIG GET tcp-keepalive"],
    );
    both.say(&mut admin, &["CONFIG SET tcp-keepalive -1", "CONFIG SET tcp-keepalive 2147483648"]);
    // The kernel shows a timer of probes for sockets that have one: `02` in its table.
    let probed = |port: u16, peer: u16| {
        let table = std::fs::read_to_string("/proc/net/tcp").unwrap();
        let ends = format!("0100007F:{port:04X} 0100007F:{peer:04X} 01");
        let line = table.lines().find(|line| line.contains(&ends));
        line.unwrap_or_else(|| panic!("{ends} in\n{table}"))
            .split_whitespace()
            .nth(5)
            .is_some_and(|timer| timer.starts_with("02"))
    };
    let shown = |client: &Client| {
        let tcp = client.tcp();
        probed(tcp.peer_addr().unwrap().port(), tcp.local_addr().unwrap().port())
    };
    let mut later = both.connect(From::Here);
    both.say(&mut later, &["PING"]);
    for client in &later {
        eventually("a timer of probes", || shown(client).then_some(()));
    }
}

/// Classes and their limits, hard and soft, are read and shown as Redis does.
#[test]
fn output_limits_are_told_the_same() {
    let Some(both) = Both::start(&[]) else { return };
    let mut admin = both.connect(From::Here);
    let name = "client-output-buffer-limit";
    for value in [
        "normal 1mb 100kb 1",
        "slave 0 0 0",
        "replica 10mb 1mb 60",
        "pubsub 1 2",
        "pubsub 1 2 -3",
        "nosuch 1 2 3",
        "master 1 2 3",
        "normal 1k 2k 3 pubsub 4k 5k 6",
        "normal 1x 2 3",
    ] {
        let said = admin.each_mut().map(|client| client.ask(&["CONFIG", "SET", name, value]));
        assert_eq!(said[0], said[1], "{value}");
        both.say(&mut admin, &["CONFIG GET client-output-buffer-limit"]);
    }
}

/// A client that reads nothing is closed at the hard limit at once, and at the soft limit after its
/// seconds; one that reads stays. The kernel's buffers come first, so nothing is said about bytes.
#[test]
fn a_client_that_does_not_read_is_closed_as_in_redis() {
    let Some(both) = Both::start(&[]) else { return };
    let mut admin = both.connect(From::Here);
    let big = "v".repeat(1_000_000);
    both.say(&mut admin, &[&format!("RPUSH list {big}")]);
    for (limit, least) in [("normal 4mb 0 0", 0), ("normal 0 1mb 1", 1)] {
        for client in &mut admin {
            let set = ["CONFIG", "SET", "client-output-buffer-limit", limit];
            assert_eq!(client.ask(&set), ok());
        }
        for (at, mut client) in both.connect(From::Here).into_iter().enumerate() {
            let id = client.id();
            let begin = Instant::now();
            client.send(&wire::request(["LRANGE", "list", "0", "-1"]).repeat(40));
            eventually("the end of who does not read", || {
                let list = text(&admin[at].ask(&["CLIENT", "LIST", "ID", &id]));
                list.is_empty().then_some(())
            });
            assert!(begin.elapsed() >= Duration::from_secs(least));
        }
    }
    let mut reading = both.connect(From::Here);
    for client in &mut reading {
        client.send(&wire::request(["LRANGE", "list", "0", "-1"]).repeat(40));
        for _ in 0..40 {
            assert!(matches!(client.hear(), Value::Array(_)));
        }
    }
    both.say(&mut reading, &["PING"]);
}
