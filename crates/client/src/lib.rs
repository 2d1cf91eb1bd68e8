//! A client of Kvist, Redis, Valkey, and of everything else that speaks RESP2 or RESP3.
//!
//! ```text
//!   Client        a connection that comes back
//!   Connection    requests and replies                    ┐
//!   Transport     bytes on a blocking socket              ├ for Rust programs
//!   ──────────────────────────────────────────────────────┘
//!   Handshake     the first words            ┐
//!   Secure        TLS                        ├ without sockets: for event loops, other languages
//!   wire::ReplyReader    bytes to anything   │
//!   cluster       slots, redirections        ┘
//! ```
//!
//! A program that wants replies calls [`Client`] or [`Connection`]. One that brings its own event
//! loop, or its own idea of what a reply becomes, takes the parts below: the Python package does
//! both.
//!
//! One rule stands above the others: a reply is never given to a request that did not ask for it. A
//! connection is closed as soon as it is not certain what its next bytes answer.
//!
//! ```no_run
//! use kvist_client::{Client, Options, Pipeline};
//!
//! let mut client = Client::new(Options::from_url("redis://:secret@localhost:6379/0")?);
//! client.call(["SET", "greeting", "hello"])?;
//!
//! let mut pipeline = Pipeline::new();
//! for n in 0..1000 {
//!     pipeline.add(["SET", &format!("key:{n}"), "x"]);
//! }
//! assert!(client.pipeline(&pipeline)?.iter().all(Result::is_ok));
//! # Ok::<(), kvist_client::Error>(())
//! ```
#![forbid(unsafe_code)]

mod client;
pub mod cluster;
mod connection;
mod error;
mod handshake;
mod options;
mod pipeline;
mod retry;
mod secure;
mod transport;
mod url;

pub use client::Client;
pub use connection::Connection;
pub use error::{Class, Error, ServerError};
pub use handshake::Handshake;
pub use options::{Address, Keepalive, Options, Protocol};
pub use pipeline::Pipeline;
pub use retry::Retry;
pub use secure::{Secure, Tls};
pub use transport::{OnSignal, Transport};
pub use url::Url;
pub use wire::{ReplyError, ReplyLimits, Value};
