//! Kvist killed under load, with every policy.
//!
//! `KVIST_BIN` names another program, `KVIST_SEED` repeats a run, `KVIST_CYCLES` makes it longer.

use kvist_crash::cycle;
use kvist_crash::settings::{Fsync, Settings};
use testkit::seed::seed;
use testkit::server::Program;
use testkit::skip;

/// What is said where the server has not been built.
const NO_KVIST: &str = "kvist is not built: run `cargo build --bin kvist`, or set KVIST_BIN";

fn passes(fsync: Option<Fsync>) {
    let Some(program) = Program::kvist() else {
        skip::because(NO_KVIST);
        return;
    };
    let cycles = std::env::var("KVIST_CYCLES").ok().and_then(|text| text.parse().ok());
    let settings = Settings {
        fsync,
        cycles: cycles.unwrap_or(5),
        seconds: 0.3,
        connections: 6,
        ballast: 3000,
        ..Settings::new(program, seed())
    };
    let outcome =
        cycle::run(&settings).unwrap_or_else(|error| panic!("{error}\n{}", settings.repeat()));
    assert!(outcome.violations.is_empty(), "\n{outcome}\n{}", settings.repeat());
    assert_eq!((outcome.cycles, outcome.missing.len()), (settings.cycles, 0), "{outcome}");
    assert!(outcome.units[1] > 500, "too little was done: {outcome}");
}

#[test]
fn always_keeps_everything() {
    passes(Some(Fsync::Always));
}

#[test]
fn every_second_loses_no_more_than_a_second() {
    passes(Some(Fsync::EverySecond));
}

#[test]
fn a_mix_of_policies_keeps_what_each_promises() {
    passes(None);
}
