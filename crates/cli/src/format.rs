//! Replies as people read them: numbered and quoted, raw, or comma-separated.
//!
//! ```text
//!   1) (integer) 7
//!   2) "a"
//!   3) 1) OK          nested replies are indented under their number
//!      2) (nil)
//! ```
//!
//! The texts are those of `redis-cli`, which scripts read.

use std::fmt::Write as _;

use wire::Value;

/// How replies are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// With types, numbers and quotes.
    Typed,
    /// As they are.
    Raw,
    /// Comma-separated values.
    Csv,
}

/// Between the elements of a raw reply.
pub const BETWEEN: &str = "\n";

/// A reply in a style, with the line break at its end; `between` separates raw elements.
///
/// ```
/// use kvist_cli::{Style, format};
/// use wire::Value;
///
/// let reply = Value::Array(vec![Value::Int(7), Value::Bulk(b"a\n".to_vec())]);
/// assert_eq!(format(&reply, Style::Typed, "\n"), b"1) (integer) 7\n2) \"a\\n\"\n");
/// assert_eq!(format(&reply, Style::Raw, "\n"), b"7\na\n\n");
/// assert_eq!(format(&reply, Style::Csv, "\n"), b"7,\"a\\n\"\n");
/// ```
#[must_use]
pub fn format(reply: &Value, style: Style, between: &str) -> Vec<u8> {
    let mut out = Vec::new();
    match style {
        Style::Typed => typed(reply, "", &mut out),
        Style::Raw => {
            raw(reply, between.as_bytes(), &mut out);
            out.push(b'\n');
        }
        Style::Csv => {
            csv(reply, &mut out);
            out.push(b'\n');
        }
    }
    out
}

fn typed(reply: &Value, indent: &str, out: &mut Vec<u8>) {
    let mut line = |text: &str, bytes: &[u8]| {
        out.extend_from_slice(text.as_bytes());
        out.extend_from_slice(bytes);
        out.push(b'\n');
    };
    match reply {
        Value::Simple(text) | Value::Verbatim(_, text) => line("", text),
        Value::Error(text) | Value::BulkError(text) => line("(error) ", text),
        Value::Int(n) => line("(integer) ", n.to_string().as_bytes()),
        Value::Bulk(bytes) => line(&quote(bytes), b""),
        Value::NullBulk | Value::NullArray | Value::Null => line("(nil)", b""),
        Value::Double(text) => line("(double) ", text),
        Value::BigNumber(digits) => line("(big number) ", digits),
        Value::Boolean(true) => line("(true)", b""),
        Value::Boolean(false) => line("(false)", b""),
        Value::Attributed(_, reply) => typed(reply, indent, out),
        Value::Array(items) if items.is_empty() => line("(empty array)", b""),
        Value::Set(items) if items.is_empty() => line("(empty set)", b""),
        Value::Push(items) if items.is_empty() => line("(empty push)", b""),
        Value::Map(pairs) if pairs.is_empty() => line("(empty hash)", b""),
        Value::Array(items) | Value::Push(items) => numbered(items, ')', indent, out),
        Value::Set(items) => numbered(items, '~', indent, out),
        Value::Map(pairs) => numbered_pairs(pairs, indent, out),
    }
}

/// The number of an element, as wide as the largest; the first one stands behind what is already
/// on the line, the others behind the indent.
fn number(at: usize, count: usize, mark: char, indent: &str, out: &mut Vec<u8>) {
    let width = count.to_string().len();
    let indent = if at == 0 { "" } else { indent };
    out.extend_from_slice(format!("{indent}{:width$}{mark} ", at + 1).as_bytes());
}

fn deeper(indent: &str, count: usize) -> String {
    format!("{indent}{:1$}", "", count.to_string().len() + 2)
}

fn numbered(items: &[Value], mark: char, indent: &str, out: &mut Vec<u8>) {
    let inner = deeper(indent, items.len());
    for (at, item) in items.iter().enumerate() {
        number(at, items.len(), mark, indent, out);
        typed(item, &inner, out);
    }
}

fn numbered_pairs(pairs: &[(Value, Value)], indent: &str, out: &mut Vec<u8>) {
    let inner = deeper(indent, pairs.len());
    for (at, (key, value)) in pairs.iter().enumerate() {
        number(at, pairs.len(), '#', indent, out);
        typed(key, &inner, out);
        out.pop();
        out.extend_from_slice(b" => ");
        let mut text = Vec::new();
        typed(value, &inner, &mut text);
        // A value of several lines begins on a line of its own.
        if text.iter().filter(|&&byte| byte == b'\n').count() > 1 {
            out.push(b'\n');
            out.extend_from_slice(inner.as_bytes());
        }
        out.extend_from_slice(&text);
    }
}

fn raw(reply: &Value, between: &[u8], out: &mut Vec<u8>) {
    match reply {
        Value::NullBulk | Value::NullArray | Value::Null => {}
        Value::Simple(text)
        | Value::Bulk(text)
        | Value::Verbatim(_, text)
        | Value::Double(text)
        | Value::BigNumber(text) => out.extend_from_slice(text),
        Value::Error(text) | Value::BulkError(text) => {
            out.extend_from_slice(text);
            out.push(b'\n');
        }
        Value::Int(n) => out.extend_from_slice(n.to_string().as_bytes()),
        Value::Boolean(b) => out.extend_from_slice(format!("({b})").as_bytes()),
        Value::Attributed(_, reply) => raw(reply, between, out),
        Value::Array(items) | Value::Set(items) | Value::Push(items) => {
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.extend_from_slice(between);
                }
                raw(item, between, out);
            }
        }
        Value::Map(pairs) => {
            for (at, (key, value)) in pairs.iter().enumerate() {
                if at > 0 {
                    out.extend_from_slice(between);
                }
                raw(key, between, out);
                out.push(b' ');
                raw(value, between, out);
            }
        }
    }
}

fn csv(reply: &Value, out: &mut Vec<u8>) {
    match reply {
        Value::NullBulk | Value::NullArray | Value::Null => out.extend_from_slice(b"NULL"),
        Value::Simple(text) | Value::Bulk(text) | Value::Verbatim(_, text) => {
            out.extend_from_slice(quote(text).as_bytes());
        }
        Value::Error(text) | Value::BulkError(text) => {
            out.extend_from_slice(format!("ERROR,{}", quote(text)).as_bytes());
        }
        Value::Int(n) => out.extend_from_slice(n.to_string().as_bytes()),
        Value::Double(text) | Value::BigNumber(text) => out.extend_from_slice(text),
        Value::Boolean(b) => out.extend_from_slice(b.to_string().as_bytes()),
        Value::Attributed(_, reply) => csv(reply, out),
        Value::Array(items) | Value::Set(items) | Value::Push(items) => {
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(b',');
                }
                csv(item, out);
            }
        }
        Value::Map(pairs) => {
            for (at, (key, value)) in pairs.iter().enumerate() {
                if at > 0 {
                    out.push(b',');
                }
                csv(key, out);
                out.push(b',');
                csv(value, out);
            }
        }
    }
}

/// Bytes in double quotes, everything unprintable escaped.
#[must_use]
pub fn quote(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() + 2);
    text.push('"');
    for &byte in bytes {
        match byte {
            b'\\' | b'"' => text.extend(['\\', char::from(byte)]),
            b'\n' => text.push_str("\\n"),
            b'\r' => text.push_str("\\r"),
            b'\t' => text.push_str("\\t"),
            0x07 => text.push_str("\\a"),
            0x08 => text.push_str("\\b"),
            b' '..=b'~' => text.push(char::from(byte)),
            _ => {
                // Writing to a string does not fail.
                let _ = write!(text, "\\x{byte:02x}");
            }
        }
    }
    text.push('"');
    text
}
