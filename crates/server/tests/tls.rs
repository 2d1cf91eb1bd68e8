//! TLS as clients use it: redis-cli and redis-benchmark, certificates, versions, reloading, ports.

// In a test a panic is how a failure is told.
#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

use rustls::{ClientConfig, version};
use testkit::skip;
use wire::Value;

use crate::secured::{Pki, Secured};
use crate::server::{self, Client, PATIENCE, bulk, eventually, free_port, ok, program, text};

const UNABLE: &str = "Unable to update TLS configuration. Check server logs.";

/// Runs a tool of Redis against the port for TLS; `None` if it is not there.
fn tool(name: &str, server: &Secured, pki: &Pki, args: &[&str]) -> Option<Output> {
    let mut command = Command::new(name);
    command.args(["--tls", "--cacert", &pki.path("ca.crt"), "-p", &server.port.to_string()]);
    let done = command.args(args).stdin(Stdio::null()).output();
    if done.is_err() {
        skip::without(name, "redis-tools", "try it with TLS");
    }
    done.ok()
}

fn said(output: &Output) -> String {
    let said = [output.stdout.clone(), output.stderr.clone()].concat();
    String::from_utf8_lossy(&said).into_owned()
}

#[test]
fn redis_cli_talks() {
    let pki = Pki::new();
    let mut server = pki.start(&[]);
    let ask = |server: &Secured, args: &[&str]| {
        tool("redis-cli", server, &pki, args).map(|done| said(&done))
    };
    let Some(pong) = ask(&server, &["PING"]) else { return };
    assert_eq!(pong, "PONG\n");
    assert_eq!(ask(&server, &["SET", "a", "b"]).unwrap(), "OK\n");
    assert_eq!(ask(&server, &["GET", "a"]).unwrap(), "b\n");
    let rdb = pki.path("copy.rdb");
    let copied = ask(&server, &["--rdb", &rdb]).unwrap();
    assert!(copied.contains("Transfer finished with success"), "{copied}");
    assert!(std::fs::read(&rdb).unwrap().starts_with(b"REDIS"));
    server.alone();
    if let Some(done) = tool(
        "redis-benchmark",
        &server,
        &pki,
        &["-n", "5000", "-P", "16", "-c", "20", "-t", "set,get,lpush", "-q"],
    ) {
        let told = said(&done);
        assert!(done.status.success() && told.contains("LPUSH: "), "{told}");
        // Its clients run a little over.
        let length = server.admin.ask(&["LLEN", "mylist"]).as_i64().unwrap();
        assert!((5000..6000).contains(&length), "{length}");
    }
    server.alone();
}

#[test]
fn redis_cli_loads_in_bulk() {
    let pki = Pki::new();
    let mut server = pki.start(&[]);
    let mut commands = String::new();
    for n in 0..100_000 {
        write!(commands, "SET key:{n} value:{n}\r\n").unwrap();
    }
    let child = Command::new("redis-cli")
        .args(["--tls", "--cacert", &pki.path("ca.crt"), "-p", &server.port.to_string()])
        .arg("--pipe")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        skip::without("redis-cli", "redis-tools", "try it with TLS");
        return;
    };
    child.stdin.take().unwrap().write_all(commands.as_bytes()).unwrap();
    let told = said(&child.wait_with_output().unwrap());
    assert!(told.contains("errors: 0, replies: 100000"), "{told}");
    assert_eq!(server.admin.ask(&["DBSIZE"]), Value::Int(100_000));
    assert_eq!(server.admin.ask(&["GET", "key:77777"]), bulk("value:77777"));
}

#[test]
fn our_own_client_talks() {
    let pki = Pki::new();
    let server = pki.start(&["--tls-auth-clients", "optional"]);
    let port = server.port.to_string();
    let ca = pki.path("ca.crt");
    let run = |args: &[&str], input: &[u8]| {
        let mut child = program()
            .args(["cli", "-p", &port])
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        let done = child.wait_with_output().unwrap();
        (done.status.success(), said(&done))
    };
    assert_eq!(run(&["--tls", "--cacert", &ca, "PING"], b""), (true, "PONG\n".to_owned()));
    let uri = format!("rediss://localhost:{port}/3");
    assert_eq!(run(&["-u", &uri, "--cacert", &ca, "SET", "a", "b"], b"").1, "OK\n");
    assert_eq!(run(&["--insecure", "--tls", "-n", "3", "GET", "a"], b"").1, "b\n");
    let (cert, key) = (pki.path("client.crt"), pki.path("client.key"));
    let shown = ["--tls", "--cacert", &ca, "--cert", &cert, "--key", &key, "PING"];
    assert_eq!(run(&shown, b"").1, "PONG\n");
    let (cert, key) = (pki.path("foreign.crt"), pki.path("foreign.key"));
    let (fine, told) =
        run(&["--tls", "--cacert", &ca, "--cert", &cert, "--key", &key, "PING"], b"");
    assert!(!fine && told.contains("received fatal alert"), "{told}");
    let other = pki.path("other.crt");
    let (fine, told) = run(&["--tls", "--cacert", &other, "PING"], b"");
    assert!(!fine && told.contains("invalid peer certificate: UnknownIssuer"), "{told}");
    let (fine, told) = run(&["--tls", "--cacert", &ca, "--sni", "elsewhere", "PING"], b"");
    assert!(!fine && told.contains("not valid for name"), "{told}");
    let (fine, told) = run(&["PING"], b"");
    assert!(!fine && told.contains("Error: "), "{told}");
    let mut commands = String::new();
    for n in 0..20_000 {
        write!(commands, "SET key:{n} {n}\r\nGET key:{n}\r\n").unwrap();
    }
    let (fine, told) = run(&["--tls", "--cacert", &ca, "--pipe"], commands.as_bytes());
    assert!(fine && told.contains("errors: 0, replies: 40000"), "{told}");
}

#[test]
fn a_copy_is_exported() {
    let pki = Pki::new();
    let mut server = pki.start(&[]);
    assert_eq!(server.set(&["tls-auth-clients", "yes"]), "OK");
    assert_eq!(server.admin.ask(&["SET", "a", "b"]), ok());
    let (file, from) = (pki.path("copy.rdb"), format!("127.0.0.1:{}", server.port));
    let (cert, key) = (pki.path("client.crt"), pki.path("client.key"));
    let (ca, other) = (pki.path("ca.crt"), pki.path("other.crt"));
    let base = ["export", &file, "--from", &from, "--tls"];
    let run = |args: &[&str]| program().args(base).args(args).output().unwrap();
    let done = run(&["--cacert", &ca, "--cert", &cert, "--key", &key]);
    assert!(done.status.success(), "{}", said(&done));
    assert!(said(&done).contains("its sum is right"));
    assert!(std::fs::read(&file).unwrap().starts_with(b"REDIS"));
    for args in [&["--cacert", &ca][..], &["--cacert", &other], &["--cacert", "/x"]] {
        let done = run(args);
        assert_eq!(done.status.code(), Some(1), "{}", said(&done));
    }
    server.alone();
}

/// What becomes of a `PING`: the reply's text, or that there is none.
fn ping(server: &Secured, context: &Arc<ClientConfig>) -> String {
    let mut stream = server.stream(context);
    stream.sock.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut reply = [0; 7];
    let asked = stream.write_all(b"PING\r\n").and_then(|()| stream.read_exact(&mut reply));
    match asked {
        Ok(()) => String::from_utf8_lossy(&reply).into_owned(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn clients_show_certificates_as_configured() {
    let pki = Pki::new();
    let mut server = pki.start(&[]);
    for versions in [&[&version::TLS12][..], &[&version::TLS13]] {
        let nobody = pki.context("ca.crt", None, versions);
        let client = pki.context("ca.crt", Some("client"), versions);
        let foreign = pki.context("ca.crt", Some("foreign"), versions);
        let deceived = pki.context("other.crt", None, versions);
        // A refused connection is closed, and a peer that still writes may see only that.
        let refused = |said: String| {
            let known = ["fatal alert", "reset by peer", "Broken pipe", "unexpected end"];
            assert!(known.iter().any(|text| said.contains(text)), "{said}");
        };
        assert_eq!(server.set(&["tls-auth-clients", "no"]), "OK");
        for context in [&nobody, &client, &foreign] {
            assert_eq!(ping(&server, context), "+PONG\r\n");
        }
        assert_eq!(server.set(&["tls-auth-clients", "optional"]), "OK");
        assert_eq!(ping(&server, &nobody), "+PONG\r\n");
        assert_eq!(ping(&server, &client), "+PONG\r\n");
        refused(ping(&server, &foreign));
        assert_eq!(server.set(&["tls-auth-clients", "yes"]), "OK");
        refused(ping(&server, &nobody));
        assert_eq!(ping(&server, &client), "+PONG\r\n");
        refused(ping(&server, &foreign));
        let said = ping(&server, &deceived);
        assert!(said.contains("UnknownIssuer"), "{said}");
    }
    server.server.logged("Error accepting a client connection: peer sent no certificates");
    server.alone();
}

#[test]
fn only_handshakes_that_end_are_connections() {
    let pki = Pki::new();
    let mut server = pki.start(&[]);
    let before = server.number("total_connections_received");
    let mut half = server.socket();
    half.write_all(b"\x16\x03\x01").unwrap();
    eventually("a client", || (server.number("connected_clients") == 2).then_some(()));
    assert_eq!(server.number("total_connections_received"), before);
    let mut client = server.connect();
    assert_eq!(client.ask(&["PING"]), Value::Simple(b"PONG".to_vec()));
    assert_eq!(server.number("total_connections_received"), before + 1);
    // A connection in its handshake is a client like others: listed, and closed.
    let list = text(&server.admin.ask(&["CLIENT", "LIST"]));
    let line = list.lines().find(|line| line.contains("cmd=NULL")).unwrap();
    assert!(line.contains(&format!("laddr=127.0.0.1:{}", server.port)), "{line}");
    let addr = half.local_addr().unwrap().to_string();
    assert_eq!(server.admin.ask(&["CLIENT", "KILL", &addr]), ok());
    assert_eq!(half.read(&mut [0; 100]).unwrap_or(0), 0);
    // And takes a place.
    assert_eq!(server.set(&["maxclients", "3"]), "OK");
    let _half = server.socket();
    eventually("a client", || (server.number("connected_clients") == 3).then_some(()));
    let refused = server.number("rejected_connections");
    let mut late = server.socket();
    assert_eq!(late.read(&mut [0; 100]).unwrap_or(0), 0, "nothing that is not TLS is said");
    assert_eq!(server.number("rejected_connections"), refused + 1);
    assert_eq!(client.ask(&["PING"]), Value::Simple(b"PONG".to_vec()));
}

/// The end of the name of who holds the certificate a server shows.
fn holder(server: &Secured) -> Vec<u8> {
    let mut stream = server.stream(&server.context);
    stream.sock.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(b"PING\r\n").unwrap();
    stream.read_exact(&mut [0; 7]).unwrap();
    stream.conn.peer_certificates().unwrap()[0].to_vec()
}

#[test]
fn certificates_are_read_anew_while_clients_stay() {
    let pki = Pki::new();
    let mut server = pki.start(&[]);
    let first = holder(&server);
    let mut old = server.connect();
    assert_eq!(old.ask(&["SET", "a", "b"]), ok());
    let (cert, key) = (pki.path("second.crt"), pki.path("second.key"));
    // One of two that belong together.
    let told = server.set(&["tls-cert-file", &cert]);
    let failed = "ERR CONFIG SET failed (possibly related to argument '";
    assert_eq!(told, format!("{failed}tls-cert-file') - {UNABLE}"));
    assert_eq!(holder(&server), first);
    let was = pki.path("server.crt");
    let get = server.admin.ask(&["CONFIG", "GET", "tls-cert-file"]);
    assert_eq!(get, Value::Array(vec![bulk("tls-cert-file"), bulk(&was)]));
    assert_eq!(server.set(&["tls-cert-file", &cert, "tls-key-file", &key]), "OK");
    let second = holder(&server);
    assert_ne!(second, first);
    // The same names, other files in their places.
    std::fs::copy(&was, &cert).unwrap();
    std::fs::copy(pki.path("server.key"), &key).unwrap();
    assert_eq!(holder(&server), second);
    assert_eq!(server.set(&["maxclients", "1000"]), "OK");
    assert_eq!(holder(&server), second);
    assert_eq!(server.set(&["tls-key-file", &key]), "OK");
    assert_eq!(holder(&server), first);
    assert_eq!(old.ask(&["GET", "a"]), bulk("b"));
    for (words, name) in [
        (&["tls-key-file", "/nonexistent"][..], "tls-key-file"),
        (&["tls-port", "1", "tls-key-file", "/nonexistent"], "tls-port"),
        (&["maxclients", "999", "tls-ca-cert-dir", "/nonexistent"], "tls-ca-cert-dir"),
        (&["tls-protocols", "TLSv1.1"], "tls-protocols"),
        (&["tls-ciphers", "nonsense"], "tls-ciphers"),
        (&["tls-ciphersuites", "nonsense"], "tls-ciphersuites"),
        (&["tls-ca-cert-file", "", "tls-auth-clients", "yes"], "tls-ca-cert-file"),
    ] {
        assert_eq!(server.set(words), format!("{failed}{name}') - {UNABLE}"), "{words:?}");
    }
    server.server.logged("Failed to load private key: /nonexistent: No such file or directory");
    server.server.logged("Possibly related to new tls-key-file setting. Restoring previous");
    let get = server.admin.ask(&["CONFIG", "GET", "maxclients"]);
    assert_eq!(get, Value::Array(vec![bulk("maxclients"), bulk("1000")]));
    assert_eq!(holder(&server), first);
}

#[test]
fn ports_open_and_close_while_it_runs() {
    let pki = Pki::new();
    let mut server = pki.start(&[]);
    let plain = server.server.port.to_string();
    let told = server.set(&["tls-port", &plain]);
    assert!(
        told.contains("'tls-port') - Unable to listen on this port. Check server logs."),
        "{told}"
    );
    assert_eq!(ping(&server, &server.context), "+PONG\r\n");
    let mut client = server.connect();
    assert_eq!(server.set(&["bind", "127.0.0.1 -::1"]), "OK");
    assert_eq!(ping(&server, &server.context), "+PONG\r\n");
    assert_eq!(server.set(&["port", "0"]), "OK");
    assert_eq!(ping(&server, &server.context), "+PONG\r\n");
    assert_eq!(server.number("tcp_port"), u64::from(server.port));
    // They change places, and back.
    let tls = server.port.to_string();
    assert_eq!(server.set(&["port", &plain]), "OK");
    assert_eq!(server.set(&["port", &tls, "tls-port", &plain]), "OK");
    std::mem::swap(&mut server.port, &mut server.server.port);
    assert_eq!(ping(&server, &server.context), "+PONG\r\n");
    assert_eq!(server.server.connect().ask(&["PING"]), Value::Simple(b"PONG".to_vec()));
    assert_eq!(server.set(&["tls-port", "0"]), "OK");
    assert!(std::net::TcpStream::connect(("127.0.0.1", server.port)).is_err());
    assert_eq!(client.ask(&["PING"]), Value::Simple(b"PONG".to_vec()));
    // Without a port nothing is read; with one it is.
    assert_eq!(server.set(&["tls-cert-file", "/nonexistent"]), "OK");
    let told = server.set(&["tls-port", &free_port().to_string()]);
    assert!(told.contains(&format!("'tls-port') - {UNABLE}")), "{told}");
}

#[test]
fn it_starts_with_tls_alone_or_not_at_all() {
    let pki = Pki::new();
    let (cert, key, ca) = (pki.path("server.crt"), pki.path("server.key"), pki.path("ca.crt"));
    let base = ["serve", "--port", "0", "--appendonly", "no", "--save", "", "--bind", "127.0.0.1"];
    for (args, complaint) in [
        (&[][..], "No tls-cert-file configured!"),
        (&["--tls-cert-file", &cert], "No tls-key-file configured!"),
        (&["--tls-cert-file", &cert, "--tls-key-file", &key], "Either tls-ca-cert-file or"),
        (
            &["--tls-cert-file", &ca, "--tls-key-file", &key, "--tls-auth-clients", "no"],
            "Failed to load private key: ",
        ),
        (
            &["--tls-cert-file", "/x", "--tls-key-file", &key, "--tls-ca-cert-file", &ca],
            "Failed to load certificate: /x: No such file or directory",
        ),
    ] {
        let done = program().args(base).args(["--tls-port", "1"]).args(args).output().unwrap();
        let told = said(&done);
        assert_eq!(done.status.code(), Some(1), "{told}");
        assert!(told.contains(complaint) && told.contains("Failed to configure TLS."), "{told}");
    }
    let args = ["--tls-cert-file", &cert, "--tls-key-file", &key, "--tls-ca-cert-file", &ca];
    let port = loop {
        let port = free_port();
        let tls = port.to_string();
        let mut server = server::Server::launch(0, &[&args[..], &["--tls-port", &tls]].concat());
        let ready = eventually("the start", || {
            let log = server.log();
            let busy = log.contains("Address already in use");
            (busy || log.contains("Ready to accept connections")).then_some(!busy)
        });
        if ready {
            assert!(server.log().contains(&format!("connections on 127.0.0.1:{port}\n")));
            let socket = std::net::TcpStream::connect(("127.0.0.1", port)).unwrap();
            let context = pki.context("ca.crt", Some("client"), rustls::ALL_VERSIONS);
            let name = rustls::pki_types::ServerName::try_from("127.0.0.1").unwrap();
            let session = rustls::ClientConnection::new(context, name).unwrap();
            let stream = rustls::StreamOwned::new(session, socket);
            let mut client = Client::new(server::Socket::Tls(Box::new(stream)));
            assert_eq!(server.info(&mut client, "tcp_port"), tls);
            server.signal("TERM");
            assert!(server.ended().success());
            // It has said goodbye as TLS wants it.
            assert_eq!(client.try_hear(), None);
            break port;
        }
    };
    assert_ne!(port, 0);
}

#[test]
fn versions_and_ciphers_are_those_configured() {
    let pki = Pki::new();
    let mut server = pki.start(&[]);
    let spoken = |server: &Secured, context: &Arc<ClientConfig>| {
        let mut stream = server.stream(context);
        stream.sock.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(b"PING\r\n").ok()?;
        stream.read_exact(&mut [0; 7]).ok()?;
        Some(format!("{:?}", stream.conn.negotiated_cipher_suite()?.suite()))
    };
    let old = pki.context("ca.crt", None, &[&version::TLS12]);
    let new = pki.context("ca.crt", None, &[&version::TLS13]);
    assert!(spoken(&server, &old).is_some() && spoken(&server, &new).is_some());
    assert_eq!(server.set(&["tls-protocols", "TLSv1.3"]), "OK");
    assert!(spoken(&server, &old).is_none() && spoken(&server, &new).is_some());
    assert_eq!(server.set(&["tls-protocols", "TLSv1.2"]), "OK");
    assert!(spoken(&server, &old).is_some() && spoken(&server, &new).is_none());
    assert_eq!(server.set(&["tls-protocols", "", "tls-ciphers", "CHACHA20"]), "OK");
    assert_eq!(spoken(&server, &old).unwrap(), "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256");
    assert_eq!(server.set(&["tls-ciphersuites", "TLS_AES_128_GCM_SHA256"]), "OK");
    assert_eq!(spoken(&server, &new).unwrap(), "TLS13_AES_128_GCM_SHA256");
    // Which side's order counts.
    let mut provider = rustls::crypto::ring::default_provider();
    provider.cipher_suites.retain(|suite| format!("{suite:?}").contains("ECDHE_ECDSA"));
    provider.cipher_suites.sort_by_key(|suite| !format!("{suite:?}").contains("AES_128"));
    let roots = tls::pem::authorities(Some(&pki.path("ca.crt")), None).unwrap();
    let picky = ClientConfig::builder_with_provider(Arc::new(provider))
        .with_protocol_versions(&[&version::TLS12])
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let picky = Arc::new(picky);
    assert_eq!(server.set(&["tls-ciphers", "AES256:AES128"]), "OK");
    assert!(spoken(&server, &picky).unwrap().contains("AES_128"));
    assert_eq!(server.set(&["tls-prefer-server-ciphers", "yes"]), "OK");
    assert!(spoken(&server, &picky).unwrap().contains("AES_256"));
}

#[test]
fn sessions_are_resumed_as_configured() {
    let pki = Pki::new();
    let mut server = pki.start(&[]);
    let kind = |server: &Secured, context: &Arc<ClientConfig>| {
        let mut stream = server.stream(context);
        stream.sock.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(b"PING\r\n").unwrap();
        stream.read_exact(&mut [0; 7]).unwrap();
        format!("{:?}", stream.conn.handshake_kind().unwrap())
    };
    for versions in [&[&version::TLS12][..], &[&version::TLS13]] {
        let context = pki.context("ca.crt", None, versions);
        assert_eq!(server.set(&["tls-session-caching", "yes"]), "OK");
        assert_eq!(kind(&server, &context), "Full");
        assert_eq!(kind(&server, &context), "Resumed");
        // Sessions of other times are not resumed under other certificates.
        assert_eq!(server.set(&["tls-cert-file", &pki.path("server.crt")]), "OK");
        assert_eq!(kind(&server, &context), "Full");
        assert_eq!(server.set(&["tls-session-caching", "no"]), "OK");
        assert_eq!(kind(&server, &context), "Full");
        assert_eq!(kind(&server, &context), "Full");
    }
}
