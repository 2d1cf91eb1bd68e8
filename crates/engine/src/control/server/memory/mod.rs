//! MEMORY: what the server's memory is used for, and giving back what is not. `MEMORY USAGE` is a
//! data command and lives with them.

mod doctor;
mod figures;
mod stats;

use std::sync::atomic::Ordering;

use base::{CmdError, Locks, Reply, Spec};
use wire::RespWriter;

use self::doctor::MemoryDoctor;
pub(super) use self::figures::{Figures, ratio};
use self::stats::MemoryStats;
use super::SERVER;
use crate::control::help::{HELP, help};
use crate::control::{Act, Control, acts, bare};
use crate::cron;
use crate::engine::entry::Action;

/// What the subcommands have in common.
const MEMORY: Spec = Spec { since: "4.0.0", flags: &[], ..SERVER };

/// Tips of those that describe one server.
const DESCRIBES: &[&str] =
    &["nondeterministic_output", "request_policy:all_shards", "response_policy:special"];

help! {
    /// MEMORY HELP.
    MemoryHelp,
    Spec { name: "memory|help", group: SERVER.group, since: "4.0.0", ..HELP }
}

/// The rows of this family; the container and `USAGE` come with the data commands.
pub(super) fn rows() -> Vec<(&'static Spec, Action)> {
    acts![MemoryDoctor, MemoryHelp, MemoryMallocStats, MemoryPurge, MemoryStats]
}

bare! {
    /// Shows what the allocator says of itself.
    MemoryMallocStats,
    Spec {
        name: "memory|malloc-stats",
        summary: "Shows the statistics of the allocator.",
        complexity: "Depends on how much memory is allocated, could be slow",
        tips: DESCRIBES,
        ..MEMORY
    }
}

impl Act for MemoryMallocStats<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let allocator = control.engine.hooks.allocator.get();
        let text = allocator.map(|allocator| (allocator.describe)()).unwrap_or_default();
        if text.is_empty() {
            out.bulk(b"Stats not supported for the current allocator");
        } else {
            out.verbatim("txt", text.as_bytes());
        }
        Ok(())
    }
}

bare! {
    /// Gives memory that is not used back to the system.
    MemoryPurge,
    Spec {
        name: "memory|purge",
        summary: "Gives memory that is not used back to the system.",
        complexity: "Depends on how much memory is allocated, could be slow",
        tips: &["request_policy:all_shards", "response_policy:all_succeeded"],
        ..MEMORY
    }
}

impl Act for MemoryPurge<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let engine = control.engine;
        // What waits to be freed, then what this thread and no thread holds; the other threads
        // gather their part at their next tick.
        cron::free_trash(engine);
        engine.memory.cleanups.fetch_add(1, Ordering::Release);
        if let Some(allocator) = engine.hooks.allocator.get() {
            (allocator.give_back)();
        }
        out.ok();
        Ok(())
    }
}

/// The shards are walked one after the other.
const WALKS: fn(&[&[u8]]) -> Locks = |_| Locks::Each;
