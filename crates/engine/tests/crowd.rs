//! Many clients at once, some of them blocked: every element reaches exactly one of them, none
//! is forgotten, and no thread waits for locks in a circle.
//!
//! `KVIST_SEED` repeats the requests (not their order), `KVIST_MILLIS` makes the crowd stay.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use base::Rng;
use kvist_engine::{Engine, Message, State};
use testkit::seed::setting;

use crate::test_client::{TestClient, engine};

const THREADS: usize = 8;
/// Longer than any machine takes for one step of these tests.
const STUCK: Duration = Duration::from_secs(30);

/// Ends the process when `progress` stands still: threads in a circle cannot be stopped otherwise.
fn watch<R>(progress: &AtomicU64, work: impl FnOnce() -> R) -> R {
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let (mut last, mut since) = (0, Instant::now());
            while !done.load(Ordering::Acquire) {
                thread::sleep(Duration::from_millis(20));
                let now = progress.load(Ordering::Relaxed);
                if now != last {
                    (last, since) = (now, Instant::now());
                } else if since.elapsed() > STUCK {
                    eprintln!("nothing moves any more after {now} steps");
                    std::process::abort();
                }
            }
        });
        let result = work();
        done.store(true, Ordering::Release);
        result
    })
}

/// The reply of a request that may block. `enough` says whether to give up after so long a wait.
fn ask_waiting(client: &mut TestClient, line: &str, enough: impl Fn(Duration) -> bool) -> String {
    let (reply, state) = client.feed(&format!("{line}\r\n"));
    if state != State::Blocked {
        return reply;
    }
    let (id, start, mut out) = (client.session.client.id, Instant::now(), Vec::new());
    loop {
        for message in client.messages.take(id) {
            if let Message::Unblocked { ticket, reply } = message
                && client.worker.unblock(&mut client.session, ticket, &reply, &mut out)
            {
                return String::from_utf8(out).unwrap();
            }
        }
        if enough(start.elapsed()) && client.worker.give_up(&mut client.session, &mut out) {
            return String::from_utf8(out).unwrap();
        }
        thread::sleep(Duration::from_micros(30));
    }
}

/// The bulk strings of a reply.
fn bulks(reply: &str) -> Vec<&str> {
    let mut lines = reply.split("\r\n");
    let mut found = Vec::new();
    while let Some(line) = lines.next() {
        if line.starts_with('$') && line != "$-1" {
            found.extend(lines.next());
        }
    }
    found
}

/// No client gives up before everything is taken: one waiter forgotten and all stand still.
#[test]
fn every_element_reaches_exactly_one() {
    from_pushers_to_poppers(|_| Duration::MAX);
}

/// Poppers who give up all the time meet the race with being served.
#[test]
fn every_element_reaches_exactly_one_of_the_impatient() {
    from_pushers_to_poppers(|popper| Duration::from_micros(if popper % 2 == 0 { 50 } else { 500 }));
}

/// Elements from pushers to poppers, some of them over a list in between.
fn from_pushers_to_poppers(patience: fn(usize) -> Duration) {
    let (engine, each) = (engine(), 1_500);
    let (progress, open) = (AtomicU64::new(0), AtomicU64::new((THREADS * each) as u64));
    let taken = Mutex::new(BTreeMap::<String, u32>::new());
    watch(&progress, || {
        thread::scope(|scope| {
            for pusher in 0..THREADS {
                let (engine, progress) = (&engine, &progress);
                scope.spawn(move || push(engine, pusher, each, progress));
            }
            for popper in 0..THREADS {
                let (engine, progress, open, taken) = (&engine, &progress, &open, &taken);
                scope.spawn(move || pop(engine, (popper, patience(popper)), progress, open, taken));
            }
        });
    });
    let taken = taken.into_inner().unwrap();
    assert_eq!(taken.len(), THREADS * each);
    assert!(taken.values().all(|&times| times == 1), "an element was served twice");
    assert!(engine.waits.blocked.is_empty(), "a client is still waiting");
    assert_eq!(TestClient::new(&engine).ask("DBSIZE"), ":0");
}

fn push(engine: &Arc<Engine>, pusher: usize, each: usize, progress: &AtomicU64) {
    let (mut client, mut n) = (TestClient::new(engine), 0);
    while n < each {
        let count = (1 + (n * 7 + pusher) % 5).min(each - n);
        let elements: Vec<String> = (n..n + count).map(|n| format!("{pusher}:{n}")).collect();
        let key = ["a", "b", "c"][(n + pusher) % 3];
        let line = format!("RPUSH {key} {}", elements.join(" "));
        if n % 4 == 0 {
            let (reply, _) = client.feed(&format!("MULTI\r\n{line}\r\nPING\r\nEXEC\r\n"));
            assert!(reply.ends_with("+PONG\r\n"), "{reply}");
        } else {
            assert!(client.ask(&line).starts_with(':'));
        }
        n += count;
        progress.fetch_add(1, Ordering::Relaxed);
    }
}

fn pop(
    engine: &Arc<Engine>,
    (popper, patience): (usize, Duration),
    progress: &AtomicU64,
    open: &AtomicU64,
    taken: &Mutex<BTreeMap<String, u32>>,
) {
    let mut client = TestClient::new(engine);
    let line = match popper {
        0..3 => "BLPOP a b 0",
        3 => "BRPOP c b a 0",
        4 => "BLMOVE a middle LEFT RIGHT 0",
        5 => "BRPOPLPUSH c middle 0",
        6 => "BLMPOP 0 2 none middle LEFT COUNT 3",
        _ => "BLMPOP 0 3 middle c b RIGHT COUNT 2",
    };
    while open.load(Ordering::Relaxed) > 0 {
        let enough = |waited| waited > patience || open.load(Ordering::Relaxed) == 0;
        let reply = ask_waiting(&mut client, line, enough);
        progress.fetch_add(1, Ordering::Relaxed);
        if popper == 4 || popper == 5 {
            continue;
        }
        let found = bulks(&reply);
        let mut taken = taken.lock().unwrap();
        for element in found.iter().filter(|element| element.contains(':')) {
            *taken.entry((*element).to_owned()).or_default() += 1;
            open.fetch_sub(1, Ordering::Relaxed);
        }
    }
    client.worker.disconnect(&mut client.session);
}

/// Clients that leave while blocked: what is pushed meanwhile stays, or reached one who stayed.
#[test]
fn those_who_leave_take_nothing_along_that_they_did_not_get() {
    let engine = engine();
    let (progress, lost) = (AtomicU64::new(0), AtomicU64::new(0));
    let count = 3_000;
    watch(&progress, || {
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    while !engine.run.stopping.load(Ordering::Relaxed) {
                        let mut client = TestClient::new(&engine);
                        let (reply, _) = client.feed("BLPOP k 0\r\n");
                        if reply.is_empty() {
                            thread::yield_now();
                        }
                        client.worker.disconnect(&mut client.session);
                        // Served before it left: that element went with it, as over a real network.
                        let served = client.messages.take(client.session.client.id).len();
                        lost.fetch_add(
                            served as u64 + u64::from(!reply.is_empty()),
                            Ordering::Relaxed,
                        );
                        progress.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
            let mut client = TestClient::new(&engine);
            for n in 0..count {
                client.ask(&format!("RPUSH k {n}"));
            }
            engine.run.stopping.store(true, Ordering::Relaxed);
        });
    });
    let left = TestClient::new(&engine).ask("LLEN k");
    let left: u64 = left.trim_start_matches(':').parse().unwrap();
    assert_eq!(left + lost.load(Ordering::Relaxed), count);
    assert!(engine.waits.blocked.is_empty());
}

/// One random line, or several of a transaction.
fn request(rng: &mut Rng) -> String {
    let key = |rng: &mut Rng| format!("k{}", rng.below(12));
    let [a, b, c] = [(); 3].map(|()| key(rng));
    let n = rng.below(4);
    match rng.below(40) {
        0..4 => format!("RPUSH {a} {n} {n}"),
        4 => format!("LMOVE {a} {b} LEFT RIGHT"),
        5 => format!("MSET {a} 1 {b} 2 {c} 3"),
        6 => format!("MGET {c} {b} {a}"),
        7 => format!("SADD {a} {n} x y"),
        8 => format!("SUNIONSTORE {a} {b} {c}"),
        9 => format!("SINTER {a} {b} {c}"),
        10 => format!("ZADD {a} {n} m{n}"),
        11 => format!("ZUNIONSTORE {a} 2 {b} {c}"),
        12 => format!("HSET {a} f{n} v"),
        13 => format!("RENAME {a} {b}"),
        14 => format!("COPY {a} {b} DB {n} REPLACE"),
        15 => format!("MOVE {a} {n}"),
        16 => format!("DEL {a} {b} {c}"),
        17 => format!("SWAPDB {n} {}", rng.below(4)),
        18 => format!("SELECT {n}"),
        19 => ["FLUSHALL", "FLUSHDB", "KEYS *", "SCAN 0 COUNT 100", "DBSIZE", "RANDOMKEY"]
            [rng.below(6)]
        .to_owned(),
        20 => format!("PEXPIRE {a} {n}"),
        21 => format!("SORT {a} BY k* GET k* STORE {b}"),
        22 => format!("APPEND {a} xyz"),
        23 => format!("WATCH {a} {b}"),
        24 => "UNWATCH".to_owned(),
        25..28 => {
            let inner: Vec<String> = (0..rng.below(5)).map(|_| request(rng)).collect();
            let plain = |line: &&String| !line.contains("MULTI") && !line.contains("WATCH");
            let inner: Vec<&str> = inner.iter().filter(plain).map(String::as_str).collect();
            format!("MULTI\r\n{}\r\nEXEC", inner.join("\r\n"))
        }
        28..31 => format!("BLPOP {a} {b} {c} 0"),
        31 => format!("BRPOP {a} 0"),
        32..35 => format!("BLMOVE {a} {b} RIGHT LEFT 0"),
        35 => format!("BRPOPLPUSH {a} {a} 0"),
        36 => format!("BLMPOP 0 2 {a} {b} RIGHT COUNT 2"),
        37 => format!("BZPOPMIN {a} {b} 0"),
        38 => format!("BZMPOP 0 2 {a} {c} MAX COUNT 3"),
        _ => format!("GET {a}"),
    }
}

#[test]
fn a_random_crowd_gets_along() {
    let engine = engine();
    let (seed, millis) = (setting("KVIST_SEED", 1), setting("KVIST_MILLIS", 1_500));
    let (progress, until) = (AtomicU64::new(0), Instant::now() + Duration::from_millis(millis));
    watch(&progress, || {
        thread::scope(|scope| {
            for thread in 0..THREADS as u64 {
                let (engine, progress) = (&engine, &progress);
                scope.spawn(move || {
                    let (mut client, mut rng) =
                        (TestClient::new(engine), Rng::new(seed * 1000 + thread));
                    let mut now = 1_000_000;
                    while Instant::now() < until {
                        now += 1;
                        client.worker.begin(now);
                        let line = request(&mut rng);
                        let patience = Duration::from_micros(rng.below(400) as u64);
                        let reply = ask_waiting(&mut client, &line, |waited| waited > patience);
                        assert!(!reply.contains("internal error"), "{line}\n{reply}");
                        assert!(!reply.is_empty(), "{line} has no reply");
                        progress.fetch_add(1, Ordering::Relaxed);
                    }
                    client.ask("UNWATCH");
                    client.worker.txn.report_memory();
                });
            }
        });
    });
    println!("{} requests", progress.load(Ordering::Relaxed));
    assert!(engine.waits.blocked.is_empty());
    let mut client = TestClient::new(&engine);
    client.worker.txn.report_memory();
    assert_eq!(store::recount(&mut client.worker.txn.held), engine.store.memory());
    client.ask("FLUSHALL");
    client.worker.txn.report_memory();
    assert_eq!(engine.store.memory(), 0);
}
