//! The HTTP port: health, metrics for Prometheus, and records over REST, on the engine that serves
//! every other port too.
//!
//! ```text
//!   serve ─► guard ─► route ─► body ─► records, ttl, range, about, metrics
//!     │                                        │
//!     │ pace: who does not read                ▼
//!     └ desk: a session for each connection, seats at the engine; aside: what may take long
//! ```
//!
//! It speaks HTTP/1.1 with hyper and nothing on top: a router for eighteen routes is forty lines,
//! and the table it reads is also what the OpenAPI document is made of. It runs on whatever tokio
//! runtime it is started on, and never keeps one of its threads longer than a command takes that is
//! quick by its nature.
#![forbid(unsafe_code)]

mod about;
mod aside;
mod ask;
mod body;
mod desk;
mod guard;
mod metrics;
mod openapi;
mod pace;
mod range;
mod records;
mod reply;
mod route;
mod serve;
mod text;
mod ttl;

pub use openapi::document;
pub use serve::{Gate, Http, Parts};
