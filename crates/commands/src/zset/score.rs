//! ZSCORE and ZMSCORE.

use base::{
    Args, Category, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag, KeySpec, Reply,
    Run, Spec,
};
use types::ZSet;

fn answer(score: Option<f64>, out: &mut dyn Reply) {
    match score {
        Some(score) => out.double(score),
        None => out.null(),
    }
}

/// Answers the score of a member.
pub struct ZScore<'a> {
    key: Key<'a>,
    member: &'a [u8],
}

impl<'a> Command<'a> for ZScore<'a> {
    const SPEC: Spec = Spec {
        name: "zscore",
        group: Group::SortedSet,
        since: "1.2.0",
        summary: "Answers the score of a member of a sorted set.",
        complexity: "O(1)",
        grammar: "key:key member:string",
        flags: &[Flag::ReadOnly, Flag::Fast],
        categories: &[Category::SortedSet],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(ZScore { key: args.key()?, member: args.next()? })
    }
}

impl<H: Holds<ZSet>> Run<H> for ZScore<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        answer(host.peek(self.key)?.and_then(|zset| zset.score(self.member)), out);
        Ok(Effect::None)
    }
}

/// Answers the scores of members.
pub struct ZMScore<'a> {
    key: Key<'a>,
    members: &'a [&'a [u8]],
}

impl<'a> Command<'a> for ZMScore<'a> {
    const SPEC: Spec = Spec {
        name: "zmscore",
        group: Group::SortedSet,
        since: "6.2.0",
        summary: "Answers the scores of members of a sorted set.",
        complexity: "O(N), when N is the number of members asked for",
        grammar: "key:key member:string...",
        flags: &[Flag::ReadOnly, Flag::Fast],
        categories: &[Category::SortedSet],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(ZMScore { key: args.key()?, members: args.rest() })
    }
}

impl<H: Holds<ZSet>> Run<H> for ZMScore<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let zset = host.peek(self.key)?;
        out.array(self.members.len());
        for member in self.members {
            answer(zset.and_then(|zset| zset.score(member)), out);
        }
        Ok(Effect::None)
    }
}
