//! The hash table on which Kvist stands: cache-line buckets, one allocation per entry, and no
//! operation that touches more than one segment.
//!
//! This is the only crate of the store with `unsafe` code, and it is there for four things: a
//! pointer that shares its word with 16 bits of hash, entries whose parts have any length, buckets
//! that are compared with one instruction per sixteen bytes, and buffers and boxes that are one
//! word at any address ([`Block`], [`UnalignedBox`]), of which small values are made.
//!
//! # The way to an entry
//!
//! ```text
//!   hash: | tag 16 |     position P 38       | shard 10 |
//!              |     |  top bits |  the rest
//!              |          |           |
//!   directory  |          v           |
//!   +-----+-----+-----+-----+-----+   |
//!   |     |     |  *  |     |     |   |         1. one word: segment, bucket count, depth
//!   +-----+-----+--|--+-----+-----+   |
//!                  v                  v
//!   segment    | header | b 0 | b 1 | b 2 |...| b n-1 |      n = 1, 2, 3, 5, 7 ... 127
//!                                     |
//!                                     v
//!   bucket     | tag+ptr | tag+ptr | tag+ptr | ... x 7 | overflow, hints |   2. 64 bytes
//!                             |
//!                             v
//!   entry      | flags, access, lengths | deadline? | key | value or object |   3. one block
//! ```
//!
//! A hit reads a word of the directory (small, mostly in cache), one line of a segment and the
//! lines of the entry; a miss ends at the bucket but for one tag in some thousands. A batch of
//! look-ups calls [`Table::prefetch_bucket`] for all its hashes, then [`Table::prefetch_entry`]
//! for all, then [`Table::find`]: the memory accesses of the batch then overlap.
//!
//! # How it grows
//!
//! Small tables are one segment of one bucket (128 bytes) and grow by small steps, so the table
//! also serves as large hash or set inside a value. A segment of 127 buckets (some 800 entries)
//! splits in two by the next bit of P. That takes some ten microseconds and is the longest pause
//! there is but for the doubling of the directory, which has 8 bytes per segment. Sparse segments
//! shrink, and merge with their buddies. Nothing ever rehashes the whole table.
//!
//! # Order and scans
//!
//! The home bucket is a monotone function of P, so the table is always in the order of P. A scan
//! cursor is simply a P: see [`Table::scan`] for what it guarantees.
//!
//! # Memory
//!
//! Everything is allocated in the size classes of the allocator ([`size_class()`]), and
//! [`Table::memory`] is exact at any time, in O(1). A key of 16 bytes with a value of 100 bytes
//! takes 128 bytes and about 11.5 bytes of buckets.
//!
//! # Rules of the unsafe code
//!
//! * Slots and links are pointers with extra bits, never integers: provenance is strict.
//! * `Entry`, `Segment` and `BucketRef` are copyable handles whose methods rely on their block
//!   being alive. They never leave the crate; `view.rs` wraps them with lifetimes.
//! * No reference ever covers the header of an entry, a header of a segment or a bucket: these
//!   are read and written through raw pointers only, so that views cannot alias them.
//! * The table is not `Sync`.
//! * `Block` and `UnalignedBox` own what they point to and may lie at any address: their pointer is
//!   only read and written by value, and never borrowed.
//! * User code (hasher, drop of objects, visitors) may panic anywhere: the table stays whole, or
//!   leaks, but never frees twice.

mod block;
mod bucket;
#[cfg(test)]
mod check;
mod directory;
mod entry;
mod grow;
mod iter;
#[cfg(test)]
mod model_tests;
mod place;
mod prefetch;
pub mod room;
mod scan;
mod segment;
mod size_class;
mod slot;
mod table;
mod unaligned;
mod view;

pub use block::Block;
pub use iter::Iter;
pub use place::{END as POSITIONS, position};
pub use prefetch::prefetch_room;
pub use size_class::{grown, size_class};
pub use table::{KeyHash, Table};
pub use unaligned::UnalignedBox;
pub use view::{Content, EntryMut, EntryRef, MAX_ACCESS, MAX_USER_FLAGS, Put, Removed};
