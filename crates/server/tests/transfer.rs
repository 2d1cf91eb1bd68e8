//! Copies of a running server: `redis-cli --rdb`, `kvist export --from`, readers that are slow or
//! go, replicas. redis-server and redis-check-rdb check the copies.
//!
//! `KVIST_SEED` repeats a run.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use testkit::folder::Folder;
use testkit::oracle::{self, Oracle};
use testkit::skip;
use wire::Value;

use crate::compared::{digest, fill, kvist, loaded_by_redis, rng, serve, stop};
use crate::server::{self, Server, eventually, ok, text};
use crate::tame;

/// What redis-cli makes of a server, into `file`; `None` if there is no redis-cli.
fn redis_cli(server: &Server, option: &str, file: &Path) -> Option<String> {
    let port = server.port.to_string();
    let done = Command::new("redis-cli").args(["-p", &port, option]).arg(file).output();
    let Ok(done) = done else {
        skip::without("redis-cli", "redis-tools", "fetch files with it");
        return None;
    };
    let said = [done.stdout, done.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(done.status.success() && said.contains("Transfer finished"), "{said}");
    Some(said)
}

fn nothing_left(folder: &Folder) {
    let unfinished = folder.join("data/unfinished");
    eventually("the end of all copies", || {
        let left = std::fs::read_dir(&unfinished).map_or(0, Iterator::count);
        (left == 0).then_some(())
    });
}

#[test]
fn redis_cli_takes_what_is_there() {
    let (folder, mut rng) = (Folder::new("rdb"), rng());
    for appendonly in ["yes", "no"] {
        let server = serve(&folder, &["--appendonly", appendonly]);
        let mut client = server.connect();
        fill(&mut client, &mut rng, 1500);
        let library = "#!lua name=l\nredis.register_function('f', function() return 1 end)";
        client.ask(&["FUNCTION", "LOAD", library]);
        let wanted = digest(&mut client);
        // Several at once get a copy each, or share one.
        std::thread::scope(|scope| {
            for n in 0..3 {
                let (server, folder, wanted) = (&server, &folder, &wanted);
                scope.spawn(move || {
                    let file = folder.join(format!("x{n}.rdb"));
                    let Some(said) = redis_cli(server, "--rdb", &file) else { return };
                    assert!(said.contains("until EOF marker"), "{said}");
                    let Some((_oracle, mut theirs)) = loaded_by_redis(&file) else { return };
                    assert_eq!(theirs.say("DEBUG DIGEST"), *wanted, "{appendonly}");
                    assert_eq!(theirs.say("FCALL f 0"), ":1");
                });
            }
        });
        let file = folder.join("functions.rdb");
        if redis_cli(&server, "--functions-rdb", &file).is_some()
            && let Some((_oracle, mut theirs)) = loaded_by_redis(&file)
        {
            assert_eq!((theirs.say("DBSIZE"), theirs.say("FCALL f 0")), (":0".into(), ":1".into()));
        }
        assert_eq!(digest(&mut client), wanted);
        nothing_left(&folder);
        stop(server);
    }
}

#[test]
fn a_cache_still_begins_empty() {
    let folder = Folder::new("cache");
    let server = serve(&folder, &["--appendonly", "no"]);
    let mut client = server.connect();
    client.ask(&["SET", "k", "v"]);
    let (done, said) = export(&server, &folder.at("x.rdb"));
    assert!(done, "{said}");
    client.ask(&["SET", "after", "it"]);
    stop(server);
    let server = serve(&folder, &["--appendonly", "no"]);
    assert_eq!(server.connect().ask(&["DBSIZE"]).as_i64(), Some(0));
    stop(server);
    let (done, said) = kvist(&["check", &folder.at("data")]);
    assert!(done && said.contains("Whole") && !said.contains("not part"), "{said}");
}

fn export(server: &Server, file: &str) -> (bool, String) {
    kvist(&["export", file, "--from", &format!("127.0.0.1:{}", server.port)])
}

#[test]
fn a_copy_is_of_one_moment() {
    for appendonly in ["yes", "no"] {
        let folder = Folder::new("moment");
        let server = serve(&folder, &["--appendonly", appendonly]);
        server.connect().ask(&["DEBUG", "POPULATE", "20000", "filling", "64"]);
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut writer = server.connect();
                let names: Vec<String> = (0..12).map(|n| format!("equal:{n}")).collect();
                let mut round = 0;
                while !done.load(Ordering::Relaxed) {
                    round += 1;
                    let value = round.to_string();
                    let mut words = vec!["MSET"];
                    words.extend(names.iter().flat_map(|name| [name.as_str(), &value]));
                    writer.ask(&words);
                }
            });
            let _end = Raise(&done);
            let mut reader = server.connect();
            eventually("the first write", || reader.ask(&["GET", "equal:0"]).as_bytes().map(drop));
            for round in 0..3 {
                let before = reader.ask(&["GET", "equal:0"]);
                let before = number(before.as_bytes().unwrap());
                let file = folder.at("x.rdb");
                let (fetched, said) = export(&server, &file);
                assert!(fetched && said.contains("its sum is right"), "{said}");
                let Some((_oracle, mut theirs)) = loaded_by_redis(Path::new(&file)) else { break };
                let values: Vec<String> =
                    (0..12).map(|n| theirs.say(&format!("GET equal:{n}"))).collect();
                assert!(values.iter().all(|value| *value == values[0]), "{values:?}");
                assert!(number(values[0].as_bytes()) >= before, "{round}: {values:?} {before}");
            }
        });
        stop(server);
    }
}

/// Ends a writer, also when the test fails.
struct Raise<'a>(&'a AtomicBool);

impl Drop for Raise<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn number(text: &[u8]) -> u64 {
    std::str::from_utf8(text).unwrap().parse().unwrap()
}

#[test]
fn what_is_no_single_copy_is_refused() {
    let folder = Folder::new("refused");
    let server = serve(&folder, &[]);
    let mut client = server.connect();
    let refused = |value: Value| {
        let text = text(&value);
        assert!(text.starts_with("NOMASTERLINK Replication is not supported"), "{text}");
    };
    refused(client.ask(&["SYNC"]));
    refused(client.ask(&["PSYNC", "?", "-1"]));
    assert_eq!(client.ask(&["REPLCONF", "rdb-only", "1", "capa", "psync2"]), ok());
    client.send(b"PING\r\nSYNC\r\n");
    assert_eq!(client.hear().as_bytes(), Some(&b"PONG"[..]));
    let text = text(&client.hear());
    assert!(text.starts_with("ERR SYNC and PSYNC are invalid"), "{text}");
    // Without marks the length is told; behind the copy the connection ends.
    client.say(&["PSYNC", "?", "-1"]);
    assert!(client.hear().as_bytes().unwrap().starts_with(b"FULLRESYNC "));
    assert!(client.hear_copy().starts_with(b"REDIS0010"));
    client.closed();
    // A real replica comes again once a second, no more often.
    let began = Instant::now();
    let Some(replica) = Oracle::start(&["--replicaof", "127.0.0.1", &server.port.to_string()])
    else {
        return;
    };
    let mut client = server.connect();
    let refusals = |client: &mut server::Client| {
        let text = client.ask(&["INFO", "errorstats"]);
        let text = String::from_utf8_lossy(text.as_bytes().unwrap()).into_owned();
        let line = text.lines().find_map(|l| l.strip_prefix("errorstat_NOMASTERLINK:count="));
        line.map_or(0, |count| count.trim().parse::<u64>().unwrap())
    };
    let first = refusals(&mut client);
    let now = eventually("the third attempt", || {
        let now = refusals(&mut client);
        (now >= first.max(2) + 3).then_some(now)
    });
    // Two were ours.
    assert!(now - 2 <= began.elapsed().as_secs() + 3, "{now} in {:?}", began.elapsed());
    drop(replica);
}

#[test]
fn slow_and_dying_readers_leave_nothing() {
    let folder = Folder::new("slow");
    let server = serve(&folder, &["--rdbcompression", "no"]);
    let mut client = server.connect();
    // More than the buffers of a socket hold.
    let value = "x".repeat(1 << 20);
    for n in 0..40 {
        client.ask(&["SET", &format!("key:{n}"), &value]);
    }
    let descriptors = || std::fs::read_dir(format!("/proc/{}/fd", server.id())).unwrap().count();
    let threads = || std::fs::read_dir(format!("/proc/{}/task", server.id())).unwrap().count();
    let copy = |kept: &mut server::Client| {
        assert_eq!(kept.ask(&["REPLCONF", "rdb-only", "1"]), ok());
        kept.say(&["SYNC"]);
    };
    // One copy before, so that what is made once is there.
    let mut first = server.connect();
    copy(&mut first);
    assert!(first.hear_copy().len() > 40 << 20);
    first.closed();
    drop(first);
    let before = (descriptors(), threads());
    let mut readers: Vec<server::Client> = (0..4).map(|_| server.connect()).collect();
    for reader in &mut readers {
        copy(reader);
    }
    let numbers: Vec<String> = eventually("four readers", || {
        let list = client.ask(&["CLIENT", "LIST"]);
        let list = String::from_utf8_lossy(list.as_bytes().unwrap()).into_owned();
        let syncing = list.lines().filter(|line| line.contains("cmd=sync"));
        let numbers: Vec<String> =
            syncing.map(|line| line.split(['=', ' ']).nth(1).unwrap().to_owned()).collect();
        (numbers.len() == 4).then_some(numbers)
    });
    // Four senders wait for their readers; other clients are served, on all threads.
    eventually("senders", || (threads() >= before.1 + 4).then_some(()));
    for _ in 0..4 {
        let mut other = server.connect();
        assert_eq!(other.ask(&["SET", "k", "v"]), ok());
    }
    // Two go, one is killed, one is still there to take all of it.
    let mut last = readers.pop().unwrap();
    drop(readers.pop());
    drop(readers.pop());
    client.ask(&["CLIENT", "KILL", "ID", &numbers[0]]);
    assert!(last.hear_copy().len() > 40 << 20);
    last.closed();
    drop((last, readers));
    eventually("threads and descriptors as before", || {
        (descriptors() <= before.0 && threads() <= before.1).then_some(())
    });
    nothing_left(&folder);
    stop(server);
}

#[test]
fn copies_come_from_redis_too() {
    let options = ["--enable-debug-command", "yes", "--requirepass", "pw"];
    let disks = ["--repl-diskless-sync", "no"];
    for more in [&[][..], &disks[..], &["--repl-diskless-sync-delay", "0"][..]] {
        let Some(oracle) = Oracle::start(&[&options[..], more].concat()) else { return };
        let (folder, mut rng) = (Folder::new("theirs"), rng());
        let mut theirs = oracle::Client::new(&oracle);
        theirs.say("AUTH pw");
        for _ in 0..1500 {
            let request = tame::any_request(&mut rng);
            theirs.add(&request.iter().map(Vec::as_slice).collect::<Vec<_>>());
        }
        theirs.run();
        let wanted = theirs.say("DEBUG DIGEST");
        let from = oracle.connect().peer_addr().unwrap().to_string();
        let file = folder.at("x.rdb");
        let args = ["export", &file, "--from", &from];
        let (done, said) = kvist(&args);
        assert!(!done && said.contains("NOAUTH"), "{said}");
        let (done, said) = kvist(&[&args[..], &["--pass", "no"]].concat());
        assert!(!done && said.contains("WRONGPASS"), "{said}");
        assert!(!Path::new(&file).exists());
        let user = ["--user", "default", "--pass", "pw"];
        let (done, said) = kvist(&[&args[..], &user].concat());
        assert!(done && said.contains("its sum is right"), "{said}");
        let (_oracle, mut loaded) = loaded_by_redis(Path::new(&file)).unwrap();
        assert_eq!(loaded.say("DEBUG DIGEST"), wanted);
        let names: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
        assert_eq!(names.len(), 1, "{names:?}");
    }
}

/// A server that answers `+OK` to everything but SYNC, to which it says this and closes.
fn pretender(answer: Vec<u8>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        let (mut peer, _): (TcpStream, _) = listener.accept().unwrap();
        let mut heard = Vec::new();
        let mut chunk = [0; 1024];
        loop {
            let Ok(n) = peer.read(&mut chunk) else { return };
            if n == 0 {
                return;
            }
            heard.extend_from_slice(&chunk[..n]);
            if heard.windows(4).any(|word| word == b"SYNC") {
                let _ = peer.write_all(&answer);
                return;
            }
            let _ = peer.write_all(b"+OK\r\n");
        }
    });
    address
}

#[test]
fn a_copy_that_is_not_whole_is_no_file() {
    let folder = Folder::new("broken");
    let server = serve(&folder, &[]);
    server.connect().ask(&["SET", "key", "a value that is long enough to be damaged"]);
    let whole = folder.at("whole.rdb");
    let (done, said) = export(&server, &whole);
    assert!(done, "{said}");
    stop(server);
    let bytes = std::fs::read(&whole).unwrap();
    let told = |bytes: &[u8]| [format!("${}\r\n", bytes.len()).as_bytes(), bytes].concat();
    let mut damaged = bytes.clone();
    damaged[bytes.len() / 2] ^= 1;
    let mark = "m".repeat(40);
    let marked = [b"$EOF:", mark.as_bytes(), b"\r\n", &bytes, mark.as_bytes()].concat();
    let cut = told(&bytes)[..bytes.len()].to_vec();
    let behind = [&told(&bytes)[..], b"*1\r\n$4\r\nPING\r\n"].concat();
    let to = folder.at("x.rdb");
    for (answer, wanted) in [
        (told(&damaged), Err("the copy is damaged: its sum is")),
        (cut, Err("the connection ended after")),
        (marked[..marked.len() - 1].to_vec(), Err("the connection ended after")),
        (told(b"hello, this is something else"), Err("no RDB file")),
        (b"-ERR not today\r\n".to_vec(), Err("ERR not today")),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec(), Err("instead of a copy")),
        (b"\n\n\n".to_vec(), Err("closed the connection")),
        (told(&bytes), Ok(())),
        (marked, Ok(())),
        (behind, Ok(())),
    ] {
        let shown = answer[..answer.len().min(40)].escape_ascii().to_string();
        let (done, said) = kvist(&["export", &to, "--from", &pretender(answer)]);
        match wanted {
            Ok(()) => {
                assert!(done, "{shown}: {said}");
                assert_eq!(std::fs::read(&to).unwrap(), bytes);
                std::fs::remove_file(&to).unwrap();
            }
            Err(text) => assert!(!done && said.contains(text), "{shown}: {said}"),
        }
        assert!(!Path::new(&to).exists(), "{shown}");
    }
    let (done, said) = kvist(&["export", &to, "--from", "127.0.0.1:1"]);
    assert!(!done && said.contains("127.0.0.1:1: Connection refused"), "{said}");
    let (done, said) = kvist(&["export", &to, "--from", "127.0.0.1:x"]);
    assert!(!done && said.contains("is not HOST:PORT"), "{said}");
}
