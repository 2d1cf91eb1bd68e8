//! GEOHASH.

use base::{
    Args, Category, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag, KeySpec, Reply,
    Run, Spec,
};
use types::ZSet;

use super::cell::Point;

/// Answers the geohashes of members.
pub struct GeoHash<'a> {
    key: Key<'a>,
    members: &'a [&'a [u8]],
}

impl<'a> Command<'a> for GeoHash<'a> {
    const SPEC: Spec = Spec {
        name: "geohash",
        group: Group::Geo,
        since: "3.2.0",
        summary: "Answers the geohashes of members of a sorted set of places, as other programs \
                  write them.",
        complexity: "O(N), when N is the number of members asked for",
        grammar: "key:key member:string...",
        arity: -2,
        flags: &[Flag::ReadOnly],
        categories: &[Category::Geo],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(GeoHash { key: args.key()?, members: args.rest() })
    }
}

impl<H: Holds<ZSet>> Run<H> for GeoHash<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let zset = host.peek(self.key)?;
        out.array(self.members.len());
        for member in self.members {
            match zset.and_then(|zset| zset.score(member)) {
                Some(score) => out.bulk(&Point::of_score(score).geohash()),
                None => out.null(),
            }
        }
        Ok(Effect::None)
    }
}
