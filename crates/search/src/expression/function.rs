//! The functions of expressions.

use super::places;
use super::time;
use super::tree::{Node, Row};
use super::value::Value;
use crate::error::{Error, Result};

/// The longest text that a function makes: steps that double a text again and again would fill the
/// memory with a short request.
const MAX_TEXT: usize = 16 << 20;

/// A function by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    Exists,
    Case,
    Log,
    Log2,
    Exp,
    Sqrt,
    Abs,
    Ceil,
    Floor,
    Upper,
    Lower,
    StartsWith,
    Contains,
    StrLen,
    SubStr,
    Format,
    MatchedTerms,
    Split,
    TimeFmt,
    ParseTime,
    Time(time::Unit),
    GeoDistance,
}

/// Names, functions, and how many arguments each takes.
const FUNCTIONS: [(&str, Function, usize, usize); 30] = [
    ("exists", Function::Exists, 1, 1),
    ("case", Function::Case, 3, 3),
    ("log", Function::Log, 1, 1),
    ("log2", Function::Log2, 1, 1),
    ("exp", Function::Exp, 1, 1),
    ("sqrt", Function::Sqrt, 1, 1),
    ("abs", Function::Abs, 1, 1),
    ("ceil", Function::Ceil, 1, 1),
    ("floor", Function::Floor, 1, 1),
    ("upper", Function::Upper, 1, 1),
    ("lower", Function::Lower, 1, 1),
    ("startswith", Function::StartsWith, 2, 2),
    ("contains", Function::Contains, 2, 2),
    ("strlen", Function::StrLen, 1, 1),
    ("substr", Function::SubStr, 3, 3),
    ("format", Function::Format, 1, usize::MAX),
    ("matched_terms", Function::MatchedTerms, 0, 1),
    ("split", Function::Split, 1, 3),
    ("timefmt", Function::TimeFmt, 1, 2),
    ("parsetime", Function::ParseTime, 2, 2),
    ("day", Function::Time(time::Unit::Day), 1, 1),
    ("hour", Function::Time(time::Unit::Hour), 1, 1),
    ("minute", Function::Time(time::Unit::Minute), 1, 1),
    ("month", Function::Time(time::Unit::Month), 1, 1),
    ("year", Function::Time(time::Unit::Year), 1, 1),
    ("dayofweek", Function::Time(time::Unit::DayOfWeek), 1, 1),
    ("dayofmonth", Function::Time(time::Unit::DayOfMonth), 1, 1),
    ("dayofyear", Function::Time(time::Unit::DayOfYear), 1, 1),
    ("monthofyear", Function::Time(time::Unit::MonthOfYear), 1, 1),
    ("geodistance", Function::GeoDistance, 2, 4),
];

impl Function {
    pub(super) fn find(name: &[u8]) -> Option<Self> {
        let is =
            |listed: &&(&str, Self, usize, usize)| name.eq_ignore_ascii_case(listed.0.as_bytes());
        FUNCTIONS.iter().find(is).map(|listed| listed.1)
    }

    pub(super) fn arguments(self) -> (usize, usize) {
        let listed = FUNCTIONS.iter().find(|listed| listed.1 == self);
        listed.map_or((0, 0), |listed| (listed.2, listed.3))
    }

    pub(super) fn call(self, arguments: &[Node], row: &dyn Row) -> Result<Value> {
        let at = |place: usize| match arguments.get(place) {
            Some(node) => node.evaluate(row),
            None => Ok(Value::Null),
        };
        Ok(match self {
            Self::Exists => Value::truth(at(0)? != Value::Null),
            Self::Case => return if at(0)?.is_true() { at(1) } else { at(2) },
            Self::Log
            | Self::Log2
            | Self::Exp
            | Self::Sqrt
            | Self::Abs
            | Self::Ceil
            | Self::Floor => self.of_number(&at(0)?),
            Self::Upper | Self::Lower => change_case(&at(0)?, self == Self::Upper),
            Self::StartsWith => of_texts(&at(0)?, &at(1)?, |text, start| {
                f64::from(u8::from(text.starts_with(start)))
            }),
            Self::Contains => of_texts(&at(0)?, &at(1)?, occurrences),
            Self::StrLen => match at(0)?.as_text() {
                Some(text) => count(text.len()),
                None => Value::Null,
            },
            Self::SubStr => substring(&at(0)?, &at(1)?, &at(2)?),
            Self::Format => return format(arguments, row),
            Self::MatchedTerms => matched_terms(&at(0)?, row),
            Self::Split => split(&at(0)?, arguments.get(1).is_some().then(|| at(1)), at(2)?)?,
            Self::TimeFmt => time::format(&at(0)?, &at(1)?),
            Self::ParseTime => time::parse(&at(0)?, &at(1)?),
            Self::Time(unit) => time::of_unit(unit, &at(0)?),
            Self::GeoDistance => {
                let values = arguments.iter().map(|node| node.evaluate(row));
                places::geodistance(&values.collect::<Result<Vec<_>>>()?)
            }
        })
    }

    fn of_number(self, value: &Value) -> Value {
        // As in RediSearch: of what is no number the result is no number.
        let number = value.as_number().unwrap_or(f64::NAN);
        Value::Number(match self {
            Self::Log => number.ln(),
            Self::Log2 => number.log2(),
            Self::Exp => number.exp(),
            Self::Sqrt => number.sqrt(),
            Self::Abs => number.abs(),
            Self::Ceil => number.ceil(),
            _ => number.floor(),
        })
    }
}

#[allow(clippy::cast_precision_loss)] // lengths of texts are small
fn count(number: usize) -> Value {
    Value::Number(number as f64)
}

fn of_texts(a: &Value, b: &Value, of: impl FnOnce(&[u8], &[u8]) -> f64) -> Value {
    match (a.as_text(), b.as_text()) {
        (Some(a), Some(b)) => Value::Number(of(&a, &b)),
        _ => Value::Null,
    }
}

#[allow(clippy::cast_precision_loss)] // lengths of texts are small
fn occurrences(text: &[u8], part: &[u8]) -> f64 {
    if part.is_empty() {
        return text.len() as f64 + 1.0;
    }
    memchr::memmem::find_iter(text, part).count() as f64
}

fn change_case(value: &Value, upper: bool) -> Value {
    let Value::Text(text) = value else { return value.clone() };
    let mut changed = Vec::with_capacity(text.len());
    for chunk in text.utf8_chunks() {
        let valid = chunk.valid();
        let valid = if upper { valid.to_uppercase() } else { valid.to_lowercase() };
        changed.extend_from_slice(valid.as_bytes());
        changed.extend_from_slice(chunk.invalid());
    }
    Value::Text(changed)
}

/// `substr(text, offset, length)`. An offset below zero counts from the end; a length below zero
/// leaves out that many at the end, and does not count if nothing would be left.
fn substring(text: &Value, offset: &Value, length: &Value) -> Value {
    let (Some(text), Some(offset), Some(length)) =
        (text.as_text(), offset.as_number(), length.as_number())
    else {
        return Value::Null;
    };
    #[allow(clippy::cast_possible_truncation)] // saturates
    let (offset, length) = (offset as i64, length as i64);
    let size = i64::try_from(text.len()).unwrap_or(i64::MAX);
    let start = if offset < 0 { size.saturating_add(offset) } else { offset };
    if start < 0 || start >= size {
        return Value::text(*b"");
    }
    let after = size - start;
    let length = match length {
        length if length >= 0 => length.min(after),
        length if after.saturating_add(length) > 0 => after + length,
        _ => after,
    };
    let at = |number: i64| usize::try_from(number).unwrap_or(0);
    Value::text(text.get(at(start)..at(start + length)).unwrap_or_default())
}

/// `format("%s %%", …)`.
fn format(arguments: &[Node], row: &dyn Row) -> Result<Value> {
    let mut nodes = arguments.iter();
    let Some(Value::Text(pattern)) = nodes.next().map(|node| node.evaluate(row)).transpose()?
    else {
        return Ok(Value::Null);
    };
    let (mut text, mut bytes) = (Vec::with_capacity(pattern.len()), pattern.iter());
    while let Some(byte) = bytes.next() {
        match (byte, if *byte == b'%' { bytes.next() } else { None }) {
            (b'%', Some(b'%')) => text.push(b'%'),
            (b'%', Some(b's')) => match nodes.next() {
                Some(node) => write(&node.evaluate(row)?, &mut text),
                None => return Ok(Value::Null),
            },
            (b'%', _) => return Ok(Value::Null),
            _ => text.push(*byte),
        }
        if text.len() > MAX_TEXT {
            return Err(Error::new(format!("Result of `format` is longer than {MAX_TEXT} bytes")));
        }
    }
    Ok(Value::Text(text))
}

fn write(value: &Value, text: &mut Vec<u8>) {
    match value {
        Value::Null => text.extend_from_slice(b"(null)"),
        Value::List(list) => {
            for (at, value) in list.iter().enumerate() {
                if at > 0 {
                    text.extend_from_slice(b", ");
                }
                write(value, text);
            }
        }
        Value::Text(more) => text.extend_from_slice(more),
        Value::Number(number) => text.extend_from_slice(crate::number::print(*number).as_bytes()),
    }
}

fn matched_terms(most: &Value, row: &dyn Row) -> Value {
    const DEFAULT: f64 = 100.0;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates
    let most = most.as_number().unwrap_or(DEFAULT).clamp(0.0, DEFAULT) as usize;
    let terms = row.matched_terms(most);
    if terms.is_empty() {
        return Value::Null;
    }
    Value::List(terms.into_iter().map(Value::Text).collect())
}

/// `split(text, separators = ",", strip = " ")`: pieces that are empty are left out.
fn split(text: &Value, separators: Option<Result<Value>>, strip: Value) -> Result<Value> {
    let separators = match separators {
        Some(separators) => separators?,
        None => Value::text(*b","),
    };
    let (Some(text), Some(separators)) = (text.as_text(), separators.as_text()) else {
        return Ok(Value::Null);
    };
    let strip = strip.as_text().unwrap_or_else(|| b" ".to_vec());
    let (mut separates, mut strips) = ([false; 256], [false; 256]);
    separators.iter().for_each(|byte| separates[usize::from(*byte)] = true);
    strip.iter().for_each(|byte| strips[usize::from(*byte)] = true);
    let is_kept = |byte: &u8| !strips[usize::from(*byte)];
    let pieces = text.split(|byte| separates[usize::from(*byte)]).filter_map(|piece| {
        let start = piece.iter().position(is_kept)?;
        let end = piece.iter().rposition(is_kept)?;
        Some(Value::text(&piece[start..=end]))
    });
    Ok(Value::List(pieces.collect()))
}
