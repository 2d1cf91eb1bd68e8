//! Redis's file formats, as pure functions on bytes: RDB snapshots, `DUMP` payloads, append-only
//! files, and the digest by which two servers find out whether they hold the same.
//!
//! ```text
//!   RDB file   | REDIS0010 | aux ... | function ... | db | key | key | ... | EOF | crc64 |
//!   key        | [deadline] | [idle or freq] | type | name | value |
//!   DUMP       | type | value | version, 2 bytes | crc64 |
//!   AOF        | an RDB file, perhaps | *3 $3 SET $1 k $1 v | *2 ... |
//! ```
//!
//! [`Reader`] takes any version of RDB whose opcodes are known: all of Redis up to 7.4 and of
//! Valkey up to 9. [`Writer`] writes what redis-server 7.0 and everything later loads. Values are
//! neutral ([`Value`]): nothing here knows keyspaces, locks, sockets, clocks or files. Readers
//! take any [`std::io::Read`] and writers any [`std::io::Write`].
//!
//! Bytes may come from an enemy. Nothing is allocated because a length says so, only as bytes
//! arrive, and what arrives is checked before it is believed: no input makes a decoder panic,
//! hang, or take memory out of proportion to the input.
#![forbid(unsafe_code)]

mod crc64;
pub mod digest;
pub mod dump;
mod entry;
mod error;
pub mod framing;
mod functions;
mod input;
mod intset;
mod length;
mod listpack;
pub mod lzf;
mod object;
mod output;
mod portable;
mod reader;
mod stream;
mod text;
mod value;
mod writer;
mod ziplist;
mod zipmap;

pub mod aof;

pub use crc64::{Crc64, crc64};
pub use error::{Error, Reason};
pub use functions::{Functions, FunctionsError, dump_functions};
pub use input::Input;
pub use object::{Encoder, FieldTtls, Limits, Loaded, Refusal};
pub use output::Output;
pub use portable::{Portable, module};
pub use reader::{FieldTtlCount, Item, Key, Magic, Reader};
pub use stream::{Consumer, Group, Nodes, Pending, Stream, StreamEntry, StreamId};
pub use value::{Module, ModuleAux, ModulePart, Value};
pub use writer::{Header, Meta, Replication, Writer};
