//! HINCRBY.

use base::{
    Args, Category, Class, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag, KeySpec,
    Reply, Run, Spec, error, num,
};
use types::Hash;

/// Adds a number to the integer in a field; answers the sum.
pub struct HIncrBy<'a> {
    key: Key<'a>,
    field: &'a [u8],
    by: i64,
}

impl<'a> Command<'a> for HIncrBy<'a> {
    const SPEC: Spec = Spec {
        name: "hincrby",
        group: Group::Hash,
        since: "2.0.0",
        summary: "Adds a number to the integer in a field of a hash.",
        complexity: "O(1)",
        grammar: "key:key field:string increment:integer",
        flags: &[Flag::Write, Flag::DenyOom, Flag::Fast],
        categories: &[Category::Hash],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Update])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(HIncrBy { key: args.key()?, field: args.next()?, by: args.integer()? })
    }
}

impl<H: Holds<Hash>> Run<H> for HIncrBy<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let old = match host.peek(self.key)?.and_then(|hash| hash.get(self.field)) {
            Some(text) => num::parse_i64(text).ok_or(error::HASH_NOT_INTEGER)?,
            None => 0,
        };
        let sum = old.checked_add(self.by).ok_or(error::OVERFLOW)?;
        let limits = host.limits();
        let mut text = itoa::Buffer::new();
        let text = text.format(sum).as_bytes();
        host.edit(self.key, |hash| hash.set(self.field, text, &limits))?;
        host.notify(Class::Hash, "hincrby", self.key);
        out.int(sum);
        Ok(Effect::AsSent)
    }
}
