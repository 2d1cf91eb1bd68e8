//! The cron thread: keys that are not asked for any more vanish in time, their memory comes back,
//! and no shard is kept from others for long meanwhile.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use kvist_engine::{Allocator, Cron, Engine, Message};
use testkit::processor;
use testkit::wait::until;

use crate::test_client::{TestClient, engine};

fn now() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    u64::try_from(since.as_millis()).unwrap()
}

/// Keys with a deadline `millis` from now, and a value of 100 bytes.
fn fill(client: &mut TestClient, keys: std::ops::Range<usize>, millis: u64) {
    let value = "v".repeat(100);
    for first in keys.clone().step_by(500) {
        client.worker.begin(now());
        let lines = (first..keys.end.min(first + 500))
            .map(|n| format!("SET key:{n} {value} PX {millis}\r\n"));
        client.feed(&lines.collect::<String>());
    }
    client.worker.txn.report_memory();
}

fn size(client: &mut TestClient) -> usize {
    client.ask("DBSIZE").trim_start_matches(':').parse().unwrap()
}

#[test]
fn keys_vanish_untouched_and_their_memory_comes_back() {
    let engine = engine();
    let mut client = TestClient::new(&engine);
    fill(&mut client, 0..100_000, 50);
    let full = engine.store.memory();
    // Some of another database, some that stay.
    client.ask("SELECT 3");
    fill(&mut client, 0..1_000, 50);
    client.ask("SET stays v");
    client.ask("SELECT 0");
    std::thread::sleep(Duration::from_millis(60));
    assert!(size(&mut client) > 90_000, "no client has read them yet");
    let cron = Cron::start(&engine, Allocator::unknown()).unwrap();
    let took = until("expiry", || size(&mut client) == 0);
    println!("100,000 keys expired {took:?} after the cron thread began");
    client.ask("SELECT 3");
    until("expiry in another database", || size(&mut client) == 1);
    until("the return of memory", || engine.store.memory() < full / 50);
    drop(cron);
    assert_eq!(engine.store.expired(), 101_000);
    client.worker.txn.report_memory();
    assert_eq!(store::recount(&mut client.worker.txn.held), engine.store.memory());
}

/// Every key overdue, in two databases: a step locks for each, so half of it is what a client
/// waits for at worst.
#[test]
fn no_shard_is_kept_for_long() {
    let engine = engine();
    let mut client = TestClient::new(&engine);
    for db in 0..2 {
        client.ask(&format!("SELECT {db}"));
        fill(&mut client, 0..50_000, 1);
    }
    std::thread::sleep(Duration::from_millis(2));
    let ((deleted, most, steps), worked) = processor::cost(|| step_through(&engine, &mut client));
    assert!(deleted > 90_000, "{deleted}");
    let usual = worked / steps;
    println!("{steps} steps of expiry, of {most} keys at most, worked {usual:?} each");
    // The processor's time, which is the same on a busy machine. A build without optimisation takes
    // ten times as long.
    let limit = Duration::from_millis(if cfg!(debug_assertions) { 40 } else { 1 });
    assert!(usual < limit, "{usual:?}");
    // None of them does much more than the others.
    assert!(most < 20 * deleted / steps as usize, "{most} keys in one of {steps} steps");
}

/// Deletes everything overdue; how much that was, the most in one step, and the number of steps.
fn step_through(engine: &Arc<Engine>, client: &mut TestClient) -> (usize, usize, u32) {
    let (mut all, mut most, mut steps, now) = (0, 0, 0, now());
    for shard in 0..engine.store.shards() {
        let mut quiet = 0;
        while quiet < 3 {
            let (deleted, _) = store::expire_step(&mut client.worker.txn, shard, now);
            steps += u32::from(deleted > 0);
            most = most.max(deleted);
            all += deleted;
            quiet = if deleted == 0 { quiet + 1 } else { 0 };
        }
    }
    (all, most, steps)
}

#[test]
fn unlinked_values_are_freed_behind_the_scenes() {
    let engine = engine();
    let mut client = TestClient::new(&engine);
    for n in 0..50_000 {
        client.ask(&format!("HSET hash field{n} value"));
    }
    assert_eq!(client.ask("UNLINK hash"), ":1");
    assert_eq!(engine.store.pending_frees(), 1);
    let cron = Cron::start(&engine, Allocator::unknown()).unwrap();
    until("freeing", || engine.store.pending_frees() == 0);
    drop(cron);
}

/// A transaction that watches a key does not run when the key expired, whatever removed it.
#[test]
fn watchers_see_what_cron_removes() {
    let engine = engine();
    let mut client = TestClient::new(&engine);
    client.worker.begin(now());
    client.ask("SET k v PX 20");
    client.ask("WATCH k");
    let cron = Cron::start(&engine, Allocator::unknown()).unwrap();
    until("expiry", || engine.store.expired() == 1);
    drop(cron);
    client.ask("MULTI");
    assert_eq!(client.ask("EXEC"), "*-1");
}

#[test]
fn who_waits_in_a_group_of_a_stream_is_told_when_its_time_is_up() {
    let engine = engine();
    let (mut waits, mut other) = (TestClient::new(&engine), TestClient::new(&engine));
    waits.worker.begin(now());
    other.worker.begin(now());
    other.ask("XGROUP CREATE s g $ MKSTREAM");
    assert_eq!(waits.ask("XREADGROUP GROUP g c BLOCK 0 STREAMS s >"), "");
    other.ask("PEXPIRE s 5");
    let _cron = Cron::start(&engine, Allocator::unknown()).unwrap();
    let client = waits.session.client.id;
    until("the end of the wait", || {
        let messages = waits.messages.take(client);
        messages.into_iter().any(|message| match message {
            Message::Unblocked { reply, .. } => {
                assert_eq!(&reply[..], b"-UNBLOCKED the stream key no longer exists\r\n");
                true
            }
            _ => false,
        })
    });
}

/// A round that breaks is not the last.
#[test]
fn cron_goes_on_after_a_panic() {
    static BROKEN: AtomicUsize = AtomicUsize::new(0);
    fn give_back() {
        if BROKEN.fetch_add(1, Ordering::Relaxed) < 2 {
            panic!("a test breaks a round of cron");
        }
    }
    let engine = engine();
    let mut client = TestClient::new(&engine);
    client.worker.begin(now());
    let _cron = Cron::start(&engine, Allocator { give_back, describe: String::new }).unwrap();
    until("two panics", || BROKEN.load(Ordering::Relaxed) >= 2);
    client.ask("SET k v PX 20");
    until("expiry", || engine.store.expired() == 1);
    until("a round that is whole", || BROKEN.load(Ordering::Relaxed) > 2);
}
