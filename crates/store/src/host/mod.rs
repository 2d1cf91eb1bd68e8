//! The transaction as the host that commands run on: one file for each of the traits of
//! `base/src/host.rs` that is more than a line, and for ranges.

mod collections;
mod keyspace;
mod ordered;
mod strings;
