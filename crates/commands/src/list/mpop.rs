//! LMPOP, and BLMPOP that waits.

use base::{
    Args, Category, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag, KeySpec, Kind,
    Nothing, Reply, Run, Spec, Wait, error, num,
};
use types::{End, List};

use super::ends::{notify_pop, parse_end, take, taken};
use crate::blocking;

/// Takes elements from the first list that has any.
struct FirstList<'a> {
    keys: Vec<Key<'a>>,
    end: End,
    count: usize,
}

impl<'a> FirstList<'a> {
    fn parse(args: &mut Args<'a>) -> Result<Self, CmdError> {
        let count = positive(args.next()?).ok_or(error::NUMKEYS)?;
        let keys = args.keys(count)?;
        let mut first = FirstList { keys, end: parse_end(args)?, count: 1 };
        if args.left() > 1 && args.token("COUNT") {
            let count = positive(args.next()?);
            first.count = count.ok_or(CmdError::new("ERR count should be greater than 0"))?;
        }
        args.end()?;
        Ok(first)
    }

    /// Takes and answers; `None` if all lists are missing.
    fn take<H: Holds<List>>(
        &self,
        host: &mut H,
        out: &mut dyn Reply,
    ) -> Result<Option<Effect>, CmdError> {
        for key in &self.keys {
            let Some(list) = host.peek(*key)? else { continue };
            let count = self.count.min(list.len());
            host.edit(*key, |list| {
                out.array(2);
                out.bulk(key.bytes);
                take(list, self.end, count, out);
            })?;
            notify_pop(host, *key, self.end);
            return Ok(Some(taken(*key, self.end, count)));
        }
        Ok(None)
    }
}

fn positive(text: &[u8]) -> Option<usize> {
    num::parse_i64(text).and_then(|n| usize::try_from(n).ok()).filter(|&n| n > 0)
}

/// Takes elements from the first list that has any.
pub struct LmPop<'a>(FirstList<'a>);

impl<'a> Command<'a> for LmPop<'a> {
    const SPEC: Spec = Spec {
        name: "lmpop",
        group: Group::List,
        since: "7.0.0",
        summary: "Takes elements from the first list that has any.",
        complexity: "O(N+M), when N is the number of keys and M of elements taken",
        grammar: "numkeys:integer key:key... where=(LEFT | RIGHT) [COUNT count:integer]",
        flags: &[Flag::Write],
        categories: &[Category::List],
        keys: &[KeySpec::counted(1, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Delete])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        FirstList::parse(&mut args).map(LmPop)
    }
}

impl<H: Holds<List>> Run<H> for LmPop<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        if let Some(effect) = self.0.take(host, out)? {
            return Ok(effect);
        }
        out.null_array();
        Ok(Effect::None)
    }
}

/// Takes elements from the first list that has any, waiting for one.
pub struct BlmPop<'a> {
    timeout: &'a [u8],
    first: FirstList<'a>,
}

impl<'a> Command<'a> for BlmPop<'a> {
    const SPEC: Spec = Spec {
        name: "blmpop",
        group: Group::List,
        since: "7.0.0",
        summary: "Takes elements from the first list that has any, or waits.",
        complexity: "O(N+M), when N is the number of keys and M of elements taken",
        grammar: "timeout:double numkeys:integer key:key... where=(LEFT | RIGHT) \
                  [COUNT count:integer]",
        flags: &[Flag::Write, Flag::Blocking],
        categories: &[Category::List],
        keys: &[KeySpec::counted(2, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Delete])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let timeout = args.next()?;
        Ok(BlmPop { timeout, first: FirstList::parse(&mut args)? })
    }
}

impl<H: Holds<List>> Run<H> for BlmPop<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let until = blocking::deadline(self.timeout, host.now())?;
        if let Some(effect) = self.first.take(host, out)? {
            return Ok(effect);
        }
        // BLMPOP timeout numkeys key …
        let keys = (3..3 + self.first.keys.len()).collect();
        let in_transaction = Nothing::NullArray;
        Ok(Effect::Block(Box::new(Wait {
            keys,
            kind: Kind::List,
            until,
            in_transaction,
            resume: None,
        })))
    }
}
