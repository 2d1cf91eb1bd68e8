//! RESP, the wire protocol of Redis, as pure functions over bytes: no sockets, no threads.
//!
//! ```text
//!              server                                     client
//!   bytes --> Decoder --> words --> command      encode <-- words
//!   bytes <-- RespWriter <-- replies             ReplyParser --> Value
//!                                                ReplyReader --> whatever is built
//! ```
//!
//! A server decodes requests with a [`Decoder`] and answers through a [`RespWriter`]; a client
//! (the command line, benchmarks, tests) writes requests with [`encode()`] and reads the answers
//! with a [`ReplyParser`] as [`Value`] trees, or with a [`ReplyReader`] as anything else. Both
//! directions are incremental: bytes may arrive in any pieces, and nothing that was parsed is
//! parsed again.
//!
//! Everything read here may be hostile. Nothing panics on it, recursion is bounded, and memory
//! grows with the bytes received, never with a length that was merely announced.
#![forbid(unsafe_code)]

mod build;
mod decode;
mod encode;
mod inline;
mod line;
mod parse;
mod reader;
mod reply_limits;
mod value;
mod writer;

pub use build::{Aggregate, Build, Leaf};
pub use decode::{Decoder, Limits, ProtocolError, Step, Word, is_unquoted_in_place};
pub use encode::{append_word, begin_request, encode, request};
pub use inline::split as split_line;
pub use parse::{ReplyParser, Trees};
pub use reader::ReplyReader;
pub use reply_limits::{ReplyError, ReplyLimits};
pub use value::Value;
pub use writer::RespWriter;
