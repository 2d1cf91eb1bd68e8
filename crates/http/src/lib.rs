//! The HTTP port: health, metrics for Prometheus, and records over REST, on the engine that serves
//! every other port too.
//!
//! ```text
//!   serve ─► auth ─► route ─► body ─► records, ttl, range, graph, haystack, status, metrics
//!     │                                       │
//!     │ timed_stream: slow readers            ▼
//!     │ departure: readers that have gone     │
//!     └ session: one per connection; workers of the engine; other threads: what may take long
//! ```
//!
//! It speaks HTTP/1.1 with hyper and nothing on top: a router for twenty routes is forty lines,
//! and the table it reads is also what the OpenAPI document is made of. It runs on the tokio
//! runtime it is started on, and never keeps one of its threads longer than a command takes that is
//! quick by its nature.
#![forbid(unsafe_code)]

mod aside;
mod auth;
mod body;
mod counts;
mod departure;
mod graph;
mod handlers;
mod haystack;
mod metrics;
mod openapi;
mod port;
mod range;
mod records;
mod reply;
mod request;
mod route;
mod serve;
mod session;
mod status;
mod text;
mod timed_stream;
mod ttl;

/// Tests weigh what bodies take.
#[cfg(test)]
#[global_allocator]
static SCALE: testkit::scale::Scale = testkit::scale::Scale;

pub use openapi::document;
pub use port::{ConnectionCounter, Http, HttpOptions};
