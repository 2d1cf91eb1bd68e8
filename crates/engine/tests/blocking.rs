//! Blocked clients: who is served, by whom, in which order, and with what.
//!
//! The scripts were recorded from a redis-server and run on it again where one is installed;
//! `KVIST_RECORD=1` writes down what it answers.
#![allow(clippy::unwrap_used, clippy::expect_used)] // a test says why by failing

#[path = "../../base/tests/oracle/mod.rs"]
mod oracle;
#[path = "blocking/script.rs"]
mod script;
mod seats;

use std::time::Duration;

use script::{Kvist, Redis, expected, parse, run};

const SCENARIOS: &str = include_str!("blocking/scenarios.txt");

#[test]
fn blocked_clients_are_served_as_written() {
    let mut wrong = Vec::new();
    for scenario in parse(SCENARIOS) {
        let (found, wanted) = (run(&scenario, &mut Kvist::new()), expected(&scenario));
        if found != wanted {
            wrong.push(format!(
                "== {}\n-- wanted\n{}\n-- found\n{}\n",
                scenario.name,
                wanted.join("\n"),
                found.join("\n")
            ));
        }
    }
    assert!(wrong.is_empty(), "{} scripts:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_scripts_are_what_redis_does() {
    let Some(oracle) = oracle::Oracle::start(&[]) else { return };
    let recording = std::env::var_os("KVIST_RECORD").is_some();
    // What is expected is waited for; what is not known yet may take its time.
    let patience = Duration::from_millis(if recording { 60 } else { 4 });
    let opening = SCENARIOS.split("\n== ").next().unwrap();
    let mut record = opening.to_owned();
    for mut scenario in parse(SCENARIOS) {
        if recording {
            scenario.steps.iter_mut().for_each(|step| step.heard.clear());
        }
        let found = run(&scenario, &mut Redis::new(&oracle, patience));
        if recording {
            record.push_str(&format!("\n== {}\n{}\n", scenario.name, found.join("\n")));
        } else {
            assert_eq!(found, expected(&scenario), "{}", scenario.name);
        }
    }
    if recording {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/blocking/scenarios.txt");
        std::fs::write(path, record).unwrap();
    }
}
