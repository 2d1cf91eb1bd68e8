//! TYPE.

use base::{
    Args, Category, CmdError, Command, Effect, Flag, Group, Key, KeyFlag, KeySpec, Reply, Run,
    Spec, Types,
};

/// Answers the type of the value at a key.
pub struct Type<'a> {
    key: Key<'a>,
}

impl<'a> Command<'a> for Type<'a> {
    const SPEC: Spec = Spec {
        name: "type",
        group: Group::Generic,
        since: "1.0.0",
        summary: "Answers the type of the value at a key.",
        complexity: "O(1)",
        grammar: "key:key",
        flags: &[Flag::ReadOnly, Flag::Fast],
        categories: &[Category::Keyspace],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(Type { key: args.key()? })
    }
}

impl<H: Types> Run<H> for Type<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        out.simple(host.kind(self.key).map_or("none", |kind| kind.name()));
        Ok(Effect::None)
    }
}
