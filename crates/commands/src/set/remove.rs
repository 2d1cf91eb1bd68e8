//! SREM.

use base::{
    Args, Category, Class, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag, KeySpec,
    Reply, Run, Spec,
};
use types::Set;

/// Removes members; answers how many there were. The key goes with its last member.
pub struct SRem<'a> {
    key: Key<'a>,
    members: &'a [&'a [u8]],
}

impl<'a> Command<'a> for SRem<'a> {
    const SPEC: Spec = Spec {
        name: "srem",
        group: Group::Set,
        since: "1.0.0",
        summary: "Removes members from a set.",
        complexity: "O(N), when N is the number of members named",
        grammar: "key:key member:string...",
        flags: &[Flag::Write, Flag::Fast],
        categories: &[Category::Set],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Delete])],
        history: &[("2.4.0", "Several members at a time.")],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(SRem { key: args.key()?, members: args.rest() })
    }
}

impl<H: Holds<Set>> Run<H> for SRem<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let removed = host.edit_existing(self.key, |set| {
            self.members.iter().filter(|member| set.remove(member)).count()
        })?;
        let removed = removed.unwrap_or(0);
        if removed > 0 {
            host.notify_taken(Class::Set, "srem", self.key);
        }
        out.count(removed);
        Ok(if removed == 0 { Effect::None } else { Effect::AsSent })
    }
}
