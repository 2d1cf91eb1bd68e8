//! HGET, HMGET, HEXISTS: look-ups of fields.

use base::{
    Args, Behaviour, Category, CmdError, Command, Effect, Extent, Flag, Group, Holds, Key, KeyFlag,
    KeySpec, Reply, Run, Spec,
};
use types::Hash;

/// Answers the value of a field.
pub struct HGet<'a> {
    key: Key<'a>,
    field: &'a [u8],
}

impl<'a> Command<'a> for HGet<'a> {
    const SPEC: Spec = Spec {
        name: "hget",
        group: Group::Hash,
        since: "2.0.0",
        summary: "Answers the value of a field of a hash.",
        complexity: "O(1)",
        grammar: "key:key field:string",
        flags: &[Flag::ReadOnly, Flag::Fast],
        categories: &[Category::Hash],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        behaviour: Behaviour::NEW.extent(Extent::Elements(|_| 1)),
        ..Spec::NEW
    };

    #[inline]
    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(HGet { key: args.key()?, field: args.next()? })
    }
}

impl<H: Holds<Hash>> Run<H> for HGet<'_> {
    #[inline]
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let hash = host.peek(self.key)?;
        out.bulk_or_null(hash.and_then(|hash| hash.get(self.field)));
        Ok(Effect::None)
    }
}

/// Answers the values of several fields; null where there is none.
pub struct HMGet<'a> {
    key: Key<'a>,
    fields: &'a [&'a [u8]],
}

impl<'a> Command<'a> for HMGet<'a> {
    const SPEC: Spec = Spec {
        name: "hmget",
        group: Group::Hash,
        since: "2.0.0",
        summary: "Answers the values of several fields of a hash.",
        complexity: "O(N), when N is the number of fields named",
        grammar: "key:key field:string...",
        flags: &[Flag::ReadOnly, Flag::Fast],
        categories: &[Category::Hash],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        behaviour: Behaviour::NEW.extent(Extent::Elements(|argv| argv.len().saturating_sub(2))),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(HMGet { key: args.key()?, fields: args.rest() })
    }
}

impl<H: Holds<Hash>> Run<H> for HMGet<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let hash = host.peek(self.key)?;
        out.array(self.fields.len());
        for field in self.fields {
            out.bulk_or_null(hash.and_then(|hash| hash.get(field)));
        }
        Ok(Effect::None)
    }
}

/// Tells whether a field exists.
pub struct HExists<'a> {
    key: Key<'a>,
    field: &'a [u8],
}

impl<'a> Command<'a> for HExists<'a> {
    const SPEC: Spec = Spec {
        name: "hexists",
        group: Group::Hash,
        since: "2.0.0",
        summary: "Tells whether a hash has a field.",
        complexity: "O(1)",
        grammar: "key:key field:string",
        flags: &[Flag::ReadOnly, Flag::Fast],
        categories: &[Category::Hash],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(HExists { key: args.key()?, field: args.next()? })
    }
}

impl<H: Holds<Hash>> Run<H> for HExists<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let hash = host.peek(self.key)?;
        out.int(hash.is_some_and(|hash| hash.contains(self.field)).into());
        Ok(Effect::None)
    }
}
