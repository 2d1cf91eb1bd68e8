//! What diffs may say by themselves, whatever is there: flags, tags, kinds, sizes.

use std::collections::HashSet;

use haystack::value::Rows;
use haystack::{Cell, Dict, Value, name};

use crate::diff::{Diff, Flags};
use crate::error::{Error, ErrorKind};
use crate::limits;

/// Tags that no diff sets.
const NEVER: [&str; 9] = [
    "id",
    "mod",
    "transient",
    "hisId",
    "hisSize",
    "hisStart",
    "hisStartVal",
    "hisEnd",
    "hisEndVal",
];
/// Tags that only diffs set that bypass this.
const RESTRICTED: [&str; 4] = ["projMeta", "uiMeta", "ext", "fileSize"];
/// Tags that are never transient.
const PERSISTENT: [&str; 8] =
    ["conn", "dis", "disMacro", "equip", "navName", "point", "site", "trash"];
/// Tags that are always transient.
const TRANSIENT: [&str; 16] = [
    "connState",
    "connStatus",
    "connErr",
    "curVal",
    "curStatus",
    "curErr",
    "curSource",
    "writeVal",
    "writeLevel",
    "writeStatus",
    "writeErr",
    "nextTime",
    "nextVal",
    "hisStatus",
    "hisErr",
    "userFailedLogins",
];

/// What a change may give a record as its `mod` at most, in nanoseconds since 1970: the end of the
/// year 2250. Those that a clock gives rise from there.
pub const LATEST_MOD: i64 = 8_867_750_400_000_000_000;
/// Tags that decide what a point's history is called to be: those that tell of it follow.
const OF_HISTORY: [&str; 7] = ["point", "his", "aux", "trash", "kind", "tz", "unit"];

/// Whether no change sets a tag.
#[must_use]
pub fn is_never_set(tag: &str) -> bool {
    NEVER.contains(&tag)
}

/// Whether a tag is never kept.
#[must_use]
pub fn is_always_transient(tag: &str) -> bool {
    TRANSIENT.contains(&tag)
}

/// Whether what is told of a record's history may be another once its tags have changed so.
pub fn changes_history(changes: &Dict) -> bool {
    OF_HISTORY.iter().any(|tag| changes.has(tag))
}

fn shown(text: &str) -> String {
    text.chars().take(limits::LONGEST_NAME).collect()
}

fn diff_error(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Diff, message)
}

fn value_error(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidTagVal, message)
}

/// Whether a record may have this id.
pub fn check_id(id: &str) -> Result<(), Error> {
    let what = match id {
        _ if !name::is_ref(id) => "is no ref",
        _ if id.len() > limits::LONGEST_NAME => "is too long",
        _ if id.starts_with("S.") => "looks like one of Niagara's",
        _ => return Ok(()),
    };
    Err(Error::new(ErrorKind::InvalidRecId, format!("Id '{}' {what}", shown(id))))
}

/// Whether a record may come from another store as it is there.
pub fn check_record(id: &str, tags: &Dict) -> Result<(), Error> {
    check_id(id)?;
    let flags = Flags::ADD | Flags::BYPASS_RESTRICTED;
    tags.iter().try_for_each(|(tag, value)| check_change(tag, value, flags))
}

/// Whether a batch is one: what holds of its diffs, and of each.
pub fn check_batch(diffs: &[Diff]) -> Result<(), Error> {
    let Some(first) = diffs.first() else { return Err(diff_error("No diffs")) };
    if diffs.len() > limits::MOST_DIFFS {
        return Err(diff_error(format!("More than {} diffs", limits::MOST_DIFFS)));
    }
    let (mut ids, transient) = (HashSet::new(), first.flags.has(Flags::TRANSIENT));
    for diff in diffs {
        check_diff(diff)?;
        if diff.flags.has(Flags::TRANSIENT) != transient {
            return Err(diff_error("Transient and persistent diffs in one batch"));
        }
        if !ids.insert(diff.id.as_str()) {
            return Err(diff_error(format!("Two diffs of '{}'", diff.id)));
        }
    }
    Ok(())
}

fn check_diff(diff: &Diff) -> Result<(), Error> {
    let has = |flag| diff.flags.has(flag);
    check_id(&diff.id)?;
    if has(Flags::ADD) && diff.id.contains(':') {
        return Err(Error::new(
            ErrorKind::InvalidRecId,
            format!("Id '{}' of a new record has a colon", diff.id),
        ));
    }
    if has(Flags::TRANSIENT) && (has(Flags::ADD) || has(Flags::REMOVE)) {
        return Err(diff_error("A record is neither made nor removed transiently"));
    }
    if has(Flags::ADD) && has(Flags::REMOVE) {
        return Err(diff_error("A record is either made or removed"));
    }
    if has(Flags::ADD) && diff.old_mod.is_some() {
        return Err(diff_error("A new record has no older 'mod'"));
    }
    if has(Flags::REMOVE) && !diff.changes.is_empty() {
        return Err(diff_error("A diff that removes a record changes no tags"));
    }
    diff.changes.iter().try_for_each(|(tag, value)| check_change(tag, value, diff.flags))
}

fn check_change(tag: &str, value: &Value, flags: Flags) -> Result<(), Error> {
    check_tag(tag)?;
    let is = |tags: &[&str]| tags.contains(&tag);
    let transient = flags.has(Flags::TRANSIENT);
    if is(&NEVER) {
        return Err(diff_error(format!("Cannot set tag: {tag}")));
    }
    if is(&RESTRICTED) && !flags.has(Flags::BYPASS_RESTRICTED) {
        return Err(diff_error(format!("Cannot set restricted tag: {tag}")));
    }
    if is(&PERSISTENT) && transient {
        return Err(diff_error(format!("Cannot set tag transiently: {tag}")));
    }
    if is(&TRANSIENT) && !transient {
        return Err(diff_error(format!("Cannot set tag persistently: {tag}")));
    }
    if *value == Value::REMOVE {
        return Ok(());
    }
    if transient && matches!(value.cell(), Cell::XStr("Bin", _)) {
        return Err(diff_error(format!("A Bin is never transient: {tag}")));
    }
    if value.memory() > limits::LARGEST_VALUE {
        return Err(value_error(format!("Value of '{tag}' is too large")));
    }
    if tag == "name" && !value.as_str().is_some_and(name::is_ref) {
        return Err(value_error("Value of 'name' is no Str that may be a ref"));
    }
    check_value(&value.cell(), limits::DEEPEST)
        .map_err(|error| Error::new(error.kind(), format!("{tag}: {}", error.message())))
}

fn check_tag(tag: &str) -> Result<(), Error> {
    if name::is_tag(tag) && tag.len() <= limits::LONGEST_NAME {
        return Ok(());
    }
    Err(Error::new(ErrorKind::InvalidTagName, shown(tag)))
}

/// Whether a value can be stored.
fn check_value(cell: &Cell<'_>, depth: usize) -> Result<(), Error> {
    let below = depth.checked_sub(1).ok_or_else(|| value_error("Nested too deeply"));
    match cell {
        Cell::Null | Cell::Na | Cell::Remove => {
            Err(value_error(format!("{} cannot be stored", cell.kind().name())))
        }
        Cell::XStr("DateSpan", _) => Err(value_error("DateSpan cannot be stored")),
        Cell::Str(text) if text.chars().count() > limits::LONGEST_STR => {
            Err(value_error(format!("Str of more than {} characters", limits::LONGEST_STR)))
        }
        Cell::Uri(text) if text.chars().count() > limits::LONGEST_URI => {
            Err(value_error(format!("Uri of more than {} characters", limits::LONGEST_URI)))
        }
        Cell::List(list) => {
            let below = below?;
            list.iter().try_for_each(|value| check_value(&value.cell(), below))
        }
        Cell::Dict(dict) => check_dict(dict, below?),
        Cell::Grid(grid) => {
            let below = below?;
            check_dict(grid.meta(), below)?;
            grid.cols().iter().try_for_each(|col| check_dict(&col.meta, below))?;
            let cells =
                (0..grid.len()).flat_map(|row| (0..grid.cols().len()).map(move |col| (row, col)));
            let mut cells =
                cells.map(|(row, col)| grid.cell(row, col)).filter(|cell| !cell.is_null());
            cells.try_for_each(|cell| check_value(&cell, below))
        }
        _ => Ok(()),
    }
}

fn check_dict(dict: &Dict, depth: usize) -> Result<(), Error> {
    dict.iter().try_for_each(|(tag, value)| {
        check_tag(tag)?;
        check_value(&value.cell(), depth)
    })
}

/// A value as it is stored: refs without the names that came with them, which are another record's.
pub fn stored(value: &Value) -> Value {
    match value.cell() {
        Cell::Ref(id, Some(_)) => haystack::Ref { id: haystack::Name::new(id), dis: None }.into(),
        Cell::List(list) if list.iter().any(|value| value.as_id().is_some()) => {
            Value::list(list.iter().map(stored).collect())
        }
        _ => value.clone(),
    }
}
