//! What large values are held in: a vector of blocks of which versions can be kept.
//!
//! ```text
//!   value ─► Blocks ─► root ─┬─► block 0
//!                      copy  ├─► block 1'     written since: the value has a copy of its own
//!   version ─► Frozen ─► root ┼─► block 1     left by the value, held by the version alone
//!                      as it └─► …            shared by both, and so is all below them
//!                      was
//! ```
//!
//! A type of value decides what a block is ([`Block`]): some dozen elements, a few kilobytes; what
//! is copied when one of them is written while a version shares it. Blocks hang in a tree of
//! [`FAN_OUT`] branches a node, by their numbers, so a version is one more reference to the root,
//! and an edit copies the block and the nodes above it at most: those that a version shares. Blocks
//! come and go at either end.
//!
//! Reference counts are the only protocol between threads. A node that a value leaves while
//! something else holds it belongs to versions from then on: what it takes is charged to
//! [`Versions`](base::Versions), and the charge goes when the node does, on whichever thread.
//! So [`Blocks::memory`] and what versions keep add up to what is there, at any time.
//!
//! What is no vector is made of single things with the same protocol: see [`Shared`].
//!
//! A value of several parts has [`Tree`]s, which may have gaps, below one [`Root`], and counts what
//! they take in one [`Ledger`]. It can be forked: a fork shares everything, is written privately,
//! and takes the value's place or is dropped without a trace.
//!
//! A clone of blocks shares nothing with them: each value owns what it counts.
#![forbid(unsafe_code)]

mod blocks;
mod frozen;
mod ledger;
mod node;
mod root;
mod shared;
mod tree;

pub use blocks::Blocks;
pub use frozen::Frozen;
pub use ledger::{Leaving, Ledger, Left, Whole};
pub use node::{Block, FAN_OUT};
pub use root::Root;
pub use shared::Shared;
pub use tree::Tree;

#[cfg(test)]
mod fork_tests;
#[cfg(test)]
mod tests;
