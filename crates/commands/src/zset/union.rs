//! ZUNION and ZUNIONSTORE.

use base::{Args, CmdError, Command, Effect, Holds, KeyHasher, Reply, Run, Spec};
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use types::{Set, ZSet};

use super::combine::{self, Aggregate, Inputs, Known, Pairs, Source, Stored};

/// The members of any source.
fn union<'h>(sources: &[Source<'h>], aggregate: Aggregate, hasher: &KeyHasher) -> Pairs<'h> {
    let least = sources.iter().map(Source::len).max().unwrap_or(0);
    let mut pairs: Pairs<'h> = Vec::with_capacity(least);
    let mut places: HashTable<usize> = HashTable::with_capacity(least);
    for (member, score) in sources.iter().flat_map(Source::iter) {
        let same = |&place: &usize| *pairs[place].0 == *member;
        let rehash = |&place: &usize| hasher.hash(&pairs[place].0);
        match places.entry(hasher.hash(&member), same, rehash) {
            Entry::Occupied(place) => {
                let total = &mut pairs[*place.get()].1;
                *total = aggregate.combine(*total, score);
            }
            Entry::Vacant(place) => {
                place.insert(pairs.len());
                pairs.push((member, score));
            }
        }
    }
    pairs
}

/// Answers the members of any input.
pub struct ZUnion<'a>(Inputs<'a>);

impl<'a> Command<'a> for ZUnion<'a> {
    const SPEC: Spec = Spec {
        name: "zunion",
        since: "6.2.0",
        summary: "Answers the members that any of several sorted sets has.",
        complexity: "O(N + M*log M), when N is the number of members of all inputs and M of the \
            result",
        grammar: "numkeys:integer key:key... [WEIGHTS weight:integer...] [AGGREGATE aggregate=(SUM \
            | MIN | MAX)] [WITHSCORES]",
        ..combine::ANSWERS
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Inputs::parse(args, "zunion").map(ZUnion)
    }
}

impl<H: Holds<ZSet> + Holds<Set>> Run<H> for ZUnion<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let mut sources = self.0.sources(host)?;
        let known = Known { weights: true, with_scores: true, limit: false };
        let options = self.0.options(known)?;
        options.arrange(&mut sources);
        let pairs = union(&sources, options.aggregate, self.0.hasher());
        combine::answer(pairs, options.with_scores, out);
        Ok(Effect::None)
    }
}

/// Stores the members of any input.
pub struct ZUnionStore<'a>(Stored<'a>);

impl<'a> Command<'a> for ZUnionStore<'a> {
    const SPEC: Spec = Spec {
        name: "zunionstore",
        since: "2.0.0",
        summary: "Stores the members that any of several sorted sets has.",
        complexity: "O(N + M*log M), when N is the number of members of all inputs and M of the \
            result",
        grammar: "destination:key numkeys:integer key:key#1... [WEIGHTS weight:integer...] \
            [AGGREGATE aggregate=(SUM | MIN | MAX)]",
        ..combine::STORES
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Stored::parse(args, "zunionstore").map(ZUnionStore)
    }
}

impl<H: Holds<ZSet> + Holds<Set>> Run<H> for ZUnionStore<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let Stored { destination, inputs } = self.0;
        let mut sources = inputs.sources(host)?;
        let options = inputs.options(Known { weights: true, ..Known::default() })?;
        options.arrange(&mut sources);
        let pairs = union(&sources, options.aggregate, inputs.hasher());
        let result = combine::collect(&pairs, host);
        Ok(combine::store((Self::SPEC.name, destination), result, host, out))
    }
}
