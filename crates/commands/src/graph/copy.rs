//! GRAPH.COPY: copies a graph to a key that is free.

use base::{
    Args, Behaviour, Category, Class, CmdError, Command, Databases, Effect, Flag, Forks, Group,
    Key, KeyFlag, KeySpec, Reply, Run, Spec, Stores,
};
use types::Graph;

use super::NO_GRAPH;

const TAKEN: CmdError = CmdError::new("destination key already exists");

/// Copies a graph.
pub struct Copy<'a> {
    from: Key<'a>,
    to: Key<'a>,
}

impl<'a> Command<'a> for Copy<'a> {
    const SPEC: Spec = Spec {
        name: "graph.copy",
        group: Group::Graph,
        since: "1.0.0",
        summary: "Copies a graph to a key that is free.",
        complexity: "O(N) in the size of the graph",
        grammar: "source:key destination:key#1",
        flags: &[Flag::Write, Flag::DenyOom],
        categories: &[Category::Graph],
        keys: &[
            KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access]),
            KeySpec::one(2, &[KeyFlag::Overwrite, KeyFlag::Insert]),
        ],
        behaviour: Behaviour::NEW.stores(Stores::Copied),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(Copy { from: args.key()?, to: args.key()? })
    }
}

impl<H: Databases + Forks<Graph>> Run<H> for Copy<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        host.peek(self.from)?.ok_or(NO_GRAPH)?;
        let db = host.db();
        if !host.copy(self.from, self.to, db, false)? {
            return Err(TAKEN);
        }
        host.notify(Class::Generic, "copy_to", self.to);
        out.bulk(b"OK");
        Ok(Effect::AsSent)
    }
}
