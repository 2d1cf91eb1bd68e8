//! Projects of Haystack's records: the commands, which have the contract of Haxall's Folio.
//!
//! ```text
//!   FOLIO.COMMIT ─► diffs ─┬─ few ──► done at once ─────────────► FOLIO.APPLY in the journal
//!                          └─ many ─► on a fork ─► Effect::Edit ─► install ──┘
//!   FOLIO.READALL ─► filter ─┬─ a small project ─► answered at once
//!                            └─ a large one ─────► a version of it ─► Effect::Query
//! ```
//!
//! What was done goes to the journal as `FOLIO.APPLY`, never as the diffs: those depend on the time
//! and on ids that were drawn.

mod apply;
mod batch;
mod by_id;
mod commit;
mod count;
mod emptytrash;
mod explain;
mod export;
mod format;
mod his;
mod his_clear;
mod his_read;
mod his_write;
mod his_writeall;
mod import;
mod info;
mod install;
mod list;
mod open;
mod paced;
mod read;
mod readall;
mod readbyid;
mod readbyids;
mod reading;
mod remap;
mod reply;
mod watch;
mod watch_add;
mod watch_close;
mod watch_info;
mod watch_open;
mod watch_poll;
mod watch_remove;

use ::folio::Project;
use base::{CmdError, Databases, Forks, Holds, Key, Row, rows};
use types::Folio;

use self::apply::Apply;
use self::commit::Commit;
use self::count::Count;
use self::emptytrash::EmptyTrash;
use self::explain::Explain;
use self::export::Export;
use self::his_clear::HisClear;
use self::his_read::HisRead;
use self::his_write::HisWrite;
use self::his_writeall::HisWriteAll;
use self::import::Import;
use self::info::Info;
use self::list::List;
use self::open::Open;
use self::read::Read;
use self::readall::ReadAll;
use self::readbyid::ReadById;
use self::readbyids::ReadByIds;
use self::watch_add::WatchAdd;
use self::watch_close::WatchClose;
use self::watch_info::WatchInfo;
use self::watch_open::WatchOpen;
use self::watch_poll::WatchPoll;
use self::watch_remove::WatchRemove;

/// A key that holds no project where one must be.
const NO_PROJECT: CmdError = CmdError::new("ERR no such project: FOLIO.OPEN makes one");

/// The rows of this family.
#[must_use]
pub fn rows<H: Databases + Forks<Folio>>() -> Vec<Row<H>> {
    rows![
        H;
        Apply, Commit, Count, EmptyTrash, Explain, Export, HisClear, HisRead, HisWrite, HisWriteAll,
        Import, Info, List, Open, Read, ReadAll, ReadById, ReadByIds, WatchAdd, WatchClose,
        WatchInfo, WatchOpen, WatchPoll, WatchRemove
    ]
}

/// The project of a key.
///
/// # Errors
/// The key holds none.
fn project<'h, H: Holds<Folio>>(host: &'h H, key: Key<'_>) -> Result<&'h Project, CmdError> {
    host.peek(key)?.and_then(Folio::project).ok_or(NO_PROJECT)
}

/// Changes the project of a key. `None`: it has been left as it was, or there is none.
///
/// # Errors
/// What `work` says, which has then left it as it was.
fn try_change<H: Holds<Folio>, R>(
    host: &mut H,
    key: Key<'_>,
    work: impl FnOnce(&mut Folio) -> Result<Option<R>, CmdError>,
) -> Result<Option<R>, CmdError> {
    let mut failed = None;
    let done = host.try_edit(key, |value| {
        work(value).unwrap_or_else(|error| {
            failed = Some(error);
            None
        })
    })?;
    failed.map_or(Ok(done), Err)
}

/// An error of a project, by the name that Folio has for it.
fn told(error: &::folio::Error) -> CmdError {
    let text = format!("{} {}", error.kind().name(), error.message());
    CmdError::owned(text.replace(['\r', '\n'], " "))
}

/// A word of a request as text.
///
/// # Errors
/// It is none.
fn text(word: &[u8]) -> Result<&str, CmdError> {
    const NOT_UTF8: CmdError = CmdError::new("ERR not valid UTF-8");
    std::str::from_utf8(word).map_err(|_| NOT_UTF8)
}

/// An id as it was given, with or without `@`.
///
/// # Errors
/// It is not text.
fn id(word: &[u8]) -> Result<&str, CmdError> {
    let id = text(word)?;
    Ok(id.strip_prefix('@').unwrap_or(id))
}
