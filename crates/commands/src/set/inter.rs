//! SINTER, SINTERSTORE, SINTERCARD.

use base::{
    Args, Category, CmdError, Command, Effect, Flag, Group, Holds, KeyFlag, KeySpec, PackLimits,
    Reply, Run, Spec, error, num,
};
use types::{Set, set::Member};

use super::sources::{ANSWERING, STORING, Sources, Storing, reply};

/// Answers the members that several sets have in common.
pub struct SInter<'a>(Sources<'a>);

impl<'a> Command<'a> for SInter<'a> {
    const SPEC: Spec = Spec {
        name: "sinter",
        summary: "Answers the members that several sets have in common.",
        complexity: "O(N*M) at worst, when N is the size of the smallest of M sets",
        ..ANSWERING
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(SInter(Sources::parse(&mut args)))
    }
}

impl<H: Holds<Set>> Run<H> for SInter<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let common = Common::of(&self.0, host)?;
        let members: Vec<_> = common.members().collect();
        reply(members.into_iter(), out);
        Ok(Effect::None)
    }
}

/// Stores the members that several sets have in common.
pub struct SInterStore<'a>(Storing<'a>);

impl<'a> Command<'a> for SInterStore<'a> {
    const SPEC: Spec = Spec {
        name: "sinterstore",
        summary: "Stores the members that several sets have in common.",
        complexity: "O(N*M) at worst, when N is the size of the smallest of M sets",
        keys: &[
            KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Update]),
            KeySpec::range(2, -1, 1, &[KeyFlag::ReadOnly, KeyFlag::Access]),
        ],
        ..STORING
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Storing::parse(args).map(SInterStore)
    }
}

impl<H: Holds<Set>> Run<H> for SInterStore<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let result = Common::of(&self.0.sources, host)?.collect(&host.limits());
        Ok(self.0.store("sinterstore", result, host, out))
    }
}

/// Counts the members that several sets have in common.
pub struct SInterCard<'a> {
    sources: Sources<'a>,
    limit: usize,
}

impl<'a> Command<'a> for SInterCard<'a> {
    const SPEC: Spec = Spec {
        name: "sintercard",
        group: Group::Set,
        since: "7.0.0",
        summary: "Counts the members that several sets have in common, up to a limit.",
        complexity: "O(N*M) at worst, when N is the size of the smallest of M sets",
        grammar: "numkeys:integer key:key... [LIMIT limit:integer]",
        flags: &[Flag::ReadOnly],
        categories: &[Category::Set],
        keys: &[KeySpec::counted(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let keys = positive(args.next()?).filter(|&n| n > 0).ok_or(error::NUMKEYS)?;
        if keys > args.left() {
            return Err(error::NUMKEYS_TOO_MANY);
        }
        let sources = Sources(args.keys(keys)?);
        let mut limit = 0;
        while args.left() > 0 {
            if args.left() < 2 || !args.token("LIMIT") {
                return Err(error::SYNTAX);
            }
            let negative = CmdError::new("ERR LIMIT can't be negative");
            limit = positive(args.next()?).ok_or(negative)?;
        }
        // No limit and a limit of 0 are the same.
        Ok(SInterCard { sources, limit: if limit == 0 { usize::MAX } else { limit } })
    }
}

fn positive(text: &[u8]) -> Option<usize> {
    num::parse_i64(text).and_then(|n| usize::try_from(n).ok())
}

impl<H: Holds<Set>> Run<H> for SInterCard<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let common = Common::of(&self.sources, host)?;
        out.count(common.members().take(self.limit).count());
        Ok(Effect::None)
    }
}

/// The sets whose common members are wanted, the smallest first: its members are looked for in
/// the others, those likely to lack them first. No sets at all if any key is missing.
struct Common<'h>(Vec<&'h Set>);

impl<'h> Common<'h> {
    fn of<H: Holds<Set>>(sources: &Sources<'_>, host: &'h H) -> Result<Self, CmdError> {
        let sets: Option<Vec<_>> = sources.sets(host)?.into_iter().collect();
        let mut sets = sets.unwrap_or_default();
        sets.sort_by_key(|set| set.len());
        // A set named twice is one set, and equal sets are neighbours unless sizes coincide.
        sets.dedup_by(|a, b| std::ptr::eq(*a, *b));
        Ok(Common(sets))
    }

    /// The common members, in the order of the smallest set.
    fn members(&self) -> impl Iterator<Item = Member<'h>> {
        let (smallest, others) = match self.0.split_first() {
            Some((smallest, others)) => (Some(*smallest), others),
            None => (None, &[][..]),
        };
        let members = smallest.into_iter().flat_map(Set::iter);
        members.filter(|member| others.iter().all(|set| set.contains_member(*member)))
    }

    fn collect(&self, limits: &PackLimits) -> Set {
        let mut result = Set::default();
        for member in self.members() {
            result.add_member(member, limits);
        }
        result
    }
}
