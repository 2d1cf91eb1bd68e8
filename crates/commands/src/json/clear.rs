//! JSON.CLEAR.

use ::json::{Kind, Node, Num, Tree};
use base::{
    Args, Behaviour, Category, Class, CmdError, Command, Effect, Flag, Group, KeyFlag, KeySpec,
    Paths, Reply, Run, Spec,
};
use types::Documents;

use super::place::Place;
use super::{document, edit};

/// Empties containers and makes numbers zero.
pub struct Clear<'a>(Place<'a>);

impl<'a> Command<'a> for Clear<'a> {
    const SPEC: Spec = Spec {
        name: "json.clear",
        group: Group::Json,
        since: "2.0.0",
        summary: "Empties the arrays and objects at a path and makes numbers zero.",
        complexity: "O(N), when N is the size of what is cleared and the values that the path \
                     visits",
        grammar: "key:key [path:string]",
        flags: &[Flag::Write],
        categories: &[Category::Json],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Update])],
        behaviour: Behaviour::NEW.paths(Paths::At(2)),
        ..Spec::NEW
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Place::parse(args).map(Clear)
    }
}

/// Whether a value can be cleared and is not clear already.
fn is_full(node: Node<'_>) -> bool {
    match node.kind() {
        Kind::Array | Kind::Object => !node.is_empty(),
        Kind::Integer | Kind::Number => node.as_num() != Some(Num::I64(0)),
        Kind::Null | Kind::Bool | Kind::String => false,
    }
}

impl<H: Documents> Run<H> for Clear<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let cleared = host.with_tools(|host, tools| {
            let path = document::selection(tools, self.0.path)?;
            let full = document::look(host, self.0.key, tools.lookers(), |root, budget| {
                // What is in a container that is emptied goes with it.
                let mut matches = edit::find_topmost(&path, root, budget)?;
                matches.retain(|location| {
                    root.descend(&document::places(location)).is_some_and(is_full)
                });
                Ok::<_, CmdError>(matches)
            })?;
            let full = full.ok_or(document::NO_KEY)??;
            if !full.is_empty() {
                document::change(host, self.0.key, &mut tools.registry, |value, registry| {
                    edit::in_order(value, registry, &full, 0, |value, registry, _, place| {
                        value.clear(place, registry).map(drop)
                    })
                })?;
                host.notify(Class::Module, "json.clear", self.0.key);
            }
            Ok::<_, CmdError>(full.len())
        })?;
        out.count(cleared);
        Ok(if cleared > 0 { Effect::AsSent } else { Effect::None })
    }
}
