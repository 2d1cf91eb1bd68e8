//! Functions and operators of texts. Places and lengths count letters (Unicode scalar values).

use super::argument::{length, list, optional, string};
use super::{Context, Function, STRINGS, pattern};
use crate::value::logic::Truth;
use crate::value::{Error, Type, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("left", 2, 2, Type::STRING, |_, a| left(&a[0], &a[1])),
    Function::new("right", 2, 2, Type::STRING, |_, a| right(&a[0], &a[1])),
    Function::new("lTrim", 1, 1, Type::STRING, |_, a| Ok(string(&a[0])?.trim_start().into())),
    Function::new("rTrim", 1, 1, Type::STRING, |_, a| Ok(string(&a[0])?.trim_end().into())),
    Function::new("trim", 1, 1, Type::STRING, |_, a| Ok(string(&a[0])?.trim().into())),
    Function::new("replace", 3, 3, Type::STRING, replace),
    Function::new("split", 2, 2, STRINGS, split),
    Function::new("substring", 2, 3, Type::STRING, |_, a| substring(a)),
    Function::new("toLower", 1, 1, Type::STRING, |_, a| Ok(string(&a[0])?.to_lowercase().into())),
    Function::new("toUpper", 1, 1, Type::STRING, |_, a| Ok(string(&a[0])?.to_uppercase().into())),
    Function::new("lower", 1, 1, Type::STRING, |_, a| Ok(string(&a[0])?.to_lowercase().into())),
    Function::new("upper", 1, 1, Type::STRING, |_, a| Ok(string(&a[0])?.to_uppercase().into())),
    Function::new("intern", 1, 1, Type::STRING, |_, a| string(&a[0]).map(|_| a[0].clone())),
    Function::new("string.join", 1, 2, Type::STRING, join),
    Function::new("string.matchRegEx", 2, 2, Type::LIST, |context, a| {
        if a.iter().any(Value::is_null) {
            return Ok(Value::list([]));
        }
        pattern::matches(context, string(&a[0])?, string(&a[1])?)
    })
    .sees_null(),
    Function::new("string.replaceRegEx", 2, 3, Type::STRING, |context, a| {
        let with = optional(a, 2).map_or(Ok(""), string)?;
        pattern::replace(context, string(&a[0])?, string(&a[1])?, with)
    }),
];

fn left(text: &Value, letters: &Value) -> Result<Value, Error> {
    Ok(string(text)?.chars().take(length(letters)?).collect::<String>().into())
}

fn right(text: &Value, letters: &Value) -> Result<Value, Error> {
    let text = string(text)?;
    let skipped = text.chars().count().saturating_sub(length(letters)?);
    Ok(text.chars().skip(skipped).collect::<String>().into())
}

fn replace(context: &Context<'_>, a: &[Value]) -> Result<Value, Error> {
    let (text, search, with) = (string(&a[0])?, string(&a[1])?, string(&a[2])?);
    if with.len() > search.len() {
        let longer = (with.len() - search.len()).saturating_mul(text.matches(search).count());
        context.check_room(text.len().saturating_add(longer))?;
    }
    // Between all letters there is an empty text; it is not replaced.
    Ok(if search.is_empty() { a[0].clone() } else { text.replace(search, with).into() })
}

fn split(context: &Context<'_>, a: &[Value]) -> Result<Value, Error> {
    let (text, by) = (string(&a[0])?, string(&a[1])?);
    let parts = if by.is_empty() { text.len() } else { text.matches(by).count() + 1 };
    // Each is a value, and a text with its counts.
    let each = 2 * size_of::<Value>();
    context.check_room(parts.saturating_mul(each).saturating_add(text.len()))?;
    if by.is_empty() && !text.is_empty() {
        return Ok(Value::list(text.chars().map(|letter| Value::from(letter.to_string()))));
    }
    if text.is_empty() {
        return Ok(Value::list([Value::from("")]));
    }
    Ok(Value::list(text.split(by).map(Value::from)))
}

fn substring(a: &[Value]) -> Result<Value, Error> {
    let letters = string(&a[0])?.chars().skip(length(&a[1])?);
    let count = optional(a, 2).map_or(Ok(usize::MAX), length)?;
    Ok(letters.take(count).collect::<String>().into())
}

fn join(context: &Context<'_>, a: &[Value]) -> Result<Value, Error> {
    let between = optional(a, 1).map_or(Ok(""), string)?;
    let parts: Result<Vec<&str>, Error> = list(&a[0])?.iter().map(string).collect();
    let parts = parts?;
    let bytes = parts.iter().map(|part| part.len().saturating_add(between.len()));
    context.check_room(bytes.fold(0, usize::saturating_add))?;
    Ok(parts.join(between).into())
}

/// What holds of two texts; unknown if one is no text, as `STARTS WITH` and its like have it.
fn holds(a: &Value, b: &Value, of: fn(&str, &str) -> bool) -> Truth {
    match (a, b) {
        (Value::String(a), Value::String(b)) => Some(of(a, b)),
        _ => None,
    }
}

/// `a STARTS WITH b`
pub fn starts_with(a: &Value, b: &Value) -> Truth {
    holds(a, b, |a, b| a.starts_with(b))
}

/// `a ENDS WITH b`
pub fn ends_with(a: &Value, b: &Value) -> Truth {
    holds(a, b, |a, b| a.ends_with(b))
}

/// `a CONTAINS b`
pub fn contains(a: &Value, b: &Value) -> Truth {
    holds(a, b, |a, b| a.contains(b))
}
