//! The directory: from the top bits of a position to the segment that holds it.
//!
//! ```text
//!  depth 2          links                          segments
//!                  +------+
//!         00       |  ----+---------------------> local depth 2
//!                  +------+
//!         01       |  ----+---------------------> local depth 2
//!                  +------+
//!         10       |  ----+---------------+-----> local depth 1: two links, one segment
//!                  +------+               |
//!         11       |  ----+---------------+
//!                  +------+
//! ```
//!
//! A link is one word, so that finding a bucket reads the directory and the bucket, never the
//! header of the segment:
//!
//! ```text
//!  63            48 47                                    6 5        0
//! +----------------+---------------------------------------+----------+
//! | bucket count   | address of the segment / 64           | depth    |
//! +----------------+---------------------------------------+----------+
//!   0xffff: look into the header (only segments that cannot be split are that large)
//! ```
//!
//! The directory of an empty table allocates nothing. It may not grow without bound when keys
//! collide: [`Directory::may_split`] ties it to the number of entries.

use core::ptr::NonNull;

use crate::place;
use crate::segment::Segment;
use crate::size_class::size_class;

const COUNT_SHIFT: u32 = 48;
const IN_HEADER: usize = 0xffff;
const DEPTH: usize = 63;
const ADDRESS: usize = (1 << COUNT_SHIFT) - 1 - DEPTH;

/// Deepest directory: what positions can tell apart, and what `index` can shift by.
pub(crate) const DEEPEST: u32 = place::POSITION_BITS;
/// Entries there must be for every link of a doubled directory; a table of well-spread keys has
/// more than twice as many.
const ENTRIES_PER_LINK: usize = 64;

#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Link(NonNull<u8>);

impl Link {
    pub(crate) fn new(segment: Segment, depth: u32) -> Link {
        debug_assert!(depth <= DEEPEST);
        let count = (segment.buckets() as usize).min(IN_HEADER);
        debug_assert!(segment.pointer().addr().get() & !ADDRESS == 0);
        let extra = (count << COUNT_SHIFT) | depth as usize;
        Link(segment.pointer().map_addr(|address| address | extra))
    }

    #[inline(always)]
    pub(crate) fn segment(self) -> Segment {
        let pointer = self.0.as_ptr().map_addr(|address| address & ADDRESS);
        // SAFETY: `new` joined the address of a segment, which is not null and loses no bits by
        // the mask, and the directory holds links of living segments only.
        unsafe { Segment::from_pointer(NonNull::new_unchecked(pointer)) }
    }

    #[inline(always)]
    pub(crate) fn buckets(self) -> u32 {
        let count = self.0.addr().get() >> COUNT_SHIFT;
        if count == IN_HEADER {
            return self.segment().buckets();
        }
        // 16 bits are left.
        count as u32
    }

    /// The local depth of the segment: how many leading bits its positions share.
    #[inline(always)]
    pub(crate) fn depth(self) -> u32 {
        // 6 bits are left.
        (self.0.addr().get() & DEPTH) as u32
    }
}

pub(crate) struct Directory {
    links: Box<[Link]>,
    depth: u32,
    /// Segments whose local depth is that of the directory; when there is none, it can halve.
    deepest: usize,
}

impl Directory {
    pub(crate) fn new() -> Directory {
        Directory { links: Box::default(), depth: 0, deepest: 0 }
    }

    pub(crate) fn with_root(segment: Segment) -> Directory {
        Directory { links: Box::new([Link::new(segment, 0)]), depth: 0, deepest: 1 }
    }

    /// A directory whose links all have a segment of their own, in the order of positions: 2^depth
    /// of them.
    pub(crate) fn with_segments(depth: u32, segments: &[Segment]) -> Directory {
        let links: Box<[Link]> =
            segments.iter().map(|&segment| Link::new(segment, depth)).collect();
        debug_assert_eq!(links.len(), 1 << depth);
        Directory { deepest: links.len(), links, depth }
    }

    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.links.is_empty()
    }

    /// Bytes of the directory, as the allocator counts them.
    #[inline]
    pub(crate) fn memory(&self) -> usize {
        size_class(size_of_val(&*self.links))
    }

    /// How many bits of a position its index has.
    pub(crate) fn depth(&self) -> u32 {
        self.depth
    }

    /// Recounts what the directory believes of itself.
    #[cfg(test)]
    pub(crate) fn check(&self) {
        assert!(self.is_empty() || self.links.len() == 1 << self.depth);
        let deepest = self.links.iter().filter(|link| link.depth() == self.depth).count();
        assert_eq!(self.deepest, deepest);
        assert!(self.is_empty() || deepest > 0, "halved as far as possible");
        let mut covered = 0;
        for (link, first) in self.segments_from(0) {
            assert_eq!(place::index(first, self.depth), covered);
            let span = 1 << (self.depth - link.depth());
            for link_of_span in &self.links[covered..covered + span] {
                assert_eq!(link_of_span.0, link.0);
            }
            covered += span;
        }
        assert_eq!(covered, self.links.len());
    }

    /// The link for an aligned position, or `None` for a table that never had an entry.
    #[inline(always)]
    pub(crate) fn link(&self, aligned: u64) -> Option<Link> {
        if self.links.is_empty() {
            return None;
        }
        let index = place::index(aligned, self.depth);
        debug_assert!(index < self.links.len());
        // SAFETY: the index has `depth` bits, and there are 2^depth links unless there are none.
        Some(unsafe { *self.links.get_unchecked(index) })
    }

    /// Each segment once, in the order of positions, starting with the one that holds `aligned`.
    pub(crate) fn segments_from(&self, aligned: u64) -> Segments<'_> {
        let next = if self.is_empty() { 0 } else { place::index(aligned, self.depth) };
        Segments { directory: self, next }
    }

    /// Makes all links of the part of `depth` bits that holds `aligned` point to `segment`.
    pub(crate) fn set(&mut self, aligned: u64, depth: u32, segment: Segment) {
        let span = 1usize << (self.depth - depth);
        let first = place::index(aligned, self.depth) & !(span - 1);
        let link = Link::new(segment, depth);
        self.links[first..first + span].fill(link);
    }

    /// Whether a segment of that local depth may be split in a table of `entries`: either there
    /// are links enough, or the directory may double.
    pub(crate) fn may_split(&self, depth: u32, entries: usize) -> bool {
        let links = self.links.len() * 2;
        depth < self.depth || (depth < DEEPEST && links * ENTRIES_PER_LINK <= entries)
    }

    /// Replaces the segment that holds `aligned` by its two halves.
    pub(crate) fn split(&mut self, aligned: u64, depth: u32, halves: [Segment; 2]) {
        if depth == self.depth {
            self.links = self.links.iter().flat_map(|&link| [link, link]).collect();
            self.depth += 1;
            self.deepest = 0;
        }
        let bit = 1 << (63 - depth);
        self.set(aligned & !bit, depth + 1, halves[0]);
        self.set(aligned | bit, depth + 1, halves[1]);
        if depth + 1 == self.depth {
            self.deepest += 2;
        }
    }

    /// The other half of the segment of local depth `depth` that holds `aligned`, if it has not
    /// been split further itself.
    pub(crate) fn buddy(&self, aligned: u64, depth: u32) -> Option<Segment> {
        if depth == 0 {
            return None;
        }
        let link = self.link(aligned ^ (1 << (64 - depth)))?;
        (link.depth() == depth).then(|| link.segment())
    }

    /// Replaces both halves of local depth `depth` around `aligned` by one segment, and halves
    /// the directory as often as no segment needs its last bit.
    pub(crate) fn merge(&mut self, aligned: u64, depth: u32, whole: Segment) {
        self.set(aligned, depth - 1, whole);
        if depth == self.depth {
            self.deepest -= 2;
        }
        while self.deepest == 0 && self.depth > 0 {
            self.links = self.links.iter().step_by(2).copied().collect();
            self.depth -= 1;
            self.deepest = self.links.iter().filter(|link| link.depth() == self.depth).count();
        }
    }
}

/// See [`Directory::segments_from`]. Yields the segment's link and its first aligned position.
pub(crate) struct Segments<'a> {
    directory: &'a Directory,
    next: usize,
}

impl Iterator for Segments<'_> {
    type Item = (Link, u64);

    #[inline]
    fn next(&mut self) -> Option<(Link, u64)> {
        let link = *self.directory.links.get(self.next)?;
        let depth = self.directory.depth;
        let span = 1usize << (depth - link.depth());
        let first = self.next & !(span - 1);
        self.next = first + span;
        // Two shifts, as one by 64 is undefined. An index fits a u64.
        Some((link, ((first as u64) << (63 - depth)) << 1))
    }
}

#[cfg(test)]
#[path = "directory_tests.rs"]
mod tests;
