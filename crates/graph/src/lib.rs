//! Property graphs. So far:
//!
//! * [`cypher`], the front end of their query language, openCypher: from text to a statement that
//!   is known to make sense, and back;
//! * [`value`], the values of the language, with [`temporal`] for its dates, times and durations;
//!   [`function`] and [`mod@aggregate`] for what is computed with them;
//! * [`procedure`], what `CALL` knows;
//! * [`storage`]: how a graph lies in memory, is written, forked and frozen;
//! * [`query`]: the face of [`plan`], [`execute`] and [`evaluate`], which run statements on graphs;
//! * [`export`]: a graph as text, part by part, and [`import`], which makes one of text;
//! * [`algorithm`]: what is computed over a whole graph, as FalkorDB's `algo.*` procedures do.
//!
//! This crate knows no sockets, keys, locks, clocks, files or random numbers: the time of a
//! statement, its time zone and the seed of what it draws are handed in.

#![forbid(unsafe_code)]

pub mod aggregate;
pub mod algorithm;
pub mod cypher;
pub mod evaluate;
pub mod execute;
pub mod export;
pub mod function;
pub mod import;
pub mod plan;
pub mod procedure;
pub mod query;
pub mod storage;
pub mod temporal;
mod time_units;
pub mod value;
