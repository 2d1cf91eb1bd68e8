//! The same replies, printed by `redis-cli` and by this client: byte for byte.
//!
//! A server that says what it is told stands between them, so every kind of reply comes up,
//! whatever real servers send. Skipped, loudly, where `redis-cli` is not installed.

// In a test a panic is how a failure is told.
#![allow(clippy::unwrap_used)]

use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::{Command, Stdio};

use testkit::skip;

/// Replies of every kind.
const REPLIES: &[&[u8]] = &[
    b"+OK\r\n",
    b"+\r\n",
    b"-ERR bad thing\r\n",
    b":42\r\n",
    b":-1\r\n",
    b"$5\r\nhe\"l\n\r\n",
    b"$0\r\n\r\n",
    b"$9\r\n\x00\x01\x7f\xff\t\x07\x08\\'\r\n",
    b"$-1\r\n",
    b"*-1\r\n",
    b"_\r\n",
    b"*0\r\n",
    b"%0\r\n",
    b"~0\r\n",
    b"*3\r\n:1\r\n$1\r\na\r\n*2\r\n+x\r\n*1\r\n$-1\r\n",
    b"*11\r\n:7\r\n:7\r\n:7\r\n:7\r\n:7\r\n:7\r\n:7\r\n:7\r\n:7\r\n:7\r\n*2\r\n:1\r\n*1\r\n:2\r\n",
    b"*2\r\n-ERR in\r\n$0\r\n\r\n",
    b"*2\r\n*0\r\n%1\r\n+a\r\n*0\r\n",
    b"%2\r\n+a\r\n:1\r\n+b\r\n*2\r\n:1\r\n:2\r\n",
    b"%1\r\n+b\r\n~2\r\n:1\r\n:2\r\n",
    b"%1\r\n+b\r\n%2\r\n:1\r\n:2\r\n:3\r\n:4\r\n",
    b"%1\r\n*2\r\n:1\r\n:2\r\n:3\r\n",
    b"%1\r\n+b\r\n*1\r\n*1\r\n+x\r\n",
    b"%2\r\n+b\r\n~1\r\n:1\r\n+c\r\n%1\r\n:3\r\n*2\r\n:1\r\n:2\r\n",
    b"*2\r\n%2\r\n:1\r\n:2\r\n:3\r\n*2\r\n:1\r\n:2\r\n+x\r\n",
    b"~2\r\n+a\r\n:1\r\n",
    b",1.5\r\n",
    b",inf\r\n",
    b",1e30\r\n",
    b"#t\r\n",
    b"#f\r\n",
    b"=7\r\ntxt:a\nb\r\n",
    b">2\r\n+a\r\n:1\r\n+OK\r\n",
];

/// Runs a client against a server that answers its command with these bytes: exit code, standard
/// output, standard error, and what it sent.
fn talk(
    client: &[&str],
    args: &[&str],
    input: &[u8],
    replies: &[&[u8]],
) -> (Option<i32>, String, String, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let replies: Vec<Vec<u8>> = replies.iter().map(|reply| reply.to_vec()).collect();
    // One reply per read: the clients under test wait for each before they send on.
    let server = std::thread::spawn(move || {
        let mut heard = String::new();
        let Ok((mut socket, _)) = listener.accept() else { return heard };
        let mut replies = replies.into_iter();
        let mut chunk = [0; 64 << 10];
        while let Ok(n) = socket.read(&mut chunk) {
            let request = String::from_utf8_lossy(&chunk[..n]).into_owned();
            // `redis-cli` asks for the documentation when lines are piped to it.
            let reply = if request.contains("COMMAND\r\n$4\r\nDOCS") {
                Some(b"*0\r\n".to_vec())
            } else {
                heard += &request;
                replies.next()
            };
            match reply {
                Some(reply) if n > 0 => {
                    if socket.write_all(&reply).is_err() {
                        break;
                    }
                }
                _ => break,
            }
        }
        heard
    });
    let mut child = Command::new(client[0])
        .args(&client[1..])
        .args(["-h", "127.0.0.1", "-p", &port])
        .args(args)
        .env_remove("REDISCLI_AUTH")
        .env_remove("KVISTCLI_AUTH")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A client that does not read its input may be gone already.
    let _ = child.stdin.take().unwrap().write_all(input);
    let done = child.wait_with_output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (done.status.code(), text(&done.stdout), text(&done.stderr), server.join().unwrap())
}

const OURS: &[&str] = &[env!("CARGO_BIN_EXE_kvist-cli")];
const THEIRS: &[&str] = &["redis-cli"];

fn installed() -> bool {
    let there = Command::new("redis-cli").arg("--version").output().is_ok();
    if !there {
        skip::without("redis-cli", "redis-tools", "compare with it");
    }
    there
}

#[test]
fn every_kind_of_reply_looks_the_same() {
    if !installed() {
        return;
    }
    for reply in REPLIES {
        for style in [&["--no-raw"][..], &["--raw"], &["--csv"], &["--raw", "-d", ";"]] {
            for command in [&["foo"][..], &["info"]] {
                let args = [style, &["--show-pushes", "yes"], command].concat();
                let ours = talk(OURS, &args, b"", &[reply]);
                let theirs = talk(THEIRS, &args, b"", &[reply]);
                assert_eq!(ours, theirs, "{args:?} {}", reply.escape_ascii());
            }
        }
    }
}

/// Arguments, standard input, and the server's replies.
type Case<'a> = (&'a [&'a str], &'a [u8], &'a [&'a [u8]]);

#[test]
fn sessions_go_the_same() {
    if !installed() {
        return;
    }
    let ok: &[u8] = b"+OK\r\n";
    let error: &[u8] = b"-ERR no\r\n";
    let cases: &[Case] = &[
        (&["set", "k", "a b"], b"", &[ok]),
        (&["-x", "set", "k"], b"va\nl\n", &[ok]),
        (&["-X", "T", "set", "T", "v"], b"key", &[ok]),
        (&["-r", "3", "ping"], b"", &[ok, error, ok]),
        (&["-r", "2", "-i", "0.01", "ping"], b"", &[ok, ok]),
        (&["-e", "ping"], b"", &[error]),
        (&["-e", "-r", "3", "ping"], b"", &[ok, error, ok]),
        (&["-e"], b"ping\nping\n", &[error, ok]),
        (&["ping"], b"", &[error]),
        (&["--quoted-input", "set", "\"a\\x41\"", "'b'"], b"", &[ok]),
        (&["-n", "3", "get", "k"], b"", &[ok, ok]),
        (&["-a", "pw", "get", "k"], b"", &[ok, ok]),
        (&["-a", "pw", "--no-auth-warning", "get", "k"], b"", &[error, ok]),
        (&["--user", "me", "--pass", "pw", "get", "k"], b"", &[ok, ok]),
        (&["-3", "get", "k"], b"", &[b"%0\r\n", b"_\r\n"]),
        (&["-3", "get", "k"], b"", &[error, ok]),
        (&[], b"set a b\nget a\n\nfoo \"x\\x41\" 'y'\n", &[ok, b"$1\r\nb\r\n", error]),
        (&[], b"a 'unbalanced\nping\nquit\nping\n", &[ok, ok, ok]),
        (&["--no-raw"], b"multi\nset a b\nexec\n", &[ok, b"+QUEUED\r\n", b"*1\r\n+OK\r\n"]),
        (&["ping"], b"", &[]),
    ];
    for (args, input, replies) in cases {
        let ours = talk(OURS, args, input, replies);
        let theirs = talk(THEIRS, args, input, replies);
        assert_eq!(ours, theirs, "{args:?}");
    }
}

#[test]
fn a_server_that_is_not_there() {
    let done = Command::new(OURS[0]).args(["-p", "1", "ping"]).output().unwrap();
    assert_eq!(done.status.code(), Some(1));
    let said = String::from_utf8(done.stderr).unwrap();
    assert_eq!(said, "Could not connect to Kvist at 127.0.0.1:1: Connection refused\n");
    let done = Command::new(OURS[0]).args(["-s", "/nonexistent", "ping"]).output().unwrap();
    let said = String::from_utf8(done.stderr).unwrap();
    assert_eq!(said, "Could not connect to Kvist at /nonexistent: No such file or directory\n");
}

#[test]
fn bulk_loading_counts_replies() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let server = std::thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        let mut heard = Vec::new();
        let mut chunk = [0; 4096];
        let farewell = |heard: &[u8]| {
            let at = heard.windows(4).rposition(|four| four == b"ECHO")?;
            heard[at..].ends_with(b"\r\n").then(|| heard[at + 6..].to_vec())
        };
        let last = loop {
            let n = socket.read(&mut chunk).unwrap();
            heard.extend_from_slice(&chunk[..n]);
            if let Some(last) =
                farewell(&heard).filter(|last| last.iter().filter(|&&b| b == b'\n').count() == 2)
            {
                break last;
            }
        };
        socket.write_all(b"+OK\r\n-ERR wrong\r\n:1\r\n").unwrap();
        socket.write_all(&last).unwrap();
    });
    let mut child = Command::new(OURS[0])
        .args(["-p", &port, "--pipe"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"set a b\r\nfoo\r\nincr x\r\n").unwrap();
    let done = child.wait_with_output().unwrap();
    server.join().unwrap();
    assert_eq!(done.status.code(), Some(1));
    assert!(String::from_utf8(done.stdout).unwrap().ends_with("errors: 1, replies: 3\n"));
    assert_eq!(String::from_utf8(done.stderr).unwrap(), "ERR wrong\n");
}
