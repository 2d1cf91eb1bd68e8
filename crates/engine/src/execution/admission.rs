//! What a request demands of the server, and whether the server can grant that now.
//!
//! One question for all ways in: plain requests, `EXEC` for everything that it has queued, scripts
//! and what they call. Commands are asked when they are queued and `EXEC` is asked again, as the
//! disk or the memory may be full by then.

use base::{CmdError, Flag, Property, error};

use super::script_flags;
use crate::client::demands::Demands;
use crate::engine::Engine;
use crate::engine::entry::Entry;
use crate::engine::worker::WorkerContext;

impl Demands {
    /// Those of a request. A script's are what it says of itself, if it does.
    pub fn of(engine: &Engine, entry: &Entry, argv: &[&[u8]]) -> Self {
        let mut demands = Demands::of_command(entry);
        if let Some(flags) = script_flags::flags_of(engine, entry, argv) {
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
            (entry.is(Property::RefusedOnDiskError), Demands::ASKS_DISK),
        ];
        let given = given.into_iter().filter(|(given, _)| *given);
        given.fold(Demands::default(), |all, (_, one)| all | one)
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
            engine.durability.loaded()?;
        }
        if demands.any(Demands::WRITES | Demands::ASKS_DISK) {
            let trouble = engine.trouble(&self.config, self.troubled);
            return trouble.map_or(Ok(()), Err);
        }
        Ok(())
    }
}
