//! The words of `FT.SEARCH`, `FT.AGGREGATE` and their like after the index's name, as plain
//! structs.
//!
//! ```text
//!   words ─► search::Search ─────┬─► its query, PARAMS and DIALECT ─► query::Query
//!         ─► aggregate::Aggregate┘        its steps ─► aggregate::Pipeline
//! ```
//!
//! Texts of errors are those of Redis, which clients compare. Must not know which attributes an
//! index has: names are resolved where a request meets its index.

mod aggregate;
mod cursor;
mod options;
mod search;
mod suggest;

pub use aggregate::{Aggregate, Load, Reduce, Reducer, SortKey, Step};
pub use cursor::{CursorOptions, CursorRead, Profile, Profiled};
pub use options::{Format, Limit, Options, Returned};
pub use search::{GeoFilter, Highlight, NumericFilter, Search, SortBy, Summarize};
pub use suggest::{Spellcheck, SuggestionAdd, SuggestionGet, Terms};

#[cfg(test)]
#[path = "request_tests.rs"]
mod tests;
