//! SCAN, KEYS, RANDOMKEY, DBSIZE: walks over the whole keyspace.

use base::{
    Args, Category, CmdError, Command, Effect, Flag, Group, Keyspace, Locks, Reply, Run, Spec,
    error, glob,
};

/// Walks over the keys in slices.
pub struct Scan<'a> {
    cursor: u64,
    options: Options<'a>,
}

/// The options of SCAN.
struct Options<'a> {
    pattern: Option<&'a [u8]>,
    count: usize,
    kind: Option<&'a [u8]>,
}

/// Keys a slice visits when the client does not say.
const COUNT: usize = 10;

impl<'a> Command<'a> for Scan<'a> {
    const SPEC: Spec = Spec {
        name: "scan",
        group: Group::Generic,
        since: "2.8.0",
        summary: "Walks over the keys of the database in slices.",
        complexity: "O(1) for each call, O(N) for a whole walk",
        grammar: "cursor:integer [MATCH pattern:pattern] [COUNT count:integer] [TYPE type:string]",
        flags: &[Flag::ReadOnly],
        categories: &[Category::Keyspace],
        tips: &["nondeterministic_output", "request_policy:special"],
        locks: |_| Locks::Each,
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let cursor = parse_cursor(args.next()?)?;
        let mut options = Options { pattern: None, count: COUNT, kind: None };
        while args.left() > 0 {
            if args.left() > 1 && args.token("COUNT") {
                let count = args.integer()?;
                options.count =
                    usize::try_from(count).ok().filter(|&n| n > 0).ok_or(error::SYNTAX)?;
            } else if args.left() > 1 && args.token("MATCH") {
                options.pattern = Some(args.next()?);
            } else if args.left() > 1 && args.token("TYPE") {
                options.kind = Some(args.next()?);
            } else {
                return Err(error::SYNTAX);
            }
        }
        Ok(Scan { cursor, options })
    }
}

/// Whether a key matches; `*` alone matches even the empty key, which as a glob it would not.
fn matches(pattern: &[u8], key: &[u8]) -> bool {
    pattern == b"*" || glob::matches(pattern, key)
}

/// A cursor as clients send it back: an unsigned decimal number.
///
/// # Errors
/// "invalid cursor".
pub(crate) fn parse_cursor(text: &[u8]) -> Result<u64, CmdError> {
    let text = std::str::from_utf8(text).ok().filter(|t| !t.is_empty());
    let digits = text.filter(|t| t.bytes().all(|b| b.is_ascii_digit()));
    digits.and_then(|t| t.parse().ok()).ok_or(CmdError::new("ERR invalid cursor"))
}

impl<H: Keyspace> Run<H> for Scan<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let Options { pattern, count, kind } = self.options;
        let wanted = |key: &[u8], name: &str| {
            pattern.is_none_or(|p| matches(p, key))
                && kind.is_none_or(|k| k.eq_ignore_ascii_case(name.as_bytes()))
        };
        let mut keys: Vec<Vec<u8>> = Vec::new();
        let mut cursor = self.cursor;
        let (mut seen, mut steps) = (0, 0);
        // Empty stretches cost steps too: Redis bounds them at ten per requested key.
        while seen < count && steps < count.saturating_mul(10) {
            cursor = host.scan(cursor, &mut |key, kind| {
                seen += 1;
                if wanted(key, kind.name()) {
                    keys.push(key.to_vec());
                }
            });
            steps += 1;
            if cursor == 0 {
                break;
            }
        }
        out.array(2);
        out.bulk(cursor.to_string().as_bytes());
        out.array(keys.len());
        keys.iter().for_each(|key| out.bulk(key));
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
        locks: |_| Locks::Each,
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(Keys { pattern: args.next()? })
    }
}

impl<H: Keyspace> Run<H> for Keys<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let mut keys: Vec<Vec<u8>> = Vec::new();
        let mut cursor = 0;
        loop {
            cursor = host.scan(cursor, &mut |key, _| {
                if matches(self.pattern, key) {
                    keys.push(key.to_vec());
                }
            });
            if cursor == 0 {
                break;
            }
        }
        out.array(keys.len());
        keys.iter().for_each(|key| out.bulk(key));
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
        locks: |_| Locks::Each,
        ..Spec::NEW
    };

    fn parse(_: Args<'a>) -> Result<Self, CmdError> {
        Ok(RandomKey(std::marker::PhantomData))
    }
}

impl<H: Keyspace> Run<H> for RandomKey<'_> {
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
        locks: |_| Locks::Each,
        ..Spec::NEW
    };

    fn parse(_: Args<'a>) -> Result<Self, CmdError> {
        Ok(DbSize(std::marker::PhantomData))
    }
}

impl<H: Keyspace> Run<H> for DbSize<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        out.count(host.key_count());
        Ok(Effect::None)
    }
}
