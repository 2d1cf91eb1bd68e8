//! Every family of commands against `redis-server`, in both protocols.
//!
//! `KVIST_STEPS` sets how many steps each family and protocol gets (default 12000), `KVIST_SEED`
//! repeats a run, `KVIST_BIN` names the server under test. Without `redis-server` or without a
//! built `kvist` a test says so in one line and passes.

#[path = "../../base/tests/skip/mod.rs"]
mod skip;

use kvist_differential::families::{self, WIRE};
use kvist_differential::known::Known;
use kvist_differential::server::Program;
use kvist_differential::session::{self, Settings};
use kvist_differential::{cli, exchange};

/// What is said where the server has not been built.
const NO_KVIST: &str = "kvist is not built: run `cargo build --bin kvist`, or set KVIST_BIN";

fn settings(protocol: u8) -> Option<Settings> {
    let Some(oracle) = Program::redis() else {
        skip::without("redis-server", "redis-server", "compare with it");
        return None;
    };
    let Some(tested) = Program::kvist() else {
        skip::because(NO_KVIST);
        return None;
    };
    let steps = std::env::var("KVIST_STEPS").ok().and_then(|text| text.parse().ok());
    Some(Settings {
        programs: [oracle, tested],
        // The same commands every time: a build must not fail by chance. `make soak` and the
        // program itself try others.
        seed: std::env::var("KVIST_SEED").map_or(SEED, |_| cli::seed()),
        steps: steps.unwrap_or(12_000),
        protocol,
        most: 20,
        known: Known::of_the_project().expect("well formed"),
    })
}

const SEED: u64 = 20_261;

fn family(name: &str) {
    let family = families::named(name).expect("a family");
    for protocol in [2, 3] {
        let Some(settings) = settings(protocol) else { return };
        let report = session::run(family, &settings).expect("both start");
        assert!(report.clean(), "\n{report}");
    }
}

#[test]
fn strings() {
    family("strings");
}

#[test]
fn keys() {
    family("keys");
}

#[test]
fn hashes() {
    family("hashes");
}

#[test]
fn lists() {
    family("lists");
}

#[test]
fn sets() {
    family("sets");
}

#[test]
fn streams() {
    family("streams");
}

#[test]
fn zsets() {
    family("zsets");
}

#[test]
fn transactions() {
    family("transactions");
}

#[test]
fn bitmaps() {
    family("bitmaps");
}

#[test]
fn hyperloglog() {
    family("hyperloglog");
}

#[test]
fn geo() {
    family("geo");
}

#[test]
fn connection() {
    family("connection");
}

#[test]
fn wire() {
    let Some(settings) = settings(2) else { return };
    let report = exchange::run(&settings, settings.steps / 20);
    assert!(report.clean(), "\n{report}");
    assert!(report.heading.starts_with(WIRE));
}

/// A family that is added to the program is added here: each has a test of its own, so that they
/// run side by side.
#[test]
fn every_family_has_its_test() {
    let here = include_str!("families.rs");
    for family in families::ALL {
        assert!(here.contains(&format!("family(\"{}\")", family.name)), "{}", family.name);
    }
}
