//! Makes almost-valid commands out of valid ones, and keeps back those that must not be sent.
//!
//! Almost-valid commands are where error texts and the order of checks show. Kept back is only what
//! would stop the run or answer by luck: endless blocking, gigabyte strings, expiries within the
//! run.

use crate::command::Command;
use crate::pools::{FLOATS, INTS, far_off};
use crate::rng::Rng;

const UNKNOWN: [&str; 24] = [
    "FOO",
    "NX",
    "XX",
    "GT",
    "LT",
    "CH",
    "INCR",
    "GET",
    "EX",
    "PX",
    "KEEPTTL",
    "LIMIT",
    "WITHSCORES",
    "WITHVALUES",
    "COUNT",
    "REV",
    "BYSCORE",
    "BYLEX",
    "STORE",
    "LEFT",
    "REPLACE",
    "DB",
    "",
    "*",
];

/// Changes one thing about a command.
pub fn mutate(args: &mut Vec<Vec<u8>>, rng: &mut Rng) {
    let count = args.len();
    if count < 2 {
        args.push(rng.pick(&UNKNOWN).as_bytes().to_vec());
        return;
    }
    let at = 1 + rng.below(count - 1);
    match rng.below(10) {
        0..2 => {
            args.remove(at);
        }
        2 => args.truncate(at.max(1)),
        3 => args.push(rng.pick(&UNKNOWN).as_bytes().to_vec()),
        4 => {
            let again = args[at].clone();
            let place = 1 + rng.below(count);
            args.insert(place, again);
        }
        5 => args[at] = rng.pick(&INTS).as_bytes().to_vec(),
        6 => args[at] = rng.pick(&FLOATS).as_bytes().to_vec(),
        7 => {
            let other = 1 + rng.below(count - 1);
            args.swap(at, other);
        }
        8 => args[at] = rng.pick(&UNKNOWN).as_bytes().to_vec(),
        _ => {
            for arg in args.iter_mut().skip(1) {
                if arg.iter().all(u8::is_ascii_uppercase) {
                    arg.make_ascii_lowercase();
                }
            }
        }
    }
}

/// The command's name in another case.
pub fn recase(args: &mut [Vec<u8>], rng: &mut Rng) {
    let Some(name) = args.first_mut() else { return };
    for byte in name.iter_mut() {
        if rng.chance(60) {
            byte.make_ascii_lowercase();
        }
    }
}

fn number(command: &Command, at: usize) -> Option<i64> {
    std::str::from_utf8(command.args().get(at)?).ok()?.trim().parse().ok()
}

/// Why a command must not be sent, if it must not.
#[must_use]
pub fn kept_back(command: &Command) -> bool {
    let last = command.args().len().saturating_sub(1);
    match command.name().as_str() {
        "BLPOP" | "BRPOP" | "BZPOPMIN" | "BZPOPMAX" | "BRPOPLPUSH" | "BLMOVE" => {
            blocks_long(command, last)
        }
        "BLMPOP" | "BZMPOP" => blocks_long(command, 1),
        "SRANDMEMBER" | "HRANDFIELD" | "ZRANDMEMBER" => {
            number(command, 2).is_some_and(|n| n < -1000 && n != i64::MIN)
        }
        "SETRANGE" => number(command, 2).is_some_and(|n| (1000..536_870_912).contains(&n)),
        "SETBIT" => number(command, 2).is_some_and(|n| (10_000..4_294_967_296).contains(&n)),
        "BITFIELD" => (2..=last).any(|at| huge_bit(command, at)),
        "EXPIRE" | "PEXPIRE" | "SETEX" | "PSETEX" => {
            number(command, 2).is_some_and(|n| !far_off(n))
        }
        "SET" | "GETEX" | "JSON.SET" => (2..last).any(|at| {
            let word = command.upper(at);
            (word == "EX" || word == "PX") && number(command, at + 1).is_some_and(|n| !far_off(n))
        }),
        // Ties under BY … ALPHA are left in no defined order, which STORE would make permanent.
        "SORT" => command.has("STORE") && command.has("ALPHA") && command.has("BY"),
        "CLIENT" => matches!(command.upper(1).as_str(), "REPLY" | "KILL" | "PAUSE" | "TRACKING"),
        // The ids of two clocks.
        "XADD" => command.args().iter().any(|arg| arg == b"*"),
        "XREAD" | "XREADGROUP" => (1..last).any(|at| {
            command.upper(at) == "BLOCK"
                && number(command, at + 1).is_some_and(|n| n != 10 && n >= 0)
        }),
        "CONFIG" => match command.upper(1).as_str() {
            // It decides the form of a HyperLogLog, and nothing else.
            "SET" if command.upper(2) == "HLL-SPARSE-MAX-BYTES" => {
                last != 3 || number(command, 3).is_none_or(|n| !(0..100_000).contains(&n))
            }
            // What else a directive is given is tested elsewhere.
            "SET" if command.upper(2).starts_with("STREAM-NODE-") && last == 3 => {
                !number(command, 3).is_some_and(|n| (0..=4096).contains(&n))
            }
            "SET" | "REWRITE" | "RESETSTAT" => true,
            // Everything includes the port and the folder, which are each server's own.
            _ => command.args().iter().any(|arg| arg.iter().all(|byte| *byte == b'*')),
        },
        "COMMAND" => command.args().len() == 1 || command.upper(1) == "HELP" && last > 1,
        "SHUTDOWN" | "DEBUG" | "MONITOR" | "QUIT" | "SUBSCRIBE" | "PSUBSCRIBE" | "SSUBSCRIBE"
        | "SYNC" | "PSYNC" | "REPLICAOF" | "SLAVEOF" | "SAVE" | "BGSAVE" | "WAIT" => true,
        _ => false,
    }
}

fn blocks_long(command: &Command, at: usize) -> bool {
    let Some(arg) = command.args().get(at) else { return false };
    let text = String::from_utf8_lossy(arg);
    text != "0.01" && (text.starts_with("0x") || text.trim().parse::<f64>().is_ok_and(|t| t >= 0.0))
}

fn huge_bit(command: &Command, at: usize) -> bool {
    let arg = String::from_utf8_lossy(&command.args()[at]);
    let digits = arg.strip_prefix('#').unwrap_or(&arg);
    digits.parse::<i64>().is_ok_and(|n| (10_000..4_294_967_296).contains(&n))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dangerous_commands_are_kept_back() {
        for words in [
            &["blpop", "l0", "0"][..],
            &["BLPOP", "l0", "1e3"],
            &["BLMPOP", "5", "1", "l0", "LEFT"],
            &["SRANDMEMBER", "t0", "-9223372036854775807"],
            &["SETRANGE", "s0", "536870911", "x"],
            &["SET", "s0", "v", "ex", "1"],
            &["EXPIRE", "s0", "5"],
            &["SHUTDOWN"],
        ] {
            assert!(kept_back(&Command::words(words)), "{words:?}");
        }
        for words in [
            &["BLPOP", "l0", "0.01"][..],
            &["BLPOP", "l0", "abc"],
            &["SRANDMEMBER", "t0", "-9223372036854775808"],
            &["SETRANGE", "s0", "536870912", "x"],
            &["SET", "s0", "v", "EX", "0"],
        ] {
            assert!(!kept_back(&Command::words(words)), "{words:?}");
        }
    }

    #[test]
    fn a_mutation_keeps_the_name() {
        let mut rng = Rng::new(9, "");
        for _ in 0..500 {
            let mut args = vec![b"SET".to_vec(), b"k".to_vec(), b"v".to_vec(), b"NX".to_vec()];
            mutate(&mut args, &mut rng);
            assert_eq!(args[0], b"SET");
        }
    }
}
