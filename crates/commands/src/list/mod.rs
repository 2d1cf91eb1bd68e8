//! Lists: sequences with two ends.

mod edit;
mod ends;
mod mpop;
mod pop;
mod pos;
mod push;
mod range;
mod transfer;

use base::{Holds, Row, rows};
use types::List;

use self::edit::{LInsert, LRem, LSet};
use self::mpop::{BlmPop, LmPop};
use self::pop::{BlPop, BrPop, LPop, RPop};
use self::pos::LPos;
use self::push::{LPush, LPushX, RPush, RPushX};
use self::range::{LIndex, LLen, LRange, LTrim};
use self::transfer::{BlMove, BrPopLPush, LMove, RPopLPush};

/// The rows of this family.
#[must_use]
pub fn rows<H: Holds<List>>() -> Vec<Row<H>> {
    rows![
        H; BlMove, BlPop, BlmPop, BrPop, BrPopLPush, LIndex, LInsert, LLen, LMove, LPop, LPos,
        LPush, LPushX, LRange, LRem, LSet, LTrim, LmPop, RPop, RPopLPush, RPush, RPushX
    ]
}
