//! ZCOUNT and ZLEXCOUNT.

use base::{
    Args, Category, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag, KeySpec, Reply,
    Run, Spec,
};
use types::ZSet;

use super::bounds::{self, Members, Scores};

/// Counts the members whose scores lie in a range.
pub struct ZCount<'a> {
    key: Key<'a>,
    range: Scores,
}

impl<'a> Command<'a> for ZCount<'a> {
    const SPEC: Spec = Spec {
        name: "zcount",
        group: Group::SortedSet,
        since: "2.0.0",
        summary: "Counts the members of a sorted set whose scores lie in a range.",
        complexity: "O(log N), when N is the number of members",
        grammar: "key:key min:double max:double",
        flags: &[Flag::ReadOnly, Flag::Fast],
        categories: &[Category::SortedSet],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(ZCount { key: args.key()?, range: bounds::scores(args.next()?, args.next()?)? })
    }
}

impl<H: Holds<ZSet>> Run<H> for ZCount<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let (min, max) = self.range;
        out.count(host.peek(self.key)?.map_or(0, |zset| zset.score_ranks(min, max).len()));
        Ok(Effect::None)
    }
}

/// Counts the members that lie in a range, where all scores are equal.
pub struct ZLexCount<'a> {
    key: Key<'a>,
    range: Members<'a>,
}

impl<'a> Command<'a> for ZLexCount<'a> {
    const SPEC: Spec = Spec {
        name: "zlexcount",
        group: Group::SortedSet,
        since: "2.8.9",
        summary: "Counts the members of a sorted set that lie in a range of byte strings.",
        complexity: "O(log N), when N is the number of members",
        grammar: "key:key min:string max:string",
        flags: &[Flag::ReadOnly, Flag::Fast],
        categories: &[Category::SortedSet],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(ZLexCount { key: args.key()?, range: bounds::members(args.next()?, args.next()?)? })
    }
}

impl<H: Holds<ZSet>> Run<H> for ZLexCount<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let (min, max) = self.range;
        out.count(host.peek(self.key)?.map_or(0, |zset| zset.lex_ranks(min, max).len()));
        Ok(Effect::None)
    }
}
