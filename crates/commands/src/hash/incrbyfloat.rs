//! HINCRBYFLOAT.

use base::{
    Args, Argv, Category, Class, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag,
    KeySpec, Reply, Run, Spec, error, num::LongDouble,
};
use types::Hash;

/// Adds a number with a fraction to the number in a field; answers the sum as text, computed as
/// `INCRBYFLOAT` does.
pub struct HIncrByFloat<'a> {
    key: Key<'a>,
    field: &'a [u8],
    by: LongDouble,
}

/// Unlike `INCRBYFLOAT`, an infinite operand is refused before the key is looked at.
const NAN_OR_INFINITY: CmdError = CmdError::new("ERR value is NaN or Infinity");

impl<'a> Command<'a> for HIncrByFloat<'a> {
    const SPEC: Spec = Spec {
        name: "hincrbyfloat",
        group: Group::Hash,
        since: "2.6.0",
        summary: "Adds a number with a fraction to the number in a field of a hash.",
        complexity: "O(1)",
        grammar: "key:key field:string increment:double",
        flags: &[Flag::Write, Flag::DenyOom, Flag::Fast],
        categories: &[Category::Hash],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Update])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let (key, field, by) = (args.key()?, args.next()?, args.next()?);
        let by = LongDouble::parse(by).ok_or(error::NOT_FLOAT)?;
        if by.is_infinite() {
            return Err(NAN_OR_INFINITY);
        }
        Ok(HIncrByFloat { key, field, by })
    }
}

impl<H: Holds<Hash>> Run<H> for HIncrByFloat<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let old = host.peek(self.key)?.and_then(|hash| hash.get(self.field)).unwrap_or(b"0");
        let old = LongDouble::parse(old).ok_or(error::HASH_NOT_FLOAT)?;
        let sum = old.checked_add(self.by).ok_or(error::NAN_OR_INFINITY)?;
        let mut text = Vec::new();
        sum.write(&mut text);
        let limits = host.limits();
        host.edit(self.key, |hash| hash.set(self.field, &text, &limits))?;
        host.notify(Class::Hash, "hincrbyfloat", self.key);
        out.bulk(&text);
        // The sum itself is remembered: no second machine must agree on its digits.
        Ok(Effect::Rewritten(Argv::new(&[b"HSET", self.key.bytes, self.field, &text])))
    }
}
