//! GRAPH.LIST: answers the keys that hold graphs.

use std::marker::PhantomData;

use base::{
    Args, Behaviour, Category, CmdError, Command, Databases, Effect, Flag, Group, Kind, Locks,
    Reply, Run, Spec,
};

use crate::walk::answer_keys;

/// Answers all graphs of the database.
pub struct List<'a>(PhantomData<&'a ()>);

impl<'a> Command<'a> for List<'a> {
    const SPEC: Spec = Spec {
        name: "graph.list",
        group: Group::Graph,
        since: "1.0.0",
        summary: "Lists the keys of the database that hold graphs.",
        complexity: "O(N), when N is the number of keys in the database",
        flags: &[Flag::ReadOnly],
        categories: &[Category::Graph],
        tips: &["request_policy:all_shards", "nondeterministic_output_order"],
        behaviour: Behaviour::NEW.locks(|_| Locks::Each),
        ..Spec::NEW
    };

    fn parse(_: Args<'a>) -> Result<Self, CmdError> {
        Ok(List(PhantomData))
    }
}

impl<H: Databases> Run<H> for List<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        answer_keys(host, out, |_, kind| kind == Kind::Graph);
        Ok(Effect::None)
    }
}
