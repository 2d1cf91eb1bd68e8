//! ZCARD.

use base::{
    Args, Category, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag, KeySpec, Reply,
    Run, Spec,
};
use types::ZSet;

/// Counts the members.
pub struct ZCard<'a> {
    key: Key<'a>,
}

impl<'a> Command<'a> for ZCard<'a> {
    const SPEC: Spec = Spec {
        name: "zcard",
        group: Group::SortedSet,
        since: "1.2.0",
        summary: "Counts the members of a sorted set.",
        complexity: "O(1)",
        grammar: "key:key",
        flags: &[Flag::ReadOnly, Flag::Fast],
        categories: &[Category::SortedSet],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(ZCard { key: args.key()? })
    }
}

impl<H: Holds<ZSet>> Run<H> for ZCard<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        out.count(host.peek(self.key)?.map_or(0, ZSet::len));
        Ok(Effect::None)
    }
}
