//! The dense form: 16384 registers of six bits, the low bits of a byte first.
//!
//! ```text
//!   byte     0        1        2
//!        bb aaaaaa  cccc bbbb  dddddd cc      (written from the high bit to the low one)
//! ```
//!
//! Four registers fill three bytes exactly, so that all but single look-ups go by such groups.

use super::estimate::Histogram;
use super::{Corrupted, Encoding, HEADER, REGISTERS, encoding, sparse};

/// Bits of a register.
const BITS: usize = 6;
/// Bytes of all registers.
pub(super) const BYTES: usize = REGISTERS * BITS / 8;

/// The registers of a group.
#[inline]
fn unpack(group: &[u8]) -> [u8; 4] {
    let [a, b, c] = *group.first_chunk().unwrap_or(&[0; 3]);
    [a & 63, (a >> 6 | b << 2) & 63, (b >> 4 | c << 4) & 63, c >> 2]
}

/// A register; `registers` are all [`BYTES`] of them.
pub(super) fn get(registers: &[u8], index: usize) -> u8 {
    let group = registers.get(index / 4 * 3..).unwrap_or_default();
    unpack(group)[index % 4]
}

/// Raises a register to `rank`, if it is lower; whether it was.
pub(super) fn raise(registers: &mut [u8], index: usize, rank: u8) -> bool {
    let Some(group) = registers.get_mut(index / 4 * 3..index / 4 * 3 + 3) else { return false };
    let mut values = unpack(group);
    if values[index % 4] >= rank {
        return false;
    }
    values[index % 4] = rank;
    group.copy_from_slice(&pack(values));
    true
}

#[inline]
fn pack([a, b, c, d]: [u8; 4]) -> [u8; 3] {
    [a | b << 6, b >> 2 | c << 4, c >> 4 | d << 2]
}

/// How often each rank occurs.
pub(super) fn histogram(registers: &[u8]) -> Histogram {
    // Neighbours are often equal, and a count must be stored before it is loaded again: so each
    // register of a group has counts of its own.
    let mut counts = [[0_u32; 64]; 4];
    for group in registers.chunks_exact(3) {
        let values = unpack(group);
        for (counts, value) in counts.iter_mut().zip(values) {
            counts[usize::from(value & 63)] += 1;
        }
    }
    let mut histogram = Histogram::default();
    for (rank, sum) in histogram.0.iter_mut().enumerate() {
        *sum = counts.iter().map(|counts| counts[rank]).sum();
    }
    histogram
}

/// Registers of a byte each: what several HyperLogLogs have seen together.
pub struct Registers(Box<[u8; REGISTERS]>);

impl Default for Registers {
    fn default() -> Self {
        Registers(Box::new([0; REGISTERS]))
    }
}

impl Registers {
    /// Raises each register to that of another HyperLogLog. O(its length).
    ///
    /// # Errors
    /// The other one is corrupted; some registers may have been raised.
    pub fn merge(&mut self, bytes: &[u8]) -> Result<(), Corrupted> {
        match encoding(bytes).ok_or(Corrupted)? {
            Encoding::Dense => {
                let groups = bytes[HEADER..].chunks_exact(3);
                for (mine, theirs) in self.0.chunks_exact_mut(4).zip(groups) {
                    for (mine, theirs) in mine.iter_mut().zip(unpack(theirs)) {
                        *mine = (*mine).max(theirs);
                    }
                }
                Ok(())
            }
            Encoding::Sparse => sparse::runs(&bytes[HEADER..], |start, length, rank| {
                if rank > 0 {
                    let run = self.0.iter_mut().skip(start).take(length);
                    run.for_each(|mine| *mine = (*mine).max(rank));
                }
            }),
        }
    }

    /// The number of elements seen. O(1), that is, all registers.
    #[must_use]
    pub fn count(&self) -> u64 {
        let mut histogram = Histogram::default();
        self.0.iter().for_each(|rank| histogram.0[usize::from(rank & 63)] += 1);
        histogram.estimate()
    }

    /// All registers, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = u8> {
        self.0.iter().copied()
    }

    /// Appends the dense form.
    pub(super) fn pack(&self, out: &mut Vec<u8>) {
        out.reserve_exact(BYTES);
        let (groups, _) = self.0.as_chunks();
        groups.iter().for_each(|group| out.extend_from_slice(&pack(*group)));
    }

    /// Raises the registers of a HyperLogLog to these. A sparse one that would become longer than
    /// `sparse_max` bytes becomes dense.
    ///
    /// # Errors
    /// It is corrupted.
    pub fn raise_all(&self, bytes: &mut Vec<u8>, sparse_max: usize) -> Result<(), Corrupted> {
        if encoding(bytes).ok_or(Corrupted)? == Encoding::Dense {
            let groups = bytes[HEADER..].chunks_exact_mut(3);
            for (group, mine) in groups.zip(self.0.chunks_exact(4)) {
                let theirs = unpack(group);
                group.copy_from_slice(&pack(std::array::from_fn(|n| theirs[n].max(mine[n]))));
            }
            return Ok(());
        }
        // A sparse one may become dense on the way. The registers come in order, so that each
        // search goes on where the one before ended.
        let mut cursor = sparse::Cursor::START;
        for (index, &rank) in self.0.iter().enumerate() {
            if rank > 0 {
                super::raise_from(bytes, (index, rank), sparse_max, &mut cursor)?;
            }
        }
        Ok(())
    }
}
