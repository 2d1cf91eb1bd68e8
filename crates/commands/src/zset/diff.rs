//! ZDIFF and ZDIFFSTORE.

use base::{Args, CmdError, Command, Effect, Holds, Reply, Run, Spec};
use types::{Set, ZSet};

use super::combine::{self, Inputs, Known, Pairs, Source, Stored};

/// The members of the first source that no other has.
fn difference<'h>(sources: &mut [Source<'h>]) -> Pairs<'h> {
    let Some((first, others)) = sources.split_first_mut() else { return Vec::new() };
    // Large ones are the most likely to have a member, which ends its search.
    others.sort_by_key(|other| std::cmp::Reverse(other.len()));
    let only_first = |member: &[u8]| !others.iter().any(|other| other.contains(member));
    first.iter().filter(|(member, _)| only_first(member)).collect()
}

/// Answers the members of the first input that no other has.
pub struct ZDiff<'a>(Inputs<'a>);

impl<'a> Command<'a> for ZDiff<'a> {
    const SPEC: Spec = Spec {
        name: "zdiff",
        since: "6.2.0",
        summary: "Answers the members of a sorted set that none of several others has.",
        complexity: "O(N*K + M*log M), when N is the size of the first of K inputs and M of the \
            result",
        grammar: "numkeys:integer key:key... [WITHSCORES]",
        ..combine::ANSWERS
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Inputs::parse(args, "zdiff").map(ZDiff)
    }
}

impl<H: Holds<ZSet> + Holds<Set>> Run<H> for ZDiff<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let mut sources = self.0.sources(host)?;
        let options = self.0.options(Known { with_scores: true, ..Known::default() })?;
        combine::answer(difference(&mut sources), options.with_scores, out);
        Ok(Effect::None)
    }
}

/// Stores the members of the first input that no other has.
pub struct ZDiffStore<'a>(Stored<'a>);

impl<'a> Command<'a> for ZDiffStore<'a> {
    const SPEC: Spec = Spec {
        name: "zdiffstore",
        since: "6.2.0",
        summary: "Stores the members of a sorted set that none of several others has.",
        complexity: "O(N*K + M*log M), when N is the size of the first of K inputs and M of the \
            result",
        grammar: "destination:key numkeys:integer key:key#1...",
        ..combine::STORES
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Stored::parse(args, "zdiffstore").map(ZDiffStore)
    }
}

impl<H: Holds<ZSet> + Holds<Set>> Run<H> for ZDiffStore<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let Stored { destination, inputs } = self.0;
        let mut sources = inputs.sources(host)?;
        inputs.options(Known::default())?;
        let result = combine::collect(&difference(&mut sources), host);
        Ok(combine::store((Self::SPEC.name, destination), result, host, out))
    }
}
