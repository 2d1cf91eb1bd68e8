//! LATENCY. Spikes are not sampled and no histograms are kept: the answers are those of a server
//! on which nothing has been recorded, and `DOCTOR` says so.

use base::{Args, CmdError, Command, Reply, Spec};
use wire::RespWriter;

use super::{ADMIN, SERVER};
use crate::control::help::{HELP, help};
use crate::control::{Act, Control, acts, bare, container};
use crate::table::Action;

static CONTAINER: Spec = Spec {
    name: "latency",
    since: "2.8.13",
    summary: "Tells of pauses.",
    complexity: "Depends on subcommand.",
    flags: &[],
    ..SERVER
};

const LATENCY: Spec = Spec {
    since: "2.8.13",
    flags: ADMIN,
    tips: &["nondeterministic_output", "request_policy:all_nodes", "response_policy:special"],
    ..SERVER
};

help! {
    /// LATENCY HELP.
    LatencyHelp,
    Spec { name: "latency|help", group: SERVER.group, since: "2.8.13", ..HELP }
}

/// The rows of this family.
pub(super) fn rows() -> Vec<(&'static Spec, Action)> {
    let mut rows = acts![
        LatencyDoctor,
        LatencyGraph,
        LatencyHelp,
        LatencyHistogram,
        LatencyHistory,
        LatencyLatest,
        LatencyReset,
    ];
    rows.push(container(&CONTAINER));
    rows
}

bare! {
    /// Lists the latest spike of every event: none.
    LatencyLatest,
    Spec {
        name: "latency|latest",
        summary: "Lists the latest pause of every kind.",
        ..LATENCY
    }
}

impl Act for LatencyLatest<'_> {
    fn act(self, _: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        out.array(0);
        Ok(())
    }
}

bare! {
    /// Explains what was recorded.
    LatencyDoctor,
    Spec {
        name: "latency|doctor",
        summary: "Explains the pauses that were recorded.",
        ..LATENCY
    }
}

impl Act for LatencyDoctor<'_> {
    fn act(self, _: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let text = "This server records no pauses. SLOWLOG GET shows requests that took long, \
                    and INFO commandstats how long commands take on average.\n";
        out.verbatim("txt", text.as_bytes());
        Ok(())
    }
}

/// Declares a subcommand about named events.
macro_rules! about_events {
    ($(#[$doc:meta])* $name:ident, $spec:expr, $answer:expr) => {
        $(#[$doc])*
        pub struct $name<'a> {
            events: &'a [&'a [u8]],
        }

        impl<'a> Command<'a> for $name<'a> {
            const SPEC: Spec = $spec;

            fn parse(args: Args<'a>) -> Result<Self, CmdError> {
                Ok($name { events: args.rest() })
            }
        }

        impl Act for $name<'_> {
            fn act(self, _: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
                let answer: fn(&[&[u8]], &mut RespWriter<'_>) -> Result<(), CmdError> = $answer;
                answer(self.events, out)
            }
        }
    };
}

about_events! {
    /// Lists the samples of an event: none.
    LatencyHistory,
    Spec {
        name: "latency|history",
        summary: "Lists the recorded pauses of one kind.",
        grammar: "event:string",
        ..LATENCY
    },
    |_, out| {
        out.array(0);
        Ok(())
    }
}

about_events! {
    /// Draws the samples of an event: there are none.
    LatencyGraph,
    Spec {
        name: "latency|graph",
        summary: "Draws the recorded pauses of one kind.",
        grammar: "event:string",
        ..LATENCY
    },
    |events, _| {
        let event = String::from_utf8_lossy(events.first().copied().unwrap_or_default());
        Err(CmdError::owned(format!("ERR No samples available for event '{event}'")))
    }
}

about_events! {
    /// Forgets samples; how many events had any.
    LatencyReset,
    Spec {
        name: "latency|reset",
        summary: "Forgets recorded pauses.",
        grammar: "[event:string...]",
        tips: &["request_policy:all_nodes", "response_policy:all_succeeded"],
        ..LATENCY
    },
    |_, out| {
        out.int(0);
        Ok(())
    }
}

about_events! {
    /// Shows how long commands take: nothing is kept.
    LatencyHistogram,
    Spec {
        name: "latency|histogram",
        since: "7.0.0",
        summary: "Shows how long commands take, by powers of two.",
        complexity: "O(N) in the number of commands shown",
        grammar: "[command:string...]",
        ..LATENCY
    },
    |_, out| {
        out.map(0);
        Ok(())
    }
}
