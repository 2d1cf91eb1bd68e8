//! Values as they are written in a query, so that it reads the same values again.

use super::Value;
use super::text::{self, put, separated};

/// A value as an expression of the language; `None` for nodes, relationships and paths, which no
/// expression makes, and for what holds one.
pub fn literal(value: &Value) -> Option<String> {
    let mut out = String::new();
    write(value, &mut out).then_some(out)
}

fn write(value: &Value, out: &mut String) -> bool {
    match value {
        Value::Null => out.push_str("null"),
        // There is no literal for it: 9223372036854775808 alone is beyond 64 bits.
        Value::Integer(i64::MIN) => out.push_str("(-9223372036854775807 - 1)"),
        Value::Float(number) => float(*number, out),
        Value::String(text) => quoted(text, out),
        Value::List(values, _) => {
            let mut all = true;
            separated(out, ['[', ']'], values.iter(), |out, value| all &= write(value, out));
            return all;
        }
        Value::Map(map) => {
            let mut all = true;
            separated(out, ['{', '}'], map.iter(), |out, (key, value)| {
                name(key, out);
                out.push_str(": ");
                all &= write(value, out);
            });
            return all;
        }
        Value::Node(_) | Value::Relationship(_) | Value::Path(_) => return false,
        Value::Point(point) => put(
            out,
            format_args!(
                "point({{latitude: {:?}, longitude: {:?}}})",
                point.latitude, point.longitude
            ),
        ),
        Value::Vector(numbers) => {
            out.push_str("vecf32");
            separated(out, ['(', ')'], std::iter::once(numbers), |out, numbers| {
                separated(out, ['[', ']'], numbers.iter(), |out, &number| {
                    float(number.into(), out)
                });
            });
        }
        other => match maker(other) {
            Some(function) => put(out, format_args!("{function}('{}')", scalar(other))),
            None => out.push_str(&scalar(other)),
        },
    }
    true
}

fn scalar(value: &Value) -> String {
    text::scalar(value).unwrap_or_default()
}

/// The function that makes such a value of its text.
fn maker(value: &Value) -> Option<&'static str> {
    Some(match value {
        Value::Date(_) => "date",
        Value::LocalTime(_) => "localtime",
        Value::Time(_) => "time",
        Value::LocalDateTime(_) => "localdatetime",
        Value::DateTime(_) => "datetime",
        Value::Duration(_) => "duration",
        _ => return None,
    })
}

fn float(number: f64, out: &mut String) {
    match number {
        _ if number.is_nan() => out.push_str("(0.0 / 0.0)"),
        f64::INFINITY => out.push_str("(1.0 / 0.0)"),
        f64::NEG_INFINITY => out.push_str("(-1.0 / 0.0)"),
        _ => out.push_str(&text::float(number)),
    }
}

/// A string in quotes.
pub fn quoted(text: &str, out: &mut String) {
    out.push('\'');
    escaped(text, out);
    out.push('\'');
}

/// What stands between the quotes of a string, or a piece of it.
pub fn escaped(text: &str, out: &mut String) {
    for letter in text.chars() {
        match letter {
            '\'' => out.push_str("\\'"),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            control if control.is_control() => {
                put(out, format_args!("\\u{:04X}", u32::from(control)));
            }
            letter => out.push(letter),
        }
    }
}

/// A name, in backticks unless it is one without them.
pub fn name(text: &str, out: &mut String) {
    let mut letters = text.bytes();
    let first = letters.next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    if first && letters.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        out.push_str(text);
        return;
    }
    out.push('`');
    out.push_str(&text.replace('`', "``"));
    out.push('`');
}
