//! The tests of this crate from outside, as one program: each program costs a link of all that it
//! tests. `make test` runs each file in a process of its own, named by the file.
//!
//! ```text
//! cargo test -p kvist-server --test all FILE::
//! ```
#![allow(clippy::unwrap_used)] // a test says why by failing

// What they share.
mod calls;
mod compared;
mod frames;
mod host;
mod secured;
mod server;
#[path = "../../engine/tests/tame/mod.rs"]
mod tame;
mod web;

// The tests.
mod acl;
mod backup;
mod callers;
mod client_memory;
mod connections;
mod documents;
mod durability;
mod every_way;
mod files;
mod folio_files;
mod graph_columns;
mod graph_doors;
mod graphs;
mod graphs_as_text;
mod graphs_of_falkordb;
mod grpc;
mod grpc_memorize;
mod grpc_waiting;
mod haystack;
mod haystack_login;
mod haystack_records;
mod haystack_watches;
mod hostility;
mod http;
mod http_departures;
mod http_hostile;
mod http_users;
mod hxredis;
mod jobs;
mod lifecycle;
mod limits_against_redis;
mod loading;
mod memory;
mod moving;
mod precedence;
mod protected;
mod pushes;
mod queries;
mod renames;
mod scripts;
mod tls;
mod tls_flow;
mod tls_hostile;
mod transfer;
mod unauthenticated;
mod waiting;
mod watching;
