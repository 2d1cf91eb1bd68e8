//! XRANGE and XREVRANGE.

use base::{
    Args, Category, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag, KeySpec, Reply,
    Run, Spec, StreamId, error,
};
use types::Stream;

use super::{ids, reply};

/// Entries between two ids.
struct Between<'a> {
    key: Key<'a>,
    from: StreamId,
    to: StreamId,
    /// `None`: all of them.
    count: Option<usize>,
}

impl<'a> Between<'a> {
    fn parse(mut args: Args<'a>, back: bool) -> Result<Self, CmdError> {
        let key = args.key()?;
        let (first, second) = (args.next()?, args.next()?);
        let (from, to) = if back { (second, first) } else { (first, second) };
        let (from, to) = (ids::start(from)?, ids::end(to)?);
        let mut count = None;
        while args.left() > 0 {
            if args.left() < 2 || !args.token("COUNT") {
                return Err(error::SYNTAX);
            }
            // -1 is said of no count, but is one here: none.
            count = Some(usize::try_from(args.integer()?).unwrap_or(0));
        }
        Ok(Between { key, from, to, count })
    }

    fn run<H: Holds<Stream>>(
        self,
        back: bool,
        host: &mut H,
        out: &mut dyn Reply,
    ) -> Result<Effect, CmdError> {
        let Some(stream) = host.peek(self.key)? else {
            out.array(0);
            return Ok(Effect::None);
        };
        if self.count == Some(0) {
            out.null_array();
            return Ok(Effect::None);
        }
        let (log, most) = (stream.log(), self.count.unwrap_or(usize::MAX));
        let entries = if back {
            log.range_back(self.from, self.to).take(most).collect()
        } else {
            log.range(self.from, self.to).take(most).collect()
        };
        reply::entries(entries, out);
        Ok(Effect::None)
    }
}

/// What both specs have in common.
const BETWEEN: Spec = Spec {
    group: Group::Stream,
    since: "5.0.0",
    complexity: "O(log N+M), when N is the number of entries and M of those answered",
    flags: &[Flag::ReadOnly],
    categories: &[Category::Stream],
    keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
    history: &[("6.2.0", "Ids that are left out, with `(`.")],
    ..Spec::NEW
};

/// Answers entries between two ids.
pub struct XRange<'a>(Between<'a>);

impl<'a> Command<'a> for XRange<'a> {
    const SPEC: Spec = Spec {
        name: "xrange",
        summary: "Answers the entries between two ids.",
        grammar: "key:key start:string end:string [COUNT count:integer]",
        ..BETWEEN
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Between::parse(args, false).map(XRange)
    }
}

impl<H: Holds<Stream>> Run<H> for XRange<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        self.0.run(false, host, out)
    }
}

/// Answers entries between two ids, the last first.
pub struct XRevRange<'a>(Between<'a>);

impl<'a> Command<'a> for XRevRange<'a> {
    const SPEC: Spec = Spec {
        name: "xrevrange",
        summary: "Answers the entries between two ids, the last first.",
        grammar: "key:key end:string start:string [COUNT count:integer]",
        ..BETWEEN
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Between::parse(args, true).map(XRevRange)
    }
}

impl<H: Holds<Stream>> Run<H> for XRevRange<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        self.0.run(true, host, out)
    }
}
