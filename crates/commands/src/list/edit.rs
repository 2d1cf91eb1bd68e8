//! LSET, LINSERT, LREM: changes inside a list.

use base::{
    Args, Category, Class, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag, KeySpec,
    Reply, Run, Spec, error, num,
};
use types::{End, List};

use super::range::position;

/// Replaces one element.
pub struct LSet<'a> {
    key: Key<'a>,
    index: &'a [u8],
    element: &'a [u8],
}

impl<'a> Command<'a> for LSet<'a> {
    const SPEC: Spec = Spec {
        name: "lset",
        group: Group::List,
        since: "1.0.0",
        summary: "Replaces the element at a position.",
        complexity: "O(S), when S is the distance from the nearer end, in nodes",
        grammar: "key:key index:integer element:string",
        flags: &[Flag::Write, Flag::DenyOom],
        categories: &[Category::List],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Update])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(LSet { key: args.key()?, index: args.next()?, element: args.next()? })
    }
}

impl<H: Holds<List>> Run<H> for LSet<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let list = host.peek(self.key)?.ok_or(error::NO_SUCH_KEY)?;
        let index = num::parse_i64(self.index).ok_or(error::NOT_INTEGER)?;
        let at = position(index, list.len()).ok_or(error::INDEX_OUT_OF_RANGE)?;
        let limits = host.limits();
        host.edit(self.key, |list| list.set(at, self.element, &limits))?;
        host.notify(Class::List, "lset", self.key);
        out.ok();
        Ok(Effect::AsSent)
    }
}

/// Inserts an element beside another.
pub struct LInsert<'a> {
    key: Key<'a>,
    after: bool,
    pivot: &'a [u8],
    element: &'a [u8],
}

impl<'a> Command<'a> for LInsert<'a> {
    const SPEC: Spec = Spec {
        name: "linsert",
        group: Group::List,
        since: "2.2.0",
        summary: "Inserts an element before or after another one.",
        complexity: "O(N), when N is the distance of the other element from the head",
        grammar: "key:key where=(BEFORE | AFTER) pivot:string element:string",
        flags: &[Flag::Write, Flag::DenyOom],
        categories: &[Category::List],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Insert])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let key = args.key()?;
        let after = args.token("AFTER");
        if !after && !args.token("BEFORE") {
            return Err(error::SYNTAX);
        }
        Ok(LInsert { key, after, pivot: args.next()?, element: args.next()? })
    }
}

impl<H: Holds<List>> Run<H> for LInsert<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let limits = host.limits();
        let inserted = host.edit_existing(self.key, |list| {
            list.insert_beside(self.pivot, self.after, self.element, &limits).then(|| list.len())
        })?;
        match inserted {
            None => out.int(0),
            Some(None) => out.int(-1),
            Some(Some(length)) => {
                host.notify(Class::List, "linsert", self.key);
                out.count(length);
                return Ok(Effect::AsSent);
            }
        }
        Ok(Effect::None)
    }
}

/// Removes equal elements.
pub struct LRem<'a> {
    key: Key<'a>,
    count: i64,
    element: &'a [u8],
}

impl<'a> Command<'a> for LRem<'a> {
    const SPEC: Spec = Spec {
        name: "lrem",
        group: Group::List,
        since: "1.0.0",
        summary: "Removes elements equal to a value.",
        complexity: "O(N), when N is the length of the list",
        grammar: "key:key count:integer element:string",
        flags: &[Flag::Write],
        categories: &[Category::List],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Delete])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(LRem { key: args.key()?, count: args.integer()?, element: args.next()? })
    }
}

impl<H: Holds<List>> Run<H> for LRem<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let from = if self.count < 0 { End::Tail } else { End::Head };
        let limit = match usize::try_from(self.count.unsigned_abs()) {
            Ok(0) | Err(_) => usize::MAX,
            Ok(limit) => limit,
        };
        let remove = |list: &mut List| list.remove(self.element, limit, from);
        let removed = host.edit_existing(self.key, remove)?.unwrap_or(0);
        if removed > 0 {
            host.notify_taken(Class::List, "lrem", self.key);
        }
        out.count(removed);
        Ok(if removed > 0 { Effect::AsSent } else { Effect::None })
    }
}
