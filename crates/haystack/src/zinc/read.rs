//! Values of Zinc.

use super::reader::Reader;
use crate::limits::NESTED;
use crate::name::is_tag_byte;
use crate::scalar;
use crate::scan::Cursor;
use crate::{Coord, Dict, Error, Tag, Value};

/// A value; `depth` is how deep what it holds may nest.
pub(crate) fn value(text: &mut Cursor<'_>, depth: usize) -> Result<Value, Error> {
    text.charge(2)?;
    match text.peek() {
        Some(b'"') => Ok(Value::str(scalar::quoted(text)?.as_ref())),
        Some(b'`') => Ok(Value::uri(scalar::uri(text)?.as_ref())),
        Some(b'@') => scalar::named_ref(text),
        Some(b'^') => Value::symbol(scalar::name(text, "a symbol")?),
        Some(b'0'..=b'9') => scalar::number_like(text),
        Some(b'-') if text.take_text("-INF") => Ok(f64::NEG_INFINITY.into()),
        Some(b'-') if text.peek_at(1).is_some_and(|byte| byte.is_ascii_digit()) => {
            scalar::number_like(text)
        }
        Some(b'A'..=b'Z') => word(text),
        Some(b'[') => {
            let depth = deeper(text, depth)?;
            list(text, depth)
        }
        Some(b'{') => {
            let depth = deeper(text, depth)?;
            dict(text, depth)
        }
        Some(b'<') if text.peek_at(1) == Some(b'<') => {
            let depth = deeper(text, depth)?;
            grid(text, depth)
        }
        _ => Err(text.expected("a value")),
    }
}

pub(super) fn deeper(text: &mut Cursor<'_>, depth: usize) -> Result<usize, Error> {
    text.charge(NESTED)?;
    depth.checked_sub(1).ok_or_else(|| text.error("Nested too deep"))
}

/// What begins with a capital letter: a literal, a place, an extended string.
fn word(text: &mut Cursor<'_>) -> Result<Value, Error> {
    let place = text.place();
    let word = text.take_while(is_tag_byte);
    if text.peek() == Some(b'(') {
        // An extended string may be called as places are.
        let is_place = word == "C" && text.peek_at(1) != Some(b'"');
        return if is_place { coord(text) } else { xstr(text, word) };
    }
    Ok(match word {
        "N" => Value::NULL,
        "M" => Value::MARKER,
        "R" => Value::REMOVE,
        "NA" => Value::NA,
        "T" => true.into(),
        "F" => false.into(),
        "NaN" => f64::NAN.into(),
        "INF" => f64::INFINITY.into(),
        _ => return Err(text.error_at(place, format!("Unexpected word '{}'", first(word)))),
    })
}

fn first(word: &str) -> &str {
    word.get(..60).unwrap_or(word)
}

fn degrees(text: &mut Cursor<'_>) -> Result<f64, Error> {
    text.skip_blanks();
    let found = text.take_while(|byte| {
        byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E')
    });
    text.skip_blanks();
    found.parse().map_err(|_| text.expected("degrees"))
}

fn coord(text: &mut Cursor<'_>) -> Result<Value, Error> {
    let place = text.place();
    text.skip(1);
    let lat = degrees(text)?;
    text.expect(b',')?;
    let lng = degrees(text)?;
    text.expect(b')')?;
    let coord = Coord::new(lat, lng).map_err(|error| text.error_at(place, error.message()))?;
    Ok(coord.into())
}

/// `Type("text")`; in version 2 also `Bin(text/plain)`.
fn xstr(text: &mut Cursor<'_>, kind: &str) -> Result<Value, Error> {
    text.skip(1);
    if kind == "Bin" && text.peek() != Some(b'"') {
        let mime = text.take_chars(|c| !matches!(c, ')' | '\n' | '\r'));
        text.expect(b')')?;
        return Value::xstr(kind, mime);
    }
    if text.peek() != Some(b'"') {
        return Err(text.expected("a string"));
    }
    let value = scalar::quoted(text)?;
    text.expect(b')')?;
    Value::xstr(kind, &value)
}

fn list(text: &mut Cursor<'_>, depth: usize) -> Result<Value, Error> {
    text.skip(1);
    let mut values = Vec::new();
    loop {
        text.skip_space();
        if text.take(b']') {
            return Ok(values.into());
        }
        values.push(value(text, depth)?);
        text.skip_space();
        if !text.take(b',') && text.peek() != Some(b']') {
            return Err(text.expected("',' or ']'"));
        }
    }
}

fn dict(text: &mut Cursor<'_>, depth: usize) -> Result<Value, Error> {
    text.skip(1);
    let mut dict = Dict::new();
    loop {
        text.skip_space();
        if text.take(b'}') {
            return Ok(dict.into());
        }
        entry(text, &mut dict, depth)?;
        text.skip_space();
        text.take(b',');
    }
}

/// The name of a tag.
pub(super) fn tag(text: &mut Cursor<'_>) -> Result<Tag, Error> {
    if !text.peek().is_some_and(|byte| byte.is_ascii_lowercase()) {
        return Err(text.expected("a name"));
    }
    Ok(Tag::known(text.take_while(is_tag_byte)))
}

/// `name` or `name:value`.
fn entry(text: &mut Cursor<'_>, dict: &mut Dict, depth: usize) -> Result<(), Error> {
    let name = tag(text)?;
    text.charge(1)?;
    if text.take(b':') {
        text.skip_blanks();
        dict.set(name, value(text, depth)?);
    } else {
        dict.set(name, Value::MARKER);
    }
    Ok(())
}

/// What is said of a grid or a column: entries with spaces before them.
pub(super) fn meta(text: &mut Cursor<'_>, depth: usize) -> Result<Dict, Error> {
    let mut dict = Dict::new();
    loop {
        text.skip_blanks();
        if !text.peek().is_some_and(|byte| byte.is_ascii_lowercase()) {
            return Ok(dict);
        }
        entry(text, &mut dict, depth)?;
    }
}

fn grid(text: &mut Cursor<'_>, depth: usize) -> Result<Value, Error> {
    text.skip(2);
    text.skip_space();
    let mut reader = Reader::nested(*text, depth)?;
    let grid = reader.read_rest()?;
    *text = reader.cursor();
    if !text.take_text(">>") {
        return Err(text.expected("'>>'"));
    }
    Ok(grid.into())
}
