//! ZINTER, ZINTERSTORE, ZINTERCARD.

use base::{Args, CmdError, Command, Effect, Holds, Reply, Run, Spec};
use types::set::Text;
use types::{Set, ZSet};

use super::combine::{self, Aggregate, Inputs, Known, Pairs, Source, Stored};

/// The members of all sources, which come smallest first.
fn intersection<'h>(sources: &[Source<'h>], aggregate: Aggregate) -> Pairs<'h> {
    let Some((smallest, others)) = sources.split_first() else { return Vec::new() };
    let in_all = |(member, score): (Text<'h>, f64)| {
        let total = others.iter().try_fold(score, |total, other| {
            Some(aggregate.combine(total, other.weighed(&member)?))
        });
        Some((member, total?))
    };
    smallest.iter().filter_map(in_all).collect()
}

/// Answers the members of all inputs.
pub struct ZInter<'a>(Inputs<'a>);

impl<'a> Command<'a> for ZInter<'a> {
    const SPEC: Spec = Spec {
        name: "zinter",
        since: "6.2.0",
        summary: "Answers the members that all of several sorted sets have.",
        complexity: "O(N*K + M*log M), when N is the size of the smallest of K inputs and M of the \
            result",
        grammar: "numkeys:integer key:key... [WEIGHTS weight:integer...] [AGGREGATE aggregate=(SUM \
            | MIN | MAX)] [WITHSCORES]",
        ..combine::ANSWERS
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Inputs::parse(args, "zinter").map(ZInter)
    }
}

impl<H: Holds<ZSet> + Holds<Set>> Run<H> for ZInter<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let mut sources = self.0.sources(host)?;
        let known = Known { weights: true, with_scores: true, limit: false };
        let options = self.0.options(known)?;
        options.arrange(&mut sources);
        let pairs = intersection(&sources, options.aggregate);
        combine::answer(pairs, options.with_scores, out);
        Ok(Effect::None)
    }
}

/// Stores the members of all inputs.
pub struct ZInterStore<'a>(Stored<'a>);

impl<'a> Command<'a> for ZInterStore<'a> {
    const SPEC: Spec = Spec {
        name: "zinterstore",
        since: "2.0.0",
        summary: "Stores the members that all of several sorted sets have.",
        complexity: "O(N*K + M*log M), when N is the size of the smallest of K inputs and M of the \
            result",
        grammar: "destination:key numkeys:integer key:key#1... [WEIGHTS weight:integer...] \
            [AGGREGATE aggregate=(SUM | MIN | MAX)]",
        ..combine::STORES
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Stored::parse(args, "zinterstore").map(ZInterStore)
    }
}

impl<H: Holds<ZSet> + Holds<Set>> Run<H> for ZInterStore<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let Stored { destination, inputs } = self.0;
        let mut sources = inputs.sources(host)?;
        let options = inputs.options(Known { weights: true, ..Known::default() })?;
        options.arrange(&mut sources);
        let pairs = intersection(&sources, options.aggregate);
        let result = combine::collect(&pairs, host);
        Ok(combine::store((Self::SPEC.name, destination), result, host, out))
    }
}

/// Counts the members of all inputs, up to a limit.
pub struct ZInterCard<'a>(Inputs<'a>);

impl<'a> Command<'a> for ZInterCard<'a> {
    const SPEC: Spec = Spec {
        name: "zintercard",
        since: "7.0.0",
        summary: "Counts the members that all of several sorted sets have.",
        complexity: "O(N*K), when N is the size of the smallest of K inputs",
        grammar: "numkeys:integer key:key... [LIMIT limit:integer]",
        ..combine::ANSWERS
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Inputs::parse(args, "zintercard").map(ZInterCard)
    }
}

impl<H: Holds<ZSet> + Holds<Set>> Run<H> for ZInterCard<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let mut sources = self.0.sources(host)?;
        let options = self.0.options(Known { limit: true, ..Known::default() })?;
        options.arrange(&mut sources);
        let enough = if options.limit == 0 { usize::MAX } else { options.limit };
        let in_all = |member: &[u8]| sources.iter().skip(1).all(|other| other.contains(member));
        let smallest = sources.iter().take(1).flat_map(Source::iter);
        out.count(smallest.filter(|(member, _)| in_all(member)).take(enough).count());
        Ok(Effect::None)
    }
}
