//! A line that makes a constraint: a command, as the language has no statement for it.

use crate::cypher::split_words;
use crate::export::CONSTRAINT_COMMAND;
use crate::query::{Class, ConstraintStatement, Error};
use crate::storage::{ConstraintKind, MOST_KEYS};

/// The constraint of a text that begins as one does. The key in it does not count.
///
/// # Errors
/// It is malformed.
pub(super) fn constraint(text: &str) -> Result<Option<ConstraintStatement>, Error> {
    let begins = text.get(..CONSTRAINT_COMMAND.len());
    if !begins.is_some_and(|begin| begin.eq_ignore_ascii_case(CONSTRAINT_COMMAND)) {
        return Ok(None);
    }
    let rest = text.get(CONSTRAINT_COMMAND.len()..).unwrap_or_default();
    // A name, or a number.
    let words = split_words(rest, 8 + MOST_KEYS).ok_or_else(malformed)?;
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    read(&words).map(Some).ok_or_else(malformed)
}

fn malformed() -> Error {
    let message = format!(
        "a line about a constraint is {CONSTRAINT_COMMAND} graph UNIQUE|MANDATORY \
         NODE|RELATIONSHIP label PROPERTIES count name ..."
    );
    Error::new(Class::SyntaxError, "Constraint", message)
}

fn read(words: &[&str]) -> Option<ConstraintStatement> {
    let [_, kind, entity, label, properties, count, names @ ..] = words else { return None };
    let is = |word: &str, other: &str| word.eq_ignore_ascii_case(other);
    let kind = match *kind {
        kind if is(kind, "UNIQUE") => ConstraintKind::Unique,
        kind if is(kind, "MANDATORY") => ConstraintKind::Mandatory,
        _ => return None,
    };
    let of_relationships = is(entity, "RELATIONSHIP");
    let fits = is(properties, "PROPERTIES")
        && (of_relationships || is(entity, "NODE"))
        && count.parse() == Ok(names.len())
        && (1..=MOST_KEYS).contains(&names.len())
        && names.iter().enumerate().all(|(at, name)| !names[..at].contains(name));
    let properties = names.iter().map(|&name| name.into()).collect();
    let label = (*label).into();
    let made = ConstraintStatement { drop: false, kind, of_relationships, label, properties };
    fits.then_some(made)
}
