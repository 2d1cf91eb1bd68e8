//! GRAPH.DELETE: removes a graph.

use base::{
    Args, Category, Class, CmdError, Command, Effect, Flag, Forks, Group, Key, KeyFlag, KeySpec,
    Reply, Run, Spec,
};
use types::Graph;

use super::NO_GRAPH;

/// Removes a graph; of what holds something else it says that it is none.
pub struct Delete<'a>(Key<'a>);

impl<'a> Command<'a> for Delete<'a> {
    const SPEC: Spec = Spec {
        name: "graph.delete",
        group: Group::Graph,
        since: "1.0.0",
        summary: "Removes a graph, which is freed in the background.",
        complexity: "O(1)",
        grammar: "key:key",
        flags: &[Flag::Write],
        categories: &[Category::Graph],
        keys: &[KeySpec::one(1, &[KeyFlag::Remove, KeyFlag::Delete])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(Delete(args.key()?))
    }
}

impl<H: Forks<Graph>> Run<H> for Delete<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        if !matches!(host.peek(self.0), Ok(Some(_))) {
            return Err(NO_GRAPH);
        }
        host.remove(self.0, true);
        host.notify(Class::Generic, "del", self.0);
        out.ok();
        Ok(Effect::AsSent)
    }
}
