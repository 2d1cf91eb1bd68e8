//! ZREMRANGEBYRANK, ZREMRANGEBYSCORE, ZREMRANGEBYLEX.

use std::ops::Range;

use base::{
    Args, Argv, Category, Class, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag,
    KeySpec, Reply, Run, Spec,
};
use types::ZSet;

use super::bounds::{self, Members, Scores};

/// Removes the members of the ranks that `find` finds.
fn remove<H: Holds<ZSet>>(
    (event, key): (&'static str, Key<'_>),
    find: impl FnOnce(&ZSet) -> Range<usize>,
    host: &mut H,
    out: &mut dyn Reply,
) -> Result<Effect, CmdError> {
    let removed = host.edit_existing(key, |zset| zset.remove_ranks(find(zset)))?.unwrap_or(0);
    if removed > 0 {
        host.notify_taken(Class::ZSet, event, key);
    }
    out.count(removed);
    Ok(if removed > 0 { Effect::AsSent } else { Effect::None })
}

/// Removes the members in a range of ranks.
pub struct ZRemRangeByRank<'a> {
    key: Key<'a>,
    range: (i64, i64),
}

impl<'a> Command<'a> for ZRemRangeByRank<'a> {
    const SPEC: Spec = Spec {
        name: "zremrangebyrank",
        group: Group::SortedSet,
        since: "2.0.0",
        summary: "Removes the members of a sorted set in a range of ranks.",
        complexity: "O(log N + M), when N is the number of members and M of those removed",
        grammar: "key:key start:integer stop:integer",
        flags: &[Flag::Write],
        categories: &[Category::SortedSet],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Delete])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(ZRemRangeByRank { key: args.key()?, range: (args.integer()?, args.integer()?) })
    }
}

impl<H: Holds<ZSet>> Run<H> for ZRemRangeByRank<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let (start, stop) = self.range;
        remove(
            (Self::SPEC.name, self.key),
            |zset| bounds::ranks(start, stop, zset.len()),
            host,
            out,
        )
    }
}

/// Removes the members in a range of scores.
pub struct ZRemRangeByScore<'a> {
    key: Key<'a>,
    range: Scores,
}

impl<'a> Command<'a> for ZRemRangeByScore<'a> {
    const SPEC: Spec = Spec {
        name: "zremrangebyscore",
        group: Group::SortedSet,
        since: "1.2.0",
        summary: "Removes the members of a sorted set whose scores lie in a range.",
        complexity: "O(log N + M), when N is the number of members and M of those removed",
        grammar: "key:key min:double max:double",
        flags: &[Flag::Write],
        categories: &[Category::SortedSet],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Delete])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let (key, min, max) = (args.key()?, args.next()?, args.next()?);
        Ok(ZRemRangeByScore { key, range: bounds::scores(min, max)? })
    }
}

impl<H: Holds<ZSet>> Run<H> for ZRemRangeByScore<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let (min, max) = self.range;
        remove((Self::SPEC.name, self.key), |zset| zset.score_ranks(min, max), host, out)
    }
}

/// Removes the members in a range of members, where all scores are equal.
pub struct ZRemRangeByLex<'a> {
    key: Key<'a>,
    range: Members<'a>,
}

impl<'a> Command<'a> for ZRemRangeByLex<'a> {
    const SPEC: Spec = Spec {
        name: "zremrangebylex",
        group: Group::SortedSet,
        since: "2.8.9",
        summary: "Removes the members of a sorted set in a range of byte strings.",
        complexity: "O(log N + M), when N is the number of members and M of those removed",
        grammar: "key:key min:string max:string",
        flags: &[Flag::Write],
        categories: &[Category::SortedSet],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Delete])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let (key, min, max) = (args.key()?, args.next()?, args.next()?);
        Ok(ZRemRangeByLex { key, range: bounds::members(min, max)? })
    }
}

impl<H: Holds<ZSet>> Run<H> for ZRemRangeByLex<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let (min, max) = self.range;
        let mut ranks = 0..0;
        let find = |zset: &ZSet| {
            ranks = zset.lex_ranks(min, max);
            ranks.clone()
        };
        let effect = remove((Self::SPEC.name, self.key), find, host, out)?;
        Ok(match effect {
            // Where scores differ, what lies in the range depends on how the set is kept, which may
            // be another way when this is read back. Its ranks do not.
            Effect::AsSent => {
                let [first, last] = [ranks.start, ranks.end.saturating_sub(1)];
                let (first, last) = (first.to_string(), last.to_string());
                let words =
                    [&b"ZREMRANGEBYRANK"[..], self.key.bytes, first.as_bytes(), last.as_bytes()];
                Effect::Rewritten(Argv::new(&words))
            }
            effect => effect,
        })
    }
}
