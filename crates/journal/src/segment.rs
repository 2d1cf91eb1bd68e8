//! A segment: one file of the journal.
//!
//! ```text
//!   journal-00000000000000000042.log
//!   | header 64 | frame | frame | ... | end frame | reserved room, or what an earlier use left |
//!
//!   0        8       12   16    32       40            48      56       64
//!   | magic  |version| crc | id  | number | first frame | flags | secret |
//! ```
//!
//! Room is reserved beforehand and files are used again, so that a sync need not write the file
//! system's own tables. A segment that was left in good order ends with an end frame; only the
//! last one may lack it.

use std::io;
use std::sync::Arc;

use crate::codec::{u32_at, u64_at};
use crate::disk::{Disk, DiskFile, Numbered};
use crate::frame::Secret;

/// Bytes before the first frame.
pub const HEADER: u64 = 64;
/// The version of the format that is written. Files of version 3 have no records that name each
/// other, those of version 2 no secret, and records of version 1 were longer; a reader refuses
/// others.
pub const VERSION: u32 = 4;
/// The first version whose files have secrets.
const SECRETS: u32 = 3;
const MAGIC: &[u8; 8] = b"KVISTJNL";
const NAMES: Numbered = Numbered { before: "journal-", after: ".log" };
const SPARE: &str = "journal-spare-";
/// Files kept to be used again.
const SPARES: usize = 2;
/// What came before is not continued here: only a snapshot that begins with this segment counts.
const AFRESH: u64 = 1;

/// What a segment says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The version of its format.
    pub version: u32,
    /// The dataset it belongs to.
    pub id: [u8; 16],
    /// Its number.
    pub number: u64,
    /// The number of its first frame.
    pub first_frame: u64,
    /// It does not go on where the segment before it ends: that could not be made durable, or
    /// nothing was kept for a while.
    pub afresh: bool,
    /// What no data can know: see [`frame`](crate::frame). It stays with the file when that is used
    /// again, so that a reader of a copy made meanwhile knows frames of the later use for what they
    /// are.
    pub secret: Secret,
}

/// The name of a segment's file.
#[must_use]
pub fn name(number: u64) -> String {
    NAMES.name(number)
}

/// The number of the segment in the file of this name.
#[must_use]
pub fn number(name: &str) -> Option<u64> {
    NAMES.number(name)
}

/// The numbers of all segments there are, ascending.
///
/// # Errors
/// The directory cannot be read.
pub fn all(disk: &dyn Disk) -> io::Result<Vec<u64>> {
    let mut numbers: Vec<u64> = disk.list()?.iter().filter_map(|name| number(name)).collect();
    numbers.sort_unstable();
    Ok(numbers)
}

impl Header {
    /// As it stands in the file.
    pub(crate) fn encode(&self) -> [u8; 64] {
        let mut bytes = [0; 64];
        bytes[0..8].copy_from_slice(MAGIC);
        bytes[8..12].copy_from_slice(&self.version.to_le_bytes());
        bytes[16..32].copy_from_slice(&self.id);
        bytes[32..40].copy_from_slice(&self.number.to_le_bytes());
        bytes[40..48].copy_from_slice(&self.first_frame.to_le_bytes());
        bytes[48..56].copy_from_slice(&(if self.afresh { AFRESH } else { 0 }).to_le_bytes());
        bytes[56..64].copy_from_slice(&self.secret.bits().to_le_bytes());
        let crc = crc32fast::hash(&bytes[16..]);
        bytes[12..16].copy_from_slice(&crc.to_le_bytes());
        bytes
    }

    /// Reads a segment's header. `None` if it has none: it was being made when the process ended.
    ///
    /// # Errors
    /// The file cannot be read, or its version is not known.
    pub fn read(file: &dyn DiskFile) -> io::Result<Option<Self>> {
        let mut bytes = [0; 64];
        let got = file.read_at(0, &mut bytes)?;
        if got < bytes.len() || &bytes[0..8] != MAGIC {
            return Ok(None);
        }
        let version = u32_at(&bytes, 8);
        if !(1..=VERSION).contains(&version) {
            let text =
                format!("format version {version}, this program reads versions 1 to {VERSION}");
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        let mut id = [0; 16];
        id.copy_from_slice(&bytes[16..32]);
        let header = Header {
            version,
            id,
            number: u64_at(&bytes, 32),
            first_frame: u64_at(&bytes, 40),
            afresh: u64_at(&bytes, 48) & AFRESH != 0,
            secret: Secret::from_bits(u64_at(&bytes, 56)),
        };
        let sound =
            header.encode() == bytes && (header.secret == Secret::NONE) == (version < SECRETS);
        Ok(sound.then_some(header))
    }
}

/// Makes a segment's file, out of one that is no longer needed if there is one, or with the room
/// that `reserve` finds for it, and makes it durable; what it says of itself: the secret of a file
/// that is used again stays what it was.
///
/// # Errors
/// The disk refuses, or is full.
pub(crate) fn make(
    disk: &dyn Disk,
    mut header: Header,
    reserve: impl FnOnce(&dyn DiskFile) -> io::Result<u64>,
) -> io::Result<Made> {
    let name = name(header.number);
    if let Ok(in_vain) = disk.open(&name) {
        // An end may name it already, so it stays until another takes its place. That it keeps room
        // meanwhile does no harm.
        let _ = in_vain.set_len(HEADER);
    }
    let spare = match spare_for(disk, &header)? {
        Some(spare) => spare,
        None => fresh(disk, &header, reserve)?,
    };
    header.secret = spare.secret;
    // It has its header before it gets its name: under that name there is never a file that says it
    // is another. And one that was made in vain is replaced in one step: if it were written over, a
    // crash could leave its header empty and its room not, which is what damage looks like.
    let Spare { name: before, file, reserved, .. } = spare;
    file.write_at(0, &header.encode())?;
    file.sync()?;
    disk.rename(&before, &name)?;
    disk.sync_names()?;
    Ok(Made { file, header, reserved })
}

/// A file with room, which has no header yet.
fn fresh(
    disk: &dyn Disk,
    header: &Header,
    reserve: impl FnOnce(&dyn DiskFile) -> io::Result<u64>,
) -> io::Result<Spare> {
    let name = format!("{SPARE}{:020}.log", header.number);
    let file = disk.create(&name)?;
    match reserve(&*file) {
        Ok(reserved) => Ok(Spare { name, file, secret: header.secret, reserved }),
        Err(error) => {
            // What it has got may be needed elsewhere. If it stays, it goes the next time.
            let _ = disk.remove(&name);
            Err(error)
        }
    }
}

/// A segment's file that was made.
pub(crate) struct Made {
    pub file: Arc<dyn DiskFile>,
    /// What it says of itself.
    pub header: Header,
    /// Bytes that surely have room in it.
    pub reserved: u64,
}

/// A file that is to become a segment's: one that was given up, or a new one.
struct Spare {
    name: String,
    file: Arc<dyn DiskFile>,
    secret: Secret,
    /// Bytes that surely have room in it.
    reserved: u64,
}

/// A file that was given up, if there is one. What an earlier use has left in it is told by a
/// secret and a lower number; a file that lacks them is of no use and goes.
fn spare_for(disk: &dyn Disk, header: &Header) -> io::Result<Option<Spare>> {
    for spare in disk.list()?.into_iter().filter(|name| name.starts_with(SPARE)) {
        let file = disk.open(&spare)?;
        if let Ok(Some(old)) = Header::read(&*file)
            && (old.version, old.id) == (header.version, header.id)
            && old.number < header.number
        {
            let reserved = file.len()?;
            return Ok(Some(Spare { name: spare, file, secret: old.secret, reserved }));
        }
        disk.remove(&spare)?;
    }
    Ok(None)
}

/// Gives up the segments below `first`: a few files are kept for later use.
///
/// # Errors
/// The disk refuses; some may be gone.
pub fn drop_below(disk: &dyn Disk, first: u64, size: u64) -> io::Result<()> {
    let names = disk.list()?;
    let mut spares = names.iter().filter(|name| name.starts_with(SPARE)).count();
    for old in names.iter().filter(|name| number(name).is_some_and(|n| n < first)) {
        let regular = disk.open(old).and_then(|file| file.len()).is_ok_and(|len| len == size);
        if spares < SPARES && regular {
            disk.rename(old, &format!("{SPARE}{}", old.trim_start_matches("journal-")))?;
            spares += 1;
        } else {
            disk.remove(old)?;
        }
    }
    disk.sync_names()
}

/// Removes the files that are kept to be used again; whether there were any.
///
/// # Errors
/// The disk refuses; some may be gone.
pub fn drop_spares(disk: &dyn Disk) -> io::Result<bool> {
    let mut found = false;
    for spare in disk.list()?.iter().filter(|name| name.starts_with(SPARE)) {
        disk.remove(spare)?;
        found = true;
    }
    if found {
        disk.sync_names()?;
    }
    Ok(found)
}

/// Removes the segments above `last`: they belong to a state that never became current.
///
/// # Errors
/// The disk refuses; some may be gone.
pub fn drop_above(disk: &dyn Disk, last: u64) -> io::Result<()> {
    // The last first, one by one: what a crash in the middle leaves is still without a gap.
    for number in all(disk)?.into_iter().rev().filter(|&number| number > last) {
        disk.remove(&name(number))?;
        disk.sync_names()?;
    }
    Ok(())
}
