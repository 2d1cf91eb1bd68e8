//! Values of Hayson.

use crate::json::{Format, Json, nested};
use crate::value::Col;
use crate::{Coord, DateTime, Dict, Error, Tag, Unit, Value, Zone};

/// The format.
pub(super) struct Hayson;

impl Format for Hayson {
    fn value(json: &Json<'_>, depth: usize) -> Result<Value, Error> {
        Ok(match json {
            Json::Null => Value::NULL,
            Json::Bool(value) => (*value).into(),
            Json::Number(value) => (*value).into(),
            Json::Text(text) => Value::str(text.as_ref()),
            Json::List(list) => {
                let depth = deeper(depth)?;
                let values = list.iter().map(|value| Self::value(value, depth));
                values.collect::<Result<Vec<_>, _>>()?.into()
            }
            Json::Object(_) => match json.get("_kind") {
                None => Self::dict(json, deeper(depth)?)?.into(),
                Some(Json::Text(kind)) if kind == "dict" => {
                    Self::dict(json, deeper(depth)?)?.into()
                }
                Some(Json::Text(kind)) if kind == "grid" => {
                    nested::<Self>(json, deeper(depth)?)?.into()
                }
                Some(Json::Text(kind)) => scalar(kind, json)?,
                Some(_) => return Err(Error::new("'_kind' is no text")),
            },
        })
    }

    fn col(json: &Json<'_>, depth: usize) -> Result<Col, Error> {
        let name = json.text("name").ok_or_else(|| Error::new("Column without a name"))?;
        let meta = match json.get("meta") {
            None | Some(Json::Null) => Dict::new(),
            Some(meta) => Self::dict(meta, depth)?,
        };
        Ok(Col { name: Tag::new(name)?, meta })
    }

    fn dict(json: &Json<'_>, depth: usize) -> Result<Dict, Error> {
        let Json::Object(members) = json else { return Err(Error::new("A dict is no object")) };
        let mut dict = Dict::new();
        for (name, value) in members.iter().filter(|(name, _)| name != "_kind") {
            dict.set(Tag::new(name)?, Self::value(value, depth)?);
        }
        Ok(dict)
    }
}

fn deeper(depth: usize) -> Result<usize, Error> {
    depth.checked_sub(1).ok_or_else(|| Error::new("Nested too deep"))
}

/// What an object with a `_kind` stands for that is neither dict nor grid.
fn scalar(kind: &str, json: &Json<'_>) -> Result<Value, Error> {
    let text = |name: &str| {
        json.text(name).ok_or_else(|| Error::new(format!("No text '{name}' of kind '{kind}'")))
    };
    match kind {
        "marker" => Ok(Value::MARKER),
        "remove" => Ok(Value::REMOVE),
        "na" => Ok(Value::NA),
        "number" => number(json),
        "uri" => Ok(Value::uri(text("val")?)),
        "ref" => match json.get("dis") {
            Some(Json::Text(dis)) => Value::id_dis(text("val")?, dis),
            _ => Value::id(text("val")?),
        },
        "symbol" => Value::symbol(text("val")?),
        "date" => Ok(text("val")?.parse::<crate::Date>()?.into()),
        "time" => Ok(text("val")?.parse::<crate::Time>()?.into()),
        "dateTime" => Ok(date_time(text("val")?, json.text("tz"))?.into()),
        "coord" => match (json.number("lat"), json.number("lng")) {
            (Some(lat), Some(lng)) => Ok(Coord::new(lat, lng)?.into()),
            _ => Err(Error::new("Coord without 'lat' and 'lng'")),
        },
        "xstr" => Value::xstr(text("type")?, text("val")?),
        _ => {
            let shown: String = kind.chars().take(60).collect();
            Err(Error::new(format!("Unknown kind '{shown}'")))
        }
    }
}

fn number(json: &Json<'_>) -> Result<Value, Error> {
    let value = match json.get("val") {
        Some(Json::Number(value)) => *value,
        Some(Json::Text(text)) if text == "NaN" => f64::NAN,
        Some(Json::Text(text)) if text == "INF" => f64::INFINITY,
        Some(Json::Text(text)) if text == "-INF" => f64::NEG_INFINITY,
        _ => return Err(Error::new("Number without a 'val' that is one")),
    };
    let unit = json.text("unit").map(Unit::named).transpose()?;
    Ok(Value::number(value, unit.as_ref()))
}

/// Without the name of a zone it is that of Greenwich, or the one so many hours from it.
fn date_time(iso: &str, zone: Option<&str>) -> Result<DateTime, Error> {
    DateTime::parse_or(iso, zone, |offset| match offset {
        0 => Zone::named("GMT").ok(),
        offset => Zone::fixed(offset),
    })
}
