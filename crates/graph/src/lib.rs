//! Property graphs. So far:
//!
//! * [`cypher`], the front end of their query language, openCypher: from text to a statement that
//!   is known to make sense, and back;
//! * [`value`], the values of the language, with [`temporal`] for its dates, times and durations;
//!   [`function`] and [`mod@aggregate`] for what is computed with them;
//! * [`storage`]: how a graph lies in memory, is written, forked and frozen.
//!
//! This crate knows no sockets, keys, locks, clocks, files or random numbers: the time of a
//! statement, its time zone and the seed of what it draws are handed in.

#![forbid(unsafe_code)]

pub mod aggregate;
pub mod cypher;
pub mod function;
pub mod storage;
pub mod temporal;
pub mod value;
