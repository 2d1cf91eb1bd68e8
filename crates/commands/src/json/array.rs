//! What the commands that change arrays have in common: values to put into them, places in them.

use ::json::{EditError, Kind, MAX_DEPTH, Node, Tree, Value};
use base::{Args, CmdError, Effect, Key, Reply, error};
use types::Documents;

use super::document;
use super::edit::{Edit, Plan};

/// A place that is no integer.
pub(super) const NOT_INTEGER: CmdError = CmdError::new("Couldn't parse as integer");

/// The next argument as a place in an array; negative ones count from the end.
pub(super) fn place(args: &mut Args<'_>) -> Result<i64, CmdError> {
    let word = args.next()?;
    let text = std::str::from_utf8(word).map_err(|_| NOT_INTEGER)?;
    text.parse().map_err(|_| NOT_INTEGER)
}

/// Counts a place from the start. `None` if it lies before it; it may lie behind the end.
pub(super) fn from_start(place: i64, len: usize) -> Option<usize> {
    match usize::try_from(place) {
        Ok(place) => Some(place),
        // A place that is negative and does not fit lies before any start.
        Err(_) => len.checked_sub(usize::try_from(place.unsigned_abs()).unwrap_or(usize::MAX)),
    }
}

/// How many elements the array at a place has.
pub(super) fn len_at(value: &Value, location: &[usize]) -> usize {
    value.root().descend(location).map_or(0, Tree::len)
}

/// A place that is not in the array, nor at its end.
const OUT_OF_BOUNDS: CmdError = CmdError::new("ERR index out of bounds");

/// Values that are to be put into the arrays at a path.
pub(super) struct Elements<'a> {
    pub key: Key<'a>,
    pub path: &'a [u8],
    /// At least one.
    pub values: &'a [&'a [u8]],
}

impl<'a> Elements<'a> {
    /// The values at the end of a request, behind a place in documents; `command` is for an error
    /// in its name.
    pub fn parse(
        (key, path): (Key<'a>, &'a [u8]),
        args: &mut Args<'a>,
        command: &str,
    ) -> Result<Self, CmdError> {
        let values = args.rest();
        if values.is_empty() {
            return Err(error::wrong_arity(command));
        }
        Ok(Elements { key, path, values })
    }

    /// Puts them where `index` says for the length of an array, and answers with the new lengths.
    pub fn put<H: Documents>(
        &self,
        event: &'static str,
        index: impl Fn(usize) -> Option<usize>,
        host: &mut H,
        out: &mut dyn Reply,
    ) -> Result<Effect, CmdError> {
        let edited = host.with_tools(|host, tools| {
            let registry = &mut tools.registry;
            let parse = |word: &&[u8]| Value::parse(word, registry).map_err(document::of_text);
            let values: Vec<Value> = self.values.iter().map(parse).collect::<Result<_, _>>()?;
            let nodes: Vec<Node<'_>> = values.iter().map(Value::root).collect();
            let deepest = values.iter().map(Value::depth).max().unwrap_or_default();
            let edit = Edit {
                key: self.key,
                path: self.path,
                event,
                unfit: document::NO_ARRAY,
                adds: values.iter().map(Value::memory).sum(),
            };
            edit.run(
                host,
                tools,
                |node, depth| {
                    if node.kind() != Kind::Array {
                        return Ok(Plan::Unfit);
                    }
                    index(node.len()).ok_or(OUT_OF_BOUNDS)?;
                    if depth + 1 + deepest > MAX_DEPTH {
                        return Err(document::of_edit(EditError::Depth));
                    }
                    Ok(Plan::Change)
                },
                |value, place, registry| {
                    let index = index(len_at(value, place)).ok_or(EditError::NotFound)?;
                    value.insert_elements(place, index, &nodes, registry)
                },
            )
        })?;
        Ok(edited.reply(out, |out, len| out.count(len)))
    }
}
