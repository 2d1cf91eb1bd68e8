//! SLOWLOG.

use base::{Args, CmdError, Command, Flag, Reply, Spec, num};
use wire::RespWriter;

use super::SERVER;
use crate::control::help::{HELP, help};
use crate::control::{Act, Control, acts, bare, container, misused};
use crate::engine::entry::Action;

static CONTAINER: Spec = Spec {
    name: "slowlog",
    since: "2.2.12",
    summary: "Tells of requests that took long.",
    complexity: "Depends on subcommand.",
    flags: &[],
    ..SERVER
};

const SLOWLOG: Spec =
    Spec { since: "2.2.12", flags: &[Flag::Admin, Flag::Loading, Flag::Stale], ..SERVER };

help! {
    /// SLOWLOG HELP.
    SlowlogHelp,
    Spec { name: "slowlog|help", group: SERVER.group, since: "6.2.0", ..HELP }
}

/// The rows of this family.
pub(super) fn rows() -> Vec<(&'static Spec, Action)> {
    let mut rows = acts![SlowlogGet, SlowlogHelp, SlowlogLen, SlowlogReset];
    rows.push(container(&CONTAINER));
    rows
}

/// Lists slow requests.
pub struct SlowlogGet {
    count: usize,
}

impl<'a> Command<'a> for SlowlogGet {
    const SPEC: Spec = Spec {
        name: "slowlog|get",
        summary: "Lists the newest slow requests.",
        complexity: "O(N) in the number of entries listed",
        grammar: "[count:integer]",
        tips: &["request_policy:all_nodes", "nondeterministic_output"],
        history: &[("4.0.0", "Address and name of the client in the reply.")],
        ..SLOWLOG
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let count = match args.take() {
            None => Some(10),
            Some(_) if args.left() > 0 => return Err(misused(args.argv())),
            Some(text) => num::parse_i64(text),
        };
        match count {
            Some(-1) => Ok(SlowlogGet { count: usize::MAX }),
            Some(count @ 0..) => {
                Ok(SlowlogGet { count: usize::try_from(count).unwrap_or(usize::MAX) })
            }
            _ => Err(CmdError::new("ERR count should be greater than or equal to -1")),
        }
    }
}

impl Act for SlowlogGet {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let slow = control.engine.metrics.slowlog.newest(self.count);
        out.array(slow.len());
        for entry in slow {
            out.array(6);
            out.int(i64::try_from(entry.id).unwrap_or(i64::MAX));
            out.int(i64::try_from(entry.at / 1000).unwrap_or(i64::MAX));
            out.int(i64::try_from(entry.took.as_micros()).unwrap_or(i64::MAX));
            out.array(entry.words.len());
            for word in &entry.words {
                out.bulk(word);
            }
            out.bulk(entry.addr.as_bytes());
            out.bulk(entry.name.as_bytes());
        }
        Ok(())
    }
}

bare! {
    /// Counts what is remembered.
    SlowlogLen,
    Spec {
        name: "slowlog|len",
        summary: "Counts the slow requests that are remembered.",
        tips: &["request_policy:all_nodes", "response_policy:agg_sum", "nondeterministic_output"],
        ..SLOWLOG
    }
}

impl Act for SlowlogLen<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        out.count(control.engine.metrics.slowlog.len());
        Ok(())
    }
}

bare! {
    /// Forgets all.
    SlowlogReset,
    Spec {
        name: "slowlog|reset",
        summary: "Forgets all slow requests.",
        complexity: "O(N) in the number of entries",
        tips: &["request_policy:all_nodes", "response_policy:all_succeeded"],
        ..SLOWLOG
    }
}

impl Act for SlowlogReset<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        control.engine.metrics.slowlog.clear();
        out.ok();
        Ok(())
    }
}
