//! OBJECT ENCODING, IDLETIME, FREQ, REFCOUNT, HELP; MEMORY USAGE: what a key is made of.

use base::{
    Args, Behaviour, Category, CmdError, Command, Databases, Effect, Flag, Group, Key, KeyFlag,
    KeySpec, Keyspace, Locks, Property, Reply, Run, Spec, Strings, Types, error, num,
};

/// The name before OBJECT's subcommands.
pub(crate) const OBJECT: Spec = Spec {
    name: "object",
    since: "2.2.3",
    summary: "Looks into the inner life of keys.",
    complexity: "Depends on subcommand.",
    arity: -2,
    ..Spec::NEW
};

/// The name before MEMORY's subcommands.
pub(crate) const MEMORY: Spec = Spec {
    name: "memory",
    group: Group::Server,
    since: "4.0.0",
    summary: "Tells what memory is used for.",
    complexity: "Depends on subcommand.",
    arity: -2,
    ..Spec::NEW
};

/// What the subcommands of OBJECT have in common.
const ABOUT_KEY: Spec = Spec {
    since: "2.2.3",
    grammar: "key:key",
    flags: &[Flag::ReadOnly],
    categories: &[Category::Keyspace],
    keys: &[KeySpec::one(2, &[KeyFlag::ReadOnly])],
    tips: &["nondeterministic_output"],
    behaviour: Behaviour::NEW.properties(&[Property::ReadsMetadata]),
    ..Spec::NEW
};

macro_rules! about_key {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        pub struct $name<'a> {
            key: Key<'a>,
        }
    };
}

about_key! {
    /// The name of the encoding.
    Encoding
}
about_key! {
    /// Seconds since the key was used.
    IdleTime
}
about_key! {
    /// How often the key is used; only under an LFU policy.
    Freq
}
about_key! {
    /// How many share the value: one here, but clients expect Redis's answer for small integers.
    RefCount
}

impl<'a> Command<'a> for Encoding<'a> {
    const SPEC: Spec = Spec {
        name: "object|encoding",
        summary: "Answers the name of a value's encoding.",
        ..ABOUT_KEY
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(Encoding { key: args.key()? })
    }
}

impl<H: Types> Run<H> for Encoding<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        out.bulk_or_null(host.encoding(self.key).map(str::as_bytes));
        Ok(Effect::None)
    }
}

impl<'a> Command<'a> for IdleTime<'a> {
    const SPEC: Spec = Spec {
        name: "object|idletime",
        summary: "Answers the seconds since a key was used.",
        ..ABOUT_KEY
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(IdleTime { key: args.key()? })
    }
}

impl<H: Databases> Run<H> for IdleTime<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        match host.idle_seconds(self.key) {
            Some(_) if host.counts_uses() => {
                return Err(CmdError::new(
                    "ERR An LFU maxmemory policy is selected, idle time not tracked. Please note \
                     that when switching between policies at runtime LRU and LFU data will take \
                     some time to adjust.",
                ));
            }
            Some(seconds) => out.int(i64::try_from(seconds).unwrap_or(i64::MAX)),
            None => out.null(),
        }
        Ok(Effect::None)
    }
}

impl<'a> Command<'a> for Freq<'a> {
    const SPEC: Spec = Spec {
        name: "object|freq",
        since: "4.0.0",
        summary: "Answers how often a key is used, under an LFU policy.",
        ..ABOUT_KEY
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(Freq { key: args.key()? })
    }
}

impl<H: Databases> Run<H> for Freq<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        match host.frequency(self.key) {
            Some(count) => out.int(i64::from(count)),
            None if host.kind(self.key).is_none() => out.null(),
            None => {
                return Err(CmdError::new(
                    "ERR An LFU maxmemory policy is not selected, access frequency not tracked. \
                     Please note that when switching between policies at runtime LRU and LFU data \
                     will take some time to adjust.",
                ));
            }
        }
        Ok(Effect::None)
    }
}

impl<'a> Command<'a> for RefCount<'a> {
    const SPEC: Spec = Spec {
        name: "object|refcount",
        summary: "Answers how many places share a value.",
        ..ABOUT_KEY
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(RefCount { key: args.key()? })
    }
}

/// What Redis answers for the small integers it shares between all keys.
const SHARED: i64 = i32::MAX as i64;

impl<H: Strings> Run<H> for RefCount<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let integer = host.encoding(self.key) == Some("int");
        let value = host.string(self.key).ok().flatten().and_then(num::parse_i64);
        match host.kind(self.key) {
            Some(_) if integer && value.is_some_and(|n| (0..10_000).contains(&n)) => {
                out.int(SHARED);
            }
            Some(_) => out.int(1),
            None => out.null(),
        }
        Ok(Effect::None)
    }
}

/// Bytes a key and its value take.
pub struct Usage<'a> {
    key: Key<'a>,
}

impl<'a> Command<'a> for Usage<'a> {
    const SPEC: Spec = Spec {
        name: "memory|usage",
        group: Group::Server,
        since: "4.0.0",
        summary: "Answers the bytes a key and its value take.",
        complexity: "O(1): the accounts are exact, nothing is sampled",
        grammar: "key:key [SAMPLES count:integer]",
        flags: &[Flag::ReadOnly],
        keys: &[KeySpec::one(2, &[KeyFlag::ReadOnly])],
        behaviour: Behaviour::NEW.properties(&[Property::ReadsMetadata]),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let key = args.key()?;
        while args.left() > 0 {
            if args.left() < 2 || !args.token("SAMPLES") {
                return Err(error::SYNTAX);
            }
            if args.integer()? < 0 {
                return Err(error::SYNTAX);
            }
        }
        Ok(Usage { key })
    }
}

impl<H: Databases> Run<H> for Usage<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        match host.memory(self.key) {
            Some(bytes) => out.count(bytes),
            None => out.null(),
        }
        Ok(Effect::None)
    }
}

/// Writes help lines the way Redis's containers do.
fn help(lines: &[&str], out: &mut dyn Reply) -> Result<Effect, CmdError> {
    out.array(lines.len());
    lines.iter().for_each(|line| out.simple(line));
    Ok(Effect::None)
}

/// OBJECT HELP.
pub struct ObjectHelp<'a>(std::marker::PhantomData<&'a ()>);

impl<'a> Command<'a> for ObjectHelp<'a> {
    const SPEC: Spec = Spec {
        name: "object|help",
        group: Group::Generic,
        since: "6.2.0",
        summary: "Lists the subcommands of OBJECT.",
        complexity: "O(1)",
        grammar: "",
        flags: &[Flag::Loading, Flag::Stale],
        categories: &[Category::Keyspace],
        behaviour: Behaviour::NEW.locks(|_| Locks::Nothing),
        ..Spec::NEW
    };

    fn parse(_: Args<'a>) -> Result<Self, CmdError> {
        Ok(ObjectHelp(std::marker::PhantomData))
    }
}

impl<H: Keyspace> Run<H> for ObjectHelp<'_> {
    fn run(self, _: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let lines = [
            "OBJECT <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
            "ENCODING <key>",
            "    The name of the encoding of the value at <key>.",
            "FREQ <key>",
            "    How often <key> is used; needs an LFU policy.",
            "IDLETIME <key>",
            "    Seconds since <key> was used.",
            "REFCOUNT <key>",
            "    How many places share the value at <key>.",
            "HELP",
            "    This text.",
        ];
        help(&lines, out)
    }
}
