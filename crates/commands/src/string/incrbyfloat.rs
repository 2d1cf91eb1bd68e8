//! INCRBYFLOAT.

use base::{
    Args, Argv, Category, Class, CmdError, Command, Effect, Flag, Group, Key, KeyFlag, KeySpec,
    Reply, Run, Spec, Strings, error, num::LongDouble,
};

/// Adds a number with a fraction to the number at `key`; answers the sum as text. The sum is
/// computed with 64 bits of precision, as on the machines Redis was first used on.
pub struct IncrByFloat<'a> {
    key: Key<'a>,
    by: &'a [u8],
}

impl<'a> Command<'a> for IncrByFloat<'a> {
    const SPEC: Spec = Spec {
        name: "incrbyfloat",
        group: Group::String,
        since: "2.6.0",
        summary: "Adds a number with a fraction to the number at a key.",
        complexity: "O(1)",
        grammar: "key:key increment:double",
        flags: &[Flag::Write, Flag::DenyOom, Flag::Fast],
        categories: &[Category::String],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Update])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(IncrByFloat { key: args.key()?, by: args.next()? })
    }
}

impl<H: Strings> Run<H> for IncrByFloat<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let old = host.string(self.key)?.unwrap_or(b"0");
        let old = LongDouble::parse(old).ok_or(error::NOT_FLOAT)?;
        let by = LongDouble::parse(self.by).ok_or(error::NOT_FLOAT)?;
        let sum = old.checked_add(by).ok_or(error::NAN_OR_INFINITY)?;
        let text = sum.to_string().into_bytes();
        host.set_float_string(self.key, &text);
        host.notify(Class::String, "incrbyfloat", self.key);
        out.bulk(&text);
        // The sum itself is remembered: another machine may add differently.
        Ok(Effect::Rewritten(Argv::new(&[b"SET", self.key.bytes, &text, b"KEEPTTL"])))
    }
}
