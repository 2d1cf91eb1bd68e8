//! A simulation of engine and journal on a disk that lies, from one seed: what clients ask, the
//! order in which they, the flusher, snapshots, the cron thread and the disk take their steps, what
//! fails, and where power is cut. What is found after each cut must be a state that the dataset
//! had, and none from before what was acknowledged or synced.
//!
//! ```text
//!   KVIST_SEED=7 KVIST_SECONDS=0   runs the plan of this seed alone: each run prints its own first
//!   KVIST_SECONDS=3600             goes on for an hour, one seed after another
//!   KVIST_TRACE=1                  shows all of it
//! ```
//!
//! A plan is drawn beforehand: each line says which client, flusher, cron or snapshot goes next,
//! and at each call of the disk others may come in between, or power is cut. Where the plan has
//! only commands that `model` runs as the engine does, the state must be the one they produce
//! there; memory must be accounted exactly, and no file be left over. The code is that of
//! production without threads: the flusher and cron consist of rounds that any thread can run
//! (`Log::flush_round`, `CronRounds`), a snapshot calls the disk after each step of its scan, and
//! time is simulated (`journal/src/clock.rs`). A run that fails is shortened by leaving out steps.
#![allow(clippy::unwrap_used)] // a test says why by failing

mod plan;
mod run;
mod state;
mod twin;
mod world;

use std::io::Write as _;
use std::time::{Duration, Instant};

use base::{Flag, Property, Rng};
use kvist_engine::{Action, Engine, Entry};
use plan::{Drawer, Plan, shown};
use run::{Outcome, Reached, run};
use testkit::seed::{self, setting};

use crate::disk::Untrue;
use crate::test_client::engine;

/// So many runs come to everything that there is to reach: mostly a tenth of them do.
const ENOUGH: usize = 1000;

/// Draws plans from seeds.
fn drawn(engine: &Engine, seed: u64) -> Plan {
    let writes: Vec<&Entry> = engine
        .table
        .entries()
        .iter()
        .filter(|entry| entry.has(Flag::Write) && matches!(entry.action, Action::Data(_)))
        // What runs on threads for queries ends when it likes, whatever the seed.
        .filter(|entry| !entry.is(Property::RunsAsQuery))
        .collect();
    Drawer { rng: Rng::new(seed), writes: &writes, plain: false, evicts: false }.plan()
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

/// Says which plan is about to run, past what catches the output of tests: a run that hangs or
/// aborts would take it along.
fn announce(seed: u64) {
    let _ = writeln!(std::io::stderr(), "KVIST_SEED={seed}");
}

#[test]
fn whatever_happens_nothing_that_was_promised_is_lost() {
    let engine = engine();
    let time = Duration::from_secs(setting("KVIST_SECONDS", 50));
    let begun = Instant::now();
    // What is printed is the seed of a plan, not that of the generator which chose it.
    let mut seed = seed::seed();
    let (mut runs, mut lives, mut states, mut calls) = (0, 0, 0, 0);
    let mut reached = Reached::default();
    // It goes on until everything was reached, unless one plan is asked for.
    let is_done = |reached: &Reached| time.is_zero() || reached.is_all();
    while runs == 0 || begun.elapsed() < time || (runs < ENOUGH && !is_done(&reached)) {
        announce(seed);
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
        reached.add(&outcome.reached);
        seed += 1;
    }
    println!("{runs} runs, {lives} lives, {states} states, {calls} calls of the disk");
    println!("{reached:?}");
    assert!(lives > 0 && states > 0);
    assert!(is_done(&reached), "in {runs} runs: {reached:?}");
}

/// The same seed, the same everything: also in another process, where what differs from process
/// to process, such as the order of a table of the standard library, comes out otherwise.
#[test]
fn a_seed_decides_everything() {
    let engine = engine();
    let own: Vec<String> = (0..ALIKE).flat_map(|seed| whole(&engine, seed)).collect();
    let again: Vec<String> = (0..ALIKE).flat_map(|seed| whole(&engine, seed)).collect();
    assert_alike(&own, &again);
    assert_alike(&own, &told_by_another_process());
}

/// So many seeds are compared.
const ALIKE: u64 = 8;
/// How lines of a trace begin among what a test program says.
const MARK: &str = "trace: ";

/// Says what happens with the first seeds, for [`a_seed_decides_everything`].
#[test]
#[ignore = "it is a part of another test, which runs it in a process of its own"]
fn traces() {
    let engine = engine();
    let mut text = String::new();
    for line in (0..ALIKE).flat_map(|seed| whole(&engine, seed)) {
        text += &format!("{MARK}{line}\n");
    }
    std::io::stdout().write_all(text.as_bytes()).unwrap();
}

/// All that happens with a seed, line by line.
fn whole(engine: &Engine, seed: u64) -> Vec<String> {
    let Outcome { failure, trace, reached, .. } = run(&drawn(engine, seed), None);
    let end = format!("seed {seed} ends: {failure:?}, {reached:?}");
    let lines = trace.into_iter().chain([end]);
    lines.flat_map(|text| text.lines().map(without_ticket).collect::<Vec<_>>()).collect()
}

/// A line without the number of who waits: a query in a transaction takes one of these numbers if
/// it takes long, which depends on what else the machine does.
fn without_ticket(line: &str) -> String {
    match line.split_once("ticket: ") {
        Some((before, after)) => {
            format!("{before}ticket: _{}", after.trim_start_matches(|c: char| c.is_ascii_digit()))
        }
        None => line.to_owned(),
    }
}

fn told_by_another_process() -> Vec<String> {
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    let output = command
        .args(["simulation::traces", "--exact", "--ignored", "--nocapture"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().filter_map(|line| line.strip_prefix(MARK)).map(str::to_owned).collect()
}

fn assert_alike(first: &[String], second: &[String]) {
    for (at, (one, other)) in first.iter().zip(second).enumerate() {
        let before = first[at.saturating_sub(5)..at].join("\n");
        assert_eq!(one, other, "line {at}, behind\n{before}");
    }
    assert_eq!(first.len(), second.len());
    assert!(!first.is_empty());
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
