//! Runs a plan: life after life on one disk, with what must hold between them; and makes plans that
//! fail shorter.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use differential::shrink::minimise;
use journal::{clock, manifest, segment, snapshot};
use kvist_engine::persistence::{Recovered, check};
use parking_lot::Mutex;

use super::plan::{Act, Life, Plan, Step};
use super::twin::Twin;
use super::world::{BEGINNING, History, Moment, Trace, World, inspect, start};
use crate::disk::{Leaves, Liar, Untrue};

/// So many files at most belong to a dataset that has just been read: its journal is rewritten when
/// that lies in many.
const FILES: usize = 120;

/// What came of a run.
#[derive(Debug, Default)]
pub struct Outcome {
    /// What was wrong.
    pub failure: Option<String>,
    /// All that happened.
    pub trace: Vec<String>,
    /// Lives that ended with a power cut.
    pub lives: usize,
    /// States there were.
    pub states: usize,
    /// Calls of the disk that change something.
    pub calls: u64,
    /// What must happen now and then.
    pub reached: Reached,
}

/// How often what is hard to reach was reached.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reached {
    /// Values that starts took from one key to another by their names.
    pub moved: u64,
    /// Commands that starts ran over keys of several shards.
    pub derived: u64,
    /// Values that starts read in chunks.
    pub large: u64,
    /// Keys that were dropped to make room.
    pub evicted: u64,
    /// Snapshots that were made.
    pub saves: u64,
    /// Comparisons with the model.
    pub compared: u64,
}

impl Reached {
    /// And these.
    pub fn add(&mut self, more: &Reached) {
        let Reached { moved, derived, large, evicted, saves, compared } = more;
        self.moved += moved;
        self.derived += derived;
        self.large += large;
        self.evicted += evicted;
        self.saves += saves;
        self.compared += compared;
    }

    /// Whether there is nothing that did not happen.
    pub fn is_all(&self) -> bool {
        let Reached { moved, derived, large, evicted, saves, compared } = *self;
        [moved, derived, large, evicted, saves, compared].iter().all(|&count| count > 0)
    }

    fn note(&mut self, recovered: &Recovered) {
        self.moved += recovered.moved;
        self.derived += recovered.derived;
        self.large += recovered.large;
    }
}

/// What goes from life to life beside the disk.
struct Between<'a> {
    now: u64,
    history: Option<History>,
    twin: &'a Arc<Mutex<Twin>>,
    reached: &'a mut Reached,
}

/// Runs a plan, on a disk that may not do what it says.
pub fn run(plan: &Plan, untrue: Option<Untrue>) -> Outcome {
    types::hash_tables_alike();
    let trace = Trace::default();
    let mut outcome = Outcome::default();
    let result = catch_unwind(AssertUnwindSafe(|| all_lives(plan, untrue, &trace, &mut outcome)));
    clock::simulate(None);
    outcome.failure = match result {
        Ok(result) => result.err(),
        Err(said) => {
            let text = said.downcast_ref::<String>().cloned();
            let text = text.or_else(|| said.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            Some(format!("it broke: {}", text.unwrap_or_default()))
        }
    };
    outcome.trace = std::mem::take(&mut *trace.lock());
    outcome
}

fn all_lives(
    plan: &Plan,
    untrue: Option<Untrue>,
    trace: &Trace,
    outcome: &mut Outcome,
) -> Result<(), String> {
    let mut disk = Liar::default();
    if let Some(untrue) = untrue {
        disk.pretend(untrue);
    }
    let twin = Arc::new(Mutex::new(Twin::new(plan.plain)));
    let Outcome { reached, lives, states, calls, .. } = outcome;
    let between = &mut Between { now: BEGINNING, history: None, twin: &twin, reached };
    for (number, life) in plan.lives.iter().enumerate() {
        let context = |what: String| format!("life {number}: {what}");
        trace.lock().push(format!("life {number}"));
        let engine = begin(&mut disk, plan, life, between).map_err(context)?;
        let world = World::new((engine, disk.clone()), life, between.now, (trace, &twin))
            .map_err(context)?;
        let before = disk.clone();
        (disk, between.now) = world.live();
        *calls += before.changes();
        between.reached.saves += world.saves.load(Ordering::Relaxed);
        between.reached.evicted += world.engine.store.evicted();
        between.reached.compared = twin.lock().compared;
        let lived = world.history.lock().clone();
        *lives += 1;
        *states += lived.moments.len();
        between.history = Some(lived);
    }
    // Last it ends in good order.
    let number = plan.lives.len();
    let last = Life { steps: vec![], after: 0, leaves: Leaves::Nothing, starts: vec![] };
    let context = |what: String| format!("life {number}, which does nothing: {what}");
    let engine = begin(&mut disk, plan, &last, between).map_err(context)?;
    let state = inspect(&engine)?;
    engine.close_data_dir();
    drop(engine);
    between.history = Some(History::new(state));
    let disk = &mut disk.crash(Leaves::Nothing);
    let engine = begin(disk, plan, &last, between).map_err(|what| {
        format!("life {}, after one that ended in good order: {what}", number + 1)
    })?;
    engine.close_data_dir();
    Ok(())
}

/// Starts on what a power cut has left, after starts that were cut off.
fn begin(
    disk: &mut Liar,
    plan: &Plan,
    life: &Life,
    between: &mut Between<'_>,
) -> Result<Arc<kvist_engine::Engine>, String> {
    is_whole(disk)?;
    for (at, &(calls, leaves)) in life.starts.iter().enumerate() {
        let context = |what: String| format!("start {at}, cut off after {calls} calls: {what}");
        disk.cut_after(disk.changes() + calls);
        if let Ok((engine, recovered)) = start(disk, plan, between.now) {
            between.reached.note(&recovered);
            verify(&engine, between).map_err(context)?;
            *disk = cut(disk, leaves);
            engine.close_data_dir();
        } else {
            *disk = cut(disk, leaves);
        }
        is_whole(disk).map_err(context)?;
    }
    let (engine, recovered) = start(disk, plan, between.now)?;
    between.reached.note(&recovered);
    verify(&engine, between)?;
    is_tidy(disk)?;
    Ok(engine)
}

/// What is found when power is lost now.
fn cut(disk: &Liar, leaves: Leaves) -> Liar {
    let found = disk.crash(leaves);
    disk.cut();
    found
}

/// Whether what was found is what may be found; from then on it alone is.
fn verify(engine: &Arc<kvist_engine::Engine>, between: &mut Between<'_>) -> Result<(), String> {
    let state = inspect(engine)?;
    if let Some(history) = &mut between.history {
        let at = history.find(&state).ok_or_else(|| history.complain(&state))?;
        let Moment { state, .. } = history.moments[at].clone();
        between.twin.lock().compare(engine, at, between.now)?;
        *history = History::new(state);
    } else {
        between.history = Some(History::new(state));
    }
    Ok(())
}

/// Nothing that counts is missing or damaged.
fn is_whole(disk: &Liar) -> Result<(), String> {
    let checked = check(disk).map_err(|error| error.to_string())?;
    match checked.problems.first() {
        Some(problem) => Err(format!("'kvist check' finds: {}", problem.what)),
        None => Ok(()),
    }
}

/// Nothing is left behind that is not needed.
fn is_tidy(disk: &Liar) -> Result<(), String> {
    let checked = check(disk).map_err(|error| error.to_string())?;
    if !checked.strays.is_empty() {
        return Err(format!("files that belong to nothing: {:?}", checked.strays));
    }
    let files = disk.files();
    let is_known = |name: &str| {
        name == manifest::NAME
            || segment::number(name).is_some()
            || snapshot::number(name).is_some()
            || name.starts_with("journal-spare-")
    };
    if let Some((name, _)) = files.iter().find(|(name, _)| !is_known(name)) {
        return Err(format!("{name} is of no use"));
    }
    if files.len() > FILES {
        return Err(format!("{} files", files.len()));
    }
    Ok(())
}

/// The shortest plan found in this time that fails.
pub fn shorten(plan: &Plan, time: Duration) -> Plan {
    let begun = Instant::now();
    let fails = |plan: &Plan| begun.elapsed() < time && run(plan, None).failure.is_some();
    let mut plan = plan.clone();
    let with = |plan: &Plan, lives: &[Life]| Plan { lives: lives.to_vec(), ..plan.clone() };
    let whole = plan.clone();
    plan.lives = minimise(plan.lives, &mut |lives: &[Life]| fails(&with(&whole, lives)));
    for at in 0..plan.lives.len() {
        let whole = plan.clone();
        let steps = minimise(whole.lives[at].steps.clone(), &mut |steps: &[Step]| {
            let mut fewer = whole.clone();
            fewer.lives[at].steps = steps.to_vec();
            fails(&fewer)
        });
        plan.lives[at].steps = steps;
        for step in 0..plan.lives[at].steps.len() {
            let Act::Ask(client, requests) = plan.lives[at].steps[step].act.clone() else {
                continue;
            };
            let whole = plan.clone();
            let requests = minimise(requests, &mut |requests| {
                let mut fewer = whole.clone();
                fewer.lives[at].steps[step].act = Act::Ask(client, requests.to_vec());
                fails(&fewer)
            });
            plan.lives[at].steps[step].act = Act::Ask(client, requests);
        }
        for none in [true, false] {
            let mut fewer = plan.clone();
            let life = &mut fewer.lives[at];
            if none {
                life.starts.clear()
            } else {
                life.leaves = Leaves::Nothing
            }
            if fails(&fewer) {
                plan = fewer;
            }
        }
    }
    plan
}
