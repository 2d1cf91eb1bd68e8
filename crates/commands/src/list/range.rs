//! LRANGE, LTRIM, LINDEX, LLEN: by position.

use base::{
    Args, Category, Class, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag, KeySpec,
    Reply, Run, Spec, error, num,
};
use types::List;

/// Positions from `start` to `end`, both included, negative ones from the end; as first position
/// and count of a list of `len` elements.
fn resolve(start: i64, end: i64, len: usize) -> (usize, usize) {
    let len = i64::try_from(len).unwrap_or(i64::MAX);
    let from_end = |at: i64| if at < 0 { at.saturating_add(len) } else { at };
    let (start, end) = (from_end(start).max(0), from_end(end).min(len - 1));
    if start > end || start >= len {
        return (0, 0);
    }
    let count = usize::try_from(end - start + 1).unwrap_or(0);
    (usize::try_from(start).unwrap_or(0), count)
}

/// Answers elements by position.
pub struct LRange<'a> {
    key: Key<'a>,
    start: i64,
    end: i64,
}

impl<'a> Command<'a> for LRange<'a> {
    const SPEC: Spec = Spec {
        name: "lrange",
        group: Group::List,
        since: "1.0.0",
        summary: "Answers the elements in a range of positions.",
        complexity: "O(S+N), when S is the distance of the first element from the nearer end, in \
                     nodes, and N the number of elements",
        grammar: "key:key start:integer stop:integer",
        flags: &[Flag::ReadOnly],
        categories: &[Category::List],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(LRange { key: args.key()?, start: args.integer()?, end: args.integer()? })
    }
}

impl<H: Holds<List>> Run<H> for LRange<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let Some(list) = host.peek(self.key)? else {
            out.array(0);
            return Ok(Effect::None);
        };
        let (start, count) = resolve(self.start, self.end, list.len());
        out.array(count);
        list.range(start, count).for_each(|element| out.bulk(element));
        Ok(Effect::None)
    }
}

/// Keeps only a range of positions.
pub struct LTrim<'a> {
    key: Key<'a>,
    start: i64,
    end: i64,
}

impl<'a> Command<'a> for LTrim<'a> {
    const SPEC: Spec = Spec {
        name: "ltrim",
        group: Group::List,
        since: "1.0.0",
        summary: "Keeps only the elements in a range of positions.",
        complexity: "O(N), when N is the number of elements removed",
        grammar: "key:key start:integer stop:integer",
        flags: &[Flag::Write],
        categories: &[Category::List],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Delete])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(LTrim { key: args.key()?, start: args.integer()?, end: args.integer()? })
    }
}

impl<H: Holds<List>> Run<H> for LTrim<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let trimmed = host.edit_existing(self.key, |list| {
            let (start, count) = resolve(self.start, self.end, list.len());
            list.trim(start, count);
        })?;
        if trimmed.is_some() {
            host.notify_taken(Class::List, "ltrim", self.key);
        }
        out.ok();
        Ok(if trimmed.is_some() { Effect::AsSent } else { Effect::None })
    }
}

/// The position `at` of a list of `len` elements, if there is one.
pub(super) fn position(at: i64, len: usize) -> Option<usize> {
    let len = i64::try_from(len).unwrap_or(i64::MAX);
    let at = if at < 0 { at.checked_add(len)? } else { at };
    usize::try_from(at).ok().filter(|_| at < len)
}

/// Answers one element.
pub struct LIndex<'a> {
    key: Key<'a>,
    index: &'a [u8],
}

impl<'a> Command<'a> for LIndex<'a> {
    const SPEC: Spec = Spec {
        name: "lindex",
        group: Group::List,
        since: "1.0.0",
        summary: "Answers the element at a position.",
        complexity: "O(S), when S is the distance from the nearer end, in nodes",
        grammar: "key:key index:integer",
        flags: &[Flag::ReadOnly],
        categories: &[Category::List],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(LIndex { key: args.key()?, index: args.next()? })
    }
}

impl<H: Holds<List>> Run<H> for LIndex<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let Some(list) = host.peek(self.key)? else {
            out.null();
            return Ok(Effect::None);
        };
        // The number is read only if there is a list.
        let index = num::parse_i64(self.index).ok_or(error::NOT_INTEGER)?;
        out.bulk_or_null(position(index, list.len()).and_then(|at| list.get(at)));
        Ok(Effect::None)
    }
}

/// Answers the length.
pub struct LLen<'a> {
    key: Key<'a>,
}

impl<'a> Command<'a> for LLen<'a> {
    const SPEC: Spec = Spec {
        name: "llen",
        group: Group::List,
        since: "1.0.0",
        summary: "Answers the length of a list.",
        complexity: "O(1)",
        grammar: "key:key",
        flags: &[Flag::ReadOnly, Flag::Fast],
        categories: &[Category::List],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(LLen { key: args.key()? })
    }
}

impl<H: Holds<List>> Run<H> for LLen<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        out.count(host.peek(self.key)?.map_or(0, List::len));
        Ok(Effect::None)
    }
}
