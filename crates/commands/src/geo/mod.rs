//! Places on Earth, as members of sorted sets: the score is the place.
//!
//! ```text
//!   cell       longitude and latitude, cut into 2^26 parts each, interleaved: the score
//!   distance   metres between two places
//!   shape      what is searched: a circle or a box, and which cells cover it
//!   order      sorting by distance
//!   search     the options of all searches, and the search itself
//! ```
//!
//! Which cells are searched, in which order, and how distances are worked out is as in Redis to the
//! last bit: it decides the order of replies and what COUNT … ANY finds.

mod cell;
mod distance;
mod geoadd;
mod geodist;
mod geohash;
mod geopos;
mod georadius;
mod geosearch;
mod order;
mod reply;
mod search;
mod shape;

use base::{Holds, Row, rows};
use types::ZSet;

use self::geoadd::GeoAdd;
use self::geodist::GeoDist;
use self::geohash::GeoHash;
use self::geopos::GeoPos;
use self::georadius::{GeoRadius, GeoRadiusByMember, GeoRadiusByMemberRo, GeoRadiusRo};
use self::geosearch::{GeoSearch, GeoSearchStore};

/// The rows of this family.
#[must_use]
pub fn rows<H: Holds<ZSet>>() -> Vec<Row<H>> {
    rows![
        H; GeoAdd, GeoDist, GeoHash, GeoPos, GeoRadius, GeoRadiusByMember, GeoRadiusByMemberRo,
        GeoRadiusRo, GeoSearch, GeoSearchStore
    ]
}
