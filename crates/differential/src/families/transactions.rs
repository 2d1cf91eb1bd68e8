//! MULTI, EXEC, DISCARD, WATCH: queues with good and bad commands inside, nested and stray forms,
//! and a second connection that disturbs watched keys.
//!
//! Each scenario ends with DISCARD, so that no transaction stays open when the run looks at the
//! data.

use super::Family;
use crate::command::{Command, Step};
use crate::families;
use crate::generator::Generator;
use crate::pools::KeyKind;

/// The family.
pub const FAMILY: Family = Family {
    name: "transactions",
    home: KeyKind::Text,
    forms: &FORMS,
    scenario: Some((35, transaction)),
};

const FORMS: [(usize, &str); 17] = [
    (6, "SET <any> <value>"),
    (2, "SET <text-key> <small>"),
    (3, "INCR <any>"),
    (3, "GET <any>"),
    (3, "RPUSH <list-key> ( <member> )+"),
    (3, "SADD <set-key> ( <member> )+"),
    (3, "ZADD <zset-key> ( <score> <member> )+"),
    (3, "HSET <hash-key> ( <field> <value> )+"),
    (4, "DEL ( <any> )+"),
    (3, "WATCH ( <any> )+"),
    (2, "UNWATCH"),
    (1, "EXEC"),
    (1, "DISCARD"),
    (2, "EXPIRE <any> <seconds>"),
    (1, "EXISTS ( <any> )+"),
    (1, "MGET ( <any> )+"),
    (1, "TYPE <any>"),
];

fn word(words: &[&str]) -> Step {
    Step::Send(Command::words(words))
}

fn transaction(generator: &mut Generator) -> Vec<Step> {
    let mut steps = Vec::new();
    if generator.rng().chance(40) {
        watch(generator, &mut steps);
    }
    let multi: &[&str] = if generator.rng().chance(4) { &["MULTI", "x"] } else { &["MULTI"] };
    steps.push(word(multi));
    for _ in 0..generator.rng().below(7) {
        let step = match generator.rng().below(30) {
            0 => word(&["MULTI"]),
            1 => word(&["WATCH", "s0"]),
            2 => word(&["UNWATCH"]),
            3 => word(&["NOSUCHCOMMAND", "a", "b"]),
            4 => word(&["GET"]),
            5 => word(&["BLPOP", "l0", "l1", "0.01"]),
            6 => word(&["DISCARD", "x"]),
            7 => word(&["EXEC", "x"]),
            8 => word(&["PING"]),
            9 => word(&["SELECT", if generator.rng().chance(50) { "0" } else { "1" }]),
            _ => {
                let family = some_family(generator);
                generator.step_of(family)
            }
        };
        if matches!(step, Step::Send(_)) {
            steps.push(step);
        }
    }
    if generator.rng().chance(15) {
        steps.push(disturb(generator));
    }
    steps.push(match generator.rng().below(12) {
        0 => word(&["DISCARD"]),
        1 => word(&["EXEC", "now"]),
        _ => word(&["EXEC"]),
    });
    steps.push(word(&["DISCARD"]));
    if generator.rng().chance(20) {
        steps.push(word(&["SELECT", "0"]));
    }
    steps
}

fn watch(generator: &mut Generator, steps: &mut Vec<Step>) {
    for _ in 0..=generator.rng().below(2) {
        let mut args = vec![b"WATCH".to_vec()];
        for _ in 0..=generator.rng().below(2) {
            args.push(format!("s{}", generator.rng().below(3)).into_bytes());
        }
        steps.push(Step::Send(Command::new(args)));
    }
    match generator.rng().below(40) {
        0..5 => steps.push(word(&["UNWATCH"])),
        5 => {
            // A key that is watched alive and expires before EXEC.
            steps.insert(0, word(&["SET", "s0", "1", "PX", "60"]));
            steps.push(Step::Pause(65));
        }
        6..11 => steps.push(word(&["SET", "s1", "own"])),
        _ => {}
    }
    if generator.rng().chance(60) {
        steps.push(disturb(generator));
    }
}

/// What the second connection does meanwhile: writes, writes that change nothing, reads.
fn disturb(generator: &mut Generator) -> Step {
    let words: &[&str] = match generator.rng().below(11) {
        0 => &["SET", "s0", "other"],
        1 => &["DEL", "s0", "s1"],
        2 => &["GET", "s0"],
        3 => &["APPEND", "s1", ""],
        4 => &["EXPIRE", "s0", "5000"],
        5 => &["SETNX", "s0", "x"],
        6 => &["FLUSHDB"],
        7 => &["RENAME", "s1", "s2"],
        8 => &["SWAPDB", "0", "1"],
        9 => &["SADD", "s2", "m"],
        _ => &["TOUCH", "s0"],
    };
    Step::Other(Command::words(words))
}

fn some_family(generator: &mut Generator) -> &'static str {
    let list = [
        &families::strings::FAMILY,
        &families::hashes::FAMILY,
        &families::lists::FAMILY,
        &families::sets::FAMILY,
        &families::zsets::FAMILY,
    ];
    generator.rng().pick(&list).name
}
