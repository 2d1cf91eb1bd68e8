//! What a request costs grows with its words, and not with their square: it holds its shards
//! meanwhile, so a purge of a hundred thousand keys would stop every other client for seconds.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::sync::atomic::Ordering;
use std::time::Duration;

use testkit::folder::Folder;
use testkit::processor;

use crate::data_dir::open;
use crate::test_client::TestClient;

/// Words of the smaller request; the larger has four times as many.
const WORDS: usize = 6000;
/// The larger takes at most so many times as long.
const MOST: u32 = 6;

/// So many names, each with what stands behind it.
fn names(count: usize, start: &str, behind: &str) -> String {
    let name = |n| format!(" {start}{n:07}{behind}");
    (0..count).map(name).collect()
}

/// A step towards the request that is measured, or that itself.
enum Step {
    /// A request. Where it waits in vain, that belongs to it.
    Ask(String),
    /// One of another client.
    Beside(String),
    /// Time passes: deadlines are over.
    Later,
}

use Step::{Ask, Beside, Later};

/// Runs a request, and ends its wait if it is `to_end`.
fn run(client: &mut TestClient, line: &str, to_end: bool) {
    let words: Vec<&[u8]> = line.split(' ').map(str::as_bytes).collect();
    let mut out = Vec::new();
    client.worker.execute(&mut client.session, &words, &mut out);
    if to_end && client.session.blocked.is_some() {
        assert!(client.worker.give_up(&mut client.session, &mut out));
    }
    let reply = String::from_utf8_lossy(&out);
    assert!(!reply.starts_with('-'), "{line:.60}: {reply:.100}");
}

/// What the last of these steps takes this thread.
fn cost(steps: &[Step]) -> Duration {
    let folder = Folder::new("engine");
    let lines = "appendonly yes\nsave \"\"\nnotify-keyspace-events KEA";
    let (engine, _) = open(folder.path(), lines).unwrap();
    let (mut client, mut other) = (TestClient::new(&engine), TestClient::new(&engine));
    let mut last = Duration::ZERO;
    for (at, step) in steps.iter().enumerate() {
        let is_last = at + 1 == steps.len();
        let (_, took) = processor::cost(|| match step {
            Ask(line) => run(&mut client, line, is_last),
            Beside(line) => run(&mut other, line, is_last),
            Later => client.worker.begin(2_000_000),
        });
        last = took;
    }
    engine.close_data_dir();
    last
}

/// Fails if four times as many words take more than about four times as long.
fn assert_linear(what: &str, steps: impl Fn(usize) -> Vec<Step>) {
    let mut tries = (0..3).map(|_| (cost(&steps(WORDS)), cost(&steps(4 * WORDS))));
    // The allocator and the machine's caches have their say: once is enough.
    let costs: Vec<_> = tries.by_ref().take_while(|(few, many)| *many > *few * MOST).collect();
    assert!(costs.len() < 3, "{what} of {WORDS} words and of four times as many: {costs:?}");
}

fn mset(count: usize) -> Step {
    Ask(format!("MSET{}", names(count, "k", " v")))
}

#[test]
fn keys_that_are_written_are_not_compared_with_one_another() {
    assert_linear("MSET", |n| vec![mset(n)]);
    assert_linear("MSETNX", |n| vec![Ask(format!("MSETNX{}", names(n, "k", " v")))]);
    assert_linear("DEL", |n| vec![mset(n), Ask(format!("DEL{}", names(n, "k", "")))]);
    assert_linear("UNLINK", |n| vec![mset(n), Ask(format!("UNLINK{}", names(n, "k", "")))]);
}

#[test]
fn keys_that_are_waited_for_are_not_compared_with_one_another() {
    for names in [|n| names(n, "k", ""), |n| " k".repeat(n)] {
        assert_linear("BLPOP", |n| vec![Ask(format!("BLPOP{} 0", names(n)))]);
        let serve = |n| vec![Ask(format!("BLPOP{} 0", names(n))), Beside("RPUSH k0 v".to_owned())];
        assert_linear("a served BLPOP", serve);
        assert_linear("BLMPOP", |n| vec![Ask(format!("BLMPOP 0 {n}{} LEFT", names(n)))]);
        assert_linear("BZPOPMIN", |n| vec![Ask(format!("BZPOPMIN{} 0", names(n)))]);
        let xread = |n| Ask(format!("XREAD BLOCK 0 STREAMS{}{}", names(n), " $".repeat(n)));
        assert_linear("XREAD", |n| vec![xread(n)]);
    }
    // Each stream has something, and none of it is new enough: all are looked at, and none is
    // found by going through all others.
    let feed = "for\ti,k\tin\tipairs(KEYS)do\tredis.call('xadd',k,'1-*','f','v')end";
    assert_linear("feeding streams in vain", |n| {
        let ids = " 9-0".repeat(n);
        let read = format!("XREAD BLOCK 0 STREAMS{}{ids}", names(n, "k", ""));
        vec![Ask(read), Beside(format!("EVAL {feed} {n}{}", names(n, "k", "")))]
    });
    let groups = "for\ti,k\tin\tipairs(KEYS)do\tredis.call('xgroup','create',k,'g','0','mkstream')\
                  redis.call('xadd',k,'*','f','v')end";
    assert_linear("XREADGROUP", |n| {
        let streams = names(n, "k", "");
        let read = format!("XREADGROUP GROUP g c STREAMS{streams}{}", " >".repeat(n));
        vec![Ask(format!("EVAL {groups} {n}{streams}")), Ask(read)]
    });
}

#[test]
fn a_key_that_is_waited_for_twice_takes_one_place() {
    let folder = Folder::new("engine");
    let (engine, _) = open(folder.path(), "").unwrap();
    for line in [
        format!("BLPOP{} 0", " k".repeat(10_000)),
        format!("XREAD BLOCK 0 STREAMS{}{}", " k".repeat(10_000), " $".repeat(10_000)),
    ] {
        let mut client = TestClient::new(&engine);
        run(&mut client, &line, false);
        let places = client.session.client.bytes.places.load(Ordering::Relaxed);
        assert!((100..500_000).contains(&places), "{line:.20}: {places}");
    }
}

#[test]
fn keys_that_a_script_writes_are_not_compared_with_one_another() {
    let set = "for\ti,k\tin\tipairs(KEYS)do\tredis.call('set',k,'v')end";
    let script = |n, end: &str| Ask(format!("EVAL {set}{end} {n}{}", names(n, "k", "")));
    assert_linear("EVAL", |n| vec![script(n, "")]);
    // It is taken back and begins again with every shard.
    let more = "\tfor\ti=1,9\tdo\tredis.call('set','other'..i,'v')end";
    assert_linear("EVAL that is taken back", |n| vec![script(n, more)]);
}

#[test]
fn keys_that_are_met_expired_are_not_compared_with_one_another() {
    let set = "for\ti,k\tin\tipairs(KEYS)do\tredis.call('set',k,'v','px',1)end";
    let overdue = |n| vec![Ask(format!("EVAL {set} {n}{}", names(n, "k", ""))), Later];
    let then = |n, line: String| {
        let mut steps = overdue(n);
        steps.push(Ask(line));
        steps
    };
    assert_linear("EXISTS", |n| then(n, format!("EXISTS{}", names(n, "k", ""))));
    assert_linear("MSETNX", |n| then(n, format!("MSETNX{}", names(n, "k", " v"))));
    // Each is met, and another is written behind it.
    let both = "for\ti,k\tin\tipairs(KEYS)do\tredis.call('get',k)redis.call('incr','n')end";
    assert_linear("EVAL", |n| then(n, format!("EVAL {both} {n}{}", names(n, "k", ""))));
}

#[test]
fn a_key_that_is_written_twice_is_recorded_once() {
    for count in [3, 3000] {
        let folder = Folder::new("engine");
        let (engine, _) = open(folder.path(), "appendonly yes\nsave \"\"").unwrap();
        let mut client = TestClient::new(&engine);
        let size = || {
            engine.store.log().sync().unwrap();
            engine.store.log().figures.size.load(Ordering::Relaxed)
        };
        let before = size();
        let request = format!("MSET other x{} k {}", " k v".repeat(count), "v".repeat(1000));
        assert_eq!(client.ask(&request), "+OK");
        assert!(size() - before < 1200, "{count}: {}", size() - before);
        engine.close_data_dir();
    }
}
