//! JSON.OBJKEYS.

use ::json::{Kind, Node, Tree};
use base::{
    Args, Behaviour, Category, CmdError, Command, Effect, Flag, Group, KeyFlag, KeySpec, Paths,
    Reply, Run, Spec,
};
use types::Documents;

use super::document;
use super::place::Place;

/// Answers the names of the members of objects.
pub struct ObjKeys<'a>(Place<'a>);

impl<'a> Command<'a> for ObjKeys<'a> {
    const SPEC: Spec = Spec {
        name: "json.objkeys",
        group: Group::Json,
        since: "1.0.0",
        summary: "Answers the names of the members of objects.",
        complexity: "O(N) in the number of names, and in the values that a path visits that is \
                     not static",
        grammar: "key:key [path:string]",
        flags: &[Flag::ReadOnly],
        categories: &[Category::Json],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        behaviour: Behaviour::NEW.paths(Paths::At(2)),
        ..Spec::NEW
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Place::parse(args).map(ObjKeys)
    }
}

fn write_names(object: Node<'_>, out: &mut dyn Reply) {
    out.array(object.len());
    for position in 0..object.len() {
        out.bulk(object.name_at(position).unwrap_or_default().as_bytes());
    }
}

impl<H: Documents> Run<H> for ObjKeys<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        host.with_tools(|host, tools| {
            let path = document::selection(tools, self.0.path)?;
            let found = document::look(host, self.0.key, tools.lookers(), |root, budget| {
                let found = document::matches(&path, root, budget)?;
                let is_object = |node: &Node<'_>| node.kind() == Kind::Object;
                if path.is_legacy() {
                    match found.first() {
                        None => out.null(),
                        Some(node) if is_object(node) => write_names(*node, out),
                        Some(node) => return Err(document::wrong_type("object", *node)),
                    }
                    return Ok(());
                }
                out.array(found.len());
                for node in found {
                    if is_object(&node) { write_names(node, out) } else { out.null() }
                }
                Ok(())
            })?;
            match found {
                Some(done) => done?,
                None if path.is_legacy() => out.null(),
                None => return Err(document::NO_KEY),
            }
            Ok(Effect::None)
        })
    }
}
