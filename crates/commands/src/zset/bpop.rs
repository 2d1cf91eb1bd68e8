//! BZPOPMIN and BZPOPMAX.

use base::{
    Args, Category, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag, KeySpec, Kind,
    Nothing, Reply, Run, Spec, Wait,
};
use types::ZSet;

use super::pop::{Side, effect, take};
use crate::blocking;

/// Takes one member from the first of several sorted sets that has any, or waits.
struct Pop<'a> {
    keys: Vec<Key<'a>>,
    timeout: &'a [u8],
}

impl<'a> Pop<'a> {
    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let keys = args.left().saturating_sub(1);
        Ok(Pop { keys: args.keys(keys)?, timeout: args.next()? })
    }

    fn run<H: Holds<ZSet>>(
        self,
        side: Side,
        host: &mut H,
        out: &mut dyn Reply,
    ) -> Result<Effect, CmdError> {
        let until = blocking::deadline(self.timeout, host.now())?;
        for key in &self.keys {
            let Some(taken) = take(host, *key, side, 1)? else { continue };
            out.array(1 + 2 * taken.len());
            out.bulk(key.bytes);
            for (member, score) in &taken {
                out.bulk(member);
                out.double(*score);
            }
            return Ok(effect(*key, &taken));
        }
        // BZPOPMIN key … timeout
        let keys = (1..=self.keys.len()).collect();
        let in_transaction = Nothing::NullArray;
        Ok(Effect::Block(Box::new(Wait {
            keys,
            kind: Kind::ZSet,
            until,
            in_transaction,
            resume: None,
        })))
    }
}

/// Takes the member with the lowest score, or waits for one.
pub struct BzPopMin<'a>(Pop<'a>);

impl<'a> Command<'a> for BzPopMin<'a> {
    const SPEC: Spec = Spec {
        name: "bzpopmin",
        group: Group::SortedSet,
        since: "5.0.0",
        summary: "Removes and answers the member with the lowest score, waiting for one.",
        complexity: "O(log N), when N is the number of members",
        grammar: "key:key... timeout:double",
        flags: &[Flag::Write, Flag::NoScript, Flag::Blocking, Flag::Fast],
        categories: &[Category::SortedSet],
        keys: &[KeySpec::range(1, -2, 1, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Delete])],
        history: &[("6.0.0", "The timeout may have decimals.")],
        ..Spec::NEW
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Pop::parse(args).map(BzPopMin)
    }
}

impl<H: Holds<ZSet>> Run<H> for BzPopMin<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        self.0.run(Side::Min, host, out)
    }
}

/// Takes the member with the highest score, or waits for one.
pub struct BzPopMax<'a>(Pop<'a>);

impl<'a> Command<'a> for BzPopMax<'a> {
    const SPEC: Spec = Spec {
        name: "bzpopmax",
        group: Group::SortedSet,
        since: "5.0.0",
        summary: "Removes and answers the member with the highest score, waiting for one.",
        complexity: "O(log N), when N is the number of members",
        grammar: "key:key... timeout:double",
        flags: &[Flag::Write, Flag::NoScript, Flag::Blocking, Flag::Fast],
        categories: &[Category::SortedSet],
        keys: &[KeySpec::range(1, -2, 1, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Delete])],
        history: &[("6.0.0", "The timeout may have decimals.")],
        ..Spec::NEW
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Pop::parse(args).map(BzPopMax)
    }
}

impl<H: Holds<ZSet>> Run<H> for BzPopMax<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        self.0.run(Side::Max, host, out)
    }
}
