//! RANGE.COUNT and PREFIX.COUNT.

use base::{Args, CmdError, Command, Effect, Reply, Run, Spec};
use types::{KeyList, Ordered, Span};

use super::{READING, span};

/// What both cost.
const COMPLEXITY: &str = "O(log(N)) in the number of keys of the database; where some have a \
                          deadline also O(M), when M is the number of those, or of the keys in the \
                          range if there are fewer";
/// Names looked at at once.
const PIECE: usize = 1024;

/// Counts the keys between two bounds.
pub struct RangeCount<'a> {
    span: Span<'a>,
}

impl<'a> Command<'a> for RangeCount<'a> {
    const SPEC: Spec = Spec {
        name: "range.count",
        summary: "Counts the keys between two bounds.",
        complexity: COMPLEXITY,
        grammar: "start:string end:string",
        ..READING
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(RangeCount { span: span::between(args.next()?, args.next()?)? })
    }
}

impl<H: Ordered> Run<H> for RangeCount<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        out.count(count(host, self.span)?);
        Ok(Effect::None)
    }
}

/// Counts the keys whose names begin with a prefix.
pub struct PrefixCount<'a> {
    prefix: &'a [u8],
}

impl<'a> Command<'a> for PrefixCount<'a> {
    const SPEC: Spec = Spec {
        name: "prefix.count",
        summary: "Counts the keys that begin with a prefix.",
        complexity: COMPLEXITY,
        grammar: "prefix:string",
        ..READING
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(PrefixCount { prefix: args.next()? })
    }
}

impl<H: Ordered> Run<H> for PrefixCount<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let behind = span::behind(self.prefix);
        out.count(count(host, span::of_prefix(self.prefix, behind.as_deref()))?);
        Ok(Effect::None)
    }
}

/// The keys of a span that are there, and that the user may see.
fn count<H: Ordered>(host: &mut H, span: Span<'_>) -> Result<usize, CmdError> {
    let names = host.count_names(span)?;
    if host.may_all()
        && let Some(overdue) = host.count_overdue(span, names)
    {
        return Ok(names.saturating_sub(overdue));
    }
    let (mut count, mut last) = (0, None::<Vec<u8>>);
    loop {
        let left = last.as_ref().map_or(span, |name| span::rest(span, false, name));
        let mut names = KeyList::default();
        host.names(left, false, PIECE, &mut names)?;
        let mut live = vec![false; names.len()];
        host.look_at(&names, &mut |at, _| live[at] = true);
        let seen = live.iter().zip(names.iter()).filter(|(live, name)| **live && host.may(name));
        count += seen.count();
        match names.last() {
            Some(name) => last = Some(name.to_vec()),
            None => return Ok(count),
        }
    }
}
