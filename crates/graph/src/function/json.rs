//! `toJSON` of values that hold no node, relationship or path: the graph makes maps of those first.

use super::Context;
use crate::value::{Error, Value, text};

/// A value as JSON. Numbers that JSON has not are null.
pub(super) fn text(context: &Context<'_>, value: &Value) -> Result<String, Error> {
    let mut out = String::new();
    write(context, value, &mut out)?;
    Ok(out)
}

fn write(context: &Context<'_>, value: &Value, out: &mut String) -> Result<(), Error> {
    context.check_room(out.len())?;
    context.work(match value {
        Value::List(..) | Value::Map(_) => 1,
        other => other.units(),
    })?;
    match value {
        Value::Null => out.push_str("null"),
        Value::Float(number) if !number.is_finite() => out.push_str("null"),
        Value::Boolean(_) | Value::Integer(_) | Value::Float(_) => {
            out.push_str(&text::scalar(value).unwrap_or_default());
        }
        Value::List(values, _) => {
            for (place, value) in values.iter().enumerate() {
                out.push_str(if place == 0 { "[" } else { ", " });
                write(context, value, out)?;
            }
            out.push_str(if values.is_empty() { "[]" } else { "]" });
        }
        Value::Map(map) => {
            for (place, (key, value)) in map.iter().enumerate() {
                out.push_str(if place == 0 { "{" } else { ", " });
                quoted(key, out);
                out.push_str(": ");
                write(context, value, out)?;
            }
            out.push_str(if map.is_empty() { "{}" } else { "}" });
        }
        Value::Vector(numbers) => {
            let numbers = numbers.iter().map(|&number| Value::Float(number.into()));
            write(context, &Value::list(numbers), out)?;
        }
        Value::Point(point) => {
            let (latitude, longitude) = (point.latitude, point.longitude);
            out.push_str(&format!(
                "{{\"crs\":\"wgs-84\",\"latitude\":{latitude:.6},\"longitude\":{longitude:.6},\
                 \"height\":null}}"
            ));
        }
        Value::Node(_) | Value::Relationship(_) | Value::Path(_) => {
            return Err(Error::mismatch("a value without entities", value.type_name()));
        }
        other => quoted(&text::scalar(other).unwrap_or_default(), out),
    }
    Ok(())
}

fn quoted(text: &str, out: &mut String) {
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            control if control < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(control))),
            letter => out.push(letter),
        }
    }
    out.push('"');
}
