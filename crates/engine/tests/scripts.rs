//! Scripts among other requests: whole or not at all, whatever keys they use and whatever else
//! runs.
//!
//! `KVIST_SEED` repeats a run.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use base::Rng;
use kvist_engine::exchange::NoAnswer;
use kvist_engine::{Engine, SideThreads, Stage};
use parking_lot::Mutex;
use testkit::seed::rng;
use testkit::transcript::words;
use testkit::wait::until;

use crate::test_client::{KilledOnFailure, TestClient, engine, engine_with, looking_at_log};

const THREADS: usize = 8;

/// Sends words as they are.
fn say(client: &mut TestClient, words: &[&str]) -> String {
    let words: Vec<&[u8]> = words.iter().map(|word| word.as_bytes()).collect();
    let mut out = Vec::new();
    client.worker.execute(&mut client.session, &words, &mut out);
    String::from_utf8_lossy(&out).trim_end().to_owned()
}

/// Runs every argument as a command, split at blanks, then reads a key that was not declared.
const RUN_ALL: &str = "for _, line in ipairs(ARGV) do
    local words = {}
    for word in string.gmatch(line, '%S+') do words[#words + 1] = word end
    redis.pcall(unpack(words))
end
return redis.call('GET', 'elsewhere')";

/// A change of one of a few keys.
fn change(rng: &mut Rng, keys: usize) -> String {
    let key = format!("key{}", rng.below(keys));
    let other = format!("key{}", rng.below(keys));
    let n = rng.below(9);
    match rng.below(30) {
        0 => format!("SET {key} text{n}"),
        1 => format!("SET {key} {n} EX {}", n + 1),
        2 => format!("APPEND {key} {}", "long".repeat(n * 40)),
        3 => format!("INCR {key}"),
        4 => format!("DEL {key}"),
        5 => format!("HSET {key} f{n} v f{} w", n + 1),
        6 => format!("HDEL {key} f{n}"),
        7 => format!("RPUSH {key} a{n} b c"),
        8 => format!("LPOP {key} {n}"),
        9 => format!("SADD {key} {n} x{n}"),
        10 => format!("SADD {key} {n}"),
        11 => format!("SREM {key} {n}"),
        12 => format!("ZADD {key} {n} m{n} 2 two"),
        13 => format!("ZREM {key} m{n}"),
        14 => format!("XADD {key} 7-* f{n} v"),
        15 => format!("XGROUP CREATE {key} g 0 MKSTREAM"),
        16 => format!("XREADGROUP GROUP g c COUNT {n} STREAMS {key} >"),
        17 => format!("JSON.SET {key} $ {{\"a\":[{n},{{\"b\":null}}]}}"),
        18 => format!("JSON.NUMINCRBY {key} $.a[0] {n}"),
        19 => format!("RENAME {key} {other}"),
        20 => format!("COPY {key} {other} REPLACE"),
        21 => format!("COPY {key} {other} DB 1 REPLACE"),
        22 => format!("MOVE {key} 1"),
        23 => format!("EXPIRE {key} {}", n + 10),
        24 => format!("PERSIST {key}"),
        25 => format!("SETRANGE {key} {} z", n * 10_000),
        26 => format!("PFADD {key} {n}"),
        27 => format!("LMOVE {key} {other} LEFT RIGHT"),
        28 => format!("SORT {key} ALPHA STORE {other}"),
        _ => format!("SUNIONSTORE {key} {other}"),
    }
}

fn digest(engine: &Arc<Engine>) -> Vec<String> {
    let mut client = TestClient::new(engine);
    let mut told = vec![client.ask("DEBUG DIGEST")];
    for key in 0..6 {
        told.push(client.ask(&format!("PTTL key{key}")));
        told.push(client.ask(&format!("OBJECT ENCODING key{key}")));
        told.push(client.ask(&format!("XINFO STREAM key{key} FULL")));
    }
    told
}

#[test]
fn what_is_taken_back_leaves_no_trace() {
    let mut rng = rng();
    for round in 0..300 {
        // One meets an undeclared key at its end, and starts again; the other knows before.
        let lines = "enable-debug-command yes";
        let (tried, known) = (engine_with(lines), engine_with(lines));
        let (mut one, mut other) = (TestClient::new(&tried), TestClient::new(&known));
        for _ in 0..rng.below(12) {
            let line = change(&mut rng, 6);
            assert_eq!(one.ask(&line), other.ask(&line));
        }
        let changes: Vec<String> = (0..rng.below(12)).map(|_| change(&mut rng, 6)).collect();
        let keys = ["key0", "key1", "key2", "key3", "key4", "key5"];
        let mut words = vec!["EVAL", RUN_ALL, "6"];
        words.extend(keys);
        words.extend(changes.iter().map(String::as_str));
        // That there is something to learn is learnt from a run without changes.
        say(&mut other, &["EVAL", RUN_ALL, "0"]);
        assert_eq!(say(&mut one, &words), "$-1");
        assert_eq!(say(&mut other, &words), "$-1");
        assert_eq!(digest(&tried), digest(&known), "round {round}: {changes:?}");
        for engine in [&tried, &known] {
            let mut client = TestClient::new(engine);
            client.worker.txn.report_memory();
            client.ask("FLUSHALL");
            drop(client.worker.engine.store.take_trash());
        }
    }
}

#[test]
fn nothing_runs_twice() {
    let engine = engine();
    let mut client = TestClient::new(&engine);
    let body = "local n = redis.call('INCR', KEYS[1])
        redis.call('PUBLISH', 'channel', n)
        redis.call('SET', 'undeclared' .. n, n)
        return n";
    let mut listener = TestClient::new(&engine);
    listener.ask("SUBSCRIBE channel");
    for n in 1..20 {
        assert_eq!(say(&mut client, &["EVAL", body, "1", "counter"]), format!(":{n}"));
        assert_eq!(listener.messages.take(listener.session.client.id).len(), 1);
    }
    assert_eq!(client.ask("GET counter"), "$2\r\n19");
    assert_eq!(client.ask("DBSIZE"), ":20");
}

#[test]
fn a_large_value_is_a_reason_to_hold_everything() {
    let engine = engine();
    let mut client = TestClient::new(&engine);
    client.ask(&format!("SET k {}", "v".repeat(100_000)));
    let body = "redis.call('INCR', KEYS[1]); return redis.call('APPEND', KEYS[2], 'x')";
    let run = ["EVAL", body, "2", "n", "k"];
    assert_eq!(say(&mut client, &run), ":100001");
    assert_eq!(say(&mut client, &run), ":100002");
    assert_eq!(client.ask("GET n"), "$1\r\n2");
}

#[test]
fn balances_are_exact() {
    const ACCOUNTS: usize = 20;
    let engine = engine();
    let mut client = TestClient::new(&engine);
    (0..ACCOUNTS).for_each(|n| _ = client.ask(&format!("SET account{n} 100")));
    let declared = "redis.call('DECRBY', KEYS[1], ARGV[1]); redis.call('INCRBY', KEYS[2], ARGV[1])";
    let hidden = "redis.call('DECRBY', KEYS[1], ARGV[1])
        redis.call('INCRBY', 'account' .. ARGV[2], ARGV[1])";
    // Knows its second key by what the first says: every now and then it is another.
    let moving = "local at = redis.call('INCR', KEYS[1] .. ':turn') % 20
        redis.call('DECRBY', KEYS[1], 1); redis.call('INCRBY', 'account' .. at, 1)";
    let sum = "local sum = 0
        for n = 0, 19 do sum = sum + redis.call('GET', 'account' .. n) end
        return sum";
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        for number in 0..THREADS {
            let (engine, done) = (&engine, &done);
            scope.spawn(move || {
                let mut client = TestClient::new(engine);
                let mut rng = Rng::new(number as u64 + 1);
                for _ in 0..600 {
                    let (a, b) = (rng.below(ACCOUNTS), rng.below(ACCOUNTS));
                    let (from, to) = (format!("account{a}"), format!("account{b}"));
                    let amount = rng.below(50).to_string();
                    match rng.below(5) {
                        0 => say(&mut client, &["EVAL", declared, "2", &from, &to, &amount]),
                        1 => {
                            say(&mut client, &["EVAL", hidden, "1", &from, &amount, &b.to_string()])
                        }
                        2 => say(&mut client, &["EVAL", moving, "1", &from]),
                        3 => {
                            let lines = format!(
                                "MULTI\r\nDECRBY {from} {amount}\r\nINCRBY {to} {amount}\r\nEXEC"
                            );
                            client.ask(&lines)
                        }
                        _ => {
                            let reply = say(&mut client, &["EVAL", sum, "0"]);
                            assert_eq!(reply, ":2000");
                            reply
                        }
                    };
                }
                done.store(true, Ordering::Relaxed);
            });
        }
        scope.spawn(|| {
            let mut client = TestClient::new(&engine);
            let names: Vec<String> = (0..ACCOUNTS).map(|n| format!("account{n}")).collect();
            let line = format!("MGET {}", names.join(" "));
            while !done.load(Ordering::Relaxed) {
                let reply = client.ask(&line);
                let values = reply.split("\r\n").skip(2).step_by(2);
                let sum: i64 = values.map(|value| value.parse::<i64>().unwrap()).sum();
                assert_eq!(sum, 2000);
            }
        });
    });
    assert_eq!(say(&mut client, &["EVAL", sum, "0"]), ":2000");
}

#[test]
fn scripts_about_different_keys_run_side_by_side() {
    let engine = engine_with("busy-reply-threshold 50");
    thread::scope(|scope| {
        let endless = scope.spawn(|| {
            let mut client = TestClient::new(&engine);
            say(&mut client, &["EVAL", "redis.call('GET', KEYS[1]) while true do end", "1", "a"])
        });
        let mut client = TestClient::new(&engine);
        // A key of the endless one is not to be had; in the end that is said.
        let busy = loop {
            let reply = client.ask("GET a");
            if reply.starts_with('-') {
                break reply;
            }
        };
        let text = "-BUSY Redis is busy running a script. You can only call SCRIPT KILL or \
                    SHUTDOWN NOSAVE.";
        assert_eq!(busy, text);
        // One of another shard is.
        let other = (0..).map(|n| format!("b{n}")).find(|key| {
            let shard =
                |key: &str| engine.store.shard_of(engine.store.hasher().hash(key.as_bytes()));
            shard(key) != shard("a")
        });
        let other = other.unwrap();
        let body = "return redis.call('INCR', KEYS[1])";
        assert_eq!(say(&mut client, &["EVAL", body, "1", &other]), ":1");
        // What needs every shard, or walks over them, or watches, is refused whole.
        assert_eq!(client.ask("FLUSHALL"), text);
        assert_eq!(client.ask("DBSIZE"), text);
        assert_eq!(client.ask("WATCH a"), text);
        let aborted = format!("-EXECABORT Transaction discarded because of: {}", &text[1..]);
        let (reply, _) = client.feed("MULTI\r\nSET a 1\r\nEXEC\r\n");
        assert_eq!(reply.lines().last().unwrap(), aborted);
        assert_eq!(say(&mut client, &["EVAL", "redis.call('GET', 'b')", "1", "a"]), text);
        assert!(client.ask("FUNCTION KILL").starts_with("-BUSY"));
        assert_eq!(client.ask("SCRIPT KILL"), "+OK");
        let killed = endless.join().unwrap();
        assert!(killed.contains("Script killed by user with SCRIPT KILL"), "{killed}");
        assert_eq!(client.ask("GET a"), "$-1");
        let nothing = "-NOTBUSY No scripts in execution right now.";
        assert_eq!(client.ask("SCRIPT KILL"), nothing);
    });
}

/// Doors with few threads run on others what takes longer than a moment, whether its words, its
/// keys' values, what it makes or what it frees is long.
#[test]
fn what_is_made_and_what_goes_counts_as_what_is_there() {
    let engine = engine_with("");
    let mut client = TestClient::new(&engine);
    let side = SideThreads::new(&engine, ["long", "heavy"], 1);
    for n in 0..20 {
        let elements: Vec<String> = (0..1000).map(|m| format!("{m} element:{n}:{m}")).collect();
        client.ask(&format!("ZADD zset {}", elements.join(" ")));
        client.ask(&format!("RPUSH list {}", elements.join(" ")));
        client.ask(&format!("SADD set {}", elements.join(" ")));
    }
    client.ask("SETRANGE long 1000000 x");
    client.ask(&format!("JSON.SET doc $ [{}0]", "0,".repeat(5000)));
    client.ask("SADD small a b");
    let large = "x".repeat(1000);
    let mut aside = |line: &str| {
        let words = words(line);
        let TestClient { worker, session, .. } = &mut client;
        side.permit(worker, session, &words, Stage::New).unwrap().is_some()
    };
    for line in [
        "SETRANGE none 500000000 x",
        "SETRANGE long 2000000 x",
        "BITFIELD none SET u8 4294967280 1",
        "SETBIT none 4294967295 1",
        "SETBIT long 16000000 1",
        "SPOP set 1000000",
        "LPOP list 1000000",
        "LTRIM list 1 0",
        "ZPOPMIN zset 1000000",
        "ZREMRANGEBYRANK zset 0 -1",
        "ZREMRANGEBYSCORE zset 0 9",
        "SRANDMEMBER small -1000000",
        "APPEND long x",
        &format!("JSON.SET doc $.* \"{large}\""),
        &format!("RESTORE k 0 {}", large.repeat(20)),
    ] {
        assert!(aside(line), "{line}");
    }
    for line in [
        "SETRANGE none 5000 x",
        "SETBIT long 7999999 1",
        "BITFIELD none INCRBY u8 #5 1",
        "SPOP set 10",
        "LPOP list 10",
        "ZPOPMIN zset 10",
        "SRANDMEMBER small -100",
        "APPEND small x",
        "JSON.SET doc $[0] 1",
        &format!("JSON.SET doc $[0] \"{large}\""),
    ] {
        assert!(!aside(line), "{line}");
    }
    // However many wait, a request that has begun goes on.
    let entered: Vec<_> =
        std::iter::from_fn(|| side.permit_bytes(1 << 20, Stage::New).ok()).take(5000).collect();
    assert!(entered.len() < 2000);
    assert_eq!(side.permit_bytes(1 << 20, Stage::New).err(), Some(NoAnswer::Crowded));
    assert!(side.permit_bytes(1 << 20, Stage::Begun).unwrap().is_some());
    drop(entered);
    // A long string is freed as a large collection is: not by the thread that deletes it.
    client.ask("SETRANGE longer 50000000 x");
    let _ = engine.store.take_trash();
    client.ask("SET long x");
    assert!(engine.store.take_trash().is_empty());
    client.ask("SET longer x");
    assert_eq!(engine.store.take_trash().len(), 1);
}

/// Who reads in the log that a script is overdue and then asks for what it holds is not kept
/// waiting: that is in force before it is told.
#[test]
fn an_overdue_script_is_told_of_when_no_client_waits_for_it() {
    let engine = engine_with("busy-reply-threshold 1");
    let mut client = TestClient::new(&engine);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let look = {
        let (engine, seen) = (Arc::clone(&engine), Arc::clone(&seen));
        move |line: &str| {
            if line.contains("longer than busy-reply-threshold") {
                let mut other = TestClient::new(&engine);
                seen.lock().push((engine.store.locks.is_obstructed(), other.ask("SCRIPT KILL")));
            }
        }
    };
    let run = || say(&mut client, &["EVAL", "while true do end", "1", "k"]);
    let killed = looking_at_log(look, run);
    assert!(killed.contains("Script killed by user"), "{killed}");
    assert_eq!(*seen.lock(), [(true, "+OK".to_owned())]);
}

/// A thread whose records the disk does not take waits before its next request, however short that
/// is.
#[test]
fn nothing_is_a_moment_while_the_disk_is_behind() {
    let engine = engine_with("");
    let is_moment = || engine.is_moment(0, &[b"GET", b"a"]);
    assert!(is_moment());
    let log = engine.store.log();
    let buffer = log.open_write_buffer();
    let records = vec![0; 40 << 20];
    log.append(&buffer, &records);
    assert!(is_moment());
    log.append(&buffer, &records);
    assert!(!is_moment());
}

/// A thread that keeps others from running meanwhile (Python's interpreter is a lock) asks before
/// each request whether that would be for a moment only.
#[test]
fn a_moment_is_short_and_waits_for_no_lock() {
    let engine = engine_with("busy-reply-threshold 20");
    let mut client = TestClient::new(&engine);
    let is_moment = |words: &[&str]| {
        let words: Vec<&[u8]> = words.iter().map(|word| word.as_bytes()).collect();
        engine.is_moment(0, &words)
    };
    let long = "x".repeat(20_000);
    for n in 0..40 {
        client.ask(&format!("SET k{n} {long}"));
        let elements: Vec<String> = (0..500).map(|m| format!("element:{n}:{m}")).collect();
        client.ask(&format!("RPUSH list {}", elements.join(" ")));
    }
    let keys: Vec<String> = (0..40).map(|n| format!("k{n}")).collect();
    let all = [&["MGET"][..], &keys.iter().map(String::as_str).collect::<Vec<_>>()].concat();
    for words in [&["GET", "k1"][..], &all[..5], &["LPOP", "list", "9"], &["LPUSH", "list", "x"]] {
        assert!(is_moment(words), "{words:?}");
    }
    let set = ["SET", "k1", &long.repeat(20)];
    for words in [&all[..], &["LPOP", "list", "5000000"], &set, &["BLPOP", "list", "0"]] {
        assert!(!is_moment(words), "{words:?}");
    }
    for n in 0..20_000 {
        client.ask(&format!("XADD stream {n}-1 field value-of-an-entry-of-a-stream"));
    }
    let add = ["XADD", "stream", "MAXLEN", "19990", "*", "f", "v"];
    let approximate = ["XADD", "stream", "MAXLEN", "~", "19000", "*", "f", "v"];
    for words in [&add[..], &approximate, &["SETBIT", "k1", "9", "1"], &["XLEN", "stream"]] {
        assert!(is_moment(words), "{words:?}");
    }
    for words in [
        &["XADD", "stream", "MAXLEN", "0", "*", "f", "v"][..],
        &["XADD", "stream", "MINID", "~", "5", "LIMIT", "0", "*", "f", "v"],
        &["SETBIT", "k1", "4294967295", "1"],
        &["SETBIT", "none", "4294967295", "1"],
    ] {
        assert!(!is_moment(words), "{words:?}");
    }
    let about_k1 = [
        &["GET", "k1"][..],
        &["INCR", "k1"],
        &["MGET", "none", "k1"],
        &["EXISTS", "k1"],
        &["DBSIZE"],
    ];
    let held = thread::scope(|scope| {
        let endless = scope.spawn(|| {
            let mut client = TestClient::new(&engine);
            say(&mut client, &["EVAL", "while true do end", "1", "k1"])
        });
        let _guard = KilledOnFailure(&engine);
        until("a busy key", || client.ask("GET k1").starts_with("-BUSY"));
        let held = about_k1.map(is_moment);
        until("its end", || client.ask("SCRIPT KILL") == "+OK");
        endless.join().unwrap();
        held
    });
    assert_eq!(held, [false; 5]);
    assert!(is_moment(&["INCR", "k1"]));
}

#[test]
fn what_has_written_is_not_killed() {
    let engine = engine_with("busy-reply-threshold 1");
    let mut client = TestClient::new(&engine);
    let body = "redis.call('SET', KEYS[1], 1)
        for i = 1, 3e7 do end
        return redis.call('INCR', KEYS[1])";
    thread::scope(|scope| {
        let long = scope.spawn(|| say(&mut TestClient::new(&engine), &["EVAL", body, "1", "a"]));
        // Before it has written it would be killed.
        while !client.ask("INFO commandstats").contains("cmdstat_set:calls=1,") {
            assert!(!long.is_finished(), "{:?}", long.join());
        }
        while client.ask("SCRIPT KILL").starts_with("-NOTBUSY") && !long.is_finished() {}
        let reply = client.ask("SCRIPT KILL");
        assert!(reply.starts_with("-UNKILLABLE") || long.is_finished(), "{reply}");
        assert_eq!(long.join().unwrap(), ":2");
    });
    assert_eq!(client.ask("GET a"), "$1\r\n2");
}

#[test]
fn scripting_can_be_turned_off_as_a_whole() {
    let engine = engine_with("enable-debug-command yes");
    let mut client = TestClient::new(&engine);
    let library = "#!lua name=l\nredis.register_function('f', function() return 1 end)";
    assert_eq!(say(&mut client, &["FUNCTION", "LOAD", library]), "$1\r\nl");
    let sha = say(&mut client, &["SCRIPT", "LOAD", "return 1"])[5..].to_owned();
    let requests: &[&[&str]] = &[
        &["EVAL", "return 1", "0"],
        &["EVAL_RO", "return 1", "0"],
        &["EVALSHA", &sha, "0"],
        &["EVALSHA_RO", &sha, "0"],
        &["FCALL", "f", "0"],
        &["FCALL_RO", "f", "0"],
        &["SCRIPT", "LOAD", "return 2"],
        &["FUNCTION", "LOAD", "REPLACE", library],
        &["FUNCTION", "RESTORE", "x"],
    ];
    // What is queued before is asked again when it runs.
    let mut queued = TestClient::new(&engine);
    assert_eq!(queued.ask("MULTI"), "+OK");
    for request in requests {
        assert_eq!(say(&mut queued, request), "+QUEUED");
    }
    assert_eq!(client.ask("CONFIG SET scripting no"), "+OK");
    let refused = "-ERR scripting is turned off by the directive 'scripting'";
    for request in requests {
        assert_eq!(say(&mut client, request), refused, "{request:?}");
    }
    queued.worker.begin(1_000_000);
    let replies = queued.ask("EXEC");
    assert_eq!(replies.matches(refused).count(), requests.len(), "{replies}");
    // What there is can be looked at and deleted.
    assert_eq!(client.ask("FUNCTION DELETE l"), "+OK");
    assert_eq!(client.ask("CONFIG SET scripting yes"), "+OK");
    assert_eq!(say(&mut client, &["EVAL", "return 1", "0"]), ":1");
}

#[test]
fn a_command_may_have_as_many_words_as_the_stack_has_room_for() {
    let mut client = TestClient::new(&engine());
    let body = "local t = {} for i = 1, 7995 do t[i] = i end
        return redis.call('LPUSH', KEYS[1], unpack(t))";
    assert_eq!(say(&mut client, &["EVAL", body, "1", "k"]), ":7995");
    let body = "return #redis.call('LRANGE', KEYS[1], 0, -1)";
    assert_eq!(say(&mut client, &["EVAL", body, "1", "k"]), ":7995");
}
