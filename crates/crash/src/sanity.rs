//! What a server that has just recovered says about itself, and whether it can still be written to.

use std::io;
use std::time::Duration;

use differential::command::Command;
use differential::connection::Connection;

use crate::workload::COMMANDS;

/// What is wrong with `INFO persistence` after a recovery.
///
/// # Errors
/// Whatever the socket gives.
pub fn persistence(port: u16) -> io::Result<Vec<String>> {
    let mut connection = Connection::open(port, Duration::from_secs(10))?;
    let reply = connection.ask(&Command::words(&["INFO", "persistence"]))?;
    let text = String::from_utf8_lossy(reply.value.bytes().unwrap_or_default()).into_owned();
    let field = |name: &str| {
        let prefix = format!("{name}:");
        text.lines().find_map(|line| line.strip_prefix(&prefix)).map(str::trim)
    };
    let mut wrong = Vec::new();
    for (name, wanted) in [
        ("loading", "0"),
        ("aof_enabled", "1"),
        ("aof_last_write_status", "ok"),
        ("aof_last_bgrewrite_status", "ok"),
        ("rdb_last_bgsave_status", "ok"),
        ("rdb_bgsave_in_progress", "0"),
    ] {
        let found = field(name).unwrap_or("missing");
        if found != wanted {
            wrong.push(format!("INFO persistence: {name} is {found}, not {wanted}"));
        }
    }
    for name in ["rdb_changes_since_last_save", "rdb_last_save_time", "aof_current_size"] {
        if field(name).and_then(|value| value.parse::<u64>().ok()).is_none() {
            wrong.push(format!("INFO persistence: {name} is no number: {:?}", field(name)));
        }
    }
    Ok(wrong)
}

/// Whether a write is accepted and read back; leaves nothing behind.
///
/// # Errors
/// Whatever the socket gives.
pub fn writes(port: u16) -> io::Result<Vec<String>> {
    let mut connection = Connection::open(port, Duration::from_secs(10))?;
    let set = connection.ask(&Command::words(&["SET", "shared:probe", "here"]))?;
    let get = connection.ask(&Command::words(&["GET", "shared:probe"]))?;
    let del = connection.ask(&Command::words(&["DEL", "shared:probe"]))?;
    let fine = set.value.is_status(b"OK")
        && get.value.bytes() == Some(b"here")
        && del.value.integer() == Some(1);
    let shown = [set.raw, get.raw, del.raw].concat();
    let text = format!("it does not take writes: {}", shown.escape_ascii());
    Ok(if fine { Vec::new() } else { vec![text] })
}

/// The commands of the workload that the server does not have.
///
/// # Errors
/// Whatever the socket gives.
pub fn missing(port: u16) -> io::Result<Vec<String>> {
    let mut connection = Connection::open(port, Duration::from_secs(10))?;
    let words = [&["COMMAND", "INFO"], COMMANDS].concat();
    let reply = connection.ask(&Command::words(&words))?.value;
    let items = reply.items().unwrap_or_default();
    let known = |at: usize| items.get(at).is_some_and(|item| item.items().is_some());
    let unknown = COMMANDS.iter().enumerate().filter(|(at, _)| !known(*at));
    Ok(unknown.map(|(_, name)| (*name).to_owned()).collect())
}
