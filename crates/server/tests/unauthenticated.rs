//! Unauthenticated connections: what many of them take together, over gRPC above all, and that
//! clients who authenticate are served at every door meanwhile.

#![allow(clippy::unwrap_used)] // a test says why by failing

use std::io::Write;
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use grpc::generated::kvist as pb;
use rustls::ClientConfig;

use crate::calls::{Calls, Kvist, bytes};
use crate::frames::{self, DATA, END, GOAWAY, Raw, announced, frame, head, preface};
use crate::secured::Pki;
use crate::server::{self, Client, PATIENCE, eventually, free_port};
use crate::web::{Browser, basic};

const GET: &str = "/kvist.v1.KvistService/Get";
const CHECK: &str = "/grpc.health.v1.Health/Check";
const PASSWORD: (&str, &str) = ("authorization", "Bearer secret");

/// What unauthenticated clients may take in these tests.
const MEMORY: &[&str] = &["--requirepass", "secret", "--unauthenticated-memory", "8mb"];

/// Bytes that a server has had at most, or has.
fn memory(calls: &Calls, field: &str) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", calls.server.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(field)).unwrap();
    line.trim_start_matches(':').trim().trim_end_matches(" kB").parse::<usize>().unwrap() << 10
}

/// A server for so many connections.
fn crowded(args: &[&str]) -> Calls {
    Calls::start(&[MEMORY, &["--maxclients", "2000"], args].concat())
}

/// How unauthenticated clients connect: as they are, or with TLS.
struct Way(Option<(Pki, Arc<ClientConfig>)>);

impl Way {
    /// Both.
    fn all() -> [Self; 2] {
        let pki = Pki::new();
        let context = pki.context("ca.crt", None, rustls::ALL_VERSIONS);
        [Way(None), Way(Some((pki, context)))]
    }

    /// A server that they come to.
    fn crowded(&self, args: &[&str]) -> Calls {
        let Some((pki, _)) = &self.0 else { return crowded(args) };
        let (certificate, key) = (pki.path("server.crt"), pki.path("server.key"));
        let tls = ["--grpc-tls", "yes", "--tls-auth-clients", "no"];
        let files = ["--tls-cert-file", &certificate, "--tls-key-file", &key];
        crowded(&[&tls, &files, args].concat())
    }

    /// A connection that says nothing yet.
    fn silent(&self, calls: &Calls) -> Raw {
        match &self.0 {
            None => Raw::silent(calls.port),
            Some((_, context)) => Raw::secured(calls.port, context),
        }
    }

    /// What a connection is charged.
    fn charge(&self) -> usize {
        if self.0.is_some() { (40 << 10) + (28 << 10) } else { 40 << 10 }
    }

    /// An authenticated client makes a call.
    fn call(&self, calls: &Calls) {
        let Some((_, context)) = &self.0 else { return call(calls) };
        let mut context = (**context).clone();
        context.alpn_protocols = vec![b"h2".to_vec()];
        eventually("a call", || {
            calls.run(async {
                let socket = tokio::net::TcpStream::connect(calls.addr()).await.ok()?;
                let name = rustls::pki_types::ServerName::try_from("localhost").unwrap();
                let tls = tokio_rustls::TlsConnector::from(Arc::new(context.clone()));
                let socket = tls.connect(name, socket).await.ok()?;
                let line =
                    grpc::client_channel::ClientChannel::over(socket, "localhost".to_owned())
                        .await
                        .ok()?;
                let get = pb::GetRequest { key: bytes("k"), database: 0 };
                Kvist::new(line.with(PASSWORD.0, PASSWORD.1).unwrap()).get(get).await.ok()
            })
        });
    }
}

/// Streams, none of them ended by the client.
fn streams(from: u32, count: u32) -> Vec<u8> {
    (0..count).flat_map(|n| head(from + 2 * n, GET, &[])).collect()
}

/// Whether the server has closed a connection; whatever it said before is read.
fn is_closed(raw: &mut Raw) -> bool {
    use std::io::ErrorKind;
    let mut chunk = [0; 64 << 10];
    loop {
        match raw.read(&mut chunk) {
            Ok(0) => return true,
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => {
                return !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut);
            }
        }
    }
}

fn call(calls: &Calls) {
    let line = calls.line().with(PASSWORD.0, PASSWORD.1).unwrap();
    let get = pb::GetRequest { key: bytes("k"), database: 0 };
    calls.run(Kvist::new(line).get(get)).unwrap();
}

#[test]
fn unauthenticated_streams_that_are_not_read_take_little() {
    Way::all().iter().for_each(streams_of_silent_readers);
}

fn streams_of_silent_readers(way: &Way) {
    let calls = way.crowded(&[]);
    way.call(&calls);
    let clients = || {
        let clients = calls.server.info(&mut admin(&calls), "connected_clients");
        clients.parse::<usize>().unwrap()
    };
    let (before, known) = (memory(&calls, "VmRSS"), clients());
    let mut raws: Vec<Raw> = Vec::new();
    for round in 0..2 {
        for _ in 0..if way.0.is_some() { 60 } else { 200 } {
            let mut raw = way.silent(&calls);
            // It may be closed in the middle.
            raw.send(&[preface(), streams(1, 1000)].concat());
            raw.socket.set_read_timeout(Some(Duration::from_millis(1))).unwrap();
            raws.push(raw);
        }
        eventually("the end of all of them", || (clients() <= known).then_some(()));
        let grown = memory(&calls, "VmHWM").saturating_sub(before);
        assert!(grown < 40 << 20, "{} MiB in round {round}", grown >> 20);
    }
    assert!(raws.iter_mut().all(is_closed), "some are open still");
    // There is room again for others.
    way.call(&calls);
}

fn admin(calls: &Calls) -> server::Client {
    let mut client = calls.server.connect();
    assert_eq!(client.ask(&["AUTH", "secret"]), server::ok());
    client
}

#[test]
fn unauthenticated_memory_limits_their_number() {
    Way::all().iter().for_each(as_many_as_memory_lets_be);
}

fn as_many_as_memory_lets_be(way: &Way) {
    let calls = way.crowded(&["--unauthenticated-timeout", "0"]);
    let mut admin = admin(&calls);
    let before = memory(&calls, "VmRSS");
    let mut raws = Vec::new();
    // With TLS each begins with a handshake, which takes its time.
    let some = if way.0.is_some() { (8 << 20) / way.charge() + 5 } else { 500 };
    for _ in 0..some {
        let mut raw = way.silent(&calls);
        raw.send(&preface());
        raw.socket.set_read_timeout(Some(Duration::from_millis(1))).unwrap();
        raws.push(raw);
    }
    // It is the oldest that go.
    eventually("the end of the oldest", || is_closed(&mut raws[0]).then_some(()));
    eventually("the end of most", || {
        let clients = calls.server.info(&mut admin, "connected_clients");
        (clients.parse::<usize>().unwrap() <= (8 << 20) / way.charge() + 1).then_some(())
    });
    let grown = memory(&calls, "VmRSS").saturating_sub(before);
    assert!(grown < 24 << 20, "{} MiB", grown >> 20);
    // And one more is served in place of another.
    assert!(!is_closed(&mut raws[some - 1]));
    let mut late = way.silent(&calls).begun();
    late.socket.set_read_timeout(Some(Duration::from_millis(1))).unwrap();
    eventually("the end of another", || {
        let clients = calls.server.info(&mut admin, "connected_clients");
        (clients.parse::<usize>().unwrap() <= (8 << 20) / way.charge() + 1).then_some(())
    });
    assert!(!is_closed(&mut late));
    drop((late, raws));
    eventually("room", || {
        let clients = calls.server.info(&mut admin, "connected_clients");
        (clients == "1").then_some(())
    });
    way.call(&calls);
}

#[test]
fn a_client_with_too_many_streams_at_once_is_told_to_calm_down() {
    let calls = crowded(&[]);
    let mut raw = Raw::connect(calls.port);
    let clients = || calls.server.info(&mut admin(&calls), "connected_clients");
    raw.send(&head(1, GET, &[]));
    raw.ended(1);
    // A refused caller is a client still.
    assert_eq!(clients(), "2");
    raw.send(&streams(3, 200));
    let mut told = false;
    while let Some(frame) = raw.next() {
        told |= frame.kind == GOAWAY && frame.bytes[4..8] == [0, 0, 0, 11];
    }
    assert!(told);
}

#[test]
fn a_probe_without_credentials_goes_on_for_ever() {
    Way::all().iter().for_each(probe_without_credentials);
}

fn probe_without_credentials(way: &Way) {
    let calls = way.crowded(&["--unauthenticated-timeout", "0"]);
    let mut raw = way.silent(&calls).begun();
    for n in 0..3000 {
        let stream = 2 * n + 1;
        let ask = frame(DATA, END, stream, &announced(0, b""));
        assert!(raw.send(&[head(stream, CHECK, &[]), ask].concat()));
        assert!(raw.ended(stream).iter().any(|frame| frame.kind == DATA));
    }
    // As does one that shows nothing good, if it waits for the answers.
    for n in 3000..3300 {
        let stream = 2 * n + 1;
        raw.send(&[head(stream, GET, &[]), frame(DATA, END, stream, &[])].concat());
        assert!(raw.ended(stream).iter().all(|frame| frame.kind != DATA));
    }
}

#[test]
fn calls_that_come_at_once_are_served_if_the_first_authenticate() {
    Way::all().iter().for_each(calls_that_come_at_once);
}

fn calls_that_come_at_once(way: &Way) {
    let calls = way.crowded(&[]);
    let get = announced(3, &[0x0a, 1, b'k']);
    for _ in 0..5 {
        let mut sent = preface();
        for n in 0..500 {
            let stream = 2 * n + 1;
            sent.extend(head(stream, GET, &[PASSWORD]));
            sent.extend(frame(DATA, END, stream, &get));
        }
        let mut raw = way.silent(&calls);
        raw.socket.set_read_timeout(Some(PATIENCE)).unwrap();
        raw.send(&sent);
        let (mut answered, mut ended) = (0, 0);
        while ended < 500 {
            let frame = raw.next().expect("the connection goes on");
            assert_ne!(frame.kind, GOAWAY);
            answered += usize::from(frame.kind == DATA && frame.bytes.len() >= 5);
            ended +=
                usize::from(matches!(frame.kind, DATA | frames::HEADERS) && frame.flags & END != 0);
        }
        assert_eq!(answered, 500);
    }
}

/// A server with all its doors open.
struct Doors {
    calls: Calls,
    pki: Pki,
    http: u16,
    tls: u16,
}

/// A door.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Door {
    Resp,
    Tls,
    Http,
    Grpc,
}

const DOORS: [Door; 4] = [Door::Resp, Door::Tls, Door::Http, Door::Grpc];

impl Doors {
    fn open() -> Self {
        let pki = Pki::new();
        let (http, tls) = (free_port(), free_port());
        let ports = [http.to_string(), tls.to_string()];
        let (certificate, key) = (pki.path("server.crt"), pki.path("server.key"));
        let calls = crowded(&[
            "--unauthenticated-timeout",
            "0",
            "--http-port",
            &ports[0],
            "--tls-port",
            &ports[1],
            "--tls-auth-clients",
            "no",
            "--tls-cert-file",
            &certificate,
            "--tls-key-file",
            &key,
        ]);
        Doors { calls, pki, http, tls }
    }

    fn port(&self, door: Door) -> u16 {
        match door {
            Door::Resp => self.calls.server.port,
            Door::Tls => self.tls,
            Door::Http => self.http,
            Door::Grpc => self.calls.port,
        }
    }

    fn connect(&self, door: Door) -> TcpStream {
        let socket = TcpStream::connect(("127.0.0.1", self.port(door))).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        socket.set_write_timeout(Some(PATIENCE)).unwrap();
        socket
    }

    fn secured(&self) -> rustls::StreamOwned<rustls::ClientConnection, TcpStream> {
        let context = self.pki.context("ca.crt", None, rustls::ALL_VERSIONS);
        let name = rustls::pki_types::ServerName::try_from("localhost").unwrap();
        let tls = rustls::ClientConnection::new(context, name).unwrap();
        rustls::StreamOwned::new(tls, self.connect(Door::Tls))
    }

    /// Connections that take all that there is for unauthenticated ones, and more.
    fn fill(&self, door: Door) -> Vec<Box<dyn std::any::Any>> {
        // As much as one may send, never to its end.
        let words = format!("$16384\r\n{}\r\n", "x".repeat(16_384)).repeat(9);
        let half = format!("*10\r\n{words}");
        let one = |_| -> Box<dyn std::any::Any> {
            match door {
                Door::Resp => {
                    let mut socket = self.connect(door);
                    // It may be closed in the middle, for the next.
                    let _ = socket.write_all(half.as_bytes());
                    Box::new(socket)
                }
                Door::Tls => {
                    let mut stream = self.secured();
                    let _ = stream.write_all(half.as_bytes());
                    Box::new(stream)
                }
                Door::Http => Box::new(self.connect(door)),
                Door::Grpc => {
                    let mut raw = Raw::silent(self.calls.port);
                    raw.send(&preface());
                    Box::new(raw)
                }
            }
        };
        let count = if matches!(door, Door::Resp | Door::Tls) { 80 } else { 400 };
        (0..count).map(one).collect()
    }

    /// A client that comes and authenticates is served at once.
    fn come_in(&self, door: Door) {
        let greet = |mut client: Client| {
            assert_eq!(client.ask(&["AUTH", "secret"]), server::ok());
            assert_eq!(client.ask(&["SET", "k", "v"]), server::ok());
        };
        match door {
            Door::Resp => greet(self.calls.server.connect()),
            Door::Tls => greet(Client::new(server::Socket::Tls(Box::new(self.secured())))),
            Door::Http => {
                let asked = format!(
                    "GET /api/v1/records/none\nAuthorization: {}",
                    basic("default", "secret")
                );
                let page = Browser::new(self.connect(door)).ask(&asked, "");
                assert_eq!(page.status, 404, "{page:?}");
            }
            Door::Grpc => call(&self.calls),
        }
    }
}

#[test]
fn whatever_fills_one_door_clients_come_in_at_all() {
    let doors = Doors::open();
    for full in DOORS {
        let unauthenticated = doors.fill(full);
        for door in DOORS {
            // More of them than there would be room for by chance.
            for _ in 0..20 {
                doors.come_in(door);
            }
        }
        drop(unauthenticated);
    }
}
