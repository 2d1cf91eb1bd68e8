//! Putting a value at a path: what JSON.SET and JSON.MSET share.
//!
//! A value is parsed before anything is looked for, and it is known what will change before
//! anything does: a command that changes nothing leaves the key untouched.

use std::sync::Arc;

use ::json::path::{Budget, LastStep, Location, Path, topmost};
use ::json::{
    Document, EditError, Floats, Kind, MAX_DEPTH, Node, Scalar, Tree, Value, write_string,
};
use base::{CmdError, Deadline, Key};
use types::{Documents, Json, JsonTools, Parts};

use super::document::{self, NEW_AT_ROOT};

/// A path that selects nothing, and could select several values: there is no place for a new one.
pub(super) const WRONG_STATIC: CmdError = CmdError::new("Err wrong static path");
/// A path that ends in an index that is not there.
pub(super) const NO_ELEMENT: CmdError = CmdError::new("ERR array index out of range");
const FLOAT_RANGE: CmdError = CmdError::new("value out of range");

/// What must be there for a value to be put.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Condition {
    Always,
    /// Nothing may be at the path.
    IfMissing,
    /// Something must be.
    IfPresent,
}

/// What came of it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Nothing was changed.
    Nothing,
    /// Some of what the path selects was: the rest would have been nested too deep.
    Part,
    /// All of it was.
    All,
}

/// A value that is to be put at a path.
pub(super) struct Assignment<'a> {
    pub path: Arc<Path>,
    content: Content,
    json: &'a [u8],
    floats: Option<Floats>,
}

enum Content {
    /// It is the whole document.
    Whole(Document),
    /// It becomes a part of one.
    Part(Value),
}

fn parse(json: &[u8], floats: Option<Floats>, tools: &mut JsonTools) -> Result<Value, CmdError> {
    let mut value = Value::parse(json, &mut tools.registry).map_err(document::of_text)?;
    if let Some(floats) = floats {
        value.pack_floats(floats).map_err(|error| match error {
            EditError::NotFinite => FLOAT_RANGE,
            error => document::of_edit(error),
        })?;
    }
    Ok(value)
}

fn whole(json: &[u8], floats: Option<Floats>, tools: &mut JsonTools) -> Result<Document, CmdError> {
    match floats {
        // What arrays are made of is not in a text.
        Some(_) => parse(json, floats, tools).map(Document::from),
        None => Document::from_text(json, &mut tools.registry).map_err(document::of_text),
    }
}

impl<'a> Assignment<'a> {
    /// Reads path and value.
    pub fn new(
        tools: &mut JsonTools,
        path: &[u8],
        json: &'a [u8],
        floats: Option<Floats>,
    ) -> Result<Self, CmdError> {
        let path = document::selection(tools, path)?;
        let content = if path.is_root() {
            Content::Whole(whole(json, floats, tools)?)
        } else {
            Content::Part(parse(json, floats, tools)?)
        };
        Ok(Assignment { path, content, json, floats })
    }

    /// Puts the value. The key holds a document, or nothing.
    pub fn apply<H: Documents>(
        self,
        host: &mut H,
        key: Key<'_>,
        tools: &mut JsonTools,
        (condition, creates, deadline): (Condition, bool, Deadline),
    ) -> Result<Outcome, CmdError> {
        let exists = document::peek(host, key)?.is_some();
        let (path, json, floats) = (self.path, self.json, self.floats);
        let value = match self.content {
            Content::Part(value) if exists => value,
            _ if condition == Condition::IfPresent && !exists => return Ok(Outcome::Nothing),
            Content::Whole(_) if condition == Condition::IfMissing && exists => {
                return Ok(Outcome::Nothing);
            }
            Content::Whole(document) => {
                host.put(key, Json::from(document), deadline);
                return Ok(Outcome::All);
            }
            Content::Part(_) if creates => {
                let names = names_of(&path, tools)?;
                let document = whole(&nested(&names, json), floats, tools)?;
                host.put(key, Json::from(document), deadline);
                return Ok(Outcome::All);
            }
            Content::Part(_) => return Err(NEW_AT_ROOT),
        };
        let depth = value.depth();
        let plan = document::look(host, key, tools.lookers(), |root, budget| {
            Plan::new(&path, root, (condition, creates, depth), budget)
        })?;
        let outcome = match plan.unwrap_or(Ok(Plan::Nothing))? {
            Plan::Nothing => return Ok(Outcome::Nothing),
            Plan::Replace(locations, outcome) => {
                let is_all = replace(host, key, tools, (&locations, value.root()))?;
                if is_all { outcome } else { Outcome::Part }
            }
            Plan::Add(location, name) => {
                add(host, key, tools, (&location, &name, value.root()))?;
                Outcome::All
            }
            Plan::Create(location, names) => {
                let (first, below) = names.split_first().ok_or(WRONG_STATIC)?;
                let value = parse(&nested(below, json), floats, tools)?;
                if location.len() + 1 + value.depth() > MAX_DEPTH {
                    return Err(document::of_edit(EditError::Depth));
                }
                add(host, key, tools, (&location, first, value.root()))?;
                Outcome::All
            }
        };
        if let Deadline::At(_) = deadline {
            host.set_deadline(key, deadline_of(deadline));
        }
        Ok(outcome)
    }
}

/// Puts a scalar at a path that leads to one place which is there, in one look at the key: what
/// most requests are. `None` if it is not that, and then nothing has happened.
#[inline]
pub(super) fn scalar<H: Documents>(
    host: &mut H,
    key: Key<'_>,
    tools: &mut JsonTools,
    (path, json): (&[u8], &[u8]),
) -> Option<Result<(), CmdError>> {
    let scalar = Scalar::parse(json)?;
    let Parts { paths, registry, .. } = tools.parts();
    let path = paths.cached(path).filter(|path| !path.is_root())?;
    let put = host.try_edit(key, |json| {
        let done = json.document_mut()?.put_scalar(path, scalar, registry)?;
        json.note_change();
        Some(done)
    });
    let put = put.map_err(document::of_key).transpose()?;
    Some(put.and_then(|done| done.map_err(document::of_edit)))
}

fn deadline_of(deadline: Deadline) -> Option<base::Millis> {
    match deadline {
        Deadline::At(at) => Some(at),
        Deadline::Clear | Deadline::Keep => None,
    }
}

/// What is to be done to a document that is there.
enum Plan {
    Nothing,
    /// Other values come to these places.
    Replace(Vec<Location>, Outcome),
    /// The object there gets a member.
    Add(Location, String),
    /// It gets a member with objects in it, one for each of the names but the first.
    Create(Location, Vec<String>),
}

impl Plan {
    fn new(
        path: &Path,
        root: Node<'_>,
        (condition, creates, depth): (Condition, bool, usize),
        budget: &mut Budget,
    ) -> Result<Plan, CmdError> {
        let found = everywhere(path, root, budget)?;
        match (condition, found.is_empty()) {
            (Condition::IfMissing, false) | (Condition::IfPresent, true) => Ok(Plan::Nothing),
            (_, false) => Plan::replace(found, depth),
            (_, true) => Plan::add(path, root, (creates, depth)),
        }
    }

    fn replace(found: Vec<Location>, depth: usize) -> Result<Plan, CmdError> {
        let mut found = topmost(found);
        let all = found.len();
        found.retain(|location| location.len() + depth <= MAX_DEPTH);
        if found.is_empty() {
            return Err(document::of_edit(EditError::Depth));
        }
        let outcome = if found.len() == all { Outcome::All } else { Outcome::Part };
        Ok(Plan::Replace(found, outcome))
    }

    fn add(path: &Path, root: Node<'_>, (creates, depth): (bool, usize)) -> Result<Plan, CmdError> {
        match new_member(path, root)? {
            Some((location, name)) if location.len() + 1 + depth <= MAX_DEPTH => {
                Ok(Plan::Add(location, name.to_owned()))
            }
            Some(_) => Err(document::of_edit(EditError::Depth)),
            None if creates => Ok(match path.missing(root) {
                Some(missing) if missing.parent.kind() == Kind::Object => {
                    let names = missing.names.into_iter().map(str::to_owned).collect();
                    Plan::Create(missing.location, names)
                }
                _ => Plan::Nothing,
            }),
            None => Ok(Plan::Nothing),
        }
    }
}

/// Where all matches of a path lie: those who write mean all of them, in either dialect.
pub(super) fn everywhere(
    path: &Path,
    root: Node<'_>,
    budget: &mut Budget,
) -> Result<Vec<Location>, CmdError> {
    if path.is_static() {
        return Ok(path.location(root).into_iter().collect());
    }
    path.locations(root, budget).map_err(document::of_path)
}

/// The place of a member that a path without a match would be, and its name; `None` if there is no
/// object to have it.
pub(super) fn new_member<'p>(
    path: &'p Path,
    root: Node<'_>,
) -> Result<Option<(Location, &'p str)>, CmdError> {
    match path.last_step() {
        _ if !path.is_static() => return Err(WRONG_STATIC),
        Some(LastStep::Index(_)) => return Err(NO_ELEMENT),
        _ => {}
    }
    let creation = path.creation(root).filter(|creation| creation.parent.kind() == Kind::Object);
    Ok(creation.map(|creation| (creation.location, creation.name)))
}

/// The names of a path that consists of nothing else, for a document that is to be made.
fn names_of(path: &Path, tools: &mut JsonTools) -> Result<Vec<String>, CmdError> {
    let empty = Value::parse(b"{}", &mut tools.registry).map_err(document::of_text)?;
    let missing = path.missing(empty.root()).ok_or(NEW_AT_ROOT)?;
    Ok(missing.names.into_iter().map(str::to_owned).collect())
}

/// A text in as many objects as there are names.
fn nested(names: &[String], json: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(json.len() + names.len() * 16);
    for name in names {
        text.push(b'{');
        write_string(name.as_bytes(), &mut text);
        text.push(b':');
    }
    text.extend_from_slice(json);
    text.resize(text.len() + names.len(), b'}');
    text
}

/// Puts a value at every one of these places, as long as the document has room; whether it had.
fn replace<H: Documents>(
    host: &mut H,
    key: Key<'_>,
    tools: &mut JsonTools,
    (locations, with): (&[Location], Node<'_>),
) -> Result<bool, CmdError> {
    document::change(host, key, &mut tools.registry, |value, registry| {
        for (done, location) in locations.iter().enumerate() {
            match value.replace(&document::places(location), with, registry) {
                Ok(()) => {}
                Err(error) if done == 0 => return Err(document::of_edit(error)),
                Err(_) => return Ok(false),
            }
        }
        Ok(true)
    })
}

pub(super) fn add<H: Documents>(
    host: &mut H,
    key: Key<'_>,
    tools: &mut JsonTools,
    (location, name, with): (&Location, &str, Node<'_>),
) -> Result<(), CmdError> {
    document::change(host, key, &mut tools.registry, |value, registry| {
        let places = document::places(location);
        value.set_member(&places, name, with, registry).map(drop).map_err(document::of_edit)
    })
}
