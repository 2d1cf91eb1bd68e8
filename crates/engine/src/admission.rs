//! What a request demands of the server, and whether the server can grant that now.
//!
//! One question for all ways in: plain requests, `EXEC` for everything that it has queued, scripts
//! and what they call. Commands are asked when they are queued and `EXEC` is asked again, as the
//! disk or the memory may be full by then.

use std::ops::BitOr;

use base::{CmdError, Flag, Property, error};

use crate::engine::Engine;
use crate::scripting;
use crate::table::Entry;
use crate::worker::WorkerContext;

/// What a request, or all of a transaction, demands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Demands(u8);

impl Demands {
    /// The dataset is there.
    const LOADED: Demands = Demands(1);
    /// What it writes can be kept.
    pub const WRITES: Demands = Demands(2);
    /// There is memory for more data.
    pub const GROWS: Demands = Demands(4);
    /// Changes are not paused: `CLIENT PAUSE WRITE`.
    const CHANGES: Demands = Demands(8);
    /// The disk is well, though it writes nothing: `PING` tells.
    const ASKS_DISK: Demands = Demands(16);

    /// Those of a request. A script's are what it says of itself, if it does.
    pub fn of(engine: &Engine, entry: &Entry, argv: &[&[u8]]) -> Self {
        let mut demands = Demands::of_command(entry);
        if let Some(flags) = scripting::flags_of(engine, entry, argv) {
            demands = demands.without(Demands::WRITES | Demands::GROWS | Demands::CHANGES);
            if !flags.no_writes {
                demands = demands | Demands::WRITES | Demands::CHANGES;
            }
            if !flags.no_writes && !flags.allow_oom {
                demands = demands | Demands::GROWS;
            }
        }
        demands
    }

    /// Those of a command whatever its arguments.
    pub fn of_command(entry: &Entry) -> Self {
        let given = [
            (!entry.has(Flag::Loading), Demands::LOADED),
            (entry.has(Flag::Write), Demands::WRITES),
            (entry.has(Flag::DenyOom), Demands::GROWS),
            (entry.has(Flag::Write) || entry.has(Flag::MayReplicate), Demands::CHANGES),
            (entry.is(Property::ReportsDisk), Demands::ASKS_DISK),
        ];
        let given = given.into_iter().filter(|(given, _)| *given);
        given.fold(Demands::default(), |all, (_, one)| all | one)
    }

    /// Those that it makes on the transaction that it is queued in.
    pub fn of_queued(self) -> Self {
        self.without(Demands::ASKS_DISK)
    }

    /// These but for those.
    pub fn without(self, others: Demands) -> Self {
        Demands(self.0 & !others.0)
    }

    fn any(self, of: Demands) -> bool {
        self.0 & of.0 != 0
    }

    /// Whether it may change the dataset, or would be told to replicas.
    pub fn may_change(self) -> bool {
        self.any(Demands::CHANGES)
    }
}

impl BitOr for Demands {
    type Output = Demands;

    fn bitor(self, other: Demands) -> Demands {
        Demands(self.0 | other.0)
    }
}

impl WorkerContext {
    /// Refuses what demands more than there is.
    ///
    /// # Errors
    /// What to answer.
    #[cold]
    pub(crate) fn grant(&self, engine: &Engine, demands: Demands) -> Result<(), CmdError> {
        if self.full && demands.any(Demands::GROWS) {
            return Err(error::OOM);
        }
        if !self.hindered {
            return Ok(());
        }
        if demands.any(Demands::LOADED) {
            engine.persistence.loaded()?;
        }
        if demands.any(Demands::WRITES | Demands::ASKS_DISK) {
            let trouble = engine.trouble(&self.config, self.troubled);
            return trouble.map_or(Ok(()), Err);
        }
        Ok(())
    }
}
