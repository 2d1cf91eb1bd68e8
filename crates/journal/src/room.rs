//! Room for segments: it is reserved beforehand, so that no frame finds the disk full half-way.
//!
//! While there is enough, a segment gets all of its room at once. Where that does not fit, it gets
//! what its next frame takes, and grows as more comes: twice as much each time. Then the last
//! of the disk is left to the snapshot that makes older segments needless; only what a snapshot, or
//! a start, cannot do without may take that.
//!
//! Where files may not become as long as a segment is (`ulimit -f`), segments are shorter.

use std::io::{self, ErrorKind};

use crate::disk::{BLOCK, Disk, DiskFile};
use crate::frame;
use crate::log::Log;
use crate::segment;

/// Of a segment this part is left free for a snapshot, if nothing more is known of it.
const LEFT: u64 = 16;
/// The least that a segment grows by, as a part of a whole one.
const STEP: u64 = 64;

/// How much room is needed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Need {
    /// Less is of no use.
    pub least: u64,
    /// What a segment has when there is enough.
    pub most: u64,
    /// What must stay free beside it, if it does not get all.
    pub leave: u64,
}

/// Bytes of a segment that ends behind a frame with so many bytes of records, begun at `offset`.
pub(crate) fn with_frame(offset: u64, records: u64) -> u64 {
    offset + frame::HEADER as u64 + records + ENDED
}

/// An end, behind what fills up the frame before it.
const ENDED: u64 = frame::HEADER as u64 + frame::ALIGN;

/// Bytes of a segment that only waits for this many bytes of records.
pub(crate) fn alone(records: u64) -> u64 {
    if records > 0 { with_frame(segment::HEADER, records) } else { segment::HEADER + ENDED }
}

/// Bytes of a whole segment on this disk, at most so many: no file may become longer than the
/// process may make one.
#[must_use]
pub fn segment_size(disk: &dyn Disk, most: u64) -> u64 {
    most.min(disk.longest_file() & !(BLOCK - 1))
}

/// What the journal leaves free for a snapshot while there is little room.
pub(crate) fn left_for_snapshot(log: &Log, segment_size: u64) -> u64 {
    log.snapshot_room().max(segment_size / LEFT).min(segment_size)
}

/// Whether the disk, or what may be used of it, is full.
#[must_use]
pub fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded)
}

/// Reserves room in a file that has `had` bytes of it; how many it has then. What could not be used
/// is given back: a disk may have reserved a part before it said that there is no more.
///
/// # Errors
/// There is not even the least, or the disk refuses.
pub(crate) fn reserve(file: &dyn DiskFile, had: u64, need: Need, log: &Log) -> io::Result<u64> {
    let most = need.most.max(need.least);
    if !log.is_short_of_room() {
        match try_reserve(file, had, most, 0) {
            Err(error) if is_full(&error) => {
                log.set_short_of_room(true);
                tracing::warn!(%error, "no room for a whole segment of the journal");
            }
            other => return other,
        }
    }
    let grown = had.saturating_mul(2).max(need.most / STEP);
    let wished = if had > 0 { grown.clamp(need.least, most) } else { need.least };
    let reserved = match try_reserve(file, had, wished, need.leave) {
        Err(error) if is_full(&error) && wished > need.least => {
            try_reserve(file, had, need.least, need.leave)
        }
        other => other,
    }?;
    if had > 0 && reserved >= most {
        // There is enough again.
        log.set_short_of_room(false);
    }
    Ok(reserved)
}

fn try_reserve(file: &dyn DiskFile, had: u64, bytes: u64, leave: u64) -> io::Result<u64> {
    if let Err(error) = file.reserve(bytes + leave) {
        if is_full(&error) {
            // Whether it gives that back or not, it is full.
            let _ = file.set_len(had);
        }
        return Err(error);
    }
    if leave > 0 {
        file.set_len(bytes)?;
    }
    Ok(bytes)
}
