//! SMOVE.

use base::{
    Args, Argv, Category, Class, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag,
    KeySpec, Reply, Run, Spec,
};
use types::Set;

/// Moves a member from one set to another.
pub struct SMove<'a> {
    from: Key<'a>,
    to: Key<'a>,
    member: &'a [u8],
}

impl<'a> Command<'a> for SMove<'a> {
    const SPEC: Spec = Spec {
        name: "smove",
        group: Group::Set,
        since: "1.0.0",
        summary: "Moves a member from one set to another.",
        complexity: "O(1)",
        grammar: "source:key destination:key#1 member:string",
        flags: &[Flag::Write, Flag::Fast],
        categories: &[Category::Set],
        keys: &[
            KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Delete]),
            KeySpec::one(2, &[KeyFlag::ReadWrite, KeyFlag::Insert]),
        ],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(SMove { from: args.key()?, to: args.key()?, member: args.next()? })
    }
}

impl<H: Holds<Set>> Run<H> for SMove<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        // What the destination holds matters only once there is a source.
        let (mut found, mut there) = (false, false);
        if let Some(from) = host.peek(self.from)? {
            there = host.peek(self.to)?.is_some_and(|to| to.contains(self.member));
            found = from.contains(self.member);
        }
        out.int(found.into());
        if !found || self.from.bytes == self.to.bytes {
            return Ok(Effect::None);
        }
        let limits = host.limits();
        host.edit_existing(self.from, |from| from.remove(self.member))?;
        host.notify_taken(Class::Set, "srem", self.from);
        let removed = Argv::new(&[b"SREM", self.from.bytes, self.member]);
        if there {
            // The destination stays as it is: those who watch it are not disturbed.
            return Ok(Effect::Several(vec![removed]));
        }
        host.edit(self.to, |to| to.add(self.member, &limits))?;
        host.notify(Class::Set, "sadd", self.to);
        // Told key by key: the two sets are remembered apart.
        Ok(Effect::Several(vec![removed, Argv::new(&[b"SADD", self.to.bytes, self.member])]))
    }
}
