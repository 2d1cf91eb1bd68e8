//! Sets: distinct members without order under a key.

mod add;
mod contains;
mod diff;
mod inter;
mod members;
mod pop;
mod randmember;
mod remove;
mod scan;
mod smove;
mod sources;
mod union;

use base::{Holds, Row, rows};
use types::Set;

use self::add::SAdd;
use self::contains::{SCard, SIsMember, SMIsMember};
use self::diff::{SDiff, SDiffStore};
use self::inter::{SInter, SInterCard, SInterStore};
use self::members::SMembers;
use self::pop::SPop;
use self::randmember::SRandMember;
use self::remove::SRem;
use self::scan::SScan;
use self::smove::SMove;
use self::union::{SUnion, SUnionStore};

/// The rows of this family.
#[must_use]
pub fn rows<H: Holds<Set>>() -> Vec<Row<H>> {
    rows![
        H; SAdd, SCard, SDiff, SDiffStore, SInter, SInterCard, SInterStore, SIsMember, SMembers,
        SMIsMember, SMove, SPop, SRandMember, SRem, SScan, SUnion, SUnionStore
    ]
}
