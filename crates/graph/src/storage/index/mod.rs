//! Range indexes, and constraints.
//!
//! ```text
//!   On ─► Entries: a tree of   key of the first property | of the second | … | id
//!                              in the order of ORDER BY, and of ids among equals
//! ```
//!
//! The trees count in the graph's ledger and are held by versions and forks as all else of it is.
//!
//! | file | what it knows |
//! | --- | --- |
//! | `on` | what indexes and constraints are on: the schema |
//! | `key` | values as bytes in their order |
//! | `entries` | what is entered, and what edits change of it |
//! | `build` | indexes that come and go, built in steps |
//! | `find` | equality, `IN`, ranges, prefixes; counts; ids in order |
//! | `constraint` | what must hold when a statement ends |
//!
//! An image holds what indexes are on, and not their entries. Bytes from outside cannot be
//! believed: each entry would have to be made of its node again to be compared with, and all that
//! is saved is to sort them (6 to 130 ms a million), for a file that is larger.

mod build;
mod constraint;
mod entries;
mod find;
mod key;
mod on;

pub use build::{Dropped, Gathered};
pub use constraint::{Broken, CHECK_EVERY};
pub(super) use entries::{Concern, Entries};
pub use find::{Found, Index, Probe};
pub(super) use on::Schema;
pub use on::{Constraint, ConstraintKind, MOST_KEYS, Of, On, Rejected};
