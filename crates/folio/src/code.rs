//! Values as bytes, in journals and images: each with its kind, and lossless.
//!
//! ```text
//!   | kind | number, length and text, … |      lists, dicts and grids: how many, then one by one
//! ```
//!
//! Kinds have numbers of their own here, which never change their meaning. Units and zones stand by
//! name: their places in our lists may change.

use base::codec::{Malformed, Source, put_bytes, put_number};
use haystack::value::Rows;
use haystack::{Cell, Col, Coord, Date, DateTime, Dict, GridBuilder, Tag, Time, Unit, Value, Zone};

use crate::limits::DEEPEST;

mod kind {
    pub const NULL: u8 = 0;
    pub const MARKER: u8 = 1;
    pub const NA: u8 = 2;
    pub const REMOVE: u8 = 3;
    pub const FALSE: u8 = 4;
    pub const TRUE: u8 = 5;
    pub const NUMBER: u8 = 6;
    pub const UNIT: u8 = 7;
    pub const STR: u8 = 8;
    pub const URI: u8 = 9;
    pub const REF: u8 = 10;
    pub const REF_DIS: u8 = 11;
    pub const SYMBOL: u8 = 12;
    pub const DATE: u8 = 13;
    pub const TIME: u8 = 14;
    pub const UTC: u8 = 15;
    pub const INSTANT: u8 = 16;
    pub const COORD: u8 = 17;
    pub const XSTR: u8 = 18;
    pub const LIST: u8 = 19;
    pub const DICT: u8 = 20;
    pub const GRID: u8 = 21;
}

const NO_VALUE: Malformed = Malformed("a value that is none");

/// Appends a whole number, near zero in few bytes.
pub fn put_signed(out: &mut Vec<u8>, number: i64) {
    put_number(out, ((number << 1) ^ (number >> 63)) as u64); // the sign goes to the lowest bit
}

/// Reads a whole number.
pub fn signed(source: &mut Source<'_>) -> Result<i64, Malformed> {
    let number = source.number()?;
    Ok((number >> 1) as i64 ^ -((number & 1) as i64))
}

/// Reads a text.
pub fn text<'a>(source: &mut Source<'a>) -> Result<&'a str, Malformed> {
    std::str::from_utf8(source.bytes()?).map_err(|_| Malformed("a text is not UTF-8"))
}

/// Reads a name of a tag.
pub fn tag(source: &mut Source<'_>) -> Result<Tag, Malformed> {
    Tag::new(text(source)?).map_err(|_| Malformed("no name of a tag"))
}

fn put_text(out: &mut Vec<u8>, kind: u8, text: &str) {
    out.push(kind);
    put_bytes(out, text.as_bytes());
}

fn put_float(out: &mut Vec<u8>, number: f64) {
    out.extend(number.to_le_bytes());
}

fn float(source: &mut Source<'_>) -> Result<f64, Malformed> {
    source.fixed_u64().map(f64::from_bits)
}

/// Appends a value.
pub fn put_value(out: &mut Vec<u8>, cell: &Cell<'_>) {
    match *cell {
        Cell::Null => out.push(kind::NULL),
        Cell::Marker => out.push(kind::MARKER),
        Cell::Na => out.push(kind::NA),
        Cell::Remove => out.push(kind::REMOVE),
        Cell::Bool(is) => out.push(if is { kind::TRUE } else { kind::FALSE }),
        Cell::Number(number, None) => {
            out.push(kind::NUMBER);
            put_float(out, number);
        }
        Cell::Number(number, Some(unit)) => {
            put_text(out, kind::UNIT, unit);
            put_float(out, number);
        }
        Cell::Str(text) => put_text(out, kind::STR, text),
        Cell::Uri(text) => put_text(out, kind::URI, text),
        Cell::Ref(id, None) => put_text(out, kind::REF, id),
        Cell::Ref(id, Some(dis)) => {
            put_text(out, kind::REF_DIS, id);
            put_bytes(out, dis.as_bytes());
        }
        Cell::Symbol(name) => put_text(out, kind::SYMBOL, name),
        Cell::Date(date) => {
            out.push(kind::DATE);
            put_signed(out, date.days().into());
        }
        Cell::Time(time) => {
            out.push(kind::TIME);
            put_number(out, time.nanos());
        }
        Cell::DateTime(instant) => put_instant(out, instant),
        Cell::Coord(coord) => {
            out.push(kind::COORD);
            put_float(out, coord.lat());
            put_float(out, coord.lng());
        }
        Cell::XStr(of, text) => {
            put_text(out, kind::XSTR, of);
            put_bytes(out, text.as_bytes());
        }
        Cell::List(list) => {
            out.push(kind::LIST);
            put_number(out, list.len() as u64);
            list.iter().for_each(|value| put_value(out, &value.cell()));
        }
        Cell::Dict(dict) => {
            out.push(kind::DICT);
            put_dict(out, dict);
        }
        Cell::Grid(grid) => {
            out.push(kind::GRID);
            put_grid(out, grid);
        }
    }
}

fn put_instant(out: &mut Vec<u8>, instant: DateTime) {
    if instant.zone() == utc() {
        out.push(kind::UTC);
    } else {
        put_text(out, kind::INSTANT, instant.zone().full());
    }
    put_signed(out, instant.nanos());
}

/// Greenwich's zone, which there always is.
pub fn utc() -> Zone {
    Zone::UTC
}

/// Appends tags with their values.
pub fn put_dict(out: &mut Vec<u8>, dict: &Dict) {
    put_number(out, dict.len() as u64);
    for (tag, value) in dict.iter() {
        put_bytes(out, tag.as_str().as_bytes());
        put_value(out, &value.cell());
    }
}

fn put_grid(out: &mut Vec<u8>, grid: &haystack::Grid) {
    put_dict(out, grid.meta());
    put_number(out, grid.cols().len() as u64);
    for col in grid.cols() {
        put_bytes(out, col.name.as_str().as_bytes());
        put_dict(out, &col.meta);
    }
    put_number(out, grid.len() as u64);
    for row in 0..grid.len() {
        (0..grid.cols().len()).for_each(|col| put_value(out, &grid.cell(row, col)));
    }
}

/// Reads a value. What it takes is in proportion to its bytes, and it nests no deeper than values
/// may.
pub fn value(source: &mut Source<'_>) -> Result<Value, Malformed> {
    read(source, DEEPEST + 1)
}

/// Reads tags with their values.
pub fn dict(source: &mut Source<'_>) -> Result<Dict, Malformed> {
    read_dict(source, DEEPEST + 1)
}

fn valid<T>(made: Result<T, haystack::Error>) -> Result<T, Malformed> {
    made.map_err(|_| NO_VALUE)
}

fn read(source: &mut Source<'_>, depth: usize) -> Result<Value, Malformed> {
    let kind = source.byte()?;
    Ok(match kind {
        kind::NULL => Value::NULL,
        kind::MARKER => Value::MARKER,
        kind::NA => Value::NA,
        kind::REMOVE => Value::REMOVE,
        kind::FALSE => false.into(),
        kind::TRUE => true.into(),
        kind::NUMBER => float(source)?.into(),
        kind::UNIT => {
            let unit = valid(Unit::named(text(source)?))?;
            Value::number(float(source)?, Some(&unit))
        }
        kind::STR => Value::str(text(source)?),
        kind::URI => Value::uri(text(source)?),
        kind::REF => valid(Value::id(text(source)?))?,
        kind::REF_DIS => {
            let id = text(source)?;
            valid(Value::id_dis(id, text(source)?))?
        }
        kind::SYMBOL => valid(Value::symbol(text(source)?))?,
        kind::DATE => {
            let days = i32::try_from(signed(source)?).ok();
            days.and_then(Date::from_days).ok_or(NO_VALUE)?.into()
        }
        kind::TIME => Time::from_nanos(source.number()?).ok_or(NO_VALUE)?.into(),
        kind::UTC => DateTime::from_nanos(signed(source)?, utc()).into(),
        kind::INSTANT => {
            let zone = valid(Zone::named(text(source)?))?;
            DateTime::from_nanos(signed(source)?, zone).into()
        }
        kind::COORD => {
            let lat = float(source)?;
            valid(Coord::new(lat, float(source)?))?.into()
        }
        kind::XSTR => {
            let of = text(source)?;
            valid(Value::xstr(of, text(source)?))?
        }
        kind::LIST | kind::DICT | kind::GRID => {
            let below = depth.checked_sub(1).ok_or(Malformed("values nest too deeply"))?;
            read_nested(source, kind, below)?
        }
        _ => return Err(NO_VALUE),
    })
}

fn read_nested(source: &mut Source<'_>, kind: u8, below: usize) -> Result<Value, Malformed> {
    match kind {
        kind::LIST => {
            let values: Result<Vec<Value>, Malformed> =
                (0..count(source)?).map(|_| read(source, below)).collect();
            values.map(Value::list)
        }
        kind::DICT => read_dict(source, below).map(Value::dict),
        _ => read_grid(source, below),
    }
}

/// Reads how many things follow, each of a byte at least.
pub fn count(source: &mut Source<'_>) -> Result<usize, Malformed> {
    let count = source.length()?;
    if count > source.rest().len() {
        return Err(Malformed("it ends early"));
    }
    Ok(count)
}

fn read_dict(source: &mut Source<'_>, depth: usize) -> Result<Dict, Malformed> {
    let mut dict = Dict::new();
    for _ in 0..count(source)? {
        let name = tag(source)?;
        dict.set(name, read(source, depth)?);
    }
    Ok(dict)
}

fn read_grid(source: &mut Source<'_>, depth: usize) -> Result<Value, Malformed> {
    let meta = read_dict(source, depth)?;
    let mut cols = Vec::new();
    for _ in 0..count(source)? {
        cols.push(Col { name: tag(source)?, meta: read_dict(source, depth)? });
    }
    let width = cols.len();
    let mut grid = valid(GridBuilder::new(meta, cols))?;
    for _ in 0..count(source)? {
        if width > source.rest().len() {
            return Err(Malformed("it ends early"));
        }
        let cells: Result<Vec<Value>, Malformed> =
            (0..width).map(|_| read(source, depth)).collect();
        grid.push(cells?);
    }
    Ok(Value::grid(grid.finish()))
}

#[cfg(test)]
#[path = "code_tests.rs"]
mod tests;
