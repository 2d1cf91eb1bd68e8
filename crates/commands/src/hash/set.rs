//! HSET, HMSET, HSETNX: fields are given values.

use base::{
    Args, Category, Class, CmdError, Command, Deprecated, Effect, Flag, Group, Holds, Key, KeyFlag,
    KeySpec, Reply, Run, Spec, error,
};
use types::Hash;

/// Fields with values, as HSET and HMSET take them.
struct Pairs<'a> {
    key: Key<'a>,
    pairs: &'a [&'a [u8]],
}

impl<'a> Pairs<'a> {
    fn parse(mut args: Args<'a>, name: &str) -> Result<Self, CmdError> {
        let (key, pairs) = (args.key()?, args.rest());
        if pairs.len() % 2 == 1 {
            return Err(error::wrong_arity(name));
        }
        Ok(Pairs { key, pairs })
    }

    /// Sets them all; how many are new.
    fn store<H: Holds<Hash>>(self, host: &mut H) -> Result<usize, CmdError> {
        let limits = host.limits();
        let new = host.edit(self.key, |hash| {
            let pairs = self.pairs.chunks_exact(2);
            pairs.filter(|pair| hash.set(pair[0], pair[1], &limits)).count()
        })?;
        host.notify(Class::Hash, "hset", self.key);
        Ok(new)
    }
}

/// Sets fields; answers how many are new.
pub struct HSet<'a>(Pairs<'a>);

impl<'a> Command<'a> for HSet<'a> {
    const SPEC: Spec = Spec {
        name: "hset",
        group: Group::Hash,
        since: "2.0.0",
        summary: "Sets fields of a hash; answers how many are new.",
        complexity: "O(N), when N is the number of fields set",
        grammar: "key:key field_value={field:string value:string} ...",
        flags: &[Flag::Write, Flag::DenyOom, Flag::Fast],
        categories: &[Category::Hash],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Update])],
        history: &[("4.0.0", "Several fields at a time.")],
        ..Spec::NEW
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Pairs::parse(args, "hset").map(HSet)
    }
}

impl<H: Holds<Hash>> Run<H> for HSet<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let new = self.0.store(host)?;
        out.count(new);
        Ok(Effect::AsSent)
    }
}

/// Sets fields; the older form, which answers OK.
pub struct HMSet<'a>(Pairs<'a>);

impl<'a> Command<'a> for HMSet<'a> {
    const SPEC: Spec = Spec {
        name: "hmset",
        group: Group::Hash,
        since: "2.0.0",
        summary: "Sets fields of a hash; HSET does the same and tells more.",
        complexity: "O(N), when N is the number of fields set",
        grammar: "key:key field_value={field:string value:string} ...",
        flags: &[Flag::Write, Flag::DenyOom, Flag::Fast],
        categories: &[Category::Hash],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Update])],
        deprecated: Some(Deprecated { since: "4.0.0", instead: "`HSET`" }),
        ..Spec::NEW
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Pairs::parse(args, "hmset").map(HMSet)
    }
}

impl<H: Holds<Hash>> Run<H> for HMSet<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        self.0.store(host)?;
        out.ok();
        Ok(Effect::AsSent)
    }
}

/// Sets a field unless it exists.
pub struct HSetNx<'a> {
    key: Key<'a>,
    field: &'a [u8],
    value: &'a [u8],
}

impl<'a> Command<'a> for HSetNx<'a> {
    const SPEC: Spec = Spec {
        name: "hsetnx",
        group: Group::Hash,
        since: "2.0.0",
        summary: "Sets a field of a hash, unless it exists.",
        complexity: "O(1)",
        grammar: "key:key field:string value:string",
        flags: &[Flag::Write, Flag::DenyOom, Flag::Fast],
        categories: &[Category::Hash],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Insert])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(HSetNx { key: args.key()?, field: args.next()?, value: args.next()? })
    }
}

impl<H: Holds<Hash>> Run<H> for HSetNx<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let limits = host.limits();
        let new = host.edit(self.key, |hash| {
            !hash.contains(self.field) && hash.set(self.field, self.value, &limits)
        })?;
        if new {
            host.notify(Class::Hash, "hset", self.key);
        }
        out.int(new.into());
        Ok(if new { Effect::AsSent } else { Effect::None })
    }
}
