//! A simulation of engine and journal on a disk that lies, from one seed: what clients ask, the
//! order in which they, the flusher, snapshots, the keeper and the disk take their steps, what
//! fails, and where power is cut. What is found after each cut must be a state that the dataset
//! had, and none from before what was acknowledged or synced.
//!
//! `KVIST_SEED` repeats a run, `KVIST_SECONDS` makes it longer, `KVIST_TRACE` shows all of it.
#![allow(clippy::unwrap_used)] // a test says why by failing

mod contents;
#[path = "../../journal/tests/disk/mod.rs"]
mod disk;
#[path = "simulation/plan.rs"]
mod plan;
#[path = "simulation/run.rs"]
mod run;
mod seats;
#[path = "../../base/tests/seed/mod.rs"]
mod seed;
#[path = "../../model/tests/stage/mod.rs"]
mod stage;
#[path = "simulation/state.rs"]
mod state;
mod tame;
#[path = "simulation/twin.rs"]
mod twin;
#[path = "hostile/words.rs"]
mod words;
#[path = "simulation/world.rs"]
mod world;

use std::time::{Duration, Instant};

use base::{Flag, Rng};
use disk::Untrue;
use kvist_engine::{Action, Engine, Entry};
use plan::{Drawer, Plan, shown};
use run::{Outcome, run};
use seats::engine;

/// Draws plans from seeds.
fn drawn(engine: &Engine, seed: u64) -> Plan {
    let writes: Vec<&Entry> = engine
        .table
        .entries()
        .iter()
        .filter(|entry| entry.has(Flag::Write) && matches!(entry.action, Action::Data(_)))
        .collect();
    Drawer { rng: Rng::new(seed), writes: &writes, plain: false }.plan()
}

/// Says what was found, as shortly as can be, and fails.
fn fail(seed: u64, plan: &Plan, outcome: &Outcome) -> ! {
    let text = outcome.failure.clone().unwrap_or_default();
    println!("{text}\nlooking for a shorter plan that fails");
    let short = run::shorten(plan, Duration::from_secs(120));
    let again = run(&short, None);
    let tail = again.trace.len().saturating_sub(60);
    println!("the last of what happens in it:\n{}", again.trace[tail..].join("\n"));
    let text = again.failure.unwrap_or(text);
    panic!("KVIST_SEED={seed}: {text}\nIt happens in this plan:\n{}", shown(&short));
}

#[test]
fn whatever_happens_nothing_that_was_promised_is_lost() {
    let engine = engine();
    let setting = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let time = Duration::from_secs(setting("KVIST_SECONDS").unwrap_or(50));
    let begun = Instant::now();
    let mut seed = seed::rng().next_u64() >> 24;
    if let Some(given) = setting("KVIST_SEED") {
        seed = given;
    }
    let (mut runs, mut lives, mut states, mut calls) = (0, 0, 0, 0);
    while runs == 0 || begun.elapsed() < time {
        let plan = drawn(&engine, seed);
        let outcome = run(&plan, None);
        if std::env::var("KVIST_TRACE").is_ok() {
            println!("seed {seed}\n{}\n{}", shown(&plan), outcome.trace.join("\n"));
        }
        if outcome.failure.is_some() {
            fail(seed, &plan, &outcome);
        }
        (runs, lives) = (runs + 1, lives + outcome.lives);
        (states, calls) = (states + outcome.states, calls + outcome.calls);
        seed += 1;
    }
    println!("{runs} runs, {lives} lives, {states} states, {calls} calls of the disk");
    assert!(lives > 0 && states > 0);
}

/// The same seed, the same everything.
#[test]
fn a_seed_decides_everything() {
    let engine = engine();
    for seed in 0..4 {
        let plan = drawn(&engine, seed);
        let (first, second) = (run(&plan, None), run(&plan, None));
        for (at, (one, other)) in first.trace.iter().zip(&second.trace).enumerate() {
            assert_eq!(one, other, "seed {seed}, line {at}");
        }
        assert_eq!(first.trace.len(), second.trace.len(), "seed {seed}");
        assert_eq!(first.failure, second.failure, "seed {seed}");
    }
}

/// On a disk that does not do what it says, something is lost, and that is seen.
#[test]
fn a_disk_that_does_not_sync_is_found_out() {
    let engine = engine();
    for untrue in [Untrue::Journal, Untrue::Snapshot, Untrue::Manifest, Untrue::Names] {
        let found = (0..200).find_map(|seed| run(&drawn(&engine, seed), Some(untrue)).failure);
        println!("{untrue:?}: {}", found.as_deref().unwrap_or("nothing"));
        assert!(found.is_some(), "{untrue:?}");
    }
}
