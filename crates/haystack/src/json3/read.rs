//! Values of JSON as of Haystack 3.

use crate::json::{Format, Json, nested};
use crate::value::Col;
use crate::{Coord, DateTime, Dict, Error, Tag, Unit, Value};

/// The format.
pub(super) struct Json3;

impl Format for Json3 {
    fn value(json: &Json<'_>, depth: usize) -> Result<Value, Error> {
        Ok(match json {
            Json::Null => Value::NULL,
            Json::Bool(value) => (*value).into(),
            Json::Number(value) => (*value).into(),
            Json::Text(text) => string(text)?,
            Json::List(list) => {
                let depth = deeper(depth)?;
                let values = list.iter().map(|value| Self::value(value, depth));
                values.collect::<Result<Vec<_>, _>>()?.into()
            }
            Json::Object(_) if is_grid(json) => nested::<Self>(json, deeper(depth)?)?.into(),
            Json::Object(_) => Self::dict(json, deeper(depth)?)?.into(),
        })
    }

    fn col(json: &Json<'_>, depth: usize) -> Result<Col, Error> {
        let mut meta = Self::dict(json, depth)?;
        let name = meta.remove("name");
        let name = name.as_ref().and_then(Value::as_str);
        let name = name.ok_or_else(|| Error::new("Column without a name"))?;
        Ok(Col { name: Tag::new(name)?, meta })
    }

    fn dict(json: &Json<'_>, depth: usize) -> Result<Dict, Error> {
        let Json::Object(members) = json else { return Err(Error::new("A dict is no object")) };
        let mut dict = Dict::new();
        for (name, value) in members {
            dict.set(Tag::new(name)?, Self::value(value, depth)?);
        }
        Ok(dict)
    }
}

fn deeper(depth: usize) -> Result<usize, Error> {
    depth.checked_sub(1).ok_or_else(|| Error::new("Nested too deep"))
}

/// Nothing but its members tells a grid within a cell from a dict.
fn is_grid(json: &Json<'_>) -> bool {
    let is_list = |name| matches!(json.get(name), Some(Json::List(_)));
    json.get("meta").is_some_and(|meta| meta.text("ver").is_some())
        && is_list("cols")
        && is_list("rows")
}

fn string(text: &str) -> Result<Value, Error> {
    let (Some(code), Some(b':')) = (text.as_bytes().first(), text.as_bytes().get(1)) else {
        return Ok(Value::str(text));
    };
    let rest = text.get(2..).unwrap_or_default();
    match code {
        b'm' if rest.is_empty() => Ok(Value::MARKER),
        b'-' if rest.is_empty() => Ok(Value::REMOVE),
        b'z' if rest.is_empty() => Ok(Value::NA),
        b's' => Ok(Value::str(rest)),
        b'n' => number(rest),
        b'r' => match rest.split_once(' ') {
            Some((id, dis)) => Value::id_dis(id, dis),
            None => Value::id(rest),
        },
        b'y' => Value::symbol(rest),
        b'd' => Ok(rest.parse::<crate::Date>()?.into()),
        b'h' => Ok(rest.parse::<crate::Time>()?.into()),
        b't' => match rest.split_once(' ') {
            Some((iso, zone)) => Ok(DateTime::parse(iso, Some(zone))?.into()),
            None => Ok(DateTime::parse(rest, None)?.into()),
        },
        b'u' => Ok(Value::uri(rest)),
        b'c' => coord(rest),
        b'b' => Value::xstr("Bin", rest),
        b'x' => match rest.split_once(':') {
            Some((kind, text)) => Value::xstr(kind, text),
            // How version 2 removes.
            None if rest.is_empty() => Ok(Value::REMOVE),
            None => Err(Error::new("Extended string without a type")),
        },
        _ => Err(Error::new(format!("Unknown type code '{}:'", char::from(*code)))),
    }
}

fn number(text: &str) -> Result<Value, Error> {
    let (digits, unit) = match text.split_once(' ') {
        Some((digits, unit)) => (digits, Some(Unit::named(unit)?)),
        None => (text, None),
    };
    let value = match digits {
        "NaN" => f64::NAN,
        "INF" => f64::INFINITY,
        "-INF" => f64::NEG_INFINITY,
        _ => {
            let value = digits.parse::<f64>().ok().filter(|value| value.is_finite());
            value.ok_or_else(|| Error::new("Invalid number"))?
        }
    };
    Ok(Value::number(value, unit.as_ref()))
}

fn coord(text: &str) -> Result<Value, Error> {
    let degrees = text.split_once(',').map(|(lat, lng)| (lat.parse::<f64>(), lng.parse::<f64>()));
    match degrees {
        Some((Ok(lat), Ok(lng))) => Ok(Coord::new(lat, lng)?.into()),
        _ => Err(Error::new("Invalid coord")),
    }
}
