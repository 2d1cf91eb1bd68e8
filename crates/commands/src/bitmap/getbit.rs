//! GETBIT.

use base::{
    Args, Category, CmdError, Command, Effect, Flag, Group, Key, KeyFlag, KeySpec, Reply, Run,
    Spec, Strings,
};

use super::offset;

/// Answers one bit; 0 beyond the end.
pub struct GetBit<'a> {
    key: Key<'a>,
    offset: &'a [u8],
}

impl<'a> Command<'a> for GetBit<'a> {
    const SPEC: Spec = Spec {
        name: "getbit",
        group: Group::Bitmap,
        since: "2.2.0",
        summary: "Answers a bit of a string.",
        complexity: "O(1)",
        grammar: "key:key offset:integer",
        flags: &[Flag::ReadOnly, Flag::Fast],
        categories: &[Category::Bitmap],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(GetBit { key: args.key()?, offset: args.next()? })
    }
}

impl<H: Strings> Run<H> for GetBit<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let at = offset::parse(self.offset, None, host.limits().string_max)?;
        let bytes = host.string(self.key)?.unwrap_or_default();
        let byte = bytes.get(offset::byte_of(at)).copied().unwrap_or(0);
        out.int(i64::from(byte & offset::mask_of(at) != 0));
        Ok(Effect::None)
    }
}
