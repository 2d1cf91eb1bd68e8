//! The sizes an allocator really hands out.
//!
//! Entries, segments and directories are all asked for in these sizes, so that what
//! [`Table::memory`](crate::Table::memory) adds up is what the allocator has given away, and so
//! that a value may grow into the slack of its block without a move.
//!
//! ```text
//!   8   16 32 48 64 80 96 112 128   160 192 224 256   320 384 ...   512 KiB   +64 KiB ...
//!   ^   ^---- steps of 16 ----^     ^---- four steps per doubling --------^   ^ slices
//! ```
//!
//! These are mimalloc's bins on a 64-bit machine (there is no 24, 40 or 56: blocks are kept
//! 16-byte aligned); jemalloc's differ only below 128 bytes. A test holds this file against the
//! allocator itself: a request of a class gets a block of just that size (up to 2 MiB; for more
//! the allocator may take some percent more). It must never return less than it was asked for.

/// Largest size that has a bin; above it blocks are made of whole slices of a segment.
const LARGEST_BIN: usize = 512 << 10;
const SLICE: usize = 64 << 10;

/// The size in bytes of the block an allocator returns for a request of `bytes`.
///
/// Monotone, idempotent and O(1); `size_class(0)` is 0, as nothing is allocated.
///
/// ```
/// use kvist_table::size_class;
/// assert_eq!(size_class(6 + 16 + 100), 128);
/// assert_eq!(size_class(129), 160);
/// assert_eq!(size_class(size_class(1000)), size_class(1000));
/// ```
#[inline]
#[must_use]
pub const fn size_class(bytes: usize) -> usize {
    let step = if bytes <= 8 {
        8
    } else if bytes <= 128 {
        16
    } else if bytes <= LARGEST_BIN {
        1 << ((bytes - 1).ilog2() - 2)
    } else {
        SLICE
    };
    // Wraps only for requests no allocator can serve, and those it refuses.
    bytes.wrapping_add(step - 1) & !(step - 1)
}

/// The size to give to something that grows and needs `bytes` now: the next class, and an eighth
/// more where classes are slices, which alone would make growth quadratic. O(1).
#[inline]
#[must_use]
pub const fn grown(bytes: usize) -> usize {
    if bytes <= LARGEST_BIN { size_class(bytes) } else { size_class(bytes + bytes / 8) }
}

#[cfg(test)]
mod tests {
    use super::{grown, size_class};

    #[test]
    fn growth_is_geometric() {
        let (mut size, mut steps) = (1, 0);
        while size < 1 << 30 {
            let next = grown(size + 1);
            assert!(next > size && next == size_class(next));
            (size, steps) = (next, steps + 1);
        }
        assert!(steps < 160, "{steps}");
    }

    #[test]
    fn known_classes() {
        for (n, class) in [
            (0, 0),
            (1, 8),
            (9, 16),
            (17, 32),
            (33, 48),
            (64, 64),
            (113, 128),
            (129, 160),
            (8192, 8192),
            (8193, 10240),
            (524_288, 524_288),
            (524_289, 589_824),
        ] {
            assert_eq!(size_class(n), class, "size {n}");
        }
    }

    #[test]
    fn never_less_never_much_more_and_stable() {
        let mut last = 0;
        for n in 1..70_000 {
            let class = size_class(n);
            assert!(class >= n && class >= last);
            assert!(n <= 16 || class - n <= 15.max(n / 4));
            assert_eq!(size_class(class), class);
            last = class;
        }
    }
}
