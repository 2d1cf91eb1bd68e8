//! RING.GATE: holds queries up where a test wants them, by names. An open gate is none.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use base::{
    Args, Behaviour, CmdError, Command, Effect, Group, Locks, Pace, Reply, Run, Spec, error,
};

/// Opens or closes a gate, or tells how many queries have come to it.
pub(super) struct Gate<'a> {
    what: &'a [u8],
    name: &'a [u8],
}

/// What a gate does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Way {
    #[default]
    Open,
    /// Queries wait here.
    Closed,
    /// They fail.
    Fails,
    /// They panic.
    Breaks,
    /// They pass, and fail when a part of their reply is written.
    FailsLater,
}

#[derive(Default)]
struct State {
    way: Way,
    entered: i64,
}

static GATES: Mutex<BTreeMap<Vec<u8>, State>> = Mutex::new(BTreeMap::new());
static MOVED: Condvar = Condvar::new();

fn gates() -> MutexGuard<'static, BTreeMap<Vec<u8>, State>> {
    GATES.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a> Command<'a> for Gate<'a> {
    const SPEC: Spec = Spec {
        name: "ring.gate",
        group: Group::Generic,
        since: "1.0.0",
        summary: "Holds queries up, for tests.",
        complexity: "O(1)",
        grammar: "what=(OPEN | CLOSE | FAIL | BREAK | LATER | ENTERED) gate:string",
        behaviour: Behaviour::NEW.locks(|_| Locks::Nothing),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(Gate { what: args.next()?, name: args.next()? })
    }
}

impl<H> Run<H> for Gate<'_> {
    fn run(self, _: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let mut gates = gates();
        let gate = gates.entry(self.name.to_vec()).or_default();
        gate.way = match self.what.to_ascii_lowercase().as_slice() {
            b"open" => Way::Open,
            b"close" => Way::Closed,
            b"fail" => Way::Fails,
            b"break" => Way::Breaks,
            b"later" => Way::FailsLater,
            b"entered" => {
                out.int(gate.entered);
                return Ok(Effect::None);
            }
            _ => return Err(error::SYNTAX),
        };
        MOVED.notify_all();
        out.ok();
        Ok(Effect::None)
    }
}

/// Passes a gate, when it opens. The query holds the gate's name.
///
/// # Errors
/// What the query is told meanwhile, or the gate fails it.
pub(super) fn pass(name: &[u8], pace: &mut dyn Pace, out: &dyn Reply) -> Result<(), CmdError> {
    gates().entry(name.to_vec()).or_default().entered += 1;
    loop {
        let waiting = gates();
        match waiting.get(name).map_or(Way::Open, |gate| gate.way) {
            Way::Open | Way::FailsLater => return Ok(()),
            Way::Fails => return Err(CmdError::new("ERR the gate fails it")),
            Way::Breaks => {
                drop(waiting);
                panic!("a gate breaks what passes");
            }
            Way::Closed => drop(MOVED.wait_timeout(waiting, Duration::from_millis(1))),
        }
        pace.go_on(out, name.len())?;
    }
}

/// Passes it once more, in the middle of the reply.
///
/// # Errors
/// The gate fails it now.
pub(super) fn pass_again(name: &[u8]) -> Result<(), CmdError> {
    match gates().get(name).map_or(Way::Open, |gate| gate.way) {
        Way::FailsLater => Err(CmdError::new("ERR the gate fails it later")),
        _ => Ok(()),
    }
}
