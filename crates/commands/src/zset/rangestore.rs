//! ZRANGESTORE.

use base::{
    Args, Behaviour, Category, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag,
    KeySpec, PackLimits, Reply, Run, Spec, Stores,
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
        behaviour: Behaviour::NEW.stores(Stores::Derived),
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
        host.notify_if_missing(self.query.key);
        let limits = host.limits();
        let result = match host.peek(self.query.key)? {
            Some(zset) => {
                let ranks = self.query.ranks(zset);
                // Redis knows the size of a range by rank beforehand.
                let packed = !(self.query.is_by_rank() && ranks.len() > limits.zset_entries);
                let pairs = zset.range(ranks);
                if self.query.descending {
                    ZSet::collect(one_by_one(pairs.rev(), packed, &limits), &limits)
                } else {
                    ZSet::collect(one_by_one(pairs, packed, &limits), &limits)
                }
            }
            None => ZSet::default(),
        };
        Ok(store((Self::SPEC.name, self.destination), result, host, out))
    }
}

/// The pairs with the scores they end up with when added one by one, as Redis does: a score loses
/// the sign of its zero if it is added while the result is still packed.
fn one_by_one<'z>(
    pairs: impl Iterator<Item = (&'z [u8], f64)>,
    mut packed: bool,
    limits: &PackLimits,
) -> impl Iterator<Item = (&'z [u8], f64)> {
    pairs.enumerate().map(move |(place, (member, score))| {
        packed &= place < limits.zset_entries && member.len() <= limits.zset_value;
        // Adding 0 turns -0 into 0 and changes nothing else.
        (member, if packed { score + 0.0 } else { score })
    })
}
