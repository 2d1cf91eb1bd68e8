//! SCARD, SISMEMBER, SMISMEMBER: what can be told without walking over a set.

use base::{
    Args, Category, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag, KeySpec, Reply,
    Run, Spec,
};
use types::Set;

/// Counts the members.
pub struct SCard<'a> {
    key: Key<'a>,
}

impl<'a> Command<'a> for SCard<'a> {
    const SPEC: Spec = Spec {
        name: "scard",
        group: Group::Set,
        since: "1.0.0",
        summary: "Counts the members of a set.",
        complexity: "O(1)",
        grammar: "key:key",
        flags: &[Flag::ReadOnly, Flag::Fast],
        categories: &[Category::Set],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(SCard { key: args.key()? })
    }
}

impl<H: Holds<Set>> Run<H> for SCard<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        out.count(host.peek(self.key)?.map_or(0, Set::len));
        Ok(Effect::None)
    }
}

/// Tells whether something is a member.
pub struct SIsMember<'a> {
    key: Key<'a>,
    member: &'a [u8],
}

impl<'a> Command<'a> for SIsMember<'a> {
    const SPEC: Spec = Spec {
        name: "sismember",
        group: Group::Set,
        since: "1.0.0",
        summary: "Tells whether a set has a member.",
        complexity: "O(1)",
        grammar: "key:key member:string",
        flags: &[Flag::ReadOnly, Flag::Fast],
        categories: &[Category::Set],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly])],
        ..Spec::NEW
    };

    #[inline]
    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(SIsMember { key: args.key()?, member: args.next()? })
    }
}

impl<H: Holds<Set>> Run<H> for SIsMember<'_> {
    #[inline]
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let set = host.peek(self.key)?;
        out.int(set.is_some_and(|set| set.contains(self.member)).into());
        Ok(Effect::None)
    }
}

/// Tells of several things whether they are members.
pub struct SMIsMember<'a> {
    key: Key<'a>,
    members: &'a [&'a [u8]],
}

impl<'a> Command<'a> for SMIsMember<'a> {
    const SPEC: Spec = Spec {
        name: "smismember",
        group: Group::Set,
        since: "6.2.0",
        summary: "Tells which of several members a set has.",
        complexity: "O(N), when N is the number of members named",
        grammar: "key:key member:string...",
        flags: &[Flag::ReadOnly, Flag::Fast],
        categories: &[Category::Set],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(SMIsMember { key: args.key()?, members: args.rest() })
    }
}

impl<H: Holds<Set>> Run<H> for SMIsMember<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let set = host.peek(self.key)?;
        out.array(self.members.len());
        for member in self.members {
            out.int(set.is_some_and(|set| set.contains(member)).into());
        }
        Ok(Effect::None)
    }
}
