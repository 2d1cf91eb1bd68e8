//! SADD.

use base::{
    Args, Category, Class, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag, KeySpec,
    Reply, Run, Spec,
};
use types::Set;

/// Adds members; answers how many are new.
pub struct SAdd<'a> {
    key: Key<'a>,
    members: &'a [&'a [u8]],
}

impl<'a> Command<'a> for SAdd<'a> {
    const SPEC: Spec = Spec {
        name: "sadd",
        group: Group::Set,
        since: "1.0.0",
        summary: "Adds members to a set; answers how many are new.",
        complexity: "O(N), when N is the number of members named",
        grammar: "key:key member:string...",
        flags: &[Flag::Write, Flag::DenyOom, Flag::Fast],
        categories: &[Category::Set],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Insert])],
        history: &[("2.4.0", "Several members at a time.")],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(SAdd { key: args.key()?, members: args.rest() })
    }
}

impl<H: Holds<Set>> Run<H> for SAdd<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let limits = host.limits();
        let added = host.edit(self.key, |set| {
            self.members.iter().filter(|member| set.add(member, &limits)).count()
        })?;
        if added > 0 {
            host.notify(Class::Set, "sadd", self.key);
        }
        out.count(added);
        Ok(if added == 0 { Effect::None } else { Effect::AsSent })
    }
}
