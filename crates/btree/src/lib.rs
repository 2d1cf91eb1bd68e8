//! A counted B+tree: an ordered set whose elements are found by rank, and ranks by element.
//!
//! ```text
//!   Tree ─► View: root, len ─► Node ─► Inner: separators, counts, kids
//!                                        └─► leaves: one allocation each, as a Layout keeps it
//!
//!   Layout      an element                    what it is for
//!   Scored      score, member                 sorted sets
//!   Fixed<E>    numbers, pairs of numbers     indexes over numbers and dates: (key, row)
//!   Strings     a byte string                 indexes over strings and several fields
//! ```
//!
//! * [`Layout`] is how a node keeps its elements; it is chosen by their type, and the separators of
//!   inner nodes are kept in the same way. All else is the same for all.
//! * Every inner node knows how many elements are below each kid, so a range is first turned into
//!   ranks, whose difference is the count; it is then walked from either end, or removed.
//! * [`Hold`] is how nodes are held. A tree is [`Alone`] and pays nothing for versions, or it is a
//!   [`SharedTree`], of which readers on other threads keep versions: an edit copies the leaf and
//!   the nodes above it, as far as a version shares them, and what the tree leaves is charged to
//!   [`base::Versions`] as with blocks of the crate `blocks`.
//! * A [`Part`] is a tree that is part of a value of several parts, forked and counted with them.
//! * [`Tree::memory`] is what the nodes have allocated, exactly, at any time.
//! * Elements come one at a time, in sorted batches ([`Tree::apply`]), or all at once
//!   ([`Tree::build`]). A [`Cursor`] reads on where it was, whatever was changed meanwhile.
//!
//! The key names of a database have a tree by themselves, the crate `index`: it is changed in large
//! sorted batches only, for which its exact, immutable leaves are smaller and quicker.
//! `benches/btree.rs` measures both, and has the figures at its top.
//!
//! Reading order: `node.rs`, `inner.rs`, `edit.rs`, [`View`], [`Tree`], then [`Layout`] and its
//! three kinds.
//!
//! It knows no locks, threads or clocks, and needs no unsafe code.
#![forbid(unsafe_code)]

mod batch;
mod build;
mod check;
mod cursor;
mod edit;
mod hold;
mod inner;
mod layout;
mod node;
mod part;
mod tree;
mod view;

pub use batch::Change;
pub use cursor::Cursor;
pub use hold::{Alone, Hold, Shared};
pub use layout::{
    Element, Fixed, Layout, Scored, Strings, Text, f64_of_rank_bits, order_of_scored,
    rank_bits_of_f64,
};
pub use part::Part;
pub use tree::{SharedTree, Tree};
pub use view::{Frozen, Iter, View};

#[cfg(test)]
mod part_tests;
#[cfg(test)]
mod tests;
