//! Compares everything two servers hold: keys, types, encodings, expiries, contents.
//!
//! Replies alone would miss a wrong write that is not read. Only databases the generators select
//! are looked at. The comparison reads; it must not change anything but what any read does
//! (removing keys that have expired).

use std::collections::BTreeSet;
use std::io;

use crate::clocks;
use crate::command::{Command, escaped};
use crate::connection::Connection;
use crate::pair::cut;
use crate::resp::{Reply, Value};
use crate::rules::{near, surplus};

/// A difference in the data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The database.
    pub database: u8,
    /// The key.
    pub key: Vec<u8>,
    /// What differs, fit to group by.
    pub kind: String,
    /// What each server holds.
    pub found: [String; 2],
}

const DATABASES: [u8; 4] = [0, 1, 2, 15];

/// Compares the data behind two connections (which are left in another database).
///
/// # Errors
/// When a server does not answer.
pub fn compare(connections: &mut [Connection; 2], slack: i64) -> io::Result<Vec<Mismatch>> {
    let mut mismatches = Vec::new();
    let listing: Vec<Command> = DATABASES
        .iter()
        .flat_map(|db| {
            [Command::words(&["SELECT", &db.to_string()]), Command::words(&["KEYS", "*"])]
        })
        .collect();
    let lists = both(connections, &listing)?;
    for (at, database) in DATABASES.iter().enumerate() {
        let [a, b] = [&lists[0][2 * at], &lists[1][2 * at]];
        if a.raw != b.raw {
            // SELECT itself is compared elsewhere; here its difference would be met at every turn.
            continue;
        }
        let names = |replies: &[Reply]| -> BTreeSet<Vec<u8>> {
            replies[2 * at + 1].value.leaves().into_iter().collect()
        };
        let keys: Vec<Vec<u8>> = names(&lists[0]).union(&names(&lists[1])).cloned().collect();
        if !keys.is_empty() {
            compare_database(connections, *database, &keys, slack, &mut mismatches)?;
        }
    }
    Ok(mismatches)
}

fn both(connections: &mut [Connection; 2], commands: &[Command]) -> io::Result<[Vec<Reply>; 2]> {
    let [a, b] = connections;
    Ok([a.ask_all(commands)?, b.ask_all(commands)?])
}

fn on(key: &[u8], before: &[&str], after: &[&str]) -> Command {
    let mut args: Vec<Vec<u8>> = before.iter().map(|w| w.as_bytes().to_vec()).collect();
    args.push(key.to_vec());
    args.extend(after.iter().map(|w| w.as_bytes().to_vec()));
    Command::new(args)
}

fn compare_database(
    connections: &mut [Connection; 2],
    database: u8,
    keys: &[Vec<u8>],
    slack: i64,
    mismatches: &mut Vec<Mismatch>,
) -> io::Result<()> {
    let mut about = vec![Command::words(&["SELECT", &database.to_string()])];
    for key in keys {
        about.push(on(key, &["TYPE"], &[]));
        about.push(on(key, &["OBJECT", "ENCODING"], &[]));
        about.push(on(key, &["PTTL"], &[]));
    }
    let about = both(connections, &about)?;
    let type_of = |side: usize, at: usize| about[side][1 + 3 * at].value.bytes().unwrap_or(b"");
    let mut contents = Vec::new();
    for (at, key) in keys.iter().enumerate() {
        contents.push(match type_of(0, at) {
            b"list" => on(key, &["LRANGE"], &["0", "-1"]),
            b"set" => on(key, &["SMEMBERS"], &[]),
            b"hash" => on(key, &["HGETALL"], &[]),
            b"stream" => on(key, &["XINFO", "STREAM"], &["FULL", "COUNT", "0"]),
            b"ReJSON-RL" => on(key, &["JSON.GET"], &[]),
            b"zset" => on(key, &["ZRANGE"], &["0", "-1", "WITHSCORES"]),
            _ => on(key, &["GET"], &[]),
        });
    }
    let contents = both(connections, &contents)?;
    for (at, key) in keys.iter().enumerate() {
        let types = [type_of(0, at), type_of(1, at)];
        let part = |offset: usize| {
            let at = 1 + 3 * at + offset;
            [&about[0][at], &about[1][at]]
        };
        let mut add = |kind: String, found: [String; 2]| {
            mismatches.push(Mismatch { database, key: key.clone(), kind, found });
        };
        let word = String::from_utf8_lossy(types[0]).into_owned();
        if types[0] != types[1] {
            add(format!("type {}", types.map(escaped).join(" / ")), types.map(escaped));
            continue;
        }
        let values = [&contents[0][at], &contents[1][at]];
        let same = match types[0] {
            b"stream" => clocks::alike(&values[0].value, &values[1].value, slack),
            kind => canonical(kind, &values[0].value) == canonical(kind, &values[1].value),
        };
        if !same {
            add(format!("content of a {word}"), contents_apart(types[0], values));
        }
        let [a, b] = part(1);
        if a.raw != b.raw {
            let both = [a, b].map(|reply| escaped(reply.value.bytes().unwrap_or(&reply.raw)));
            add(format!("encoding of a {word}: {}", both.join(" / ")), both);
        }
        let [a, b] = part(2);
        if a.raw != b.raw && !near(&a.value, &b.value, slack) {
            add("expiry (PTTL)".to_owned(), cut([&a.raw, &b.raw]));
        }
    }
    Ok(())
}

fn contents_apart(kind: &[u8], replies: [&Reply; 2]) -> [String; 2] {
    let [a, b] = replies;
    match kind {
        b"set" => [surplus(&a.value, &b.value, 1), surplus(&b.value, &a.value, 1)],
        b"hash" => [surplus(&a.value, &b.value, 2), surplus(&b.value, &a.value, 2)],
        _ => cut([&a.raw, &b.raw]),
    }
}

/// Contents with the order taken out where the type has none.
fn canonical(kind: &[u8], value: &Value) -> Vec<Vec<Value>> {
    let width = if kind == b"hash" { 2 } else { 1 };
    let Some(items) = value.items() else { return vec![vec![value.clone()]] };
    let mut all: Vec<Vec<Value>> = items.chunks(width).map(<[Value]>::to_vec).collect();
    if kind == b"set" || kind == b"hash" {
        all.sort_unstable();
    }
    all
}
