//! ZPOPMIN and ZPOPMAX, and what all commands share that take members from an end.

use base::{
    Args, Argv, Behaviour, Category, Class, CmdError, Command, Effect, Extent, Flag, Group, Holds,
    Key, KeyFlag, KeySpec, Protocol, Reply, Run, Spec, count_at, error, num,
};
use smallvec::SmallVec;
use types::ZSet;

/// Where to take members from.
#[derive(Clone, Copy)]
pub(super) enum Side {
    Min,
    Max,
}

/// Members that were taken, with their scores, in the order they were taken.
pub(super) type Taken = SmallVec<[(Vec<u8>, f64); 1]>;

/// Takes up to `count` members from the sorted set at `key`; `None` if there is none.
///
/// # Errors
/// The key holds another type.
pub(super) fn take<H: Holds<ZSet>>(
    host: &mut H,
    key: Key<'_>,
    side: Side,
    count: usize,
) -> Result<Option<Taken>, CmdError> {
    let taken = host.edit_existing(key, |zset| {
        let (len, count) = (zset.len(), count.min(zset.len()));
        let copy = |(member, score): (&[u8], f64)| (member.to_vec(), score);
        let (ranks, taken): (_, Taken) = match side {
            Side::Min => (0..count, zset.range(0..count).map(copy).collect()),
            Side::Max => (len - count..len, zset.range(len - count..len).rev().map(copy).collect()),
        };
        zset.remove_ranks(ranks);
        taken
    })?;
    if taken.is_some() {
        let event = match side {
            Side::Min => "zpopmin",
            Side::Max => "zpopmax",
        };
        host.notify_taken(Class::ZSet, event, key);
    }
    Ok(taken)
}

/// What the journal must know: which members are gone, however they were found.
pub(super) fn effect(key: Key<'_>, taken: &Taken) -> Effect {
    let mut argv = Argv::new(&[b"ZREM", key.bytes]);
    taken.iter().for_each(|(member, _)| argv.push(member));
    Effect::Rewritten(argv)
}

/// Takes members from an end.
struct Pop<'a> {
    key: Key<'a>,
    count: Option<usize>,
}

impl<'a> Pop<'a> {
    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let key = args.key()?;
        if args.left() > 1 {
            return Err(error::SYNTAX);
        }
        let positive = |text: &[u8]| num::parse_i64(text).and_then(|n| usize::try_from(n).ok());
        let count = args.take().map(|text| positive(text).ok_or(error::MUST_BE_POSITIVE));
        Ok(Pop { key, count: count.transpose()? })
    }

    fn run<H: Holds<ZSet>>(
        self,
        side: Side,
        host: &mut H,
        out: &mut dyn Reply,
    ) -> Result<Effect, CmdError> {
        let exists = host.peek(self.key)?.is_some();
        if !exists || self.count == Some(0) {
            out.array(0);
            return Ok(Effect::None);
        }
        let taken = take(host, self.key, side, self.count.unwrap_or(1))?.unwrap_or_default();
        // Only who gave a count, even 1, gets pairs.
        let nested = self.count.is_some() && out.protocol() == Protocol::Resp3;
        out.array(if nested { taken.len() } else { taken.len() * 2 });
        for (member, score) in &taken {
            if nested {
                out.array(2);
            }
            out.bulk(member);
            out.double(*score);
        }
        Ok(effect(self.key, &taken))
    }
}

/// Takes the members with the lowest scores.
pub struct ZPopMin<'a>(Pop<'a>);

impl<'a> Command<'a> for ZPopMin<'a> {
    const SPEC: Spec = Spec {
        name: "zpopmin",
        group: Group::SortedSet,
        since: "5.0.0",
        summary: "Removes and answers the members of a sorted set with the lowest scores.",
        complexity: "O(log N + M), when N is the number of members and M of those taken",
        grammar: "key:key [count:integer]",
        flags: &[Flag::Write, Flag::Fast],
        categories: &[Category::SortedSet],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Delete])],
        behaviour: Behaviour::NEW.extent(Extent::Elements(|argv| count_at(argv, 2))),
        ..Spec::NEW
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Pop::parse(args).map(ZPopMin)
    }
}

impl<H: Holds<ZSet>> Run<H> for ZPopMin<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        self.0.run(Side::Min, host, out)
    }
}

/// Takes the members with the highest scores.
pub struct ZPopMax<'a>(Pop<'a>);

impl<'a> Command<'a> for ZPopMax<'a> {
    const SPEC: Spec = Spec {
        name: "zpopmax",
        group: Group::SortedSet,
        since: "5.0.0",
        summary: "Removes and answers the members of a sorted set with the highest scores.",
        complexity: "O(log N + M), when N is the number of members and M of those taken",
        grammar: "key:key [count:integer]",
        flags: &[Flag::Write, Flag::Fast],
        categories: &[Category::SortedSet],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Delete])],
        behaviour: Behaviour::NEW.extent(Extent::Elements(|argv| count_at(argv, 2))),
        ..Spec::NEW
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Pop::parse(args).map(ZPopMax)
    }
}

impl<H: Holds<ZSet>> Run<H> for ZPopMax<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        self.0.run(Side::Max, host, out)
    }
}
