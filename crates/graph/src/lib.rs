//! Property graphs. So far the front end of their query language, openCypher: from text to a
//! statement that is known to make sense, and back.
//!
//! This crate must not know of keys, clients, time or threads.

#![forbid(unsafe_code)]

pub mod cypher;
