//! What is acknowledged is there after a kill: the whole program on a real directory. (Random
//! workloads are the matter of the crash tests.)

// In a test a panic is how a failure is told.
#![allow(clippy::unwrap_used)]

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use journal::frame::{HEADER, Header, Secret};
use journal::{Directory, Disk, segment};
use testkit::folder::Folder;
use wire::Value;

use crate::server::{self, Client, Server, bulk, eventually, ok, program};

fn start(dir: &Folder, more: &[&str]) -> Server {
    let mut args = vec!["--appendonly", "yes", "--dir", dir.text()];
    args.extend(more);
    Server::start(&args)
}

/// What a server says that must not start here.
fn refusal(dir: &Folder) -> String {
    let port = server::free_port().to_string();
    let done = program()
        .args(["serve", "--bind", "127.0.0.1", "--port", &port, "--dir", dir.text()])
        .output()
        .unwrap();
    assert_eq!(done.status.code(), Some(1));
    String::from_utf8_lossy(&done.stderr).into_owned()
}

/// Kills it as a power cut would, as far as processes go.
fn kill(mut server: Server) {
    server.signal("KILL");
    server.ended();
}

fn int(client: &mut Client, words: &[&str]) -> i64 {
    client.ask(words).as_i64().unwrap()
}

const LIBRARY: &str = "#!lua name=kept\nredis.register_function('f', function(keys) return \
                       redis.call('get', keys[1]) end)";

/// Something of every type, some of it in ways that are told in other words.
fn fill(client: &mut Client) {
    for words in [
        &["SET", "string", "value"][..],
        &["SET", "fleeting", "value", "PX", "600000"],
        &["INCRBYFLOAT", "float", "1.25"],
        &["RPUSH", "list", "a", "b", "c"],
        &["LMOVE", "list", "list2", "LEFT", "RIGHT"],
        &["SADD", "set", "1", "2", "x"],
        &["SMOVE", "set", "set2", "x"],
        &["HSET", "hash", "f", "v", "n", "1"],
        &["HINCRBYFLOAT", "hash", "n", "0.5"],
        &["ZADD", "zset", "1", "one", "2.5", "two"],
        &["MSET", "a", "1", "b", "2", "c", "3"],
        &["RENAME", "a", "renamed"],
        &["COPY", "b", "copied", "DB", "3"],
        &["MOVE", "c", "2"],
        &["SORT", "list", "ALPHA", "DESC", "STORE", "sorted"],
        &["SUNIONSTORE", "union", "set", "set2"],
        &["FUNCTION", "LOAD", "#!lua name=gone\nredis.register_function('g', function() end)"],
        &["FUNCTION", "LOAD", LIBRARY],
        &["FUNCTION", "DELETE", "gone"],
    ] {
        let reply = client.ask(words);
        assert!(reply.as_error().is_none(), "{words:?}: {reply:?}");
    }
}

fn check_filled(client: &mut Client) {
    assert_eq!(client.ask(&["FCALL", "f", "1", "string"]), bulk("value"));
    assert!(client.ask(&["FCALL", "g", "0"]).as_error().is_some());
    let get = |client: &mut Client, key: &str| client.ask(&["GET", key]);
    assert_eq!(get(client, "string"), bulk("value"));
    assert_eq!(get(client, "float"), bulk("1.25"));
    assert_eq!(get(client, "renamed"), bulk("1"));
    assert_eq!(get(client, "a"), Value::NullBulk);
    let ttl = int(client, &["PTTL", "fleeting"]);
    assert!((1..=600_000).contains(&ttl), "{ttl}");
    let list = |parts: &[&str]| Value::Array(parts.iter().copied().map(bulk).collect());
    assert_eq!(client.ask(&["LRANGE", "list", "0", "-1"]), list(&["b", "c"]));
    assert_eq!(client.ask(&["LRANGE", "list2", "0", "-1"]), list(&["a"]));
    assert_eq!(client.ask(&["LRANGE", "sorted", "0", "-1"]), list(&["c", "b"]));
    assert_eq!(client.ask(&["SMEMBERS", "set2"]), list(&["x"]));
    assert_eq!(int(client, &["SCARD", "union"]), 3);
    assert_eq!(client.ask(&["HGET", "hash", "n"]), bulk("1.5"));
    assert_eq!(client.ask(&["ZSCORE", "zset", "two"]), bulk("2.5"));
    assert_eq!(client.ask(&["SELECT", "3"]), ok());
    assert_eq!(get(client, "copied"), bulk("2"));
    assert_eq!(client.ask(&["SELECT", "2"]), ok());
    assert_eq!(get(client, "c"), bulk("3"));
    assert_eq!(client.ask(&["SELECT", "0"]), ok());
}

#[test]
fn everything_acknowledged_survives_a_kill() {
    let dir = Folder::missing("kill");
    let server = start(&dir, &["--appendfsync", "always"]);
    fill(&mut server.connect());
    kill(server);
    // From the journal alone, then from snapshot and journal, then with another number of shards.
    let server = start(&dir, &["--appendfsync", "always"]);
    let mut client = server.connect();
    check_filled(&mut client);
    assert_eq!(server.info(&mut client, "recovery_journal_records_failed"), "0");
    assert_eq!(client.ask(&["SAVE"]), ok());
    assert_eq!(client.ask(&["SET", "later", "1"]), ok());
    kill(server);
    for shards in ["64", "16", "128"] {
        let server = start(&dir, &["--appendfsync", "always", "--shards", shards]);
        let mut client = server.connect();
        check_filled(&mut client);
        assert_eq!(client.ask(&["GET", "later"]), bulk("1"));
        assert_eq!(client.ask(&["SET", "shards", shards]), ok());
        kill(server);
    }
    let server = start(&dir, &[]);
    assert_eq!(server.connect().ask(&["GET", "shards"]), bulk("128"));
}

#[test]
fn a_transaction_may_end_the_journal() {
    let server = Server::start(&["--appendonly", "yes"]);
    let mut client = server.connect();
    for words in [&["MULTI"][..], &["SET", "k", "v"], &["CONFIG", "SET", "appendonly", "no"]] {
        client.ask(words);
    }
    assert_eq!(client.ask(&["EXEC"]), Value::Array(vec![ok(), ok()]));
    eventually("the end of the journal", || {
        (server.info(&mut client, "aof_enabled") == "0").then_some(())
    });
    assert_eq!(client.ask(&["CONFIG", "SET", "appendonly", "yes"]), ok());
    eventually("a journal again", || {
        (server.info(&mut client, "aof_enabled") == "1").then_some(())
    });
}

#[test]
fn a_snapshot_alone_is_enough() {
    let dir = Folder::missing("snapshot");
    let args = ["--appendonly", "no", "--save", "3600 1", "--dir", dir.text()];
    let mut server = Server::start(&args);
    let mut client = server.connect();
    fill(&mut client);
    assert_eq!(client.ask(&["BGSAVE"]), Value::Simple(b"Background saving started".to_vec()));
    eventually("the snapshot", || (server.info(&mut client, "rdb_saves") == "1").then_some(()));
    kill(server);
    server = Server::start(&args);
    client = server.connect();
    check_filled(&mut client);
    // What came after it is saved when the server ends as it should.
    assert_eq!(client.ask(&["SET", "last", "words"]), ok());
    server.signal("TERM");
    assert!(server.ended().success());
    server = Server::start(&args);
    assert_eq!(server.connect().ask(&["GET", "last"]), bulk("words"));
}

#[test]
fn the_journal_can_be_switched_on_and_off() {
    let dir = Folder::missing("switched");
    let mut server = Server::start(&["--appendonly", "no", "--dir", dir.text()]);
    let mut client = server.connect();
    assert_eq!(client.ask(&["SET", "before", "1"]), ok());
    assert!(!dir.path().exists(), "a pure cache makes no directory");
    assert_eq!(client.ask(&["CONFIG", "SET", "appendonly", "yes"]), ok());
    eventually("the journal", || (server.info(&mut client, "aof_enabled") == "1").then_some(()));
    assert_eq!(client.ask(&["CONFIG", "SET", "appendfsync", "always"]), ok());
    assert_eq!(client.ask(&["SET", "during", "1"]), ok());
    kill(server);
    server = start(&dir, &[]);
    client = server.connect();
    assert_eq!(int(&mut client, &["EXISTS", "before", "during"]), 2);
    assert_eq!(client.ask(&["CONFIG", "SET", "appendonly", "no"]), ok());
    assert_eq!(client.ask(&["SET", "after", "1"]), ok());
    kill(server);
    server = start(&dir, &[]);
    assert_eq!(int(&mut server.connect(), &["EXISTS", "before", "during", "after"]), 2);
}

#[test]
fn a_directory_serves_one_process() {
    let dir = Folder::missing("lock");
    let server = start(&dir, &[]);
    let said = refusal(&dir);
    assert!(said.contains("in use by another process") && said.contains("--dir"), "{said}");
    for (path, mode) in [(dir.path().to_owned(), 0o700), (dir.join("MANIFEST"), 0o600)] {
        let found = std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        assert_eq!(found, mode, "{}", path.display());
    }
    drop(server);
}

fn first_segment(dir: &Path) -> PathBuf {
    let mut names: Vec<PathBuf> = std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "log"))
        .collect();
    names.sort();
    names[0].clone()
}

#[test]
fn damage_stops_the_start_and_names_the_place() {
    let dir = Folder::missing("damage");
    let server = start(&dir, &["--appendfsync", "always"]);
    let mut client = server.connect();
    for n in 0..20 {
        assert_eq!(client.ask(&["SET", &format!("key:{n}"), "value"]), ok());
    }
    kill(server);
    // A byte in the middle of what was acknowledged.
    let path = first_segment(dir.path());
    let mut bytes = std::fs::read(&path).unwrap();
    let at = bytes.windows(6).position(|part| part == b"key:10").unwrap();
    bytes[at] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    let said = refusal(&dir);
    let name = path.file_name().unwrap().to_str().unwrap();
    assert!(said.contains(name) && said.contains("damaged at offset"), "{said}");
    assert!(said.contains("kvist check"), "{said}");
    // Made good again, everything is there: nothing was changed.
    bytes[at] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    let server = start(&dir, &[]);
    assert_eq!(int(&mut server.connect(), &["DBSIZE"]), 20);
}

/// Frames of all segments that may come, as they would stand in files of the version before
/// secrets, and with what frames of this file begin with.
fn forged_frames(begin: &[u8]) -> Vec<u8> {
    let mut all = Vec::new();
    for segment in 0..40 {
        let (len, number) = (8, 1);
        let header = Header { len, number, segment, synced: u64::MAX, ..Header::default() };
        for begin in [None, Some(begin)] {
            let mut head = header.encode(Secret::NONE, &[b"records!"]);
            if let Some(begin) = begin {
                head[..4].copy_from_slice(begin);
            }
            all.extend_from_slice(&head);
            all.extend_from_slice(b"records!");
        }
    }
    all
}

/// Values that look like frames of the journal stay behind in a file that is used again, and are
/// never taken for frames.
#[test]
fn values_that_look_like_the_journal_do_no_harm() {
    let dir = Folder::missing("forged");
    let server = start(&dir, &["--appendfsync", "always"]);
    let mut client = server.connect();
    assert_eq!(client.ask(&["SET", "first", "value"]), ok());
    // A client that writes some of the file's own bytes into a value knows what its frames begin
    // with.
    let file = std::fs::read(first_segment(dir.path())).unwrap();
    for n in 0..256_usize {
        let mut value = vec![b'x'; n % 8];
        value.extend_from_slice(&forged_frames(&file[64..68]));
        value.extend_from_slice(&file[64..4096]);
        client.send(format!("*3\r\n$3\r\nSET\r\n$3\r\n{n:03}\r\n${}\r\n", value.len()).as_bytes());
        client.send(&value);
        client.send(b"\r\n");
        assert_eq!(client.hear(), ok());
    }
    for round in 0..4 {
        assert_eq!(client.ask(&["SAVE"]), ok(), "{round}");
        assert_eq!(client.ask(&["SET", "last", &round.to_string()]), ok());
    }
    kill(server);
    for round in 0..2 {
        let server = start(&dir, &["--appendfsync", "always"]);
        let mut client = server.connect();
        assert_eq!(int(&mut client, &["DBSIZE"]), 258, "{round}");
        assert_eq!(client.ask(&["GET", "last"]), bulk("3"));
        kill(server);
    }
}

#[test]
fn a_lost_manifest_stops_the_start() {
    let dir = Folder::missing("manifest");
    let server = start(&dir, &["--appendfsync", "always"]);
    assert_eq!(server.connect().ask(&["SET", "k", "v"]), ok());
    kill(server);
    let (there, away) = (dir.join("MANIFEST"), dir.join("away"));
    std::fs::rename(&there, &away).unwrap();
    let said = refusal(&dir);
    assert!(said.contains("no MANIFEST"), "{said}");
    std::fs::rename(&away, &there).unwrap();
    let server = start(&dir, &[]);
    assert_eq!(server.connect().ask(&["GET", "k"]), bulk("v"));
}

#[test]
fn a_torn_end_is_cut_and_told() {
    let dir = Folder::missing("torn");
    let server = start(&dir, &["--appendfsync", "always"]);
    let mut client = server.connect();
    assert_eq!(client.ask(&["SET", "whole", "1"]), ok());
    assert_eq!(client.ask(&["SET", "torn", "1"]), ok());
    kill(server);
    let path = first_segment(dir.path());
    let mut bytes = std::fs::read(&path).unwrap();
    let at = bytes.windows(4).position(|part| part == b"torn").unwrap();
    bytes[at] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    let server = start(&dir, &[]);
    let mut client = server.connect();
    assert_eq!(int(&mut client, &["EXISTS", "whole", "torn"]), 1);
    assert_ne!(server.info(&mut client, "recovery_cut_bytes"), "0");
    assert!(server.log().contains("of an unfinished write off"), "{}", server.log());
}

/// Threads that make the disk go on for each other: a reply that is withheld by one thread while
/// another makes durable what it tells must be sent all the same.
#[test]
fn every_reply_that_waits_for_the_disk_comes() {
    let dir = Folder::missing("replies");
    let server = start(&dir, &["--appendfsync", "always", "--io-threads", "2"]);
    let crowd: Vec<_> = (0..64)
        .map(|number| {
            let mut client = server.connect();
            std::thread::spawn(move || {
                let key = format!("k{number}");
                for round in 0..1000 {
                    let value = round.to_string();
                    assert_eq!(client.ask(&["SET", &key, &value]), ok(), "{key} {round}");
                }
            })
        })
        .collect();
    crowd.into_iter().for_each(|client| client.join().unwrap());
}

/// Bytes that a directory's files take on disk, and how many files of the journal there are.
fn taken(dir: &Path) -> (u64, usize) {
    use std::os::unix::fs::MetadataExt;
    let files: Vec<_> =
        std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    // The server may delete one meanwhile, which then takes nothing.
    let bytes =
        files.iter().map(|path| path.metadata().map_or(0, |file| file.blocks() * 512)).sum();
    let logs = files.iter().filter(|path| path.extension().is_some_and(|end| end == "log"));
    (bytes, logs.count())
}

/// However a server ends, and however often, what it leaves does not pile up.
#[test]
fn restarts_leave_no_room_behind() {
    let dir = Folder::missing("restarts");
    for round in 0..40_i64 {
        let mut server = start(&dir, &["--appendfsync", "always"]);
        let mut client = server.connect();
        assert_eq!(int(&mut client, &["DBSIZE"]), round);
        assert_eq!(client.ask(&["SET", &format!("key:{round}"), "value"]), ok());
        // Many short files are made one by a snapshot without a request; while it is made, the old
        // one and the new are there. Then there is one that is being written, at most two kept to
        // be used again, and what is in the others.
        let most = if round > 2 { 4 * (64 << 20) } else { 65 << 20 };
        let few = || Some(taken(dir.path())).filter(|&(bytes, logs)| logs < 20 && bytes < most);
        eventually("a short journal that takes little room", few);
        if round % 3 == 0 {
            server.signal("TERM");
            server.ended();
            assert!(taken(dir.path()).0 < 3 * (64 << 20), "{round}");
        } else {
            kill(server);
        }
    }
}

/// Puts other bytes into the payloads of a segment's frames, which stay as whole as they were.
fn exchange(dir: &Path, from: &[u8], to: &[u8]) {
    let path = first_segment(dir);
    let name = path.file_name().unwrap().to_str().unwrap();
    let file = Directory::open(dir).unwrap().open(name).unwrap();
    let of = segment::Header::read(&*file).unwrap().unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    let (mut at, mut found) = (usize::try_from(segment::HEADER).unwrap(), 0);
    while let Some(head) = bytes[at..].first_chunk() {
        let Some(header) = Header::decode(head, (of.number, of.secret)) else { break };
        let payload = at + HEADER..at + HEADER + header.len as usize;
        if let Some(place) = bytes[payload.clone()].windows(from.len()).position(|it| it == from) {
            bytes[payload.start + place..][..to.len()].copy_from_slice(to);
            let head = header.encode(of.secret, &[&bytes[payload]]);
            bytes[at..at + HEADER].copy_from_slice(&head);
            found += 1;
        }
        at += usize::try_from(header.span()).unwrap();
    }
    assert_eq!(found, 1);
    std::fs::write(&path, &bytes).unwrap();
}

/// A record that cannot be applied is not passed over: what it did was acknowledged.
#[test]
fn a_record_that_fails_stops_the_start() {
    let dir = Folder::missing("fails");
    let server = start(&dir, &["--appendfsync", "always"]);
    let mut client = server.connect();
    assert_eq!(client.ask(&["SET", "number", "1000001"]), ok());
    assert_eq!(int(&mut client, &["INCRBY", "number", "5"]), 1_000_006);
    assert_eq!(client.ask(&["SET", "after", "1"]), ok());
    kill(server);
    exchange(dir.path(), b"1000001", b"letters");
    let refused = |more: &[&str]| {
        let port = server::free_port().to_string();
        let base = ["serve", "--bind", "127.0.0.1", "--port", &port, "--dir", dir.text()];
        let done = program().args(base).args(more).output().unwrap();
        assert_eq!(done.status.code(), Some(1));
        String::from_utf8_lossy(&done.stderr).into_owned()
    };
    let said = refused(&["--appendonly", "yes"]);
    for part in ["the frame at offset", "incrby on the key 'number'", "integer", "kvist check"] {
        assert!(said.to_lowercase().contains(part), "{part}: {said}");
    }
    // Nothing was changed: with the bytes that were there all of it is.
    exchange(dir.path(), b"letters", b"1000001");
    let server = start(&dir, &[]);
    let mut client = server.connect();
    assert_eq!(client.ask(&["GET", "number"]), bulk("1000006"));
    assert_eq!(int(&mut client, &["EXISTS", "after"]), 1);
    kill(server);
    exchange(dir.path(), b"1000001", b"letters");
    // An operator gives it up explicitly; the files are kept.
    let fixed = program().args(["check", dir.text(), "--fix"]).output().unwrap();
    let said = String::from_utf8_lossy(&fixed.stdout).into_owned();
    assert!(fixed.status.success(), "{said} {}", String::from_utf8_lossy(&fixed.stderr));
    assert!(said.contains("LEFT OUT: 1") && said.contains("MANIFEST.damaged"), "{said}");
    let server = start(&dir, &["--appendonly", "yes"]);
    let mut client = server.connect();
    assert_eq!(client.ask(&["GET", "number"]), bulk("letters"));
    assert_eq!(int(&mut client, &["EXISTS", "after"]), 1);
}

/// What might wait for another thread, or for locks, in words that make it do something.
const ADMINISTRATION: &[&str] = &[
    "ACL LOAD",
    "ACL SAVE",
    "ACL SETUSER someone on nopass ~* +@all",
    "BACKUP one",
    "BGREWRITEAOF",
    "BGSAVE",
    "BGSAVE SCHEDULE",
    "CLIENT KILL TYPE pubsub",
    "CLIENT PAUSE 1 ALL",
    "CLIENT PAUSE 1 WRITE",
    "CLIENT UNPAUSE",
    "CONFIG REWRITE",
    "CONFIG SET appendfsync always",
    "CONFIG SET appendonly no",
    "CONFIG SET appendonly yes",
    "CONFIG SET appendonly yes appendfsync everysec",
    "CONFIG SET maxclients 100",
    "CONFIG SET maxmemory 100mb",
    "CONFIG SET maxmemory-clients 100mb",
    "CONFIG SET notify-keyspace-events KEA",
    "CONFIG SET range-index yes",
    "CONFIG SET save 100 1",
    "CONFIG SET tracking-table-max-keys 1",
    "CONFIG RESETSTAT",
    "DEBUG CHANGE-REPL-ID",
    "DEBUG DIGEST",
    "DEBUG LOADAOF",
    "DEBUG RELOAD",
    "DEBUG RELOAD NOSAVE",
    "DEBUG SET-ACTIVE-EXPIRE 1",
    "DEBUG SLEEP 0",
    "FLUSHALL",
    "FLUSHALL ASYNC",
    "FLUSHDB SYNC",
    "FLUSHWAL",
    "FUNCTION FLUSH",
    "FUNCTION FLUSH ASYNC",
    "FUNCTION KILL",
    "INFO everything",
    "KEYS *",
    "LATENCY DOCTOR",
    "MEMORY DOCTOR",
    "MEMORY PURGE",
    "MEMORY STATS",
    "MIGRATE 127.0.0.1 1 a 0 10",
    "RANDOMKEY",
    "RANGE a z",
    "REPLICAOF NO ONE",
    "SAVE",
    "SCAN 0",
    "SCRIPT FLUSH",
    "SCRIPT KILL",
    "SHUTDOWN NOSAVE",
    "SNAPSHOT",
    "SWAPDB 0 1",
    "SYNC",
    "WAIT 1 0",
];

/// Asks for this inside a transaction that writes before and behind it; `EXEC` must answer.
fn in_transaction(server: &Server, words: &[&str]) {
    let mut client = server.connect();
    client.ask(&["MULTI"]);
    client.ask(&["SET", "a", "1"]);
    client.ask(words);
    client.ask(&["SET", "b", "2"]);
    client.say(&["EXEC"]);
    let Some(done) = client.try_hear() else { panic!("EXEC of {words:?} has hung up") };
    let Value::Array(replies) = done else { return };
    for reply in &replies {
        let broken = matches!(reply, Value::Error(text) if text.starts_with(b"ERR internal"));
        assert!(!broken, "{words:?}");
    }
}

#[test]
fn whatever_administers_answers_inside_a_transaction() {
    for more in [
        &["--appendonly", "no"][..],
        &["--appendonly", "yes", "--appendfsync", "always"],
        &["--appendonly", "yes", "--appendfsync", "everysec"],
    ] {
        let dir = Folder::missing("administration");
        let server = start(&dir, &[more, &["--enable-debug-command", "yes"]].concat());
        let mut eyes = server.connect();
        for line in ADMINISTRATION {
            // A copy in the making would be a reason to put things off.
            eventually("rest", || {
                let fields = ["rdb_bgsave_in_progress", "aof_rewrite_in_progress"];
                let mut busy = fields.map(|field| server.info(&mut eyes, field)).into_iter();
                busy.all(|busy| busy == "0").then_some(())
            });
            in_transaction(&server, &line.split(' ').collect::<Vec<_>>());
            // Both threads still serve, whatever the shard.
            for client in [&mut eyes, &mut server.connect()] {
                client.ask(&["DBSIZE"]);
            }
        }
        let Value::Array(names) = eyes.ask(&["COMMAND", "LIST", "FILTERBY", "ACLCAT", "admin"])
        else {
            panic!("no list");
        };
        for name in names.iter().map(server::text) {
            let Value::Array(info) = eyes.ask(&["COMMAND", "INFO", &name]) else { panic!() };
            let Value::Array(info) = &info[0] else { panic!("{name}") };
            let arity = info[1].as_i64().unwrap().unsigned_abs() as usize;
            let mut words: Vec<&str> = name.split('|').collect();
            words.resize(arity.max(words.len()), "1");
            in_transaction(&server, &words);
            eyes.ask(&["DBSIZE"]);
        }
    }
}

/// A server that may make no files as long as a segment of the journal is.
fn start_limited(dir: &Folder, longest: &str) -> Server {
    let mut command = std::process::Command::new("prlimit");
    command.arg(format!("--fsize={longest}")).arg(program().get_program());
    let more = ["--appendonly", "yes", "--appendfsync", "always", "--dir", dir.text()];
    let mut server = Server::launch_as(command, server::free_port(), &more);
    eventually("the start", || {
        assert!(!server.has_ended(), "no start:\n{}", server.log());
        server.log().contains(server::READY).then_some(())
    });
    server
}

#[test]
fn a_server_starts_and_goes_on_where_files_may_not_be_long() {
    if !server::limit(std::process::id(), "--fsize=unlimited:unlimited") {
        return;
    }
    let dir = Folder::missing("short-files");
    let server = start_limited(&dir, "1048576");
    let mut client = server.connect();
    let value = "x".repeat(100_000);
    for n in 0..50 {
        assert_eq!(client.ask(&["SET", &format!("key:{}", n % 5), &format!("{n}{value}")]), ok());
    }
    // One that is in no file by itself is refused, and says why.
    client.say(&["SET", "long", &"x".repeat(2 << 20)]);
    let mut other = server.connect();
    // Before that any reply might wait for the disk.
    eventually("trouble", || server.log().contains("writing the journal failed").then_some(()));
    let refused = other.ask(&["SET", "a", "1"]);
    assert!(server::text(&refused).contains("ulimit -f"), "{refused:?}");
    kill(server);
    let server = start_limited(&dir, "1048576");
    let mut client = server.connect();
    for n in 45..50 {
        assert_eq!(
            client.ask(&["GET", &format!("key:{}", n % 5)]),
            bulk(format!("{n}{value}")),
            "{n}"
        );
    }
    assert_eq!(client.ask(&["SET", "a", "1"]), ok());
}

/// A disk without room: what memory alone has is lost with the process, and its supervisor is told.
#[test]
fn an_end_that_loses_something_has_exit_code_1() {
    let dir = Folder::missing("lost");
    for by_signal in [true, false] {
        let mut server = start(&dir, &["--appendfsync", "everysec"]);
        let mut client = server.connect();
        assert_eq!(client.ask(&["SET", "k", "v"]), ok());
        assert_eq!(client.ask(&["FLUSHWAL"]), ok());
        if !server.limit("--fsize=1:unlimited") {
            return;
        }
        eventually("a refusal", || {
            matches!(client.ask(&["SET", "lost", "v"]), Value::Error(_)).then_some(())
        });
        let refused = Value::Error(b"ERR Errors trying to SHUTDOWN. Check logs.".to_vec());
        assert_eq!(client.ask(&["SHUTDOWN"]), refused);
        if by_signal {
            server.signal("TERM");
        } else {
            client.say(&["SHUTDOWN", "NOSAVE"]);
        }
        assert_eq!(server.ended().code(), Some(1), "by signal: {by_signal}");
    }
    let server = start(&dir, &[]);
    assert_eq!(server.connect().ask(&["GET", "k"]), bulk("v"));
}

/// A reply that promises nothing waits for no disk: that it has no room is what it tells.
#[test]
fn a_save_that_fails_is_answered_while_writes_wait_for_the_disk() {
    let dir = Folder::missing("refused");
    let server = start(&dir, &["--appendfsync", "always"]);
    let mut writer = server.connect();
    assert_eq!(writer.ask(&["SET", "k", "v"]), ok());
    if !server.limit("--fsize=1:unlimited") {
        return;
    }
    writer.say(&["SET", "waits", "v"]);
    server.logged("writing the journal failed");
    let mut other = server.connect();
    for words in [&["SAVE"][..], &["BACKUP", "b"], &["SHUTDOWN"]] {
        assert!(matches!(other.ask(words), Value::Error(_)), "{words:?}");
    }
    assert!(server.limit("--fsize=unlimited:unlimited"));
    assert_eq!(writer.hear(), ok());
}

/// Where the journal is on, an end keeps what was acknowledged, also before its first snapshot
/// stands.
#[test]
fn an_end_waits_for_what_the_journal_begins_with() {
    for how in ["", "NOSAVE", "SAVE", "TERM"] {
        let dir = Folder::missing("begins");
        let off = ["--appendonly", "no", "--save", "", "--enable-debug-command", "yes"];
        let mut server = start(&dir, &off);
        let mut client = server.connect();
        let script = "for n = 1, 20000 do redis.call('set', n, ('v'):rep(1000)) end";
        client.ask(&["EVAL", script, "0"]);
        client.say(&["MULTI"]);
        client.say(&["CONFIG", "SET", "appendonly", "yes"]);
        client.say(&["SET", "a", "1"]);
        client.say(&["EXEC"]);
        match how {
            "TERM" => (0..4).for_each(|_| drop(client.hear())),
            "" => client.say(&["SHUTDOWN"]),
            how => client.say(&["SHUTDOWN", how]),
        }
        if how == "TERM" {
            server.signal("TERM");
        }
        assert_eq!(server.ended().code(), Some(0), "{how}");
        let server = start(&dir, &[]);
        let mut client = server.connect();
        assert_eq!(client.ask(&["DBSIZE"]), Value::Int(20_001), "{how}");
        assert_eq!(client.ask(&["GET", "a"]), bulk("1"), "{how}");
    }
}

/// Where there is no room for it, the end is refused, or says by its exit code what is lost.
#[test]
fn an_end_tells_that_the_journal_has_not_begun() {
    let dir = Folder::missing("owed");
    let mut server = start(&dir, &["--appendonly", "no", "--save", ""]);
    let mut client = server.connect();
    assert_eq!(client.ask(&["SET", "k", "v"]), ok());
    if !server.limit("--fsize=1:unlimited") {
        return;
    }
    assert_eq!(client.ask(&["CONFIG", "SET", "appendonly", "yes"]), ok());
    eventually("a refusal", || {
        matches!(client.ask(&["SET", "lost", "v"]), Value::Error(_)).then_some(())
    });
    let refused = Value::Error(b"ERR Errors trying to SHUTDOWN. Check logs.".to_vec());
    assert_eq!(client.ask(&["SHUTDOWN"]), refused);
    // This one waits for nothing, and cannot be told any more.
    client.say(&["SHUTDOWN", "NOSAVE"]);
    assert_eq!(server.ended().code(), Some(1));
}
