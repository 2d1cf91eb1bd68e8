//! SAVE, BGSAVE, BGREWRITEAOF, LASTSAVE. The dataset lives in memory only: saving is refused
//! rather than pretended.

use base::{Args, Category, CmdError, Command, Flag, Reply, Spec, error};
use wire::RespWriter;

use super::SERVER;
use crate::control::{Act, Control, acts, bare};
use crate::table::Action;

/// The rows of these commands.
pub(super) fn rows() -> Vec<(&'static Spec, Action)> {
    acts![BgRewriteAof, BgSave, LastSave, Save]
}

/// Nothing is written to disk.
const IN_MEMORY: CmdError =
    CmdError::new("ERR this server keeps its dataset in memory only and cannot save it");

bare! {
    /// Saves the dataset and waits for it.
    Save,
    Spec {
        name: "save",
        summary: "Writes the dataset to disk while everybody waits.",
        complexity: "O(N) in the number of keys",
        flags: &[Flag::Admin, Flag::NoScript, Flag::NoAsyncLoading, Flag::NoMulti],
        ..SERVER
    }
}

impl Act for Save<'_> {
    fn act(self, _: &mut Control<'_>, _: &mut RespWriter<'_>) -> Result<(), CmdError> {
        Err(IN_MEMORY)
    }
}

/// Saves the dataset in the background.
pub struct BgSave;

impl<'a> Command<'a> for BgSave {
    const SPEC: Spec = Spec {
        name: "bgsave",
        summary: "Writes the dataset to disk in the background.",
        grammar: "[SCHEDULE @3.2.2]",
        flags: &[Flag::Admin, Flag::NoScript, Flag::NoAsyncLoading],
        history: &[("3.2.2", "`SCHEDULE`.")],
        ..SERVER
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        if args.left() > 0 && !(args.left() == 1 && args.token("SCHEDULE")) {
            return Err(error::SYNTAX);
        }
        Ok(BgSave)
    }
}

impl Act for BgSave {
    fn act(self, _: &mut Control<'_>, _: &mut RespWriter<'_>) -> Result<(), CmdError> {
        Err(IN_MEMORY)
    }
}

bare! {
    /// Rewrites the append-only file.
    BgRewriteAof,
    Spec {
        name: "bgrewriteaof",
        summary: "Shortens the append-only file in the background.",
        flags: &[Flag::Admin, Flag::NoScript, Flag::NoAsyncLoading],
        ..SERVER
    }
}

impl Act for BgRewriteAof<'_> {
    fn act(self, _: &mut Control<'_>, _: &mut RespWriter<'_>) -> Result<(), CmdError> {
        Err(IN_MEMORY)
    }
}

bare! {
    /// Answers when the dataset was last saved: as in Redis, the start counts.
    LastSave,
    Spec {
        name: "lastsave",
        summary: "Answers when the dataset was last saved, in seconds since 1970.",
        flags: &[Flag::Loading, Flag::Stale, Flag::Fast],
        categories: &[Category::Admin, Category::Dangerous],
        tips: &["nondeterministic_output"],
        ..SERVER
    }
}

impl Act for LastSave<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        out.int(i64::try_from(control.engine.started / 1000).unwrap_or(i64::MAX));
        Ok(())
    }
}
