//! What stands between quotes.

use std::borrow::Cow;

use super::super::error::{Class, Error};

/// The name in a token: without its backticks, of which two in a row are one.
pub fn name(token: &str) -> Cow<'_, str> {
    let Some(inner) = token.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')) else {
        return Cow::Borrowed(token);
    };
    if inner.contains('`') {
        return Cow::Owned(inner.replace("``", "`"));
    }
    Cow::Borrowed(inner)
}

/// The string in a token that starts at a byte of the query.
///
/// A backslash before a character that has no meaning with it stays, as it does in FalkorDB.
pub fn string(token: &str, offset: u32) -> Result<Cow<'_, str>, Error> {
    let inner = token.get(1..token.len().saturating_sub(1)).unwrap_or_default();
    if !inner.contains('\\') {
        return Ok(Cow::Borrowed(inner));
    }
    let mut out = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some((plain, escaped)) = rest.split_once('\\') {
        out.push_str(plain);
        rest = escape(escaped, &mut out).ok_or_else(|| {
            let message = "Invalid unicode escape in a string";
            Error::new(Class::InvalidUnicodeLiteral, offset, message)
        })?;
    }
    out.push_str(rest);
    Ok(Cow::Owned(out))
}

/// Appends what is meant by what follows a backslash, and returns what follows that.
fn escape<'t>(escaped: &'t str, out: &mut String) -> Option<&'t str> {
    let Some(char) = escaped.chars().next() else {
        out.push('\\');
        return Some(escaped);
    };
    let rest = escaped.get(char.len_utf8()..)?;
    let meant = match char {
        '\\' | '\'' | '"' => char,
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'u' => return unicode(rest, out),
        'U' => {
            let (code, rest) = hexadecimal(rest, 8)?;
            out.push(char::from_u32(code)?);
            return Some(rest);
        }
        _ => {
            out.push('\\');
            char
        }
    };
    out.push(meant);
    Some(rest)
}

/// Four hexadecimal digits, or two times four that are one character in UTF-16.
fn unicode<'t>(rest: &'t str, out: &mut String) -> Option<&'t str> {
    let (code, rest) = hexadecimal(rest, 4)?;
    if let Some(char) = char::from_u32(code) {
        out.push(char);
        return Some(rest);
    }
    let (low, rest) = hexadecimal(rest.strip_prefix("\\u")?, 4)?;
    let units = [u16::try_from(code).ok()?, u16::try_from(low).ok()?];
    out.push(char::decode_utf16(units).next()?.ok()?);
    Some(rest)
}

/// A number of so many hexadecimal digits, and what follows it.
fn hexadecimal(text: &str, digits: usize) -> Option<(u32, &str)> {
    let (number, rest) = text.split_at_checked(digits)?;
    let all = number.bytes().all(|byte| byte.is_ascii_hexdigit());
    all.then(|| u32::from_str_radix(number, 16).ok()).flatten().map(|code| (code, rest))
}
