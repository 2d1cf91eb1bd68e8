//! Literals that Zinc, Trio and filters share: numbers, dates, times, texts, URIs, refs, symbols.

use std::borrow::Cow;

use crate::name::is_ref_byte;
use crate::scan::Cursor;
use crate::unit::is_unit_char;
use crate::{Date, DateTime, Error, Name, Ref, Time, Unit, Value};

fn is_digit(byte: Option<u8>) -> bool {
    byte.is_some_and(|byte| byte.is_ascii_digit())
}

/// A number, date, time or instant; the next byte is a digit, or a minus before one.
pub(crate) fn number_like(text: &mut Cursor<'_>) -> Result<Value, Error> {
    let digits = (0..5).take_while(|&ahead| is_digit(text.peek_at(ahead))).count();
    let then = text.peek_at(digits);
    if digits == 4 && then == Some(b'-') && is_digit(text.peek_at(5)) {
        return date_like(text);
    }
    if (1..=2).contains(&digits) && then == Some(b':') {
        let start = text.place();
        let time = text.take_while(|byte| byte.is_ascii_digit() || byte == b':' || byte == b'.');
        return time.parse::<Time>().map(Value::from).map_err(|error| at(text, start, &error));
    }
    if text.peek() == Some(b'0') && text.peek_at(1) == Some(b'x') {
        return hex(text);
    }
    number(text)
}

/// The same error, at a place of the text.
fn at(text: &Cursor<'_>, place: usize, error: &Error) -> Error {
    text.error_at(place, error.message())
}

fn date_like(text: &mut Cursor<'_>) -> Result<Value, Error> {
    let start = text.place();
    text.take_while(|byte| byte.is_ascii_digit() || byte == b'-');
    if text.peek() != Some(b'T') {
        let date = text.since(start).parse::<Date>();
        return date.map(Value::from).map_err(|error| at(text, start, &error));
    }
    text.skip(1);
    text.take_while(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b'.'));
    if !text.take(b'Z') && matches!(text.peek(), Some(b'+' | b'-')) {
        text.skip(1);
        text.take_while(|byte| byte.is_ascii_digit() || byte == b':');
    }
    let iso = text.since(start);
    let instant = DateTime::parse(iso, zone(text));
    instant.map(Value::from).map_err(|error| at(text, start, &error))
}

/// The name of a zone: behind one space, with a capital letter.
fn zone<'a>(text: &mut Cursor<'a>) -> Option<&'a str> {
    let is_there =
        text.peek() == Some(b' ') && text.peek_at(1).is_some_and(|byte| byte.is_ascii_uppercase());
    is_there.then(|| {
        text.skip(1);
        text.take_while(|byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+' | b'/')
        })
    })
}

fn hex(text: &mut Cursor<'_>) -> Result<Value, Error> {
    let start = text.place();
    text.skip(2);
    let digits = text.take_while(|byte| byte.is_ascii_hexdigit() || byte == b'_');
    let digits: String = digits.chars().filter(|c| *c != '_').collect();
    let value = u64::from_str_radix(&digits, 16).ok();
    // As all numbers, the nearest that a float can be.
    let value = value.map(|value| Value::from(value as f64));
    value.ok_or_else(|| text.error_at(start, "Invalid hexadecimal number"))
}

/// Digits, with underscores between them.
fn skip_digits(text: &mut Cursor<'_>, underscores: &mut bool) {
    loop {
        text.take_while(|byte| byte.is_ascii_digit());
        if text.peek() != Some(b'_') || !is_digit(text.peek_at(1)) {
            return;
        }
        *underscores = true;
        text.skip(1);
    }
}

fn number(text: &mut Cursor<'_>) -> Result<Value, Error> {
    let (start, mut underscores) = (text.place(), false);
    text.take(b'-');
    skip_digits(text, &mut underscores);
    if text.peek() == Some(b'.') && is_digit(text.peek_at(1)) {
        text.skip(1);
        skip_digits(text, &mut underscores);
    }
    if matches!(text.peek(), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(text.peek_at(1), Some(b'+' | b'-')));
        if is_digit(text.peek_at(1 + sign)) {
            text.skip(1 + sign);
            skip_digits(text, &mut underscores);
        }
    }
    let mut digits = Cow::Borrowed(text.since(start));
    if underscores {
        digits = digits.replace('_', "").into();
    }
    let value = digits.parse::<f64>().ok().filter(|value| value.is_finite());
    let value = value.ok_or_else(|| text.error_at(start, "Invalid number"))?;
    let place = text.place();
    let unit = text.take_chars(is_unit_char);
    if unit.is_empty() {
        return Ok(value.into());
    }
    let unit = Unit::named(unit).map_err(|error| at(text, place, &error))?;
    Ok(Value::number(value, Some(&unit)))
}

/// A text between quotation marks; the next byte is the first of them.
pub(crate) fn quoted<'a>(text: &mut Cursor<'a>) -> Result<Cow<'a, str>, Error> {
    text.skip(1);
    let start = text.place();
    let plain = |byte: u8| !matches!(byte, b'"' | b'\\' | b'\n' | b'\r');
    text.take_while(plain);
    if text.peek() == Some(b'"') {
        let whole = text.since(start);
        text.skip(1);
        return Ok(whole.into());
    }
    let mut value = text.since(start).to_owned();
    loop {
        let piece = text.place();
        text.take_while(plain);
        value.push_str(text.since(piece));
        match text.peek() {
            Some(b'"') => {
                text.skip(1);
                return Ok(value.into());
            }
            Some(b'\\') => value.push(escape(text)?),
            Some(_) => return Err(text.error("Unexpected end of the line in a string")),
            None => return Err(text.error("String without an end")),
        }
    }
}

/// A character behind a backslash, which is the next byte.
fn escape(text: &mut Cursor<'_>) -> Result<char, Error> {
    let place = text.place();
    text.skip(1);
    let c = match text.peek() {
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(byte @ (b'"' | b'$' | b'\'' | b'`' | b'\\')) => char::from(byte),
        Some(b'u') => return unicode(text),
        _ => return Err(text.error_at(place, "Invalid escape sequence")),
    };
    text.skip(1);
    Ok(c)
}

/// `uXXXX`, or a pair of them for a character beyond U+FFFF, or `u{X…}` of up to six digits.
fn unicode(text: &mut Cursor<'_>) -> Result<char, Error> {
    let place = text.place();
    let invalid = || text.error_at(place, "Invalid Unicode escape sequence");
    let mut rest = *text;
    rest.skip(1);
    let code = if rest.take(b'{') {
        let digits = rest.take_while(|byte| byte.is_ascii_hexdigit());
        let code = u32::from_str_radix(digits, 16).ok().filter(|_| digits.len() <= 6);
        code.filter(|_| rest.take(b'}')).ok_or_else(invalid)?
    } else {
        let high = four_digits(&mut rest).ok_or_else(invalid)?;
        let is_high = (0xD800..0xDC00).contains(&high);
        if is_high && rest.take_text("\\u") {
            let low = four_digits(&mut rest).filter(|low| (0xDC00..0xE000).contains(low));
            0x10000 + ((high - 0xD800) << 10) + (low.ok_or_else(invalid)? - 0xDC00)
        } else {
            high
        }
    };
    let c = char::from_u32(code).ok_or_else(invalid)?;
    *text = rest;
    Ok(c)
}

fn four_digits(text: &mut Cursor<'_>) -> Option<u32> {
    let digits = text.rest().as_bytes().get(..4)?;
    let is_hex = digits.iter().all(u8::is_ascii_hexdigit);
    let digits = std::str::from_utf8(digits).ok().filter(|_| is_hex)?;
    text.skip(4);
    u32::from_str_radix(digits, 16).ok()
}

/// A text between three quotation marks on either side, of any number of lines.
pub(crate) fn triple_quoted(text: &mut Cursor<'_>) -> Result<String, Error> {
    text.skip(3);
    let mut value = String::new();
    loop {
        let piece = text.place();
        text.take_while(|byte| !matches!(byte, b'"' | b'\\'));
        value.push_str(text.since(piece));
        match text.peek() {
            Some(b'\\') => value.push(escape(text)?),
            Some(_) if text.take_text("\"\"\"") => return Ok(value),
            Some(_) => {
                text.skip(1);
                value.push('"');
            }
            None => return Err(text.error("String without an end")),
        }
    }
}

/// Whether a character keeps its backslash in a URI, where it would separate parts without one.
pub(crate) fn keeps_backslash(byte: u8) -> bool {
    matches!(byte, b':' | b'/' | b'?' | b'#' | b'[' | b']' | b'@' | b'\\' | b'&' | b'=' | b';')
}

/// A URI between backticks; the next byte is the first of them.
pub(crate) fn uri<'a>(text: &mut Cursor<'a>) -> Result<Cow<'a, str>, Error> {
    text.skip(1);
    let mut value = Cow::Borrowed("");
    loop {
        let piece = text.place();
        text.take_while(|byte| !matches!(byte, b'`' | b'\\' | b'\n' | b'\r'));
        let found = text.since(piece);
        if value.is_empty() {
            value = found.into()
        } else {
            value.to_mut().push_str(found)
        }
        match text.peek() {
            Some(b'`') => {
                text.skip(1);
                return Ok(value);
            }
            Some(b'\\') => match text.peek_at(1) {
                Some(byte) if keeps_backslash(byte) => {
                    value.to_mut().extend(['\\', char::from(byte)]);
                    text.skip(2);
                }
                _ => value.to_mut().push(escape(text)?),
            },
            Some(_) => return Err(text.error("Unexpected end of the line in a URI")),
            None => return Err(text.error("URI without an end")),
        }
    }
}

/// An id behind `@`, or a symbol behind `^`, which is the next byte.
pub(crate) fn name<'a>(text: &mut Cursor<'a>, what: &str) -> Result<&'a str, Error> {
    text.skip(1);
    let found = text.take_while(is_ref_byte);
    if found.is_empty() { Err(text.expected(what)) } else { Ok(found) }
}

/// A ref, with its display name if it has one behind a space.
pub(crate) fn named_ref(text: &mut Cursor<'_>) -> Result<Value, Error> {
    let id = Name::new(name(text, "an id")?);
    let has_dis = text.peek() == Some(b' ') && text.peek_at(1) == Some(b'"');
    let dis = if has_dis {
        text.skip(1);
        Some(quoted(text)?.as_ref().into())
    } else {
        None
    };
    Ok(Ref { id, dis }.into())
}
