//! Every data command, one file per verb, one folder per family.
//!
//! A command is a struct with a [`base::Spec`] (what it is), a `parse` (its arguments) and a
//! `run` (its behaviour on any host that holds what it needs). Nothing here knows sockets, locks,
//! clocks or files. `string/get.rs` is the example to copy; CONTRIBUTING.md says the rest.
//!
//! The bounds of a family's `rows` are what its commands touch together, so that a host takes the
//! families it holds. [`rows`] are all of them, for a host that holds everything:
//!
//! ```
//! use base::{Holds, Row, Strings};
//! use types::{Hash, Json, List, Ordered, Set, Stream, ZSet};
//!
//! fn strings<H: Strings>() -> Vec<Row<H>> {
//!     let families = [bitmap::rows(), hyperloglog::rows(), string::rows()];
//!     families.into_iter().flatten().collect()
//! }
//! fn hashes<H: Holds<Hash>>() -> Vec<Row<H>> { hash::rows() }
//! fn documents<H: Holds<Json>>() -> Vec<Row<H>> { json::rows() }
//! fn lists<H: Holds<List>>() -> Vec<Row<H>> { list::rows() }
//! fn sets<H: Holds<Set>>() -> Vec<Row<H>> { set::rows() }
//! fn streams<H: Holds<Stream>>() -> Vec<Row<H>> { stream::rows() }
//! fn places<H: Holds<ZSet>>() -> Vec<Row<H>> { geo::rows() }
//! fn sorted_sets<H: Holds<ZSet> + Holds<Set>>() -> Vec<Row<H>> { zset::rows() }
//! fn ranges<H: Ordered + Holds<Json>>() -> Vec<Row<H>> { range::rows() }
//! # use kvist_commands::{bitmap, geo, hash, hyperloglog, json, list, range};
//! # use kvist_commands::{set, stream, string, zset};
//! ```
#![forbid(unsafe_code)]

pub mod bitmap;
mod blocking;
mod draw;
#[cfg(debug_assertions)]
pub mod example;
mod export_lease;
pub mod folio;
pub mod geo;
pub mod graph;
pub mod hash;
pub mod hyperloglog;
pub mod json;
pub mod key;
pub mod list;
pub mod portable;
pub mod range;
mod repeats;
pub mod set;
pub mod stream;
pub mod string;
mod walk;
pub mod zset;

pub use key::{dump_payload, what_is_copied};

use base::{Databases, Forks, Holds, Row, Spec, Strings};
use types::{Folio, Graph, Ordered};

macro_rules! host {
    ($($tag:literal $name:ident $word:literal $type:ty,)*) => {
        /// A host that holds everything that data commands touch. Commands about keys of any type
        /// need it, and it can take every family.
        pub trait Host:
            Databases + Strings + Ordered + Forks<Folio> + Forks<Graph> + 'static
            $(+ Holds<$type>)*
        {}

        impl<H> Host for H
        where
            H: Databases + Strings + Ordered + Forks<Folio> + Forks<Graph> + 'static
                $(+ Holds<$type>)*
        {}
    };
}

base::objects!(host);

/// Every command, family by family. A new family is one line here.
#[must_use]
pub fn rows<H: Host>() -> Vec<Row<H>> {
    let mut rows = Vec::new();
    rows.extend(bitmap::rows());
    rows.extend(folio::rows());
    rows.extend(geo::rows());
    rows.extend(graph::rows());
    rows.extend(hash::rows());
    rows.extend(hyperloglog::rows());
    rows.extend(json::rows());
    rows.extend(key::rows());
    rows.extend(list::rows());
    rows.extend(range::rows());
    rows.extend(set::rows());
    rows.extend(stream::rows());
    rows.extend(string::rows());
    rows.extend(zset::rows());
    rows
}

/// Names that stand only before a subcommand.
#[must_use]
pub fn containers() -> Vec<&'static Spec> {
    [key::CONTAINERS, stream::CONTAINERS].concat()
}
