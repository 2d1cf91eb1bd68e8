//! ZRANGESTORE.

use base::{
    Args, Category, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag, KeySpec, Reply,
    Run, Spec,
};
use types::ZSet;

use super::combine::store;
use super::query::{Fixed, Query};

/// Stores the members in a range at another key.
pub struct ZRangeStore<'a> {
    destination: Key<'a>,
    query: Query<'a>,
}

impl<'a> Command<'a> for ZRangeStore<'a> {
    const SPEC: Spec = Spec {
        name: "zrangestore",
        group: Group::SortedSet,
        since: "6.2.0",
        summary: "Stores a range of the members of a sorted set at another key.",
        complexity: "O(log N + M), when N is the number of members and M of those stored",
        grammar: "dst:key src:key#1 min:string max:string [sortby=(BYSCORE | BYLEX)] [REV] [LIMIT \
            offset_count={offset:integer count:integer}]",
        flags: &[Flag::Write, Flag::DenyOom],
        categories: &[Category::SortedSet],
        keys: &[
            KeySpec::one(1, &[KeyFlag::Overwrite, KeyFlag::Update]),
            KeySpec::one(2, &[KeyFlag::ReadOnly, KeyFlag::Access]),
        ],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let destination = args.key()?;
        let fixed = Fixed { store: true, ..Fixed::default() };
        Ok(ZRangeStore { destination, query: Query::parse(args, fixed)? })
    }
}

impl<H: Holds<ZSet>> Run<H> for ZRangeStore<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let limits = host.limits();
        let result = match host.peek(self.query.key)? {
            Some(zset) => ZSet::collect(zset.range(self.query.ranks(zset)), &limits),
            None => ZSet::default(),
        };
        Ok(store(self.destination, result, host, out))
    }
}
