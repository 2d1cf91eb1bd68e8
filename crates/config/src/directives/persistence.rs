//! The journal and the snapshots.
//!
//! Snapshots and journal are Kvist's own; directives about how Redis writes its files are accepted
//! where ignoring them loses nothing.

use super::I64;
use crate::directive::{Directive as D, INT_MAX, Kind, TextRule};
use crate::lists::SavePoint;
use crate::settings::Settings;
use crate::value::Value;

pub(super) const LIST: &[D] = &[
    D::yes_no("appendonly", "yes", "Keep a journal of every write. no makes a pure cache."),
    D::one_of(
        "appendfsync",
        &["everysec", "always", "no"],
        "everysec",
        "When the journal is forced to disk: every second, before any reply to a write, or \
         whenever the system likes.",
    ),
    D::new(
        "save",
        Kind::Save,
        "3600 1 300 100 60 10000",
        "Pairs of seconds and changes: take a snapshot when so much time has passed and so much \
         has changed. Several lines add up; an empty string removes all. With a journal only \
         points that were asked for count.",
    ),
    D::new(
        "dbfilename",
        Kind::Text(TextRule::FileName),
        "dump.rdb",
        "Name, inside dir, of the file in Redis's snapshot format: the first start reads it, and \
         rdb-export writes it.",
    )
    .protected(),
    D::new(
        "appendfilename",
        Kind::Text(TextRule::FileNameNotEmpty),
        "appendonly.aof",
        "Base name of Redis's append-only files, which the first start reads.",
    )
    .at_start(),
    D::new(
        "appenddirname",
        Kind::Text(TextRule::DirNameNotEmpty),
        "appendonlydir",
        "Directory, inside dir, of Redis's append-only files, which the first start reads.",
    )
    .at_start(),
    D::yes_no(
        "no-appendfsync-on-rewrite",
        "no",
        "Do not force the journal while a snapshot is written.",
    )
    .inert(),
    D::int(
        "auto-aof-rewrite-percentage",
        "100",
        0,
        INT_MAX,
        "Growth of the journal, in percent, that starts its rewriting. 0 never does.",
    ),
    D::memory(
        "auto-aof-rewrite-min-size",
        "64mb",
        0,
        I64,
        "Size below which the journal is never rewritten.",
    ),
    D::yes_no("aof-load-truncated", "yes", "Accept a journal whose last record is cut off."),
    D::yes_no("aof-use-rdb-preamble", "yes", "Begin a rewritten journal with a snapshot.").inert(),
    D::yes_no("aof-timestamp-enabled", "no", "Write the time into the journal.").pending(),
    D::yes_no(
        "aof-rewrite-incremental-fsync",
        "yes",
        "Force a rewritten journal to disk bit by bit.",
    )
    .inert(),
    D::yes_no("aof-disable-auto-gc", "no", "Leave old journal files in place.").pending(),
    D::yes_no(
        "stop-writes-on-bgsave-error",
        "yes",
        "Refuse writes after a snapshot has failed, so that the failure is noticed.",
    ),
    D::yes_no("rdbcompression", "yes", "Compress strings in snapshots."),
    D::yes_no("rdbchecksum", "yes", "End a snapshot with a checksum.").at_start().inert(),
    D::yes_no("rdb-save-incremental-fsync", "yes", "Force a snapshot to disk bit by bit.").inert(),
    D::yes_no("rdb-del-sync-files", "no", "Delete snapshots that only replication needed.")
        .pending(),
    D::int(
        "rdb-key-save-delay",
        "0",
        i32::MIN as i64,
        INT_MAX,
        "Microseconds to wait after each saved key; for tests.",
    )
    .hidden()
    .inert(),
    D::int(
        "key-load-delay",
        "0",
        i32::MIN as i64,
        INT_MAX,
        "Microseconds to wait after each loaded key; for tests.",
    )
    .hidden()
    .inert(),
    D::int(
        "loading-process-events-interval-bytes",
        "2097152",
        1024,
        INT_MAX,
        "Bytes loaded between two looks at the clients.",
    )
    .hidden()
    .inert(),
];

/// What Redis has no word for.
pub(super) const OWN: &[D] = &[
    D::yes_no(
        "rdb-export",
        "no",
        "Besides its own snapshot, also write one that Redis can read, to dbfilename.",
    )
    .own(),
    D::yes_no(
        "import-skip-unknown",
        "no",
        "When the first start finds files of Redis: leave out what this server does not keep \
         (values of modules, functions) instead of refusing to start.",
    )
    .at_start()
    .own(),
];

/// What is kept on disk, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersistenceSettings {
    /// Keep a journal.
    pub appendonly: bool,
    /// When the journal is forced to disk.
    pub appendfsync: AppendFsync,
    /// When snapshots are taken.
    pub save: Vec<SavePoint>,
    /// Name of the file in Redis's snapshot format.
    pub dbfilename: String,
    /// Also write snapshots for Redis, under that name.
    pub rdb_export: bool,
    /// Leave out what this server does not keep when the first start reads files of Redis.
    pub import_skip_unknown: bool,
    /// Growth of the journal over the snapshot, in percent, that starts a new snapshot; 0 never.
    pub auto_aof_rewrite_percentage: u64,
    /// Bytes of both below which it never does.
    pub auto_aof_rewrite_min_size: u64,
    /// Accept a journal whose end was cut off by a crash.
    pub aof_load_truncated: bool,
    /// Refuse writes after a snapshot has failed.
    pub stop_writes_on_bgsave_error: bool,
    /// Compress snapshots.
    pub rdbcompression: bool,
    /// Base name of Redis's append-only files.
    pub appendfilename: String,
    /// Directory, inside `dir`, of Redis's append-only files.
    pub appenddirname: String,
}

impl PersistenceSettings {
    pub(crate) fn of(settings: &Settings) -> Self {
        Self {
            appendonly: settings.yes("appendonly"),
            appendfsync: appendfsync(settings),
            save: save_points(settings),
            dbfilename: settings.string("dbfilename"),
            rdb_export: settings.yes("rdb-export"),
            import_skip_unknown: settings.yes("import-skip-unknown"),
            auto_aof_rewrite_percentage: settings.int("auto-aof-rewrite-percentage"),
            auto_aof_rewrite_min_size: settings.bytes("auto-aof-rewrite-min-size"),
            aof_load_truncated: settings.yes("aof-load-truncated"),
            stop_writes_on_bgsave_error: settings.yes("stop-writes-on-bgsave-error"),
            rdbcompression: settings.yes("rdbcompression"),
            appendfilename: settings.string("appendfilename"),
            appenddirname: settings.string("appenddirname"),
        }
    }
}

/// When the journal is forced to disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AppendFsync {
    /// Every second.
    EverySec,
    /// Before the reply to a write.
    Always,
    /// When the system likes.
    No,
}

fn appendfsync(settings: &Settings) -> AppendFsync {
    match settings.word("appendfsync") {
        "always" => AppendFsync::Always,
        "no" => AppendFsync::No,
        _ => AppendFsync::EverySec,
    }
}

fn save_points(settings: &Settings) -> Vec<SavePoint> {
    match settings.value("save") {
        Some(Value::Save(points)) => points.clone(),
        _ => Vec::new(),
    }
}
