//! ZMPOP, and BZMPOP that waits.

use base::{
    Args, Category, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag, KeySpec, Kind,
    Nothing, Reply, Run, Spec, Wait, error, num,
};
use types::ZSet;

use super::pop::{Side, effect, take};
use crate::blocking;

/// Takes members from the first of several sorted sets that has any.
struct First<'a> {
    keys: Vec<Key<'a>>,
    side: Side,
    count: usize,
}

impl<'a> First<'a> {
    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let count = positive(args.next()?).ok_or(error::NUMKEYS)?;
        let keys = args.keys(count)?;
        let side = if args.token("MIN") {
            Side::Min
        } else if args.token("MAX") {
            Side::Max
        } else {
            return Err(error::SYNTAX);
        };
        let mut count = None;
        while args.left() > 0 {
            if count.is_some() || args.left() == 1 || !args.token("COUNT") {
                return Err(error::SYNTAX);
            }
            count = Some(positive(args.next()?).ok_or(error::COUNT)?);
        }
        Ok(First { keys, side, count: count.unwrap_or(1) })
    }

    /// Takes and answers; `None` if there is nothing to take.
    fn take<H: Holds<ZSet>>(
        &self,
        host: &mut H,
        out: &mut dyn Reply,
    ) -> Result<Option<Effect>, CmdError> {
        for key in &self.keys {
            let Some(taken) = take(host, *key, self.side, self.count)? else { continue };
            out.array(2);
            out.bulk(key.bytes);
            out.array(taken.len());
            for (member, score) in &taken {
                out.array(2);
                out.bulk(member);
                out.double(*score);
            }
            return Ok(Some(effect(*key, &taken)));
        }
        Ok(None)
    }
}

fn positive(text: &[u8]) -> Option<usize> {
    num::parse_i64(text).and_then(|n| usize::try_from(n).ok()).filter(|&n| n > 0)
}

/// Takes members from the first sorted set that has any.
pub struct ZmPop<'a>(First<'a>);

impl<'a> Command<'a> for ZmPop<'a> {
    const SPEC: Spec = Spec {
        name: "zmpop",
        group: Group::SortedSet,
        since: "7.0.0",
        summary: "Removes and answers members of the first sorted set that has any.",
        complexity: "O(K + log N + M), when K is the number of keys, N of members and M of those \
            taken",
        grammar: "numkeys:integer key:key... where=(MIN | MAX) [COUNT count:integer]",
        flags: &[Flag::Write],
        categories: &[Category::SortedSet],
        keys: &[KeySpec::counted(1, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Delete])],
        ..Spec::NEW
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        First::parse(args).map(ZmPop)
    }
}

impl<H: Holds<ZSet>> Run<H> for ZmPop<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        if let Some(effect) = self.0.take(host, out)? {
            return Ok(effect);
        }
        out.null_array();
        Ok(Effect::None)
    }
}

/// Takes members from the first sorted set that has any, waiting for one.
pub struct BzmPop<'a> {
    timeout: &'a [u8],
    first: First<'a>,
}

impl<'a> Command<'a> for BzmPop<'a> {
    const SPEC: Spec = Spec {
        name: "bzmpop",
        group: Group::SortedSet,
        since: "7.0.0",
        summary: "Removes and answers members of the first sorted set that has any, or waits.",
        complexity: "O(K + log N + M), when K is the number of keys, N of members and M of those \
            taken",
        grammar: "timeout:double numkeys:integer key:key... where=(MIN | MAX) [COUNT \
            count:integer]",
        flags: &[Flag::Write, Flag::Blocking],
        categories: &[Category::SortedSet],
        keys: &[KeySpec::counted(2, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Delete])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        // The timeout stands first but is checked last, as in Redis.
        Ok(BzmPop { timeout: args.next()?, first: First::parse(args)? })
    }
}

impl<H: Holds<ZSet>> Run<H> for BzmPop<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let until = blocking::deadline(self.timeout, host.now())?;
        if let Some(effect) = self.first.take(host, out)? {
            return Ok(effect);
        }
        // BZMPOP timeout numkeys key …
        let keys = (3..3 + self.first.keys.len()).collect();
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
