//! JSON documents: the commands of RedisJSON, with its replies and errors.

mod arrappend;
mod array;
mod arrinsert;
mod arrpop;
mod arrtrim;
mod clear;
mod delete;
mod document;
mod edit;
mod kind;
mod number;
mod popped;
mod strappend;
mod toggle;

use base::{Row, rows};

use self::arrappend::ArrAppend;
use self::arrinsert::ArrInsert;
use self::arrpop::ArrPop;
use self::arrtrim::ArrTrim;
use self::clear::Clear;
use self::delete::{Del, Forget};
use self::kind::Type;
use self::number::{NumIncrBy, NumMultBy, NumPowBy};
use self::strappend::StrAppend;
use self::toggle::Toggle;
use crate::Host;

/// The rows of this family.
#[must_use]
pub fn rows<H: Host>() -> Vec<Row<H>> {
    rows![
        H; ArrAppend, ArrInsert, ArrPop, ArrTrim, Clear, Del, Forget, NumIncrBy, NumMultBy,
        NumPowBy, StrAppend, Toggle, Type
    ]
}
