//! The journal and the snapshots: every change, on disk.
//!
//! ```text
//!   writing:  Record ─► Log (write buffers) ─► Flusher ─► frames in segments
//!             walk of the store     ─► snapshot::Writer
//!   reading:  MANIFEST ─► snapshot::Reader ─► segments, frame by frame ─► records by shard
//! ```
//!
//! An epoch is the log sequence number of a group commit: all records that threads append in one
//! epoch are written and synced together, and a reply waits until its epoch is durable. In reading
//! order: [`record`] is one change of one shard, [`frame`] everything of one moment, [`segment`] a
//! file of frames, [`snapshot`] a file of entries, [`manifest`] says which files count. [`Log`] is
//! where threads leave records, [`Flusher`] the thread that writes them, [`reader`] reads them
//! back. All of it goes through a [`Disk`].
//!
//! This crate knows no values, commands or locks of shards. It must never call something durable
//! that the disk has not confirmed.
#![forbid(unsafe_code)]

mod background;
mod blocks;
pub mod clock;
pub mod codec;
pub mod disk;
mod durable;
mod flusher;
pub mod frame;
mod inside;
mod log;
pub mod manifest;
pub mod reader;
pub mod record;
mod room;
pub mod salvage;
pub mod segment;
pub mod snapshot;
mod stepped;

pub use background::{A_CLIENT_WAITS, NOBODY_WAITS, let_others_go_first};
pub use clock::{monotonic, wall_clock};
pub use disk::{Directory, Disk, DiskFile};
pub use durable::DiskWaiter;
pub use flusher::{Flusher, Place};
pub use inside::open_inside;
pub use log::{Figures, Log, Policy, Trouble, WriteBuffer};
pub use manifest::{Manifest, Segments};
pub use room::{is_full, segment_size};
