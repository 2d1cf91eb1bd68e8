//! What bends the server: DEBUG SLEEP, LOG, SET-ACTIVE-EXPIRE, and the switches for parts of Redis
//! that this server does not have, which are accepted and change nothing.

use std::sync::atomic::Ordering;
use std::time::Duration;

use base::{CmdError, Reply, error, glob, num};
use store::Scope;
use wire::RespWriter;

use super::{Subcommand, holding};
use crate::control::{Control, misused};
use crate::engine::context::Done;
use crate::engine::without_number;

pub(super) const LIST: &[Subcommand] = &[
    Subcommand {
        name: "SLEEP",
        arguments: "<seconds>",
        help: &["Hold every key for so many seconds, decimals allowed: no command on data runs."],
        words: (1, 1),
        run: sleep,
    },
    Subcommand {
        name: "LOG",
        arguments: "<message>",
        help: &["Write <message> to the log."],
        words: (1, 1),
        run: |_, words, out| {
            tracing::warn!("DEBUG LOG: {}", String::from_utf8_lossy(words[0]));
            out.ok();
            Ok(())
        },
    },
    Subcommand {
        name: "SET-ACTIVE-EXPIRE",
        arguments: "<0|1>",
        help: &["Whether overdue keys are deleted that are not asked for. 1 is the default."],
        words: (1, 1),
        run: |control, words, out| {
            control.engine.run.active_expire.store(truth(words[0]), Ordering::Relaxed);
            out.ok();
            Ok(())
        },
    },
    Subcommand {
        name: "STRINGMATCH-LEN",
        arguments: "<pattern> <string>",
        help: &["Whether <string> matches the glob <pattern>, as KEYS would match it."],
        words: (2, 2),
        run: |_, words, out| {
            out.int(i64::from(glob::matches(words[0], words[1])));
            Ok(())
        },
    },
    Subcommand {
        name: "STRINGMATCH-TEST",
        arguments: "",
        help: &["Match many random texts with random patterns: the server must live on."],
        words: (0, 0),
        run: match_at_random,
    },
    Subcommand {
        name: "PAUSE-CRON",
        arguments: "<0|1>",
        help: &["Whether the background work rests: expiry, eviction, freeing, statistics."],
        words: (1, 1),
        run: |control, words, out| {
            control.engine.run.at_rest.store(truth(words[0]), Ordering::Relaxed);
            out.ok();
            Ok(())
        },
    },
    Subcommand {
        name: "CONFIG-REWRITE-FORCE-ALL",
        arguments: "",
        help: &["As CONFIG REWRITE, with a line for every setting, also for those at a default."],
        words: (0, 0),
        run: rewrite_in_full,
    },
    Subcommand {
        name: "STRUCTSIZE",
        arguments: "",
        help: &["The bits of an address."],
        words: (0, 0),
        run: |_, _, out| {
            out.simple(&format!("bits:{}", usize::BITS));
            Ok(())
        },
    },
    Subcommand {
        name: "CLIENT-EVICTION",
        arguments: "",
        help: &["An error while maxmemory-clients is 0. No classes of clients are kept to show."],
        words: (0, 0),
        run: client_eviction,
    },
    Subcommand {
        name: "SET-SKIP-CHECKSUM-VALIDATION",
        arguments: "<0>",
        help: &["Nothing: what RESTORE is given is always checked. Other values are refused."],
        words: (1, 1),
        run: only_off,
    },
    Subcommand {
        name: "AOF-FLUSH-SLEEP",
        arguments: "<0>",
        help: &["Nothing: writes of the journal are not slowed down. Other values are refused."],
        words: (1, 1),
        run: only_off,
    },
    Subcommand {
        name: "SET-DISABLE-DENY-SCRIPTS",
        arguments: "<0|1>",
        help: &["Whether scripts may run commands on data that wait, and a few about the server."],
        words: (1, 1),
        run: |control, words, out| {
            control.engine.scripts.run_all.store(truth(words[0]), Ordering::Relaxed);
            out.ok();
            Ok(())
        },
    },
    Subcommand {
        name: "DROP-CLUSTER-PACKET-FILTER",
        arguments: "<type>",
        help: &["Nothing: there is no cluster bus."],
        words: (1, 1),
        run: nothing,
    },
    Subcommand {
        name: "CHANGE-REPL-ID",
        arguments: "",
        help: &["Nothing: there are no replicas to tell."],
        words: (0, 0),
        run: nothing,
    },
    Subcommand {
        name: "QUICKLIST-PACKED-THRESHOLD",
        arguments: "<size>",
        help: &["Nothing: an element that is too large for a node always has one of its own."],
        words: (1, 1),
        run: packed_threshold,
    },
    Subcommand {
        name: "DICT-RESIZING",
        arguments: "<0|1>",
        help: &["Nothing: tables grow by one segment at a time."],
        words: (1, 1),
        run: nothing,
    },
    Subcommand {
        name: "REPLYBUFFER",
        arguments: "<PEAK-RESET-TIME|RESIZING> <value>",
        help: &["Nothing: buffers of replies have no fixed part."],
        words: (2, 2),
        run: reply_buffer,
    },
];

fn nothing(_: &mut Control<'_>, _: &[&[u8]], out: &mut RespWriter<'_>) -> Result<(), CmdError> {
    out.ok();
    Ok(())
}

/// Whether a word begins with a number other than zero, as C's `atoi` reads it.
fn truth(word: &[u8]) -> bool {
    let digits = word.trim_ascii_start();
    let digits = digits.strip_prefix(b"-").unwrap_or(digits);
    digits.iter().take_while(|byte| byte.is_ascii_digit()).any(|&byte| byte != b'0')
}

fn sleep(
    control: &mut Control<'_>,
    words: &[&[u8]],
    out: &mut RespWriter<'_>,
) -> Result<(), CmdError> {
    // As in Redis, what is no number is no time.
    let seconds = num::parse_f64(words[0]).unwrap_or(0.0);
    let time = Duration::try_from_secs_f64(seconds).unwrap_or_default();
    holding(control, Scope::All, |_| std::thread::sleep(time))?;
    out.ok();
    Ok(())
}

fn packed_threshold(
    _: &mut Control<'_>,
    words: &[&[u8]],
    out: &mut RespWriter<'_>,
) -> Result<(), CmdError> {
    let size = config::memory(words[0]).filter(|_| !words[0].is_empty());
    if size.is_none_or(|size| size >= 4 << 30) {
        return Err(CmdError::new(
            "ERR argument must be a memory value bigger than 1 and smaller than 4gb",
        ));
    }
    out.ok();
    Ok(())
}

fn reply_buffer(
    _: &mut Control<'_>,
    words: &[&[u8]],
    out: &mut RespWriter<'_>,
) -> Result<(), CmdError> {
    let is = |at: usize, word: &str| words[at].eq_ignore_ascii_case(word.as_bytes());
    if is(0, "PEAK-RESET-TIME") {
        if !is(1, "NEVER") && !is(1, "RESET") && num::parse_i64(words[1]).is_none() {
            return Err(error::NOT_INTEGER);
        }
    } else if !is(0, "RESIZING") {
        return Err(misused(&[b"DEBUG", b"REPLYBUFFER"]));
    }
    out.ok();
    Ok(())
}

/// Refuses to switch on what cannot be: a test that relies on it should not pass by chance.
fn only_off(
    _: &mut Control<'_>,
    words: &[&[u8]],
    out: &mut RespWriter<'_>,
) -> Result<(), CmdError> {
    if truth(words[0]) {
        return Err(CmdError::new("ERR this cannot be switched on here"));
    }
    out.ok();
    Ok(())
}

fn match_at_random(
    control: &mut Control<'_>,
    _: &[&[u8]],
    out: &mut RespWriter<'_>,
) -> Result<(), CmdError> {
    const ROUNDS: usize = 10_000;
    const LONGEST: usize = 32;
    let rng = base::Keyspace::rng(control.txn);
    let mut text = || -> Vec<u8> {
        let length = rng.below(LONGEST);
        // Half of it means something in a pattern.
        (0..length).map(|_| b"*?[]^-\\abcdefgh"[rng.below(15)]).collect()
    };
    for _ in 0..ROUNDS {
        std::hint::black_box(glob::matches(&text(), &text()));
    }
    out.simple("Apparently Kvist did not crash: test passed");
    Ok(())
}

fn rewrite_in_full(
    control: &mut Control<'_>,
    _: &[&[u8]],
    out: &mut RespWriter<'_>,
) -> Result<(), CmdError> {
    let failed = |why: &str| CmdError::owned(format!("ERR CONFIG-REWRITE-FORCE-ALL failed: {why}"));
    if control.engine.configuration.file.is_empty() {
        return Err(failed("the server is running without a config file"));
    }
    control.leave_to_background(
        out,
        0,
        Box::new(move |engine, _| {
            let written = engine.rewrite_settings(true);
            written.map(|()| Done::Ok).map_err(|error| failed(&without_number(&error)))
        }),
    )
}

fn client_eviction(
    control: &mut Control<'_>,
    _: &[&[u8]],
    out: &mut RespWriter<'_>,
) -> Result<(), CmdError> {
    let limit = control.engine.configuration.settings.lock().get(&["maxmemory-clients"]);
    if limit.iter().all(|(_, value)| value == b"0") {
        return Err(CmdError::new("ERR maxmemory-clients is disabled."));
    }
    out.simple("No classes of clients are kept.");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::truth;

    #[test]
    fn a_switch_is_read_like_a_number_of_c() {
        for (word, on) in [("1", true), ("0", false), ("x", false), (" 2", true), ("-1", true)] {
            assert_eq!(truth(word.as_bytes()), on, "{word:?}");
        }
    }
}
