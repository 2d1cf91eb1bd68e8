//! GEOPOS.

use base::{
    Args, Category, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag, KeySpec, Reply,
    Run, Spec,
};
use types::ZSet;

use super::cell::Point;
use super::reply;

/// Answers where members are.
pub struct GeoPos<'a> {
    key: Key<'a>,
    members: &'a [&'a [u8]],
}

impl<'a> Command<'a> for GeoPos<'a> {
    const SPEC: Spec = Spec {
        name: "geopos",
        group: Group::Geo,
        since: "3.2.0",
        summary: "Answers the longitudes and latitudes of members of a sorted set of places.",
        complexity: "O(N), when N is the number of members asked for",
        grammar: "key:key member:string...",
        arity: -2,
        flags: &[Flag::ReadOnly],
        categories: &[Category::Geo],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(GeoPos { key: args.key()?, members: args.rest() })
    }
}

impl<H: Holds<ZSet>> Run<H> for GeoPos<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let zset = host.peek(self.key)?;
        out.array(self.members.len());
        for member in self.members {
            match zset.and_then(|zset| zset.score(member)) {
                Some(score) => reply::point(Point::of_score(score), out),
                None => out.null_array(),
            }
        }
        Ok(Effect::None)
    }
}
