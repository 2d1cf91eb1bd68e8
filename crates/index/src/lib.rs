//! An ordered index of key names: which keys there are, in the order of their bytes.
//!
//! ```text
//!                     Inner: separators, children, keys below each child
//!                    /      |       \
//!   Block  [ prefix "key:00012" | 07 08 12 13 ... ]     leaves: no key is kept whole
//! ```
//!
//! * It holds copies of names and nothing else: entries of the hash table may move as they like,
//!   and what a key holds is looked up there.
//! * A leaf keeps what its keys have in common once, so a key costs some seven bytes where names
//!   are numbered, and a scan copies a few bytes per key.
//! * Every inner node knows how many keys are below each child: counting a range costs two
//!   descents, whatever is in it.
//! * Changes come in sorted batches ([`Tree::apply`]): a leaf is packed anew once per batch, not
//!   once per key. [`Delta`] is where they wait until then.
//!
//! Other ordered sets stand on the crate `btree`, whose nodes have room to change an element at a
//! time. With byte strings it takes a tenth more per short name and merges large batches more
//! slowly (`btree/benches/btree.rs`); this tree is changed by batches only, and is there for every
//! key. So it stays by itself.
//!
//! Reading order: `block.rs`, [`Tree`], `apply.rs`, [`Builder`], [`Delta`], `sort.rs`.
//!
//! It knows no locks, threads or clocks, and needs no unsafe code.
#![forbid(unsafe_code)]

mod apply;
mod block;
mod build;
mod check;
mod delta;
mod keys;
mod prefix;
mod sort;
mod tree;

pub use build::{Builder, merge};
pub use delta::{Change, Delta, changes};
pub use keys::KeyList;
pub use sort::sort;
pub use tree::{Edge, Span, Tree};
