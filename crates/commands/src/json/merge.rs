//! JSON.MERGE.

use ::json::path::{Budget, Location, Path, edit_order, topmost};
use ::json::{Document, EditError, Kind, MAX_DEPTH, Node, Tree, Value};
use base::{
    Args, Behaviour, Category, Class, CmdError, Command, Deadline, Effect, Flag, Group, Key,
    KeyFlag, KeySpec, Paths, Reply, Run, Spec, error,
};
use types::{Documents, Json, JsonTools};

use super::assign::{self, Outcome};
use super::document::{self, NEW_AT_ROOT};
use super::set::take_format;

/// Applies a merge patch (RFC 7396) to values: members of the patch replace those of the same name,
/// `null` deletes them, objects are merged in turn.
pub struct Merge<'a> {
    key: Key<'a>,
    path: &'a [u8],
    json: &'a [u8],
}

impl<'a> Command<'a> for Merge<'a> {
    const SPEC: Spec = Spec {
        name: "json.merge",
        group: Group::Json,
        since: "1.0.0",
        summary: "Merges a value into those at a path; null deletes.",
        complexity: "O(N) in the size of the value, and in the values that a path visits that is \
                     not static",
        grammar: "key:key path:string value:string [FORMAT format=(STRING | JSON)]",
        flags: &[Flag::Write, Flag::DenyOom],
        categories: &[Category::Json],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Update])],
        behaviour: Behaviour::NEW.paths(Paths::At(2)),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let (key, path, json) = (args.key()?, args.next()?, args.next()?);
        while args.left() > 0 {
            if !take_format(&mut args)? {
                return Err(error::SYNTAX);
            }
        }
        Ok(Merge { key, path, json })
    }
}

impl<H: Documents> Run<H> for Merge<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let (is_merged, is_changed) = host.with_tools(|host, tools| self.merge(host, tools))?;
        if is_merged {
            out.ok()
        } else {
            out.null()
        }
        if !is_changed {
            return Ok(Effect::None);
        }
        host.notify(Class::Module, "json.merge", self.key);
        Ok(Effect::AsSent)
    }
}

impl Merge<'_> {
    /// Whether the patch is applied wherever it should be, and whether that changed anything.
    fn merge<H: Documents>(
        &self,
        host: &mut H,
        tools: &mut JsonTools,
    ) -> Result<(bool, bool), CmdError> {
        let exists = document::peek(host, self.key)?.is_some();
        let path = document::selection(tools, self.path)?;
        let patch = Value::parse(self.json, &mut tools.registry).map_err(document::of_text)?;
        if !exists {
            if !path.is_root() {
                return Err(NEW_AT_ROOT);
            }
            let merged = into_nothing(&patch, tools)?;
            host.put(self.key, Json::from(Document::from(merged)), Deadline::Keep);
            return Ok((true, true));
        }
        let depth = patch.depth();
        let plan = document::look(host, self.key, tools.lookers(), |root, budget| {
            Plan::new(&path, root, (patch.root(), depth), budget)
        })?;
        let Plan { places, new, outcome } = plan.ok_or(document::NO_KEY)??;
        if let Some((location, name)) = new {
            let merged = into_nothing(&patch, tools)?;
            assign::add(host, self.key, tools, (&location, &name, merged.root()))?;
            return Ok((true, true));
        }
        if places.is_empty() {
            return Ok((outcome == Outcome::All, false));
        }
        document::change(host, self.key, &mut tools.registry, |value, registry| {
            for location in &places {
                let place = document::places(location);
                let done = if patch.root().kind() == Kind::Null && !place.is_empty() {
                    value.delete(&place, registry)
                } else {
                    value.merge(&place, patch.root(), registry)
                };
                done.map_err(document::of_edit)?;
            }
            Ok(())
        })?;
        Ok((outcome == Outcome::All, true))
    }
}

/// What a patch makes of nothing: itself, without what it would delete.
fn into_nothing(patch: &Value, tools: &mut JsonTools) -> Result<Value, CmdError> {
    let registry = &mut tools.registry;
    let mut value = Value::parse(b"null", registry).map_err(document::of_text)?;
    value.merge(&[], patch.root(), registry).map_err(document::of_edit)?;
    Ok(value)
}

/// What is to be done to a document that is there.
struct Plan {
    /// Where values change, in the order in which they can.
    places: Vec<Location>,
    /// The object that gets a member, and its name.
    new: Option<(Location, String)>,
    /// Whether that is all, or some would be nested too deep, or have no place.
    outcome: Outcome,
}

impl Plan {
    fn new(
        path: &Path,
        root: Node<'_>,
        (patch, depth): (Node<'_>, usize),
        budget: &mut Budget,
    ) -> Result<Plan, CmdError> {
        let mut found = assign::everywhere(path, root, budget)?;
        if found.is_empty() {
            return Plan::add(path, root, (patch, depth));
        }
        if patch.kind() != Kind::Object {
            // No client sees what becomes of a value within one that is replaced or deleted.
            found = topmost(found);
        }
        let all = found.len();
        found.retain(|location| location.len() + depth <= MAX_DEPTH);
        if found.is_empty() {
            return Err(document::of_edit(EditError::Depth));
        }
        let outcome = if found.len() == all { Outcome::All } else { Outcome::Part };
        found.retain(|location| {
            let value = root.descend(&document::places(location));
            value.is_none_or(|value| alters(value, patch))
        });
        // From the end of the document to its start, and from the inside out: what a patch deletes
        // then never moves what is still to be merged.
        let mut places: Vec<Location> =
            edit_order(&found).into_iter().map(|index| found[index].clone()).collect();
        places.dedup();
        Ok(Plan { places, new: None, outcome })
    }

    /// Where the path leads nowhere.
    fn add(
        path: &Path,
        root: Node<'_>,
        (patch, depth): (Node<'_>, usize),
    ) -> Result<Plan, CmdError> {
        let new = assign::new_member(path, root)?;
        let is_deleted = patch.kind() == Kind::Null;
        let outcome = if new.is_some() { Outcome::All } else { Outcome::Nothing };
        let new = new.filter(|_| !is_deleted).map(|(location, name)| (location, name.to_owned()));
        if new.as_ref().is_some_and(|(location, _)| location.len() + 1 + depth > MAX_DEPTH) {
            return Err(document::of_edit(EditError::Depth));
        }
        Ok(Plan { places: Vec::new(), new, outcome })
    }
}

/// Whether a patch does anything to a value. A value that is put where an equal one was counts:
/// as it does for those who set it. O(patch).
fn alters(value: Node<'_>, patch: Node<'_>) -> bool {
    if patch.kind() != Kind::Object || value.kind() != Kind::Object {
        return true;
    }
    (0..patch.len()).any(|position| {
        let (Some(name), Some(wanted)) = (patch.name_at(position), patch.at(position)) else {
            return false;
        };
        match (wanted.kind(), value.member(name)) {
            (Kind::Null, found) => found.is_some(),
            (_, Some((_, found))) => alters(found, wanted),
            (_, None) => true,
        }
    })
}
