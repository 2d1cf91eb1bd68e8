//! What can still be read of a damaged snapshot: every block that is whole, wherever it stands.
//!
//! Neither index nor trailer are needed: blocks say themselves where they end and whose they are.
//! What is between two whole blocks is passed over byte by byte.

use std::io;

use crate::disk::Disk;
use crate::frame::Secret;
use crate::snapshot::{self, Place, Reader};

/// How much of a file is looked at in one piece.
const PIECE: usize = 1 << 20;

/// What was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Salvaged {
    /// Whole blocks.
    pub blocks: u64,
    /// Bytes that belong to no whole block, nor to the parts around the blocks.
    pub lost: u64,
}

/// Takes a whole block: where it stood, and its steps.
pub type Take<'a> = &'a mut dyn FnMut(&Place, Vec<u8>) -> io::Result<()>;

/// Shows every whole block of a snapshot's file, in file order.
///
/// # Errors
/// The file cannot be read, or `take` refuses.
pub fn blocks(disk: &dyn Disk, name: &str, take: Take<'_>) -> io::Result<Salvaged> {
    let reader = Reader::without_index(disk.open(name)?, name)?;
    let bytes = reader.bytes;
    let (mut salvaged, mut at) = (Salvaged::default(), snapshot::HEADER);
    let end = index_start(disk, name).unwrap_or(bytes);
    while at < end {
        if let Some(place) = reader.place_at(at)?
            && let Ok(raw) = reader.block(&place)
        {
            take(&place, raw)?;
            salvaged.blocks += 1;
            at += place.len;
            continue;
        }
        let next = next_magic(&reader, at + 1, end)?;
        salvaged.lost += next - at;
        at = next;
    }
    Ok(salvaged)
}

/// The secret of a snapshot's file, which may be damaged.
///
/// # Errors
/// The file cannot be read.
pub fn secret(disk: &dyn Disk, name: &str) -> io::Result<Secret> {
    Ok(Reader::without_index(disk.open(name)?, name)?.header.secret)
}

/// Where the index begins, if the trailer says so.
fn index_start(disk: &dyn Disk, name: &str) -> Option<u64> {
    let reader = Reader::open(disk, name).ok()?;
    let ends = reader.blocks.iter().map(|place| place.offset + place.len);
    ends.max()
}

/// Where the next block may begin.
fn next_magic(reader: &Reader, from: u64, end: u64) -> io::Result<u64> {
    let magic = snapshot::begin(reader.header.secret);
    let mut piece = vec![0; PIECE + magic.len()];
    let mut at = from;
    while at < end {
        let got = reader.read_at(at, &mut piece)?;
        if let Some(inside) = piece[..got].windows(magic.len()).position(|bytes| bytes == magic) {
            return Ok((at + inside as u64).min(end));
        }
        if got < piece.len() {
            break;
        }
        at += PIECE as u64;
    }
    Ok(end)
}
