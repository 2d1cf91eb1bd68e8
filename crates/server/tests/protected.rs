//! Protected mode at every door: without a password, a client on another machine may do nothing.

// In a test a panic is how a failure is told.
#![allow(clippy::unwrap_used)]

use std::net::{IpAddr, TcpStream};

use grpc::client_channel::ClientChannel;
use grpc::generated::kvist as pb;
use grpc::generated::memorize::GetRequest;
use tonic::Code::{self, PermissionDenied};
use tonic::Status;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;
use wire::Value;

use crate::calls::{Calls, Kvist, Memorize, refused};
use crate::server::{Client, Server, Socket, eventually, ok, own_address};
use crate::web::Web;

#[test]
fn redis() {
    let Some(ip) = own_address() else { return };
    let server = Server::start(&["--bind", "127.0.0.1", &ip.to_string()]);
    let connect = || Client::new(Socket::Tcp(TcpStream::connect((ip, server.port)).unwrap()));
    let mut remote = connect();
    let denied = remote.hear();
    let text = String::from_utf8(denied.as_error().unwrap().to_vec()).unwrap();
    assert!(text.starts_with("DENIED Redis is running in protected mode because"), "{text}");
    assert!(text.ends_with("start accepting connections from the outside."), "{text}");
    // As long as Redis's, which also has no space too many.
    assert_eq!((text.len(), text.contains("  ")), (1064, false));
    assert_eq!(remote.try_hear(), None);
    let mut friend = server.connect();
    assert_eq!(friend.ask(&["CONFIG", "SET", "protected-mode", "no"]), ok());
    assert_eq!(connect().ask(&["PING"]), Value::Simple(b"PONG".to_vec()));
}

#[test]
fn http() {
    let Some(ip) = own_address() else { return };
    let web = Web::start(&["--bind", "127.0.0.1", &ip.to_string()]);
    let ask = |path: &str| web.connect_from(ip).ask(&format!("GET {path}"), "").status;
    let mut remote = web.connect_from(ip);
    let page = remote.ask("GET /api/v1/stats", "");
    assert_eq!(page.status, 403);
    assert!(page.text().contains("protected mode"), "{}", page.text());
    assert_eq!(remote.closed(), b"");
    // Not even how the server is, and whatever is shown where nothing is asked for.
    for path in ["/health", "/metrics", "/api/v1/stats\nAuthorization: Bearer t"] {
        assert_eq!(ask(path), 403, "{path}");
    }
    assert_eq!(web.get("/api/v1/stats").status, 200);
    let mut redis = web.server.connect();
    assert!(web.server.info(&mut redis, "rejected_connections").parse::<u64>().unwrap() >= 4);
    // A token protects, a password does, and it can be switched off.
    for (name, value, status) in
        [("http-token", "t", 401), ("requirepass", "p", 401), ("protected-mode", "no", 200)]
    {
        assert_eq!(redis.ask(&["CONFIG", "SET", name, value]), ok());
        assert_eq!((ask("/health"), ask("/api/v1/stats")), (200, status), "{name}");
        let back = if name == "protected-mode" { "yes" } else { "" };
        assert_eq!(redis.ask(&["CONFIG", "SET", name, back]), ok());
        assert_eq!(ask("/health"), 403, "{name}");
    }
}

fn get(calls: &Calls, line: ClientChannel) -> Result<(), Status> {
    calls.run(Kvist::new(line).get(pb::GetRequest::default())).map(drop)
}

fn look_up(calls: &Calls, line: ClientChannel) -> Result<(), Status> {
    calls.run(Memorize::new(line).get(GetRequest { key: "k".into() })).map(drop)
}

fn probe(calls: &Calls, line: ClientChannel) -> Result<(), Status> {
    calls.run(HealthClient::new(line).check(HealthCheckRequest::default())).map(drop)
}

/// The code of a call, whatever became of it.
fn code(result: Result<(), Status>) -> Code {
    result.map_or_else(|status| status.code(), |()| Code::Ok)
}

fn around(ip: IpAddr, args: &[&str]) -> Calls {
    Calls::start(&[&["--bind", "127.0.0.1", &ip.to_string()], args].concat())
}

#[test]
fn grpc_calls() {
    let Some(ip) = own_address() else { return };
    let calls = around(ip, &[]);
    let remote = calls.line_from(ip);
    for call in [get, look_up, probe] {
        let (code, text) = refused(call(&calls, remote.clone()));
        assert_eq!(code, PermissionDenied);
        assert!(text.starts_with("DENIED The server is in protected mode"), "{text}");
        call(&calls, calls.line()).unwrap();
    }
    // Credentials where none are asked for are no way in.
    let claims = remote.clone().with("authorization", "Bearer t").unwrap();
    assert_eq!(refused(get(&calls, claims)).0, PermissionDenied);
    let mut redis = calls.server.connect();
    assert_ne!(calls.server.info(&mut redis, "rejected_connections"), "0");
    // Refused connections do not count against those of others.
    eventually("the end of the connection", || {
        (code(get(&calls, remote.clone())) != PermissionDenied).then_some(())
    });
    for (name, value, code_then) in
        [("requirepass", "p", Code::Unauthenticated), ("protected-mode", "no", Code::Ok)]
    {
        assert_eq!(redis.ask(&["CONFIG", "SET", name, value]), ok());
        assert_eq!(code(get(&calls, calls.line_from(ip))), code_then, "{name}");
        probe(&calls, calls.line_from(ip)).unwrap();
        let back = if name == "protected-mode" { "yes" } else { "" };
        assert_eq!(redis.ask(&["CONFIG", "SET", name, back]), ok());
        assert_eq!(code(get(&calls, calls.line_from(ip))), PermissionDenied, "{name}");
    }
}

#[test]
fn a_key_of_grpc_protects_as_a_password_does() {
    let Some(ip) = own_address() else { return };
    let calls = around(ip, &["--grpc-api-key", "secret"]);
    assert_eq!(code(look_up(&calls, calls.line_from(ip))), Code::Unauthenticated);
    let knows = calls.line_from(ip).with("x-api-key", "secret").unwrap();
    look_up(&calls, knows).unwrap();
    probe(&calls, calls.line_from(ip)).unwrap();
}
