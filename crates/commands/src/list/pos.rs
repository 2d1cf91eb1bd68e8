//! LPOS.

use base::{
    Args, Category, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag, KeySpec, Reply,
    Run, Spec, error, num,
};
use types::List;

/// Answers the positions of elements equal to a value.
pub struct LPos<'a> {
    key: Key<'a>,
    element: &'a [u8],
    rank: i64,
    count: Option<usize>,
    most_compared: usize,
}

impl<'a> Command<'a> for LPos<'a> {
    const SPEC: Spec = Spec {
        name: "lpos",
        group: Group::List,
        since: "6.0.6",
        summary: "Answers the positions of elements equal to a value.",
        complexity: "O(N), when N is the length of the list or MAXLEN",
        grammar: "key:key element:string [RANK rank:integer] [COUNT num-matches:integer] \
                  [MAXLEN len:integer]",
        flags: &[Flag::ReadOnly],
        categories: &[Category::List],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let (key, element) = (args.key()?, args.next()?);
        let mut pos = LPos { key, element, rank: 1, count: None, most_compared: usize::MAX };
        while args.left() > 0 {
            if args.left() < 2 {
                return Err(error::SYNTAX);
            }
            if args.token("RANK") {
                pos.rank = args.integer()?;
                if pos.rank == 0 {
                    return Err(RANK_ZERO);
                }
            } else if args.token("COUNT") {
                let count = not_negative(args.next()?);
                let count = count.ok_or(CmdError::new("ERR COUNT can't be negative"))?;
                pos.count = Some(count);
            } else if args.token("MAXLEN") {
                let most = not_negative(args.next()?);
                let most = most.ok_or(CmdError::new("ERR MAXLEN can't be negative"))?;
                pos.most_compared = if most == 0 { usize::MAX } else { most };
            } else {
                return Err(error::SYNTAX);
            }
        }
        Ok(pos)
    }
}

const RANK_ZERO: CmdError = CmdError::new(
    "ERR RANK can't be zero: use 1 to start from the first match, 2 from the second ... or use \
     negative to start from the end of the list",
);

fn not_negative(text: &[u8]) -> Option<usize> {
    num::parse_i64(text).and_then(|n| usize::try_from(n).ok())
}

impl<H: Holds<List>> Run<H> for LPos<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let found = host.peek(self.key)?.map_or_else(Vec::new, |list| self.search(list));
        match self.count {
            None => match found.first() {
                Some(&at) => out.count(at),
                None => out.null(),
            },
            Some(_) => {
                out.array(found.len());
                found.iter().for_each(|&at| out.count(at));
            }
        }
        Ok(Effect::None)
    }
}

impl LPos<'_> {
    fn search(&self, list: &List) -> Vec<usize> {
        // Without COUNT the first match is wanted; COUNT 0 wants all.
        let wanted = match self.count {
            None => 1,
            Some(0) => usize::MAX,
            Some(count) => count,
        };
        // The smallest integer has no positive twin; Redis then skips nothing.
        let skip = self.rank.checked_abs().map_or(0, |rank| rank.unsigned_abs() - 1);
        let skip = usize::try_from(skip).unwrap_or(usize::MAX);
        let equal = |&(_, element): &(usize, &[u8])| element == self.element;
        let most = self.most_compared;
        let matches: Box<dyn Iterator<Item = (usize, &[u8])>> = if self.rank > 0 {
            Box::new(list.iter().enumerate().take(most).filter(equal))
        } else {
            let last = list.len().saturating_sub(1);
            let backwards = list.iter().rev().enumerate().take(most);
            Box::new(backwards.map(move |(n, element)| (last - n, element)).filter(equal))
        };
        matches.skip(skip).take(wanted).map(|(at, _)| at).collect()
    }
}
