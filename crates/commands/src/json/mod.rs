//! JSON documents: the commands of RedisJSON, with its replies and errors.

mod arrappend;
mod array;
mod arrindex;
mod arrinsert;
mod arrlen;
mod arrpop;
mod arrtrim;
mod assign;
mod clear;
mod debug;
mod delete;
pub(crate) mod document;
mod edit;
mod get;
mod kind;
mod length;
mod merge;
mod mget;
mod mset;
mod native;
mod number;
mod objkeys;
mod objlen;
mod place;
mod resp;
mod set;
mod strappend;
mod strlen;
mod text;
mod toggle;

use base::{Holds, Row, rows};
use types::Json;

use self::arrappend::ArrAppend;
use self::arrindex::ArrIndex;
use self::arrinsert::ArrInsert;
use self::arrlen::ArrLen;
use self::arrpop::ArrPop;
use self::arrtrim::ArrTrim;
use self::clear::Clear;
use self::debug::Debug;
use self::delete::{Del, Forget};
use self::get::Get;
use self::kind::Type;
use self::merge::Merge;
use self::mget::MGet;
use self::mset::MSet;
use self::number::{NumIncrBy, NumMultBy, NumPowBy};
use self::objkeys::ObjKeys;
use self::objlen::ObjLen;
use self::resp::Resp;
use self::set::Set;
use self::strappend::StrAppend;
use self::strlen::StrLen;
use self::toggle::Toggle;

/// The rows of this family.
#[must_use]
pub fn rows<H: Holds<Json>>() -> Vec<Row<H>> {
    rows![
        H; ArrAppend, ArrIndex, ArrInsert, ArrLen, ArrPop, ArrTrim, Clear, Debug, Del, Forget, Get,
        MGet, MSet, Merge, NumIncrBy, NumMultBy, NumPowBy, ObjKeys, ObjLen, Resp, Set, StrAppend,
        StrLen, Toggle, Type
    ]
}
