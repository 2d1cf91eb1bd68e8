//! The tester tested: two `redis-server`s must agree, and where they are made to differ it must be
//! seen, shrunk and named.

use std::time::Duration;

use kvist_differential::command::{Command, Step};
use kvist_differential::families;
use kvist_differential::known::Known;
use kvist_differential::pair::Pair;
use kvist_differential::report::Report;
use kvist_differential::session::{self, Settings};
use testkit::seed::seed;
use testkit::server::Program;
use testkit::skip;

fn redis(extra: &[&str]) -> Option<Program> {
    let Some(mut program) = Program::redis() else {
        skip::without("redis-server", "redis-server", "compare with it");
        return None;
    };
    program.extra = extra.iter().map(|word| (*word).to_owned()).collect();
    Some(program)
}

fn run(family: &str, steps: usize, tested: Program, known: &str) -> Report {
    let settings = Settings {
        programs: [redis(&[]).expect("found before"), tested],
        seed: seed(),
        steps,
        protocol: 3,
        most: 5,
        known: Known::parse(known).expect("well formed"),
    };
    let family = families::named(family).expect("a family");
    session::run(family, &settings).expect("both start")
}

#[test]
fn equal_servers_agree() {
    for family in families::ALL {
        let Some(twin) = redis(&[]) else { return };
        let report = run(family.name, 2500, twin, "");
        assert!(report.clean(), "\n{report}");
        assert!(report.steps >= 2500 && report.comparisons > 5);
    }
}

#[test]
fn another_encoding_is_found_and_shrunk_to_one_command() {
    let Some(tested) = redis(&["--hash-max-listpack-entries", "3"]) else { return };
    let report = run("hashes", 2000, tested, "");
    let wanted = "encoding of a hash: listpack / hashtable";
    let group = report.groups.iter().find(|group| group.kind == wanted).expect("not found");
    assert!(group.repeats, "\n{report}");
    assert!(group.steps.len() <= 6, "\n{report}");
}

#[test]
fn an_accepted_difference_is_counted_but_passes() {
    let Some(tested) = redis(&["--hash-max-listpack-entries", "3"]) else { return };
    let known = "* | encoding of a hash: * | this test\nOBJECT ENCODING | other * | this test";
    let report = run("hashes", 2000, tested, known);
    assert!(report.clean(), "\n{report}");
    assert!(report.accepted > 0);
}

#[test]
fn an_unknown_command_is_named_and_not_sent_again() {
    let Some(tested) = redis(&["--rename-command", "LPOS", "", "--rename-command", "LMOVE", ""])
    else {
        return;
    };
    let report = run("lists", 2000, tested, "");
    assert!(!report.clean());
    assert_eq!(report.missing.iter().collect::<Vec<_>>(), ["LMOVE", "LPOS"]);
    // A machine under load may delay one server past a deadline: that does not repeat.
    assert!(report.groups.iter().all(|group| !group.repeats), "\n{report}");
}

#[test]
fn a_server_that_ends_is_noticed_and_started_again() {
    let Some(oracle) = redis(&["--rename-command", "SHUTDOWN", ""]) else { return };
    let Some(tested) = redis(&[]) else { return };
    let mut pair = Pair::start([&oracle, &tested], 2, Duration::from_secs(2)).unwrap();
    let send = |words: &[&str]| Step::Send(Command::words(words));
    let findings = pair.run(&[send(&["PING"]), send(&["SHUTDOWN", "NOSAVE"]), send(&["PING"])]);
    let [finding] = &findings[..] else { panic!("{findings:?}") };
    assert_eq!((finding.kind.as_str(), finding.lost), ("connection closed", true));
    assert!(pair.obituary().is_some());
    pair.reset().unwrap();
    assert!(pair.run(&[send(&["PING"])]).is_empty());
}
