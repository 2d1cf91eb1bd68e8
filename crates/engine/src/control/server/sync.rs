//! REPLCONF, SYNC, PSYNC: one copy of the dataset for a client that asks for just that, as
//! `redis-cli --rdb` does. A replica that would follow is refused in a way that makes it come back
//! once a second, not at once: it takes this server for one that has no master yet itself.

use std::sync::Arc;

use base::{CmdError, Flag, Property, Reply, Spec, error, num};
use wire::RespWriter;

use super::SERVER;
use crate::background::{Place, Waiting};
use crate::client::Message;
use crate::client::session::Session;
use crate::client::transfer::Transfer;
use crate::control::{Act, Control, acts, bare, worded};
use crate::engine::entry::Action;

/// The rows of these commands.
pub(super) fn rows() -> Vec<(&'static Spec, Action)> {
    acts![PSync, ReplConf, Sync]
}

/// The longest address of a replica.
const ADDRESS_MAX: usize = 255;

const NO_REPLICAS: CmdError = CmdError::new(
    "NOMASTERLINK Replication is not supported by this server, only single copies: REPLCONF \
     rdb-only 1",
);
const PENDING: CmdError = CmdError::new("ERR SYNC and PSYNC are invalid with pending output");
const NO_FILTER: CmdError = CmdError::new("ERR Missing rdb-filter-only values");

worded! {
    /// Learns what a client can take of SYNC.
    ReplConf,
    Spec {
        name: "replconf",
        since: "3.0.0",
        summary: "Says what the connection can take of SYNC.",
        complexity: "O(1)",
        grammar: "",
        arity: -1,
        flags: &[
            Flag::Admin,
            Flag::NoScript,
            Flag::Loading,
            Flag::Stale,
            Flag::AllowBusy,
            Flag::SysCmd,
        ],
        behaviour: SERVER.behaviour.properties(&[Property::OfSession]),
        ..SERVER
    },
    |control, words, out| {
        if words.len() % 2 == 1 {
            return Err(error::SYNTAX);
        }
        for pair in words.chunks_exact(2) {
            let &[option, value] = pair else { continue };
            if !configure(control.session, option, value)? {
                return Ok(());
            }
        }
        out.ok();
        Ok(())
    }
}

/// Takes one option in. `false` if nothing is replied to it.
fn configure(session: &mut Session, option: &[u8], value: &[u8]) -> Result<bool, CmdError> {
    let replica = &mut session.replica;
    let is = |name: &[u8]| option.eq_ignore_ascii_case(name);
    if is(b"listening-port") {
        num::parse_i64(value).ok_or(error::NOT_INTEGER)?;
    } else if is(b"ip-address") {
        if value.len() > ADDRESS_MAX {
            return Err(CmdError::owned(format!(
                "ERR REPLCONF ip-address provided by replica instance is too long: {} bytes",
                value.len()
            )));
        }
    } else if is(b"capa") {
        replica.takes_marks |= value.eq_ignore_ascii_case(b"eof");
    } else if is(b"ack") || is(b"getack") {
        return Ok(false);
    } else if is(b"rdb-only") {
        replica.rdb_only = match num::parse_i64(value).ok_or(error::NOT_INTEGER)? {
            0 => false,
            1 => true,
            _ => {
                let text = "ERR value is out of range, value must between 0 and 1";
                return Err(CmdError::new(text));
            }
        };
    } else if is(b"rdb-filter-only") {
        let wanted = wire::split_line(value).ok_or(NO_FILTER)?;
        if let Some(other) = wanted.iter().find(|word| !word.eq_ignore_ascii_case(b"functions")) {
            return Err(CmdError::quoting("ERR Unsupported rdb-filter-only option: ", other, ""));
        }
        replica.no_data = true;
    } else {
        return Err(CmdError::quoting("ERR Unrecognized REPLCONF option: ", option, ""));
    }
    Ok(true)
}

bare! {
    /// Sends a copy of the dataset and closes the connection.
    Sync,
    Spec {
        name: "sync",
        summary: "Sends a copy of the dataset, as an RDB file, and closes the connection.",
        complexity: "",
        flags: FLAGS,
        behaviour: SERVER.behaviour.properties(&[Property::OfSession, Property::Streams]),
        ..SERVER
    }
}

const FLAGS: &[Flag] = &[Flag::Admin, Flag::NoScript, Flag::NoAsyncLoading, Flag::NoMulti];

impl Act for Sync<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        begin(control, out, Vec::new())
    }
}

worded! {
    /// As SYNC, behind a line that names the copy.
    PSync,
    Spec {
        name: "psync",
        since: "2.8.0",
        summary: "Sends a copy of the dataset, as SYNC does, behind a line that names it.",
        complexity: "",
        grammar: "replicationid:string offset:integer",
        arity: -3,
        flags: FLAGS,
        behaviour: SERVER.behaviour.properties(&[Property::OfSession, Property::Streams]),
        ..SERVER
    },
    |control, words, out| {
        let offset = words.get(1).copied().unwrap_or_default();
        num::parse_i64(offset).ok_or(error::NOT_INTEGER)?;
        let greeting = format!("+FULLRESYNC {} 0\r\n", control.engine.run.id);
        begin(control, out, greeting.into_bytes())
    }
}

fn begin(
    control: &mut Control<'_>,
    out: &mut RespWriter<'_>,
    greeting: Vec<u8>,
) -> Result<(), CmdError> {
    let Control { engine, session, .. } = control;
    if !session.replica.rdb_only {
        return Err(NO_REPLICAS);
    }
    if !out.raw().is_empty() {
        return Err(PENDING);
    }
    let engine = engine.me().ok_or(error::INTERNAL)?;
    if engine.store.locks.is_obstructed() && !session.replica.no_data {
        return Err(engine.busy());
    }
    let (marked, no_data) = (session.replica.takes_marks, session.replica.no_data);
    let place = Place::take(&engine.background, session)?;
    let (ticket, place) = Waiting::begin(&engine.waits.blocked, place, session).hand_over();
    let make = Box::new(move || match no_data {
        true => engine.rdb_of_libraries(),
        false => engine.rdb_of_now(),
    });
    let transfer = Arc::new(Transfer { ticket, greeting, marked, make, _place: place.map(hold) });
    session.client.mailbox.post(session.client.id, Message::Transfer(transfer));
    Ok(())
}

/// The place, for who only has to keep it.
fn hold(place: Place) -> Box<dyn std::any::Any + Send + std::marker::Sync> {
    Box::new(place)
}
