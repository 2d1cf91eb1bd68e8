//! `MONITOR`: every command that runs, sent to the clients that monitor.
//!
//! ```text
//!   +1700000000.123456 [0 127.0.0.1:50000] "set" "key" "a\"b"
//!    time               database, client      words, with Redis's escapes
//! ```
//!
//! A worker tells of a command right after it ran, from the thread that ran it, so the commands of
//! one client are seen in their order; those of two clients that run at the same time on two
//! threads are seen in either. As in Redis a command is told of when it runs, not when `MULTI`
//! queues it; commands for the operator are not told of, and passwords never.
//!
//! Must never: tell of a request that was refused, wait, or cost more than one load of a byte while
//! no client listens (see `notify/request_flags.rs`).

use std::io::Write;
use std::time::{SystemTime, UNIX_EPOCH};

use base::{Flag, Spec};

use crate::client::Origin;
use crate::client::session::Session;
use crate::engine::entry::Entry;
use crate::notify::monitor::Monitors;

/// Tells of a command of `session` that has just run. What the session itself is to hear, if it
/// monitors, goes to `out`: behind its reply.
#[cold]
pub(crate) fn tell(
    monitors: &Monitors,
    session: &Session,
    entry: &Entry,
    argv: &[&[u8]],
    out: &mut Vec<u8>,
) {
    if entry.has(Flag::Admin) || entry.has(Flag::SkipMonitor) {
        return;
    }
    let line = of_session(session, entry.spec, argv);
    monitors.send(&line, session.client.id);
    if session.listens.monitors {
        out.extend_from_slice(&line);
    }
}

/// What is to be shown of a command that a script runs now, if anything.
#[cold]
pub(crate) fn of_script(db: usize, entry: &Entry, argv: &[&[u8]]) -> Option<Vec<u8>> {
    let shown = !entry.has(Flag::Admin) && !entry.has(Flag::SkipMonitor);
    shown.then(|| line(now_in_micros(), db, "lua", entry.spec, argv))
}

/// Tells of a request that runs a script, before what the script does.
#[cold]
pub(crate) fn tell_before(monitors: &Monitors, session: &Session, command: &Spec, argv: &[&[u8]]) {
    monitors.send(&of_session(session, command, argv), session.client.id);
}

fn of_session(session: &Session, command: &Spec, argv: &[&[u8]]) -> Vec<u8> {
    line(now_in_micros(), session.db, &peer(&session.client.origin), command, argv)
}

fn now_in_micros() -> u64 {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// The client as Redis shows it here: a unix socket by its path.
fn peer(origin: &Origin) -> String {
    match origin.unix {
        true => format!("unix:{}", origin.addr.strip_suffix(":0").unwrap_or(&origin.addr)),
        false => origin.addr.clone(),
    }
}

/// One command as a simple string. `micros` since 1970.
fn line(micros: u64, db: usize, peer: &str, command: &Spec, argv: &[&[u8]]) -> Vec<u8> {
    let words: usize = argv.iter().map(|word| word.len() + 3).sum();
    let mut line = Vec::with_capacity(words + peer.len() + 32);
    let (seconds, rest) = (micros / 1_000_000, micros % 1_000_000);
    // Writing to memory cannot fail.
    let _ = write!(line, "+{seconds}.{rest:06} [{db} {peer}]");
    for (at, word) in argv.iter().enumerate() {
        line.push(b' ');
        quote(
            if (command.behaviour.words.secret)(argv, at) { b"(redacted)" } else { word },
            &mut line,
        );
    }
    line.extend_from_slice(b"\r\n");
    line
}

/// Appends `word` in double quotes with Redis's escapes.
fn quote(word: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    for &byte in word {
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0x07 => out.extend_from_slice(b"\\a"),
            0x08 => out.extend_from_slice(b"\\b"),
            b' '..=b'~' => out.push(byte),
            _ => {
                // Writing to memory cannot fail.
                let _ = write!(out, "\\x{byte:02x}");
            }
        }
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What redis-server 7.0.15 shows for the same words.
    #[test]
    fn lines_are_those_of_redis() {
        let words: [&[u8]; 3] = [b"SET", b"a\"b\\c\n\r\t\x07\x08\x00\xff\x7fe", b"it's \xc3\xa9"];
        let shown = line(1_795_274_980_112_780, 0, "127.0.0.1:54956", &Spec::NEW, &words);
        let expected = "+1795274980.112780 [0 127.0.0.1:54956] \"SET\" \
                        \"a\\\"b\\\\c\\n\\r\\t\\a\\b\\x00\\xff\\x7fe\" \"it's \\xc3\\xa9\"\r\n";
        assert_eq!(String::from_utf8(shown).unwrap(), expected);
    }

    #[test]
    fn passwords_are_not_shown() {
        let words: [&[u8]; 5] = [b"HELLO", b"2", b"AUTH", b"default", b"x"];
        let table = crate::command_table().unwrap();
        let hello = table.find(&words).unwrap().spec;
        let shown = String::from_utf8(line(7, 3, "unix:/s", hello, &words)).unwrap();
        let expected = "+0.000007 [3 unix:/s] \"HELLO\" \"2\" \"AUTH\" \"(redacted)\" \
                        \"(redacted)\"\r\n";
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_unix_socket_is_shown_by_its_path() {
        let origin = Origin { addr: "/run/s:0".into(), unix: true, ..Origin::default() };
        assert_eq!(peer(&origin), "unix:/run/s");
    }
}
