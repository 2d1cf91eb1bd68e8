//! Keys regardless of what they hold.

mod del;
mod dump;
mod expire;
mod flush;
mod kind;
mod object;
mod rename;
mod restore;
mod scan;
mod sort;
mod ttl;

pub use self::dump::payload as dump_payload;
pub use self::rename::what_is_copied;

use base::{Row, Spec, rows};

use self::del::{Del, Exists, Touch, Unlink};
use self::dump::Dump;
use self::expire::{ExpireAt, ExpireIn, PExpire, PExpireAt, Persist};
use self::flush::{FlushAll, FlushDb, SwapDb};
use self::kind::Type;
use self::object::{Encoding, Freq, IdleTime, ObjectHelp, RefCount, Usage};
use self::rename::{Copy, Move, Rename, RenameNx};
use self::restore::{Restore, RestoreAsking};
use self::scan::{DbSize, Keys, RandomKey, Scan};
use self::sort::{Sort, SortRo};
use self::ttl::{ExpireTime, PExpireTime, PTtl, Ttl};
use crate::Host;

/// The rows of this family.
#[must_use]
pub fn rows<H: Host>() -> Vec<Row<H>> {
    rows![
        H; Copy, DbSize, Del, Dump, Encoding, Exists, ExpireAt, ExpireIn, ExpireTime, FlushAll,
        FlushDb, Freq, IdleTime, Keys, Move, ObjectHelp, PExpire, PExpireAt,
        PExpireTime, PTtl, Persist, RandomKey, RefCount, Rename, RenameNx, Restore, RestoreAsking,
        Scan, Sort, SortRo, SwapDb, Touch, Ttl, Type, Unlink, Usage
    ]
}

/// The containers of this family.
pub(crate) const CONTAINERS: &[&Spec] = &[&object::MEMORY, &object::OBJECT];
