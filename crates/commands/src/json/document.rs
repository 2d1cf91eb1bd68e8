//! What the commands about JSON documents have in common: keys that hold one, paths, errors.
//!
//! A document is kept as text until a command asks for a part of it. So looking may have to build
//! the tree first, which changes how the value is kept and not the value: no client is notified.
//!
//! ```text
//!               look                change
//!     text ──────────────► tree ◄────────────── text, tree      whole: any state; the second
//!                           └──── whole, twice ────▲            read of a tree keeps the text
//! ```
//!
//! Text and tree each take about as much as what was sent. Keeping both for every document would
//! take more memory than other servers do, keeping one makes the other kind of read slow. So the
//! text goes when a tree is made, and comes back to those documents alone that are read as a whole
//! twice between two changes, and are not large ([`LARGEST_TEXT`]).

use std::sync::Arc;

use ::json::path::{Budget, Location, Path, PathError};
use ::json::{Document, EditError, Kind, Node, ParseError, Registry, Tree, Value};
use base::{CmdError, Key, error};
use smallvec::SmallVec;
use types::{Documents, Json, JsonTools};

/// A key that holds something else. RedisJSON says so, without a code.
pub(super) const WRONG_KEY: CmdError = CmdError::new("Existing key has wrong Redis type");
/// A key that is not there, where it must be.
pub(super) const NO_KEY: CmdError =
    CmdError::new("ERR could not perform this operation on a key that doesn't exist");
/// A path without a match, where it must have one.
pub(super) const NO_PATH: CmdError = CmdError::new("ERR Path does not exist");

/// A path without a match, or with one that is no array.
pub(super) const NO_ARRAY: CmdError = CmdError::new("ERR Path does not exist or not an array");
/// A path without a match, or with one that is no object.
pub(super) const NO_OBJECT: CmdError = CmdError::new("ERR Path does not exist or not an object");
/// A path into a document that is not there, and would have to be made first.
pub(super) const NEW_AT_ROOT: CmdError =
    CmdError::new("ERR new objects must be created at the root");
/// A path that computes a value where one must be selected.
const COMPUTED: CmdError = CmdError::new(
    "ERR computed/projection expressions are only supported by JSON.GET/JSON.MGET/JSON.RESP",
);

/// The memory of a tree, in bytes, beside which a text is kept: a larger one is written anew each
/// time, which is what costs anyway.
const LARGEST_TEXT: usize = 1 << 20;

/// Work that paths may do on each document, beside what they may do at all: so much, and more in a
/// large one. What takes time in proportion to what is there is no more than was asked for.
fn allowed(document: &Document) -> usize {
    1000 + document.memory() / 4
}

/// The path that is meant where none is given: the root, in the legacy dialect.
pub(super) const ROOT: &[u8] = b".";

/// The value at a key, as it is kept.
pub(super) fn peek<'h, H: Documents>(
    host: &'h H,
    key: Key<'_>,
) -> Result<Option<&'h Json>, CmdError> {
    host.peek(key).map_err(of_key)
}

/// That a key is of the wrong type, as RedisJSON says it.
pub(super) fn of_key(error: CmdError) -> CmdError {
    if error == error::WRONG_TYPE { WRONG_KEY } else { error }
}

/// Looks at the root of the document at `key`; `None` if there is no such key. O(document) the
/// first time.
pub(crate) fn look<H: Documents, R>(
    host: &mut H,
    key: Key<'_>,
    (registry, budget): (&mut Registry, &mut Budget),
    look: impl FnOnce(Node<'_>, &mut Budget) -> R,
) -> Result<Option<R>, CmdError> {
    match peek(host, key)?.and_then(Json::document) {
        None => return Ok(None),
        Some(document) => {
            if let Some(tree) = document.tree() {
                budget.allow(allowed(document));
                return Ok(Some(look(tree.root(), budget)));
            }
        }
    }
    let looked = host.reshape(key, |json| {
        let Some(document) = json.document_mut() else { return Ok(None) };
        document.drop_text(registry).map_err(of_text)?;
        budget.allow(allowed(document));
        Ok(document.tree().map(|tree| look(tree.root(), budget)))
    })?;
    looked.unwrap_or(Ok(None))
}

/// Reads the whole document at `key`, its text if there is any; `None` if there is no such key.
pub(super) fn whole<H: Documents, R>(
    host: &mut H,
    key: Key<'_>,
    read: impl FnOnce(&Document) -> R,
) -> Result<Option<R>, CmdError> {
    match peek(host, key)?.and_then(Json::document) {
        None => return Ok(None),
        Some(document) => {
            if document.text().is_some() || document.memory() > LARGEST_TEXT {
                return Ok(Some(read(document)));
            }
        }
    }
    let done = host.reshape(key, |json| {
        json.note_whole_read();
        json.document().map(read)
    })?;
    Ok(done.flatten())
}

/// Changes the document at `key`, which is there, and drops its text. For those who know by now
/// that something will change.
pub(super) fn change<H: Documents, R>(
    host: &mut H,
    key: Key<'_>,
    registry: &mut Registry,
    change: impl FnOnce(&mut Value, &mut Registry) -> Result<R, CmdError>,
) -> Result<R, CmdError> {
    let changed = host.edit_existing(key, |json| {
        json.note_change();
        let document = json.document_mut().ok_or(NO_KEY)?;
        let value = document.value_mut(registry).map_err(of_text)?;
        change(value, registry)
    });
    changed.map_err(of_key)?.unwrap_or(Err(NO_KEY))
}

/// A word as a path. Its patterns are paid for out of the request's budget, whether they were
/// known or not, so that a request goes the same way each time.
pub(super) fn path(tools: &mut JsonTools, word: &[u8]) -> Result<Arc<Path>, CmdError> {
    let path = tools.paths.get(word).map_err(of_path)?;
    tools.budget.pay(path.preparation()).map_err(of_path)?;
    Ok(path)
}

/// A word as a path that selects values: what is wanted by all but those who only show them.
pub(crate) fn selection(tools: &mut JsonTools, word: &[u8]) -> Result<Arc<Path>, CmdError> {
    let path = path(tools, word)?;
    if path.is_projection() { Err(COMPUTED) } else { Ok(path) }
}

/// The matches of a path: of a legacy path, the first alone.
pub(crate) fn matches<'a>(
    path: &Path,
    root: Node<'a>,
    budget: &mut Budget,
) -> Result<SmallVec<[Node<'a>; 2]>, CmdError> {
    let mut found = SmallVec::new();
    if path.is_static() || path.is_legacy() {
        found.extend(path.first(root, budget).map_err(of_path)?);
        return Ok(found);
    }
    let each = |node| {
        found.push(node);
        std::ops::ControlFlow::Continue(())
    };
    path.for_each(root, budget, each).map_err(of_path)?;
    Ok(found)
}

/// A location as edits want it.
pub(super) fn places(location: &Location) -> SmallVec<[usize; 8]> {
    location.iter().map(|step| step.position()).collect()
}

/// The word for a value's type.
pub(super) fn type_of(node: Node<'_>) -> &'static str {
    match node.kind() {
        Kind::Null => "null",
        Kind::Bool => "boolean",
        Kind::Integer => "integer",
        Kind::Number => "number",
        Kind::String => "string",
        Kind::Array => "array",
        Kind::Object => "object",
    }
}

/// A value of another type than what a legacy path must lead to.
pub(super) fn wrong_type(expected: &str, found: Node<'_>) -> CmdError {
    let found = type_of(found);
    CmdError::owned(format!(
        "WRONGTYPE wrong type of path value - expected {expected} but found {found}"
    ))
}

/// What is wrong with a path.
pub(super) fn of_path(error: PathError) -> CmdError {
    if error == PathError::Encoding {
        return error::SYNTAX;
    }
    CmdError::owned(format!("ERR {error}"))
}

/// What is wrong with a text.
pub(super) fn of_text(error: ParseError) -> CmdError {
    CmdError::owned(error.to_string())
}

/// Why a document cannot be changed.
pub(super) fn of_edit(error: EditError) -> CmdError {
    CmdError::owned(format!("ERR {error}"))
}
