//! JSON.RESP.

use base::{
    Args, Behaviour, Category, CmdError, Command, Effect, Flag, Group, KeyFlag, KeySpec, Paths,
    Reply, Run, Spec,
};
use types::Documents;

use super::document;
use super::native::{self, Form};
use super::place::Place;

/// Answers values as replies of their own types.
pub struct Resp<'a>(Place<'a>);

impl<'a> Command<'a> for Resp<'a> {
    const SPEC: Spec = Spec {
        name: "json.resp",
        group: Group::Json,
        since: "1.0.0",
        summary: "Answers the values at a path as replies of their own types.",
        complexity: "O(N) in the size of what is answered, and in the values that a path visits \
                     that is not static",
        grammar: "key:key [path:string]",
        flags: &[Flag::ReadOnly],
        categories: &[Category::Json],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        behaviour: Behaviour::NEW.paths(Paths::At(2)),
        ..Spec::NEW
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Place::parse(args).map(Resp)
    }
}

impl<H: Documents> Run<H> for Resp<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        host.with_tools(|host, tools| {
            let path = document::path(tools, self.0.path)?;
            let mut buffer = tools.take_buffer();
            let found = document::look(host, self.0.key, tools.lookers(), |root, budget| {
                let results = path.results(root, budget);
                let mut results = results.map_err(document::of_path)?;
                if path.is_legacy() {
                    results.truncate(1);
                    if results.is_empty() {
                        return Err(document::NO_PATH);
                    }
                } else {
                    out.array(results.len());
                }
                for result in &results {
                    native::reply(result, Form::Marked, &mut buffer, out);
                }
                Ok(())
            })?;
            tools.give_buffer(buffer);
            match found {
                Some(done) => done?,
                None => out.null(),
            }
            Ok(Effect::None)
        })
    }
}
