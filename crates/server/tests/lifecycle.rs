//! Starting and stopping: command lines, busy ports, signals, files.

// In a test a panic is how a failure is told.
#![allow(clippy::unwrap_used)]

use std::net::TcpListener;
use std::os::unix::net::UnixStream;
use std::process::Output;

use wire::Value;

use crate::server::{self, Client, Server, Socket, bulk, ok, program, temporary};

fn run(args: &[&str]) -> Output {
    program().args(args).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn it_tells_what_it_is() {
    for args in [&["--help"][..], &["help"], &["-h"]] {
        let help = run(args);
        assert!(help.status.success());
        assert!(text(&help.stdout).contains("kvist serve [FILE.conf]"));
    }
    assert!(text(&run(&["serve", "--help"]).stdout).contains("--io-threads 4"));
    assert!(text(&run(&["cli", "--help"]).stdout).contains("Usage: kvist cli"));
    let version = text(&run(&["--version"]).stdout);
    assert_eq!(version, format!("kvist {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn nonsense_on_the_command_line_is_refused() {
    for (args, code, complaint) in [
        (&[][..], 2, "Try 'kvist --help'"),
        (&["nonsense"], 2, "unknown command 'nonsense'"),
        (&["serve", "--nonsense", "1"], 1, "nonsense"),
        (&["serve", "--port", "x"], 1, "port"),
        (&["serve", "/nonexistent.conf"], 1, "/nonexistent.conf"),
        (&["serve", "--port", "0"], 1, "Configured to not listen anywhere"),
        (&["serve", "--port", "7", "--bind", "203.0.113.9"], 1, "203.0.113.9:7: bind: "),
        (&["serve", "--logfile", "/nonexistent/log"], 1, "Can't open the log file"),
    ] {
        let done = run(args);
        let said = text(&done.stderr);
        assert_eq!(done.status.code(), Some(code), "{args:?}: {said}");
        assert!(said.contains(complaint), "{args:?}: {said}");
    }
}

#[test]
fn a_busy_port_is_an_error() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let done = run(&["serve", "--bind", "127.0.0.1", "--port", &port]);
    assert_eq!(done.status.code(), Some(1));
    let complaint = format!("socket 127.0.0.1:{port}: bind: Address already in use");
    let said = text(&done.stderr);
    assert!(said.contains("Could not create server TCP listening"), "{said}");
    assert!(said.contains(&complaint), "{said}");
}

#[test]
fn an_optional_address_may_be_missing() {
    let server = Server::start(&["--bind", "127.0.0.1", "-203.0.113.9", "-::1"]);
    assert_eq!(server.connect().ask(&["PING"]), Value::Simple(b"PONG".to_vec()));
}

#[test]
fn settings_come_from_file_environment_and_command_line() {
    let file = temporary("kvist.conf");
    std::fs::write(&file, "timeout 7\nmaxclients 77\n").unwrap();
    let mut command = program();
    command.arg("serve").arg(&file).args(["--appendonly", "no", "--save", ""]);
    command.args(["--port", "0", "--maxclients", "78", "--unixsocket"]);
    let socket = temporary("socket");
    let mut child = command
        .arg(&socket)
        .env("KVIST_TIMEOUT", "6")
        .env("KVIST_HZ", "33")
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let stream =
        server::eventually("the socket", || std::os::unix::net::UnixStream::connect(&socket).ok());
    let mut client = server::Client::new(server::Socket::Unix(stream));
    for (name, value) in [("timeout", "7"), ("maxclients", "78"), ("hz", "33")] {
        let reply = client.ask(&["CONFIG", "GET", name]);
        assert_eq!(reply, Value::Array(vec![bulk(name), bulk(value)]));
    }
    let _ = child.kill();
    let _ = child.wait();
    let _ = std::fs::remove_file(&file);
    let _ = std::fs::remove_file(&socket);
}

#[test]
fn a_supervisor_is_told_when_it_is_ready() {
    let path = temporary("notify");
    let socket = std::os::unix::net::UnixDatagram::bind(&path).unwrap();
    socket.set_read_timeout(Some(server::PATIENCE)).unwrap();
    let dir = temporary("data");
    let port = server::free_port().to_string();
    let mut child = program()
        .args(["serve", "--bind", "127.0.0.1", "--port", &port, "--dir", dir.to_str().unwrap()])
        .env("NOTIFY_SOCKET", &path)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let hear = || {
        let mut text = [0; 200];
        let n = socket.recv(&mut text).unwrap();
        String::from_utf8(text[..n].to_vec()).unwrap()
    };
    assert!(hear().starts_with("STATUS=Loading"));
    assert!(hear().starts_with("READY=1\n"));
    std::net::TcpStream::connect(format!("127.0.0.1:{port}")).unwrap();
    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").arg(&pid).status().unwrap().success());
    assert!(hear().starts_with("STOPPING=1\n"));
    assert!(child.wait().unwrap().success());
    let _ = std::fs::remove_dir_all(&dir);
    let _ = std::fs::remove_file(&path);
}

#[test]
fn sigterm_ends_it_in_order() {
    for signal in ["TERM", "INT"] {
        let pid_file = temporary("pid");
        let mut server = Server::start(&["--pidfile", pid_file.to_str().unwrap()]);
        let pid = std::fs::read_to_string(&pid_file).unwrap();
        assert_eq!(pid, format!("{}\n", server.id()));
        let mut client = server.connect();
        let value = "v".repeat(5_000_000);
        assert_eq!(client.ask(&["SET", "k", &value]), ok());
        // Replies that do not fit into the kernel's buffers, and a client that waits for ever.
        let mut blocked = server.connect();
        blocked.say(&["BLPOP", "list", "0"]);
        client.say(&["GET", "k"]);
        client.say(&["GET", "k"]);
        let first = client.hear();
        server.signal(signal);
        assert_eq!(first, bulk(&value));
        assert_eq!(client.hear(), bulk(&value));
        assert_eq!(client.try_hear(), None);
        blocked.closed();
        assert!(server.ended().success());
        server.logged("bye bye");
        assert!(!pid_file.exists());
    }
}

#[test]
fn sighup_and_clients_that_left_do_not_end_it() {
    let server = Server::start(&[]);
    let mut leaving = server.connect();
    assert_eq!(leaving.ask(&["SET", "k", &"v".repeat(3_000_000)]), ok());
    for _ in 0..10 {
        leaving.say(&["GET", "k"]);
    }
    drop(leaving);
    server.signal("HUP");
    let mut client = server.connect();
    assert_eq!(client.ask(&["PING"]), Value::Simple(b"PONG".to_vec()));
}

#[test]
fn shutdown_ends_it() {
    let mut server = Server::start(&[]);
    let mut client = server.connect();
    client.say(&["SHUTDOWN", "NOSAVE"]);
    assert_eq!(client.try_hear(), None);
    assert!(server.ended().success());
}

#[test]
fn the_log_goes_to_a_file_that_may_be_moved_away() {
    let (file, moved) = (temporary("log"), temporary("log-moved"));
    let mut child = program()
        .args(["serve", "--port", "0", "--loglevel", "debug", "--unixsocket"])
        .arg(temporary("socket"))
        .args(["--logfile", file.to_str().unwrap()])
        // Nothing of it is to stay in the repository, and no port to conflict with others.
        .args(["--appendonly", "no", "--save", "", "--grpc-port", "0", "--http-port", "0"])
        .spawn()
        .unwrap();
    let read = |path| std::fs::read_to_string(path).unwrap_or_default();
    server::eventually("readiness", || read(&file).contains("Ready to accept").then_some(()));
    std::fs::rename(&file, &moved).unwrap();
    let killed = std::process::Command::new("kill").arg(child.id().to_string()).status();
    assert!(killed.unwrap().success());
    assert!(child.wait().unwrap().success());
    assert!(read(&moved).contains("Ready to accept"));
    assert!(read(&file).contains("bye bye"));
    let _ = std::fs::remove_file(&file);
    let _ = std::fs::remove_file(&moved);
}

/// A log on a disk that hangs keeps no client waiting, and no server from ending.
#[test]
fn a_log_that_hangs_keeps_no_client_waiting() {
    let (file, socket) = (temporary("log-hangs"), temporary("log-hangs-socket"));
    let mut child = program()
        .args(["serve", "--port", "0", "--unixsocket", socket.to_str().unwrap()])
        .args(["--logfile", file.to_str().unwrap()])
        .args(["--appendonly", "no", "--save", "", "--grpc-port", "0", "--http-port", "0"])
        .spawn()
        .unwrap();
    let read = || std::fs::read_to_string(&file).unwrap_or_default();
    server::eventually("readiness", || read().contains("Ready to accept").then_some(()));
    let connect = || Client::new(Socket::Unix(UnixStream::connect(&socket).unwrap()));
    let mut client = connect();
    std::fs::remove_file(&file).unwrap();
    // No process reads it, so it cannot be opened.
    assert!(std::process::Command::new("mkfifo").arg(&file).status().unwrap().success());
    for n in 0..100 {
        assert_eq!(client.ask(&["CONFIG", "SET", "timeout", &(1000 + n).to_string()]), ok());
    }
    assert_eq!(connect().ask(&["PING"]), Value::Simple(b"PONG".to_vec()));
    client.say(&["SHUTDOWN", "NOSAVE"]);
    assert_eq!(client.try_hear(), None);
    let ended = server::eventually("the end", || child.try_wait().unwrap());
    assert!(ended.success());
    let _ = std::fs::remove_file(&file);
}

#[test]
fn the_log_level_follows_the_configuration() {
    let server = Server::start(&[]);
    let mut client = server.connect();
    for level in ["debug", "warning", "verbose"] {
        assert_eq!(client.ask(&["CONFIG", "SET", "loglevel", level]), ok());
        server.logged(&format!("The log level is now {level}"));
    }
}

#[test]
fn the_configuration_file_is_rewritten() {
    let folder = temporary("rewrite");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("kvist.conf");
    std::fs::write(&path, "# silence\ntimeout 5\n\n# and size\nmaxclients 77\n").unwrap();
    let file = path.to_str().unwrap();
    let mut server = Server::start(&[file]);
    let mut client = server.connect();
    assert_eq!(client.ask(&["CONFIG", "SET", "timeout", "6", "maxmemory", "1gb"]), ok());
    assert_eq!(client.ask(&["CONFIG", "REWRITE"]), ok());
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(
        text.starts_with("# silence\ntimeout 6\n\n# and size\nmaxclients 77\n\n# Gen"),
        "{text}"
    );
    assert!(text.contains("\nmaxmemory 1gb\n"), "{text}");
    assert!(!text.contains("maxmemory-samples"), "defaults are not written: {text}");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "nothing is left over");
    server.signal("TERM");
    server.ended();

    let server = Server::start(&[file]);
    let mut client = server.connect();
    for (name, value) in [("timeout", "6"), ("maxclients", "77"), ("maxmemory", "1073741824")] {
        let shown = client.ask(&["CONFIG", "GET", name]);
        assert_eq!(shown, Value::Array(vec![bulk(name), bulk(value)]));
    }
    assert_eq!(client.ask(&["CONFIG", "REWRITE"]), ok());
    let again = std::fs::read_to_string(&path).unwrap();
    assert_eq!(lasting(&again), lasting(&text));

    // The words are those of redis-server 7.0.15.
    let refused =
        |why: &str| Value::Error(format!("ERR Rewriting config file: {why}").into_bytes());
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    assert_eq!(client.ask(&["CONFIG", "REWRITE"]), refused("Is a directory"));
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(client.ask(&["CONFIG", "REWRITE"]), refused("No such file or directory"));
    server.logged("CONFIG REWRITE failed");
    let error = b"ERR The server is running without a config file".to_vec();
    let without = Server::start(&[]);
    assert_eq!(without.connect().ask(&["CONFIG", "REWRITE"]), Value::Error(error));
}

/// The lines, but for those that every start of a test has of its own.
fn lasting(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.starts_with("port ") && !line.starts_with("dir ")).collect()
}

#[test]
fn a_second_interrupt_ends_it_at_once() {
    let mut server = Server::start(&[]);
    let mut client = server.connect();
    assert_eq!(client.ask(&["SET", "k", &"v".repeat(10_000_000)]), ok());
    // A client that does not take the last replies is given a second.
    for _ in 0..5 {
        client.say(&["GET", "k"]);
    }
    let mut other = server.connect();
    server::eventually("replies that wait", || {
        let list = other.ask(&["CLIENT", "LIST"]);
        let list = String::from_utf8(list.as_bytes().unwrap().to_vec()).unwrap();
        list.lines().any(|l| l.contains("cmd=get") && l.contains("events=rw")).then_some(())
    });
    server.signal("INT");
    server.logged("Received SIGINT");
    server.signal("INT");
    assert_eq!(server.ended().code(), Some(1));
    server.logged("You insist");
}

#[test]
fn the_port_can_change_while_it_runs() {
    let mut server = Server::start(&[]);
    let mut client = server.connect();
    let (old, new) = (server.port, server::free_port());
    assert_eq!(client.ask(&["CONFIG", "SET", "port", &new.to_string()]), ok());
    server.logged(&format!("Now accepting connections on 127.0.0.1:{new}"));
    server.port = new;
    assert_eq!(server.connect().ask(&["PING"]), Value::Simple(b"PONG".to_vec()));
    assert!(std::net::TcpStream::connect(("127.0.0.1", old)).is_err());
    // Those connected before stay.
    assert_eq!(client.ask(&["PING"]), Value::Simple(b"PONG".to_vec()));
    assert_eq!(client.ask(&["CONFIG", "SET", "bind", "127.0.0.1 -::1"]), ok());
    server.logged(&format!("on 127.0.0.1:{new}, [::1]:{new}"));
    assert_eq!(server.connect().ask(&["PING"]), Value::Simple(b"PONG".to_vec()));
}

#[test]
fn a_server_that_cannot_move_stays_where_it_is() {
    let server = Server::start(&[]);
    let mut client = server.connect();
    let taken = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let taken = taken.local_addr().unwrap().port().to_string();
    let refusals: [(&[&str], &str); 4] = [
        (&["port", &taken], "'port') - Unable to listen on this port. Check server logs."),
        (
            &["port", &taken, "bind", "127.0.0.1 ::1"],
            "'port') - Unable to listen on this port. Check",
        ),
        (&["bind", "192.0.2.1"], "'bind') - Failed to bind to specified addresses."),
        (&["timeout", "5", "maxclients", "4000000000"], "'maxclients') - The operating system is"),
    ];
    for (pairs, reason) in refusals {
        let reply = client.ask(&[&["CONFIG", "SET"], pairs].concat());
        let Value::Error(text) = reply else { panic!("{pairs:?} was accepted: {reply:?}") };
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains(reason), "{pairs:?}: {text}");
        assert_eq!(server.connect().ask(&["PING"]), Value::Simple(b"PONG".to_vec()));
    }
    for (name, value) in [("bind", "127.0.0.1"), ("timeout", "0"), ("maxclients", "10000")] {
        let reply = client.ask(&["CONFIG", "GET", name]);
        assert_eq!(reply, Value::Array(vec![bulk(name), bulk(value)]));
    }
}

#[test]
fn running_out_of_descriptors_is_survived() {
    let server = Server::start(&[]);
    let mut before = server.connect();
    assert_eq!(before.ask(&["PING"]), Value::Simple(b"PONG".to_vec()));
    if !server.limit("--nofile=3:65536") {
        return;
    }
    let mut late = server.connect();
    late.say(&["PING"]);
    server.logged("Accepting client connection failed");
    assert_eq!(before.ask(&["PING"]), Value::Simple(b"PONG".to_vec()));
    assert!(server.limit("--nofile=1000:65536"));
    // No new connection announces that there is room again.
    assert_eq!(late.hear(), Value::Simple(b"PONG".to_vec()));
    assert!(server.log().matches("Accepting client connection failed").count() < 20);
}

#[test]
fn verbs_end_quietly_when_their_output_is_not_read() {
    for words in [&["help"][..], &["serve", "--help"], &["import", "--help"], &["version"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let said = server::program().args(words).stdout(writer).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&said.stderr), "", "{words:?}");
        assert_eq!(said.status.code(), Some(141), "{words:?}");
    }
}
