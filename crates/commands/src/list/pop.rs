//! LPOP, RPOP, and BLPOP, BRPOP that wait.

use base::{
    Args, Behaviour, Category, CmdError, Command, Effect, Extent, Flag, Group, Holds, Key, KeyFlag,
    KeySpec, Kind, Nothing, Reply, Run, Spec, Wait, count_at, error, num,
};
use types::{End, List};

use super::ends::{notify_pop, take, taken};
use crate::blocking;

/// Takes elements from one end.
struct Pop<'a> {
    key: Key<'a>,
    count: Option<usize>,
}

impl<'a> Pop<'a> {
    fn parse(mut args: Args<'a>, name: &str) -> Result<Self, CmdError> {
        if args.left() > 2 {
            return Err(error::wrong_arity(name));
        }
        let key = args.key()?;
        let count = match args.take() {
            None => None,
            Some(text) => {
                let count = num::parse_i64(text).and_then(|n| usize::try_from(n).ok());
                Some(count.ok_or(error::MUST_BE_POSITIVE)?)
            }
        };
        Ok(Pop { key, count })
    }

    fn run<H: Holds<List>>(
        self,
        end: End,
        host: &mut H,
        out: &mut dyn Reply,
    ) -> Result<Effect, CmdError> {
        let Some(list) = host.peek(self.key)? else {
            match self.count {
                Some(_) => out.null_array(),
                None => out.null(),
            }
            return Ok(Effect::None);
        };
        let count = self.count.map_or(1, |count| count.min(list.len()));
        if count == 0 {
            out.array(0);
            return Ok(Effect::None);
        }
        host.edit(self.key, |list| match self.count {
            Some(count) => take(list, end, count, out),
            None => {
                out.bulk_or_null(list.peek(end));
                list.drop_from(end, 1);
            }
        })?;
        notify_pop(host, self.key, end);
        Ok(Effect::AsSent)
    }
}

/// Takes elements from the head.
pub struct LPop<'a>(Pop<'a>);

impl<'a> Command<'a> for LPop<'a> {
    const SPEC: Spec = Spec {
        name: "lpop",
        group: Group::List,
        since: "1.0.0",
        summary: "Removes and answers elements at the head of a list.",
        complexity: "O(N), when N is the number of elements taken",
        grammar: "key:key [count:integer @6.2.0]",
        flags: &[Flag::Write, Flag::Fast],
        categories: &[Category::List],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Delete])],
        history: &[("6.2.0", "A count.")],
        behaviour: Behaviour::NEW.extent(Extent::Elements(|argv| count_at(argv, 2))),
        ..Spec::NEW
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Pop::parse(args, "lpop").map(LPop)
    }
}

impl<H: Holds<List>> Run<H> for LPop<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        self.0.run(End::Head, host, out)
    }
}

/// Takes elements from the tail.
pub struct RPop<'a>(Pop<'a>);

impl<'a> Command<'a> for RPop<'a> {
    const SPEC: Spec = Spec {
        name: "rpop",
        group: Group::List,
        since: "1.0.0",
        summary: "Removes and answers elements at the tail of a list.",
        complexity: "O(N), when N is the number of elements taken",
        grammar: "key:key [count:integer @6.2.0]",
        flags: &[Flag::Write, Flag::Fast],
        categories: &[Category::List],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Delete])],
        history: &[("6.2.0", "A count.")],
        behaviour: Behaviour::NEW.extent(Extent::Elements(|argv| count_at(argv, 2))),
        ..Spec::NEW
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Pop::parse(args, "rpop").map(RPop)
    }
}

impl<H: Holds<List>> Run<H> for RPop<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        self.0.run(End::Tail, host, out)
    }
}

/// Takes an element from the first list that has one; waits if none has.
struct BlockingPop<'a> {
    keys: Vec<Key<'a>>,
    timeout: &'a [u8],
}

impl<'a> BlockingPop<'a> {
    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let keys = args.keys(args.left() - 1)?;
        Ok(BlockingPop { keys, timeout: args.next()? })
    }

    fn run<H: Holds<List>>(
        self,
        end: End,
        host: &mut H,
        out: &mut dyn Reply,
    ) -> Result<Effect, CmdError> {
        let until = blocking::deadline(self.timeout, host.now())?;
        for key in &self.keys {
            if host.peek(*key)?.is_none() {
                continue;
            }
            host.edit(*key, |list| {
                out.array(2);
                out.bulk(key.bytes);
                out.bulk_or_null(list.peek(end));
                list.drop_from(end, 1);
            })?;
            notify_pop(host, *key, end);
            return Ok(taken(*key, end, 1));
        }
        let keys = (1..=self.keys.len()).collect();
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

/// Takes an element from the head, waiting for one.
pub struct BlPop<'a>(BlockingPop<'a>);

impl<'a> Command<'a> for BlPop<'a> {
    const SPEC: Spec = Spec {
        name: "blpop",
        group: Group::List,
        since: "2.0.0",
        summary: "Takes an element from the head of the first list that has one, or waits.",
        complexity: "O(N), when N is the number of keys",
        grammar: "key:key... timeout:double",
        flags: &[Flag::Write, Flag::NoScript, Flag::Blocking],
        categories: &[Category::List],
        keys: &[KeySpec::range(1, -2, 1, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Delete])],
        history: &[("6.0.0", "The timeout may have decimals.")],
        ..Spec::NEW
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        BlockingPop::parse(args).map(BlPop)
    }
}

impl<H: Holds<List>> Run<H> for BlPop<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        self.0.run(End::Head, host, out)
    }
}

/// Takes an element from the tail, waiting for one.
pub struct BrPop<'a>(BlockingPop<'a>);

impl<'a> Command<'a> for BrPop<'a> {
    const SPEC: Spec = Spec {
        name: "brpop",
        group: Group::List,
        since: "2.0.0",
        summary: "Takes an element from the tail of the first list that has one, or waits.",
        complexity: "O(N), when N is the number of keys",
        grammar: "key:key... timeout:double",
        flags: &[Flag::Write, Flag::NoScript, Flag::Blocking],
        categories: &[Category::List],
        keys: &[KeySpec::range(1, -2, 1, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Delete])],
        history: &[("6.0.0", "The timeout may have decimals.")],
        ..Spec::NEW
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        BlockingPop::parse(args).map(BrPop)
    }
}

impl<H: Holds<List>> Run<H> for BrPop<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        self.0.run(End::Tail, host, out)
    }
}
