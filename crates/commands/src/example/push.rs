//! RING.PUSH: appends a word to a ring.

use base::{
    Args, Class, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag, KeySpec, Reply, Run,
    Spec,
};
use types::example::Ring;

/// Appends a word to a ring of at most so many.
pub(super) struct Push<'a> {
    key: Key<'a>,
    most: usize,
    word: &'a [u8],
}

impl<'a> Command<'a> for Push<'a> {
    const SPEC: Spec = Spec {
        name: "ring.push",
        group: Group::Generic,
        since: "1.0.0",
        summary: "Appends a word.",
        complexity: "O(1)",
        grammar: "key:key most:integer word:string",
        flags: &[Flag::Write, Flag::DenyOom],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Insert])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let (key, most) = (args.key()?, args.integer()?);
        Ok(Push { key, most: usize::try_from(most).unwrap_or(0), word: args.next()? })
    }
}

impl<H: Holds<Ring>> Run<H> for Push<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let pushed = host.edit(self.key, |ring| {
            ring.push(self.word, self.most);
            ring.len()
        })?;
        host.notify(Class::Generic, "ring.push", self.key);
        out.int(i64::try_from(pushed).unwrap_or(i64::MAX));
        Ok(Effect::AsSent)
    }
}
