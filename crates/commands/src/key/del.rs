//! DEL, UNLINK, EXISTS, TOUCH: counting over keys.

use base::{
    Args, Category, Class, CmdError, Command, Databases, Effect, Flag, Group, Key, KeyFlag,
    KeySpec, Keyspace, Reply, Run, Spec, Types,
};

macro_rules! over_keys {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        pub struct $name<'a> {
            keys: Vec<Key<'a>>,
        }
    };
}

over_keys! {
    /// Removes keys.
    Del
}
over_keys! {
    /// Removes keys; large values are freed in the background. Here DEL does so too.
    Unlink
}
over_keys! {
    /// Counts how many keys exist; a key named twice counts twice.
    Exists
}
over_keys! {
    /// Marks keys as just used.
    Touch
}

impl<'a> Command<'a> for Del<'a> {
    const SPEC: Spec = Spec {
        name: "del",
        group: Group::Generic,
        since: "1.0.0",
        summary: "Removes keys.",
        complexity: "O(N), when N is the number of keys",
        grammar: "key:key...",
        flags: &[Flag::Write],
        categories: &[Category::Keyspace],
        keys: &[KeySpec::range(1, -1, 1, &[KeyFlag::Remove, KeyFlag::Delete])],
        tips: &["request_policy:multi_shard", "response_policy:agg_sum"],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(Del { keys: args.keys_to_end() })
    }
}

impl<'a> Command<'a> for Unlink<'a> {
    const SPEC: Spec = Spec {
        name: "unlink",
        group: Group::Generic,
        since: "4.0.0",
        summary: "Removes keys and frees their values in the background.",
        complexity: "O(1) for each key",
        grammar: "key:key...",
        flags: &[Flag::Write, Flag::Fast],
        categories: &[Category::Keyspace],
        keys: &[KeySpec::range(1, -1, 1, &[KeyFlag::Remove, KeyFlag::Delete])],
        tips: &["request_policy:multi_shard", "response_policy:agg_sum"],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(Unlink { keys: args.keys_to_end() })
    }
}

impl<'a> Command<'a> for Exists<'a> {
    const SPEC: Spec = Spec {
        name: "exists",
        group: Group::Generic,
        since: "1.0.0",
        summary: "Counts how many of the keys exist.",
        complexity: "O(N), when N is the number of keys",
        grammar: "key:key...",
        flags: &[Flag::ReadOnly, Flag::Fast],
        categories: &[Category::Keyspace],
        keys: &[KeySpec::range(1, -1, 1, &[KeyFlag::ReadOnly])],
        tips: &["request_policy:multi_shard", "response_policy:agg_sum"],
        history: &[("3.0.3", "Several keys at a time.")],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(Exists { keys: args.keys_to_end() })
    }
}

impl<'a> Command<'a> for Touch<'a> {
    const SPEC: Spec = Spec {
        name: "touch",
        group: Group::Generic,
        since: "3.2.1",
        summary: "Marks keys as just used and counts those that exist.",
        complexity: "O(N), when N is the number of keys",
        grammar: "key:key...",
        flags: &[Flag::ReadOnly, Flag::Fast],
        categories: &[Category::Keyspace],
        keys: &[KeySpec::range(1, -1, 1, &[KeyFlag::ReadOnly])],
        tips: &["request_policy:multi_shard", "response_policy:agg_sum"],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(Touch { keys: args.keys_to_end() })
    }
}

fn remove<H: Keyspace>(
    keys: Vec<Key<'_>>,
    lazy: bool,
    host: &mut H,
    out: &mut dyn Reply,
) -> Result<Effect, CmdError> {
    let mut removed = 0;
    for key in keys {
        if host.remove(key, lazy) {
            host.notify(Class::Generic, "del", key);
            removed += 1;
        }
    }
    out.count(removed);
    Ok(if removed > 0 { Effect::AsSent } else { Effect::None })
}

impl<H: Keyspace> Run<H> for Del<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        remove(self.keys, false, host, out)
    }
}

impl<H: Keyspace> Run<H> for Unlink<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        remove(self.keys, true, host, out)
    }
}

impl<H: Types> Run<H> for Exists<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        out.count(self.keys.into_iter().filter(|key| host.kind(*key).is_some()).count());
        Ok(Effect::None)
    }
}

impl<H: Databases> Run<H> for Touch<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        out.count(self.keys.into_iter().filter(|key| host.touch(*key)).count());
        Ok(Effect::None)
    }
}
