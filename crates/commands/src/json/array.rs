//! What the commands that change arrays have in common: values to put into them, places in them.

use ::json::{EditError, MAX_DEPTH, Node, Registry, Tree, Value};
use base::{Args, CmdError};

use super::document;

/// The answer to a legacy path that selects no array.
pub(super) const NO_ARRAY: CmdError = CmdError::new("ERR Path does not exist or not an array");

/// A place that is no integer.
const NOT_INTEGER: CmdError = CmdError::new("Couldn't parse as integer");

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

/// Values that are to be put into arrays.
pub(super) struct Elements {
    values: Vec<Value>,
    deepest: usize,
}

impl Elements {
    /// Parses them.
    pub(super) fn parse(words: &[&[u8]], registry: &mut Registry) -> Result<Self, CmdError> {
        let parse = |word: &&[u8]| Value::parse(word, registry).map_err(document::of_text);
        let values: Vec<Value> = words.iter().map(parse).collect::<Result<_, _>>()?;
        let deepest = values.iter().map(Value::depth).max().unwrap_or_default();
        Ok(Elements { values, deepest })
    }

    /// The values, to be looked at.
    pub(super) fn nodes(&self) -> Vec<Node<'_>> {
        self.values.iter().map(Value::root).collect()
    }

    /// That they can be put into an array that lies this deep.
    pub(super) fn fit_below(&self, depth: usize) -> Result<(), CmdError> {
        match depth + 1 + self.deepest > MAX_DEPTH {
            true => Err(document::of_edit(EditError::Depth)),
            false => Ok(()),
        }
    }

    /// Bytes they may take.
    pub(super) fn memory(&self) -> usize {
        self.values.iter().map(Value::memory).sum()
    }
}
