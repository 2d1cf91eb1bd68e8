//! What callers may take: before they have authenticated, while what they send does not come, and
//! in replies. The same rules at every door.

#![allow(clippy::unwrap_used)] // a test says why by failing

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use base::Rng;
use futures_util::future::select_all;
use grpc::generated::kvist as pb;
use grpc::generated::kvist::watch_response::Kind as WatchKind;
use tokio_stream::StreamExt;
use tonic::Code::Unauthenticated;

use crate::calls::{Calls, Kvist, bytes, refused, until};
use crate::frames::{self, DATA, END, GOAWAY, Raw, announced, frame, head};
use crate::secured::Pki;
use crate::server::{self, PATIENCE, Server, eventually, ok, text};
use crate::web::{self, Web};

const GET: &str = "/kvist.v1.KvistService/Get";
const WATCH_HEALTH: &str = "/grpc.health.v1.Health/Watch";

/// Bytes of memory that a process has for itself: pages of its program and libraries, which come
/// with whatever runs first, are not among them.
fn resident(server: &Server) -> usize {
    memory(server, "RssAnon:")
}

/// Bytes that it has asked the system for, whether it has touched them or not.
fn reserved(server: &Server) -> usize {
    memory(server, "VmData:")
}

fn memory(server: &Server, which: &str) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(which)).unwrap();
    line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() << 10
}

/// The same when all threads have begun: they do so while the first clients are served already.
fn resident_at_rest(server: &Server) -> usize {
    // One for each of its threads.
    let mut clients = [(); 2].map(|()| server.connect());
    clients.iter_mut().for_each(|client| drop(client.ask(&["PING"])));
    eventually("an end of what every start takes", || {
        let before = resident(server);
        std::thread::sleep(Duration::from_millis(50));
        Some(before).filter(|&before| before == resident(server))
    })
}

/// Whether an answer says this number of a status.
fn says(frames: &[frames::Frame], code: u8) -> bool {
    // The names of headers come compressed or not; a status is the only number of its kind.
    let huffman = [0x01, [0x07, 0x0f, 0x17, 0x67, 0x6b][usize::from(code).min(4)]];
    frames.iter().any(|frame| {
        frame.kind == frames::HEADERS
            && (frame.bytes.windows(2).any(|two| two == [1, b'0' + code] || two == huffman)
                || frame.bytes.windows(3).any(|three| three == [0x82, 0, 0]))
    })
}

#[test]
fn unauthenticated_clients_that_announce_and_send_much_take_little() {
    let calls = Calls::start(&["--requirepass", "secret"]);
    let mut kept = Vec::new();
    let mut knock = |bytes: usize| {
        let some = vec![b'x'; bytes];
        let mut raws: Vec<Raw> = (0..30).map(|_| Raw::connect(calls.port)).collect();
        for raw in &mut raws {
            for n in 0..60 {
                let stream = 2 * n + 1;
                let half = announced(4 << 20, &some);
                raw.send(&[head(stream, GET, &[]), frame(DATA, 0, stream, &half)].concat());
            }
        }
        for raw in &mut raws {
            // All were answered, whatever was still to come.
            raw.ended(119);
        }
        kept.append(&mut raws);
    };
    // What connections and calls take, whatever comes of them.
    knock(1);
    let before = resident(&calls.server);
    knock(16_000);
    let grown = resident(&calls.server).saturating_sub(before);
    assert!(grown < 16 << 20, "{} MiB for unauthenticated", grown >> 20);
}

#[test]
fn what_is_announced_is_not_reserved() {
    let calls = Calls::start(&["--grpc-max-message-size", "64mb"]);
    let mut raws: Vec<Raw> = (0..8).map(|_| Raw::connect(calls.port)).collect();
    let before = (resident_at_rest(&calls.server), reserved(&calls.server));
    for raw in &mut raws {
        for n in 0..100 {
            let stream = 2 * n + 1;
            let half = announced(64 << 20, b"x");
            raw.send(&[head(stream, GET, &[]), frame(DATA, 0, stream, &half)].concat());
        }
        // One more than may be is refused by its head.
        let long = announced(u32::MAX, b"x");
        raw.send(&[head(201, GET, &[]), frame(DATA, 0, 201, &long)].concat());
        raw.ended(201);
    }
    // What eight hundred calls take, whatever they announce.
    let grown = resident(&calls.server).saturating_sub(before.0);
    assert!(grown < 12 << 20, "{} MiB for what was announced", grown >> 20);
    // What is asked for and not touched is no resident memory: less than a single one of them.
    let asked = reserved(&calls.server).saturating_sub(before.1);
    assert!(asked < 64 << 20, "{} MiB were reserved", asked >> 20);
    // A message in pieces arrives.
    let raw = &mut raws[0];
    let stream = 203;
    let message = announced(3, &[0x0a, 1, b'k']);
    raw.send(&head(stream, GET, &[]));
    for byte in &message[..7] {
        raw.send(&frame(DATA, 0, stream, &[*byte]));
    }
    raw.send(&frame(DATA, END, stream, &message[7..]));
    let frames = raw.ended(stream);
    assert!(frames.iter().any(|frame| frame.kind == DATA), "{frames:?}");
}

#[test]
fn bodies_that_do_not_come_are_given_up() {
    let calls = Calls::start(&["--request-body-timeout", "1"]);
    let mut raw = Raw::connect(calls.port);
    // Nothing, half a message, and a whole one in a call that does not end.
    for (stream, some) in [(1, &b""[..]), (3, &announced(10, b"x")), (5, &announced(0, b""))] {
        raw.send(&head(stream, GET, &[]));
        raw.send(&frame(DATA, 0, stream, some));
        raw.ended(stream);
    }
    // A batch may be silent for as long as it likes, but not inside a message.
    raw.send(&head(7, "/kvist.v1.KvistService/Batch", &[]));
    raw.send(&frame(DATA, 0, 7, &[announced(0, b""), announced(5, b"x")].concat()));
    raw.ended(7);

    let web = Web::start(&["--request-body-timeout", "1"]);
    let mut http = web.connect();
    http.say("PUT /api/v1/records/k\nContent-Length: 10", "");
    http.send("{");
    assert_eq!(http.hear().status, 408);
    http.closed();
}

#[test]
fn calls_without_credentials_are_few() {
    let calls = Calls::start(&["--requirepass", "secret"]);
    let mut raw = Raw::connect(calls.port);
    for stream in (1..).step_by(2).take(8) {
        raw.send(&head(stream, WATCH_HEALTH, &[]));
        raw.send(&frame(DATA, END, stream, &announced(0, b"")));
    }
    raw.send(&head(17, WATCH_HEALTH, &[]));
    raw.send(&frame(DATA, END, 17, &announced(0, b"")));
    let refused = raw.ended(17);
    assert!(says(&refused, 8) || refused.iter().all(|frame| frame.kind != DATA), "{refused:?}");
    // An authenticated client may have more.
    raw.send(&head(19, GET, &[("x-api-key", "secret")]));
    raw.send(&frame(DATA, END, 19, &announced(3, &[0x0a, 1, b'k'])));
    assert!(raw.ended(19).iter().any(|frame| frame.kind == DATA));
    raw.send(&head(21, WATCH_HEALTH, &[]));
    raw.send(&frame(DATA, END, 21, &announced(0, b"")));
    while !raw.next().is_some_and(|frame| frame.stream == 21 && frame.kind == DATA) {}
}

#[test]
fn an_unauthenticated_client_is_closed() {
    let args = ["--requirepass", "secret", "--unauthenticated-timeout", "1"];
    let calls = Calls::start(&args);
    let server = &calls.server;
    let mut known = server.connect();
    assert_eq!(known.ask(&["AUTH", "secret"]), ok());
    let mut unauthenticated = server.connect();
    assert!(text(&unauthenticated.ask(&["GET", "k"])).starts_with("NOAUTH"));
    unauthenticated.closed();
    let mut raw = Raw::connect(calls.port);
    raw.send(&head(1, WATCH_HEALTH, &[]));
    raw.send(&frame(DATA, END, 1, &announced(0, b"")));
    let mut farewell = false;
    while let Some(frame) = raw.next() {
        farewell |= frame.kind == GOAWAY;
    }
    assert!(farewell);
    Raw::silent(calls.port).closed();
    assert_eq!(known.ask(&["SET", "k", "v"]), ok());
}

#[test]
fn handshakes_have_an_end() {
    let pki = Pki::new();
    let server = pki.start(&["--unauthenticated-timeout", "1"]);
    let mut socket = server.socket();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    socket.write_all(&[0x16, 3, 1]).unwrap();
    assert_eq!(socket.read(&mut [0; 100]).unwrap_or(0), 0);
}

#[test]
fn unauthenticated_clients_share_little_memory() {
    let server = Server::start(&["--requirepass", "secret", "--unauthenticated-memory", "1mb"]);
    // As much as one may send, never to its end.
    let words = format!("$16384\r\n{}\r\n", "x".repeat(16_384)).repeat(9);
    let half = format!("*10\r\n{words}");
    let mut unauthenticated: Vec<TcpStream> = (0..20)
        .map(|_| {
            let mut unauthenticated = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
            let _ = unauthenticated.write_all(half.as_bytes());
            unauthenticated.set_read_timeout(Some(Duration::from_millis(5))).unwrap();
            unauthenticated
        })
        .collect();
    let mut left = unauthenticated.len();
    eventually("the end of most", || {
        unauthenticated.retain_mut(|unauthenticated| match unauthenticated.read(&mut [0; 10]) {
            Ok(n) => n > 0,
            Err(error) => error.kind() == std::io::ErrorKind::WouldBlock,
        });
        left = unauthenticated.len();
        (left <= 7).then_some(())
    });
    assert!(left >= 5, "{left} have room");
    drop(unauthenticated);
    // There is room again.
    eventually("room", || {
        let mut client = server.connect();
        client.send(b"*2\r\n$4\r\nAUTH\r\n$6\r\nsecret\r\n");
        (client.try_hear()? == ok()).then_some(())
    });
}

#[test]
fn each_call_is_authenticated_against_the_current_users() {
    let calls = Calls::start(&["--grpc-api-key", "k3y", "--grpc-api-key-user", "app"]);
    let mut resp = calls.server.connect();
    let rules = ["on", ">pw", "~*", "&*", "+@all"];
    let mut set = |words: &[&str]| {
        let words = [&["ACL", "SETUSER", "app"], words].concat();
        assert_eq!(resp.ask(&words), ok());
    };
    set(&rules);
    let key = || Kvist::new(calls.line().with("x-api-key", "k3y").unwrap());
    // app:pw
    let basic = || Kvist::new(calls.line().with("authorization", "Basic YXBwOnB3").unwrap());
    let get = || pb::GetRequest { key: bytes("k"), database: 0 };
    let watch = || pb::WatchRequest { prefixes: vec![bytes("")], ..pb::WatchRequest::default() };
    for (mut client, before, after) in [
        (key(), &["on"][..], &["off"][..]),
        (basic(), &["on"], &["off"]),
        (basic(), &["resetpass", ">pw"], &["resetpass", ">other"]),
    ] {
        set(before);
        calls.run(client.get(get())).unwrap();
        let mut watch_stream = calls.run(client.watch(watch())).unwrap().into_inner();
        let first = calls.run(watch_stream.next()).unwrap().unwrap().kind;
        assert!(matches!(first, Some(WatchKind::Started(_))));
        set(after);
        // The next call, and what goes on without one.
        assert_eq!(refused(calls.run(client.get(get()))).0, Unauthenticated);
        let end = calls.run(watch_stream.next()).unwrap();
        assert_eq!(refused(end).0, Unauthenticated);
        // It may come back, through the same connection.
        set(before);
        calls.run(client.get(get())).unwrap();
    }
    // What waits for a key ends, too.
    let mut client = key();
    let mut waiting = client.clone();
    let mut admin = calls.server.connect();
    let off = async {
        let pop = ["BLPOP", "q", "0"].map(bytes).to_vec();
        let request = pb::ExecuteRequest { words: pop, database: 0 };
        let wait = waiting.execute(request);
        let turn_off = async {
            until("a wait", || calls.server.has_blocked(1)).await;
            admin.ask(&["ACL", "SETUSER", "app", "off"]);
        };
        tokio::join!(wait, turn_off).0
    };
    assert_eq!(refused(calls.run(off)).0, Unauthenticated);
    // Deleted, and made anew.
    admin.ask(&["ACL", "DELUSER", "app"]);
    eventually("a refusal", || calls.run(client.get(get())).err());
    admin.ask(&["ACL", "SETUSER", "app", "on", ">pw", "~*", "+@all"]);
    calls.run(key().get(get())).unwrap();
}

#[test]
fn answers_over_http_end_with_their_credentials() {
    let web = Web::start(&[]);
    let mut redis = web.server.connect();
    redis.ask(&["ACL", "SETUSER", "app", "on", ">pw", "~*", "+@all"]);
    let value = "x".repeat(20_000);
    for n in 0..3000 {
        redis.say(&["SET", &format!("k{n:05}"), &value]);
        redis.hear();
    }
    let mut http = web.connect();
    http.say("GET /api/v1/records/range\nAuthorization: Basic YXBwOnB3", "");
    let mut first = [0; 100];
    http.socket.read_exact(&mut first).unwrap();
    redis.ask(&["ACL", "SETUSER", "app", "off"]);
    let mut read = 100;
    let mut chunk = vec![0; 1 << 20];
    while let Ok(n @ 1..) = http.socket.read(&mut chunk) {
        read += n;
    }
    assert!(read < 50_000_000, "{read} bytes came");
    let page = web.connect().ask("GET /api/v1/records/k00001\nAuthorization: Basic YXBwOnB3", "");
    assert_eq!(page.status, 401);
}

#[test]
fn long_calls_do_not_wait_for_each_other() {
    let calls = Calls::start(&["--shards", "1024", "--lua-time-limit", "60000"]);
    let mut client = calls.kvist();
    let words = |words: &[&str]| pb::ExecuteRequest {
        words: words.iter().map(|word| bytes(word)).collect(),
        database: 0,
    };
    let mut other = client.clone();
    let mut admin = calls.server.connect();
    let reply = calls.run(async {
        let script = client.execute(words(&["EVAL", "while true do end", "1", "key"]));
        let others = async {
            // Not ended by this; it is refused once the script has its key.
            let runs = || text(&admin.ask(&["FUNCTION", "KILL"])).starts_with("BUSY ");
            until("the script", runs).await;
            // Keys that lie in the script's shard wait for it, and hardly all three of them do.
            let tries = ["a", "b", "c"].map(|key| {
                let mut other = other.clone();
                tokio::spawn(async move { other.execute(words(&["SORT", key])).await.unwrap() })
            });
            let (first, _, rest) = select_all(tries).await;
            first.unwrap();
            // Only this ends the script.
            assert_eq!(admin.ask(&["SCRIPT", "KILL"]), ok());
            for one in rest {
                one.await.unwrap();
            }
        };
        tokio::join!(script, others).0
    });
    assert!(refused(reply).1.contains("killed"));
    calls.run(other.execute(words(&["PING"]))).unwrap();
}

/// A server where one key holds a megabyte.
fn with_a_long_value(args: &[&str]) -> (Calls, u16) {
    let http = server::free_port();
    let port = http.to_string();
    let calls = Calls::start(&[args, &["--http-port", &port]].concat());
    let mut redis = calls.server.connect();
    redis.ask(&["SET", "long", &"x".repeat(1 << 20)]);
    redis.ask(&["RPUSH", "list", "a"]);
    (calls, http)
}

/// `MGET` of that key so many times: as many megabytes.
fn many(times: usize) -> Vec<&'static str> {
    [&["MGET"][..], &vec!["long"; times]].concat()
}

#[test]
fn a_reply_beyond_the_hard_limit_closes_its_client_while_it_is_made() {
    let (calls, _) = with_a_long_value(&["--client-output-buffer-limit", "normal 8mb 0 0"]);
    let mut admin = calls.server.connect();
    // Words that are hardly any bytes ask for some GB.
    let before = resident(&calls.server);
    for ask in [vec![many(4000)], vec![vec!["MULTI"], many(2000), many(2000), vec!["EXEC"]]] {
        let mut client = calls.server.connect();
        for words in &ask {
            client.say(words);
        }
        client.closed();
    }
    let field = "client_output_buffer_limit_disconnections";
    assert_eq!(calls.server.info(&mut admin, field), "2");
    let grown = resident(&calls.server).saturating_sub(before);
    assert!(grown < 100 << 20, "{} MiB", grown >> 20);
    // Over gRPC others call through the same connection.
    let mut client = calls.kvist();
    let words = many(4000).into_iter().map(bytes).collect();
    let request = pb::ExecuteRequest { words, database: 0 };
    assert_eq!(refused(calls.run(client.execute(request))).0, tonic::Code::ResourceExhausted);
    let get = pb::GetRequest { key: bytes("k"), database: 0 };
    calls.run(client.get(get)).unwrap();
}

#[test]
fn a_reply_that_is_too_long_is_an_error_at_every_door() {
    let (calls, http) = with_a_long_value(&["--max-reply-size", "8mb"]);
    let before = resident(&calls.server);
    let mut redis = calls.server.connect();
    let long = |reply: &wire::Value| text(reply).starts_with("ERR the reply would be longer");
    assert!(long(&redis.ask(&many(4000))));
    assert!(matches!(redis.ask(&many(7)), wire::Value::Array(items) if items.len() == 7));
    // The whole of a transaction is one reply, and what it does is done.
    for words in [vec!["MULTI"], many(4000), vec!["SET", "done", "yes"]] {
        redis.ask(&words);
    }
    assert!(long(&redis.ask(&["EXEC"])));
    assert_eq!(text(&redis.ask(&["GET", "done"])), "yes");
    // What a script answers, and what it is answered.
    let script = "local t = {} for n = 1, 4000 do t[n] = ARGV[1] end return t";
    assert!(long(&redis.ask(&["EVAL", script, "0", &"x".repeat(10_000)])));
    let memory = redis.ask(&[
        "EVAL",
        "local t = {} for n = 1, 4000 do t[n] = redis.call('MGET', 'long', 'long') end return #t",
        "2",
        "long",
        "done",
    ]);
    assert!(memory.as_error().is_some() || memory.as_i64() == Some(4000), "{memory:?}");
    // A text that is made before it is written.
    let (line, deep) = ("-".repeat(100_000), "[".repeat(100) + &"]".repeat(100));
    redis.ask(&["JSON.SET", "json", "$", &deep]);
    assert!(long(&redis.ask(&["JSON.GET", "json", "INDENT", &line, "$"])));
    redis.ask(&["JSON.SET", "json", "$", &format!("[{:?}]", "x".repeat(1 << 20))]);
    let paths: Vec<String> = (0..100).map(|n| format!("$[{}]", "0,".repeat(n) + "0")).collect();
    let mut words = vec!["JSON.GET", "json"];
    words.extend(paths.iter().map(String::as_str));
    assert!(long(&redis.ask(&words)));
    // Served after a wait.
    let mut waits = calls.server.connect();
    waits.say(&["BLMPOP", "0", "1", "queue", "LEFT", "COUNT", "1000"]);
    eventually("the wait", || {
        (calls.server.info(&mut redis, "blocked_clients") == "1").then_some(())
    });
    let push = vec!["long"; 10].into_iter().map(|_| "y".repeat(1 << 20)).collect::<Vec<_>>();
    let mut words = vec!["RPUSH", "queue"];
    words.extend(push.iter().map(String::as_str));
    redis.ask(&words);
    assert!(long(&waits.hear()));

    let mut client = calls.kvist();
    let keys = vec![bytes("long"); 4000];
    let got = calls.run(client.m_get(pb::MGetRequest { keys, database: 0 }));
    assert_eq!(refused(got).0, tonic::Code::ResourceExhausted);
    redis.ask(&["SET", "longer", &"x".repeat(9 << 20)]);
    let web = TcpStream::connect(("127.0.0.1", http)).unwrap();
    web.set_read_timeout(Some(PATIENCE)).unwrap();
    let page = web::Browser::new(web).ask("GET /api/v1/records/longer", "");
    assert_eq!(page.status, 413);
    let grown = resident(&calls.server).saturating_sub(before);
    assert!(grown < 200 << 20, "{} MiB", grown >> 20);
}

/// A connection's worth of frames that may mean something.
fn conversation(rng: &mut Rng) -> Vec<u8> {
    let paths = [GET, WATCH_HEALTH, "/kvist.v1.KvistService/Batch", "/kvist.v1.KvistService/Watch"];
    let mut sent = frames::preface();
    for n in 0..u32::try_from(1 + rng.below(6)).unwrap() {
        let stream = 2 * n + 1;
        sent.extend(head(stream, paths[rng.below(paths.len())], &[]));
        let length = rng.below(40);
        let body: Vec<u8> = (0..length).map(|_| rng.next_u64().to_le_bytes()[0]).collect();
        let said = u32::try_from(length + rng.below(3) * rng.below(1 << 20)).unwrap();
        let flags = u8::from(rng.below(2) == 0);
        sent.extend(frame(DATA, flags, stream, &announced(said, &body)));
        if rng.below(3) == 0 {
            let kind = u8::try_from(rng.below(12)).unwrap();
            sent.extend(frame(kind, rng.next_u64().to_le_bytes()[0], stream, &body));
        }
    }
    for _ in 0..rng.below(4) {
        let at = rng.below(sent.len());
        match rng.below(3) {
            0 => sent[at] = rng.next_u64().to_le_bytes()[0],
            1 => sent.truncate(at.max(1)),
            _ => sent.insert(at, rng.next_u64().to_le_bytes()[0]),
        }
    }
    sent
}

#[test]
fn frames_of_any_kind_do_no_harm() {
    let calls = Calls::start(&["--request-body-timeout", "1"]);
    let mut rng = testkit::seed::rng();
    let before = resident(&calls.server);
    let (began, mut said) = (Instant::now(), 0);
    while began.elapsed() < Duration::from_secs(3) || said < 20 {
        assert!(began.elapsed() < 2 * PATIENCE, "only {said} conversations");
        let sent = conversation(&mut rng);
        let mut raw = Raw::silent(calls.port);
        raw.send(&sent);
        let _ = raw.socket.shutdown(std::net::Shutdown::Write);
        raw.socket.set_read_timeout(Some(Duration::from_millis(1))).unwrap();
        let _ = raw.socket.read(&mut [0; 1000]);
        said += 1;
    }
    let mut client = calls.kvist();
    let get = pb::GetRequest { key: bytes("k"), database: 0 };
    calls.run(client.get(get)).unwrap();
    let mut redis = calls.server.connect();
    // We are there ourselves, twice.
    eventually("their end", || {
        (calls.server.info(&mut redis, "connected_clients") == "2").then_some(())
    });
    assert!(!calls.server.log().contains("panicked"), "{}", calls.server.log());
    let grown = resident(&calls.server).saturating_sub(before);
    assert!(grown < 64 << 20, "{} MiB", grown >> 20);
}
