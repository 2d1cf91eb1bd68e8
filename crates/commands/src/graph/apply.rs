//! GRAPH.APPLY: makes the changes that a statement has made to the same graph. The journal has it.

use ::graph::storage::Change;
use base::codec::Source;
use base::{
    Args, Category, Class, CmdError, Command, Effect, Flag, Forks, Group, Key, KeyFlag, KeySpec,
    Reply, Run, Spec,
};
use types::Graph;

const MALFORMED: CmdError = CmdError::new("ERR these are no changes of a graph");
const DIFFERS: CmdError = CmdError::new("ERR these are changes of another graph");

/// Makes changes of a graph.
pub struct Apply<'a> {
    key: Key<'a>,
    changes: &'a [u8],
}

impl<'a> Command<'a> for Apply<'a> {
    const SPEC: Spec = Spec {
        name: "graph.apply",
        group: Group::Graph,
        since: "1.0.0",
        summary: "Applies changes of a graph as the journal records them: all or none.",
        complexity: "O(N), when N is the number of changes",
        grammar: "key:key changes:string",
        flags: &[Flag::Write, Flag::DenyOom],
        categories: &[Category::Graph, Category::Dangerous],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Update])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(Apply { key: args.key()?, changes: args.next()? })
    }
}

impl<H: Forks<Graph>> Run<H> for Apply<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let mut fork = host.fork(self.key)?;
        let mut source = Source::new(self.changes);
        while !source.is_done() {
            let change = Change::take(&mut source).map_err(|_| MALFORMED)?;
            fork.apply(&change).map_err(|_| DIFFERS)?;
        }
        // Whose journal this is had built them when it said that they were made.
        fork.build_indexes(usize::MAX);
        // Nothing has happened between the two.
        host.adopt(self.key, fork)?.ok_or(DIFFERS)?;
        host.notify(Class::Module, "graph.apply", self.key);
        out.ok();
        Ok(Effect::AsSent)
    }
}
