//! Hashes: fields with values under a key.

mod delete;
mod get;
mod getall;
mod incrby;
mod incrbyfloat;
mod length;
pub(crate) mod randfield;
pub(crate) mod scan;
mod set;

use base::{Holds, Row, rows};
use types::Hash;

use self::delete::HDel;
use self::get::{HExists, HGet, HMGet};
use self::getall::{HGetAll, HKeys, HVals};
use self::incrby::HIncrBy;
use self::incrbyfloat::HIncrByFloat;
use self::length::{HLen, HStrLen};
use self::randfield::HRandField;
use self::scan::HScan;
use self::set::{HMSet, HSet, HSetNx};

/// The rows of this family.
#[must_use]
pub fn rows<H: Holds<Hash>>() -> Vec<Row<H>> {
    rows![
        H; HDel, HExists, HGet, HGetAll, HIncrBy, HIncrByFloat, HKeys, HLen, HMGet, HMSet,
        HRandField, HScan, HSet, HSetNx, HStrLen, HVals
    ]
}
