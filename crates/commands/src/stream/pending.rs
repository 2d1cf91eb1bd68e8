//! XPENDING.

use base::{
    Args, Category, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag, KeySpec, Millis,
    Reply, Run, Spec, StreamId, error, num,
};
use types::Stream;
use types::stream::{self, Pending};

use super::{ids, reply};

/// Which pending entries to list.
struct Listed<'a> {
    min_idle: i64,
    from: StreamId,
    to: StreamId,
    count: usize,
    consumer: Option<&'a [u8]>,
}

/// Tells what is pending.
pub struct XPending<'a> {
    key: Key<'a>,
    group: &'a [u8],
    /// `None`: a summary.
    listed: Option<Listed<'a>>,
}

impl<'a> Command<'a> for XPending<'a> {
    const SPEC: Spec = Spec {
        name: "xpending",
        group: Group::Stream,
        since: "5.0.0",
        summary: "Tells which entries a group has delivered and not seen acknowledged.",
        complexity: "O(N) in the entries looked at; of the summary, in the consumers",
        grammar: "key:key group:string [filters={[IDLE min-idle-time:integer @6.2.0] \
                  start:string end:string count:integer [consumer:string]}]",
        flags: &[Flag::ReadOnly],
        categories: &[Category::Stream],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        tips: &["nondeterministic_output"],
        history: &[("6.2.0", "`IDLE`; ids that are left out, with `(`.")],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let (key, group) = (args.key()?, args.next()?);
        if !matches!(args.left(), 0 | 3..=6) {
            return Err(error::SYNTAX);
        }
        let listed = if args.left() > 0 { Some(Listed::parse(&mut args)?) } else { None };
        Ok(XPending { key, group, listed })
    }
}

impl<'a> Listed<'a> {
    fn parse(args: &mut Args<'a>) -> Result<Self, CmdError> {
        let mut min_idle = 0;
        let words = args.left();
        if args.token("IDLE") {
            min_idle = args.integer()?;
            if words < 5 {
                return Err(error::SYNTAX);
            }
        }
        let (from, to, count) = (args.next()?, args.next()?, args.next()?);
        let count = num::parse_i64(count).ok_or(error::NOT_INTEGER)?;
        Ok(Listed {
            min_idle,
            from: ids::start(from)?,
            to: ids::end(to)?,
            count: usize::try_from(count).unwrap_or(0),
            // What stands behind the consumer is not looked at.
            consumer: args.take(),
        })
    }

    fn run(&self, group: &stream::Group, now: Millis, out: &mut dyn Reply) {
        let now = now.cast_signed();
        let idle = |one: &Pending| now.wrapping_sub(one.delivered.cast_signed());
        let wanted = |one: &&Pending| {
            one.id <= self.to && (self.min_idle == 0 || idle(one) >= self.min_idle)
        };
        let own = match self.consumer {
            None => None,
            Some(name) => match group.find(name).and_then(|number| group.consumer(number)) {
                Some(consumer) => Some(consumer),
                None => return out.array(0),
            },
        };
        let all: Vec<&Pending> = match own {
            Some(consumer) => {
                let ids = consumer.pending_from(self.from).take_while(|&id| id <= self.to);
                let pending = ids.filter_map(|id| group.pending_at(id));
                pending.filter(wanted).take(self.count).collect()
            }
            None => {
                let pending = group.pending_from(self.from).take_while(|one| one.id <= self.to);
                pending.filter(wanted).take(self.count).collect()
            }
        };
        out.array(all.len());
        for one in all {
            out.array(4);
            ids::write(one.id, out);
            out.bulk(group.consumer(one.consumer).map_or(&[][..], |owner| owner.name()));
            out.int(idle(one).max(0));
            reply::counter(one.deliveries, out);
        }
    }
}

impl<H: Holds<Stream>> Run<H> for XPending<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let now = host.now();
        let group = host.peek(self.key)?.and_then(|stream| stream.group(self.group));
        let group = group.ok_or_else(|| reply::no_key_or_group(self.key.bytes, self.group, ""))?;
        match self.listed {
            Some(listed) => listed.run(group, now, out),
            None => summary(group, out),
        }
        Ok(Effect::None)
    }
}

fn summary(group: &stream::Group, out: &mut dyn Reply) {
    out.array(4);
    out.count(group.pending());
    let Some((first, last)) = group.pending_ends() else {
        out.null();
        out.null();
        return out.null_array();
    };
    ids::write(first, out);
    ids::write(last, out);
    let owners: Vec<_> = group.consumers().filter(|consumer| consumer.pending() > 0).collect();
    out.array(owners.len());
    for consumer in owners {
        out.array(2);
        out.bulk(consumer.name());
        out.bulk(itoa::Buffer::new().format(consumer.pending()).as_bytes());
    }
}
