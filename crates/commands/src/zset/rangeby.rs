//! ZRANGEBYSCORE, ZRANGEBYLEX, ZREVRANGEBYSCORE, ZREVRANGEBYLEX: ZRANGE before it had options.

use base::{
    Args, Category, CmdError, Command, Deprecated, Effect, Flag, Group, Holds, KeyFlag, KeySpec,
    Reply, Run, Spec,
};
use types::ZSet;

use super::query::{By, Fixed, Query};
use super::range::answer;

/// Answers the members in a range of scores.
pub struct ZRangeByScore<'a>(Query<'a>);

impl<'a> Command<'a> for ZRangeByScore<'a> {
    const SPEC: Spec = Spec {
        name: "zrangebyscore",
        group: Group::SortedSet,
        since: "1.0.5",
        summary: "Answers the members of a sorted set whose scores lie in a range.",
        complexity: "O(log N + M), when N is the number of members and M of those answered",
        grammar: "key:key min:double max:double [WITHSCORES @2.0.0] [LIMIT \
                  offset_count={offset:integer count:integer}]",
        flags: &[Flag::ReadOnly],
        categories: &[Category::SortedSet],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        history: &[("2.0.0", "`WITHSCORES`.")],
        deprecated: Some(Deprecated { since: "6.2.0", instead: "`ZRANGE` with `BYSCORE`" }),
        ..Spec::NEW
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        let fixed = Fixed { by: Some(By::Score), descending: Some(false), store: false };
        Query::parse(args, fixed).map(ZRangeByScore)
    }
}

impl<H: Holds<ZSet>> Run<H> for ZRangeByScore<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        answer(&self.0, host, out)
    }
}

/// Answers the members in a range of members, where all scores are equal.
pub struct ZRangeByLex<'a>(Query<'a>);

impl<'a> Command<'a> for ZRangeByLex<'a> {
    const SPEC: Spec = Spec {
        name: "zrangebylex",
        group: Group::SortedSet,
        since: "2.8.9",
        summary: "Answers the members of a sorted set that lie in a range of byte strings.",
        complexity: "O(log N + M), when N is the number of members and M of those answered",
        grammar: "key:key min:string max:string [LIMIT offset_count={offset:integer \
            count:integer}]",
        flags: &[Flag::ReadOnly],
        categories: &[Category::SortedSet],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        deprecated: Some(Deprecated { since: "6.2.0", instead: "`ZRANGE` with `BYLEX`" }),
        ..Spec::NEW
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        let fixed = Fixed { by: Some(By::Lex), descending: Some(false), store: false };
        Query::parse(args, fixed).map(ZRangeByLex)
    }
}

impl<H: Holds<ZSet>> Run<H> for ZRangeByLex<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        answer(&self.0, host, out)
    }
}

/// Answers the members in a range of scores, highest first.
pub struct ZRevRangeByScore<'a>(Query<'a>);

impl<'a> Command<'a> for ZRevRangeByScore<'a> {
    const SPEC: Spec = Spec {
        name: "zrevrangebyscore",
        group: Group::SortedSet,
        since: "2.2.0",
        summary: "Answers the members of a sorted set whose scores lie in a range, highest first.",
        complexity: "O(log N + M), when N is the number of members and M of those answered",
        grammar: "key:key max:double min:double [WITHSCORES] [LIMIT offset_count={offset:integer \
            count:integer}]",
        flags: &[Flag::ReadOnly],
        categories: &[Category::SortedSet],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        history: &[("2.1.6", "Bounds may be exclusive.")],
        deprecated: Some(Deprecated {
            since: "6.2.0",
            instead: "`ZRANGE` with `REV` and `BYSCORE`",
        }),
        ..Spec::NEW
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        let fixed = Fixed { by: Some(By::Score), descending: Some(true), store: false };
        Query::parse(args, fixed).map(ZRevRangeByScore)
    }
}

impl<H: Holds<ZSet>> Run<H> for ZRevRangeByScore<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        answer(&self.0, host, out)
    }
}

/// Answers the members in a range of members, last one first.
pub struct ZRevRangeByLex<'a>(Query<'a>);

impl<'a> Command<'a> for ZRevRangeByLex<'a> {
    const SPEC: Spec = Spec {
        name: "zrevrangebylex",
        group: Group::SortedSet,
        since: "2.8.9",
        summary: "Answers the members of a sorted set that lie in a range of byte strings, last \
            first.",
        complexity: "O(log N + M), when N is the number of members and M of those answered",
        grammar: "key:key max:string min:string [LIMIT offset_count={offset:integer \
            count:integer}]",
        flags: &[Flag::ReadOnly],
        categories: &[Category::SortedSet],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        deprecated: Some(Deprecated { since: "6.2.0", instead: "`ZRANGE` with `REV` and `BYLEX`" }),
        ..Spec::NEW
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        let fixed = Fixed { by: Some(By::Lex), descending: Some(true), store: false };
        Query::parse(args, fixed).map(ZRevRangeByLex)
    }
}

impl<H: Holds<ZSet>> Run<H> for ZRevRangeByLex<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        answer(&self.0, host, out)
    }
}
