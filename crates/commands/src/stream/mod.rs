//! Streams: entries with growing ids, and groups of consumers that share them out.
//!
//! What these commands do to a group depends on time and is told to the journal as what it left
//! behind (`journal`). Redis does not count it as a change of the key, so watchers are not told.

mod ack;
mod add;
mod autoclaim;
mod claim;
mod del;
mod group;
mod ids;
mod info;
mod journal;
mod len;
mod pending;
mod range;
mod read;
mod reply;
mod setid;
mod trim;
mod trimming;

use base::{Holds, Row, Spec, rows};
use types::Stream;

use self::ack::XAck;
use self::add::XAdd;
use self::autoclaim::XAutoClaim;
use self::claim::XClaim;
use self::del::XDel;
use self::group::{Create, CreateConsumer, DelConsumer, Destroy, GroupHelp, SetId};
use self::info::{About, Consumers, Groups, InfoHelp};
use self::len::XLen;
use self::pending::XPending;
use self::range::{XRange, XRevRange};
use self::read::{XRead, XReadGroup};
use self::setid::XSetId;
use self::trim::XTrim;

/// The rows of this family.
#[must_use]
pub fn rows<H: Holds<Stream>>() -> Vec<Row<H>> {
    rows![
        H; About, Consumers, Create, CreateConsumer, DelConsumer, Destroy, GroupHelp, Groups,
        InfoHelp, SetId, XAck, XAdd, XAutoClaim, XClaim, XDel, XLen, XPending, XRange, XRead,
        XReadGroup, XRevRange, XSetId, XTrim
    ]
}

/// The containers of this family.
pub(crate) const CONTAINERS: &[&Spec] = &[&group::XGROUP, &info::XINFO];
