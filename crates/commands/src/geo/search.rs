//! The options of GEOSEARCH, GEORADIUS and their like, the search, and what becomes of its result.
//!
//! As in Redis, the sorted set is looked up before anything else is read: a key of another type is
//! reported first, and a member to search around is looked up where it stands among the options.

use base::{Args, CmdError, Effect, Holds, Key, PackLimits, Reply, error};
use types::ZSet;

use super::cell::Point;
use super::distance;
use super::order::{Direction, Distant};
use super::reply;
use super::shape::{Extent, Found, Shape};
use crate::zset;

const NO_MEMBER: CmdError = CmdError::new("ERR could not decode requested zset member");
const BAD_RADIUS: CmdError = CmdError::new("ERR need numeric radius");
const BAD_WIDTH: CmdError = CmdError::new("ERR need numeric width");
const BAD_HEIGHT: CmdError = CmdError::new("ERR need numeric height");
const NEGATIVE_RADIUS: CmdError = CmdError::new("ERR radius cannot be negative");
const NEGATIVE_BOX: CmdError = CmdError::new("ERR height or width cannot be negative");
const BAD_COUNT: CmdError = CmdError::new("ERR COUNT must be > 0");
const ANY_OF_WHAT: CmdError = CmdError::new("ERR the ANY argument requires COUNT argument");
const STORED_RADIUS: CmdError = CmdError::new(
    "ERR STORE option in GEORADIUS is not compatible with WITHDIST, WITHHASH and WITHCOORD options",
);
const STORED_SEARCH: CmdError = CmdError::new(
    "ERR GEOSEARCHSTORE is not compatible with WITHDIST, WITHHASH and WITHCOORD options",
);

/// The commands that search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// GEORADIUS: the center first, then the radius.
    Around {
        /// Not the `_RO` form.
        stores: bool,
    },
    /// GEORADIUSBYMEMBER: a member first, then the radius.
    AroundMember {
        /// Not the `_RO` form.
        stores: bool,
    },
    /// GEOSEARCH: all by options.
    Options,
    /// GEOSEARCHSTORE: as GEOSEARCH.
    OptionsStored,
}

impl Form {
    fn is_search(self) -> bool {
        matches!(self, Form::Options | Form::OptionsStored)
    }

    /// Whether it counts as a command that writes.
    fn may_store(self) -> bool {
        match self {
            Form::Around { stores } | Form::AroundMember { stores } => stores,
            Form::Options => false,
            Form::OptionsStored => true,
        }
    }

    /// What those who listen hear of a result that was stored.
    fn event(self) -> &'static str {
        if self.is_search() { "geosearchstore" } else { "georadiusstore" }
    }
}

/// A request that has not been read any further than its keys.
pub(super) struct Search<'a> {
    pub form: Form,
    pub source: Key<'a>,
    /// Where the result goes, if the form says so.
    pub destination: Option<Key<'a>>,
    pub options: Args<'a>,
}

/// What the options say.
#[derive(Default)]
struct Options<'a> {
    center: Option<Point>,
    extent: Option<(Extent, f64)>,
    from_member: bool,
    direction: Option<Direction>,
    /// How many are wanted at most; 0: all.
    count: usize,
    any: bool,
    with_distance: bool,
    with_score: bool,
    with_point: bool,
    stored_at: Option<Key<'a>>,
    store_distance: bool,
}

/// A length and its unit, as GEORADIUS and BYRADIUS give them.
fn circle(args: &mut Args<'_>) -> Result<(Extent, f64), CmdError> {
    let radius = distance::length(args.next()?, BAD_RADIUS)?;
    if radius < 0.0 {
        return Err(NEGATIVE_RADIUS);
    }
    Ok((Extent::Circle { radius }, distance::unit(args.next()?)?))
}

fn rectangle(args: &mut Args<'_>) -> Result<(Extent, f64), CmdError> {
    let width = distance::length(args.next()?, BAD_WIDTH)?;
    let height = distance::length(args.next()?, BAD_HEIGHT)?;
    if width < 0.0 || height < 0.0 {
        return Err(NEGATIVE_BOX);
    }
    Ok((Extent::Box { width, height }, distance::unit(args.next()?)?))
}

fn place_of(zset: &ZSet, member: &[u8]) -> Result<Point, CmdError> {
    zset.score(member).map(Point::of_score).ok_or(NO_MEMBER)
}

impl<'a> Options<'a> {
    /// Reads everything behind the keys.
    fn parse(search: &Search<'a>, zset: Option<&ZSet>) -> Result<Self, CmdError> {
        let mut args = search.options.clone();
        let mut options = Options { stored_at: search.destination, ..Options::default() };
        match (search.form, zset) {
            (Form::Around { .. }, _) => {
                options.center = Some(Point::parse(&mut args)?);
                options.extent = Some(circle(&mut args)?);
            }
            (Form::AroundMember { .. }, Some(zset)) => {
                options.center = Some(place_of(zset, args.next()?)?);
                options.extent = Some(circle(&mut args)?);
            }
            (Form::AroundMember { .. }, None) => {
                // There is nothing to be found: these words are not looked at.
                for _ in 0..3 {
                    args.next()?;
                }
            }
            (Form::Options | Form::OptionsStored, _) => {}
        }
        while args.left() > 0 {
            let known = options.read_common(&mut args)?
                || match search.form {
                    Form::Around { stores } | Form::AroundMember { stores } => {
                        stores && options.read_store(&mut args)?
                    }
                    Form::Options | Form::OptionsStored => {
                        options.read_search(&mut args, search.form, zset)?
                    }
                };
            if !known {
                return Err(error::SYNTAX);
            }
        }
        options.check(search)?;
        Ok(options)
    }

    /// Reads an option that all forms have; whether there was one.
    fn read_common(&mut self, args: &mut Args<'a>) -> Result<bool, CmdError> {
        if args.token("WITHDIST") {
            self.with_distance = true;
        } else if args.token("WITHHASH") {
            self.with_score = true;
        } else if args.token("WITHCOORD") {
            self.with_point = true;
        } else if args.token("ANY") {
            self.any = true;
        } else if args.token("ASC") {
            self.direction = Some(Direction::Ascending);
        } else if args.token("DESC") {
            self.direction = Some(Direction::Descending);
        } else if args.left() > 1 && args.token("COUNT") {
            let count = args.integer()?;
            if count <= 0 {
                return Err(BAD_COUNT);
            }
            self.count = usize::try_from(count).unwrap_or(usize::MAX);
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// STORE and STOREDIST of GEORADIUS; the last one counts.
    fn read_store(&mut self, args: &mut Args<'a>) -> Result<bool, CmdError> {
        if args.left() < 2 {
            return Ok(false);
        }
        if args.token("STORE") {
            self.store_distance = false;
        } else if args.token("STOREDIST") {
            self.store_distance = true;
        } else {
            return Ok(false);
        }
        self.stored_at = Some(args.key()?);
        Ok(true)
    }

    /// The options that only GEOSEARCH and GEOSEARCHSTORE have.
    fn read_search(
        &mut self,
        args: &mut Args<'a>,
        form: Form,
        zset: Option<&ZSet>,
    ) -> Result<bool, CmdError> {
        let from_place = self.center.is_some() && !self.from_member;
        let is_box = matches!(self.extent, Some((Extent::Box { .. }, _)));
        let is_circle = matches!(self.extent, Some((Extent::Circle { .. }, _)));
        let left = args.left() - 1;
        if left >= 1 && !from_place && args.token("FROMMEMBER") {
            self.from_member = true;
            let member = args.next()?;
            if let Some(zset) = zset {
                self.center = Some(place_of(zset, member)?);
            }
        } else if left >= 2 && !self.from_member && args.token("FROMLONLAT") {
            self.center = Some(Point::parse(args)?);
        } else if left >= 2 && !is_box && args.token("BYRADIUS") {
            self.extent = Some(circle(args)?);
        } else if left >= 3 && !is_circle && args.token("BYBOX") {
            self.extent = Some(rectangle(args)?);
        } else if form == Form::OptionsStored && args.token("STOREDIST") {
            self.store_distance = true;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// That the options make sense together.
    fn check(&self, search: &Search<'_>) -> Result<(), CmdError> {
        let with_any = self.with_distance || self.with_score || self.with_point;
        if self.stored_at.is_some() && with_any {
            let is_search = search.form == Form::OptionsStored;
            return Err(if is_search { STORED_SEARCH } else { STORED_RADIUS });
        }
        let name = search.options.argv().first().copied().unwrap_or_default();
        if search.form.is_search() && self.center.is_none() && !self.from_member {
            let text = "ERR exactly one of FROMMEMBER or FROMLONLAT can be specified for ";
            return Err(CmdError::quoting(text, name, ""));
        }
        if search.form.is_search() && self.extent.is_none() {
            let text = "ERR exactly one of BYRADIUS and BYBOX can be specified for ";
            return Err(CmdError::quoting(text, name, ""));
        }
        if self.any && self.count == 0 { Err(ANY_OF_WHAT) } else { Ok(()) }
    }

    /// What is found, in order, and the metres of the unit it was searched in.
    fn find<'z>(&self, zset: Option<&'z ZSet>) -> (Vec<Found<'z>>, f64) {
        let (Some(zset), Some(center), Some((extent, unit))) = (zset, self.center, self.extent)
        else {
            return (Vec::new(), 1.0);
        };
        let enough = (self.any && self.count > 0).then_some(self.count);
        let mut found = Shape { center, extent, unit }.search(zset, enough);
        let wanted = if self.count == 0 { found.len() } else { self.count.min(found.len()) };
        // The nearest are wanted, unless any will do.
        let nearest = (self.count > 0 && !self.any).then_some(Direction::Ascending);
        if let Some(direction) = self.direction.or(nearest) {
            direction.sort(&mut found, wanted);
        }
        found.truncate(wanted);
        (found, unit)
    }

    fn answer(&self, found: &[Found<'_>], unit: f64, out: &mut dyn Reply) {
        let options = [self.with_distance, self.with_score, self.with_point];
        let count = options.into_iter().filter(|with| *with).count();
        out.array(found.len());
        for place in found {
            if count > 0 {
                out.array(count + 1);
            }
            out.bulk(place.member);
            if self.with_distance {
                reply::distance(place.distance, unit, out);
            }
            if self.with_score {
                out.int(place.score as i64); // a cell's number: 53 bits at most
            }
            if self.with_point {
                reply::point(place.point, out);
            }
        }
    }

    fn result(&self, found: &[Found<'_>], unit: f64, limits: &PackLimits) -> ZSet {
        let pairs = found.iter().map(|place| {
            let distance = place.distance / unit;
            // No score is NaN; the distance to the other side of Earth may be.
            let distance = if distance.is_nan() { f64::INFINITY } else { distance };
            (place.member, if self.store_distance { distance } else { place.score })
        });
        ZSet::collect(pairs, limits)
    }
}

impl Distant for Found<'_> {
    fn distance(&self) -> f64 {
        self.distance
    }
}

impl Search<'_> {
    pub fn run<H: Holds<ZSet>>(
        self,
        host: &mut H,
        out: &mut dyn Reply,
    ) -> Result<Effect, CmdError> {
        if self.form.may_store() {
            host.notify_if_missing(self.source);
        }
        let limits = host.limits();
        let zset = host.peek(self.source)?;
        let options = Options::parse(&self, zset)?;
        let (found, unit) = options.find(zset);
        match options.stored_at {
            Some(key) => {
                let result = options.result(&found, unit, &limits);
                Ok(zset::store((self.form.event(), key), result, host, out))
            }
            None => {
                options.answer(&found, unit, out);
                Ok(Effect::None)
            }
        }
    }
}
