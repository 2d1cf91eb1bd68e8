//! JSON.TYPE.

use base::{
    Args, Behaviour, Category, CmdError, Command, Effect, Flag, Group, KeyFlag, KeySpec, Paths,
    Protocol, Reply, Run, Spec,
};
use types::Documents;

use super::document;
use super::place::Place;

/// Answers the types of values.
pub struct Type<'a>(Place<'a>);

impl<'a> Command<'a> for Type<'a> {
    const SPEC: Spec = Spec {
        name: "json.type",
        group: Group::Json,
        since: "1.0.0",
        summary: "Answers the types of the values at a path.",
        complexity: "O(1) for a static path, O(N) in the values that any other one visits",
        grammar: "key:key [path:string]",
        flags: &[Flag::ReadOnly],
        categories: &[Category::Json],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        behaviour: Behaviour::NEW.paths(Paths::At(2)),
        ..Spec::NEW
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Place::parse(args).map(Type)
    }
}

impl<H: Documents> Run<H> for Type<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        host.with_tools(|host, tools| {
            let path = document::selection(tools, self.0.path)?;
            let wrap = out.protocol() == Protocol::Resp3;
            let found = document::look(host, self.0.key, tools.lookers(), |root, budget| {
                let found = document::matches(&path, root, budget)?;
                if wrap {
                    out.array(1);
                }
                if !path.is_legacy() {
                    out.array(found.len());
                } else if found.is_empty() {
                    out.null();
                }
                found.iter().for_each(|&node| out.bulk(document::type_of(node).as_bytes()));
                Ok(())
            })?;
            match found {
                Some(done) => done?,
                None => {
                    if wrap {
                        out.array(1);
                    }
                    out.null();
                }
            }
            Ok(Effect::None)
        })
    }
}
