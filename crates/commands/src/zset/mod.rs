//! Sorted sets: distinct members, each with a score, in the order of scores and members.
//!
//! Every range, whether by rank, score or member, is first turned into a range of ranks
//! (`bounds`, `query`) which is then counted, walked from either end, stored or removed.

mod add;
mod bounds;
mod bpop;
mod card;
mod combine;
mod count;
mod diff;
mod inter;
mod mpop;
mod pop;
mod query;
mod randmember;
mod range;
mod rangeby;
mod rangestore;
mod rank;
mod rem;
mod remrange;
mod reply;
mod scan;
mod score;
mod union;

use base::{Holds, Row, rows};
use types::{Set, ZSet};

pub(crate) use self::add::ZAdd;
use self::add::ZIncrBy;
use self::bpop::{BzPopMax, BzPopMin};
use self::card::ZCard;
pub(crate) use self::combine::store;
use self::count::{ZCount, ZLexCount};
use self::diff::{ZDiff, ZDiffStore};
use self::inter::{ZInter, ZInterCard, ZInterStore};
use self::mpop::{BzmPop, ZmPop};
use self::pop::{ZPopMax, ZPopMin};
use self::randmember::ZRandMember;
use self::range::{ZRange, ZRevRange};
use self::rangeby::{ZRangeByLex, ZRangeByScore, ZRevRangeByLex, ZRevRangeByScore};
use self::rangestore::ZRangeStore;
use self::rank::{ZRank, ZRevRank};
use self::rem::ZRem;
use self::remrange::{ZRemRangeByLex, ZRemRangeByRank, ZRemRangeByScore};
use self::scan::ZScan;
use self::score::{ZMScore, ZScore};
use self::union::{ZUnion, ZUnionStore};

/// The rows of this family.
#[must_use]
pub fn rows<H: Holds<ZSet> + Holds<Set>>() -> Vec<Row<H>> {
    rows![
        H; BzPopMax, BzPopMin, BzmPop, ZAdd, ZCard, ZCount, ZDiff, ZDiffStore, ZIncrBy, ZInter,
        ZInterCard, ZInterStore, ZLexCount, ZMScore, ZPopMax, ZPopMin, ZRandMember, ZRange,
        ZRangeByLex, ZRangeByScore, ZRangeStore, ZRank, ZRem, ZRemRangeByLex, ZRemRangeByRank,
        ZRemRangeByScore, ZRevRange, ZRevRangeByLex, ZRevRangeByScore, ZRevRank, ZScan, ZScore,
        ZUnion, ZUnionStore, ZmPop
    ]
}
