//! Append-only files are read: the commands that made a dataset, in order.
//!
//! ```text
//!   appendonly.aof.manifest        file appendonly.aof.1.base.rdb seq 1 type b
//!                                  file appendonly.aof.1.incr.aof seq 1 type i
//!
//!   a file of these, or a single   | an RDB file, perhaps | *3 $3 SET $1 k $1 v | #TS:1700000000 |
//!   appendonly.aof before 7.0
//! ```
//!
//! [`Manifest`] names the files, [`Reader`] reads one, and [`Log`] all of them in order. The last
//! one may end inside a command or a transaction, if its writer was killed: that is reported by
//! an error of its own kind, with the offset up to which the file is whole.

mod log;
mod manifest;
mod reader;

pub use log::{Log, LogCause, LogError};
pub use manifest::{File, Manifest, ManifestError};
pub use reader::{AofError, Command, Reader, Record};
