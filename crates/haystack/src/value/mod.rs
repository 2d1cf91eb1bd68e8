//! The kinds of values: in 16 bytes ([`Value`]), borrowed ([`Cell`]), in dicts and grids.
//!
//! ```text
//!   byte 0   1   2..4         8..16
//!   ┌──────┬───┬─────────┬──┬─────────────────────────────────────┐
//!   │ kind │   │ unit    │  │ f64                                 │  Number with its unit
//!   │ kind │   │ zone    │  │ nanoseconds                         │  DateTime
//!   │ kind │   │         │  │ one word: a name, a shared text, …  │  Ref, Str, Dict, …
//!   │ kind │ b │         │  │ days, nanoseconds, two i32          │  Bool, Date, Time, Coord
//!   └──────┴───┴─────────┴──┴─────────────────────────────────────┘
//! ```
//!
//! To clone a value copies no text: it counts one owner more. Equality is that of Haystack: numbers
//! with their unit, refs without their display name, instants without their zone, dicts in any
//! order.

mod cell;
mod coord;
mod dict;
mod grid;
mod kind;
mod number;
mod rows;

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use arcstr::ArcStr;

use crate::{Date, DateTime, Error, Name, Time, Unit, Zone};

pub use cell::Cell;
pub use coord::Coord;
pub use dict::Dict;
pub use grid::{Col, Grid, GridBuilder, Row};
pub use kind::Kind;
pub use number::{Number, append_number};
pub use rows::Rows;

/// A value of any kind, or null.
#[derive(Clone, Default)]
pub struct Value(Is);

#[derive(Clone, Default)]
enum Is {
    #[default]
    Null,
    Marker,
    Na,
    Remove,
    Bool(bool),
    /// A unit's place in the list, counted from 1; 0 if there is none.
    Number(u16, f64),
    /// A number with a user's own unit.
    Own(Arc<(f64, Name)>),
    Str(ArcStr),
    Uri(ArcStr),
    Ref(Name),
    NamedRef(Arc<Ref>),
    Symbol(Name),
    Date(Date),
    Time(Time),
    DateTime(Zone, i64),
    Coord(Coord),
    XStr(Arc<XStr>),
    List(Arc<Vec<Value>>),
    Dict(Arc<Dict>),
    Grid(Arc<Grid>),
}

const _: () = assert!(size_of::<Value>() == 16);

/// The id of a record, perhaps with the display name that came with it.
#[derive(Clone, Debug)]
pub struct Ref {
    /// The id, without `@`.
    pub id: Name,
    /// What to show in its place.
    pub dis: Option<ArcStr>,
}

/// A text with the name of a type, for kinds that are none of Haystack's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct XStr {
    /// The type, which begins with a capital letter.
    pub kind: Name,
    /// The text.
    pub text: ArcStr,
}

/// Whether a text may name the type of an [`XStr`]: a capital letter, then letters, digits and
/// underscores.
pub fn is_type_name(text: &str) -> bool {
    let (first, rest) = text.as_bytes().split_first().unwrap_or((&b'-', &[]));
    first.is_ascii_uppercase() && rest.iter().all(|&byte| crate::name::is_tag_byte(byte))
}

impl Value {
    /// No value.
    pub const NULL: Value = Value(Is::Null);
    /// A tag that is there.
    pub const MARKER: Value = Value(Is::Marker);
    /// Not available.
    pub const NA: Value = Value(Is::Na);
    /// In a change: to be removed.
    pub const REMOVE: Value = Value(Is::Remove);

    /// A number, with or without a unit.
    pub fn number(value: f64, unit: Option<&Unit>) -> Value {
        match unit.map(|unit| (unit.place(), unit)) {
            None => Value(Is::Number(0, value)),
            Some((Some(place), _)) => Value(Is::Number(place + 1, value)),
            Some((None, unit)) => Value(Is::Own(Arc::new((value, Name::new(unit.symbol()))))),
        }
    }

    /// A text.
    pub fn str(text: impl Into<ArcStr>) -> Value {
        Value(Is::Str(text.into()))
    }

    /// A URI.
    pub fn uri(text: impl Into<ArcStr>) -> Value {
        Value(Is::Uri(text.into()))
    }

    /// A ref without a display name; an error if no record may have this id.
    pub fn id(id: &str) -> Result<Value, Error> {
        Ok(Value(Is::Ref(ref_name(id, "ref")?)))
    }

    /// A ref with a display name; an error if no record may have this id.
    pub fn id_dis(id: &str, dis: &str) -> Result<Value, Error> {
        let id = ref_name(id, "ref")?;
        Ok(Value(Is::NamedRef(Arc::new(Ref { id, dis: Some(dis.into()) }))))
    }

    /// A symbol, without its `^`; an error if there is none such.
    pub fn symbol(text: &str) -> Result<Value, Error> {
        Ok(Value(Is::Symbol(ref_name(text, "symbol")?)))
    }

    /// An extended string; an error if no type may be called so.
    pub fn xstr(kind: &str, text: &str) -> Result<Value, Error> {
        if !is_type_name(kind) {
            let shown: String = kind.chars().take(60).collect();
            return Err(Error::new(format!("Invalid type name '{shown}'")));
        }
        Ok(Value(Is::XStr(Arc::new(XStr { kind: Name::new(kind), text: text.into() }))))
    }

    /// A list. Lists, dicts and grids are dropped one within the other, on the stack: what is built
    /// by code and not by a reader, which has [`crate::Limits`], should not nest deeper than those.
    pub fn list(values: Vec<Value>) -> Value {
        Value(Is::List(Arc::new(values)))
    }

    /// A dict.
    pub fn dict(dict: Dict) -> Value {
        Value(Is::Dict(Arc::new(dict)))
    }

    /// A grid.
    pub fn grid(grid: Grid) -> Value {
        Value(Is::Grid(Arc::new(grid)))
    }

    /// The value as it is compared and written.
    pub fn cell(&self) -> Cell<'_> {
        match &self.0 {
            Is::Null => Cell::Null,
            Is::Marker => Cell::Marker,
            Is::Na => Cell::Na,
            Is::Remove => Cell::Remove,
            Is::Bool(value) => Cell::Bool(*value),
            Is::Number(0, value) => Cell::Number(*value, None),
            Is::Number(unit, value) => Cell::Number(*value, Some(Unit::symbol_at(unit - 1))),
            Is::Own(number) => Cell::Number(number.0, Some(&number.1)),
            Is::Str(text) => Cell::Str(text),
            Is::Uri(text) => Cell::Uri(text),
            Is::Ref(id) => Cell::Ref(id, None),
            Is::NamedRef(named) => Cell::Ref(&named.id, named.dis.as_deref()),
            Is::Symbol(name) => Cell::Symbol(name),
            Is::Date(date) => Cell::Date(*date),
            Is::Time(time) => Cell::Time(*time),
            Is::DateTime(zone, nanos) => Cell::DateTime(DateTime::from_nanos(*nanos, *zone)),
            Is::Coord(coord) => Cell::Coord(*coord),
            Is::XStr(xstr) => Cell::XStr(&xstr.kind, &xstr.text),
            Is::List(list) => Cell::List(list),
            Is::Dict(dict) => Cell::Dict(dict),
            Is::Grid(grid) => Cell::Grid(grid),
        }
    }

    /// Its kind.
    pub fn kind(&self) -> Kind {
        self.cell().kind()
    }

    /// Whether it is no value.
    pub fn is_null(&self) -> bool {
        matches!(self.0, Is::Null)
    }

    /// The number, with its unit.
    pub fn as_number(&self) -> Option<Number> {
        let (value, unit) = match &self.0 {
            Is::Number(0, value) => (*value, None),
            Is::Number(unit, value) => (*value, Some(Unit::at(unit - 1))),
            Is::Own(number) => (number.0, Unit::named(&number.1).ok()),
            _ => return None,
        };
        Some(Number { value, unit })
    }

    /// The text of a Str.
    pub fn as_str(&self) -> Option<&str> {
        if let Is::Str(text) = &self.0 { Some(text) } else { None }
    }

    /// The id of a Ref.
    pub fn as_id(&self) -> Option<&Name> {
        match &self.0 {
            Is::Ref(id) => Some(id),
            Is::NamedRef(named) => Some(&named.id),
            _ => None,
        }
    }

    /// The name of a Symbol.
    pub fn as_symbol(&self) -> Option<&Name> {
        if let Is::Symbol(name) = &self.0 { Some(name) } else { None }
    }

    /// The values of a List.
    pub fn as_list(&self) -> Option<&[Value]> {
        if let Is::List(list) = &self.0 { Some(list) } else { None }
    }

    /// The Dict.
    pub fn as_dict(&self) -> Option<&Dict> {
        if let Is::Dict(dict) = &self.0 { Some(dict) } else { None }
    }

    /// The Grid.
    pub fn as_grid(&self) -> Option<&Grid> {
        if let Is::Grid(grid) = &self.0 { Some(grid) } else { None }
    }

    /// The bytes that it has beside its own 16. What is shared counts in full for each owner, but
    /// of names ([`crate::name::Name::memory`]) only what is long.
    pub fn memory(&self) -> usize {
        const COUNTED: usize = 16;
        match &self.0 {
            Is::Own(_) => COUNTED + 16,
            Is::Str(text) | Is::Uri(text) => COUNTED + text.len(),
            Is::Ref(name) | Is::Symbol(name) => name.long_part(),
            Is::NamedRef(named) => {
                let dis = named.dis.as_ref().map_or(0, |dis| dis.len() + 16);
                COUNTED + 16 + named.id.long_part() + dis
            }
            Is::XStr(xstr) => COUNTED + 32 + xstr.kind.long_part() + xstr.text.len(),
            Is::List(list) => {
                COUNTED + 24 + list.iter().map(|value| 16 + value.memory()).sum::<usize>()
            }
            Is::Dict(dict) => COUNTED + dict.memory(),
            Is::Grid(grid) => COUNTED + grid.memory(),
            _ => 0,
        }
    }
}

fn ref_name(text: &str, what: &str) -> Result<Name, Error> {
    if crate::name::is_ref(text) {
        return Ok(Name::new(text));
    }
    let shown: String = text.chars().take(60).collect();
    Err(Error::new(format!("Invalid {what} '{shown}'")))
}

impl From<bool> for Value {
    fn from(value: bool) -> Value {
        Value(Is::Bool(value))
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Value {
        Value::number(value, None)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::str(text)
    }
}

impl From<String> for Value {
    fn from(text: String) -> Value {
        Value::str(text)
    }
}

impl From<Date> for Value {
    fn from(date: Date) -> Value {
        Value(Is::Date(date))
    }
}

impl From<Time> for Value {
    fn from(time: Time) -> Value {
        Value(Is::Time(time))
    }
}

impl From<DateTime> for Value {
    fn from(instant: DateTime) -> Value {
        Value(Is::DateTime(instant.zone(), instant.nanos()))
    }
}

impl From<Coord> for Value {
    fn from(coord: Coord) -> Value {
        Value(Is::Coord(coord))
    }
}

impl From<Ref> for Value {
    fn from(of: Ref) -> Value {
        match of.dis {
            None => Value(Is::Ref(of.id)),
            Some(_) => Value(Is::NamedRef(Arc::new(of))),
        }
    }
}

impl From<Vec<Value>> for Value {
    fn from(values: Vec<Value>) -> Value {
        Value::list(values)
    }
}

impl From<Dict> for Value {
    fn from(dict: Dict) -> Value {
        Value::dict(dict)
    }
}

impl From<Grid> for Value {
    fn from(grid: Grid) -> Value {
        Value::grid(grid)
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        self.cell() == other.cell()
    }
}

impl Eq for Value {}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Value) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// By kind, then as [`Cell::compare`] has it, then by unit; dicts and grids by their texts.
impl Ord for Value {
    fn cmp(&self, other: &Value) -> Ordering {
        self.cell().total_cmp(&other.cell())
    }
}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.cell().hash(state);
    }
}

/// As in Zinc.
impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&crate::zinc::to_text(&self.cell()))
    }
}

/// As people read it: texts without quotation marks, refs as their display names.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&crate::display::of_cell(&self.cell()))
    }
}

#[cfg(test)]
#[path = "value_tests.rs"]
mod tests;
