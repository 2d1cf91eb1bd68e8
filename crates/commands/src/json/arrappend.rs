//! JSON.ARRAPPEND.

use ::json::{Kind, Tree};
use base::{
    Args, Category, CmdError, Command, Effect, Flag, Group, Key, KeyFlag, KeySpec, Reply, Run,
    Spec, error,
};
use types::Documents;

use super::array::{self, Elements};
use super::edit::{Edit, Plan};

/// Appends to arrays.
pub struct ArrAppend<'a> {
    key: Key<'a>,
    path: &'a [u8],
    values: &'a [&'a [u8]],
}

impl<'a> Command<'a> for ArrAppend<'a> {
    const SPEC: Spec = Spec {
        name: "json.arrappend",
        group: Group::Json,
        since: "1.0.0",
        summary: "Appends values to the arrays at a path.",
        complexity: "O(1) amortised for a static path, O(N) in the values that any other one \
                     visits",
        grammar: "key:key path:string value:string...",
        flags: &[Flag::Write, Flag::DenyOom],
        categories: &[Category::Json],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Insert])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let (key, path, values) = (args.key()?, args.next()?, args.rest());
        if values.is_empty() {
            return Err(error::wrong_arity(Self::SPEC.name));
        }
        Ok(ArrAppend { key, path, values })
    }
}

impl<H: Documents> Run<H> for ArrAppend<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let edited = host.with_tools(|host, tools| {
            let elements = Elements::parse(self.values, &mut tools.registry)?;
            let nodes = elements.nodes();
            let edit = Edit {
                key: self.key,
                path: self.path,
                event: "json.arrappend",
                unfit: array::NO_ARRAY,
                adds: elements.memory(),
            };
            edit.run(
                host,
                tools,
                |node, depth| {
                    if node.kind() != Kind::Array {
                        return Ok(Plan::Unfit);
                    }
                    elements.fit_below(depth)?;
                    Ok(Plan::Change)
                },
                |value, place, registry| value.append_elements(place, &nodes, registry),
            )
        })?;
        Ok(edited.reply(out, |out, len| out.count(len)))
    }
}
