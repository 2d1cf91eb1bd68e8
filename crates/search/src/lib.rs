//! Secondary indexes over documents (hashes and JSON) and the language of `FT.*` that queries them.
//!
//! ```text
//!   words of FT.CREATE ─► schema::Definition ─► partition::Partition  put(document), remove(key)
//!                                                      │ rows, postings, trees, columns
//!   words of FT.SEARCH ─► request::Search              │
//!     its query        ─► query::Query ─► evaluate ◄───┘ ─► rows that match, with scores
//!   words of FT.AGGREGATE ─► request::Aggregate ─► aggregate: steps over rows
//! ```
//!
//! Must not know keyspaces, clients, files, clocks or threads: time is an argument.

#![allow(missing_docs)] // public items are documented where a name does not say it
#![forbid(unsafe_code)]

pub mod aggregate;
mod arguments;
pub mod document;
pub mod error;
pub mod evaluate;
pub mod expression;
pub mod highlight;
pub mod number;
pub mod partition;
pub mod query;
pub mod request;
pub mod schema;
pub mod spelling;
pub mod suggest;
pub mod text;
