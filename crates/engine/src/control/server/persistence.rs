//! SAVE, BGSAVE, BGREWRITEAOF, LASTSAVE, BACKUP, and SNAPSHOT and FLUSHWAL as other servers name
//! them.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use base::{Args, Category, CmdError, Command, Flag, Reply, RunTime, Spec, error};
use wire::RespWriter;

use super::SERVER;
use crate::background::{BackgroundWorker, Place, Waiting};
use crate::control::{Act, Control, acts, bare};
use crate::engine::Engine;
use crate::engine::entry::Action;
use crate::persistence::{Reason, is_backup_name};

/// The rows of these commands.
pub(super) fn rows() -> Vec<(&'static Spec, Action)> {
    acts![Backup, BgRewriteAof, BgSave, FlushWal, LastSave, Save, Snapshot]
}

const IN_PROGRESS: CmdError = CmdError::new("ERR Background save already in progress");

fn engine(control: &Control<'_>) -> Result<Arc<Engine>, CmdError> {
    control.engine.me().ok_or(error::INTERNAL)
}

fn failed(error: &std::io::Error) -> CmdError {
    CmdError::owned(format!("ERR {error}"))
}

bare! {
    /// Saves the dataset and waits for it.
    Save,
    Spec {
        name: "save",
        summary: "Writes the dataset to disk; the client waits, others do not.",
        complexity: "O(N) in the number of keys",
        flags: &[Flag::Admin, Flag::NoScript, Flag::NoAsyncLoading, Flag::NoMulti],
        behaviour: SERVER.behaviour.run_time(RunTime::Long),
        ..SERVER
    }
}

impl Act for Save<'_> {
    fn act(self, control: &mut Control<'_>, _: &mut RespWriter<'_>) -> Result<(), CmdError> {
        save(control)
    }
}

/// Saves, in a thread of its own: it may have to wait for shards and for the disk, and this one
/// has other clients.
fn save(control: &mut Control<'_>) -> Result<(), CmdError> {
    let engine = unless_obstructed(control)?;
    if engine.durability.saving.busy.load(Ordering::Acquire) {
        return Err(IN_PROGRESS);
    }
    let journal = control.context.config.persistence.appendonly;
    let waiting = waiting(&engine, control)?;
    let own = Arc::clone(&engine);
    let work =
        move |waiting: Waiting, _: &mut BackgroundWorker| match own.save(Reason::Save, journal) {
            Ok(_) => waiting.answer(|out| out.simple("OK")),
            Err(error) => {
                own.metrics.stats.error("ERR");
                waiting.answer(|out| out.error_bytes(failed(&error).bytes()));
            }
        };
    // Without a thread the wait is dropped, and the client told.
    waiting.run_on(&engine.background.saves, &engine, work);
    Ok(())
}

/// Makes the client wait, if there is a place for its request; its reply waits for nothing else.
fn waiting(engine: &Arc<Engine>, control: &mut Control<'_>) -> Result<Waiting, CmdError> {
    let place = Place::take(&engine.background, control.session)?;
    Ok(Waiting::begin(&engine.waits.blocked, place, control.session).at_once())
}

/// The engine, for what needs every shard sooner or later: not while a request holds some for too
/// long.
fn unless_obstructed(control: &Control<'_>) -> Result<Arc<Engine>, CmdError> {
    let engine = engine(control)?;
    if engine.store.locks.is_obstructed() { Err(engine.busy()) } else { Ok(engine) }
}

/// Saves the dataset in the background.
pub struct BgSave {
    schedule: bool,
}

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
        let schedule = args.left() == 1 && args.token("SCHEDULE");
        if args.left() > 0 {
            return Err(error::SYNTAX);
        }
        Ok(BgSave { schedule })
    }
}

impl Act for BgSave {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let engine = engine(control)?;
        if engine.durability.is_busy_with(Reason::Save) {
            return Err(IN_PROGRESS);
        }
        // Inside a transaction this thread holds locks that the snapshot needs.
        if self.schedule && engine.durability.saving.busy.load(Ordering::Acquire) || control.in_exec
        {
            engine.schedule_save(Reason::Save);
            out.simple("Background saving scheduled");
            return Ok(());
        }
        match engine.save_in_background(Reason::Save, control.context.config.persistence.appendonly)
        {
            Ok(true) => out.simple("Background saving started"),
            Ok(false) => {
                return Err(CmdError::new(
                    "ERR Another child process is active (AOF?): can't BGSAVE right now. Use \
                     BGSAVE SCHEDULE in order to schedule a BGSAVE whenever possible.",
                ));
            }
            Err(error) => return Err(failed(&error)),
        }
        Ok(())
    }
}

bare! {
    /// Begins the journal anew behind a snapshot.
    BgRewriteAof,
    Spec {
        name: "bgrewriteaof",
        summary: "Takes a snapshot in the background, so that the journal can be short again.",
        flags: &[Flag::Admin, Flag::NoScript, Flag::NoAsyncLoading],
        ..SERVER
    }
}

impl Act for BgRewriteAof<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let engine = engine(control)?;
        if engine.durability.is_busy_with(Reason::Rewrite) {
            return Err(CmdError::new(
                "ERR Background append only file rewriting already in progress",
            ));
        }
        let begun = !control.in_exec
            && engine
                .save_in_background(Reason::Rewrite, control.context.config.persistence.appendonly)
                .map_err(|error| failed(&error))?;
        if begun {
            out.simple("Background append only file rewriting started");
        } else {
            engine.schedule_save(Reason::Rewrite);
            out.simple("Background append only file rewriting scheduled");
        }
        Ok(())
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
        out.int(i64::try_from(control.engine.last_save() / 1000).unwrap_or(i64::MAX));
        Ok(())
    }
}

bare! {
    /// As SAVE: the name NeuroIndex has for it.
    Snapshot,
    Spec {
        name: "snapshot",
        summary: "Writes the dataset to disk and waits for it, as SAVE does.",
        complexity: "O(N) in the number of keys",
        since: "1.0.0",
        flags: &[Flag::Admin, Flag::NoScript, Flag::NoAsyncLoading, Flag::NoMulti],
        ..SERVER
    }
}

impl Act for Snapshot<'_> {
    fn act(self, control: &mut Control<'_>, _: &mut RespWriter<'_>) -> Result<(), CmdError> {
        save(control)
    }
}

bare! {
    /// Makes the journal durable now: the name NeuroIndex has for it.
    FlushWal,
    Spec {
        name: "flushwal",
        summary: "Makes all changes so far durable, whatever appendfsync says.",
        since: "1.0.0",
        flags: &[Flag::Admin, Flag::NoScript, Flag::NoAsyncLoading, Flag::NoMulti],
        ..SERVER
    }
}

const NO_JOURNAL: CmdError = CmdError::new("ERR there is no journal: appendonly is no");
const NOT_BEGUN: CmdError = CmdError::new(
    "ERR there is no journal yet: appendonly is yes, and the snapshot that it begins with is not \
     made yet",
);

impl Act for FlushWal<'_> {
    fn act(self, control: &mut Control<'_>, _: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let engine = engine(control)?;
        if !engine.durability.is_journaling() {
            return Err(if engine.config().persistence.appendonly {
                NOT_BEGUN
            } else {
                NO_JOURNAL
            });
        }
        engine.flush_journal_for(waiting(&engine, control)?);
        Ok(())
    }
}

/// Makes a data directory that can be copied while the server runs.
pub struct Backup<'a> {
    name: &'a str,
}

impl<'a> Command<'a> for Backup<'a> {
    const SPEC: Spec = Spec {
        name: "backup",
        since: "1.0.0",
        summary: "Makes a copy of the dataset, as a data directory of its own, and answers where.",
        complexity: "O(N) in the bytes of the dataset",
        grammar: "name:string",
        flags: &[Flag::Admin, Flag::NoScript, Flag::NoAsyncLoading, Flag::NoMulti],
        ..SERVER
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        const NAME: CmdError = CmdError::new(
            "ERR a backup's name is of letters, digits, '.', '_' and '-', at most 128, not '.' \
             first",
        );
        let name = std::str::from_utf8(args.next()?).map_err(|_| NAME)?;
        if is_backup_name(name) { Ok(Backup { name }) } else { Err(NAME) }
    }
}

impl Act for Backup<'_> {
    fn act(self, control: &mut Control<'_>, _: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let engine = unless_obstructed(control)?;
        let waiting = waiting(&engine, control)?;
        let (name, own) = (self.name.to_owned(), Arc::clone(&engine));
        let back_up = move |waiting: &Waiting| own.back_up(&name, &|| !waiting.is_wanted());
        let work = move |waiting: Waiting, _: &mut BackgroundWorker| match back_up(&waiting) {
            Ok((path, _)) => waiting.answer(|out| out.bulk(path.display().to_string().as_bytes())),
            Err(error) => {
                if waiting.is_wanted() {
                    tracing::error!(%error, "a backup failed");
                }
                waiting.answer(|out| out.error_bytes(failed(&error).bytes()));
            }
        };
        // Without a thread the wait is dropped, and the client told.
        waiting.run_on(&engine.background.backups, &engine, work);
        Ok(())
    }
}
