//! FLUSHDB, FLUSHALL, SWAPDB: whole databases at once.

use base::{
    Args, Behaviour, Category, CmdError, Command, Databases, Effect, Flag, Group, Locks, Reply,
    Run, RunTime, Spec, error, num,
};

/// `[ASYNC | SYNC]`: both free in the background here; the grammar is checked all the same.
fn parse_mode(mut args: Args<'_>) -> Result<bool, CmdError> {
    let lazy = args.token("ASYNC");
    if !lazy && !args.token("SYNC") && args.left() > 0 {
        return Err(error::SYNTAX);
    }
    args.end()?;
    Ok(lazy)
}

/// What the two have in common.
const FLUSH: Spec = Spec {
    group: Group::Server,
    complexity: "O(S), when S is the number of shards; values are freed in the background",
    grammar: "[async=(ASYNC @4.0.0 | SYNC @6.2.0)]",
    flags: &[Flag::Write],
    categories: &[Category::Keyspace, Category::Dangerous],
    tips: &["request_policy:all_shards", "response_policy:all_succeeded"],
    behaviour: Behaviour::NEW.locks(|_| Locks::Every).run_time(RunTime::Short),
    history: &[("4.0.0", "`ASYNC`."), ("6.2.0", "`SYNC`.")],
    ..Spec::NEW
};

/// Removes every key of the database.
pub struct FlushDb<'a> {
    lazy: bool,
    lifetime: std::marker::PhantomData<&'a ()>,
}

impl<'a> Command<'a> for FlushDb<'a> {
    const SPEC: Spec =
        Spec { name: "flushdb", summary: "Removes every key of the current database.", ..FLUSH };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Ok(FlushDb { lazy: parse_mode(args)?, lifetime: std::marker::PhantomData })
    }
}

impl<H: Databases> Run<H> for FlushDb<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        host.flush(Some(host.db()), self.lazy);
        out.ok();
        Ok(Effect::AsSent)
    }
}

/// Removes every key of every database.
pub struct FlushAll<'a> {
    lazy: bool,
    lifetime: std::marker::PhantomData<&'a ()>,
}

impl<'a> Command<'a> for FlushAll<'a> {
    const SPEC: Spec =
        Spec { name: "flushall", summary: "Removes every key of every database.", ..FLUSH };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Ok(FlushAll { lazy: parse_mode(args)?, lifetime: std::marker::PhantomData })
    }
}

impl<H: Databases> Run<H> for FlushAll<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        host.flush(None, self.lazy);
        out.ok();
        Ok(Effect::AsSent)
    }
}

/// Exchanges two databases.
pub struct SwapDb<'a> {
    first: &'a [u8],
    second: &'a [u8],
}

impl<'a> Command<'a> for SwapDb<'a> {
    const SPEC: Spec = Spec {
        name: "swapdb",
        group: Group::Server,
        since: "4.0.0",
        summary: "Exchanges two databases.",
        complexity: "O(S), when S is the number of shards",
        grammar: "index1:integer index2:integer",
        flags: &[Flag::Write, Flag::Fast],
        categories: &[Category::Keyspace, Category::Dangerous],
        behaviour: Behaviour::NEW.locks(|_| Locks::Every).run_time(RunTime::Short),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(SwapDb { first: args.next()?, second: args.next()? })
    }
}

impl<H: Databases> Run<H> for SwapDb<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let number = |text: &[u8], which: &str| {
            num::parse_i64(text)
                .filter(|n| i32::try_from(*n).is_ok())
                .ok_or_else(|| CmdError::owned(format!("ERR invalid {which} DB index")))
        };
        let (first, second) = (number(self.first, "first")?, number(self.second, "second")?);
        let inside = |n: i64| usize::try_from(n).ok().filter(|&n| n < host.databases());
        let (Some(first), Some(second)) = (inside(first), inside(second)) else {
            return Err(error::DB_OUT_OF_RANGE);
        };
        host.swap(first, second);
        out.ok();
        Ok(Effect::AsSent)
    }
}
