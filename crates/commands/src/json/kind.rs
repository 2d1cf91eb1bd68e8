//! JSON.TYPE.

use ::json::path::Budget;
use base::{
    Args, Category, CmdError, Command, Effect, Flag, Group, Key, KeyFlag, KeySpec, Protocol, Reply,
    Run, Spec,
};
use types::Documents;

use super::document;

/// Answers the types of values.
pub struct Type<'a> {
    key: Key<'a>,
    path: &'a [u8],
}

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
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let key = args.key()?;
        let path = if args.left() > 0 { args.next()? } else { document::ROOT };
        args.end()?;
        Ok(Type { key, path })
    }
}

impl<H: Documents> Run<H> for Type<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        host.with_tools(|host, tools| {
            let path = document::path(tools, self.path)?;
            let types = document::look(host, self.key, tools, |root| {
                let mut types = Vec::new();
                let each = |node| {
                    types.push(document::type_of(node));
                    std::ops::ControlFlow::Continue(())
                };
                let done = path.for_each(root, &mut Budget::default(), each);
                done.map(|()| types).map_err(document::of_path)
            })?;
            let types = types.transpose()?;
            if out.protocol() == Protocol::Resp3 {
                out.array(1);
            }
            match types {
                None => out.null(),
                Some(types) if path.is_legacy() => match types.first() {
                    Some(word) => out.bulk(word.as_bytes()),
                    None => out.null(),
                },
                Some(types) => {
                    out.array(types.len());
                    types.iter().for_each(|word| out.bulk(word.as_bytes()));
                }
            }
            Ok(Effect::None)
        })
    }
}
