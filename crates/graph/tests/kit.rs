//! openCypher's technology compatibility kit, scenario by scenario. What passes and what fails is
//! `docs/reference/graph-tck.md`, to the letter: where it comes to anything else, this fails and
//! says which scenarios are others. It is written by
//!
//! ```text
//! KVIST_TCK_WRITE=1 cargo test -p kvist-graph --test all kit::
//! ```
//!
//! `KVIST_TCK_WHY=FILE` writes each failure with its reason, and `KVIST_TCK_ONLY` runs those
//! scenarios alone whose names have a text in them.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::{env, fs};

use crate::tck::page::{self, Outcome};
use crate::tck::{self, Scenario, run};

/// The page, as it was last written.
const PAGE: &str = include_str!("../../../docs/reference/graph-tck.md");

fn outcome(scenario: &Scenario) -> Option<String> {
    match catch_unwind(AssertUnwindSafe(|| run::run(scenario))) {
        Ok(outcome) => outcome.err(),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|&text| text.to_owned()));
            Some(format!("PANIC {}", text.unwrap_or_default()))
        }
    }
}

/// A path of the repository.
fn in_repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

#[test]
fn what_passes_and_what_fails_is_what_the_page_says() {
    let Some(mut scenarios) = tck::scenarios() else { return };
    let only = env::var("KVIST_TCK_ONLY").ok();
    if let Some(only) = &only {
        scenarios.retain(|scenario| scenario.line().contains(only));
    }
    let outcomes: Vec<Outcome<'_>> =
        scenarios.iter().map(|scenario| Outcome { scenario, why: outcome(scenario) }).collect();
    let failing = || outcomes.iter().filter_map(|it| Some((it.scenario.line(), it.why.as_ref()?)));
    println!("{} of {} fail", failing().count(), outcomes.len());
    if let Ok(path) = env::var("KVIST_TCK_WHY") {
        let lines: String = failing().map(|(line, why)| format!("{line}\n    {why}\n")).collect();
        fs::write(in_repository(&path), lines).unwrap();
    }
    if only.is_some() {
        return;
    }
    let now = page::write(&outcomes);
    if env::var_os("KVIST_TCK_WRITE").is_some() {
        return fs::write(in_repository("docs/reference/graph-tck.md"), now).unwrap();
    }
    let listed: BTreeSet<&str> = page::failing(PAGE).collect();
    let failing: BTreeSet<String> = failing().map(|(line, _)| line).collect();
    let lost: Vec<_> = failing.iter().filter(|line| !listed.contains(&***line)).collect();
    let gained: Vec<_> = listed.iter().filter(|line| !failing.contains(**line)).collect();
    assert!(lost.is_empty(), "{} fail that passed: {lost:#?}", lost.len());
    assert!(gained.is_empty(), "{} pass that are listed: {gained:#?}", gained.len());
    assert!(now == PAGE, "the page is not what it would be written as:\n{now}");
}

#[test]
fn names_of_scenarios_differ() {
    let Some(scenarios) = tck::scenarios() else { return };
    let names: BTreeSet<String> = scenarios.iter().map(Scenario::line).collect();
    assert_eq!((names.len(), scenarios.len()), (3_897, 3_897));
}
