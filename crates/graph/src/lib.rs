//! Property graphs and openCypher, in the order in which a statement goes through the modules:
//!
//! ```text
//!   cypher       text ─► a statement whose names and shapes are checked, and back
//!   plan         names become columns; how each match begins and goes on
//!   execute      operators that hand on batches of 1,024 rows
//!   evaluate     expressions over a batch; value, temporal, function, aggregate compute them
//!   storage      nodes, relationships, columns, adjacency, indexes, constraints; versions, forks
//! ```
//!
//! * [`query`] is the face of these: a prepared statement, its settings, its answer, its errors.
//! * [`procedure`] has what `CALL` knows; [`algorithm`] computes over whole graphs.
//! * [`export`] writes a graph as text, part by part; [`import`] makes one of such text.
//!
//! A statement is asked whether it may go on by the work that it does, not by rows, since one value
//! may be large: `execute/run.rs` says what an operator must call. Indexes decide how fast an
//! answer comes, never what it is.
//!
//! `tests/kit.rs` runs openCypher's compatibility kit and keeps `docs/reference/graph-tck.md` true.
//! `tests/graphs` draws random graphs and statements, and compares Kvist with FalkorDB.
//!
//! This crate knows no sockets, keys, locks, clocks, files or random numbers: the time of a
//! statement, its time zone, the seed of what it draws and readers of files are handed in.

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
