//! The values of Kvist's collections, as pure data structures.
//!
//! [`Hash`](struct@Hash), [`List`], [`Set`] and [`ZSet`] each have a small form, one compact
//! allocation, and a large one that scales; they change from one to the other at exactly the
//! moments at which Redis 7.0 does, one way only, so that `OBJECT ENCODING` agrees. The limits come
//! with every mutating call, as they can change at run time. A [`Stream`] has one form, that of
//! Redis to the byte. A [`Json`] wraps a document of the crate `json`, a
//! [`Graph`] a graph of the crate `graph`, a [`Folio`] a project of the crate `folio`.
//!
//! The folder of a type says all about it: `mod.rs` what it is in memory, `image.rs` what it is in
//! snapshots and in the journal, `copy.rs` how a large value is copied a part at a time, and
//! `portable.rs` what it is in Redis's files and in what `DUMP` answers. [`base::objects`] lists
//! all types.
//!
//! [`hyperloglog`] has no type of its own: it reads and edits the bytes of strings.
//!
//! Nothing here knows keys, locks, clocks, sockets or files; random numbers are handed in. All
//! values are `Send`, tell their memory in O(1) and exactly, and never fail: an edit that makes no
//! sense does nothing and says so.
#![forbid(unsafe_code)]

// The list of all types names them as other crates do.
extern crate self as types;

mod contexts;
mod copied;
mod elements;
#[cfg(debug_assertions)]
pub mod example;
mod folio;
mod graph;
mod hash;
mod hasher;
pub mod hyperloglog;
pub mod intset;
mod json;
pub mod list;
mod notes;
mod ordered;
pub mod packed;
pub mod pre_image;
mod sample;
pub mod set;
pub mod stream;
mod table_copy;
mod traced;
pub mod zset;

/// Walking hashes.
pub mod fields {
    pub use crate::hash::Iter;
}

pub use base::Copier;
pub use contexts::{Contexts, Slot, SlotOf};
pub use folio::{Folio, FolioFork};
pub use graph::{Graph, GraphTools, cut_statement};
pub use hash::Hash;
pub use hasher::{Places, hash_tables_alike, members_have_a_seed, seed_members};
pub use json::{Documents, Json, JsonTools, Parts, may_hold_patterns};
pub use list::{End, List};
pub use ordered::{Edge, Held, KeyList, Ordered, Span};
pub use pre_image::Noted;
pub use set::{Member, Set};
pub use stream::Stream;
pub use zset::ZSet;
