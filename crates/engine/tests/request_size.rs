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

/// Runs a request.
fn run(client: &mut TestClient, line: &str) {
    let words: Vec<&[u8]> = line.split(' ').map(str::as_bytes).collect();
    let mut out = Vec::new();
    client.worker.execute(&mut client.session, &words, &mut out);
    let reply = String::from_utf8_lossy(&out);
    assert!(!reply.starts_with('-'), "{line:.60}: {reply:.100}");
}

/// What the last of these requests takes this thread.
fn cost(requests: &[String]) -> Duration {
    let folder = Folder::new("engine");
    let lines = "appendonly yes\nsave \"\"\nnotify-keyspace-events KEA";
    let (engine, _) = open(folder.path(), lines).unwrap();
    let mut client = TestClient::new(&engine);
    let mut last = Duration::ZERO;
    for line in requests {
        last = processor::cost(|| run(&mut client, line)).1;
    }
    engine.close_data_dir();
    last
}

/// Fails if four times as many words take more than about four times as long.
fn assert_linear(what: &str, requests: impl Fn(usize) -> Vec<String>) {
    let mut tries = (0..3).map(|_| (cost(&requests(WORDS)), cost(&requests(4 * WORDS))));
    // The allocator and the machine's caches have their say: once is enough.
    let costs: Vec<_> = tries.by_ref().take_while(|(few, many)| *many > *few * MOST).collect();
    assert!(costs.len() < 3, "{what} of {WORDS} words and of four times as many: {costs:?}");
}

fn mset(count: usize) -> String {
    format!("MSET{}", names(count, "k", " v"))
}

#[test]
fn keys_that_are_written_are_not_compared_with_one_another() {
    assert_linear("MSET", |n| vec![mset(n)]);
    assert_linear("MSETNX", |n| vec![format!("MSETNX{}", names(n, "k", " v"))]);
    assert_linear("DEL", |n| vec![mset(n), format!("DEL{}", names(n, "k", ""))]);
    assert_linear("UNLINK", |n| vec![mset(n), format!("UNLINK{}", names(n, "k", ""))]);
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
