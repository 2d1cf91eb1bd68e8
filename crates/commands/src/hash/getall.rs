//! HGETALL, HKEYS, HVALS: a hash as a whole.

use base::{
    Args, Category, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag, KeySpec, Reply,
    Run, Spec,
};
use types::Hash;

/// Answers all fields with their values.
pub struct HGetAll<'a> {
    key: Key<'a>,
}

impl<'a> Command<'a> for HGetAll<'a> {
    const SPEC: Spec = Spec {
        name: "hgetall",
        group: Group::Hash,
        since: "2.0.0",
        summary: "Answers all fields of a hash with their values.",
        complexity: "O(N), when N is the number of fields",
        grammar: "key:key",
        flags: &[Flag::ReadOnly],
        categories: &[Category::Hash],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        tips: &["nondeterministic_output_order"],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(HGetAll { key: args.key()? })
    }
}

impl<H: Holds<Hash>> Run<H> for HGetAll<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let hash = host.peek(self.key)?;
        out.map(hash.map_or(0, Hash::len));
        for (field, value) in hash.into_iter().flat_map(Hash::iter) {
            out.bulk(field);
            out.bulk(value);
        }
        Ok(Effect::None)
    }
}

/// Answers all fields.
pub struct HKeys<'a> {
    key: Key<'a>,
}

impl<'a> Command<'a> for HKeys<'a> {
    const SPEC: Spec = Spec {
        name: "hkeys",
        group: Group::Hash,
        since: "2.0.0",
        summary: "Answers all fields of a hash.",
        complexity: "O(N), when N is the number of fields",
        grammar: "key:key",
        flags: &[Flag::ReadOnly],
        categories: &[Category::Hash],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        tips: &["nondeterministic_output_order"],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(HKeys { key: args.key()? })
    }
}

impl<H: Holds<Hash>> Run<H> for HKeys<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let hash = host.peek(self.key)?;
        out.array(hash.map_or(0, Hash::len));
        hash.into_iter().flat_map(Hash::iter).for_each(|(field, _)| out.bulk(field));
        Ok(Effect::None)
    }
}

/// Answers all values.
pub struct HVals<'a> {
    key: Key<'a>,
}

impl<'a> Command<'a> for HVals<'a> {
    const SPEC: Spec = Spec {
        name: "hvals",
        group: Group::Hash,
        since: "2.0.0",
        summary: "Answers all values of a hash.",
        complexity: "O(N), when N is the number of fields",
        grammar: "key:key",
        flags: &[Flag::ReadOnly],
        categories: &[Category::Hash],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        tips: &["nondeterministic_output_order"],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(HVals { key: args.key()? })
    }
}

impl<H: Holds<Hash>> Run<H> for HVals<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let hash = host.peek(self.key)?;
        out.array(hash.map_or(0, Hash::len));
        hash.into_iter().flat_map(Hash::iter).for_each(|(_, value)| out.bulk(value));
        Ok(Effect::None)
    }
}
