//! LMOVE and RPOPLPUSH, and BLMOVE and BRPOPLPUSH that wait: an element changes lists.

use base::{
    Args, Argv, Category, Class, CmdError, Command, Deprecated, Effect, Flag, Group, Holds, Key,
    KeyFlag, KeySpec, Kind, Nothing, Reply, Run, Spec, Wait,
};
use types::{End, List};

use super::ends::{end_name, notify_pop, parse_end};
use crate::blocking;

/// Moves one element.
struct Transfer<'a> {
    from: Key<'a>,
    to: Key<'a>,
    take: End,
    give: End,
}

impl<'a> Transfer<'a> {
    fn parse(args: &mut Args<'a>) -> Result<Self, CmdError> {
        let (from, to) = (args.key()?, args.key()?);
        Ok(Transfer { from, to, take: parse_end(args)?, give: parse_end(args)? })
    }

    fn tail_to_head(args: &mut Args<'a>) -> Result<Self, CmdError> {
        Ok(Transfer { from: args.key()?, to: args.key()?, take: End::Tail, give: End::Head })
    }

    /// Moves and answers; `None` if the source is missing.
    fn run<H: Holds<List>>(
        &self,
        host: &mut H,
        out: &mut dyn Reply,
    ) -> Result<Option<Effect>, CmdError> {
        let Some(source) = host.peek(self.from)? else { return Ok(None) };
        let element = source.peek(self.take).unwrap_or_default().to_vec();
        host.peek(self.to)?;
        let limits = host.limits();
        // The destination first: so the change of it is told first, as in Redis.
        if self.from.bytes != self.to.bytes {
            host.edit(self.to, |list| list.push(self.give, &element, &limits))?;
        }
        host.edit(self.from, |list| {
            list.drop_from(self.take, 1);
            if self.from.bytes == self.to.bytes {
                list.push(self.give, &element, &limits);
            }
        })?;
        let event = if self.give == End::Head { "lpush" } else { "rpush" };
        host.notify(Class::List, event, self.to);
        notify_pop(host, self.from, self.take);
        out.bulk(&element);
        if self.from.bytes == self.to.bytes {
            let (take, give) = (end_name(self.take), end_name(self.give));
            let argv = Argv::new(&[b"LMOVE", self.from.bytes, self.to.bytes, take, give]);
            return Ok(Some(Effect::Rewritten(argv)));
        }
        // Told key by key: the two lists are remembered apart.
        let pop: &[u8] = if self.take == End::Head { b"LPOP" } else { b"RPOP" };
        let push: &[u8] = if self.give == End::Head { b"LPUSH" } else { b"RPUSH" };
        Ok(Some(Effect::Several(vec![
            Argv::new(&[pop, self.from.bytes]),
            Argv::new(&[push, self.to.bytes, &element]),
        ])))
    }

    fn run_now<H: Holds<List>>(
        &self,
        host: &mut H,
        out: &mut dyn Reply,
    ) -> Result<Effect, CmdError> {
        if let Some(effect) = self.run(host, out)? {
            return Ok(effect);
        }
        out.null();
        Ok(Effect::None)
    }

    fn run_or_wait<H: Holds<List>>(
        &self,
        timeout: &[u8],
        host: &mut H,
        out: &mut dyn Reply,
    ) -> Result<Effect, CmdError> {
        let until = blocking::deadline(timeout, host.now())?;
        if let Some(effect) = self.run(host, out)? {
            return Ok(effect);
        }
        let in_transaction = Nothing::Null;
        Ok(Effect::Block(Box::new(Wait {
            keys: vec![1],
            kind: Kind::List,
            until,
            in_transaction,
            resume: None,
        })))
    }
}

/// Moves an element between given ends.
pub struct LMove<'a>(Transfer<'a>);

impl<'a> Command<'a> for LMove<'a> {
    const SPEC: Spec = Spec {
        name: "lmove",
        group: Group::List,
        since: "6.2.0",
        summary: "Moves an element from an end of one list to an end of another.",
        complexity: "O(1)",
        grammar: "source:key destination:key#1 wherefrom=(LEFT | RIGHT) whereto=(LEFT | RIGHT)",
        flags: &[Flag::Write, Flag::DenyOom],
        categories: &[Category::List],
        keys: &[
            KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Delete]),
            KeySpec::one(2, &[KeyFlag::ReadWrite, KeyFlag::Insert]),
        ],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Transfer::parse(&mut args).map(LMove)
    }
}

impl<H: Holds<List>> Run<H> for LMove<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        self.0.run_now(host, out)
    }
}

/// Moves an element from the tail of one list to the head of another.
pub struct RPopLPush<'a>(Transfer<'a>);

impl<'a> Command<'a> for RPopLPush<'a> {
    const SPEC: Spec = Spec {
        name: "rpoplpush",
        group: Group::List,
        since: "1.2.0",
        summary: "Moves the last element of one list to the head of another.",
        complexity: "O(1)",
        grammar: "source:key destination:key#1",
        flags: &[Flag::Write, Flag::DenyOom],
        categories: &[Category::List],
        keys: &[
            KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Delete]),
            KeySpec::one(2, &[KeyFlag::ReadWrite, KeyFlag::Insert]),
        ],
        deprecated: Some(Deprecated { since: "6.2.0", instead: "`LMOVE` with `RIGHT` and `LEFT`" }),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Transfer::tail_to_head(&mut args).map(RPopLPush)
    }
}

impl<H: Holds<List>> Run<H> for RPopLPush<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        self.0.run_now(host, out)
    }
}

/// Moves an element between given ends, waiting for one.
pub struct BlMove<'a> {
    transfer: Transfer<'a>,
    timeout: &'a [u8],
}

impl<'a> Command<'a> for BlMove<'a> {
    const SPEC: Spec = Spec {
        name: "blmove",
        group: Group::List,
        since: "6.2.0",
        summary: "Moves an element from one list to another, or waits for one.",
        complexity: "O(1)",
        grammar: "source:key destination:key#1 wherefrom=(LEFT | RIGHT) whereto=(LEFT | RIGHT) \
                  timeout:double",
        flags: &[Flag::Write, Flag::DenyOom, Flag::NoScript, Flag::Blocking],
        categories: &[Category::List],
        keys: &[
            KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Delete]),
            KeySpec::one(2, &[KeyFlag::ReadWrite, KeyFlag::Insert]),
        ],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(BlMove { transfer: Transfer::parse(&mut args)?, timeout: args.next()? })
    }
}

impl<H: Holds<List>> Run<H> for BlMove<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        self.transfer.run_or_wait(self.timeout, host, out)
    }
}

/// Moves an element from tail to head, waiting for one.
pub struct BrPopLPush<'a> {
    transfer: Transfer<'a>,
    timeout: &'a [u8],
}

impl<'a> Command<'a> for BrPopLPush<'a> {
    const SPEC: Spec = Spec {
        name: "brpoplpush",
        group: Group::List,
        since: "2.2.0",
        summary: "Moves the last element of one list to the head of another, or waits for one.",
        complexity: "O(1)",
        grammar: "source:key destination:key#1 timeout:double",
        flags: &[Flag::Write, Flag::DenyOom, Flag::NoScript, Flag::Blocking],
        categories: &[Category::List],
        keys: &[
            KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Delete]),
            KeySpec::one(2, &[KeyFlag::ReadWrite, KeyFlag::Insert]),
        ],
        history: &[("6.0.0", "The timeout may have decimals.")],
        deprecated: Some(Deprecated {
            since: "6.2.0",
            instead: "`BLMOVE` with `RIGHT` and `LEFT`",
        }),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(BrPopLPush { transfer: Transfer::tail_to_head(&mut args)?, timeout: args.next()? })
    }
}

impl<H: Holds<List>> Run<H> for BrPopLPush<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        self.transfer.run_or_wait(self.timeout, host, out)
    }
}
