//! What comes to a port for TLS besides clients that mean well: handshakes that end anywhere, bytes
//! that are no TLS, many that never send anything.

// In a test a panic is how a failure is told.
#![allow(clippy::unwrap_used)]

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, version};
use wire::Value;

use crate::secured::{Pki, Secured};
use crate::server::{PATIENCE, eventually};

const PONG: &[u8] = b"+PONG\r\n";

/// A client's part of a conversation, `PING` and its answer included, as far as a number of bytes
/// goes, in pieces of some size. Then the socket is closed. Whether the answer came.
fn converse(server: &Secured, context: &Arc<ClientConfig>, cut: usize, piece: usize) -> bool {
    let mut socket = server.socket();
    socket.set_nodelay(true).unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    let mut session = ClientConnection::new(Arc::clone(context), name).unwrap();
    session.writer().write_all(b"PING\r\n").unwrap();
    let (mut left, mut reply) = (cut, Vec::new());
    loop {
        let mut flight = Vec::new();
        while session.wants_write() {
            session.write_tls(&mut flight).unwrap();
        }
        for part in flight[..left.min(flight.len())].chunks(piece) {
            socket.write_all(part).unwrap();
        }
        if flight.len() > left {
            return false;
        }
        left -= flight.len();
        if session.read_tls(&mut socket).unwrap() == 0 {
            panic!("the server has hung up");
        }
        session.process_new_packets().unwrap();
        let read = session.reader().read_to_end(&mut reply);
        assert!(read.is_ok() || read.unwrap_err().kind() == ErrorKind::WouldBlock);
        if reply.len() >= PONG.len() {
            assert_eq!(reply, PONG);
            return true;
        }
    }
}

fn descriptors(server: &Secured) -> usize {
    std::fs::read_dir(format!("/proc/{}/fd", server.server.id())).map_or(0, Iterator::count)
}

/// The server is well, alone, and has nothing left of former clients.
fn well(server: &mut Secured, before: usize) {
    assert_eq!(server.admin.ask(&["PING"]), Value::Simple(b"PONG".to_vec()));
    server.alone();
    let context = Arc::clone(&server.context);
    assert!(converse(server, &context, usize::MAX, usize::MAX));
    server.alone();
    eventually("closed sockets", || (descriptors(server) <= before).then_some(()));
    let log = server.server.log();
    assert!(!log.contains("panic"), "{log}");
}

#[test]
fn handshakes_may_end_anywhere() {
    let pki = Pki::new();
    let mut server = pki.start(&[]);
    let before = descriptors(&server);
    for versions in [&[&version::TLS12][..], &[&version::TLS13]] {
        let context = pki.context("ca.crt", None, versions);
        let total = (0..2000).find(|&cut| converse(&server, &context, cut, usize::MAX));
        assert!((200..2000).contains(&total.unwrap()), "{total:?}");
    }
    well(&mut server, before);
    server.server.logged("Error accepting a client connection: unexpected end of file");
}

#[test]
fn bytes_may_come_one_by_one() {
    let pki = Pki::new();
    let mut server = pki.start(&["--tls-auth-clients", "yes"]);
    let before = descriptors(&server);
    for versions in [&[&version::TLS12][..], &[&version::TLS13]] {
        let context = pki.context("ca.crt", Some("client"), versions);
        assert!(converse(&server, &context, usize::MAX, 1));
        assert!(converse(&server, &context, usize::MAX, 7));
    }
    assert_eq!(server.set(&["tls-auth-clients", "no"]), "OK");
    well(&mut server, before);
}

/// Numbers that look random and are the same each time.
fn scramble(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

/// Sends bytes and hangs up, and reads what comes until the server hangs up, too.
fn throw(mut socket: TcpStream, bytes: &[u8]) -> Vec<u8> {
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    // The server may have had enough.
    let _ = socket.write_all(bytes);
    let _ = socket.shutdown(Shutdown::Write);
    let mut heard = Vec::new();
    let read = socket.read_to_end(&mut heard);
    assert!(read.is_ok() || read.unwrap_err().kind() == ErrorKind::ConnectionReset);
    heard
}

fn hello(context: &Arc<ClientConfig>) -> Vec<u8> {
    let name = ServerName::try_from("localhost").unwrap();
    let mut session = ClientConnection::new(Arc::clone(context), name).unwrap();
    let mut bytes = Vec::new();
    session.write_tls(&mut bytes).unwrap();
    bytes
}

#[test]
fn what_is_no_tls_is_refused() {
    let pki = Pki::new();
    let mut server = pki.start(&[]);
    let before = descriptors(&server);
    let mut state = 0x9e37_79b9_7f4a_7c15;
    for size in [1, 4, 5, 6, 100, 5000, 300_000] {
        let garbage: Vec<u8> = (0..size).map(|_| scramble(&mut state).to_le_bytes()[3]).collect();
        throw(server.socket(), &garbage);
        let record = [&[0x16, 3, 1, 0x3f, 0xff][..], &garbage].concat();
        throw(server.socket(), &record);
    }
    // One byte of a greeting is wrong.
    let hello = hello(&server.context);
    for at in 0..hello.len() {
        let mut wrong = hello.clone();
        wrong[at] ^= 1 << (scramble(&mut state) % 8);
        throw(server.socket(), &wrong);
    }
    let heard = throw(server.socket(), b"*1\r\n$4\r\nPING\r\n");
    assert!(!heard.contains(&b'+'), "{heard:?}");
    server.server.logged("Error accepting a client connection: received corrupt message");
    // A greeting where none is expected.
    throw(TcpStream::connect(("127.0.0.1", server.server.port)).unwrap(), &hello);
    well(&mut server, before);
}

#[test]
fn rubbish_in_the_middle_ends_a_connection() {
    let pki = Pki::new();
    let mut server = pki.start(&[]);
    let before = descriptors(&server);
    for rubbish in [&[0; 100][..], b"+PONG", &[0x17, 3, 3, 0, 40], &[0x17, 3, 3, 0xff, 0xff, 1]] {
        let mut stream = server.stream(&server.context);
        stream.sock.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(b"PING\r\n").unwrap();
        stream.read_exact(&mut [0; 7]).unwrap();
        stream.conn.writer().write_all(b"PING\r\n").unwrap();
        let mut sent = Vec::new();
        stream.conn.write_tls(&mut sent).unwrap();
        sent.extend_from_slice(rubbish);
        stream.sock.write_all(&sent).unwrap();
        stream.sock.shutdown(Shutdown::Write).unwrap();
        // What came before it may be answered.
        let mut reply = Vec::new();
        let _ = stream.read_to_end(&mut reply);
        assert!(reply.is_empty() || reply == PONG, "{reply:?}");
    }
    well(&mut server, before);
}

#[test]
fn silent_clients_delay_no_other_client() {
    let pki = Pki::new();
    let mut server = pki.start(&[]);
    let before = descriptors(&server);
    let hello = hello(&server.context);
    let half: Vec<TcpStream> = (0..200)
        .map(|n| {
            let mut socket = server.socket();
            socket.write_all(&hello[..n % hello.len()]).unwrap();
            socket
        })
        .collect();
    eventually("all of them", || (server.number("connected_clients") == 201).then_some(()));
    let context = Arc::clone(&server.context);
    for _ in 0..20 {
        assert!(converse(&server, &context, usize::MAX, usize::MAX));
    }
    // The time that silence is given counts for them, too.
    assert_eq!(server.set(&["timeout", "1"]), "OK");
    for mut socket in half {
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        assert_eq!(socket.read(&mut [0; 100]).unwrap_or(0), 0);
    }
    // And for other waiting clients.
    server.admin = server.server.connect();
    assert_eq!(server.set(&["timeout", "0"]), "OK");
    well(&mut server, before);
}
