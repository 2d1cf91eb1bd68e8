//! JSON as Haystack's two formats of it need it: a tree that borrows, within limits; strings.

mod grid;
mod tree;

pub(crate) use grid::{Format, GridReader, nested};
pub(crate) use tree::{Json, parse};

use crate::{Error, Limits};

/// How deep JSON may nest so that values may nest as deep as the limits say: a grid in a grid is a
/// cell in a row in a list in an object.
pub(crate) fn depth_of(limits: Limits) -> usize {
    limits.depth.saturating_mul(3).saturating_add(3)
}

pub(crate) fn check_size(text: &str, limits: Limits) -> Result<(), Error> {
    if text.len() <= limits.bytes {
        return Ok(());
    }
    Err(Error::new(format!("Text of more than {} bytes", limits.bytes)))
}

/// Appends a string.
pub(crate) fn append_string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    append_escaped(out, text);
    out.push(b'"');
}

/// Appends what is within a string.
pub(crate) fn append_escaped(out: &mut Vec<u8>, text: &str) {
    let mut rest = text.as_bytes();
    loop {
        let is_plain = |byte: u8| byte >= b' ' && byte != b'"' && byte != b'\\';
        let plain = rest.iter().take_while(|byte| is_plain(**byte)).count();
        let (before, from) = rest.split_at(plain);
        out.extend_from_slice(before);
        let Some((&byte, after)) = from.split_first() else { return };
        match byte {
            b'"' | b'\\' => out.extend([b'\\', byte]),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            byte => out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
        }
        rest = after;
    }
}
