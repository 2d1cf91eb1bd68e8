//! GEODIST.

use base::{
    Args, Category, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag, KeySpec, Reply,
    Run, Spec, error,
};
use types::ZSet;

use super::cell::Point;
use super::{distance, reply};

/// Answers how far it is from one member to another.
pub struct GeoDist<'a> {
    key: Key<'a>,
    members: [&'a [u8]; 2],
    unit: f64,
}

impl<'a> Command<'a> for GeoDist<'a> {
    const SPEC: Spec = Spec {
        name: "geodist",
        group: Group::Geo,
        since: "3.2.0",
        summary: "Answers the distance between two members of a sorted set of places.",
        complexity: "O(1)",
        grammar: "key:key member1:string member2:string [unit=(M | KM | FT | MI)]",
        flags: &[Flag::ReadOnly],
        categories: &[Category::Geo],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let (key, members) = (args.key()?, [args.next()?, args.next()?]);
        if args.left() > 1 {
            return Err(error::SYNTAX);
        }
        let unit = args.take().map_or(Ok(1.0), distance::unit)?;
        Ok(GeoDist { key, members, unit })
    }
}

impl<H: Holds<ZSet>> Run<H> for GeoDist<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let zset = host.peek(self.key)?;
        let [one, other] =
            self.members.map(|member| zset.and_then(|z| z.score(member)).map(Point::of_score));
        match (one, other) {
            (Some(one), Some(other)) => {
                reply::distance(distance::between(one, other), self.unit, out);
            }
            _ => out.null(),
        }
        Ok(Effect::None)
    }
}
