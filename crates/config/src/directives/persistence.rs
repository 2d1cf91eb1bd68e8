//! The journal and the snapshots.
//!
//! Snapshots and journal are Kvist's own; directives about how Redis writes its files are accepted
//! where ignoring them loses nothing.

use super::I64;
use crate::directive::{Directive as D, INT_MAX, Kind, TextRule};

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
