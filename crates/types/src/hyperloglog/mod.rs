//! HyperLogLog: how many distinct elements were seen, to within a percent, in at most 12 KiB.
//!
//! A HyperLogLog is a string, as in Redis, byte for byte: clients store, dump and restore it.
//!
//! ```text
//!   0     4          5      8             16
//!   HYLL | encoding | zeros | cardinality | registers
//!
//!   encoding     0 dense (dense.rs), 1 sparse (sparse.rs)
//!   cardinality  little endian; the highest bit says that it is out of date
//! ```
//!
//! There are 16384 registers. An element's hash (`murmur`) names one of them by its low 14 bits;
//! the register keeps the highest rank seen, that of the lowest set bit among the others. From the
//! counts of ranks follows the estimate (`estimate`).
//!
//! Flajolet, Fusy, Gandouet, Meunier: "HyperLogLog: the analysis of a near-optimal cardinality
//! estimation algorithm", 2007. The bytes come from clients: whatever they are, nothing here
//! panics, and no loop is longer than they are.

mod dense;
mod estimate;
mod murmur;
mod self_test;
mod sparse;

pub use dense::Registers;
pub use self_test::{Fault, self_test};
pub use sparse::{Opcode, opcodes};

/// Registers of a HyperLogLog.
pub const REGISTERS: usize = 1 << INDEX_BITS;
/// Bits of the hash that name a register.
const INDEX_BITS: u32 = 14;
/// Bits of the hash that are left for the rank.
const RANK_BITS: u32 = 64 - INDEX_BITS;
/// Bytes before the registers.
const HEADER: usize = 16;
const MAGIC: &[u8; 4] = b"HYLL";
/// Bytes of a dense HyperLogLog.
const DENSE_BYTES: usize = HEADER + dense::BYTES;
/// The seed of the hash, by convention.
const SEED: u64 = 0xadc8_3b19;

/// How the registers are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Six bits each.
    Dense,
    /// Runs of equal ones.
    Sparse,
}

/// The header is right, and what follows is not: runs that do not add up to all registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Corrupted;

/// A HyperLogLog that has seen nothing: sparse, up to date.
///
/// ```
/// use kvist_types::hyperloglog::{add, count, empty};
/// let mut bytes = empty();
/// assert_eq!(add(&mut bytes, b"ann", 3000), Ok(true));
/// assert_eq!(add(&mut bytes, b"bob", 3000), Ok(true));
/// assert_eq!(add(&mut bytes, b"ann", 3000), Ok(false));
/// assert_eq!(count(&bytes), Ok(2));
/// ```
#[must_use]
pub fn empty() -> Vec<u8> {
    let mut bytes = vec![0; HEADER];
    bytes[..4].copy_from_slice(MAGIC);
    bytes[4] = 1;
    sparse::push_zeros(&mut bytes, REGISTERS);
    bytes
}

/// The encoding, if these bytes have the header of a HyperLogLog and, if dense, the right length.
#[must_use]
pub fn encoding(bytes: &[u8]) -> Option<Encoding> {
    if bytes.len() < HEADER || !bytes.starts_with(MAGIC) {
        return None;
    }
    match bytes[4] {
        0 if bytes.len() == DENSE_BYTES => Some(Encoding::Dense),
        1 => Some(Encoding::Sparse),
        _ => None,
    }
}

/// Where an element belongs: its register, and the rank it has there.
fn place(element: &[u8]) -> (usize, u8) {
    let hash = murmur::hash(element, SEED);
    let index = (hash & (REGISTERS as u64 - 1)) as usize; // 14 bits
    // A bit above all others ends the search where all of them are clear.
    let rank = ((hash >> INDEX_BITS) | 1 << RANK_BITS).trailing_zeros() + 1;
    (index, u8::try_from(rank).unwrap_or(u8::MAX))
}

/// Whether [`add`] would change nothing, as far as can be told without changing anything.
#[must_use]
pub fn has_seen(bytes: &[u8], element: &[u8]) -> bool {
    let (index, rank) = place(element);
    let old = match encoding(bytes) {
        Some(Encoding::Dense) => Some(dense::get(&bytes[HEADER..], index)),
        Some(Encoding::Sparse) => sparse::get(&bytes[HEADER..], index),
        None => None,
    };
    old.is_some_and(|old| old >= rank)
}

/// Adds an element; whether that changed a register. A sparse HyperLogLog that would become longer
/// than `sparse_max` bytes becomes dense. The cardinality is left as it is by a change of a dense
/// one: call [`invalidate`]. O(1) dense, O(length) sparse.
///
/// # Errors
/// The registers are corrupted.
pub fn add(bytes: &mut Vec<u8>, element: &[u8], sparse_max: usize) -> Result<bool, Corrupted> {
    let (index, rank) = place(element);
    raise(bytes, index, rank, sparse_max)
}

/// Raises a register to `rank`, if it is lower; as [`add`].
///
/// # Errors
/// The registers are corrupted.
pub fn raise(
    bytes: &mut Vec<u8>,
    index: usize,
    rank: u8,
    sparse_max: usize,
) -> Result<bool, Corrupted> {
    let mut cursor = sparse::Cursor::START;
    raise_from(bytes, (index, rank), sparse_max, &mut cursor)
}

/// As [`raise`], with a search that begins at `cursor`, if the form is sparse.
fn raise_from(
    bytes: &mut Vec<u8>,
    (index, rank): (usize, u8),
    sparse_max: usize,
    cursor: &mut sparse::Cursor,
) -> Result<bool, Corrupted> {
    match encoding(bytes).ok_or(Corrupted)? {
        Encoding::Dense => Ok(dense::raise(&mut bytes[HEADER..], index, rank)),
        Encoding::Sparse => match sparse::raise(bytes, index, rank, sparse_max, cursor)? {
            sparse::Raised::Kept => Ok(false),
            sparse::Raised::Changed => {
                invalidate(bytes);
                Ok(true)
            }
            sparse::Raised::Full => {
                to_dense(bytes)?;
                Ok(dense::raise(&mut bytes[HEADER..], index, rank))
            }
        },
    }
}

/// Makes a sparse HyperLogLog dense; whether it was not. The header stays as it is.
///
/// # Errors
/// The registers are corrupted; then nothing is changed.
pub fn to_dense(bytes: &mut Vec<u8>) -> Result<bool, Corrupted> {
    if encoding(bytes).ok_or(Corrupted)? == Encoding::Dense {
        return Ok(false);
    }
    let mut registers = Registers::default();
    registers.merge(bytes)?;
    bytes.truncate(HEADER);
    bytes[4] = 0;
    registers.pack(bytes);
    Ok(true)
}

/// The cardinality that was kept, if it is up to date.
#[must_use]
pub fn cached(bytes: &[u8]) -> Option<u64> {
    let card = u64::from_le_bytes(*bytes.get(8..HEADER)?.first_chunk()?);
    (card >> 63 == 0).then_some(card)
}

/// Keeps a cardinality.
pub fn cache(bytes: &mut [u8], card: u64) {
    if let Some(place) = bytes.get_mut(8..HEADER) {
        place.copy_from_slice(&card.to_le_bytes());
    }
}

/// Says that the cardinality that was kept is out of date.
pub fn invalidate(bytes: &mut [u8]) {
    if let Some(byte) = bytes.get_mut(HEADER - 1) {
        *byte |= 0x80;
    }
}

/// Works out the cardinality, whatever is kept. O(length).
///
/// # Errors
/// The registers are corrupted.
pub fn count(bytes: &[u8]) -> Result<u64, Corrupted> {
    let histogram = match encoding(bytes).ok_or(Corrupted)? {
        Encoding::Dense => dense::histogram(&bytes[HEADER..]),
        Encoding::Sparse => sparse::histogram(&bytes[HEADER..])?,
    };
    Ok(histogram.estimate())
}

#[cfg(test)]
#[path = "hyperloglog_tests.rs"]
mod tests;
