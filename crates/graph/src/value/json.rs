//! Values as JSON, in the one form that rows have in it: a server writes it, and a client.
//!
//! | value | as |
//! | --- | --- |
//! | node | `{"id", "labels", "properties"}` |
//! | relationship | `{"id", "type", "source", "target", "properties"}` |
//! | path | `{"nodes", "relationships"}` |
//! | point | `{"latitude", "longitude"}` |
//! | vector | an array of numbers |
//! | dates, times, durations | the text that `toString` gives: all digits, offset and zone |
//! | NaN and the infinities, for which JSON has no number | `"NaN"`, `"Infinity"`, `"-Infinity"` |
//!
//! (`toJSON` is FalkorDB's form, and another one: `function/json.rs`.)

use std::io::Write;

use super::{Value, text};

/// What knows the nodes and relationships that values name.
pub trait Entities {
    /// Appends a node: see [`begin_node`].
    fn node(&self, number: u64, out: &mut Vec<u8>);

    /// Appends a relationship: see [`begin_relationship`].
    fn relationship(&self, number: u64, out: &mut Vec<u8>);
}

/// Appends a value.
///
/// ```
/// use kvist_graph::value::{Value, json};
/// struct None;
/// impl json::Entities for None {
///     fn node(&self, _: u64, out: &mut Vec<u8>) {
///         out.extend_from_slice(b"null");
///     }
///     fn relationship(&self, _: u64, out: &mut Vec<u8>) {
///         out.extend_from_slice(b"null");
///     }
/// }
/// let mut out = Vec::new();
/// let values = [Value::Float(1.5), Value::Float(f64::NAN), Value::from("a\nb"), Value::Node(7)];
/// json::value(&None, &Value::list(values), &mut out);
/// assert_eq!(out, br#"[1.5,"NaN","a\nb",null]"#);
/// ```
pub fn value(entities: &impl Entities, value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Boolean(is) => out.extend_from_slice(if *is { b"true" } else { b"false" }),
        Value::Integer(number) => put(out, format_args!("{number}")),
        Value::Float(number) => float(*number, out),
        Value::String(text) => string(text, out),
        Value::List(values, _) => {
            array(values.iter(), out, |one, out| self::value(entities, one, out));
        }
        Value::Map(map) => object(map.iter(), out, |one, out| self::value(entities, one, out)),
        Value::Node(number) => entities.node(*number, out),
        Value::Relationship(number) => entities.relationship(*number, out),
        Value::Path(path) => {
            out.extend_from_slice(br#"{"nodes":"#);
            array(path.nodes().iter(), out, |&one, out| entities.node(one, out));
            out.extend_from_slice(br#","relationships":"#);
            array(path.relationships().iter(), out, |&one, out| entities.relationship(one, out));
            out.push(b'}');
        }
        Value::Point(point) => {
            out.extend_from_slice(br#"{"latitude":"#);
            single(point.latitude, out);
            out.extend_from_slice(br#","longitude":"#);
            single(point.longitude, out);
            out.push(b'}');
        }
        Value::Vector(numbers) => array(numbers.iter(), out, |&one, out| single(one, out)),
        Value::Date(_)
        | Value::LocalTime(_)
        | Value::Time(_)
        | Value::LocalDateTime(_)
        | Value::DateTime(_)
        | Value::Duration(_) => string(&text::scalar(value).unwrap_or_default(), out),
    }
}

/// Appends items in brackets, with commas.
pub fn array<T>(
    items: impl Iterator<Item = T>,
    out: &mut Vec<u8>,
    write: impl Fn(T, &mut Vec<u8>),
) {
    out.push(b'[');
    for (number, item) in items.enumerate() {
        if number > 0 {
            out.push(b',');
        }
        write(item, out);
    }
    out.push(b']');
}

/// Appends named values in braces, with commas.
pub fn object<K: AsRef<str>, V>(
    fields: impl Iterator<Item = (K, V)>,
    out: &mut Vec<u8>,
    write: impl Fn(V, &mut Vec<u8>),
) {
    out.push(b'{');
    for (number, (name, value)) in fields.enumerate() {
        if number > 0 {
            out.push(b',');
        }
        string(name.as_ref(), out);
        out.push(b':');
        write(value, out);
    }
    out.push(b'}');
}

/// Appends a node, up to its properties: these follow, as an [`object`], and a brace.
pub fn begin_node<'n>(id: u64, labels: impl Iterator<Item = &'n str>, out: &mut Vec<u8>) {
    put(out, format_args!(r#"{{"id":{id},"labels":"#));
    array(labels, out, string);
    out.extend_from_slice(br#","properties":"#);
}

/// Appends a relationship, up to its properties: its type, and the ids of the nodes that it leads
/// from and to, if it has not been deleted. An [`object`] and a brace follow.
pub fn begin_relationship(id: u64, ends: Option<(&str, u64, u64)>, out: &mut Vec<u8>) {
    put(out, format_args!(r#"{{"id":{id},"type":"#));
    match ends {
        Some((kind, source, target)) => {
            string(kind, out);
            put(out, format_args!(r#","source":{source},"target":{target}"#));
        }
        None => out.extend_from_slice(br#"null,"source":null,"target":null"#),
    }
    out.extend_from_slice(br#","properties":"#);
}

fn string(text: &str, out: &mut Vec<u8>) {
    ::json::write_string(text.as_bytes(), out);
}

/// As many digits as it takes to read the same number again.
fn float(number: f64, out: &mut Vec<u8>) {
    match number.is_finite() {
        true => put(out, format_args!("{number:?}")),
        false => string(&text::float(number), out),
    }
}

/// As many digits as it takes to read the same number of 32 bits again.
fn single(number: f32, out: &mut Vec<u8>) {
    match number.is_finite() {
        true => put(out, format_args!("{number:?}")),
        false => string(&text::float(number.into()), out),
    }
}

/// Writing to a buffer cannot fail.
fn put(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    let _ = out.write_fmt(text);
}
