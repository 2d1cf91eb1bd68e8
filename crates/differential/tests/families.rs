//! Every family of commands against `redis-server`, in both protocols.
//!
//! `KVIST_STEPS` sets how many steps each family and protocol gets (default 12000), `KVIST_SEED`
//! repeats a run, `KVIST_BIN` names the server under test. Without `redis-server` or without a
//! built `kvist` a test says so in one line and passes.

use kvist_differential::exchange;
use kvist_differential::families::{self, WIRE};
use kvist_differential::known::Known;
use kvist_differential::session::{self, Settings};
use testkit::seed::setting;
use testkit::server::Program;
use testkit::skip;

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
        seed: setting("KVIST_SEED", SEED),
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

/// A test for each family there is, so that they run side by side.
macro_rules! test {
    ($family:ident) => {
        #[test]
        fn $family() {
            family(stringify!($family));
        }
    };
}

kvist_differential::for_each_family!(test);

#[test]
fn wire() {
    let Some(settings) = settings(2) else { return };
    let report = exchange::run(&settings, settings.steps / 20);
    assert!(report.clean(), "\n{report}");
    assert!(report.heading.starts_with(WIRE));
}
