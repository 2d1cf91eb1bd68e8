//! Projects of records as Project Haystack has them, with the contract of Haxall's Folio.
//!
//! ```text
//!   Project ─► View ─┬─ tags              dense numbers, in order of first use
//!                    ├─ ids               hash and place of each record
//!                    ├─ histories         samples of points by time, packed
//!                    └─ columns, per tag  chunks of 1,024 records: a bitmap, values of one kind;
//!                                         postings: the records by their refs, or any value
//!
//!   commit(diffs) ─► checked whole, done whole          mod rises, the version counts batches
//!   Query ─► Plan ─► bitmaps, segment by segment ─► Answer: rows straight from columns
//!
//!   freeze ─► the View as it was      fork ─► a Project of its own, sharing what it did not write
//! ```
//!
//! A record is a place in the columns, and freed places are used again, the lowest first. Whether a
//! tag is transient is one more bitmap, so what a record is, what of it is kept, and what is not,
//! are three views of the same columns. Trash is the bitmap of the tag `trash`.
//!
//! | file | what it knows |
//! | --- | --- |
//! | `bits`, `chunk`, `column` | the values of a tag; who has which |
//! | `names`, `view` | the records, to read |
//! | `project` | versions, forks |
//! | `diff`, `rules`, `commit` | changing: what is asked for, what may be, what becomes of it |
//! | `plan`, `evaluate` | how a filter is answered |
//! | `query`, `answer`, `found` | reading many: options, rows and columns |
//! | `packed` | rows as columns of bytes, for clients that read them where they lie |
//! | `history/` | what points have measured |
//! | `watch` | which clients are told of which changes |
//! | `display` | what records are called |
//! | `image` | a project as bytes, piece by piece: what a snapshot holds |
//! | `change` | what was done, as a journal has it |
//! | `code` | values as bytes |
//! | `limits` | what bounds all this |
//!
//! Sites and what is on them:
//!
//! ```
//! use haystack::{DateTime, Zone, trio, zinc};
//! use kvist_folio::{Diff, Project, Query, ReadOptions};
//!
//! let now = DateTime::from_nanos(1_700_000_000_000_000_000, Zone::named("UTC")?);
//! let mut project = Project::default();
//! let records = trio::read("dis: \"Main\"\nsite\n---\ndis: \"AHU\"\nequip\nsiteRef: @s1\n")?;
//! let ids = ["s1", "e1"].iter().zip(records);
//! let diffs: Result<Vec<Diff>, _> = ids.map(|(id, tags)| Diff::add(id, tags)).collect();
//! project.commit(&diffs?, now)?;
//!
//! let query = Query::parse("equip and siteRef->site")?;
//! let answer = project.read_all(&query, &ReadOptions::default())?;
//! let mut text = Vec::new();
//! zinc::write_grid(&mut text, &answer);
//! assert!(text.starts_with(b"ver:\"3.0\"\nid,dis,equip,siteRef,mod\n@e1 \"AHU\",\"AHU\",M,@s1,"));
//! assert_eq!(project.read_count(&query, &ReadOptions::default())?, 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! This crate must not know of keys, clients, files, clocks or threads: time is handed in.

#![forbid(unsafe_code)]

mod answer;
mod bits;
pub mod change;
mod chunk;
mod code;
mod column;
mod commit;
mod diff;
mod display;
mod error;
mod evaluate;
mod found;
mod history;
mod image;
pub mod limits;
mod names;
pub mod packed;
mod plan;
mod project;
mod query;
mod rules;
mod view;
mod watch;

pub use answer::Answer;
pub use commit::Committed;
pub use diff::{Diff, Flags};
pub use error::{Error, ErrorKind};
pub use found::Found;
pub use history::{Clear, Columns, HisColumns, HisOptions, HisWritten, Samples, Span, Values};
pub use image::{ImageLoader, ImagePlace};
pub use project::{FrozenProject, Project, Settled};
pub use query::{Query, ReadOptions, Trash};
pub use rules::{is_always_transient, is_never_set};
pub use view::{Layer, View};
pub use watch::{LEASE, LONGEST_LEASE, WatchId, WatchInfo, Watches};

/// The place of a record in a project.
pub type Slot = u32;

/// How many consecutive records are held together.
pub const SEGMENT: usize = 1024;

/// The segment that a place is in.
#[inline]
pub(crate) fn segment_of(slot: Slot) -> usize {
    slot as usize / SEGMENT
}

/// A place in its segment.
#[inline]
pub(crate) fn place_of(slot: Slot) -> u16 {
    (slot as usize % SEGMENT) as u16 // below 1,024
}

#[cfg(test)]
mod accounting_tests;
#[cfg(test)]
mod view_tests;
