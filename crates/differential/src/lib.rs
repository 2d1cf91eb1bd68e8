//! The differential tester: `redis-server` and Kvist get the same random, valid and almost-valid
//! commands, and their replies and data are compared.
//!
//! ```text
//! families ─ grammar, pools ─ generator ─ mutate     what is sent
//!                                │ steps
//!                            session ───────────────  the run: compare, repair, group
//!                                │
//!     server ─ connection ─ pair ─ rules, probe, keyspace   what counts as the same
//!                                │ findings
//!                  shrink ─ known ─ report            what a developer reads
//! ```
//!
//! A run is named by its seed. The oracle is always the first server of a pair; with a second
//! `redis-server` as the other one a run must find nothing, which is how false alarms are kept out.
//! Nothing of Kvist is linked here: it is tested from outside, as its users see it.
#![forbid(unsafe_code)]

pub mod cli;
mod clocks;
pub mod command;
pub mod connection;
pub mod exchange;
pub mod families;
pub mod generator;
pub mod grammar;
pub mod keyspace;
pub mod known;
pub mod mutate;
pub mod pair;
pub mod pools;
pub mod probe;
pub mod report;
pub mod resp;
pub mod rng;
pub mod rules;
pub mod server;
pub mod session;
pub mod shrink;
