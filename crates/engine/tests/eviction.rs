//! Eviction: the dataset stays within `maxmemory`, and what is dropped is what is missed least.
//!
//! `KVIST_SEED` repeats a run.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

use base::Rng;
use kvist_engine::persistence::Reason;
use kvist_engine::{Engine, State};
use testkit::folder::Folder;
use testkit::oracle::{Client, Oracle};
use testkit::seed::rng;
use testkit::transcript::words;

use crate::data_dir::open;
use crate::test_client::{TestClient, engine_with};

const MEGABYTE: usize = 1 << 20;
const START: u64 = 1_700_000_000_000;

/// One request in a batch of its own at this time.
fn ask_at(client: &mut TestClient, now: u64, line: &str) -> String {
    client.worker.begin(now);
    client.ask(line)
}

/// Writes of every type over many keys, half of them with a deadline.
fn write(rng: &mut Rng) -> String {
    let key = rng.below(100_000);
    let value = "x".repeat(20 + rng.below(200));
    match rng.below(8) {
        0 => format!("HSET h:{key} {value} 1 f {value}"),
        1 => format!("RPUSH l:{key} {value} b {value}"),
        2 => format!("ZADD z:{key} 1 {value} 2 b"),
        3 => format!("SADD s:{key} {value} b c"),
        _ => format!("SET k:{key} {value} EX {}", 1000 + key),
    }
}

fn used(engine: &Arc<Engine>) -> usize {
    engine.used_memory()
}

#[test]
fn a_full_server_stays_within_its_limit() {
    let mut rng = rng();
    for policy in ["lru", "lfu", "random"] {
        let engine = engine_with(&format!("maxmemory 4mb\nmaxmemory-policy allkeys-{policy}"));
        let mut clients: Vec<TestClient> = (0..3).map(|_| TestClient::new(&engine)).collect();
        let mut now = START;
        for n in 0..60_000 {
            now += 10;
            let at = rng.below(clients.len());
            let reply = ask_at(&mut clients[at], now, &write(&mut rng));
            assert!(!reply.starts_with('-'), "{policy}: {reply}");
            if n > 30_000 {
                let used = used(&engine);
                assert!(used <= 4 * MEGABYTE * 101 / 100, "{policy}: {used}");
                assert!(used >= 4 * MEGABYTE * 97 / 100, "{policy}: {used}");
            }
        }
        let info = clients[0].ask("INFO stats");
        let evicted = engine.store.evicted();
        assert!(evicted > 10_000 && info.contains(&format!("evicted_keys:{evicted}\r\n")));
    }
}

#[test]
fn only_keys_that_would_expire_go_where_the_policy_says_so() {
    let mut rng = rng();
    for policy in ["lru", "lfu", "random", "ttl"] {
        let engine = engine_with(&format!("maxmemory 2mb\nmaxmemory-policy volatile-{policy}"));
        let mut client = TestClient::new(&engine);
        for n in 0..500 {
            assert_eq!(ask_at(&mut client, START, &format!("SET lasting:{n} v")), "+OK");
        }
        let mut wanted = 0;
        for n in 0..20_000 {
            let (value, seconds) = ("v".repeat(100), 1000 + rng.below(100_000));
            let line = format!("SET going:{n} {value} EX {seconds}");
            assert_eq!(ask_at(&mut client, START + n, &line), "+OK");
            wanted += usize::from(seconds > 50_000);
        }
        let there = client.ask("DBSIZE");
        for n in 0..500 {
            assert_eq!(client.ask(&format!("EXISTS lasting:{n}")), ":1", "{policy}");
        }
        let going: usize = there[1..].parse::<usize>().unwrap() - 500;
        assert!((1000..19_000).contains(&going), "{policy}: {going}");
        if policy == "ttl" {
            // About a quarter has gone: nearly none of those that live long.
            let mut long = 0;
            for n in 0..20_000 {
                let left = ask_at(&mut client, START, &format!("TTL going:{n}"));
                long += usize::from(left[1..].parse::<i64>().unwrap() > 50_000);
            }
            assert!(long * 100 > wanted * 97, "{long} of {wanted}");
        }
        // Nothing is left that may go: now writes are refused, and reads and deletions are not.
        for n in 0..20_000 {
            client.ask(&format!("PERSIST going:{n}"));
        }
        let mut refused = 0;
        for n in 0..2000 {
            let reply = ask_at(&mut client, START, &format!("SET more:{n} {}", "v".repeat(1000)));
            refused += usize::from(reply.starts_with("-OOM command not allowed"));
        }
        assert!(refused > 500, "{policy}: {refused}");
        assert_eq!(ask_at(&mut client, START, "GET lasting:1"), "$1\r\nv");
        assert_eq!(ask_at(&mut client, START, "DEL lasting:1"), ":1");
    }
}

#[test]
fn a_limit_that_is_lowered_is_kept_without_requests() {
    let engine = engine_with("maxmemory 8mb\nmaxmemory-policy allkeys-random");
    let mut client = TestClient::new(&engine);
    let mut rng = rng();
    for _ in 0..40_000 {
        ask_at(&mut client, START, &write(&mut rng));
    }
    assert!(used(&engine) > 7 * MEGABYTE);
    let cron = kvist_engine::Cron::start(&engine, kvist_engine::Allocator::unknown()).unwrap();
    assert_eq!(client.ask("CONFIG SET maxmemory 1mb"), "+OK");
    let start = std::time::Instant::now();
    while used(&engine) > MEGABYTE {
        assert!(start.elapsed().as_secs() < 20, "{}", used(&engine));
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    drop(cron);
}

#[test]
fn what_was_dropped_is_watched_and_stays_away_after_a_restart() {
    let folder = Folder::new("engine");
    let lines = "save \"\"\nappendfsync no\nmaxmemory 2mb\nmaxmemory-policy allkeys-lru";
    let (engine, _) = open(folder.path(), lines).unwrap();
    let (mut client, mut watcher, mut rng) =
        (TestClient::new(&engine), TestClient::new(&engine), rng());
    ask_at(&mut watcher, START, "SET watched v");
    ask_at(&mut watcher, START, "WATCH watched");
    let mut now = START;
    for n in 0..30_000 {
        now += 20;
        ask_at(&mut client, now, &write(&mut rng));
        if n == 15_000 {
            engine.save(Reason::Save, true).unwrap();
        }
    }
    assert_eq!(client.ask("EXISTS watched"), ":0");
    watcher.ask("MULTI");
    watcher.ask("PING");
    assert_eq!(watcher.ask("EXEC"), "*-1");
    let wanted = client.ask("DEBUG DIGEST");
    engine.store.log().sync().unwrap();
    engine.close_data_dir();
    for policy in ["allkeys-lru", "allkeys-lfu"] {
        let lines = format!("save \"\"\nappendfsync no\nmaxmemory-policy {policy}");
        let (engine, recovered) = open(folder.path(), &lines).unwrap();
        assert_eq!(recovered.failed, 0);
        assert_eq!(TestClient::new(&engine).ask("DEBUG DIGEST"), wanted);
        engine.close_data_dir();
    }
}

/// The keys of a trace: few are asked for often, many seldom.
fn trace(rng: &mut Rng, keys: usize, length: usize) -> Vec<usize> {
    let weights: Vec<f64> = (1..=keys).map(|rank| 1.0 / rank as f64).collect();
    let sum: f64 = weights.iter().sum();
    let mut below = 0.0;
    let bounds: Vec<f64> = weights
        .iter()
        .map(|weight| {
            below += weight / sum;
            below
        })
        .collect();
    let draw = |rng: &mut Rng| {
        let at = rng.below(1 << 30) as f64 / (1_u64 << 30) as f64;
        bounds.partition_point(|&bound| bound < at).min(keys - 1)
    };
    (0..length).map(|_| draw(rng)).collect()
}

const KEYS: usize = 20_000;
const ROOM: usize = 4000;
const BATCH: usize = 100;

/// A cache in front of something slow: what is missing is fetched and kept. The share of hits in
/// the second half of the trace; a batch is asked for, then what was missing is kept.
fn hits(trace: &[usize], mut run: impl FnMut(Vec<String>) -> Vec<bool>) -> f64 {
    let (mut hits, mut seen) = (0, 0);
    for (number, batch) in trace.chunks(BATCH).enumerate() {
        let found = run(batch.iter().map(|key| format!("GET key:{key}")).collect());
        if number * BATCH > trace.len() / 2 {
            hits += found.iter().filter(|found| **found).count();
            seen += found.len();
        }
        let missing = batch.iter().zip(found).filter(|(_, found)| !found);
        run(missing.map(|(key, _)| format!("SET key:{key} {}", "v".repeat(100))).collect());
    }
    hits as f64 / seen as f64
}

/// Our share of hits; a second passes with every `pace` batches.
fn our_hits(policy: &str, trace: &[usize], pace: u64) -> f64 {
    let engine = engine_with("");
    let mut client = TestClient::new(&engine);
    for key in 0..ROOM {
        ask_at(&mut client, START, &format!("SET filler:{key} {}", "v".repeat(100)));
    }
    let room = used(&engine);
    client.ask("FLUSHALL");
    client.ask(&format!("CONFIG SET maxmemory {room} maxmemory-policy {policy}"));
    let mut batches = 0;
    hits(trace, |lines| {
        batches += 1;
        let now = START + batches * 1000 / pace;
        lines.iter().map(|line| !ask_at(&mut client, now, line).starts_with("$-1")).collect()
    })
}

fn their_hits(client: &mut Client, policy: &str, trace: &[usize]) -> f64 {
    client.say("CONFIG SET maxmemory 0");
    client.say("FLUSHALL");
    let mut value = |name: &str, key: usize| {
        client.add(&[b"SET", format!("{name}:{key}").as_bytes(), &[b'v'; 100]]);
    };
    (0..ROOM).for_each(|key| value("filler", key));
    client.run();
    let info = String::from_utf8(client.ask(&[b"INFO", b"memory"]).concat()).unwrap();
    let line = info.lines().find(|line| line.starts_with("used_memory:")).unwrap();
    let room: usize = line["used_memory:".len()..].trim().parse().unwrap();
    client.say("FLUSHALL");
    client.say(&format!("CONFIG SET maxmemory {room} maxmemory-policy {policy}"));
    hits(trace, |lines| {
        for line in &lines {
            client.add(&words(line));
        }
        let replies = client.run();
        replies.iter().map(|reply| !reply.concat().starts_with(b"$-1")).collect()
    })
}

/// What a cache that always drops the least recently used would hit.
fn exact_hits(trace: &[usize]) -> f64 {
    let mut used = std::collections::BTreeMap::new();
    let mut last = vec![0_usize; KEYS];
    let (mut time, mut present) = (0, Vec::new());
    hits(trace, |lines| {
        present.clear();
        for line in &lines {
            let key: usize = line.split([':', ' ']).nth(2).unwrap().parse().unwrap();
            time += 1;
            let known = last[key] > 0;
            present.push(known);
            if known || line.starts_with("SET") {
                used.remove(&last[key]);
                used.insert(time, key);
                last[key] = time;
            }
            if used.len() > ROOM
                && let Some((_, oldest)) = used.pop_first()
            {
                last[oldest] = 0;
            }
        }
        present.clone()
    })
}

#[test]
fn the_least_used_go_first() {
    let trace = trace(&mut rng(), KEYS, 80_000);
    let (exact, random) = (exact_hits(&trace), our_hits("allkeys-random", &trace, 10));
    let (lru, lfu) = (our_hits("allkeys-lru", &trace, 10), our_hits("allkeys-lfu", &trace, 10));
    println!("exact LRU {exact:.3}, ours: LRU {lru:.3}, LFU {lfu:.3}, random {random:.3}");
    assert!(lru > exact - 0.02 && lru > random + 0.02 && lfu > exact);
}

#[test]
fn as_many_hits_as_with_redis() {
    let Some(oracle) = Oracle::start(&[]) else { return };
    let mut client = Client::new(&oracle);
    let trace = trace(&mut rng(), KEYS, 80_000);
    for policy in ["allkeys-lfu", "allkeys-random"] {
        let ours = our_hits(policy, &trace, 10);
        let theirs = their_hits(&mut client, policy, &trace);
        println!("{policy}: ours {ours:.3}, theirs {theirs:.3}");
        assert!(ours > theirs - 0.02, "{policy}: {ours:.3} and {theirs:.3}");
    }
}

#[test]
fn how_often_a_key_is_used_is_told_as_redis_tells_it() {
    let Some(oracle) = Oracle::start(&["--maxmemory-policy", "allkeys-lfu"]) else { return };
    let engine = engine_with("maxmemory-policy allkeys-lfu");
    let (mut theirs, mut ours) = (Client::new(&oracle), TestClient::new(&engine));
    for line in [
        "SET k v",
        "OBJECT FREQ k",
        "SET k w",
        "OBJECT FREQ k",
        "OBJECT IDLETIME k",
        "OBJECT FREQ none",
        "OBJECT IDLETIME none",
        "RPUSH l a",
        "OBJECT FREQ l",
        "RPUSH l b",
        "OBJECT FREQ l",
        "RESTORE r 0 \"\\x00\\x01v\\n\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\" FREQ 100",
        "CONFIG SET maxmemory-policy noeviction",
        "OBJECT FREQ k",
        "OBJECT FREQ none",
    ] {
        assert_eq!(ask_at(&mut ours, START, line), theirs.say(line), "{line}");
    }
    assert_eq!(ours.ask("CONFIG SET maxmemory-policy volatile-lfu"), "+OK");
    assert_eq!(ask_at(&mut ours, START, "SET n v"), "+OK");
    let dump: Vec<u8> = {
        let mut out = Vec::new();
        ours.worker.execute(&mut ours.session, &[b"DUMP", b"n"], &mut out);
        out[out.iter().position(|&byte| byte == b'\n').unwrap() + 1..out.len() - 2].to_vec()
    };
    let mut out = Vec::new();
    let words: [&[u8]; 6] = [b"RESTORE", b"r", b"0", &dump, b"FREQ", b"200"];
    ours.worker.execute(&mut ours.session, &words, &mut out);
    assert_eq!((out.as_slice(), ours.ask("OBJECT FREQ r")), (&b"+OK\r\n"[..], ":200".to_owned()));
    // Five minutes without a use.
    assert_eq!(ask_at(&mut ours, START + 300_000, "OBJECT FREQ r"), ":195");
}

/// A set that takes more than a megabyte.
fn fill_large(client: &mut TestClient, key: &str) {
    for n in 0..20_000 {
        assert_eq!(client.ask(&format!("SADD {key} member-number-{n:0>32}")), ":1");
    }
}

#[test]
fn a_large_value_is_copied_only_if_there_is_room_for_the_copy() {
    let engine = engine_with("maxmemory-policy noeviction");
    let mut client = TestClient::new(&engine);
    fill_large(&mut client, "large");
    let size = engine.used_memory();
    assert!(size > MEGABYTE);
    ask_at(&mut client, START, &format!("CONFIG SET maxmemory {}", size + size / 2));
    let refused = "-OOM command not allowed when used memory > 'maxmemory'.";
    for _ in 0..3 {
        assert_eq!(ask_at(&mut client, START, "COPY large copy"), refused);
    }
    // Nor in a transaction or a script; and nothing is copied to no purpose.
    client.ask("MULTI");
    client.ask("COPY large copy");
    client.ask("COPY large copy DB 1 REPLACE");
    assert!(ask_at(&mut client, START, "EXEC").matches(refused).count() == 2);
    let script = "EVAL \"return redis.call('copy','large','copy')\" 2 large copy";
    let reply = client.ask(script);
    assert!(reply.contains("OOM command not allowed"), "{reply}");
    assert_eq!(ask_at(&mut client, START, "EXISTS copy"), ":0");
    assert_eq!(ask_at(&mut client, START, "SET small v"), "+OK", "for a small value there is room");
    assert_eq!(ask_at(&mut client, START, "COPY large small"), ":0", "that is there already");
    // Two copies of which one has room: what a transaction has done so far counts.
    ask_at(&mut client, START, &format!("CONFIG SET maxmemory {}", size * 5 / 2));
    client.ask("MULTI");
    client.ask("COPY large one");
    client.ask("COPY large two");
    let both = ask_at(&mut client, START, "EXEC");
    assert!(both.contains(":1") && both.contains(refused), "{both}");
    assert!(used(&engine) <= size * 5 / 2);
}

/// What is configured inside a transaction holds for what comes behind it there.
#[test]
fn a_limit_holds_from_where_it_is_set() {
    let engine = engine_with("maxmemory-policy noeviction\nenable-debug-command yes");
    let mut client = TestClient::new(&engine);
    fill_large(&mut client, "large");
    let size = engine.used_memory();
    let refused = "-OOM command not allowed when used memory > 'maxmemory'.";
    let [one, none] = [size * 5 / 2, size * 3 / 2].map(|n| format!("CONFIG SET maxmemory {n}"));
    for (before, inside, made) in [
        (&*none, "CONFIG SET maxmemory 0", [true, true]),
        (&*none, &*one, [true, false]),
        ("CONFIG SET maxmemory 0", &*one, [true, false]),
        (&*one, &*none, [false, false]),
        (&*one, "CONFIG SET maxmemory 1", [false, false]),
    ] {
        assert_eq!(ask_at(&mut client, START, "CONFIG SET maxmemory 0"), "+OK");
        client.ask("DEL one two");
        ask_at(&mut client, START, before);
        assert_eq!(ask_at(&mut client, START, "MULTI"), "+OK");
        for line in [inside, "COPY large one", "COPY large two"] {
            client.ask(line);
        }
        let replies = ask_at(&mut client, START, "EXEC");
        let copies = made.map(|made| if made { ":1" } else { refused });
        assert_eq!(replies, format!("*3\r\n+OK\r\n{}\r\n{}", copies[0], copies[1]), "{inside}");
    }
    // Scripts may not change it, unless tests have said that they may.
    let script = format!(
        "EVAL \"redis.call('config','set','maxmemory',{}) \
         return redis.call('copy','large','one')\" 0",
        size * 5 / 2
    );
    ask_at(&mut client, START, &none);
    assert!(client.ask(&script).contains("not allowed from script"));
    ask_at(&mut client, START, "DEBUG SET-DISABLE-DENY-SCRIPTS 1");
    assert_eq!(ask_at(&mut client, START, &script), ":1");
}

#[test]
fn a_script_that_allows_for_it_copies_beyond_the_limit() {
    let engine = engine_with("maxmemory-policy noeviction");
    let mut client = TestClient::new(&engine);
    fill_large(&mut client, "large");
    let size = engine.used_memory();
    let copy = "redis.call('copy','large','copy','replace')";
    let library = format!(
        "#!lua name=l\\nredis.register_function{{function_name='free', flags={{'allow-oom'}}, \
         callback=function() return {copy} end}}\\n\
         redis.register_function('bound', function() return {copy} end)"
    );
    assert_eq!(client.ask(&format!("FUNCTION LOAD \"{library}\"")), "$1\r\nl");
    let [free, bound] = ["#!lua flags=allow-oom", "#!lua"]
        .map(|first| format!("EVAL \"{first}\\nreturn {copy}\" 2 large copy"));
    // With room for another value, though not for this copy, and with none at all.
    for limit in [size * 3 / 2, 1] {
        for (request, allows) in [
            (&*free, true),
            (&*bound, false),
            ("FCALL free 2 large copy", true),
            ("FCALL bound 2 large copy", false),
        ] {
            for wrapped in [false, true] {
                ask_at(&mut client, START, "CONFIG SET maxmemory 0");
                ask_at(&mut client, START, "DEL copy");
                let lines: &[&str] = if wrapped { &["MULTI", request] } else { &[] };
                lines.iter().for_each(|line| drop(client.ask(line)));
                // From another connection, as it would be queued.
                ask_at(
                    &mut TestClient::new(&engine),
                    START,
                    &format!("CONFIG SET maxmemory {limit}"),
                );
                let reply = ask_at(&mut client, START, if wrapped { "EXEC" } else { request });
                assert_eq!(reply.contains(":1"), allows, "{limit}, {request}: {reply}");
                assert_eq!(reply.contains("OOM"), !allows, "{limit}, {request}: {reply}");
            }
        }
    }
    // What it may, no other client may because of it.
    ask_at(&mut client, START, &format!("CONFIG SET maxmemory {}", engine.used_memory() + 1000));
    assert!(ask_at(&mut client, START, "COPY large another").contains("OOM"));
}

#[test]
fn room_for_a_copy_is_made_before_it_is_made() {
    let engine = engine_with("maxmemory-policy allkeys-lru");
    let mut client = TestClient::new(&engine);
    for n in 0..40_000 {
        assert_eq!(ask_at(&mut client, START, &format!("SET old:{n} {:0>100}", n)), "+OK");
    }
    fill_large(&mut client, "large");
    let limit = engine.used_memory() + MEGABYTE / 4;
    ask_at(&mut client, START + 1000, &format!("CONFIG SET maxmemory {limit}"));
    assert_eq!(ask_at(&mut client, START + 100_000, "TOUCH large"), ":1");
    assert_eq!(engine.store.evicted(), 0);
    assert_eq!(ask_at(&mut client, START + 100_000, "COPY large copy"), ":1");
    assert!(engine.store.evicted() > 1000);
    // Small change is made up for when the next request comes.
    let used = used(&engine);
    assert!(used <= limit + MEGABYTE / 100, "{used} of {limit}");
}

#[test]
fn no_key_is_dropped_for_a_copy_that_is_not_made() {
    let engine = engine_with("maxmemory-policy allkeys-lru");
    let mut client = TestClient::new(&engine);
    ask_at(&mut client, START, "SET there v");
    fill_large(&mut client, "large");
    let limit = engine.used_memory() + MEGABYTE / 4;
    ask_at(&mut client, START, &format!("CONFIG SET maxmemory {limit}"));
    for (request, reply) in [
        ("COPY large copy NONSENSE", "-ERR syntax error"),
        ("COPY large copy DB 99", "-ERR DB index is out of range"),
        ("COPY large copy DB", "-ERR syntax error"),
        ("COPY large large", "-ERR source and destination objects are the same"),
        ("COPY large there", ":0"),
        ("COPY missing there REPLACE", ":0"),
    ] {
        assert_eq!(ask_at(&mut client, START, request), reply, "{request}");
        assert_eq!(engine.store.evicted(), 0, "{request}");
    }
}

/// Another server: it takes what is long when the test says so, and has nothing against anything.
struct Elsewhere(Receiver<()>);

impl Read for Elsewhere {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        into[..5].copy_from_slice(b"+OK\r\n");
        Ok(5)
    }
}

impl Write for Elsewhere {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.len() > MEGABYTE {
            let _ = self.0.recv();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What is on its way to another server is memory until that has it.
#[test]
fn values_on_their_way_to_another_server_count() {
    // What takes long is in the slow log, which counts, too.
    let engine = engine_with("slowlog-log-slower-than -1");
    let (take, told) = channel();
    let told = std::sync::Mutex::new(Some(told));
    engine.on_dial(Box::new(move |_, _, _| {
        Ok(Box::new(Elsewhere(told.lock().unwrap().take().unwrap())))
    }));
    let mut client = TestClient::new(&engine);
    // Nothing that could be packed.
    let mut rng = rng();
    let value: String = (0..2 * MEGABYTE).map(|_| (b'0' + rng.below(75) as u8) as char).collect();
    let request = format!("*3\r\n$3\r\nset\r\n$1\r\na\r\n${}\r\n{value}", value.len());
    assert_eq!(client.ask(&request), "+OK");
    let before = used(&engine);
    let asked = client.feed("migrate elsewhere 1 a 0 20000 copy\r\n");
    assert_eq!(asked, (String::new(), State::Blocked));
    let start = std::time::Instant::now();
    while used(&engine) < before + MEGABYTE {
        assert!(start.elapsed().as_secs() < 20, "{} of {before}", used(&engine));
        std::thread::yield_now();
    }
    drop(take);
    assert_eq!(client.answered(), "+OK");
    assert_eq!(used(&engine), before);
}
