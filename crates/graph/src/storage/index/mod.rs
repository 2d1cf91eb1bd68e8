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
//!
//! What `=` holds for has one key (1 and 1.0), and no key is the beginning of another: so equality,
//! ranges, prefixes and `IN` are ranges of the order, on the last of several properties as on one,
//! and a count is a difference of ranks. Lists, points and vectors are entered without their
//! values: the index says that it cannot tell.
//!
//! Every edit enters and withdraws, whether it comes from a statement, the journal or a replica. An
//! index over what is there is built in steps, each an edit, and no plan uses it before it is
//! whole. An entry takes 7 to 12 bytes and is found in 1 µs (`benches/storage.rs`).

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
