//! Kvist's protocols between threads, under schedulers that try many orders of their steps.
//!
//! A protocol's own files are built a second time, with locks, words and threads (`crates/sync`)
//! whose every step a scheduler decides (`sync/` here): whole crates in `journal/` and `store/`,
//! single files of the server in `tests/`. A model is a small program on them with a few threads;
//! it fails where it panics, and where all threads wait for each other. A timeout ends no wait
//! unless it is shorter than 50 ms; then it may end at any moment.
//!
//! ```text
//!   KVIST_SEED=7   begins with the orders of this seed: what a failure printed fails again
//!   KVIST_FACTOR=9 nine times as many orders; `make soak` takes twenty times as many
//! ```
//!
//! Orders are drawn at random, thousands for each model; only `loom` (`tests/weak.rs`) tries all,
//! of a few accesses. Each file in `tests/` says at its top what it runs and what must hold. The
//! engine and the rest of the server, where a lock only guards data, use `parking_lot` and have no
//! models.
//!
//! Most models have a *broken* twin in which one rule is not kept; it must fail, or the model would
//! prove nothing.

#![forbid(unsafe_code)]

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use shuttle::scheduler::{PctScheduler, RandomScheduler, Scheduler};
use shuttle::{Config, MaxSteps, Runner};
use testkit::seed::{seed, setting};

/// Orders tried with one seed.
const BATCH: usize = 100;
/// How often a scheduler of the second kind changes its mind, at most.
const CHANGES: usize = 4;
/// More steps than this, and some threads keep each other busy for ever.
const LONGEST: usize = 200_000;
/// How many orders a broken model may take to fail.
const SURELY: usize = 20_000;

/// Runs a model in so many orders, half of them purely at random and half by threads of changing
/// precedence, which finds what takes few but well placed changes.
///
/// # Panics
/// With the seed of the orders among which one fails.
pub fn explore(orders: usize, model: impl Fn() + Send + Sync + 'static) {
    let (first, times) = (seed(), setting("KVIST_FACTOR", 1));
    let model: Arc<dyn Fn() + Send + Sync> = Arc::new(model);
    let batches = orders.div_ceil(BATCH) as u64 * times;
    println!("KVIST_SEED={first}");
    for seed in (0..batches).map(|n| first.wrapping_add(n)) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| run(seed, &model))) {
            eprintln!("fails with KVIST_SEED={seed}");
            resume_unwind(panic);
        }
    }
}

/// What a model says whose threads all wait for each other.
pub const ALL_WAIT: &str = "deadlock";
/// What one says whose threads keep each other busy for ever.
pub const NO_END: &str = "exceeded max_steps";

/// Runs a model that breaks a rule until it fails, and in the way that is expected: what it says
/// holds this text. A model that is itself broken fails otherwise.
///
/// # Panics
/// It does not fail, or otherwise.
pub fn must_fail(expected: &str, broken: impl Fn() + Send + Sync + 'static) {
    let model: Arc<dyn Fn() + Send + Sync> = Arc::new(broken);
    let found = (0..(SURELY / BATCH) as u64).find_map(|seed| {
        // Its panic is expected, and is not reported.
        catch_unwind(AssertUnwindSafe(|| run(seed, &model))).err().map(|panic| (seed, panic))
    });
    let Some((seed, panic)) = found else {
        panic!("a rule is broken, and the model does not see it");
    };
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or_default();
    assert!(text.contains(expected), "with seed {seed} it fails otherwise: {text:?}");
}

fn run(seed: u64, model: &Arc<dyn Fn() + Send + Sync>) {
    match seed % 2 {
        0 => with(RandomScheduler::new_from_seed(seed, BATCH), model),
        _ => with(PctScheduler::new_from_seed(seed, CHANGES, BATCH), model),
    }
}

fn with(scheduler: impl Scheduler + 'static, model: &Arc<dyn Fn() + Send + Sync>) {
    let mut config = Config::new();
    // Its orders are told by their seed.
    config.failure_persistence = shuttle::FailurePersistence::None;
    config.max_steps = MaxSteps::FailAfter(LONGEST);
    config.silence_warnings = true;
    let model = Arc::clone(model);
    Runner::new(scheduler, config).run(move || model());
}
