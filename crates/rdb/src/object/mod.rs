//! Values in files: which byte says which form, how each is read, and how ours are written.
//!
//! ```text
//!   0 string                        10 list: a ziplist            20 set: a listpack
//!   1 list: strings                 11 set: an intset             21 stream, third form
//!   2 set: strings                  12 sorted set: a ziplist      22 hash, field deadlines (7.4
//!   3 sorted set: text scores       13 hash: a ziplist               candidates; another: Valkey)
//!   4 hash: strings                 14 list: ziplists             23 the same: a listpack
//!   5 sorted set: binary scores     15 stream, first form         24 hash, field deadlines
//!   6 module, without structure     16 hash: a listpack           25 the same: a listpack
//!   7 module                        17 sorted set: a listpack
//!   9 hash: a zipmap                18 list: listpacks, or bytes
//!                                   19 stream, second form
//! ```

mod field_ttls;
mod load;
mod module;
mod parts;
mod save;
mod stream_load;
mod stream_save;

use crate::{Magic, Value};

pub(crate) use load::load;
pub(crate) use module::{read_parts, write_parts};
pub(crate) use parts::Parts;
pub use save::{Encoder, Limits};

/// The forms, by the byte that announces them.
pub(crate) mod kind {
    pub const STRING: u8 = 0;
    pub const LIST: u8 = 1;
    pub const SET: u8 = 2;
    pub const ZSET: u8 = 3;
    pub const HASH: u8 = 4;
    pub const ZSET_2: u8 = 5;
    pub const MODULE_PRE_GA: u8 = 6;
    pub const MODULE_2: u8 = 7;
    pub const HASH_ZIPMAP: u8 = 9;
    pub const LIST_ZIPLIST: u8 = 10;
    pub const SET_INTSET: u8 = 11;
    pub const ZSET_ZIPLIST: u8 = 12;
    pub const HASH_ZIPLIST: u8 = 13;
    pub const LIST_QUICKLIST: u8 = 14;
    pub const STREAM_LISTPACKS: u8 = 15;
    pub const HASH_LISTPACK: u8 = 16;
    pub const ZSET_LISTPACK: u8 = 17;
    pub const LIST_QUICKLIST_2: u8 = 18;
    pub const STREAM_LISTPACKS_2: u8 = 19;
    pub const SET_LISTPACK: u8 = 20;
    pub const STREAM_LISTPACKS_3: u8 = 21;
    /// In files of Redis; in those of Valkey it is `HASH_2`.
    pub const HASH_METADATA_PRE_GA: u8 = 22;
    pub const HASH_LISTPACK_EX_PRE_GA: u8 = 23;
    pub const HASH_METADATA: u8 = 24;
    pub const HASH_LISTPACK_EX: u8 = 25;
    /// The greatest that is known.
    pub const LAST: u8 = HASH_LISTPACK_EX;
}

/// What to do with a hash some of whose fields have deadlines of their own, which no server before
/// Redis 7.4 and Valkey 9 knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FieldTtls {
    /// The key is not taken, and counted.
    #[default]
    Refuse,
    /// The fields are taken and live for ever, but for those that are dead already at this time,
    /// in milliseconds since the Unix epoch.
    Drop {
        /// The time.
        now: u64,
    },
}

/// What became of a value.
#[derive(Debug, PartialEq)]
pub enum Loaded {
    /// It was read.
    Value(Value),
    /// It was read, and the deadlines of this many fields were dropped.
    WithoutTtls(Value, u64),
    /// It is in order but not taken.
    Refused(Refusal),
}

/// Why a value that is in order is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A collection without elements, which no server keeps.
    Empty,
    /// A hash of which this many fields have deadlines of their own.
    FieldTtls(u64),
}

/// How to read a value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    pub magic: Magic,
    pub field_ttls: FieldTtls,
}
