//! Files of Redis are taken over: what redis-server wrote is there after a start, key by key.
//!
//! `KVIST_SEED` repeats a run.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::path::Path;

use base::Rng;
use testkit::folder::Folder;
use testkit::oracle::{Client, Oracle};
use testkit::seed::rng;

use crate::data_dir::open;
use crate::tame;
use crate::test_client::TestClient;

const APPEND: &str = "appendonlydir/appendonly.aof.1.incr.aof";

/// Sends redis-server what makes a varied dataset in several databases.
fn fill(theirs: &mut Client, rng: &mut Rng, rounds: usize) {
    for _ in 0..rounds {
        theirs.say(&format!("SELECT {}", rng.below(4)));
        for _ in 0..150 {
            let in_multi = rng.below(10) == 0;
            if in_multi {
                theirs.add(&[b"MULTI"]);
            }
            for _ in 0..if in_multi { 4 } else { 1 } {
                let request = tame::any_request(rng);
                theirs.add(&request.iter().map(Vec::as_slice).collect::<Vec<_>>());
            }
            if in_multi {
                theirs.add(&[b"EXEC"]);
            }
        }
        theirs.run();
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            copy(&entry.path(), &target);
        } else if kind.is_file() {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn digest(dir: &Path, lines: &str) -> String {
    let (engine, recovered) = open(dir, lines).unwrap();
    assert_eq!(recovered.failed, 0);
    let digest = TestClient::new(&engine).ask("DEBUG DIGEST");
    engine.close_data_dir();
    digest
}

/// What redis-server holds and what is read from its files, at the first start and after it.
fn same(theirs: &mut Client, oracle: &Oracle, lines: &str) {
    let folder = Folder::new("engine");
    copy(oracle.folder(), folder.path());
    let wanted = theirs.say("DEBUG DIGEST");
    assert_eq!(digest(folder.path(), lines), wanted);
    let journalling = !lines.contains("appendonly no");
    assert_eq!(folder.join("MANIFEST").exists(), journalling);
    if journalling {
        // Files of its own count now.
        let _ = std::fs::remove_dir_all(folder.join("appendonlydir"));
        let _ = std::fs::remove_file(folder.join("dump.rdb"));
    }
    assert_eq!(digest(folder.path(), lines), wanted);
}

#[test]
fn snapshots_are_taken_over() {
    let Some(oracle) = Oracle::start(&["--enable-debug-command", "yes"]) else { return };
    let (mut theirs, mut rng) = (Client::new(&oracle), rng());
    for round in 0..6 {
        fill(&mut theirs, &mut rng, 3);
        theirs.say(&format!("CONFIG SET rdbcompression {}", ["yes", "no"][round % 2]));
        assert_eq!(theirs.say("SAVE"), "+OK");
        same(&mut theirs, &oracle, ["", "appendonly no"][round / 2 % 2]);
    }
    // What is past its deadline stays away.
    let folder = Folder::new("engine");
    theirs.say("FLUSHALL");
    theirs.say("DEBUG SET-ACTIVE-EXPIRE 0");
    theirs.say("SET old v PX 1");
    theirs.say("SET idle v");
    assert_eq!(theirs.say("SAVE"), "+OK");
    copy(oracle.folder(), folder.path());
    std::thread::sleep(std::time::Duration::from_millis(5));
    let (engine, recovered) = open(folder.path(), "").unwrap();
    let imported = recovered.imported.unwrap();
    assert_eq!((imported.keys, imported.expired), (1, 1));
    let info = TestClient::new(&engine).ask("INFO persistence");
    assert!(info.contains("rdb_last_load_keys_expired:1\r\nrdb_last_load_keys_loaded:1\r\n"));
    engine.close_data_dir();
}

#[test]
fn append_only_files_are_taken_over() {
    for preamble in ["yes", "no"] {
        // With everysec, redis-server puts writing off while a sync lasts.
        let options =
            ["--enable-debug-command", "yes", "--appendonly", "yes", "--appendfsync", "no"];
        let options = [&options[..], &["--aof-use-rdb-preamble", preamble]].concat();
        let Some(oracle) = Oracle::start(&options) else { return };
        let (mut theirs, mut rng) = (Client::new(&oracle), rng());
        fill(&mut theirs, &mut rng, 6);
        same(&mut theirs, &oracle, "");
        theirs.say("BGREWRITEAOF");
        while theirs.say("INFO persistence").contains("aof_rewrite_in_progress:1") {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        fill(&mut theirs, &mut rng, 3);
        same(&mut theirs, &oracle, "");
    }
}

#[test]
fn a_torn_end_is_cut_or_refused() {
    // With everysec, redis-server puts writing off while a sync lasts.
    let options = ["--enable-debug-command", "yes", "--appendonly", "yes", "--appendfsync", "no"];
    let Some(oracle) = Oracle::start(&options) else { return };
    let mut theirs = Client::new(&oracle);
    theirs.say("SET kept 1");
    let wanted = theirs.say("DEBUG DIGEST");
    theirs.say("MULTI");
    theirs.say("SET torn 1");
    theirs.say("SET torn 2");
    theirs.say("EXEC");
    let whole = std::fs::read(oracle.folder().join(APPEND)).unwrap();
    let begin = whole.windows(5).position(|w| w == b"MULTI").unwrap() - 8;
    for cut in begin + 1..whole.len() {
        let folder = Folder::new("engine");
        copy(oracle.folder(), folder.path());
        std::fs::write(folder.join(APPEND), &whole[..cut]).unwrap();
        let refused = open(folder.path(), "aof-load-truncated no").err().unwrap();
        assert!(refused.contains("aof-load-truncated is no"), "{refused}");
        assert!(!folder.join("MANIFEST").exists());
        if cut % 8 == 0 {
            assert_eq!(digest(folder.path(), ""), wanted, "cut at {cut}");
        }
    }
    let folder = Folder::new("engine");
    copy(oracle.folder(), folder.path());
    let mut broken = whole;
    broken[begin] = b'+';
    std::fs::write(folder.join(APPEND), &broken).unwrap();
    let refused = open(folder.path(), "").err().unwrap();
    assert!(
        refused.contains(&format!("at offset {begin}")) || refused.contains(&begin.to_string())
    );
}

#[test]
fn what_would_be_lost_is_said() {
    for appendonly in ["yes", "no"] {
        let options = ["--enable-debug-command", "yes", "--appendonly", appendonly];
        let Some(oracle) = Oracle::start(&options) else { return };
        let mut theirs = Client::new(&oracle);
        theirs.say("SET kept 1");
        theirs.say("EXPIRE kept 1000");
        let wanted = theirs.say("DEBUG DIGEST");
        // Redis gives up what takes half a second to load, however busy the machine is.
        let large = "#!lua name=l\nlocal s = ('s'):rep(4000000)\n\
                     redis.register_function('f', function() return #s end)";
        assert_eq!(theirs.ask(&[b"FUNCTION", b"LOAD", large.as_bytes()]), [b"l"]);
        assert_eq!(theirs.say("SAVE"), "+OK");
        let folder = Folder::new("engine");
        copy(oracle.folder(), folder.path());
        let lines = "script-memory-limit 2mb\n";
        let refused = open(folder.path(), lines).err().unwrap();
        let said = ["1 libraries of functions", "1 commands that failed"];
        assert!(said.iter().any(|said| refused.contains(said)), "{refused}");
        assert!(refused.contains("import-skip-unknown"), "{refused}");
        assert!(!folder.join("MANIFEST").exists());
        let lines = format!("{lines}import-skip-unknown yes");
        assert_eq!(digest(folder.path(), &lines), wanted);
    }
}

#[test]
fn libraries_are_taken_over() {
    for (appendonly, preamble) in [("no", "yes"), ("yes", "yes"), ("yes", "no")] {
        let options = ["--appendonly", appendonly, "--appendfsync", "no"];
        let options = [&options[..], &["--aof-use-rdb-preamble", preamble]].concat();
        let Some(oracle) = Oracle::start(&options) else { return };
        let mut theirs = Client::new(&oracle);
        let load = |theirs: &mut Client, name: &str, value: u32| {
            let code = format!(
                "#!lua name={name}\nredis.register_function{{function_name='f{name}', \
                 callback=function() return {value} end, flags={{'no-writes'}}, description='d'}}"
            );
            theirs.ask(&[b"FUNCTION", b"LOAD", b"REPLACE", code.as_bytes()]);
        };
        load(&mut theirs, "gone", 1);
        load(&mut theirs, "kept", 1);
        let payload = theirs.ask(&[b"FUNCTION", b"DUMP"]).remove(0);
        theirs.say("FUNCTION FLUSH");
        theirs.ask(&[b"FUNCTION", b"RESTORE", &payload]);
        if appendonly == "yes" {
            theirs.say("BGREWRITEAOF");
        }
        while theirs.say("INFO persistence").contains("aof_rewrite_in_progress:1") {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        load(&mut theirs, "kept", 2);
        theirs.say("MULTI");
        theirs.say("FUNCTION DELETE gone");
        theirs.say("SET k v");
        theirs.say("EXEC");
        if appendonly == "no" {
            assert_eq!(theirs.say("SAVE"), "+OK");
        }
        let folder = Folder::new("engine");
        copy(oracle.folder(), folder.path());
        let wanted = theirs.ask(&[b"FUNCTION", b"LIST", b"WITHCODE"]);
        // Twice: from the files of Redis, and then from our own.
        for _ in 0..2 {
            let (engine, _) = open(folder.path(), "").unwrap();
            let mut client = TestClient::new(&engine);
            let said = client.ask("FUNCTION LIST WITHCODE");
            let found = |part: &Vec<u8>| said.contains(&*String::from_utf8_lossy(part));
            assert!(wanted.iter().all(found), "{appendonly} {preamble} {said}");
            assert_eq!(client.ask("FCALL fkept 0"), ":2");
            assert_eq!(client.ask("FCALL fgone 0"), "-ERR Function not found");
            assert_eq!(client.ask("GET k"), "$1\r\nv");
            engine.close_data_dir();
        }
    }
}

#[test]
fn old_and_handwritten_append_only_files_are_read() {
    let folder = Folder::new("engine");
    let text = "*2\r\n$6\r\nSELECT\r\n$1\r\n2\r\n*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\nv\r\n\
                *3\r\n$6\r\nEXPIRE\r\n$1\r\nk\r\n$4\r\n1000\r\n";
    std::fs::write(folder.join("appendonly.aof"), text).unwrap();
    let (engine, recovered) = open(folder.path(), "").unwrap();
    assert_eq!(recovered.imported.unwrap().commands, 3);
    let mut client = TestClient::new(&engine);
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    client.worker.begin(u64::try_from(now.as_millis()).unwrap());
    client.ask("SELECT 2");
    let left: u64 = client.ask("TTL k").trim_start_matches(':').parse().unwrap();
    assert!((990..=1000).contains(&left));
    engine.close_data_dir();
    let other = Folder::new("engine");
    std::fs::copy(folder.join("appendonly.aof"), other.join("appendonly.aof")).unwrap();
    let refused = open(other.path(), "databases 2").err().unwrap();
    assert!(refused.contains("raise it"), "{refused}");
}

/// An append-only file of these requests, words being divided by bars.
fn log_of(requests: &[&str]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for request in requests {
        let words: Vec<&str> = request.split('|').collect();
        bytes.extend_from_slice(format!("*{}\r\n", words.len()).as_bytes());
        for word in words {
            bytes.extend_from_slice(format!("${}\r\n{word}\r\n", word.len()).as_bytes());
        }
    }
    bytes
}

/// Both servers start on these files and hold the same, as far as they are asked.
fn load_alike(files: &[(&str, &[u8])], options: &[&str], asked: &[&str]) {
    let options = [&["--enable-debug-command", "yes"], options].concat();
    let Some(oracle) = Oracle::start_with(files, &options) else { return };
    let folder = Folder::new("engine");
    for (name, content) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    let lines = options[2..].join(" ").replace(" --", "\n").replace("--", "");
    let (engine, _) = open(folder.path(), &lines).unwrap();
    let (mut theirs, mut client) = (Client::new(&oracle), TestClient::new(&engine));
    for line in asked.iter().chain(&["DEBUG DIGEST"]) {
        let ours = client.ask(line).replace("\r\n", " ");
        let strip = |text: &str| {
            let words = text.split(' ').filter(|word| !word.starts_with('$'));
            words.map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(strip(&ours), strip(&theirs.say(line)), "{line}");
    }
    engine.close_data_dir();
}

const OLD: &str = "appendonly.aof";

#[test]
fn scripts_in_append_only_files_run() {
    let log = log_of(&[
        "SELECT|2",
        "EVAL|redis.call('set', KEYS[1], ARGV[1]) return redis.call('incr', 'other')|1|k|v",
        "SCRIPT|LOAD|return redis.call('rpush', KEYS[1], 'a', 'b')",
        "MULTI",
        "INCR|n",
        "EVAL|for i = 1, 100 do redis.call('incrby', KEYS[1], i) end|1|n",
        "EXEC",
        "EVAL|redis.call('select', 3) redis.call('set', 'there', 1) redis.call('pexpire', 'there', \
         9000000000000)|0",
        "FUNCTION|LOAD|#!lua name=kept\nredis.register_function('f', function(keys) return \
         redis.call('append', keys[1], 'more') end)",
        "FCALL|f|1|k",
        "SET|after|1",
    ]);
    let lines =
        ["GET k", "GET other", "GET n", "GET after", "FCALL f 1 k", "SELECT 3", "GET there"];
    let asked: Vec<&str> = ["SELECT 2"].into_iter().chain(lines).collect();
    load_alike(&[(OLD, &log)], &["--appendonly", "yes"], &asked);
}

/// Redis 7 names the file of an older server in a manifest before it moves it.
#[test]
fn a_file_that_was_named_and_not_moved_is_read() {
    let log = log_of(&["SELECT|0", "SET|k|v", "RPUSH|l|a|b"]);
    let manifest = "appendonlydir/appendonly.aof.manifest";
    let asked = ["GET k", "LRANGE l 0 -1"];
    for text in ["file appendonly.aof seq 1 type b\n", "# nothing yet\n"] {
        let files = [(OLD, log.as_slice()), (manifest, text.as_bytes())];
        load_alike(&files, &["--appendonly", "yes"], &asked);
    }
}

/// The number of entries that a file tells of a stream is not what counts.
#[test]
fn a_stream_that_is_miscounted_is_read() {
    let Some(oracle) = Oracle::start(&["--rdbchecksum", "no"]) else { return };
    let mut theirs = Client::new(&oracle);
    for n in 1..=37 {
        theirs.say(&format!("XADD s 7-{n} f v{n}"));
    }
    theirs.say("SET after 1");
    assert_eq!(theirs.say("SAVE"), "+OK");
    let mut file = std::fs::read(oracle.folder().join("dump.rdb")).unwrap();
    let at = file.windows(5).position(|part| part == [37, 7, 37, 7, 1]).unwrap();
    file[at] = 41;
    let asked = ["XRANGE s - +", "GET after", "XREVRANGE s + - COUNT 2"];
    load_alike(&[("dump.rdb", &file)], &["--rdbchecksum", "no"], &asked);
    // Redis goes on to tell the wrong number.
    let folder = Folder::new("engine");
    std::fs::write(folder.join("dump.rdb"), &file).unwrap();
    let (engine, recovered) = open(folder.path(), "").unwrap();
    let mut client = TestClient::new(&engine);
    assert_eq!(client.ask("XLEN s"), ":37");
    assert_eq!(recovered.imported.unwrap().keys, 2);
    let info = client.ask("INFO persistence");
    assert!(info.contains("rdb_last_load_keys_loaded:2\r\n"), "{info}");
    engine.close_data_dir();
}

/// What both tell of a stream with its groups, but for when consumers were seen. Times of delivery
/// are given, never those of a clock.
fn stream_of(lines: &[String]) -> Vec<String> {
    let seen = |at: usize| at > 0 && lines[at - 1] == "seen-time";
    let shown = |at: usize| if seen(at) { String::new() } else { lines[at].clone() };
    (0..lines.len()).map(shown).collect()
}

fn make_streams(theirs: &mut Client) {
    for n in 1..=420 {
        theirs.say(&format!("XADD big {n}-1 field {n} other text"));
    }
    for line in [
        "XTRIM big MAXLEN ~ 300 LIMIT 150",
        "XTRIM big MAXLEN 250",
        "XDEL big 200-1 300-1 301-1 420-1",
        "XGROUP CREATE big g 0",
        "XGROUP CREATE big late $ ENTRIESREAD 400",
        "XGROUP CREATECONSUMER big g idler",
        "XCLAIM big g one 0 210-1 211-1 TIME 500000 RETRYCOUNT 3 FORCE JUSTID LASTID 211-1",
        "XCLAIM big g two 0 212-1 TIME 400000 RETRYCOUNT 1 FORCE JUSTID LASTID 212-1",
        "XDEL big 211-1",
        "XACK big g 210-1",
        "XGROUP CREATE empty g $ MKSTREAM",
        "XADD thin 5-1 f v",
        "XDEL thin 5-1",
        "XSETID thin 9-9 ENTRIESADDED 100 MAXDELETEDID 7-7",
    ] {
        let reply = theirs.say(line);
        assert!(!reply.starts_with('-'), "{line}: {reply}");
    }
}

#[test]
fn streams_come_over_with_their_groups() {
    for (appendonly, preamble) in [("no", "yes"), ("yes", "yes"), ("yes", "no")] {
        let options = ["--appendonly", appendonly, "--appendfsync", "no"];
        let options = [&options[..], &["--aof-use-rdb-preamble", preamble]].concat();
        let Some(oracle) = Oracle::start(&options) else { return };
        let mut theirs = Client::new(&oracle);
        make_streams(&mut theirs);
        if appendonly == "no" {
            assert_eq!(theirs.say("SAVE"), "+OK");
        }
        let folder = Folder::new("engine");
        copy(oracle.folder(), folder.path());
        // Twice: from the files of Redis, and then from our own.
        for _ in 0..2 {
            let (engine, _) = open(folder.path(), "").unwrap();
            let mut client = TestClient::new(&engine);
            for key in ["big", "empty", "thin"] {
                let words: [&[u8]; 6] =
                    [b"XINFO", b"STREAM", key.as_bytes(), b"FULL", b"COUNT", b"0"];
                let wanted: Vec<String> = theirs
                    .ask(&words)
                    .iter()
                    .map(|part| String::from_utf8_lossy(part).into_owned())
                    .filter(|part| !part.starts_with(['*', '$']))
                    .collect();
                let mut out = Vec::new();
                client.worker.execute(&mut client.session, &words, &mut out);
                let text = String::from_utf8(out).unwrap();
                let ours: Vec<String> = text
                    .split("\r\n")
                    .filter(|line| !line.is_empty() && !line.starts_with(['*', '$']))
                    .map(str::to_owned)
                    .collect();
                let (ours, wanted) = (stream_of(&ours), stream_of(&wanted));
                let apart = ours.iter().zip(&wanted).position(|(ours, wanted)| ours != wanted);
                let from = apart.unwrap_or(0).saturating_sub(8);
                assert_eq!(
                    (ours.len(), ours.get(from..from + 12)),
                    (wanted.len(), wanted.get(from..from + 12)),
                    "{key} {appendonly} {preamble}"
                );
                assert_eq!(apart, None);
            }
            engine.close_data_dir();
        }
    }
}

/// Redis does not start either.
#[test]
fn a_snapshot_that_is_none_refuses_the_start() {
    for file in [&b""[..], b"REDIS", b"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\nv\r\n", b"hello"] {
        let folder = Folder::new("engine");
        std::fs::write(folder.join("dump.rdb"), file).unwrap();
        let Err(error) = open(folder.path(), "") else { panic!("{}", file.escape_ascii()) };
        assert!(error.contains("dump.rdb"), "{error}");
    }
}
