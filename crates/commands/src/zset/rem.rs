//! ZREM.

use base::{
    Args, Category, Class, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag, KeySpec,
    Reply, Run, Spec,
};
use types::ZSet;

/// Removes members.
pub struct ZRem<'a> {
    key: Key<'a>,
    members: &'a [&'a [u8]],
}

impl<'a> Command<'a> for ZRem<'a> {
    const SPEC: Spec = Spec {
        name: "zrem",
        group: Group::SortedSet,
        since: "1.2.0",
        summary: "Removes members from a sorted set.",
        complexity: "O(M*log N), when N is the number of members and M of those to remove",
        grammar: "key:key member:string...",
        flags: &[Flag::Write, Flag::Fast],
        categories: &[Category::SortedSet],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Delete])],
        history: &[("2.4.0", "Several members at a time.")],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(ZRem { key: args.key()?, members: args.rest() })
    }
}

impl<H: Holds<ZSet>> Run<H> for ZRem<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let removed = host.edit_existing(self.key, |zset| {
            self.members.iter().filter(|member| zset.remove(member).is_some()).count()
        })?;
        let removed = removed.unwrap_or(0);
        if removed > 0 {
            host.notify_taken(Class::ZSet, "zrem", self.key);
        }
        out.count(removed);
        Ok(if removed > 0 { Effect::AsSent } else { Effect::None })
    }
}
