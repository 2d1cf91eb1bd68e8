//! Versions of values: whatever becomes of a key, a version stays what it was, what it keeps is
//! counted, and nothing of it is left when it has gone.
#![cfg(debug_assertions)] // rings are there in such builds only
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use base::{CmdError, Pressure, Rng, Shares, Version, error};
use kvist_engine::{CronRounds, Engine};
use store::Scope;
use testkit::seed;
use types::example::{FrozenRing, Ring};

use crate::rings::engine;
use crate::test_client::{TestClient, start};

/// A version of the ring at a key.
fn try_share(client: &mut TestClient, key: &str) -> Result<Option<Version<FrozenRing>>, CmdError> {
    let store = Arc::clone(&client.worker.engine.store);
    let (key, db) = (store.hasher().key(key.as_bytes()), client.session.db);
    let scope = Scope::One(store.shard_of(key.hash));
    let shared = client.worker.txn.with(&store, scope, |txn| {
        txn.select(db);
        Shares::<Ring>::share(txn, key)
    });
    shared.unwrap()
}

fn share(client: &mut TestClient, key: &str) -> Version<FrozenRing> {
    try_share(client, key).unwrap().unwrap()
}

fn words(version: &Version<FrozenRing>) -> Vec<String> {
    version.words().map(|word| String::from_utf8_lossy(word).into_owned()).collect()
}

/// So many words of a ring, and what they are.
fn fill(client: &mut TestClient, key: &str, count: usize) -> Vec<String> {
    let all: Vec<String> = (0..count).map(|number| format!("word:{number:05}")).collect();
    for word in &all {
        client.ask(&format!("RING.PUSH {key} 1000000 {word}"));
    }
    all
}

/// Frees what waits for it, and counts everything again.
fn settle(client: &mut TestClient) {
    let engine = Arc::clone(&client.worker.engine);
    drop(engine.store.take_trash());
    client.worker.txn.report_memory();
    assert_eq!(store::recount(&mut client.worker.txn.held), engine.store.memory());
}

fn kept(engine: &Engine) -> usize {
    engine.store.versions.kept()
}

/// Each of these changes the key, or takes it away, in another way.
#[test]
fn a_version_outlives_whatever_becomes_of_its_key() {
    let engine = engine(start("enable-debug-command yes"));
    for changes in [
        &["RING.PUSH k 1000000 more"][..],
        &["RING.PUSH k 10 more"],
        &["DEL k"],
        &["UNLINK k"],
        &["SET k v"],
        &["RENAME k other", "RING.PUSH other 5 x", "DEL other"],
        &["COPY k other", "DEL k", "RING.PUSH other 5 x"],
        &["MOVE k 1"],
        &["SWAPDB 0 1", "SELECT 1", "RING.PUSH k 5 x", "SELECT 0"],
        &["FLUSHALL"],
        &["FLUSHALL SYNC"],
        &["PEXPIRE k 0"],
        &["SAVE", "RING.PUSH k 5 x"],
        &["MULTI", "RING.PUSH k 5 x", "DEL k", "EXEC"],
        &["EVAL \"redis.call('ring.push', KEYS[1], 5, 'x')\" 1 k"],
    ] {
        let mut client = TestClient::new(&engine);
        let before = fill(&mut client, "k", 1000);
        let (used, usage) = (engine.used_memory(), client.ask("MEMORY USAGE k"));
        let version = share(&mut client, "k");
        assert_eq!((kept(&engine), engine.used_memory()), (0, used), "{changes:?}");
        assert_eq!(client.ask("MEMORY USAGE k"), usage);
        changes.iter().for_each(|change| drop(client.ask(change)));
        settle(&mut client);
        assert_eq!(words(&version), before, "{changes:?}");
        if !changes[0].starts_with("MOVE") {
            assert!(kept(&engine) > 0, "{changes:?}");
        }
        let beside = engine.used_memory() - kept(&engine);
        drop(version);
        assert_eq!(engine.used_memory(), beside + kept(&engine), "it waits to be freed");
        settle(&mut client);
        assert_eq!((kept(&engine), engine.used_memory()), (0, beside), "{changes:?}");
        client.ask("FLUSHALL");
        settle(&mut client);
    }
}

/// A script is rolled back when it wants a key that it has not declared, and runs again.
#[test]
fn a_version_outlives_what_is_rolled_back() {
    let engine = engine(start(""));
    let mut client = TestClient::new(&engine);
    let before = fill(&mut client, "k", 20);
    let version = share(&mut client, "k");
    let script = "EVAL \"redis.call('ring.push', KEYS[1], 5, 'x') return \
                  redis.call('ring.words', 'other')\" 1 k";
    assert_eq!(client.ask(script), "*0");
    assert_eq!(words(&version), before);
    assert!(client.ask("RING.WORDS k").ends_with("\r\nx"));
    settle(&mut client);
    assert!(kept(&engine) > 0);
    drop(version);
    settle(&mut client);
    assert_eq!(kept(&engine), 0);
}

#[test]
fn versions_at_random_are_what_the_ring_was() {
    let engine = engine(start(""));
    let mut client = TestClient::new(&engine);
    let mut rng: Rng = seed::rng();
    let mut model: Vec<Vec<String>> = vec![Vec::new(); 3];
    let mut versions: Vec<(Version<FrozenRing>, Vec<String>)> = Vec::new();
    for number in 0..seed::setting("KVIST_STEPS", 4000) {
        let at = rng.below(model.len());
        match rng.below(40) {
            0 => {
                client.ask(&format!("DEL k{at}"));
                model[at].clear();
            }
            1 if !model[at].is_empty() => {
                let other = (at + 1) % model.len();
                client.ask(&format!("COPY k{at} k{other} REPLACE"));
                model[other] = model[at].clone();
            }
            2 if !model[at].is_empty() => {
                let other = (at + 1) % model.len();
                client.ask(&format!("RENAME k{at} k{other}"));
                model[other] = std::mem::take(&mut model[at]);
            }
            3..6 if versions.len() < 5 && !model[at].is_empty() => {
                versions.push((share(&mut client, &format!("k{at}")), model[at].clone()));
            }
            6..9 if !versions.is_empty() => {
                let (version, was) = versions.swap_remove(rng.below(versions.len()));
                assert_eq!(words(&version), was);
            }
            9 => drop(engine.store.take_trash()),
            _ => {
                let most = [1000, 1000, 300, 70, 1][rng.below(5).max(rng.below(5)) % 5];
                client.ask(&format!("RING.PUSH k{at} {most} {number}"));
                model[at].push(number.to_string());
                let over = model[at].len().saturating_sub(most);
                model[at].drain(..over);
            }
        }
    }
    versions.iter().for_each(|(version, was)| assert_eq!(&words(version), was));
    drop(versions);
    settle(&mut client);
    assert_eq!((kept(&engine), engine.store.versions.living()), (0, 0));
}

#[test]
fn what_versions_keep_has_a_limit() {
    let engine = engine(start("query-kept-memory 100kb"));
    let mut client = TestClient::new(&engine);
    let before = fill(&mut client, "k", 20_000);
    let (oldest, next) = (share(&mut client, "k"), share(&mut client, "k"));
    let versions = Arc::clone(&engine.store.versions);
    [&oldest, &next].iter().for_each(|version| versions.begin_to_read(version.place()));
    assert!(!versions.gives_up(oldest.number()));
    client.ask("DEL k");
    settle(&mut client);
    assert!(kept(&engine) > 100 << 10);
    assert!(versions.gives_up(oldest.number()) && !versions.gives_up(next.number()));
    fill(&mut client, "k", 1);
    assert_eq!(try_share(&mut client, "k").err(), Some(error::VERSIONS_FULL));
    // What is given up stays readable until its reader has stopped.
    assert_eq!(words(&oldest), before);
    drop(oldest);
    settle(&mut client);
    // The next one keeps the same.
    assert!(versions.gives_up(next.number()));
    client.ask("CONFIG SET query-kept-memory 0");
    assert!(!versions.gives_up(next.number()));
    assert!(try_share(&mut client, "k").unwrap().is_some());
    drop(next);
    settle(&mut client);
    assert_eq!(kept(&engine), 0);
}

/// It is memory like other memory: keys are dropped for it, and INFO shows it.
#[test]
fn what_versions_keep_counts_for_maxmemory() {
    let engine = engine(start("maxmemory 3mb\nmaxmemory-policy allkeys-lru"));
    let mut client = TestClient::new(&engine);
    fill(&mut client, "k", 20_000);
    let version = share(&mut client, "k");
    client.ask("DEL k");
    settle(&mut client);
    let kept = kept(&engine);
    assert!(kept > 500 << 10, "{kept}");
    let info = client.ask("INFO memory");
    assert!(info.contains(&format!("mem_query_versions:{kept}\r\n")), "{info}");
    for number in 0..40 {
        client.worker.begin(1_000_000);
        client.ask(&format!("SET s{number} {}", "x".repeat(100 << 10)));
    }
    let keys = |client: &mut TestClient| client.ask("DBSIZE")[1..].parse::<usize>().unwrap();
    let with = keys(&mut client);
    drop(version);
    settle(&mut client);
    for number in 0..40 {
        client.worker.begin(1_000_000);
        client.ask(&format!("SET s{number} {}", "x".repeat(100 << 10)));
    }
    assert!(keys(&mut client) > with + 3, "{with} keys beside the version");
}

/// What becomes free when a value goes that versions share: nothing, and that is known at once.
#[test]
fn a_removed_value_that_is_shared_counts_until_it_is_free() {
    let engine = engine(start(""));
    for removal in ["DEL k", "UNLINK k", "SET k v", "PEXPIRE k 0", "RENAME other k"] {
        let mut client = TestClient::new(&engine);
        fill(&mut client, "k", 5000);
        fill(&mut client, "other", 1);
        let version = share(&mut client, "k");
        let before = engine.used_memory();
        client.ask(removal);
        client.worker.txn.report_memory();
        // Not less, and not what it took for good.
        let there = engine.used_memory();
        assert!((before - 2000..before + 20_000).contains(&there), "{removal}: {before}, {there}");
        assert!(kept(&engine) > before / 2, "{removal}");
        settle(&mut client);
        let later = engine.used_memory();
        assert!((before - 2000..=there).contains(&later), "{removal}: {before}, {later}");
        drop(version);
        settle(&mut client);
        assert!(engine.used_memory() < before / 10, "{removal}");
        client.ask("FLUSHALL");
        settle(&mut client);
    }
}

/// Keys are dropped whose memory comes back; where there are no others, versions go.
#[test]
fn eviction_passes_over_what_versions_share() {
    let engine = engine(start("maxmemory 3mb\nmaxmemory-policy allkeys-lru"));
    let mut client = TestClient::new(&engine);
    fill(&mut client, "k", 40_000);
    let size: usize = client.ask("MEMORY USAGE k")[1..].parse().unwrap();
    assert!(size > 1 << 20, "{size}");
    let version = share(&mut client, "k");
    let number = version.number();
    engine.store.versions.begin_to_read(version.place());
    let set = |client: &mut TestClient, number: usize| {
        client.worker.begin(1_000_000);
        client.ask(&format!("SET s{} {}", number % 100, "x".repeat(50 << 10)))
    };
    (0..300).for_each(|number| assert_eq!(set(&mut client, number), "+OK"));
    assert_eq!(client.ask("EXISTS k"), ":1");
    let others: usize = client.ask("DBSIZE")[1..].parse().unwrap();
    assert!(others > (1 << 20) / (50 << 10), "{others}");
    assert!(!engine.store.versions.gives_up(number));
    // Less than the value alone takes.
    client.ask("CONFIG SET maxmemory 1mb");
    client.worker.begin(1_000_000);
    assert!(set(&mut client, 1).starts_with("-OOM"));
    assert_eq!((client.ask("DBSIZE").as_str(), client.ask("EXISTS k").as_str()), (":1", ":1"));
    assert!(engine.store.versions.gives_up(number), "nothing else would make room");
    let refused = try_share(&mut client, "k").map(|_| ()).unwrap_err();
    assert_eq!(refused, error::VERSIONS_FULL);
    drop(version);
    settle(&mut client);
    assert_eq!(set(&mut client, 1), "+OK");
    assert_eq!(client.ask("EXISTS k"), ":0");
    assert!(try_share(&mut client, "k").unwrap().is_none());
}

/// Without eviction writes would be refused for what versions keep: those go before.
#[test]
fn versions_go_before_writes_are_refused_for_them() {
    let engine = engine(start("maxmemory 4mb"));
    let mut client = TestClient::new(&engine);
    fill(&mut client, "k", 40_000);
    let version = share(&mut client, "k");
    engine.store.versions.begin_to_read(version.place());
    client.ask("RING.PUSH k 1 x");
    assert!(kept(&engine) > 1 << 20);
    let set = |client: &mut TestClient, number: usize| {
        client.worker.begin(1_000_000);
        client.ask(&format!("SET s{number} {}", "x".repeat(100 << 10)))
    };
    let refused = (0..100).find(|&number| set(&mut client, number).starts_with("-OOM")).unwrap();
    assert!(engine.store.versions.gives_up(version.number()));
    drop(version);
    settle(&mut client);
    assert_eq!(set(&mut client, refused), "+OK");
    // What would not make room anyway is left alone.
    fill(&mut client, "small", 3);
    let small = share(&mut client, "small");
    engine.store.versions.begin_to_read(small.place());
    client.ask("DEL small");
    (0..100).for_each(|number| drop(set(&mut client, number)));
    client.ask("CONFIG SET maxmemory 1mb");
    assert!(set(&mut client, 0).starts_with("-OOM"));
    assert!(!engine.store.versions.gives_up(small.number()));
}

/// Two versions, each of which keeps a megabyte of a ring that is gone.
fn two_that_keep(client: &mut TestClient) -> [Version<FrozenRing>; 2] {
    ["one", "two"].map(|key| {
        fill(client, key, 40_000);
        let version = share(client, key);
        client.worker.engine.store.versions.begin_to_read(version.place());
        client.ask(&format!("DEL {key}"));
        settle(client);
        version
    })
}

/// When enough has become free no second one goes, though no thread has looked since.
#[test]
fn where_one_version_makes_room_no_other_goes() {
    let engine = engine(start(""));
    let mut client = TestClient::new(&engine);
    let [first, second] = two_that_keep(&mut client);
    let versions = Arc::clone(&engine.store.versions);
    let limit = engine.used_memory() - kept(&engine) / 4;
    client.ask(&format!("CONFIG SET maxmemory {limit}"));
    client.worker.begin(1_000_000);
    assert!(client.ask("SET k v").starts_with("-OOM"));
    assert!(versions.gives_up(first.number()) && !versions.gives_up(second.number()));
    drop(first);
    settle(&mut client);
    assert!(kept(&engine) > 1 << 20);
    assert!(!versions.gives_up(second.number()));
    client.worker.begin(1_000_000);
    assert_eq!(client.ask("SET k v"), "+OK");
    assert!(!versions.gives_up(second.number()));
    drop(second);
}

/// Nor does one go when there is no limit any more, though no client comes.
#[test]
fn no_version_goes_when_the_limit_has_gone() {
    let engine = engine(start(""));
    let mut client = TestClient::new(&engine);
    let [first, second] = two_that_keep(&mut client);
    let versions = Arc::clone(&engine.store.versions);
    let limit = engine.used_memory() - kept(&engine) / 4;
    client.ask(&format!("CONFIG SET maxmemory {limit}"));
    client.worker.begin(1_000_000);
    assert!(client.ask("SET k v").starts_with("-OOM") && versions.gives_up(first.number()));
    client.ask("CONFIG SET maxmemory 0");
    assert!(!versions.gives_up(first.number()));
    // A thread in the middle of a batch may still have known the limit.
    versions.press(Pressure::Kept(0));
    CronRounds::new(&engine).round();
    assert!(!versions.gives_up(first.number()));
    drop((first, second));
}

/// A copy for which there is no room is refused, and no query of others ends for it.
#[test]
fn a_hopeless_copy_ends_no_query() {
    for policy in ["noeviction", "allkeys-lru"] {
        let engine = engine(start(&format!("maxmemory-policy {policy}")));
        let mut client = TestClient::new(&engine);
        fill(&mut client, "k", 60_000);
        let version = share(&mut client, "k");
        client.ask("RING.PUSH k 1000000 x");
        engine.store.versions.begin_to_read(version.place());
        client.worker.txn.report_memory();
        let limit = engine.used_memory() + (64 << 10);
        client.ask(&format!("CONFIG SET maxmemory {limit}"));
        client.worker.begin(1_000_000);
        assert!(client.ask("COPY k other").starts_with("-OOM"), "{policy}");
        assert!(!engine.store.versions.gives_up(version.number()), "{policy}");
        assert_eq!(client.ask("EXISTS k other"), ":1", "{policy}");
    }
}

/// While it is freed, a removed value that a version shares never counts twice.
#[test]
fn a_removed_value_counts_once_while_it_is_freed() {
    let engine = engine(start(""));
    let mut client = TestClient::new(&engine);
    fill(&mut client, "k", 60_000);
    let (freeing, looks) = (AtomicBool::new(true), AtomicUsize::new(0));
    let (mut rounds, mut highest) = (0, 0);
    while looks.load(Ordering::SeqCst) < 10 && rounds < 1000 {
        client.ask("COPY k gone");
        let version = share(&mut client, "gone");
        client.ask("DEL gone");
        let (trash, before) = (engine.store.take_trash(), kept(&engine));
        freeing.store(true, Ordering::SeqCst);
        let begun = AtomicBool::new(false);
        let most = std::thread::scope(|scope| {
            let looker = scope.spawn(|| {
                let mut most = 0;
                while freeing.load(Ordering::SeqCst) {
                    most = kept(&engine).max(most);
                    looks.fetch_add(usize::from(begun.load(Ordering::SeqCst)), Ordering::SeqCst);
                }
                most
            });
            begun.store(true, Ordering::SeqCst);
            drop(trash);
            freeing.store(false, Ordering::SeqCst);
            looker.join().unwrap()
        });
        highest = highest.max(most.saturating_sub(before));
        drop(version);
        settle(&mut client);
        rounds += 1;
    }
    assert_eq!(highest, 0, "in {rounds} rounds");
}
