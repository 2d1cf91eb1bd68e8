//! JSON.STRAPPEND.

use ::json::{Tree, Value};
use base::{
    Args, Behaviour, Category, CmdError, Command, Effect, Flag, Group, Key, KeyFlag, KeySpec,
    Paths, Reply, Run, Spec,
};
use types::Documents;

use super::document;
use super::edit::{Edit, Plan};

/// Appends to strings.
pub struct StrAppend<'a> {
    key: Key<'a>,
    path: &'a [u8],
    value: &'a [u8],
}

impl<'a> Command<'a> for StrAppend<'a> {
    const SPEC: Spec = Spec {
        name: "json.strappend",
        group: Group::Json,
        since: "1.0.0",
        summary: "Appends to the strings at a path.",
        complexity: "O(1) amortised for a static path, O(N) in the values that any other one \
                     visits",
        grammar: "key:key [path:string] value:string",
        flags: &[Flag::Write, Flag::DenyOom],
        categories: &[Category::Json],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Update])],
        behaviour: Behaviour::NEW.paths(Paths::At(2)),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let key = args.key()?;
        let path = if args.left() > 1 { args.next()? } else { document::ROOT };
        let value = args.next()?;
        args.end()?;
        Ok(StrAppend { key, path, value })
    }
}

impl<H: Documents> Run<H> for StrAppend<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let edit = Edit {
            key: self.key,
            path: self.path,
            event: "json.strappend",
            unfit: CmdError::new("ERR Path does not exist or not a string"),
            adds: self.value.len(),
        };
        let edited = host.with_tools(|host, tools| {
            let value = Value::parse(self.value, &mut tools.registry).map_err(document::of_text)?;
            let more = value
                .root()
                .as_str()
                .ok_or_else(|| document::wrong_type("string", value.root()))?;
            edit.run(
                host,
                tools,
                |node, _| {
                    Ok(match node.as_bytes() {
                        None => Plan::Unfit,
                        Some(text) if more.is_empty() => Plan::Keep(text.len()),
                        Some(_) => Plan::Change,
                    })
                },
                |value, place, registry| value.append_text(place, &more, registry),
            )
        })?;
        Ok(edited.reply(out, |out, len| out.count(len)))
    }
}
