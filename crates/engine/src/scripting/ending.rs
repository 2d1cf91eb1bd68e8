//! How a script is seen by others once it takes long, and how it is ended.

use std::sync::atomic::{AtomicBool, Ordering};

use super::caller::{Caller, Clock};
use crate::scripts::{LONG, Registered, RunKind, Running};

/// Why a script was ended from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// It had written nothing.
    Unwritten,
    /// What it has written can be undone.
    Undone,
    /// What it has written cannot be undone, and the engine ends.
    BrokenOff,
}

impl<'c> Caller<'c> {
    /// It is not among those that run any more.
    pub fn leave(&mut self) {
        self.running = None;
    }

    /// Lets others know that it takes long, once it does. Whether it was killed.
    pub(super) fn look_at_clock(&mut self) -> bool {
        let (took, threshold) =
            (self.clock.started.elapsed(), self.context.config.scripts.busy_after);
        let overdue = threshold.is_some_and(|limit| took >= limit);
        let running = self.show();
        let killed = running.killed.load(Ordering::Acquire);
        if overdue && running.is_overdue_now() {
            let script = running.name.clone();
            self.txn.held.obstruct();
            // Told when it is so: what reads the line and then asks is not kept waiting.
            tracing::warn!(script, "a script has run for longer than busy-reply-threshold");
        }
        if overdue || took >= LONG {
            self.context.overran = true;
            (self.context.threads.hand_over)(overdue);
        }
        killed
    }

    /// Whether it is to end, `killed` if others have asked for that.
    pub(super) fn must_end(&self, killed: bool) -> Option<Ended> {
        let stops = self.engine.run.stopping.load(Ordering::Acquire);
        let cancelled = self.session.is_cancelled();
        if !self.wrote {
            return (killed || stops || cancelled).then_some(Ended::Unwritten);
        }
        // The journal must have all of it or nothing. It has its time to get to its end, unless its
        // client does not want that any more.
        let ends = self.engine.scripts.runs.are_ending() || (stops && cancelled);
        match self.mode.wide {
            // One that holds every shard remembers nothing.
            true => ends.then_some(Ended::BrokenOff),
            false => (ends || cancelled).then_some(Ended::Undone),
        }
    }

    /// Whether it is to begin anew where it may take its time. One that holds every shard is there
    /// from its start.
    pub(super) fn is_late(&self) -> bool {
        self.session.terms.leaves_long && !self.mode.wide && self.clock.started.elapsed() >= LONG
    }

    /// Makes it visible to others.
    fn show(&mut self) -> &Registered<'c> {
        let Caller { engine, name, wrote, mode, clock: Clock { started, .. }, running, .. } = self;
        running.get_or_insert_with(|| {
            let (name, command) = name();
            engine.scripts.runs.add(Running {
                number: engine.waits.blocked.number(),
                kind: if mode.function { RunKind::Function } else { RunKind::Script },
                name,
                command,
                since: *started,
                wrote: AtomicBool::new(*wrote),
                overdue: AtomicBool::new(false),
                killed: AtomicBool::new(false),
            })
        })
    }
}
