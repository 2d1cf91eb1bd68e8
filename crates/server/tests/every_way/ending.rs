//! Going down: whatever is asked at that moment, by whatever door, has an end, the process has one,
//! and what was acknowledged is there at the next start.

use std::sync::atomic::{AtomicU64, Ordering};

use grpc::generated::kvist as pb;
use testkit::folder::Folder;

use super::doors::{Doors, Under};
use super::served::{WAITS, await_blocked, of};
use super::*;

use crate::calls::bytes;

/// How a server is told to stop.
#[derive(Clone, Copy, Debug)]
enum Word {
    Signal,
    Shutdown,
    /// While the dataset is being saved.
    Saving,
}

impl Word {
    fn say(self, server: &Server) {
        self.say_with(server, &["SHUTDOWN"]);
    }

    fn say_with(self, server: &Server, shutdown: &[&str]) {
        match self {
            Word::Signal => server.signal("TERM"),
            Word::Shutdown => server.connect().say(shutdown),
            Word::Saving => {
                server.tell("BGSAVE");
                server.connect().say(shutdown);
            }
        }
    }
}

const WORDS: [Word; 3] = [Word::Signal, Word::Shutdown, Word::Saving];

#[test]
fn every_request_ends_when_the_server_does() {
    for word in WORDS {
        let options = ["--maxclients", "9000", "--appendonly", "yes", "--appendfsync", "always"];
        let host = Host::Ours(Server::start(&options)).prepare();
        let table = engine::command_table().unwrap();
        let samples = samples(&table);
        let asked = ask_all(&host, &samples, &READY);
        let Host::Ours(mut server) = host else { return };
        word.say(&server);
        for mut asked in asked {
            // An answer or none, but an end.
            asked.client.closed();
        }
        assert!(server.ended().success(), "{word:?}");
    }
}

#[test]
fn a_server_ends_whatever_its_clients_wait_for() {
    for threads in ["1", "2"] {
        let mut server =
            Server::start(&["--io-threads", threads, "--busy-reply-threshold", OVERDUE_AFTER]);
        let waits: &[&[&str]] = &[
            &["BLPOP x1 x2 0"],
            &["BLMOVE x1 x2 LEFT LEFT 0"],
            &["XREAD BLOCK 0 STREAMS x3 $"],
            &["SUBSCRIBE news"],
            &["MONITOR"],
            &["MULTI", "SET x4 v"],
            &["WATCH x5"],
            &["EVAL while(true)do\tend 1 held"],
            &["SET held v"],
            &["CLIENT PAUSE 1000000", "SET x6 v"],
        ];
        let clients: Vec<Client> = waits
            .iter()
            .map(|lines| {
                let mut client = server.connect();
                for line in *lines {
                    client.say(&line.split(' ').collect::<Vec<_>>());
                }
                client
            })
            .collect();
        server.signal("TERM");
        assert!(server.ended().success(), "{threads} threads");
        clients.into_iter().for_each(|mut client| client.closed());
    }
}

#[test]
fn clients_blocked_on_a_key_are_released_when_the_server_stops() {
    for (word, held) in WORDS.into_iter().flat_map(|word| [(word, false), (word, true)]) {
        let mut doors =
            Doors::start(&["--busy-reply-threshold", OVERDUE_AFTER, "--appendonly", "yes"]);
        let mut clients = Vec::new();
        let mut calls = Vec::new();
        for wait in WAITS {
            let key = wait.0;
            doors.server().tell(&format!("XGROUP CREATE {key} g $ MKSTREAM"));
            if wait.0 != "xreadgroup" && wait.0 != "xread" {
                doors.server().tell(&format!("DEL {key}"));
            }
            let line = served::sample(of(wait.1, key, ""));
            let mut client = doors.server().connect();
            client.say(&line.argv());
            clients.push(client);
            calls.push(line);
        }
        let called = Under::way(&doors, &calls);
        await_blocked(doors.server(), 2 * WAITS.len());
        // It is killed by the end of the server.
        let script = held.then(|| doors.server().connect());
        let script = script.map(|mut client| {
            client.say(&["EVAL", "while true do end", "1", "held"]);
            let busy = || class(&doors.server().tell("GET held")) == "BUSY";
            eventually("a script over its time", || busy().then_some(()));
            client
        });
        // Beside a script any other is refused, as in Redis.
        let shutdown = if held { &["SHUTDOWN", "NOSAVE"][..] } else { &["SHUTDOWN"] };
        word.say_with(doors.server(), shutdown);
        clients.into_iter().chain(script).for_each(|mut client| client.closed());
        let refused = called.answers();
        assert!(refused.iter().all(|(class, _)| class != "fine"), "{refused:?}");
        assert!(doors.calls.server.ended().success(), "{word:?}, held: {held}");
    }
}

#[test]
fn waiting_threads_are_released_when_the_engine_is_closed() {
    let engine = Engine::open(&["--busy-reply-threshold", OVERDUE_AFTER]);
    for closing in ["close", "SHUTDOWN"] {
        let engine = if closing == "close" { &engine } else { &Engine::open(&[]) };
        let host = |key: &str| engine.db.call(["XGROUP", "CREATE", key, "g", "$", "MKSTREAM"]);
        let mut waiting = Vec::new();
        for wait in WAITS {
            if wait.0.starts_with("xread") {
                host(wait.0).unwrap();
            }
            let (db, words) = (engine.db.clone(), of(wait.1, wait.0, ""));
            waiting.push(thread::spawn(move || db.call(words)));
        }
        eventually("all to wait", || {
            let info = text(&engine.db.call(["INFO", "clients"]).unwrap());
            info.contains(&format!("blocked_clients:{}\r\n", WAITS.len())).then_some(())
        });
        match closing {
            "close" => engine.db.close().unwrap(),
            _ => drop(engine.db.call(["SHUTDOWN"])),
        }
        for one in waiting {
            assert!(matches!(one.join().unwrap(), Err(kvist::Error::Closed)), "{closing}");
        }
        assert!(engine.db.is_closed());
    }
}

/// A client that writes ever greater numbers to a key, each when the last was acknowledged, until
/// it gets no answer.
struct Writer {
    key: &'static str,
    told: AtomicU64,
}

impl Writer {
    /// Whether a number was acknowledged; nothing if there was no answer.
    fn run(&self, mut write: impl FnMut(&str, u64) -> Option<bool>) {
        for number in 1.. {
            match write(self.key, number) {
                Some(true) => self.told.store(number, Ordering::SeqCst),
                Some(false) => {}
                None => return,
            }
        }
    }
}

/// Whether the last of some requests was acknowledged.
fn acknowledged(client: &mut Client, requests: &[Vec<&str>]) -> Option<bool> {
    let bytes: Vec<u8> = requests.iter().map(Vec::as_slice).flat_map(wire::request).collect();
    let sent = std::io::Write::write_all(&mut client.tcp(), &bytes);
    sent.ok()?;
    let mut last = None;
    for _ in requests {
        last = client.try_hear();
        last.as_ref()?;
    }
    last.map(|reply| !matches!(reply, Value::Error(_) | Value::Null))
}

fn write_plain(client: &mut Client, way: Way, key: &str, number: u64) -> Option<bool> {
    let number = number.to_string();
    let set = vec!["SET", key, &number];
    match way {
        Way::Queued => acknowledged(client, &[vec!["MULTI"], set, vec!["EXEC"]]),
        Way::Scripted => acknowledged(client, &[[&["EVAL", SCRIPT, "1", key], &set[..]].concat()]),
        _ => acknowledged(client, &[set]),
    }
}

/// What a client writes over HTTP; nothing without an answer.
fn write_page(port: u16, key: &str, number: u64) -> Option<bool> {
    use std::io::{Read, Write};
    let mut socket = std::net::TcpStream::connect(("127.0.0.1", port)).ok()?;
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    let body = format!("{{\"value\": {number}}}");
    let head = format!(
        "PUT /api/v1/records/{key} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    socket.write_all(head.as_bytes()).ok()?;
    let mut said = String::new();
    socket.read_to_string(&mut said).ok()?;
    (!said.is_empty()).then(|| said.starts_with("HTTP/1.1 200"))
}

/// Writes by every door until the server has gone.
fn write_by_every_door(doors: &Doors, writers: &[Writer], begun: &dyn Fn()) {
    thread::scope(|scope| {
        for writer in writers {
            let mut client = doors.server().connect();
            let http = doors.http;
            let address = doors.calls.addr();
            scope.spawn(move || match writer.key {
                "http" => writer.run(|key, number| write_page(http, key, number)),
                "grpc" => write_calls(address, writer),
                "queued" => writer.run(|key, n| write_plain(&mut client, Way::Queued, key, n)),
                "scripted" => writer.run(|key, n| write_plain(&mut client, Way::Scripted, key, n)),
                _ => writer.run(|key, n| write_plain(&mut client, Way::Plain, key, n)),
            });
        }
        begun();
    });
}

fn write_calls(address: std::net::SocketAddr, writer: &Writer) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let line = runtime.block_on(grpc::client_channel::ClientChannel::connect(address)).unwrap();
    let mut kvist = crate::calls::Kvist::new(line);
    writer.run(|key, number| {
        let value = bytes(&number.to_string());
        let request = pb::SetRequest { key: bytes(key), value, ..Default::default() };
        let done =
            runtime.block_on(async { tokio::time::timeout(PATIENCE, kvist.set(request)).await });
        done.expect("an end").ok().map(|set| set.into_inner().written)
    });
}

#[test]
fn what_was_acknowledged_while_the_server_ends_is_there_afterwards() {
    for (word, threads) in WORDS.into_iter().zip(["1", "2", "2"]) {
        let folder = Folder::missing("ending");
        let options = ["--dir", folder.text(), "--appendonly", "yes", "--appendfsync", "always"];
        let mut doors = Doors::start(&[&options[..], &["--io-threads", threads]].concat());
        let writers: Vec<Writer> = ["plain", "queued", "scripted", "http", "grpc"]
            .map(|key| Writer { key, told: AtomicU64::new(0) })
            .into();
        write_by_every_door(&doors, &writers, &|| {
            eventually("writes by all", || {
                writers.iter().all(|one| one.told.load(Ordering::SeqCst) > 20).then_some(())
            });
            word.say(doors.server());
        });
        assert!(doors.calls.server.ended().success(), "{word:?}");
        drop(doors);
        let server = Server::start(&options);
        for writer in &writers {
            let kept: u64 = text(&server.tell(&format!("GET {}", writer.key))).parse().unwrap();
            let told = writer.told.load(Ordering::SeqCst);
            assert!(kept >= told, "{}, {word:?}: {kept}, acknowledged: {told}", writer.key);
        }
    }
}
