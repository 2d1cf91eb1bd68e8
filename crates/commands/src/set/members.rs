//! SMEMBERS.

use base::{
    Args, Category, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag, KeySpec, Reply,
    Run, Spec,
};
use types::Set;

/// Answers all members.
pub struct SMembers<'a> {
    key: Key<'a>,
}

impl<'a> Command<'a> for SMembers<'a> {
    const SPEC: Spec = Spec {
        name: "smembers",
        group: Group::Set,
        since: "1.0.0",
        summary: "Answers all members of a set.",
        complexity: "O(N), when N is the number of members",
        grammar: "key:key",
        flags: &[Flag::ReadOnly],
        categories: &[Category::Set],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        tips: &["nondeterministic_output_order"],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(SMembers { key: args.key()? })
    }
}

impl<H: Holds<Set>> Run<H> for SMembers<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let set = host.peek(self.key)?;
        out.set(set.map_or(0, Set::len));
        set.into_iter().flat_map(Set::iter).for_each(|member| out.bulk(&member.text()));
        Ok(Effect::None)
    }
}
