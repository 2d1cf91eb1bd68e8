//! SUNION, SUNIONSTORE.

use base::{
    Args, Category, CmdError, Command, Effect, Flag, Group, Holds, KeyFlag, KeySpec, Reply, Run,
    Spec,
};
use types::Set;

use super::sources::{Sources, Storing, reply};

/// Answers the members of any of several sets.
pub struct SUnion<'a>(Sources<'a>);

impl<'a> Command<'a> for SUnion<'a> {
    const SPEC: Spec = Spec {
        name: "sunion",
        group: Group::Set,
        since: "1.0.0",
        summary: "Answers the members that any of several sets has.",
        complexity: "O(N), when N is the number of members of all sets together",
        grammar: "key:key...",
        flags: &[Flag::ReadOnly],
        categories: &[Category::Set],
        keys: &[KeySpec::range(1, -1, 1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        tips: &["nondeterministic_output_order"],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(SUnion(Sources::parse(&mut args)))
    }
}

impl<H: Holds<Set>> Run<H> for SUnion<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let result = union(&self.0, host)?;
        reply(result.iter(), out);
        Ok(Effect::None)
    }
}

/// Stores the members of any of several sets.
pub struct SUnionStore<'a>(Storing<'a>);

impl<'a> Command<'a> for SUnionStore<'a> {
    const SPEC: Spec = Spec {
        name: "sunionstore",
        group: Group::Set,
        since: "1.0.0",
        summary: "Stores the members that any of several sets has.",
        complexity: "O(N), when N is the number of members of all sets together",
        grammar: "destination:key key:key#1...",
        flags: &[Flag::Write, Flag::DenyOom],
        categories: &[Category::Set],
        keys: &[
            KeySpec::one(1, &[KeyFlag::Overwrite, KeyFlag::Update]),
            KeySpec::range(2, -1, 1, &[KeyFlag::ReadOnly, KeyFlag::Access]),
        ],
        ..Spec::NEW
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Storing::parse(args).map(SUnionStore)
    }
}

impl<H: Holds<Set>> Run<H> for SUnionStore<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let result = union(&self.0.sources, host)?;
        Ok(self.0.store(result, host, out))
    }
}

/// Members are added one by one to a set of integers, as in Redis: that decides the encoding of
/// the result, and that integers are answered in ascending order.
fn union<H: Holds<Set>>(sources: &Sources<'_>, host: &H) -> Result<Set, CmdError> {
    let limits = host.limits();
    let mut result = Set::default();
    for member in sources.sets(host)?.into_iter().flatten().flat_map(Set::iter) {
        result.add_member(member, &limits);
    }
    Ok(result)
}
