//! HLEN, HSTRLEN: sizes.

use base::{
    Args, Category, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag, KeySpec, Reply,
    Run, Spec,
};
use types::Hash;

/// Counts the fields.
pub struct HLen<'a> {
    key: Key<'a>,
}

impl<'a> Command<'a> for HLen<'a> {
    const SPEC: Spec = Spec {
        name: "hlen",
        group: Group::Hash,
        since: "2.0.0",
        summary: "Counts the fields of a hash.",
        complexity: "O(1)",
        grammar: "key:key",
        flags: &[Flag::ReadOnly, Flag::Fast],
        categories: &[Category::Hash],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(HLen { key: args.key()? })
    }
}

impl<H: Holds<Hash>> Run<H> for HLen<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        out.count(host.peek(self.key)?.map_or(0, Hash::len));
        Ok(Effect::None)
    }
}

/// Answers how long the value of a field is.
pub struct HStrLen<'a> {
    key: Key<'a>,
    field: &'a [u8],
}

impl<'a> Command<'a> for HStrLen<'a> {
    const SPEC: Spec = Spec {
        name: "hstrlen",
        group: Group::Hash,
        since: "3.2.0",
        summary: "Answers how many bytes the value of a field of a hash has.",
        complexity: "O(1)",
        grammar: "key:key field:string",
        flags: &[Flag::ReadOnly, Flag::Fast],
        categories: &[Category::Hash],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(HStrLen { key: args.key()?, field: args.next()? })
    }
}

impl<H: Holds<Hash>> Run<H> for HStrLen<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        out.count(host.peek(self.key)?.map_or(0, |hash| hash.value_len(self.field)));
        Ok(Effect::None)
    }
}
