//! A JSON text as a tree whose strings are borrowed where they have no escapes.

use std::borrow::Cow;

use crate::Error;
use crate::limits::NESTED;
use crate::scan::Cursor;

/// A value of JSON.
#[derive(Debug)]
pub(crate) enum Json<'a> {
    Null,
    Bool(bool),
    Number(f64),
    Text(Cow<'a, str>),
    List(Vec<Json<'a>>),
    Object(Vec<(Cow<'a, str>, Json<'a>)>),
}

impl<'a> Json<'a> {
    /// A member of an object.
    pub fn get(&self, name: &str) -> Option<&Json<'a>> {
        let Json::Object(members) = self else { return None };
        members.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// A member of an object that is a text.
    pub fn text(&self, name: &str) -> Option<&str> {
        if let Some(Json::Text(text)) = self.get(name) { Some(text) } else { None }
    }

    /// A member of an object that is a number.
    pub fn number(&self, name: &str) -> Option<f64> {
        if let Some(Json::Number(number)) = self.get(name) { Some(*number) } else { None }
    }
}

/// Reads a value; `depth` is how deep it may nest.
pub(crate) fn parse<'a>(text: &mut Cursor<'a>, depth: usize) -> Result<Json<'a>, Error> {
    text.skip_space();
    text.charge(3)?;
    match text.peek() {
        Some(b'"') => Ok(Json::Text(string(text)?)),
        Some(b'{') => {
            let depth = deeper(text, depth)?;
            object(text, depth)
        }
        Some(b'[') => {
            let depth = deeper(text, depth)?;
            list(text, depth)
        }
        Some(b'-' | b'0'..=b'9') => number(text),
        _ if text.take_text("null") => Ok(Json::Null),
        _ if text.take_text("true") => Ok(Json::Bool(true)),
        _ if text.take_text("false") => Ok(Json::Bool(false)),
        _ => Err(text.expected("a value")),
    }
}

fn deeper(text: &mut Cursor<'_>, depth: usize) -> Result<usize, Error> {
    text.charge(NESTED)?;
    depth.checked_sub(1).ok_or_else(|| text.error("Nested too deep"))
}

fn list<'a>(text: &mut Cursor<'a>, depth: usize) -> Result<Json<'a>, Error> {
    let mut values = Vec::new();
    each(text, b']', |text| {
        values.push(parse(text, depth)?);
        Ok(())
    })?;
    Ok(Json::List(values))
}

fn object<'a>(text: &mut Cursor<'a>, depth: usize) -> Result<Json<'a>, Error> {
    let mut members = Vec::new();
    each(text, b'}', |text| {
        let name = member(text)?;
        members.push((name, parse(text, depth)?));
        Ok(())
    })?;
    Ok(Json::Object(members))
}

/// The name of a member and the colon behind it.
pub(super) fn member<'a>(text: &mut Cursor<'a>) -> Result<Cow<'a, str>, Error> {
    if text.peek() != Some(b'"') {
        return Err(text.expected("a string"));
    }
    let name = string(text)?;
    text.charge(2)?;
    text.skip_space();
    text.expect(b':')?;
    Ok(name)
}

/// Calls this at each element of a list or object, at whose opening bracket the text is.
fn each<'a>(
    text: &mut Cursor<'a>,
    end: u8,
    mut element: impl FnMut(&mut Cursor<'a>) -> Result<(), Error>,
) -> Result<(), Error> {
    text.skip(1);
    text.skip_space();
    if text.take(end) {
        return Ok(());
    }
    loop {
        text.skip_space();
        element(text)?;
        text.skip_space();
        if text.take(end) {
            return Ok(());
        }
        text.expect(b',')?;
    }
}

fn number<'a>(text: &mut Cursor<'a>) -> Result<Json<'a>, Error> {
    let start = text.place();
    let digits = |text: &mut Cursor<'a>| !text.take_while(|byte| byte.is_ascii_digit()).is_empty();
    text.take(b'-');
    let zero = text.peek() == Some(b'0');
    let whole = text.place();
    let mut good = digits(text) && !(zero && text.place() > whole + 1);
    if good && text.take(b'.') {
        good = digits(text);
    }
    if good && (text.take(b'e') || text.take(b'E')) {
        let _ = text.take(b'-') || text.take(b'+');
        good = digits(text);
    }
    let value = text.since(start).parse::<f64>().ok().filter(|value| good && value.is_finite());
    value.map(Json::Number).ok_or_else(|| text.error_at(start, "Invalid number"))
}

fn string<'a>(text: &mut Cursor<'a>) -> Result<Cow<'a, str>, Error> {
    text.skip(1);
    let start = text.place();
    let plain = |byte: u8| byte >= b' ' && byte != b'"' && byte != b'\\';
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
            Some(_) => return Err(text.error("Control character in a string")),
            None => return Err(text.error("String without an end")),
        }
    }
}

fn escape(text: &mut Cursor<'_>) -> Result<char, Error> {
    let c = match text.peek_at(1) {
        Some(byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => return unicode(text),
        _ => return Err(text.error("Invalid escape sequence")),
    };
    text.skip(2);
    Ok(c)
}

/// Half of a pair alone stands for no character: it is replaced, as a text cannot have it.
fn unicode(text: &mut Cursor<'_>) -> Result<char, Error> {
    let high = code(text).ok_or_else(|| text.error("Invalid escape sequence"))?;
    text.skip(6);
    if (0xD800..0xDC00).contains(&high)
        && let Some(low) = code(text).filter(|low| (0xDC00..0xE000).contains(low))
    {
        text.skip(6);
        let pair = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
        return Ok(char::from_u32(pair).unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    Ok(char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER))
}

/// The number in `\uXXXX`, which is next.
fn code(text: &Cursor<'_>) -> Option<u32> {
    let bytes = text.rest().as_bytes();
    let digits = bytes.get(2..6).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))?;
    let digits = std::str::from_utf8(digits).ok().filter(|_| bytes.starts_with(b"\\u"))?;
    u32::from_str_radix(digits, 16).ok()
}

/// Goes behind a value without looking at more than its brackets and strings; what is skipped is
/// read later.
pub(super) fn skip(text: &mut Cursor<'_>) -> Result<(), Error> {
    let (start, mut open) = (text.place(), 0_usize);
    loop {
        text.take_while(|byte| !matches!(byte, b'"' | b'[' | b']' | b'{' | b'}' | b','));
        match text.peek() {
            Some(b'"') => drop(string(text)?),
            Some(b'[' | b'{') => {
                open += 1;
                text.skip(1);
            }
            Some(b',') if open > 0 => text.skip(1),
            Some(b']' | b'}') if open > 0 => {
                open -= 1;
                text.skip(1);
            }
            Some(_) => return Ok(()),
            None if open == 0 => return Ok(()),
            None => return Err(text.error_at(start, "Bracket without an end")),
        }
        if open == 0 {
            return Ok(());
        }
    }
}
