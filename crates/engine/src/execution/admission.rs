//! What a request demands of the server, and whether the server can grant that now.
//!
//! One question for all ways in: plain requests, `EXEC` for everything that it has queued, scripts
//! and what they call. Commands are asked when they are queued and `EXEC` is asked again, as the
//! disk or the memory may be full by then. So are edits that have waited, when they begin and when
//! they are installed.

use base::{CmdError, Flag, Property, error};
use config::Config;
use store::Txn;

use super::script_flags;
use crate::client::demands::Demands;
use crate::engine::Engine;
use crate::engine::entry::Entry;
use crate::engine::worker::WorkerContext;
use crate::evict;

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
        let &WorkerContext { full, hindered, troubled, .. } = self;
        grant((engine, &self.config), Seen { full, hindered, troubled }, demands)
    }
}

/// The same for what runs behind its batch, on a thread that has none: asked of the server as it is
/// now, when room has been made as before a batch. Call without holding any shard.
///
/// # Errors
/// What to answer.
pub(crate) fn grant_now(engine: &Engine, txn: &mut Txn, demands: Demands) -> Result<(), CmdError> {
    let (config, log) = (engine.config(), engine.store.log());
    let troubled = engine.durability.is_journaling() && log.is_troubled();
    let hindered = troubled || engine.durability.hinders(log);
    let full = evict::make_room(engine, txn, &config);
    grant((engine, &config), Seen { full, hindered, troubled }, demands)
}

/// What may keep requests from running: see [`WorkerContext`].
struct Seen {
    full: bool,
    hindered: bool,
    troubled: bool,
}

fn grant(
    (engine, config): (&Engine, &Config),
    seen: Seen,
    demands: Demands,
) -> Result<(), CmdError> {
    if seen.full && demands.any(Demands::GROWS) {
        return Err(error::OOM);
    }
    if !seen.hindered {
        return Ok(());
    }
    if demands.any(Demands::LOADED) {
        engine.durability.loaded()?;
    }
    if demands.any(Demands::WRITES | Demands::ASKS_DISK) {
        let trouble = engine.trouble(config, seen.troubled);
        return trouble.map_or(Ok(()), Err);
    }
    Ok(())
}
