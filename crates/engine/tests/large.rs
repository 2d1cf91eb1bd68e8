//! Large values that change all the time while snapshots are written: a start reads back what was
//! there. Their copies, made in chunks, and the journal behind them fit together to the record.
//!
//! `KVIST_SEED` repeats a run.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use base::Rng;
use kvist_engine::Engine;
use kvist_engine::persistence::Reason;
use testkit::folder::Folder;
use testkit::seed::rng;

use crate::data_dir::open;
use crate::test_client::TestClient;

const LINES: &str = "save \"\"\nappendonly yes\nappendfsync no";
/// Elements of each value: more than a megabyte.
const COUNT: usize = 24_000;
const KEYS: [&str; 6] = ["hash", "set", "zset", "list", "stream", "string"];

fn send(client: &mut TestClient, words: &[String]) {
    let words: Vec<&[u8]> = words.iter().map(String::as_bytes).collect();
    let mut reply = Vec::new();
    client.worker.execute(&mut client.session, &words, &mut reply);
    let reply = String::from_utf8_lossy(&reply);
    assert!(!reply.starts_with("-ERR") && !reply.starts_with("-WRONG"), "{words:?}: {reply}");
}

/// The words of a line; `~7` is a long word of that number.
fn words(line: &str) -> Vec<String> {
    let word = |word: &str| match word.strip_prefix('~') {
        Some(number) => format!("element number {number:0>40}"),
        None => word.to_owned(),
    };
    line.split(' ').map(word).collect()
}

fn fill(client: &mut TestClient) {
    send(client, &words(&format!("SETRANGE string {} x", 3 << 20)));
    send(client, &words("XGROUP CREATE stream group 0 MKSTREAM"));
    for n in 0..COUNT {
        send(client, &words(&format!("HSET hash ~{n} {n}")));
        send(client, &words(&format!("SADD set ~{n}")));
        send(client, &words(&format!("ZADD zset {} ~{n}", n / 3)));
        send(client, &words(&format!("RPUSH list ~{n}")));
        send(client, &words(&format!("XADD stream {n}-1 field ~{n}")));
    }
    // Much is pending, too.
    let half = COUNT / 2;
    send(client, &words(&format!("XREADGROUP GROUP group 1 COUNT {half} STREAMS stream >")));
}

/// Some change of one of the values.
fn change(rng: &mut Rng) -> String {
    let (n, m) = (rng.below(COUNT), rng.below(2 * COUNT));
    match rng.below(27) {
        0 => format!("HSET hash ~{n} {m}"),
        1 => format!("HSET hash ~{m} {n} ~{n} {m}"),
        2 => format!("HDEL hash ~{n}"),
        3 => format!("HINCRBY hash counter {n}"),
        4 => format!("SADD set ~{m}"),
        5 => format!("SREM set ~{n} ~{m}"),
        6 => format!("SPOP set {}", m % 3),
        7 => format!("ZADD zset {m} ~{n}"),
        8 => format!("ZINCRBY zset {n} ~{m}"),
        9 => format!("ZREM zset ~{n}"),
        10 => format!("ZREMRANGEBYRANK zset {n} {}", n + 2),
        11 => format!("LPUSH list ~{m}"),
        12 => format!("RPUSH list ~{m} ~{n}"),
        13 => format!("LPOP list {}", m % 3),
        14 => "RPOPLPUSH list list".to_owned(),
        15 => format!("LSET list {} ~{m}", n / 2),
        16 => format!("LINSERT list BEFORE ~{} ~{m}", n / 100),
        17 => format!("LREM list {} ~{}", m % 3, COUNT - n / 100),
        18 => format!("XADD stream * field ~{n}"),
        19 => format!("XDEL stream {n}-1 {n}-2"),
        20 => format!("XTRIM stream MAXLEN {}", COUNT - 40 + n / 300),
        21 => format!("XREADGROUP GROUP group {} COUNT 2 STREAMS stream >", m % 3),
        22 => format!("XACK stream group {}-1 {n}-1", n % 100),
        23 => format!("SETRANGE string {} ~{m}", 100 * n),
        24 => format!("APPEND string ~{m}"),
        25 => format!("SETBIT string {} {}", 1000 * n, m % 2),
        _ => format!("PEXPIRE {} {}", KEYS[n % KEYS.len()], 1_000_000_000 + m),
    }
}

/// Changes the values until `done`.
fn disturb(engine: &Arc<Engine>, seed: u64, done: &AtomicBool, count: &AtomicUsize) {
    let (mut client, mut rng) = (TestClient::new(engine), Rng::new(seed));
    while !done.load(Ordering::Relaxed) {
        match rng.below(3000) {
            // What is copied goes away and comes back.
            0 => {
                let key = KEYS[rng.below(KEYS.len())];
                for line in [
                    "MULTI".to_owned(),
                    format!("RENAME {key} other"),
                    format!("RENAME other {key}"),
                    "EXEC".to_owned(),
                ] {
                    send(&mut client, &words(&line));
                }
            }
            _ => send(&mut client, &words(&change(&mut rng))),
        }
        count.fetch_add(1, Ordering::Relaxed);
    }
}

/// What an engine holds.
fn contents(engine: &Arc<Engine>) -> Vec<String> {
    let mut client = TestClient::new(engine);
    let mut found: Vec<String> = Vec::new();
    for key in KEYS {
        for line in [format!("DEBUG DIGEST-VALUE {key}"), format!("PEXPIRETIME {key}")] {
            found.push(format!("{line}: {}", client.ask(&line)));
        }
    }
    for line in ["XINFO STREAM stream", "XINFO GROUPS stream", "XPENDING stream group", "DBSIZE"] {
        found.push(client.ask(line));
    }
    found
}

#[test]
fn values_that_change_while_they_are_copied_are_read_back() {
    let (mut rng, folder) = (rng(), Folder::new("engine"));
    let (engine, _) = open(folder.path(), LINES).unwrap();
    fill(&mut TestClient::new(&engine));
    for reason in [Reason::Rewrite, Reason::Save] {
        let (done, count) = (AtomicBool::new(false), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..2 {
                let seed = rng.next_u64();
                let (engine, done, count) = (&engine, &done, &count);
                scope.spawn(move || disturb(engine, seed, done, count));
            }
            while count.load(Ordering::Relaxed) < 100 {
                std::thread::yield_now();
            }
            let before = count.load(Ordering::Relaxed);
            let saved = engine.save(reason, true);
            let during = count.load(Ordering::Relaxed) - before;
            done.store(true, Ordering::Relaxed);
            saved.unwrap();
            println!("{during} changes during {reason:?}");
            assert!(during > 0);
        });
    }
    let wanted = contents(&engine);
    engine.store.log().sync().unwrap();
    engine.close_data_dir();
    let (again, recovered) = open(folder.path(), LINES).unwrap();
    assert_eq!(recovered.failed, 0, "{recovered}");
    // Some may have been read whole, because they went away eight times.
    assert!(recovered.large > 0, "nothing stood in chunks");
    assert_eq!(contents(&again), wanted, "{recovered}");
    println!("{recovered}");
    again.close_data_dir();
}
