//! JSON.TOGGLE.

use ::json::{Kind, Tree};
use base::{
    Args, Behaviour, Category, CmdError, Command, Effect, Flag, Group, Key, KeyFlag, KeySpec,
    Paths, Reply, Run, Spec,
};
use types::Documents;

use super::edit::{Edit, Plan};

/// Turns truth values round.
pub struct Toggle<'a> {
    key: Key<'a>,
    path: &'a [u8],
}

impl<'a> Command<'a> for Toggle<'a> {
    const SPEC: Spec = Spec {
        name: "json.toggle",
        group: Group::Json,
        since: "2.0.0",
        summary: "Turns true into false and false into true.",
        complexity: "O(1) for a static path, O(N) in the values that any other one visits",
        grammar: "key:key path:string",
        flags: &[Flag::Write, Flag::DenyOom],
        categories: &[Category::Json],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Update])],
        behaviour: Behaviour::NEW.paths(Paths::At(2)),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let (key, path) = (args.key()?, args.next()?);
        args.end()?;
        Ok(Toggle { key, path })
    }
}

impl<H: Documents> Run<H> for Toggle<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let edit = Edit {
            key: self.key,
            path: self.path,
            event: "json.toggle",
            unfit: CmdError::new("ERR Path does not exist or not a bool"),
            adds: 0,
        };
        let edited = host.with_tools(|host, tools| {
            let plan = |kind| if kind == Kind::Bool { Plan::Change } else { Plan::Unfit };
            edit.run(
                host,
                tools,
                |node, _| Ok(plan(node.kind())),
                |value, place, _| value.toggle(place),
            )
        })?;
        let is_legacy = edited.is_legacy;
        Ok(edited.reply(out, |out, new| match is_legacy {
            true => out.bulk(if new { b"true" } else { b"false" }),
            false => out.int(i64::from(new)),
        }))
    }
}
