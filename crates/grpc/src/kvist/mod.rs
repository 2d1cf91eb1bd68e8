//! `kvist.v1.KvistService`: the engine's commands as calls, streams and batches.

mod batch;
mod list;
mod operation;
mod service;
mod watch;

pub use service::Service;
