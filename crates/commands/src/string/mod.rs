//! Strings: bytes under a key.

mod append;
pub(crate) mod expiry;
mod get;
mod getset;
mod incr;
mod incrbyfloat;
mod lcs;
mod length;
mod many;
mod range;
mod set;
mod setnx;

use base::{Row, Strings, rows};

use self::append::Append;
use self::get::Get;
use self::getset::{GetDel, GetEx, GetSet};
use self::incr::{Decr, DecrBy, Incr, IncrBy};
use self::incrbyfloat::IncrByFloat;
use self::lcs::Lcs;
use self::many::{MGet, MSet, MSetNx};
use self::range::{GetRange, SetRange, StrLen, Substr};
use self::set::Set;
use self::setnx::{PSetEx, SetEx, SetNx};

/// The rows of this family.
#[must_use]
pub fn rows<H: Strings>() -> Vec<Row<H>> {
    rows![
        H; Append, Decr, DecrBy, Get, GetDel, GetEx, GetRange, GetSet, Incr, IncrBy, IncrByFloat,
        Lcs, MGet, MSet, MSetNx, PSetEx, Set, SetEx, SetNx, SetRange, StrLen, Substr
    ]
}
