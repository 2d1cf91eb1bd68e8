//! SCAN, KEYS, RANDOMKEY, DBSIZE: walks over the whole keyspace.

use base::{
    Args, Behaviour, Category, CmdError, Command, Databases, Effect, Flag, Group, Locks, Page,
    Reply, Run, RunTime, Spec, glob,
};

use crate::walk::{Options, answer_keys, parse_cursor, reply};

/// Walks over the keys in slices.
pub struct Scan<'a> {
    cursor: u64,
    options: Options<'a>,
}

impl<'a> Command<'a> for Scan<'a> {
    const SPEC: Spec = Spec {
        name: "scan",
        group: Group::Generic,
        since: "2.8.0",
        summary: "Walks over the keys of the database in slices.",
        complexity: "O(1) for each call, O(N) for a whole walk",
        grammar: "cursor:integer [MATCH pattern:pattern] [COUNT count:integer] [TYPE type:string \
                  @6.0.0]",
        flags: &[Flag::ReadOnly],
        categories: &[Category::Keyspace],
        tips: &["nondeterministic_output", "request_policy:special"],
        behaviour: Behaviour::NEW.locks(|_| Locks::Each).run_time(RunTime::Page(Page {
            options: 2,
            size: "COUNT",
            cursor: None,
            values: None,
        })),
        history: &[("6.0.0", "`TYPE`.")],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let cursor = parse_cursor(args.next()?)?;
        Ok(Scan { cursor, options: Options::parse(args, true)? })
    }
}

impl<H: Databases> Run<H> for Scan<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let mut keys: Vec<Vec<u8>> = Vec::new();
        let wanted = self.options.kind;
        let next = self.options.walk(self.cursor, |cursor| {
            let mut seen = 0;
            let next = host.scan(cursor, &mut |key, kind| {
                seen += 1;
                let of_kind = wanted.is_none_or(|k| k.eq_ignore_ascii_case(kind.name().as_bytes()));
                if of_kind && self.options.accepts(key) {
                    keys.push(key.to_vec());
                }
            });
            (next, seen)
        });
        reply(next, &keys, out);
        Ok(Effect::None)
    }
}

/// Answers every key that matches a pattern.
pub struct Keys<'a> {
    pattern: &'a [u8],
}

impl<'a> Command<'a> for Keys<'a> {
    const SPEC: Spec = Spec {
        name: "keys",
        group: Group::Generic,
        since: "1.0.0",
        summary: "Answers every key that matches a pattern.",
        complexity: "O(N), when N is the number of keys in the database",
        grammar: "pattern:pattern",
        flags: &[Flag::ReadOnly],
        categories: &[Category::Keyspace, Category::Dangerous],
        tips: &["request_policy:all_shards", "nondeterministic_output_order"],
        behaviour: Behaviour::NEW.locks(|_| Locks::Each),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(Keys { pattern: args.next()? })
    }
}

impl<H: Databases> Run<H> for Keys<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        answer_keys(host, out, |key, _| self.pattern == b"*" || glob::matches(self.pattern, key));
        Ok(Effect::None)
    }
}

/// Answers some key.
pub struct RandomKey<'a>(std::marker::PhantomData<&'a ()>);

impl<'a> Command<'a> for RandomKey<'a> {
    const SPEC: Spec = Spec {
        name: "randomkey",
        group: Group::Generic,
        since: "1.0.0",
        summary: "Answers some key of the database.",
        complexity: "O(S), when S is the number of shards",
        grammar: "",
        flags: &[Flag::ReadOnly],
        categories: &[Category::Keyspace],
        tips: &["request_policy:all_shards", "nondeterministic_output"],
        behaviour: Behaviour::NEW.locks(|_| Locks::Each).run_time(RunTime::Short),
        ..Spec::NEW
    };

    fn parse(_: Args<'a>) -> Result<Self, CmdError> {
        Ok(RandomKey(std::marker::PhantomData))
    }
}

impl<H: Databases> Run<H> for RandomKey<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        out.bulk_or_null(host.random_key().as_deref());
        Ok(Effect::None)
    }
}

/// Counts the keys.
pub struct DbSize<'a>(std::marker::PhantomData<&'a ()>);

impl<'a> Command<'a> for DbSize<'a> {
    const SPEC: Spec = Spec {
        name: "dbsize",
        group: Group::Server,
        since: "1.0.0",
        summary: "Counts the keys of the database.",
        complexity: "O(S), when S is the number of shards",
        grammar: "",
        flags: &[Flag::ReadOnly, Flag::Fast],
        categories: &[Category::Keyspace],
        tips: &["request_policy:all_shards", "response_policy:agg_sum"],
        behaviour: Behaviour::NEW.locks(|_| Locks::Each).run_time(RunTime::Short),
        ..Spec::NEW
    };

    fn parse(_: Args<'a>) -> Result<Self, CmdError> {
        Ok(DbSize(std::marker::PhantomData))
    }
}

impl<H: Databases> Run<H> for DbSize<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        out.count(host.key_count());
        Ok(Effect::None)
    }
}
