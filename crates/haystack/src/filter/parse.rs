//! Filters from their text.

use super::{Filter, LONGEST_PATH, Op, Path, SpecName};
use crate::name::is_tag_byte;
use crate::scalar;
use crate::scan::Cursor;
use crate::{Error, Limits, Name, Tag, Value};

pub(super) fn parse(text: &str) -> Result<Filter, Error> {
    let mut text = Cursor::new(text);
    let filter = any(&mut text, Limits::DEFAULT.depth)?;
    skip(&mut text)?;
    if text.is_end() { Ok(filter) } else { Err(text.expected("'and', 'or' or the end")) }
}

/// Skips blanks and comments, but no end of a line: nothing goes on behind it.
fn skip(text: &mut Cursor<'_>) -> Result<(), Error> {
    loop {
        text.take_chars(|c| matches!(c, ' ' | '\t' | '\u{a0}'));
        if text.peek() != Some(b'/') {
            return Ok(());
        }
        match text.peek_at(1) {
            Some(b'/') => drop(text.take_while(|byte| !matches!(byte, b'\n' | b'\r'))),
            Some(b'*') => skip_comment(text)?,
            _ => return Ok(()),
        }
    }
}

/// Skips a comment, in which others may be.
fn skip_comment(text: &mut Cursor<'_>) -> Result<(), Error> {
    let (start, mut open) = (text.place(), 0_usize);
    loop {
        if text.take_text("/*") {
            open += 1;
        } else if text.take_text("*/") {
            open -= 1;
        } else if text.is_end() {
            return Err(text.error_at(start, "Comment without an end"));
        } else {
            text.skip(1);
        }
        if open == 0 {
            return Ok(());
        }
    }
}

/// The word that is next.
fn word<'a>(text: &Cursor<'a>) -> &'a str {
    let mut ahead = *text;
    if !ahead.peek().is_some_and(|byte| byte.is_ascii_alphabetic()) {
        return "";
    }
    ahead.take_while(is_tag_byte)
}

/// Takes a word if it is next.
fn take_word(text: &mut Cursor<'_>, wanted: &str) -> Result<bool, Error> {
    skip(text)?;
    let found = word(text) == wanted;
    if found {
        text.skip(wanted.len());
    }
    Ok(found)
}

/// One part, or several with a word between them.
fn parts(
    text: &mut Cursor<'_>,
    between: &str,
    depth: usize,
    part: fn(&mut Cursor<'_>, usize) -> Result<Filter, Error>,
    whole: fn(Vec<Filter>) -> Filter,
) -> Result<Filter, Error> {
    let first = part(text, depth)?;
    if !take_word(text, between)? {
        return Ok(first);
    }
    let mut all = vec![first, part(text, depth)?];
    while take_word(text, between)? {
        all.push(part(text, depth)?);
    }
    Ok(whole(all))
}

fn any(text: &mut Cursor<'_>, depth: usize) -> Result<Filter, Error> {
    parts(text, "or", depth, all, Filter::Or)
}

fn all(text: &mut Cursor<'_>, depth: usize) -> Result<Filter, Error> {
    parts(text, "and", depth, term, Filter::And)
}

fn term(text: &mut Cursor<'_>, depth: usize) -> Result<Filter, Error> {
    skip(text)?;
    match text.peek() {
        Some(b'(') => {
            let depth = depth.checked_sub(1).ok_or_else(|| text.error("Nested too deep"))?;
            text.skip(1);
            let filter = any(text, depth)?;
            skip(text)?;
            text.expect(b')')?;
            Ok(filter)
        }
        Some(b'^') => Ok(Filter::Symbol(Name::new(scalar::name(text, "a symbol")?))),
        Some(b'A'..=b'Z') => spec(text, None),
        Some(b'a'..=b'z') => of_tags(text),
        _ => Err(text.expected("a tag")),
    }
}

/// A term that begins with a small letter: a path, or a spec of a library.
fn of_tags(text: &mut Cursor<'_>) -> Result<Filter, Error> {
    if word(text) == "not" {
        let mut ahead = *text;
        ahead.skip("not".len());
        skip(&mut ahead)?;
        // Otherwise `not` is a tag.
        if ahead.peek().is_some_and(|byte| byte.is_ascii_lowercase()) {
            *text = ahead;
            return Ok(Filter::Missing(path(text)?));
        }
    }
    let start = *text;
    let first = word(text);
    let mut ahead = *text;
    ahead.skip(first.len());
    if ahead.peek() == Some(b'.') || ahead.take_text("::") {
        return library(text);
    }
    let path = path(text)?;
    skip(text)?;
    let Some(op) = operator(text) else {
        return Ok(Filter::Has(path));
    };
    skip(text)?;
    let value = literal(text)?;
    debug_assert!(text.place() > start.place());
    Ok(Filter::Compare(path, op, value))
}

fn path(text: &mut Cursor<'_>) -> Result<Path, Error> {
    let mut tags = vec![tag(text)?];
    loop {
        let mut ahead = *text;
        skip(&mut ahead)?;
        if !ahead.take_text("->") {
            break;
        }
        *text = ahead;
        skip(text)?;
        tags.push(tag(text)?);
        if tags.len() > LONGEST_PATH {
            return Err(text.error(format!("Path of more than {LONGEST_PATH} tags")));
        }
    }
    Path::new(tags)
}

fn tag(text: &mut Cursor<'_>) -> Result<Tag, Error> {
    if !text.peek().is_some_and(|byte| byte.is_ascii_lowercase()) {
        return Err(text.expected("a tag"));
    }
    Ok(Tag::known(text.take_while(is_tag_byte)))
}

fn operator(text: &mut Cursor<'_>) -> Option<Op> {
    // The longer ones first.
    let all = [Op::Eq, Op::Ne, Op::Le, Op::Ge, Op::Lt, Op::Gt];
    all.into_iter().find(|op| text.take_text(op.text()))
}

fn literal(text: &mut Cursor<'_>) -> Result<Value, Error> {
    match text.peek() {
        Some(b'"') if text.rest().starts_with("\"\"\"") => {
            Ok(Value::str(scalar::triple_quoted(text)?))
        }
        Some(b'"') => Ok(Value::str(scalar::quoted(text)?.as_ref())),
        Some(b'`') => Ok(Value::uri(scalar::uri(text)?.as_ref())),
        Some(b'@') => Value::id(scalar::name(text, "an id")?),
        Some(b'^') => Value::symbol(scalar::name(text, "a symbol")?),
        Some(b'0'..=b'9') => scalar::number_like(text),
        Some(b'-') if text.peek_at(1).is_some_and(|byte| byte.is_ascii_digit()) => {
            scalar::number_like(text)
        }
        _ => match word(text) {
            "true" => {
                text.skip("true".len());
                Ok(true.into())
            }
            "false" => {
                text.skip("false".len());
                Ok(false.into())
            }
            _ => Err(text.expected("a value")),
        },
    }
}

/// A spec behind the name of its library, whose parts have dots between them.
fn library(text: &mut Cursor<'_>) -> Result<Filter, Error> {
    let start = text.place();
    tag(text)?;
    while text.take(b'.') {
        tag(text)?;
    }
    let lib = text.since(start);
    if !text.take_text("::") {
        return Err(text.expected("'::'"));
    }
    spec(text, Some(Name::new(lib)))
}

fn spec(text: &mut Cursor<'_>, lib: Option<Name>) -> Result<Filter, Error> {
    if !text.peek().is_some_and(|byte| byte.is_ascii_uppercase()) {
        return Err(text.expected("the name of a spec"));
    }
    let name = Name::new(text.take_while(is_tag_byte));
    Ok(Filter::Spec(SpecName { lib, name }))
}
