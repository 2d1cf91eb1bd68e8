//! The sparse form: runs of equal registers.
//!
//! ```text
//!   00llllll             1 to 64 registers of 0
//!   01llllll llllllll    1 to 16384 registers of 0
//!   1vvvvvll             1 to 4 registers of 1 to 32       (lengths and ranks are kept less one)
//! ```
//!
//! The bytes depend on the order of changes, not only on the registers. Other servers see them, so
//! a change splits and joins runs exactly where Redis does. A long run of zeros whose second byte
//! is missing has a zero there, the one that ends strings in Redis.

use super::estimate::Histogram;
use super::{Corrupted, HEADER, REGISTERS};

/// Longest run of zeros in one byte.
const ZEROS_MAX: usize = 64;
/// Longest run of another rank.
const RUN_MAX: usize = 4;
/// Highest rank of a run.
const RANK_MAX: u8 = 32;
/// Runs that are looked at after a change, from the one before it.
const JOINED: usize = 5;

/// One run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opcode {
    /// So many zeros, in one byte.
    Zeros(usize),
    /// So many zeros, in two bytes.
    ManyZeros(usize),
    /// A rank, so many times.
    Run(u8, usize),
}

impl Opcode {
    /// The run at `at`, within `bytes`.
    fn at(bytes: &[u8], at: usize) -> Option<Opcode> {
        let byte = *bytes.get(at)?;
        let low = usize::from(byte & 63);
        Some(match byte >> 6 {
            0 => Opcode::Zeros(low + 1),
            1 => {
                let next = bytes.get(at + 1).copied().unwrap_or(0);
                Opcode::ManyZeros((low << 8 | usize::from(next)) + 1)
            }
            _ => Opcode::Run((byte >> 2 & 31) + 1, usize::from(byte & 3) + 1),
        })
    }

    /// Registers.
    fn span(self) -> usize {
        match self {
            Opcode::Zeros(length) | Opcode::ManyZeros(length) | Opcode::Run(_, length) => length,
        }
    }

    /// Bytes.
    fn size(self) -> usize {
        if matches!(self, Opcode::ManyZeros(_)) { 2 } else { 1 }
    }

    fn rank(self) -> u8 {
        if let Opcode::Run(rank, _) = self { rank } else { 0 }
    }
}

/// The runs behind the header of a sparse HyperLogLog, whether they add up or not.
pub fn opcodes(bytes: &[u8]) -> impl Iterator<Item = Opcode> {
    let mut at = HEADER;
    std::iter::from_fn(move || {
        let opcode = Opcode::at(bytes, at)?;
        at += opcode.size();
        Some(opcode)
    })
}

/// Visits the runs in `body`: first register, length, rank. Runs that go too far are not visited.
///
/// # Errors
/// They do not add up to all registers.
pub(super) fn runs(body: &[u8], mut visit: impl FnMut(usize, usize, u8)) -> Result<(), Corrupted> {
    let (mut at, mut index) = (0, 0);
    while let Some(opcode) = Opcode::at(body, at) {
        let span = opcode.span();
        if index + span > REGISTERS {
            return Err(Corrupted);
        }
        visit(index, span, opcode.rank());
        at += opcode.size();
        index += span;
    }
    if index == REGISTERS { Ok(()) } else { Err(Corrupted) }
}

/// How often each rank occurs.
///
/// # Errors
/// The runs do not add up to all registers.
pub(super) fn histogram(body: &[u8]) -> Result<Histogram, Corrupted> {
    let mut histogram = Histogram::default();
    runs(body, |_, length, rank| {
        // All runs together are no longer than all registers.
        histogram.0[usize::from(rank & 63)] += u32::try_from(length).unwrap_or(u32::MAX);
    })?;
    Ok(histogram)
}

/// A register, if a run covers it.
pub(super) fn get(body: &[u8], index: usize) -> Option<u8> {
    find(body, Cursor { at: 0, first: 0 }, index).map(|found| found.opcode.rank())
}

/// A place where a search may begin: the first byte of a run and its first register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cursor {
    at: usize,
    first: usize,
}

impl Cursor {
    /// At the first run of a whole HyperLogLog.
    pub const START: Cursor = Cursor { at: HEADER, first: 0 };
}

/// Where a register is.
struct Found {
    /// The run.
    opcode: Opcode,
    /// Its first byte.
    at: usize,
    /// Its first register.
    first: usize,
    /// The run before it.
    before: Option<usize>,
    /// The run before that, or where the search began. A change here leaves it as it is, so that a
    /// search for a higher register may begin there.
    resume: Cursor,
}

fn find(bytes: &[u8], start: Cursor, index: usize) -> Option<Found> {
    let Cursor { mut at, mut first } = start;
    let (mut before, mut resume) = (None, start);
    loop {
        let opcode = Opcode::at(bytes, at)?;
        if index < first + opcode.span() {
            let before = before.map(|cursor: Cursor| cursor.at);
            return Some(Found { opcode, at, first, before, resume });
        }
        resume = before.unwrap_or(start);
        before = Some(Cursor { at, first });
        at += opcode.size();
        first += opcode.span();
    }
}

/// A few bytes of runs.
struct Runs {
    bytes: [u8; 5],
    length: usize,
}

impl Runs {
    fn new() -> Self {
        Runs { bytes: [0; 5], length: 0 }
    }

    fn push(&mut self, byte: usize) {
        if let Some(place) = self.bytes.get_mut(self.length) {
            *place = u8::try_from(byte & 0xff).unwrap_or(0);
            self.length += 1;
        }
    }

    fn zeros(&mut self, length: usize) {
        match length {
            0 => {}
            1..=ZEROS_MAX => self.push(length - 1),
            _ => {
                self.push(0x40 | (length - 1) >> 8);
                self.push(length - 1);
            }
        }
    }

    fn run(&mut self, rank: u8, length: usize) {
        if length > 0 {
            self.push(usize::from(byte_of(rank, length)));
        }
    }

    fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

/// A run that is not of zeros: 1 to 32, 1 to 4 times.
fn byte_of(rank: u8, length: usize) -> u8 {
    let length = u8::try_from(length.saturating_sub(1) & 3).unwrap_or(0);
    0x80 | rank.saturating_sub(1) << 2 | length
}

/// Appends zeros.
pub(super) fn push_zeros(bytes: &mut Vec<u8>, length: usize) {
    let mut runs = Runs::new();
    runs.zeros(length);
    bytes.extend_from_slice(runs.as_slice());
}

/// What became of a register.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Raised {
    /// It is as high already.
    Kept,
    Changed,
    /// There is no room for the change in this form; nothing was changed.
    Full,
}

/// Raises a register of a whole sparse HyperLogLog to `rank`, if it is lower. The search begins at
/// `cursor`, which is moved to where one for a higher register may.
///
/// # Errors
/// No run covers it.
pub(super) fn raise(
    bytes: &mut Vec<u8>,
    index: usize,
    rank: u8,
    sparse_max: usize,
    cursor: &mut Cursor,
) -> Result<Raised, Corrupted> {
    if rank > RANK_MAX {
        return Ok(Raised::Full);
    }
    let mut found = find(bytes, *cursor, index).ok_or(Corrupted)?;
    if found.before.is_none() && *cursor != Cursor::START {
        found = find(bytes, Cursor::START, index).ok_or(Corrupted)?;
    }
    let Found { opcode, at, first, before, resume } = found;
    *cursor = resume;
    if opcode.rank() >= rank {
        return Ok(Raised::Kept);
    }
    if opcode.size() == 1 && opcode.span() == 1 {
        bytes[at] = byte_of(rank, 1);
    } else if !split(bytes, (opcode, at), (index - first, rank), sparse_max) {
        return Ok(Raised::Full);
    }
    join(bytes, before.unwrap_or(HEADER));
    Ok(Raised::Changed)
}

/// Splits the run at `at` around its register number `place`, which becomes `rank`. `false` if
/// the whole would become too long.
fn split(
    bytes: &mut Vec<u8>,
    (opcode, at): (Opcode, usize),
    (place, rank): (usize, u8),
    sparse_max: usize,
) -> bool {
    let mut runs = Runs::new();
    let rest = opcode.span() - place - 1;
    match opcode {
        Opcode::Zeros(_) | Opcode::ManyZeros(_) => {
            runs.zeros(place);
            runs.run(rank, 1);
            runs.zeros(rest);
        }
        Opcode::Run(old, _) => {
            runs.run(old, place);
            runs.run(rank, 1);
            runs.run(old, rest);
        }
    }
    let new = runs.as_slice();
    let length = bytes.len() + new.len() - opcode.size();
    if new.len() > opcode.size() && length > sparse_max {
        return false;
    }
    let end = (at + opcode.size()).min(bytes.len());
    bytes.splice(at..end, new.iter().copied());
    // A run whose second byte was missing counts as if it had been there.
    bytes.truncate(length);
    true
}

/// Joins neighbours of equal rank, from the run at `at` on.
fn join(bytes: &mut Vec<u8>, mut at: usize) {
    for _ in 0..JOINED {
        let Some(opcode) = Opcode::at(bytes, at) else { return };
        if let Opcode::Run(rank, length) = opcode
            && let Some(Opcode::Run(next, more)) = Opcode::at(bytes, at + 1)
            && next == rank
            && length + more <= RUN_MAX
        {
            bytes.remove(at);
            bytes[at] = byte_of(rank, length + more);
            continue;
        }
        at += opcode.size();
    }
}
