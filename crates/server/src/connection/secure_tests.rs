//! The promises of a socket, kept with TLS on it.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream as Socket};
use std::sync::Arc;

use rustls::pki_types::{PrivateKeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use super::*;

type Peer = StreamOwned<ClientConnection, Socket>;

/// Both ends of a connection, after the handshake.
fn pair() -> (Tls, Peer) {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let server = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(made.cert.der().clone()).unwrap();
    let client = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let there = Socket::connect(listener.local_addr().unwrap()).unwrap();
    let here = listener.accept().unwrap().0;
    here.set_nonblocking(true).unwrap();
    let mut tls = Tls::accept(TcpStream::from_std(here), &Arc::new(server)).unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    let session = ClientConnection::new(Arc::new(client), name).unwrap();
    let mut peer = StreamOwned::new(session, there);
    let shaking = std::thread::spawn(move || {
        peer.conn.complete_io(&mut peer.sock).unwrap();
        peer
    });
    let mut into = vec![0; ROOM_MIN];
    while tls.receive(&mut into) != Received::Greeted {
        std::thread::yield_now();
    }
    (tls, shaking.join().unwrap())
}

fn pattern(length: usize) -> Vec<u8> {
    (0..length).map(|at| (at ^ (at >> 8)).to_le_bytes()[0]).collect()
}

#[test]
fn what_counts_as_sent_has_left() {
    let (mut tls, mut peer) = pair();
    let bytes = pattern(64 << 20);
    let mut sent = 0;
    // As a connection does: what was not taken is offered again.
    let full = loop {
        match tls.send(&bytes[sent..]) {
            Ok(n) => sent += n,
            Err(error) => break error,
        }
    };
    assert_eq!(full.kind(), ErrorKind::WouldBlock);
    assert!(sent > 0 && sent < bytes.len());
    assert!(tls.held > 0 && tls.held <= CHUNK);
    // Offered in other portions, it goes on where it was; nothing comes twice.
    let reader = std::thread::spawn(move || {
        let mut got = Vec::new();
        let ended = peer.read_to_end(&mut got);
        assert!(ended.is_ok() || ended.unwrap_err().kind() == ErrorKind::UnexpectedEof);
        got
    });
    while sent < 32 << 20 {
        match tls.send(&bytes[sent..(sent + 100_000).min(bytes.len())]) {
            Ok(n) => sent += n,
            Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock),
        }
    }
    // Closed now, whatever was held.
    drop(tls);
    let got = reader.join().unwrap();
    assert!(got.len() >= sent, "{} of {sent}", got.len());
    assert!(got[..] == bytes[..got.len()]);
}

#[test]
fn what_counts_as_sent_has_left_even_if_it_is_not_read() {
    let (mut tls, mut peer) = pair();
    let bytes = pattern(64 << 20);
    let mut sent = 0;
    while let Ok(n) = tls.send(&bytes[sent..]) {
        sent += n;
    }
    drop(tls);
    let mut got = Vec::new();
    let _ = peer.read_to_end(&mut got);
    assert!(got.len() >= sent, "{} of {sent}", got.len());
}

#[test]
fn what_comes_is_handed_out_whole() {
    let (mut tls, mut peer) = pair();
    let bytes = pattern(3 << 20);
    let wanted = bytes.clone();
    let writer = std::thread::spawn(move || {
        for part in bytes.chunks(70_001) {
            peer.write_all(part).unwrap();
        }
        peer.conn.send_close_notify();
        peer.flush().unwrap();
        peer
    });
    let mut into = vec![0; ROOM_MIN];
    let mut got = Vec::new();
    loop {
        match tls.receive(&mut into) {
            Received::Bytes(n, _) => {
                assert!(n > 0);
                got.extend_from_slice(&into[..n]);
            }
            Received::Nothing | Received::Later => std::thread::yield_now(),
            Received::Greeted => panic!("twice"),
            Received::End => break,
            Received::Broken => panic!("broken"),
        }
    }
    assert!(got == wanted);
    drop(writer.join().unwrap());
}
