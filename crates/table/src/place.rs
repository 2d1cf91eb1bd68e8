//! Which bits of a hash mean what, and the arithmetic from a hash to a home bucket.
//!
//! ```text
//!  63        48 47                                             10 9        0
//! +------------+-------------------------------------------------+----------+
//! | tag (16)   | position P (38)                                 | shard    |
//! +------------+-------------------------------------------------+----------+
//!                |<- depth ->|<----- fraction of the segment --->|
//!                 directory    x bucket count >> width = home
//!                 index        bucket
//! ```
//!
//! The home bucket is a multiply and a shift ("fast range", Lemire 2016), so it is monotone in P:
//! walking directory, segments and buckets in order walks P in order, whatever the number of
//! buckets of each segment. That is what makes [`Table::scan`](crate::Table::scan) exact. The
//! shard bits must never reach this arithmetic: the tables of different shards would otherwise
//! use only a part of their buckets.

/// Bits of a position.
pub(crate) const POSITION_BITS: u32 = 38;
const SHARD_BITS: u32 = 10;
const TAG_SHIFT: u32 = 48;

/// One past the largest position: where a scan ends.
pub const END: u64 = 1 << POSITION_BITS;

/// The 16 bits kept beside the pointer of an entry; never 0, which marks an empty slot.
#[inline(always)]
pub(crate) fn tag(hash: u64) -> u16 {
    // The shift leaves 16 bits.
    ((hash >> TAG_SHIFT) as u16) | 1
}

/// The position of a hash in every table, below [`END`]: what cursors of scans count.
#[inline(always)]
#[must_use]
pub fn position(hash: u64) -> u64 {
    (hash >> SHARD_BITS) & (END - 1)
}

/// The position with its highest bit moved to bit 63 and zeros below: the form in which the
/// directory index and the fraction of a segment are plain shifts.
#[inline(always)]
pub(crate) fn aligned(hash: u64) -> u64 {
    (hash >> SHARD_BITS) << (64 - POSITION_BITS)
}

/// [`aligned`] for a position instead of a hash.
#[inline(always)]
pub(crate) fn aligned_position(position: u64) -> u64 {
    position << (64 - POSITION_BITS)
}

/// The directory index at `depth`: the top `depth` bits. Two shifts, as one by 64 is undefined.
#[inline(always)]
pub(crate) fn index(aligned: u64, depth: u32) -> usize {
    ((aligned >> 1) >> (63 - depth)) as usize
}

/// The bit that a segment of local depth `depth` splits by.
#[inline(always)]
pub(crate) fn split_bit(aligned: u64, depth: u32) -> bool {
    (aligned << depth) >> 63 != 0
}

/// The home bucket, below `buckets`, in a segment of local depth `depth`.
#[inline(always)]
pub(crate) fn home(aligned: u64, depth: u32, buckets: u32) -> u32 {
    let fraction = aligned << depth;
    // Below `buckets`, so it fits.
    ((u128::from(fraction) * u128::from(buckets)) >> 64) as u32
}

/// The first position, relative to its segment's first, whose home is `bucket` or later.
pub(crate) fn first_position(bucket: u32, depth: u32, buckets: u32) -> u64 {
    let range = END >> depth;
    let product = u128::from(bucket) * u128::from(range);
    match u64::try_from(product) {
        Ok(small) => small.div_ceil(u64::from(buckets)),
        // Below `range`, so it fits.
        Err(_) => product.div_ceil(u128::from(buckets)) as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_do_not_overlap() {
        assert_eq!(position(0x3ff), 0);
        assert_eq!(position(!0), END - 1);
        assert_eq!(position(0xffff << 48), 0);
        assert_eq!(tag(0), 1);
        assert_eq!(tag(!0), 0xffff);
        let hash = 0x1234_5678_9abc_def0;
        assert_eq!(aligned(hash), aligned_position(position(hash)));
    }

    #[test]
    fn index_takes_the_top_bits() {
        assert_eq!(index(!0, 0), 0);
        assert_eq!(index(!0, 1), 1);
        assert_eq!(index(0b101 << 61, 3), 0b101);
        assert!(split_bit(0b101 << 61, 0));
        assert!(!split_bit(0b101 << 61, 1));
    }

    #[test]
    fn first_position_is_the_inverse_of_home() {
        for depth in [0, 1, 7, 20, 32, 37, 38] {
            let range = END >> depth;
            for buckets in [1u32, 2, 3, 7, 79, 127, 1000, 65_537, u32::MAX] {
                for bucket in [0, 1, buckets / 3, buckets - 1] {
                    let first = first_position(bucket, depth, buckets);
                    if first < range {
                        assert!(home(aligned_position(first), depth, buckets) >= bucket);
                    }
                    if first > 0 {
                        assert!(home(aligned_position(first - 1), depth, buckets) < bucket);
                    }
                }
                assert_eq!(first_position(buckets, depth, buckets), range);
            }
        }
    }
}
