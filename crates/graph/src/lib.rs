//! Property graphs. So far:
//!
//! * [`cypher`], the front end of their query language, openCypher: from text to a statement that is
//!   known to make sense, and back;
//! * [`storage`]: how a graph lies in memory, is written, forked and frozen.
//!
//! This crate must not know of keys, clients, time or threads.

#![forbid(unsafe_code)]

pub mod cypher;
pub mod storage;
