//! MGET, MSET, MSETNX: several strings as one.

use base::{
    Args, Behaviour, Category, CmdError, Command, Deadline, Effect, Extent, Flag, Group, Key,
    KeyFlag, KeySpec, Reply, Run, Spec, Strings, error,
};

use super::set::notify;

/// Answers the strings at several keys; null where there is none or another type.
pub struct MGet<'a> {
    keys: Vec<Key<'a>>,
}

impl<'a> Command<'a> for MGet<'a> {
    const SPEC: Spec = Spec {
        name: "mget",
        group: Group::String,
        since: "1.0.0",
        summary: "Answers the strings at several keys.",
        complexity: "O(N), when N is the number of keys",
        grammar: "key:key...",
        flags: &[Flag::ReadOnly, Flag::Fast],
        categories: &[Category::String],
        keys: &[KeySpec::range(1, -1, 1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        tips: &["request_policy:multi_shard"],
        behaviour: Behaviour::NEW.extent(Extent::Whole),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(MGet { keys: args.keys_to_end() })
    }
}

impl<H: Strings> Run<H> for MGet<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        out.array(self.keys.len());
        for key in self.keys {
            out.bulk_or_null(host.string(key).unwrap_or(None));
        }
        Ok(Effect::None)
    }
}

/// Keys with values, as MSET and MSETNX take them.
struct Pairs<'a>(Vec<(Key<'a>, &'a [u8])>);

impl<'a> Pairs<'a> {
    fn parse(mut args: Args<'a>, name: &str) -> Result<Self, CmdError> {
        let mut pairs = Vec::with_capacity(args.left() / 2);
        if args.left() % 2 == 1 {
            return Err(error::wrong_arity(name));
        }
        while args.left() > 0 {
            pairs.push((args.key()?, args.next()?));
        }
        Ok(Pairs(pairs))
    }

    fn store<H: Strings>(self, host: &mut H) {
        for (key, value) in self.0 {
            host.set_string(key, value, Deadline::Clear);
            notify(host, key, Deadline::Clear);
        }
    }
}

/// Sets several keys as one.
pub struct MSet<'a>(Pairs<'a>);

impl<'a> Command<'a> for MSet<'a> {
    const SPEC: Spec = Spec {
        name: "mset",
        group: Group::String,
        since: "1.0.1",
        summary: "Stores several strings at once.",
        complexity: "O(N), when N is the number of keys",
        grammar: "key_value={key:key value:string} ...",
        flags: &[Flag::Write, Flag::DenyOom],
        categories: &[Category::String],
        keys: &[KeySpec::range(1, -1, 2, &[KeyFlag::Overwrite, KeyFlag::Update])],
        tips: &["request_policy:multi_shard", "response_policy:all_succeeded"],
        ..Spec::NEW
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Pairs::parse(args, "mset").map(MSet)
    }
}

impl<H: Strings> Run<H> for MSet<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        self.0.store(host);
        out.ok();
        Ok(Effect::AsSent)
    }
}

/// Sets several keys as one, unless any of them exists.
pub struct MSetNx<'a>(Pairs<'a>);

impl<'a> Command<'a> for MSetNx<'a> {
    const SPEC: Spec = Spec {
        name: "msetnx",
        group: Group::String,
        since: "1.0.1",
        summary: "Stores several strings at once, if none of the keys exists.",
        complexity: "O(N), when N is the number of keys",
        grammar: "key_value={key:key value:string} ...",
        flags: &[Flag::Write, Flag::DenyOom],
        categories: &[Category::String],
        keys: &[KeySpec::range(1, -1, 2, &[KeyFlag::Overwrite, KeyFlag::Insert])],
        tips: &["request_policy:multi_shard", "response_policy:agg_min"],
        ..Spec::NEW
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Pairs::parse(args, "msetnx").map(MSetNx)
    }
}

impl<H: Strings> Run<H> for MSetNx<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        if self.0.0.iter().any(|(key, _)| host.kind(*key).is_some()) {
            out.int(0);
            return Ok(Effect::None);
        }
        self.0.store(host);
        out.int(1);
        Ok(Effect::AsSent)
    }
}
