//! JSON documents: the commands of RedisJSON, with its replies and errors.

mod arrindex;
mod arrlen;
mod assign;
mod debug;
mod document;
mod get;
mod kind;
mod length;
mod merge;
mod mget;
mod mset;
mod native;
mod objkeys;
mod objlen;
mod resp;
mod set;
mod strlen;
mod text;

use base::{Row, rows};

use self::arrindex::ArrIndex;
use self::arrlen::ArrLen;
use self::debug::Debug;
use self::get::Get;
use self::kind::Type;
use self::merge::Merge;
use self::mget::MGet;
use self::mset::MSet;
use self::objkeys::ObjKeys;
use self::objlen::ObjLen;
use self::resp::Resp;
use self::set::Set;
use self::strlen::StrLen;
use crate::Host;

/// The rows of this family.
#[must_use]
pub fn rows<H: Host>() -> Vec<Row<H>> {
    rows![
        H; ArrIndex, ArrLen, Debug, Get, MGet, MSet, Merge, ObjKeys, ObjLen, Resp, Set, StrLen, Type
    ]
}
