//! The texts of values: of `toString`, and of FalkorDB's replies, where numbers in lists and maps
//! have six digits behind the point and strings no quotes.

use std::fmt::Write;

use super::{Path, Value};

/// The text that `toString` gives; `None` for lists, maps, nodes, relationships and paths.
pub fn scalar(value: &Value) -> Option<String> {
    Some(match value {
        Value::Boolean(is) => is.to_string(),
        Value::Integer(number) => number.to_string(),
        Value::Float(number) => float(*number),
        Value::String(text) => text.to_string(),
        Value::Date(date) => date.to_string(),
        Value::LocalTime(time) => time.to_string(),
        Value::Time(time) => time.to_string(),
        Value::LocalDateTime(both) => both.to_string(),
        Value::DateTime(instant) => instant.to_string(),
        Value::Duration(duration) => duration.to_string(),
        Value::Point(_) | Value::Vector(_) => verbose(value),
        _ => return None,
    })
}

/// A float in as few digits as it takes to read the same one again, and never without a point or an
/// exponent.
pub fn float(number: f64) -> String {
    match number {
        _ if number.is_nan() => "NaN".to_owned(),
        f64::INFINITY => "Infinity".to_owned(),
        f64::NEG_INFINITY => "-Infinity".to_owned(),
        _ => format!("{number:?}"),
    }
}

/// A float as C's `%.15g` has it, which is how replies carry one.
pub fn general(number: f64) -> String {
    let mut text = String::new();
    write_general(number, &mut text);
    text
}

/// Appends a float as C's `%.15g` has it. Most that are stored have few digits, and are written
/// without being taken apart.
pub fn write_general(number: f64, out: &mut String) {
    if !number.is_finite() {
        let sign = if number.is_sign_negative() { "-" } else { "" };
        return put(out, format_args!("{sign}{}", if number.is_nan() { "nan" } else { "inf" }));
    }
    if !write_short(number, out) {
        write_long(number, out);
    }
}

/// A number of up to three digits behind the point and 15 in all. It is the quotient of two whole
/// numbers that floats hold exactly, so these digits are those of the nearest float, and `%.15g`
/// gives back what 15 digits have said.
fn write_short(number: f64, out: &mut String) -> bool {
    const SCALE: f64 = 1000.0;
    let scaled = number * SCALE;
    if scaled.abs() >= 1e15 || scaled.trunc() != scaled || scaled / SCALE != number {
        return false;
    }
    // Behind the point no more than four zeros may lead; zero has a sign of its own.
    if number == 0.0 {
        out.push_str(if number.is_sign_negative() { "-0" } else { "0" });
        return true;
    }
    // Below 10^15.
    let whole = scaled.abs() as u64;
    if number < 0.0 {
        out.push('-');
    }
    put(out, format_args!("{}", whole / 1000));
    let behind = whole % 1000;
    match behind {
        0 => {}
        _ if behind.is_multiple_of(100) => put(out, format_args!(".{}", behind / 100)),
        _ if behind.is_multiple_of(10) => put(out, format_args!(".{:02}", behind / 10)),
        _ => put(out, format_args!(".{behind:03}")),
    }
    true
}

fn write_long(number: f64, out: &mut String) {
    let scientific = format!("{number:.14e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    let bare = |text: &str| -> String {
        if !text.contains('.') {
            return text.to_owned();
        }
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    if (-4..15).contains(&exponent) {
        let places = usize::try_from(14 - exponent).unwrap_or_default();
        return out.push_str(&bare(&format!("{number:.places$}")));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    put(out, format_args!("{}e{sign}{:02}", bare(digits), exponent.abs()));
}

/// A float as C's `%f` has it.
fn fixed(number: f64) -> String {
    match number {
        _ if number.is_finite() => format!("{number:.6}"),
        _ => general(number),
    }
}

/// The text of a value inside a list or a map of a verbose reply.
pub fn verbose(value: &Value) -> String {
    let mut text = String::new();
    write_verbose(value, &mut text);
    text
}

fn write_verbose(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("NULL"),
        Value::Float(number) => out.push_str(&fixed(*number)),
        Value::String(text) => out.push_str(text),
        Value::List(values, _) => {
            separated(out, ['[', ']'], values.iter(), |out, value| write_verbose(value, out));
        }
        Value::Map(map) => separated(out, ['{', '}'], map.iter(), |out, (key, value)| {
            out.push_str(key);
            out.push_str(": ");
            write_verbose(value, out);
        }),
        Value::Node(id) => put(out, format_args!("({id})")),
        Value::Relationship(id) => put(out, format_args!("[{id}]")),
        Value::Path(path) => write_path(path, out),
        Value::Point(point) => put(
            out,
            format_args!(
                "point({{latitude: {:.6}, longitude: {:.6}}})",
                point.latitude, point.longitude
            ),
        ),
        Value::Vector(numbers) => separated(out, ['<', '>'], numbers.iter(), |out, &number| {
            out.push_str(&fixed(number.into()));
        }),
        other => out.push_str(&scalar(other).unwrap_or_default()),
    }
}

fn write_path(path: &Path, out: &mut String) {
    separated(out, ['[', ']'], path.steps(), |out, step| write_verbose(&step, out));
}

/// Writing to a string cannot fail.
pub(super) fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    let _ = out.write_fmt(text);
}

/// Items between two marks, with commas.
pub(super) fn separated<T>(
    out: &mut String,
    [open, close]: [char; 2],
    items: impl Iterator<Item = T>,
    mut write: impl FnMut(&mut String, T),
) {
    out.push(open);
    for (place, item) in items.enumerate() {
        if place > 0 {
            out.push_str(", ");
        }
        write(out, item);
    }
    out.push(close);
}

#[cfg(test)]
#[path = "text_tests.rs"]
mod tests;
