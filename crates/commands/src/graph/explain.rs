//! GRAPH.EXPLAIN: answers the operators that a statement would run.

use ::graph::query::Explained;
use base::{
    Args, Behaviour, Category, CmdError, Command, Effect, Flag, Forks, Group, Key, KeyFlag,
    KeySpec, Property, Query, Reply, Run, Spec,
};
use types::Graph;

use super::NO_GRAPH;
use super::options::Options;
use super::ro_query::AtOnce;
use super::statement::Statement;

/// Shows the plan of a statement.
pub struct Explain<'a> {
    key: Key<'a>,
    text: &'a [u8],
}

impl<'a> Command<'a> for Explain<'a> {
    const SPEC: Spec = Spec {
        name: "graph.explain",
        group: Group::Graph,
        since: "1.0.0",
        summary: "Shows how an openCypher statement would run on a graph.",
        complexity: "O(N) in the length of the statement",
        grammar: "key:key query:string [ignored:string...]",
        flags: &[Flag::ReadOnly],
        categories: &[Category::Graph],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        behaviour: Behaviour::NEW.properties(&[Property::RunsAsQuery]),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(Explain { key: args.key()?, text: args.next()? })
    }
}

impl<H: Forks<Graph>> Run<H> for Explain<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        if host.peek(self.key)?.is_none() {
            return Err(NO_GRAPH);
        }
        let statement = Statement::new(host, self.text, Options::default())?;
        if statement.is_long() {
            let version = host.share(self.key)?.ok_or(NO_GRAPH)?;
            return Ok(Effect::Query(Query::over_with_words(
                version,
                move |graph, words, pace, out| {
                    let explained = statement.explain(graph, words, pace, &*out)?;
                    show(&explained, out);
                    Ok(())
                },
            )));
        }
        let graph = host.peek(self.key)?.and_then(Graph::graph).ok_or(NO_GRAPH)?;
        show(&statement.explain(graph, &[], &mut AtOnce, &*out)?, out);
        Ok(Effect::None)
    }
}

fn show(explained: &Explained, out: &mut dyn Reply) {
    let lines = explained.lines();
    out.array(lines.len());
    lines.iter().for_each(|line| out.bulk(line.as_bytes()));
}
