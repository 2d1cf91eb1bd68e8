//! A value that is borrowed, wherever it lies: in a [`Value`], in a column, in a record's bytes.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use super::{Coord, Dict, Grid, Is, Kind, Ref, Value, XStr};
use crate::{Date, DateTime, Name, Time, Unit};

/// A borrowed value. Equality is that of Haystack, see [`Value`].
#[derive(Clone, Copy, Debug, Default)]
pub enum Cell<'a> {
    /// No value.
    #[default]
    Null,
    /// A tag that is there.
    Marker,
    /// Not available.
    Na,
    /// To be removed.
    Remove,
    /// True or false.
    Bool(bool),
    /// A number and the symbol of its unit.
    Number(f64, Option<&'a str>),
    /// A text.
    Str(&'a str),
    /// A URI.
    Uri(&'a str),
    /// An id, and a display name.
    Ref(&'a str, Option<&'a str>),
    /// The name of a def.
    Symbol(&'a str),
    /// A day.
    Date(Date),
    /// A time of day.
    Time(Time),
    /// An instant.
    DateTime(DateTime),
    /// A place.
    Coord(Coord),
    /// A type and a text.
    XStr(&'a str, &'a str),
    /// A list.
    List(&'a [Value]),
    /// A dict.
    Dict(&'a Dict),
    /// A grid.
    Grid(&'a Grid),
}

/// The order of numbers: NaN is equal to itself and below all others; zeros are equal.
fn compare_numbers(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or_else(|| b.is_nan().cmp(&a.is_nan()))
}

impl Cell<'_> {
    /// Its kind.
    pub fn kind(&self) -> Kind {
        match self {
            Cell::Null => Kind::Null,
            Cell::Marker => Kind::Marker,
            Cell::Na => Kind::Na,
            Cell::Remove => Kind::Remove,
            Cell::Bool(_) => Kind::Bool,
            Cell::Number(..) => Kind::Number,
            Cell::Str(_) => Kind::Str,
            Cell::Uri(_) => Kind::Uri,
            Cell::Ref(..) => Kind::Ref,
            Cell::Symbol(_) => Kind::Symbol,
            Cell::Date(_) => Kind::Date,
            Cell::Time(_) => Kind::Time,
            Cell::DateTime(_) => Kind::DateTime,
            Cell::Coord(_) => Kind::Coord,
            Cell::XStr(..) => Kind::XStr,
            Cell::List(_) => Kind::List,
            Cell::Dict(_) => Kind::Dict,
            Cell::Grid(_) => Kind::Grid,
        }
    }

    /// Whether it is no value.
    pub fn is_null(&self) -> bool {
        matches!(self, Cell::Null)
    }

    /// The order that filters know: of two values of the same kind (and numbers of the same unit)
    /// that has one; texts by their characters, instants without their zone.
    ///
    /// ```
    /// use kvist_haystack::Cell;
    /// use std::cmp::Ordering;
    /// assert_eq!(Cell::Str("a").compare(&Cell::Str("b")), Some(Ordering::Less));
    /// assert_eq!(Cell::Number(1.0, Some("m")).compare(&Cell::Number(2.0, None)), None);
    /// ```
    pub fn compare(&self, other: &Cell<'_>) -> Option<Ordering> {
        Some(match (self, other) {
            (Cell::Bool(a), Cell::Bool(b)) => a.cmp(b),
            (Cell::Number(a, of), Cell::Number(b, than)) if of == than => compare_numbers(*a, *b),
            (Cell::Str(a), Cell::Str(b)) => a.cmp(b),
            (Cell::Uri(a), Cell::Uri(b)) => a.cmp(b),
            (Cell::Ref(a, _), Cell::Ref(b, _)) => a.cmp(b),
            (Cell::Symbol(a), Cell::Symbol(b)) => a.cmp(b),
            (Cell::Date(a), Cell::Date(b)) => a.cmp(b),
            (Cell::Time(a), Cell::Time(b)) => a.cmp(b),
            (Cell::DateTime(a), Cell::DateTime(b)) => a.cmp(b),
            _ => return None,
        })
    }

    /// The order of all values: by kind, then as [`Cell::compare`] has it, then by unit.
    pub(super) fn total_cmp(&self, other: &Cell<'_>) -> Ordering {
        if let Some(order) = self.compare(other) {
            return order;
        }
        match (self, other) {
            (Cell::Number(a, of), Cell::Number(b, than)) => {
                compare_numbers(*a, *b).then_with(|| of.cmp(than))
            }
            (Cell::Coord(a), Cell::Coord(b)) => a.cmp(b),
            (Cell::XStr(of, a), Cell::XStr(than, b)) => (of, a).cmp(&(than, b)),
            (Cell::List(a), Cell::List(b)) => a.cmp(b),
            (Cell::Dict(a), Cell::Dict(b)) => a.sorted().cmp(&b.sorted()),
            (Cell::Grid(a), Cell::Grid(b)) => a.cmp(b),
            _ => self.kind().cmp(&other.kind()),
        }
    }

    /// A value of its own.
    pub fn to_value(&self) -> Value {
        Value(match *self {
            Cell::Null => Is::Null,
            Cell::Marker => Is::Marker,
            Cell::Na => Is::Na,
            Cell::Remove => Is::Remove,
            Cell::Bool(value) => Is::Bool(value),
            Cell::Number(value, unit) => {
                let unit = unit.and_then(|unit| Unit::named(unit).ok());
                return Value::number(value, unit.as_ref());
            }
            Cell::Str(text) => Is::Str(text.into()),
            Cell::Uri(text) => Is::Uri(text.into()),
            Cell::Ref(id, dis) => {
                return Ref { id: Name::new(id), dis: dis.map(Into::into) }.into();
            }
            Cell::Symbol(name) => Is::Symbol(Name::new(name)),
            Cell::Date(date) => Is::Date(date),
            Cell::Time(time) => Is::Time(time),
            Cell::DateTime(instant) => return instant.into(),
            Cell::Coord(coord) => Is::Coord(coord),
            Cell::XStr(kind, text) => {
                Is::XStr(std::sync::Arc::new(XStr { kind: Name::new(kind), text: text.into() }))
            }
            Cell::List(list) => return Value::list(list.to_vec()),
            Cell::Dict(dict) => return Value::dict(dict.clone()),
            Cell::Grid(grid) => return Value::grid(grid.clone()),
        })
    }
}

impl PartialEq for Cell<'_> {
    fn eq(&self, other: &Cell<'_>) -> bool {
        match (self, other) {
            (Cell::Coord(a), Cell::Coord(b)) => a == b,
            (Cell::XStr(of, a), Cell::XStr(than, b)) => of == than && a == b,
            (Cell::List(a), Cell::List(b)) => a == b,
            (Cell::Dict(a), Cell::Dict(b)) => a == b,
            (Cell::Grid(a), Cell::Grid(b)) => a == b,
            (Cell::Number(..), Cell::Number(..)) => self.compare(other) == Some(Ordering::Equal),
            _ => match self.compare(other) {
                Some(order) => order == Ordering::Equal,
                None => self.kind() == other.kind(),
            },
        }
    }
}

impl Eq for Cell<'_> {}

impl Hash for Cell<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.kind().hash(state);
        match self {
            Cell::Null | Cell::Marker | Cell::Na | Cell::Remove => {}
            Cell::Bool(value) => value.hash(state),
            Cell::Number(value, unit) => {
                // Zeros are equal, and so are all that are no number.
                let bits = if value.is_nan() { f64::NAN } else { *value + 0.0 }.to_bits();
                (bits, unit).hash(state);
            }
            Cell::Str(text) | Cell::Uri(text) | Cell::Symbol(text) => text.hash(state),
            Cell::Ref(id, _) => id.hash(state),
            Cell::Date(date) => date.hash(state),
            Cell::Time(time) => time.hash(state),
            Cell::DateTime(instant) => instant.hash(state),
            Cell::Coord(coord) => coord.hash(state),
            Cell::XStr(kind, text) => (kind, text).hash(state),
            Cell::List(list) => list.hash(state),
            Cell::Dict(dict) => dict.hash(state),
            Cell::Grid(grid) => (grid.cols().len(), grid.len()).hash(state),
        }
    }
}
