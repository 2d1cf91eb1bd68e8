//! The keeper: keys nobody asks for any more vanish in time, their memory comes back, and no
//! shard is kept from others for long meanwhile.
#![allow(clippy::unwrap_used)] // a test says why by failing

#[path = "../../base/tests/processor/mod.rs"]
mod processor;
mod seats;

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use kvist_engine::{Allocator, Engine, Keeper, Message};
use seats::{Seat, engine};

/// Longer than a busy machine takes.
const PATIENCE: Duration = Duration::from_secs(20);

fn now() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    u64::try_from(since.as_millis()).unwrap()
}

fn eventually(what: &str, mut done: impl FnMut() -> bool) -> Duration {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < PATIENCE, "{what} did not happen");
        std::thread::sleep(Duration::from_millis(2));
    }
    start.elapsed()
}

/// Keys with a deadline `millis` from now, and a value of 100 bytes.
fn fill(seat: &mut Seat, keys: std::ops::Range<usize>, millis: u64) {
    let value = "v".repeat(100);
    for first in keys.clone().step_by(500) {
        seat.worker.begin(now());
        let lines = (first..keys.end.min(first + 500))
            .map(|n| format!("SET key:{n} {value} PX {millis}\r\n"));
        seat.feed(&lines.collect::<String>());
    }
    seat.worker.txn.report_memory();
}

fn size(seat: &mut Seat) -> usize {
    seat.ask("DBSIZE").trim_start_matches(':').parse().unwrap()
}

#[test]
fn keys_vanish_untouched_and_their_memory_comes_back() {
    let engine = engine();
    let mut seat = Seat::new(&engine);
    fill(&mut seat, 0..100_000, 50);
    let full = engine.store.memory();
    // Some of another database, some that stay.
    seat.ask("SELECT 3");
    fill(&mut seat, 0..1_000, 50);
    seat.ask("SET stays v");
    seat.ask("SELECT 0");
    std::thread::sleep(Duration::from_millis(60));
    assert!(size(&mut seat) > 90_000, "nobody has looked at them yet");
    let keeper = Keeper::start(&engine, Allocator::unknown()).unwrap();
    let took = eventually("expiry", || size(&mut seat) == 0);
    println!("100,000 keys expired {took:?} after the keeper began");
    seat.ask("SELECT 3");
    eventually("expiry in another database", || size(&mut seat) == 1);
    eventually("the return of memory", || engine.store.memory() < full / 50);
    drop(keeper);
    assert_eq!(engine.store.expired(), 101_000);
    seat.worker.txn.report_memory();
    assert_eq!(seat.worker.txn.recount(), engine.store.memory());
}

/// Every key overdue, in two databases: a step locks for each, so half of it is what a client
/// waits for at worst.
#[test]
fn no_shard_is_kept_for_long() {
    let engine = engine();
    let mut seat = Seat::new(&engine);
    for db in 0..2 {
        seat.ask(&format!("SELECT {db}"));
        fill(&mut seat, 0..50_000, 1);
    }
    std::thread::sleep(Duration::from_millis(2));
    let ((deleted, most, steps), worked) = processor::cost(|| step_through(&engine, &mut seat));
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
fn step_through(engine: &Arc<Engine>, seat: &mut Seat) -> (usize, usize, u32) {
    let (mut all, mut most, mut steps, now) = (0, 0, 0, now());
    for shard in 0..engine.store.shards() {
        let mut quiet = 0;
        while quiet < 3 {
            let (deleted, _) = seat.worker.txn.expire_step(shard, now);
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
    let mut seat = Seat::new(&engine);
    for n in 0..50_000 {
        seat.ask(&format!("HSET hash field{n} value"));
    }
    assert_eq!(seat.ask("UNLINK hash"), ":1");
    assert_eq!(engine.store.pending_frees(), 1);
    let keeper = Keeper::start(&engine, Allocator::unknown()).unwrap();
    eventually("freeing", || engine.store.pending_frees() == 0);
    drop(keeper);
}

/// A transaction that watches a key does not run when the key expired, whoever removed it.
#[test]
fn watchers_see_what_the_keeper_removes() {
    let engine = engine();
    let mut seat = Seat::new(&engine);
    seat.worker.begin(now());
    seat.ask("SET k v PX 20");
    seat.ask("WATCH k");
    let keeper = Keeper::start(&engine, Allocator::unknown()).unwrap();
    eventually("expiry", || engine.store.expired() == 1);
    drop(keeper);
    seat.ask("MULTI");
    assert_eq!(seat.ask("EXEC"), "*-1");
}

#[test]
fn who_waits_in_a_group_of_a_stream_is_told_when_its_time_is_up() {
    let engine = engine();
    let (mut waits, mut other) = (Seat::new(&engine), Seat::new(&engine));
    waits.worker.begin(now());
    other.worker.begin(now());
    other.ask("XGROUP CREATE s g $ MKSTREAM");
    assert_eq!(waits.ask("XREADGROUP GROUP g c BLOCK 0 STREAMS s >"), "");
    other.ask("PEXPIRE s 5");
    let _keeper = Keeper::start(&engine, Allocator::unknown()).unwrap();
    let client = waits.session.client.id;
    eventually("the end of the wait", || {
        let letters = waits.letters.take(client);
        letters.into_iter().any(|letter| match letter {
            Message::Unblocked { reply, .. } => {
                assert_eq!(reply, b"-UNBLOCKED the stream key no longer exists\r\n");
                true
            }
            _ => false,
        })
    });
}
