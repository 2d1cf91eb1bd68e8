//! Ranges of keys, in the order of their names: commands of our own.
//!
//! The names come from the ordered index, what keys hold from the keyspace. A range is no snapshot:
//! each part of it is read when it is due, and a key that goes meanwhile is left out.

mod aggregate;
mod between;
mod count;
mod cursor;
mod delete;
mod options;
mod page;
mod prefix;

mod span;

use base::{Behaviour, Category, Flag, Group, Holds, Locks, Row, Spec, rows};
use types::{Json, Ordered};

use self::aggregate::Aggregate;
use self::between::Range;
use self::count::{PrefixCount, RangeCount};
use self::delete::Delete;
use self::prefix::Prefix;

/// The rows of this family.
#[must_use]
pub fn rows<H: Ordered + Holds<Json>>() -> Vec<Row<H>> {
    rows![H; Aggregate, Delete, Prefix, PrefixCount, Range, RangeCount]
}

/// What those that read have in common.
const READING: Spec = Spec {
    group: Group::Range,
    since: "0.1.0",
    flags: &[Flag::ReadOnly],
    categories: &[Category::Keyspace],
    tips: &["request_policy:all_shards"],
    behaviour: Behaviour::NEW.locks(|_| Locks::Each),
    ..Spec::NEW
};

/// What a span and a page cost.
const COMPLEXITY: &str = "O(log(N)+M), when N is the number of keys in the database and M that of \
                          the keys looked at; O(N*log(N)) once, when there is no index yet";
