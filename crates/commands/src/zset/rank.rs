//! ZRANK and ZREVRANK.

use base::{
    Args, Category, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag, KeySpec, Reply,
    Run, Spec,
};
use types::ZSet;

/// The place of a member in the order.
struct Place<'a> {
    key: Key<'a>,
    member: &'a [u8],
}

impl<'a> Place<'a> {
    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(Place { key: args.key()?, member: args.next()? })
    }

    fn run<H: Holds<ZSet>>(
        self,
        from_end: bool,
        host: &mut H,
        out: &mut dyn Reply,
    ) -> Result<Effect, CmdError> {
        let zset = host.peek(self.key)?;
        match zset.and_then(|zset| Some((zset.rank(self.member)?.0, zset.len()))) {
            None => out.null(),
            Some((rank, len)) if from_end => out.count(len - 1 - rank),
            Some((rank, _)) => out.count(rank),
        }
        Ok(Effect::None)
    }
}

/// Answers how many members come before a member.
pub struct ZRank<'a>(Place<'a>);

impl<'a> Command<'a> for ZRank<'a> {
    const SPEC: Spec = Spec {
        name: "zrank",
        group: Group::SortedSet,
        since: "2.0.0",
        summary: "Answers the rank of a member of a sorted set, lowest score first.",
        complexity: "O(log N), when N is the number of members",
        grammar: "key:key member:string",
        flags: &[Flag::ReadOnly, Flag::Fast],
        categories: &[Category::SortedSet],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        ..Spec::NEW
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Place::parse(args).map(ZRank)
    }
}

impl<H: Holds<ZSet>> Run<H> for ZRank<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        self.0.run(false, host, out)
    }
}

/// Answers how many members come after a member.
pub struct ZRevRank<'a>(Place<'a>);

impl<'a> Command<'a> for ZRevRank<'a> {
    const SPEC: Spec = Spec {
        name: "zrevrank",
        group: Group::SortedSet,
        since: "2.0.0",
        summary: "Answers the rank of a member of a sorted set, highest score first.",
        complexity: "O(log N), when N is the number of members",
        grammar: "key:key member:string",
        flags: &[Flag::ReadOnly, Flag::Fast],
        categories: &[Category::SortedSet],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        ..Spec::NEW
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Place::parse(args).map(ZRevRank)
    }
}

impl<H: Holds<ZSet>> Run<H> for ZRevRank<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        self.0.run(true, host, out)
    }
}
