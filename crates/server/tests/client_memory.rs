//! `maxmemory-clients`: when all clients together take too much, the largest go. The same scenes
//! are played by redis-server; how much a client takes differs, which clients are evicted does not.
#![allow(clippy::unwrap_used)] // a test says why by failing

use testkit::oracle::Oracle;
use wire::Value;

use crate::calls::Calls;
use crate::frames::{DATA, Raw, announced, frame, head};
use crate::host::Host;
use crate::server::{Client, Server, eventually, ok, text};
use crate::web::Web;

/// Plays a scene on ours, and on redis-server if there is one.
fn on_both(options: &[&str], scene: impl Fn(&Host)) {
    scene(&Host::Ours(Server::start(options)));
    if let Some(oracle) = Oracle::start(options) {
        scene(&Host::Theirs(oracle));
    }
}

/// A client that stays whatever happens.
fn safe(host: &Host) -> Client {
    let mut client = host.connect();
    assert_eq!(client.ask(&["CLIENT", "NO-EVICT", "ON"]), ok());
    client
}

fn field(client: &mut Client, name: &str) -> usize {
    let all = text(&client.ask(&["INFO", "everything"]));
    let line = all.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    line.unwrap_or_else(|| panic!("no {name}")).parse().unwrap()
}

/// A field of CLIENT LIST; `None` if there is no such client.
fn listed(client: &mut Client, id: &str, name: &str) -> Option<usize> {
    let line = text(&client.ask(&["CLIENT", "LIST", "ID", id]));
    let pairs = &mut line.split_whitespace();
    pairs.find_map(|pair| pair.strip_prefix(name)?.strip_prefix('=')?.parse().ok())
}

/// Has a client take about so many bytes, by a transaction.
fn fatten(client: &mut Client, bytes: usize) {
    client.ask(&["MULTI"]);
    let value = "v".repeat(bytes / 4);
    for _ in 0..4 {
        assert_eq!(text(&client.ask(&["SET", "k", &value])), "QUEUED");
    }
}

fn limit(admin: &mut Client, limit: &str) {
    assert_eq!(admin.ask(&["CONFIG", "SET", "maxmemory-clients", limit]), ok());
}

#[test]
fn the_largest_go_and_no_more_than_must() {
    on_both(&[], |host| {
        let mut admin = safe(host);
        let mut others: Vec<Client> = (1..=4).map(|_| host.connect()).collect();
        for (client, megabytes) in others.iter_mut().zip([1, 8, 1, 4]) {
            fatten(client, megabytes << 20);
        }
        // Redis sorts by powers of two and counts free room: sizes are far enough apart.
        limit(&mut admin, "6mb");
        eventually("two are gone", || (field(&mut admin, "evicted_clients") == 2).then_some(()));
        for (at, client) in others.iter_mut().enumerate() {
            if at % 2 == 1 {
                client.closed();
            } else {
                assert_eq!(client.ask(&["DISCARD"]), ok());
            }
        }
        assert_eq!(field(&mut admin, "evicted_clients"), 2);
        assert!(field(&mut admin, "mem_clients_normal") < 6 << 20);
        assert_eq!(admin.ask(&["CONFIG", "RESETSTAT"]), ok());
        assert_eq!(field(&mut admin, "evicted_clients"), 0);
    });
}

/// Each way in which a client can take memory, as CLIENT LIST shows it and the limit sees it.
#[test]
fn everything_a_client_takes_counts() {
    let long = |n: usize| format!("{n:05}{}", "x".repeat(3000));
    type Take = fn(&mut Client, &dyn Fn(usize) -> String);
    let ways: &[(&str, Take)] = &[
        ("a request that does not end", |client, _| {
            client.send(b"*2\r\n$3\r\nGET\r\n$9000000\r\n");
            client.send(&[b'v'; 2_000_000]);
        }),
        ("a request of many words", |client, _| {
            client.send(b"*1000000\r\n");
            client.send(&b"$1\r\nx\r\n".repeat(300_000));
        }),
        ("a queue of commands", |client, _| fatten(client, 2 << 20)),
        ("replies that are not read", |client, _| {
            client.send(&wire::request(["GETRANGE", "big", "0", "-1"]).repeat(30));
        }),
    ];
    on_both(&[], |host| {
        let mut admin = safe(host);
        assert_eq!(admin.ask(&["SETRANGE", "big", "999999", "x"]), Value::Int(1_000_000));
        for (what, take) in ways {
            limit(&mut admin, "0");
            let mut client = host.connect();
            let id = client.id();
            take(&mut client, &long);
            eventually(what, || {
                listed(&mut admin, &id, "tot-mem").filter(|&bytes| bytes > 1_500_000)
            });
            limit(&mut admin, "1mb");
            client.closed();
            eventually(what, || listed(&mut admin, &id, "id").is_none().then_some(()));
        }
    });
    // In Redis names are shared and only pointers to them count.
    let more: &[(&str, Take)] = &[
        ("channels", |client, name| {
            (0..500).for_each(|at| drop(client.ask(&["SUBSCRIBE", &name(at)])));
        }),
        ("patterns", |client, name| {
            (0..500).for_each(|at| drop(client.ask(&["PSUBSCRIBE", &name(at)])));
        }),
        ("watched keys", |client, name| {
            (0..500).for_each(|at| drop(client.ask(&["WATCH", &name(at)])));
        }),
        ("prefixes of keys", |client, name| {
            client.ask(&["HELLO", "3"]);
            for at in 0..500 {
                let words = ["CLIENT", "TRACKING", "ON", "BCAST", "PREFIX", &name(at)];
                assert_eq!(client.ask(&words), ok());
            }
        }),
        ("a request that waits", |client, name| {
            client.say(&["BLPOP", &name(0).repeat(500), "0"]);
        }),
    ];
    let host = Host::Ours(Server::start(&[]));
    let mut admin = safe(&host);
    for (what, take) in more {
        limit(&mut admin, "0");
        let mut client = host.connect();
        let id = client.id();
        let before = listed(&mut admin, &id, "tot-mem").unwrap();
        take(&mut client, &long);
        eventually(what, || {
            listed(&mut admin, &id, "tot-mem").filter(|&bytes| bytes > before + 1_400_000)
        });
        limit(&mut admin, "1mb");
        client.closed();
        eventually(what, || listed(&mut admin, &id, "id").is_none().then_some(()));
    }
    // Nothing of disconnected clients is left in the account.
    eventually("an even account", || {
        let clients = field(&mut admin, "mem_clients_normal");
        let own = admin.id();
        (listed(&mut admin, &own, "tot-mem")? >= clients && clients < 10_000).then_some(())
    });
}

#[test]
fn a_client_that_must_not_be_evicted_stays_and_counts() {
    on_both(&[], |host| {
        let mut admin = safe(host);
        let mut safe = safe(host);
        fatten(&mut safe, 2 << 20);
        let mut small = host.connect();
        assert_eq!(text(&small.ask(&["PING"])), "PONG");
        limit(&mut admin, "1mb");
        // No other client is left, and it is not enough.
        small.closed();
        assert_eq!(safe.ask(&["DISCARD"]), ok());
        // Now there is room again.
        eventually("room", || {
            let mut client = host.connect();
            client.say(&["PING"]);
            client.try_hear().map(|_| ())
        });
        fatten(&mut safe, 2 << 20);
        assert_eq!(text(&safe.ask(&["CLIENT", "NO-EVICT", "OFF"])), "QUEUED");
        assert_eq!(safe.ask(&["DISCARD"]), ok());
        assert_eq!(safe.ask(&["CLIENT", "NO-EVICT", "OFF"]), ok());
        safe.ask(&["MULTI"]);
        let value = "v".repeat(1 << 20);
        safe.say(&["SET", "k", &value]);
        safe.closed();
    });
}

#[test]
fn a_share_of_maxmemory_is_a_limit() {
    on_both(&["--maxmemory-clients", "10%"], |host| {
        let mut admin = safe(host);
        let mut client = host.connect();
        fatten(&mut client, 2 << 20);
        // No maxmemory, no limit.
        assert_eq!(client.ask(&["DISCARD"]), ok());
        fatten(&mut client, 2 << 20);
        assert_eq!(admin.ask(&["CONFIG", "SET", "maxmemory", "15mb"]), ok());
        client.closed();
        let mut client = host.connect();
        fatten(&mut client, 1 << 20);
        assert_eq!(client.ask(&["DISCARD"]), ok());
        // A limit that would let no client speak is one of 128 kB.
        limit(&mut admin, "1");
        let mut client = host.connect();
        assert_eq!(text(&client.ask(&["PING"])), "PONG");
        for (value, error) in [("101%", "less or equal to 100"), ("-1", "memory or percent value")]
        {
            let said = text(&admin.ask(&["CONFIG", "SET", "maxmemory-clients", value]));
            assert!(said.contains(error), "{said}");
        }
    });
}

/// Many that grow at the same time, on all threads: the sum has a bound, and a client that is small
/// all the time stays.
#[test]
fn a_crowd_of_growing_clients_is_bounded() {
    let server = Server::start(&["--maxmemory-clients", "8mb"]);
    let mut admin = server.connect();
    assert_eq!(admin.ask(&["CLIENT", "NO-EVICT", "ON"]), ok());
    let mut small: Vec<Client> = (0..50).map(|_| server.connect()).collect();
    let most = std::thread::scope(|scope| {
        let growing: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    let value = "v".repeat(20_000);
                    let mut ends = 0;
                    while ends < 5 {
                        let mut client = server.connect();
                        let words = wire::request(["SET", "k", &value]);
                        let tcp = client.tcp();
                        let grow = || {
                            std::io::Write::write_all(&mut &*tcp, b"*1\r\n$5\r\nMULTI\r\n")?;
                            (0..1000)
                                .try_for_each(|_| std::io::Write::write_all(&mut &*tcp, &words))
                        };
                        if grow().is_err() {
                            ends += 1;
                        } else {
                            client.closed();
                            ends += 1;
                        }
                    }
                })
            })
            .collect();
        let mut most = 0;
        while growing.iter().any(|thread| !thread.is_finished()) {
            most = most.max(field(&mut admin, "mem_clients_normal"));
        }
        most
    });
    // What has not been told to go is over the limit by what a turn of each thread can bring.
    // Beside it is what has been told: on each of the two threads, when the system does not let it
    // run, at most what that thread had until then, the limit and a turn. Without a limit it would
    // be 160 MB.
    assert!(most < 4 * (8 << 20), "{most}");
    for client in &mut small {
        assert_eq!(text(&client.ask(&["PING"])), "PONG");
    }
    assert!(field(&mut admin, "evicted_clients") >= 40);
    server.logged("Evicting client: id=");
}

/// The largest value in these tests.
const BIG: usize = 16 << 20;

/// What clients take has come to be so many bytes more than before, or less than that many.
fn grows(admin: &mut Client, what: &str, before: usize, bytes: usize) {
    eventually(what, || (field(admin, "mem_clients_normal") >= before + bytes).then_some(()));
    // It is part of what `maxmemory` sees.
    assert!(field(admin, "used_memory") >= before + bytes);
}

fn shrinks(admin: &mut Client, what: &str, before: usize) {
    eventually(what, || (field(admin, "mem_clients_normal") < before + 20_000).then_some(()));
}

#[test]
fn what_calls_over_grpc_take_counts() {
    const GET: &str = "/kvist.v1.KvistService/Get";
    let calls = Calls::start(&[]);
    let mut admin = calls.server.connect();
    assert_eq!(admin.ask(&["CLIENT", "NO-EVICT", "ON"]), ok());
    admin.ask(&["SET", "big", &"v".repeat(1_000_000)]);
    let before = field(&mut admin, "mem_clients_normal");
    let mut idle = Raw::connect(calls.port);
    grows(&mut admin, "a connection", before, 40 << 10);
    // Messages that do not end.
    for n in 0..200 {
        let stream = 2 * n + 1;
        let half = announced(4000, &[b'x'; 2000]);
        idle.send(&[head(stream, GET, &[]), frame(DATA, 0, stream, &half)].concat());
    }
    grows(&mut admin, "calls", before, 200 * (2000 + (3 << 10)));
    drop(idle);
    shrinks(&mut admin, "the end of them", before);
    // Answers that are not taken.
    let ask = |raw: &mut Raw| {
        for n in 0..30 {
            let stream = 2 * n + 1;
            let get = announced(5, &[0x0a, 3, b'b', b'i', b'g']);
            raw.send(&[head(stream, GET, &[]), frame(DATA, 1, stream, &get)].concat());
        }
    };
    let mut lazy = Raw::connect(calls.port);
    ask(&mut lazy);
    grows(&mut admin, "answers", before, 29_000_000);
    // The largest client goes.
    let mut other = calls.server.connect();
    assert_eq!(text(&other.ask(&["PING"])), "PONG");
    limit(&mut admin, "8mb");
    lazy.closed();
    shrinks(&mut admin, "the end of them", before);
    assert_eq!(text(&other.ask(&["PING"])), "PONG");
    assert_eq!(field(&mut admin, "evicted_clients"), 1);
}

#[test]
fn what_requests_over_http_take_counts() {
    let web = Web::start(&[]);
    let mut admin = web.server.connect();
    assert_eq!(admin.ask(&["CLIENT", "NO-EVICT", "ON"]), ok());
    admin.ask(&["SET", "big", &"v".repeat(BIG)]);
    let before = field(&mut admin, "mem_clients_normal");
    let mut lazy = web.connect();
    assert_eq!(lazy.ask("GET /health", "").status, 200);
    grows(&mut admin, "a connection", before, 32 << 10);
    lazy.say("GET /api/v1/records/big", "");
    grows(&mut admin, "an answer", before, BIG);
    limit(&mut admin, "8mb");
    lazy.closed();
    shrinks(&mut admin, "the end of it", before);
    assert_eq!(field(&mut admin, "evicted_clients"), 1);
}

/// A statement counts from its body on, and what it is answered until the peer has taken it.
#[test]
fn what_statements_over_http_take_counts() {
    let web = Web::start(&[]);
    let mut admin = web.server.connect();
    assert_eq!(admin.ask(&["CLIENT", "NO-EVICT", "ON"]), ok());
    let before = field(&mut admin, "mem_clients_normal");
    let text = "x".repeat(400_000);
    // As many rows as are longer than what the system takes of an answer at once.
    let body = format!(
        r#"{{"query": "UNWIND range(1, {}) AS x RETURN $a", "parameters": {{"a": "{text}"}}}}"#,
        2 * BIG / text.len()
    );
    let statement = "POST /api/v1/graph/g/query";
    for takes_it in [true, false] {
        let mut lazy = web.connect();
        lazy.say(statement, &body);
        // It has been made then.
        assert_eq!(lazy.hear_head().status, 200);
        grows(&mut admin, "an answer", before, 2 * BIG - text.len());
        if takes_it {
            lazy.send("GET /health HTTP/1.1\r\nConnection: close\r\n\r\n");
            assert!(lazy.closed().len() > 2 * BIG - text.len());
        } else {
            limit(&mut admin, "8mb");
            assert!(lazy.closed().len() < 2 * BIG - text.len());
        }
        shrinks(&mut admin, "the end of it", before);
    }
    assert_eq!(field(&mut admin, "evicted_clients"), 1);
    limit(&mut admin, "0");
    // One that waits is there once, beside what it waits in.
    admin.ask(&["CLIENT", "PAUSE", "1000000", "WRITE"]);
    let body = format!(r#"{{"query": "CREATE ()", "parameters": {{"a": "{text}"}}}}"#);
    let mut waits = web.connect();
    waits.say(statement, &body);
    eventually("a wait", || web.server.has_blocked(1).then_some(()));
    grows(&mut admin, "a statement", before, text.len());
    drop(waits);
    shrinks(&mut admin, "the end of it", before);
}
