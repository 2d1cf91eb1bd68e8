//! JSON.DEL, and JSON.FORGET, which is the same.

use ::json::Tree;
use ::json::path::Location;
use base::{
    Args, Behaviour, Category, Class, CmdError, Command, Effect, Flag, Group, KeyFlag, KeySpec,
    Paths, Reply, Run, Spec,
};
use types::Documents;

use super::place::Place;
use super::{document, edit};

/// What is to go.
enum Doomed {
    /// The whole key, and how many values are counted.
    Key(usize),
    /// Values in the document, none inside another.
    Parts(Vec<Location>),
}

impl Place<'_> {
    /// Deletes what the path selects.
    fn delete<H: Documents>(&self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        const EVENT: &str = "json.del";
        let deleted = host.with_tools(|host, tools| {
            let path = document::selection(tools, self.path)?;
            let doomed = document::look(host, self.key, tools.lookers(), |root, budget| {
                let matches = edit::find_topmost(&path, root, budget)?;
                let is_root = matches.first().is_some_and(|location| location.is_empty());
                // What is without members or elements afterwards is no document any more.
                let are_all = !matches.is_empty()
                    && matches.len() == root.len()
                    && matches.iter().all(|location| location.len() == 1);
                Ok::<_, CmdError>(match is_root || are_all {
                    true => Doomed::Key(matches.len()),
                    false => Doomed::Parts(matches),
                })
            })?;
            match doomed.transpose()? {
                None => Ok(0),
                Some(Doomed::Key(count)) => {
                    host.remove(self.key, false);
                    host.notify_taken(Class::Module, EVENT, self.key);
                    Ok(count)
                }
                Some(Doomed::Parts(matches)) if matches.is_empty() => Ok(0),
                Some(Doomed::Parts(matches)) => {
                    document::change(host, self.key, &mut tools.registry, |value, registry| {
                        edit::in_order(value, registry, &matches, 0, |value, registry, _, place| {
                            value.delete(place, registry)
                        })
                    })?;
                    host.notify(Class::Module, EVENT, self.key);
                    Ok::<_, CmdError>(matches.len())
                }
            }
        })?;
        out.count(deleted);
        Ok(if deleted > 0 { Effect::AsSent } else { Effect::None })
    }
}

/// Deletes values.
pub struct Del<'a>(Place<'a>);

impl<'a> Command<'a> for Del<'a> {
    const SPEC: Spec = Spec {
        name: "json.del",
        group: Group::Json,
        since: "1.0.0",
        summary: "Deletes the values at a path; the key, if nothing is left.",
        complexity: "O(N), when N is the size of what is deleted and the values that the path \
                     visits",
        grammar: "key:key [path:string]",
        flags: &[Flag::Write],
        categories: &[Category::Json],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Delete])],
        behaviour: Behaviour::NEW.paths(Paths::At(2)),
        ..Spec::NEW
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Place::parse(args).map(Del)
    }
}

impl<H: Documents> Run<H> for Del<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        self.0.delete(host, out)
    }
}

/// Deletes values, under another name.
pub struct Forget<'a>(Place<'a>);

impl<'a> Command<'a> for Forget<'a> {
    const SPEC: Spec = Spec {
        name: "json.forget",
        summary: "Deletes the values at a path, as JSON.DEL does.",
        ..Del::SPEC
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Place::parse(args).map(Forget)
    }
}

impl<H: Documents> Run<H> for Forget<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        self.0.delete(host, out)
    }
}
