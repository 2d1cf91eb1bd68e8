//! The gRPC door: calls of `memorize.Memorize` and `kvist.v1.KvistService` on the same dataset.
//!
//! ```text
//!   socket ─► serve ─► hyper (HTTP/2) ─► dispatch: which service, until when
//!                                            │
//!            peer: one connection ◄──────────┤
//!             └ connection_user: one user    ▼
//!                 └ sessions ◄──── memorize · kvist: what a call means
//!                                            │ words of a command
//!                                            ▼
//!                                  shared: one worker of the engine ─► reply
//! ```
//!
//! All calls run on the one thread of the runtime that this is spawned on, from one worker at the
//! engine: a call that has nothing to wait for never leaves that thread, and costs no task beside
//! the one HTTP/2 makes. What waits (for a key, for the end of a pause, for the disk) waits without
//! holding anything. What runs for long by its nature (a script, `KEYS`, `SORT`) or is about large
//! values runs on other threads; keys in order are those of the ordered index, page by page.
//!
//! HTTP/2 is hyper's, and what is generated from `proto/` is tonic's. Tonic's own server is not
//! used, because every call would pass its layers, and they hide the connection that a call belongs
//! to.
#![forbid(unsafe_code)]

mod budget;
mod call_memory;
mod caller;
pub mod client_channel;
mod codec;
mod connection_user;
mod credentials;
mod execute_response;
mod frames;
pub mod generated;
mod inbound;
mod key_pages;
mod kvist;
mod memorize;
mod peer;
mod reply;
mod routes;
mod search;
mod serve;
mod shared;
mod status;
mod throttled_stream;

pub use serve::serve;
pub use shared::{Hooks, Shared};
