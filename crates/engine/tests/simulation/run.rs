//! Runs a plan: life after life on one disk, with what must hold between them; and makes plans that
//! fail shorter.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use differential::shrink::minimise;
use journal::{clock, manifest, segment, snapshot};
use kvist_engine::durable::check;
use parking_lot::Mutex;

use crate::disk::{Leaves, Liar, Untrue};
use crate::plan::{Act, Life, Plan, Step};
use crate::twin::Twin;
use crate::world::{BEGINNING, History, Moment, Trace, World, inspect, start};

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
}

/// Runs a plan, on a disk that may not do what it says.
pub fn run(plan: &Plan, untrue: Option<Untrue>) -> Outcome {
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
    let mut now = BEGINNING;
    let mut history: Option<History> = None;
    let twin = Arc::new(Mutex::new(Twin::new(plan.plain)));
    for (number, life) in plan.lives.iter().enumerate() {
        let context = |what: String| format!("life {number}: {what}");
        trace.lock().push(format!("life {number}"));
        let engine = begin(&mut disk, plan, life, (now, &mut history, &twin)).map_err(context)?;
        let world =
            World::new((engine, disk.clone()), life, now, (trace, &twin)).map_err(context)?;
        let before = disk.clone();
        (disk, now) = world.live();
        outcome.calls += before.changes();
        let lived = world.history.lock().clone();
        outcome.lives += 1;
        outcome.states += lived.moments.len();
        history = Some(lived);
    }
    // Last it ends in good order.
    let number = plan.lives.len();
    let last = Life { steps: vec![], after: 0, leaves: Leaves::Nothing, starts: vec![] };
    let context = |what: String| format!("life {number}, which does nothing: {what}");
    let engine = begin(&mut disk, plan, &last, (now, &mut history, &twin)).map_err(context)?;
    let state = inspect(&engine)?;
    engine.move_out();
    drop(engine);
    history = Some(History::new(state));
    let disk = &mut disk.crash(Leaves::Nothing);
    let engine = begin(disk, plan, &last, (now, &mut history, &twin)).map_err(|what| {
        format!("life {}, after one that ended in good order: {what}", number + 1)
    })?;
    engine.move_out();
    Ok(())
}

/// Starts on what a power cut has left, after starts that were cut off.
fn begin(
    disk: &mut Liar,
    plan: &Plan,
    life: &Life,
    (now, history, twin): (u64, &mut Option<History>, &Mutex<Twin>),
) -> Result<Arc<kvist_engine::Engine>, String> {
    is_whole(disk)?;
    for (at, &(calls, leaves)) in life.starts.iter().enumerate() {
        let context = |what: String| format!("start {at}, cut off after {calls} calls: {what}");
        disk.cut_after(disk.changes() + calls);
        if let Ok(engine) = start(disk, plan, now) {
            judge(&engine, (now, history, twin)).map_err(context)?;
            *disk = cut(disk, leaves);
            engine.move_out();
        } else {
            *disk = cut(disk, leaves);
        }
        is_whole(disk).map_err(context)?;
    }
    let engine = start(disk, plan, now)?;
    judge(&engine, (now, history, twin))?;
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
fn judge(
    engine: &Arc<kvist_engine::Engine>,
    (now, history, twin): (u64, &mut Option<History>, &Mutex<Twin>),
) -> Result<(), String> {
    let state = inspect(engine)?;
    if let Some(history) = history {
        let at = history.find(&state).ok_or_else(|| history.complain(&state))?;
        let Moment { state, .. } = history.moments[at].clone();
        twin.lock().compare(engine, at, now)?;
        *history = History::new(state);
    } else {
        *history = Some(History::new(state));
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

/// Nothing is left behind that nobody needs.
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
