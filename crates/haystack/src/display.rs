//! What people read: the texts of values, of dicts, and of macros over their tags.

use crate::name::is_tag_byte;
use crate::value::Value;
use crate::{Cell, Dict, zinc};

/// Bytes of a macro's text after which no more of it is made.
const LONGEST: usize = 64 << 10;

/// The text of a value: strings and URIs as they are, refs by their display name, markers as `✓`,
/// all else as in Zinc, but for `true` and `false`.
pub fn of_cell(cell: &Cell<'_>) -> String {
    match cell {
        Cell::Null => String::new(),
        Cell::Marker => "\u{2713}".to_owned(),
        Cell::Remove => "\u{2716}".to_owned(),
        Cell::Bool(value) => value.to_string(),
        Cell::Str(text) | Cell::Uri(text) => (*text).to_owned(),
        Cell::Ref(id, dis) => dis.unwrap_or(id).to_owned(),
        cell => zinc::to_text(cell),
    }
}

/// The same, but of what is not plain text no more than its beginning of about so many bytes.
///
/// ```
/// use kvist_haystack::{Cell, Value, display};
/// let list = Value::list(vec![Value::from(1.0); 1_000_000]);
/// assert!(display::beginning_of_cell(&list.cell(), 100).len() < 200);
/// assert_eq!(display::beginning_of_cell(&Cell::Marker, 100), "\u{2713}");
/// ```
pub fn beginning_of_cell(cell: &Cell<'_>, bytes: usize) -> String {
    match cell {
        Cell::XStr(..) | Cell::List(_) | Cell::Dict(_) | Cell::Grid(_) => {
            zinc::beginning(cell, bytes)
        }
        cell => of_cell(cell),
    }
}

/// The text of a dict: `dis`, else `disMacro`, `disKey`, `name`, `def`, `tag`, the display name of
/// its id, or nothing.
///
/// ```
/// use kvist_haystack::{Dict, display};
/// let mut dict = Dict::new();
/// dict.put("disMacro", "$name, ${area}")?;
/// dict.put("name", "Main Street")?;
/// assert_eq!(display::of_dict(&dict), "Main Street, ${area}");
/// # Ok::<(), kvist_haystack::Error>(())
/// ```
pub fn of_dict(dict: &Dict) -> String {
    if let Some(dis) = dict.get("dis") {
        return dis.to_string();
    }
    if let Some(text) = dict.get("disMacro").and_then(Value::as_str) {
        let of = |value: &Value| beginning_of_cell(&value.cell(), LONGEST);
        return of_macro(text, LONGEST, |tag| dict.get(tag).map(of));
    }
    if let Some(key) = dict.get("disKey") {
        return last_part(&key.to_string()).to_owned();
    }
    let of = ["name", "def", "tag", "id"].iter().find_map(|tag| dict.get(tag));
    of.map(ToString::to_string).unwrap_or_default()
}

/// What stands behind the `::` of a key for translations: there are none here.
fn last_part(key: &str) -> &str {
    key.rsplit("::").next().unwrap_or(key)
}

/// A macro's text: `$tag` and `${tag}` become what `value` says of the tag, `$<pod::key>` its last
/// part; what `value` does not know stays as it is. Once so many bytes have come together it goes
/// on no further: a short macro can name a long text thousands of times. Takes time in proportion
/// to the texts.
pub fn of_macro(text: &str, bytes: usize, mut value: impl FnMut(&str) -> Option<String>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        if out.len() >= bytes {
            return out;
        }
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let (whole, replaced) = expand(from, &mut value);
        out.push_str(replaced.as_deref().unwrap_or(whole));
        rest = from.get(whole.len()..).unwrap_or_default();
    }
    out + rest
}

/// What a text begins with that has a dollar sign in front, and what it becomes.
fn expand<'a>(
    from: &'a str,
    value: &mut impl FnMut(&str) -> Option<String>,
) -> (&'a str, Option<String>) {
    let after = from.get(1..).unwrap_or_default();
    let tag_at = |text: &'a str| {
        let begins = text.as_bytes().first().is_some_and(u8::is_ascii_lowercase);
        let length = text.bytes().take_while(|byte| is_tag_byte(*byte)).count();
        text.get(..length).filter(|_| begins)
    };
    let cut = |length: usize| from.get(..length).unwrap_or(from);
    if let Some(tag) = after.strip_prefix('{').and_then(tag_at)
        && after.as_bytes().get(tag.len() + 1) == Some(&b'}')
    {
        return (cut(tag.len() + 3), value(tag));
    }
    if let Some(key) = after.strip_prefix('<').and_then(|key| {
        let length =
            key.bytes().take_while(|b| is_tag_byte(*b) || matches!(b, b':' | b'.')).count();
        key.get(..length).filter(|_| key.as_bytes().get(length) == Some(&b'>'))
    }) {
        return (cut(key.len() + 3), Some(last_part(key).to_owned()));
    }
    match tag_at(after) {
        Some(tag) => (cut(tag.len() + 1), value(tag)),
        None => (cut(1), None),
    }
}

#[cfg(test)]
#[path = "display_tests.rs"]
mod tests;
