//! GEOADD: ZADD of places.

use base::{
    Args, Category, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag, KeySpec, Reply,
    Run, Spec, error,
};
use smallvec::SmallVec;
use types::ZSet;

use super::cell::Point;
use crate::zset::ZAdd;

/// Gives members places.
pub struct GeoAdd<'a>(ZAdd<'a>);

impl<'a> Command<'a> for GeoAdd<'a> {
    const SPEC: Spec = Spec {
        name: "geoadd",
        group: Group::Geo,
        since: "3.2.0",
        summary: "Gives members of a sorted set places on Earth, adding those that are new.",
        complexity: "O(log N) for each member, when N is the number of members",
        grammar: "key:key [condition=(NX | XX) @6.2.0] [change!CH @6.2.0] \
                  longitude_latitude_member={longitude:double latitude:double member:string} ...",
        flags: &[Flag::Write, Flag::DenyOom],
        categories: &[Category::Geo],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Update])],
        history: &[("6.2.0", "`CH`, `NX`, `XX`.")],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let key: Key<'a> = args.key()?;
        let [mut only_new, mut only_old, mut count_changed] = [false; 3];
        loop {
            if args.token("NX") {
                only_new = true;
            } else if args.token("XX") {
                only_old = true;
            } else if args.token("CH") {
                count_changed = true;
            } else {
                break;
            }
        }
        if !args.left().is_multiple_of(3) || (only_new && only_old) || args.left() == 0 {
            return Err(error::SYNTAX);
        }
        let mut pairs = SmallVec::with_capacity(args.left() / 3);
        while args.left() > 0 {
            pairs.push((Point::parse(&mut args)?.score(), args.next()?));
        }
        Ok(GeoAdd(ZAdd::of(key, [only_new, only_old, count_changed], pairs)))
    }
}

impl<H: Holds<ZSet>> Run<H> for GeoAdd<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        Run::<H>::run(self.0, host, out)
    }
}
