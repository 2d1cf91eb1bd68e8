//! ZRANGE, and ZREVRANGE.

use base::{
    Args, Category, CmdError, Command, Deprecated, Effect, Flag, Group, Holds, KeyFlag, KeySpec,
    Reply, Run, Spec,
};
use types::ZSet;

use super::query::{By, Fixed, Query};
use super::reply;

/// Answers the members in a range.
pub(super) fn answer<H: Holds<ZSet>>(
    query: &Query<'_>,
    host: &mut H,
    out: &mut dyn Reply,
) -> Result<Effect, CmdError> {
    let Some(zset) = host.peek(query.key)? else {
        out.array(0);
        return Ok(Effect::None);
    };
    let pairs = zset.range(query.ranks(zset));
    if query.descending {
        reply::members(pairs.rev(), query.with_scores, out);
    } else {
        reply::members(pairs, query.with_scores, out);
    }
    Ok(Effect::None)
}

/// Answers the members in a range of ranks, scores or members.
pub struct ZRange<'a>(Query<'a>);

impl<'a> Command<'a> for ZRange<'a> {
    const SPEC: Spec = Spec {
        name: "zrange",
        group: Group::SortedSet,
        since: "1.2.0",
        summary: "Answers the members of a sorted set in a range of ranks, scores or byte strings.",
        complexity: "O(log N + M), when N is the number of members and M of those answered",
        grammar: "key:key start:string stop:string [sortby=(BYSCORE | BYLEX) @6.2.0] [REV \
                  @6.2.0] [LIMIT offset_count={offset:integer count:integer} @6.2.0] \
                  [WITHSCORES]",
        flags: &[Flag::ReadOnly],
        categories: &[Category::SortedSet],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        history: &[("6.2.0", "`BYSCORE`, `BYLEX`, `REV`, `LIMIT`.")],
        ..Spec::NEW
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Query::parse(args, Fixed::default()).map(ZRange)
    }
}

impl<H: Holds<ZSet>> Run<H> for ZRange<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        answer(&self.0, host, out)
    }
}

/// Answers the members in a range of ranks, highest score first.
pub struct ZRevRange<'a>(Query<'a>);

impl<'a> Command<'a> for ZRevRange<'a> {
    const SPEC: Spec = Spec {
        name: "zrevrange",
        group: Group::SortedSet,
        since: "1.2.0",
        summary: "Answers the members of a sorted set in a range of ranks, highest score first.",
        complexity: "O(log N + M), when N is the number of members and M of those answered",
        grammar: "key:key start:integer stop:integer [WITHSCORES]",
        flags: &[Flag::ReadOnly],
        categories: &[Category::SortedSet],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        deprecated: Some(Deprecated { since: "6.2.0", instead: "`ZRANGE` with `REV`" }),
        ..Spec::NEW
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        let fixed = Fixed { by: Some(By::Rank), descending: Some(true), store: false };
        Query::parse(args, fixed).map(ZRevRange)
    }
}

impl<H: Holds<ZSet>> Run<H> for ZRevRange<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        answer(&self.0, host, out)
    }
}
