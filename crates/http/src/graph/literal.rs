//! Values of JSON as openCypher writes them.
//!
//! They differ in little: names of an object stand in backticks, and not all escapes of strings are
//! the same. So what is read is known to be JSON already, and it is gone through once, without
//! anything being built of it: however deep it is nested, that is no deeper here.

use std::borrow::Cow;

const EMPTY: &str = "a name is empty";
const TOO_LARGE: &str = "a number does not fit into 64 bits";
const BROKEN: &str = "a text is no Unicode";

/// Appends a value, given as JSON.
///
/// # Errors
/// There is no such value.
pub fn value(json: &str, out: &mut String) -> Result<(), &'static str> {
    let mut rest = json;
    while let Some(first) = rest.chars().next() {
        match first {
            '"' => {
                let (token, behind) = rest.split_at(string_length(rest));
                let text = text_of(token)?;
                let is_name = behind.trim_ascii_start().starts_with(':');
                if is_name {
                    name(&text, out)?
                } else {
                    string(&text, out)
                }
                rest = behind;
            }
            '-' | '0'..='9' => {
                let of_number = |c: char| !matches!(c, '0'..='9' | '+' | '-' | '.' | 'e' | 'E');
                let (token, behind) = rest.split_at(rest.find(of_number).unwrap_or(rest.len()));
                number(token, out)?;
                rest = behind;
            }
            _ => {
                // Brackets, commas, colons, blanks, and the letters of true, false and null.
                out.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
    }
    Ok(())
}

/// What a string says; it lies there as it is unless something in it is escaped.
///
/// # Errors
/// It is none.
pub fn text_of(token: &str) -> Result<Cow<'_, str>, &'static str> {
    match serde_json::from_str(token) {
        Ok(text) => Ok(Cow::Borrowed(text)),
        Err(_) => serde_json::from_str::<String>(token).map(Cow::Owned).map_err(|_| BROKEN),
    }
}

/// The bytes of the string that a text begins with.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Appends a name.
///
/// # Errors
/// It is empty.
pub fn name(name: &str, out: &mut String) -> Result<(), &'static str> {
    if name.is_empty() {
        return Err(EMPTY);
    }
    out.push('`');
    for (at, part) in name.split('`').enumerate() {
        out.push_str(if at == 0 { "" } else { "``" });
        out.push_str(part);
    }
    out.push('`');
    Ok(())
}

fn string(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
}

fn number(token: &str, out: &mut String) -> Result<(), &'static str> {
    if token.contains(['.', 'e', 'E']) {
        let number: f64 = token.parse().map_err(|_| TOO_LARGE)?;
        if !number.is_finite() {
            return Err(TOO_LARGE);
        }
        out.push_str(&format!("{number:?}"));
        return Ok(());
    }
    match token.parse::<i64>() {
        // The smallest has no positive counterpart that a minus could stand before.
        Ok(i64::MIN) => out.push_str(&format!("({} - 1)", i64::MIN + 1)),
        Ok(number) => out.push_str(&number.to_string()),
        Err(_) => return Err(TOO_LARGE),
    }
    Ok(())
}
