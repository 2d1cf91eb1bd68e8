//! XINFO STREAM, GROUPS, CONSUMERS, HELP.

use base::{
    Args, Category, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag, KeySpec, Keyspace,
    Locks, Millis, Reply, Run, Spec, StreamId, error,
};
use types::Stream;
use types::stream::{self, Consumer, Log, Pending};

use super::{ids, reply};

/// The name before the subcommands.
pub(crate) const XINFO: Spec = Spec {
    name: "xinfo",
    group: Group::Stream,
    since: "5.0.0",
    summary: "Tells about streams and their groups.",
    complexity: "Depends on subcommand.",
    arity: -2,
    ..Spec::NEW
};

/// What the subcommands have in common.
const ABOUT_STREAM: Spec = Spec {
    group: Group::Stream,
    since: "5.0.0",
    complexity: "O(N) in what is answered",
    flags: &[Flag::ReadOnly],
    categories: &[Category::Stream],
    keys: &[KeySpec::one(2, &[KeyFlag::ReadOnly, KeyFlag::Access])],
    ..Spec::NEW
};

/// Entries and pending ones that FULL lists if the request does not say how many.
const FULL_COUNT: usize = 10;

/// Tells about a stream.
pub struct About<'a> {
    key: Key<'a>,
    /// What stands behind the key, which Redis looks at after it.
    options: &'a [&'a [u8]],
    argv: &'a [&'a [u8]],
}

impl<'a> Command<'a> for About<'a> {
    const SPEC: Spec = Spec {
        name: "xinfo|stream",
        summary: "Tells about a stream.",
        complexity: "O(N) in its nodes, which are counted as Redis would count them",
        grammar: "key:key [FULL full={[COUNT count:integer]}]",
        history: &[("6.0.0", "`FULL`."), ("7.0.0", "More of what it counts.")],
        ..ABOUT_STREAM
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let argv = args.argv();
        Ok(About { key: args.key()?, options: args.rest(), argv })
    }
}

impl About<'_> {
    /// How many entries FULL lists; `None` without FULL.
    fn full(&self) -> Result<Option<usize>, CmdError> {
        let is = |at: usize, word: &str| {
            self.options.get(at).is_some_and(|own| own.eq_ignore_ascii_case(word.as_bytes()))
        };
        match self.options {
            [] => Ok(None),
            [_] if is(0, "FULL") => Ok(Some(FULL_COUNT)),
            [_, _, count] if is(0, "FULL") && is(1, "COUNT") => {
                let count = base::num::parse_i64(count).ok_or(error::NOT_INTEGER)?;
                Ok(Some(match usize::try_from(count) {
                    Ok(0) => usize::MAX,
                    Ok(count) => count,
                    Err(_) => FULL_COUNT,
                }))
            }
            _ => Err(reply::subcommand_syntax(self.argv)),
        }
    }
}

impl<H: Holds<Stream>> Run<H> for About<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let stream = host.peek(self.key)?.ok_or(error::NO_SUCH_KEY)?;
        let full = self.full()?;
        let log = stream.log();
        out.map(if full.is_some() { 9 } else { 10 });
        counters(log, out);
        match full {
            None => summary(stream, out),
            Some(count) => {
                out.bulk(b"entries");
                let entries = log.range(StreamId::MIN, StreamId::MAX).take(count).collect();
                reply::entries(entries, out);
                out.bulk(b"groups");
                out.array(stream.groups().len());
                stream.groups().iter().for_each(|group| full_group(log, group, count, out));
            }
        }
        Ok(Effect::None)
    }
}

fn counters(log: &Log, out: &mut dyn Reply) {
    out.bulk(b"length");
    out.count(log.len());
    out.bulk(b"radix-tree-keys");
    out.count(log.node_count());
    out.bulk(b"radix-tree-nodes");
    out.count(log.radix_nodes());
    out.bulk(b"last-generated-id");
    ids::write(log.last_id(), out);
    out.bulk(b"max-deleted-entry-id");
    ids::write(log.max_deleted_id(), out);
    out.bulk(b"entries-added");
    reply::counter(log.entries_added(), out);
    out.bulk(b"recorded-first-entry-id");
    ids::write(log.first_id(), out);
}

fn summary(stream: &Stream, out: &mut dyn Reply) {
    let log = stream.log();
    out.bulk(b"groups");
    out.count(stream.groups().len());
    let first = log.range(StreamId::MIN, StreamId::MAX).next();
    let last = log.range_back(StreamId::MIN, StreamId::MAX).next();
    for (name, entry) in [("first-entry", first), ("last-entry", last)] {
        out.bulk(name.as_bytes());
        match entry {
            Some(entry) => reply::entry(entry, out),
            None => out.null(),
        }
    }
}

/// What of a group stands in all lists of groups alike.
fn progress(log: &Log, group: &stream::Group, out: &mut dyn Reply) {
    out.bulk(b"last-delivered-id");
    ids::write(group.last_id, out);
    out.bulk(b"entries-read");
    match group.entries_read {
        Some(read) => reply::counter(read, out),
        None => out.null(),
    }
    out.bulk(b"lag");
    match group.lag(log) {
        Some(lag) => out.int(lag),
        None => out.null(),
    }
}

fn full_group(log: &Log, group: &stream::Group, count: usize, out: &mut dyn Reply) {
    out.map(7);
    out.bulk(b"name");
    out.bulk(group.name());
    progress(log, group, out);
    out.bulk(b"pel-count");
    out.count(group.pending());
    out.bulk(b"pending");
    let pending: Vec<&Pending> = group.pending_from(StreamId::MIN).take(count).collect();
    out.array(pending.len());
    for one in pending {
        out.array(4);
        ids::write(one.id, out);
        out.bulk(group.consumer(one.consumer).map_or(&[][..], Consumer::name));
        reply::counter(one.delivered, out);
        reply::counter(one.deliveries, out);
    }
    out.bulk(b"consumers");
    let consumers = group.consumers();
    out.array(consumers.len());
    for consumer in consumers {
        out.map(4);
        out.bulk(b"name");
        out.bulk(consumer.name());
        out.bulk(b"seen-time");
        reply::counter(consumer.seen, out);
        out.bulk(b"pel-count");
        out.count(consumer.pending());
        out.bulk(b"pending");
        let own = consumer.pending_from(StreamId::MIN).take(count);
        let own: Vec<&Pending> = own.filter_map(|id| group.pending_at(id)).collect();
        out.array(own.len());
        for one in own {
            out.array(3);
            ids::write(one.id, out);
            reply::counter(one.delivered, out);
            reply::counter(one.deliveries, out);
        }
    }
}

/// Lists the groups of a stream.
pub struct Groups<'a> {
    key: Key<'a>,
}

impl<'a> Command<'a> for Groups<'a> {
    const SPEC: Spec = Spec {
        name: "xinfo|groups",
        summary: "Lists the groups of a stream.",
        grammar: "key:key",
        history: &[("7.0.0", "How much was read, and how much is left to read.")],
        ..ABOUT_STREAM
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(Groups { key: args.key()? })
    }
}

impl<H: Holds<Stream>> Run<H> for Groups<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let stream = host.peek(self.key)?.ok_or(error::NO_SUCH_KEY)?;
        out.array(stream.groups().len());
        for group in stream.groups() {
            out.map(6);
            out.bulk(b"name");
            out.bulk(group.name());
            out.bulk(b"consumers");
            out.count(group.numbers().len());
            out.bulk(b"pending");
            out.count(group.pending());
            progress(stream.log(), group, out);
        }
        Ok(Effect::None)
    }
}

/// Lists the consumers of a group.
pub struct Consumers<'a> {
    key: Key<'a>,
    group: &'a [u8],
}

impl<'a> Command<'a> for Consumers<'a> {
    const SPEC: Spec = Spec {
        name: "xinfo|consumers",
        summary: "Lists the consumers of a group.",
        grammar: "key:key groupname:string",
        tips: &["nondeterministic_output"],
        ..ABOUT_STREAM
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(Consumers { key: args.key()?, group: args.next()? })
    }
}

/// Milliseconds since a consumer was seen; 0 if that was before a restart, which forgets it.
fn idle(consumer: &Consumer, now: Millis) -> i64 {
    if consumer.seen == 0 {
        return 0;
    }
    now.cast_signed().wrapping_sub(consumer.seen.cast_signed()).max(0)
}

impl<H: Holds<Stream>> Run<H> for Consumers<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let now = host.now();
        let stream = host.peek(self.key)?.ok_or(error::NO_SUCH_KEY)?;
        let group = stream.group(self.group);
        let group = group.ok_or_else(|| reply::no_group(self.key.bytes, self.group))?;
        let consumers = group.consumers();
        out.array(consumers.len());
        for consumer in consumers {
            out.map(3);
            out.bulk(b"name");
            out.bulk(consumer.name());
            out.bulk(b"pending");
            out.count(consumer.pending());
            out.bulk(b"idle");
            out.int(idle(consumer, now));
        }
        Ok(Effect::None)
    }
}

/// XINFO HELP.
pub struct InfoHelp<'a>(std::marker::PhantomData<&'a ()>);

impl<'a> Command<'a> for InfoHelp<'a> {
    const SPEC: Spec = Spec {
        name: "xinfo|help",
        summary: "Lists the subcommands of XINFO.",
        complexity: "O(1)",
        flags: &[Flag::Loading, Flag::Stale],
        keys: &[],
        behaviour: ABOUT_STREAM.behaviour.locks(|_| Locks::Nothing),
        ..ABOUT_STREAM
    };

    fn parse(_: Args<'a>) -> Result<Self, CmdError> {
        Ok(InfoHelp(std::marker::PhantomData))
    }
}

impl<H: Keyspace> Run<H> for InfoHelp<'_> {
    fn run(self, _: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let lines = [
            "XINFO <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
            "CONSUMERS <key> <group>",
            "    The consumers of <group>.",
            "GROUPS <key>",
            "    The groups of the stream.",
            "STREAM <key> [FULL [COUNT <count>]]",
            "    What the stream counts; with FULL, its entries, groups and what is pending.",
            "HELP",
            "    This text.",
        ];
        out.array(lines.len());
        lines.iter().for_each(|line| out.simple(line));
        Ok(Effect::None)
    }
}
