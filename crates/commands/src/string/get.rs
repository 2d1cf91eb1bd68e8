//! GET.

use base::{
    Args, Behaviour, Category, CmdError, Command, Effect, Extent, Flag, Group, Key, KeyFlag,
    KeySpec, Reply, Run, Spec, Strings,
};

/// Answers the string at `key`, or null.
pub struct Get<'a> {
    key: Key<'a>,
}

impl<'a> Command<'a> for Get<'a> {
    const SPEC: Spec = Spec {
        name: "get",
        group: Group::String,
        since: "1.0.0",
        summary: "Answers the string stored at a key.",
        complexity: "O(1)",
        grammar: "key:key",
        flags: &[Flag::ReadOnly, Flag::Fast],
        categories: &[Category::String],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        alias: "getb",
        behaviour: Behaviour::NEW.extent(Extent::Whole),
        ..Spec::NEW
    };

    #[inline]
    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(Get { key: args.key()? })
    }
}

impl<H: Strings> Run<H> for Get<'_> {
    #[inline]
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        out.bulk_or_null(host.string(self.key)?);
        Ok(Effect::None)
    }
}
